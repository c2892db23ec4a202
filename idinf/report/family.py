"""The table of a family as one value, and its file, ``idinf-family/1``: members, largest n0, and the law.

The keys of the file are the attributes of these classes in their order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from idinf.errors import ReportFormatError
from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.parameters import Size
from idinf.files import shown_path
from idinf.json_cursor import Cursor
from idinf.json_text import JsonObject
from idinf.report.document import Form, define_form, read_value, write_value
from idinf.report.value import Outcome, Regularizer

#: The tag of the only version that is read and written.
FORMAT = "idinf-family/1"

#: Laws are at most quadratic.
MOST_COEFFICIENTS = 3

_REMEDY = "give what 'idinf family --json -o FILE' wrote"

#: What `Fraction` reads besides, such as 1e999999999, would fill the memory.
_FRACTION = re.compile(r"(-?[0-9]{1,40})(?:/(0*[1-9][0-9]{0,40}))?")


def _read_fraction(cursor: Cursor) -> Fraction:
    match = _FRACTION.fullmatch(cursor.text())
    if match is None:
        cursor.fail('a fraction "a/b"', _REMEDY)
    return Fraction(int(match[1]), int(match[2] or 1))


define_form(Fraction, Form(_read_fraction, str, {"type": "string", "pattern": f"^{_FRACTION.pattern}$"}))


@dataclass(frozen=True, slots=True)
class FamilyDescription:
    """A family as its table names it.

    Attributes
    ----------
    name : str
    alphabet : tuple of str
    parameters : mapping of str to tuple of int
        Least and greatest value of every parameter.
    gcd : int or None
        The greatest common divisor that the parameters of a member have; None: any.
    size : Size
        How T is read off the parameters.
    """

    name: str
    alphabet: tuple[str, ...]
    parameters: Mapping[str, tuple[int, ...]]
    gcd: int | None
    size: Size


@dataclass(frozen=True, slots=True)
class FamilyMember:
    """What a run found out about one member; a member that none was possible for is open.

    Attributes
    ----------
    name : str
    parameters : mapping of str to int
    size : int
        T.
    digest : str
        Of its spec.
    outcome : Outcome
    max_n : int or None
        None: no run was possible.
    n0, n0_canonical : int or None
    n0_lower : int
        What is proved of n0: itself, or a lower bound.
    r_star : float or None
        R*_n at ``max_n``, if it is known.
    complete_up_to_r : float
    formula : str or None
        Of what is selected at ``max_n``.
    stop_reason : str
    seconds : float
    """

    name: str
    parameters: Mapping[str, int]
    size: int
    digest: str
    outcome: Outcome
    max_n: int | None
    n0: int | None
    n0_canonical: int | None
    n0_lower: int
    r_star: float | None
    complete_up_to_r: float
    formula: str | None
    stop_reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class FamilyMaximum:
    """The largest n0 among the members of one size.

    Attributes
    ----------
    size : int
        T.
    n0 : int or None
        None if some member is not settled.
    n0_lower : int
        What is proved of it: the largest n0, or lower bound of one, of any member.
    members : tuple of str
        Those that have it.
    """

    size: int
    n0: int | None
    n0_lower: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FamilyFit:
    """A law of the largest n0.

    Attributes
    ----------
    formula : str
    coefficients : tuple of Fraction
        Of (T - 1)^0, (T - 1)^1 and so on.
    sizes : tuple of int
        Every T it is about.
    exact : bool
        Whether it holds at each of them.
    residual : float
        Root of the mean square distance at these T; 0 if exact.
    largest : Fraction
        Largest distance.
    """

    formula: str
    coefficients: tuple[Fraction, ...]
    sizes: tuple[int, ...]
    exact: bool
    residual: float
    largest: Fraction

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
    """The table of a family.

    Attributes
    ----------
    idinf_version : str
    family : FamilyDescription
    space : SpaceBounds
    regularizer : Regularizer
    max_n, max_n_cap : int
        The largest n examined at first, and how far it was raised where that was needed.
    members : tuple of FamilyMember
        By size.
    maxima : tuple of FamilyMaximum
        By size.
    fits : tuple of FamilyFit
    """

    idinf_version: str
    family: FamilyDescription
    space: SpaceBounds
    regularizer: Regularizer
    max_n: int
    max_n_cap: int
    members: tuple[FamilyMember, ...]
    maxima: tuple[FamilyMaximum, ...]
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
    root = Cursor(content, shown_path(origin), ReportFormatError)
    tag = root.at(content.get("format"), "format")
    if tag.value != FORMAT:
        tag.fail(f'"{FORMAT}"', _REMEDY)
    body = root.at({key: value for key, value in content.items() if key != "format"}, "")
    table = read_value(FamilyReport, body)
    for name, ends in table.family.parameters.items():
        if len(ends) != 2:
            root.at(list(ends), f"family.parameters.{name}").fail("two integers", _REMEDY)
    for place, member in enumerate(table.members):
        if member.size < 0:
            root.at(member.size, f"members[{place}].size").fail("an integer of at least 0", _REMEDY)
    for place, fit in enumerate(table.fits):
        if not fit.sizes:
            root.at([], f"fits[{place}].sizes").fail("at least one size", _REMEDY)
        if len(fit.coefficients) > MOST_COEFFICIENTS:
            coefficients = root.at(list(map(str, fit.coefficients)), f"fits[{place}].coefficients")
            coefficients.fail(f"at most {MOST_COEFFICIENTS} coefficients", _REMEDY)
    return table


def family_to_dict(table: FamilyReport) -> JsonObject:
    """Write a table as plain values; keys in the order of the format."""
    return {"format": FORMAT, **write_value(table)}
