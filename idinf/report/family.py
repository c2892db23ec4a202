"""The table of a family as one value, and its file, ``idinf-family/1``: members, largest n0, and the law.

The keys of the file are the attributes of these classes in their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from idinf.documents import In, convert, form, read_fraction, refuse, telling, untag, write
from idinf.errors import ReportFormatError
from idinf.experiments.bounds import Space
from idinf.files import show_path
from idinf.json_text import JsonObject
from idinf.report.target import SPACE
from idinf.report.value import Outcome, Regularizer

#: The tag of the only version that is read and written.
FORMAT = "idinf-family/1"

#: Laws are at most quadratic.
MOST_COEFFICIENTS = 3

_REMEDY = "give what 'idinf family --json -o FILE' wrote"


#: A fraction as a text, integers too.
_TEXT = form(read_fraction, str, {"type": "string"})


@dataclass(frozen=True, slots=True)
class FamilyDescription:
    """A family as its table names it."""

    name: str
    alphabet: tuple[str, ...]
    parameters: Mapping[str, tuple[int, int]]  #: least and greatest value of every parameter
    gcd: int | None  #: the greatest common divisor that the parameters of a member have; None: any
    size: str  #: how T is read off them: ``max``, ``sum``, or the name of one

    @property
    def size_text(self) -> str:
        """What T is, in letters.

        Examples
        --------
        >>> FamilyDescription("ge", ("0", "1"), {"k": (1, 4), "j": (1, 4)}, None, "max").size_text
        'T = max(k, j)'
        """
        every = "" if self.size in self.parameters else f"({', '.join(self.parameters)})"
        return f"T = {self.size}{every}"


@dataclass(frozen=True, slots=True)
class FamilyMember:
    """What a run found out about one member; a member that none was possible for is open."""

    name: str
    parameters: Mapping[str, int]
    size: int  #: T
    digest: str  #: of its spec
    outcome: Outcome
    max_n: int | None  #: None: no run was possible
    n0: int | None
    n0_canonical: int | None
    n0_lower: int  #: what is proved of n0: itself, or a lower bound
    r_star: float | None  #: R*_n at ``max_n``, if it is known
    complete_up_to_r: float
    formula: str | None  #: of what is selected at ``max_n``
    stop_reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class FamilyMaximum:
    """The largest n0 among the members of one size."""

    size: int  #: T
    n0: int | None  #: None if some member is not settled
    n0_lower: int  #: what is proved of it: the largest n0, or lower bound of one, of any member
    members: tuple[str, ...]  #: those that have it


@dataclass(frozen=True, slots=True)
class FamilyFit:
    """A law of the largest n0."""

    formula: str
    coefficients: tuple[In[Fraction, _TEXT], ...]  #: of (T - 1)^0, (T - 1)^1 and so on
    sizes: tuple[int, ...]  #: every T it is about
    exact: bool  #: whether it holds at each of them
    residual: float  #: root of the mean square distance at these T; 0 if exact
    largest: In[Fraction, _TEXT]  #: largest distance

    def at(self, size: float) -> float:
        """Evaluate the polynomial at a size; in floats, for drawing.

        Examples
        --------
        >>> FamilyFit("4(T - 1)", (Fraction(0), Fraction(4)), (2, 3, 4), True, 0.0, Fraction(0)).at(3)
        8.0
        """
        return sum(float(c) * (size - 1) ** power for power, c in enumerate(self.coefficients))


@dataclass(frozen=True, slots=True)
class FamilyReport:
    """The table of a family."""

    idinf_version: str
    family: FamilyDescription
    space: In[Space, SPACE]
    regularizer: Regularizer
    max_n: int  #: the largest n examined at first
    max_n_cap: int  #: how far it was raised where that was needed
    members: tuple[FamilyMember, ...]  #: by size
    maxima: tuple[FamilyMaximum, ...]  #: by size
    fits: tuple[FamilyFit, ...]


def read_family(content: Mapping[str, object], origin: str) -> FamilyReport:
    """Read the parsed object of a table.

    Raises
    ------
    ReportFormatError
        If it is none; names file, key, value, expectation and remedy.

    Examples
    --------
    >>> read_family({"format": "idinf-report/1"}, "f.json")
    Traceback (most recent call last):
        ...
    idinf.errors.ReportFormatError: f.json: format = "idinf-report/1"; expected "idinf-family/1"; give what
    'idinf family --json -o FILE' wrote
    """
    with telling(show_path(origin), ReportFormatError):
        table = convert(untag(content, FORMAT, _REMEDY), FamilyReport)
        for place, member in enumerate(table.members):
            if member.size < 0:
                refuse(member.size, "an integer of at least 0", _REMEDY, f"members[{place}].size")
        for place, fit in enumerate(table.fits):
            if not fit.sizes:
                refuse([], "at least one size", _REMEDY, f"fits[{place}].sizes")
            if len(fit.coefficients) > MOST_COEFFICIENTS:
                found = [*map(str, fit.coefficients)]
                expected = f"at most {MOST_COEFFICIENTS} coefficients"
                refuse(found, expected, _REMEDY, f"fits[{place}].coefficients")
    return table


def family_to_dict(table: FamilyReport) -> JsonObject:
    """Write a table as plain values; keys in the order of the format."""
    return {"format": FORMAT, **write(table, FamilyReport)}
