"""What the procedure selects from: the one-hot family within bounds, or a whole class of any width.

A bound is wrong in one way only, wherever it was written; :class:`SpaceBounds` raises
:class:`~idinf.errors.UnsupportedBoundError` (a usage error), and the reader of specs turns that into a
:class:`~idinf.errors.SpecError` with file and key.
"""

from __future__ import annotations

import enum
import math
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from fractions import Fraction

from idinf.errors import UnsupportedBoundError
from idinf.quoting import quote, suggest

#: Training lengths t(n) that have a name, and the ways to count lengths: without $, or with it as the paper.
TRAINING_RULES, LENGTHS = ("n/2", "n/4", "sqrt", "log2"), ("words", "paper")

#: Thresholds of acceptance: any integer, free of charge, or 0 alone.
FREE, ZERO = THRESHOLDS = "free", "zero"

#: When a hypothesis matches.
VERDICT, LOGITS = MATCHES = "verdict", "logits"

#: Least and largest value of every bound.
RANGES = {
    "layers": (1, 5),  #: chains of one-unit layers are the cheapest deep nets; each layer costs 1
    "heads": (0, 2),  #: per layer, which may have none
    "units": (1, 4),  #: the output reads at least one; readings are proved complete for up to four
    "precision": (0, 3),  #: fractional bits p; p = 0 is the integer grid
    "period": (1, 4),  #: Δ; Δ = 1 means no positions
    "reach": (0, 3),  #: τ, the largest distance with φ ≠ 0; τ = 0 leaves φ(0) only
    #: Largest φ(k), 0 means uniform attention; weights N^2 keep the exact check in machine integers.
    "logit_max": (0, 2),
    "content_max": (0, 2),  #: largest entry of a logit matrix M; 0: logits do not depend on content
}

#: Steps of work that a run may take in a space that the tool chooses: about a minute.
DEFAULT_WORK = 60_000

#: The preset in which the tool chooses what to search.
AUTO = "auto"

#: What the presets change, in the order of the classes of theory: C-RASP[], [local], [periodic],
#: [periodic,local] and M; then all that the tool can search.
_CHANGES: dict[str, dict[str, object]] = {
    "nope": {},
    "local": {"reach": 2, "logit_max": 1},
    "periodic": {"period": 4},
    "full": {"heads": 2, "period": 4, "reach": 2, "logit_max": 1, "content_max": 1},
    AUTO: {**{key: high for key, (_, high) in RANGES.items()}, "max_r": math.inf, "work": DEFAULT_WORK},
}
PRESETS = tuple(_CHANGES)


@dataclass(frozen=True, slots=True)
class SpaceBounds:
    """Upper bounds of the searched family of one-hot Limit Transformers.

    Every smaller value is searched, too. Entries of φ and M lie on the p-bit grid.

    Raises
    ------
    UnsupportedBoundError
        If a value has the wrong type, is below its minimum or above what this version searches.

    Examples
    --------
    >>> SpaceBounds.from_preset("nope", precision=1).precision
    1
    >>> SpaceBounds(layers=0, heads=1, units=1, precision=0)
    Traceback (most recent call last):
        ...
    idinf.errors.UnsupportedBoundError: layers = 0; expected an integer from 1 to 5; raise it to at least 1
    """

    preset: str = "nope"  #: from which the bounds started
    layers: int = 4
    heads: int = 1  #: per layer
    units: int = 2  #: Heaviside units per layer
    precision: int = 2  #: fractional bits p
    period: int = 1  #: Δ
    reach: int = 0  #: τ
    logit_max: int = 0  #: largest φ(k), k ≤ τ
    content_max: int = 0  #: largest entry of a logit matrix M, at most ``logit_max``
    #: The deterministic budget: structures and hypotheses with R above it are not visited. A Fraction or an
    #: int is stored as the nearest float; it limits work and never decides a comparison of results. Here it
    #: is above the majority and Dyck-1 records, and below the floods of wider nets.
    max_r: float = 10.5
    #: The other deterministic budget: steps of work, about a thousand a second; None: no such budget.
    work: int | None = None
    #: What a hypothesis may compare its output with: any integer, or 0 as in Section 4.2 of [HYB25]_.
    threshold: str = FREE
    #: When it matches: by its verdict, or by its logits, which have to be 1 and 0 (Definition 6).
    match: str = VERDICT

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            hint = suggest(str(self.preset), PRESETS) or f"use {PRESETS[0]!r}"
            known = ", ".join(PRESETS)
            raise UnsupportedBoundError(f"preset = {quote(self.preset)}; expected one of: {known}; {hint}")
        for key in RANGES:
            _check_integer(key, getattr(self, key))
        if self.max_r != math.inf or not self.is_chosen:
            _check_max_r(self.max_r)
        _check_work(self.work)
        self._check_threshold()
        if self.content_max > self.logit_max:
            raise UnsupportedBoundError(
                f"content_max = {self.content_max}; expected at most logit_max = {self.logit_max}, the "
                "largest logit of all; raise logit_max or lower content_max"
            )
        object.__setattr__(self, "max_r", float(self.max_r))

    @classmethod
    def from_preset(cls, preset: str, **overrides: object) -> SpaceBounds:
        """Take the bounds of one of `PRESETS`, with some replaced.

        ``None`` means "not given", so that command-line options can be passed on as they are.

        Raises
        ------
        UnsupportedBoundError
            If the preset or a name is unknown, or a value is refused.

        Examples
        --------
        >>> bounds = SpaceBounds.from_preset("nope", layers=1, max_r=None)
        >>> bounds.layers, bounds.units, bounds.max_r
        (1, 2, 10.5)
        """
        known = tuple(field.name for field in fields(cls))
        given = {key: value for key, value in overrides.items() if value is not None}
        for key in given:
            if key not in known:
                hint = suggest(key, known) or f"expected one of: {', '.join(known)}"
                raise UnsupportedBoundError(f"unknown bound {quote(key)}; {hint}")
        values = {**_CHANGES.get(preset, {}), **given}
        return cls(preset, **values)  # type: ignore[arg-type]  # __post_init__ checks every type

    def overridden(self, **overrides: object) -> SpaceBounds:
        """Replace some bounds, as command-line options do with those of a spec; errors as `from_preset`.

        A ``preset`` other than the present one starts afresh from that preset. ``None`` means "not given".

        Examples
        --------
        >>> SpaceBounds(layers=1).overridden(units=1, preset=None).units
        1
        """
        preset = overrides.pop("preset", None)
        if preset is not None and preset != self.preset:
            return SpaceBounds.from_preset(str(preset), **overrides)
        given = {key: value for key, value in overrides.items() if value is not None}
        return SpaceBounds.from_preset(
            self.preset, **{**self.to_dict(), "threshold": self.threshold, "match": self.match, **given}
        )

    def _check_threshold(self) -> None:
        if self.threshold not in THRESHOLDS:
            known = " or ".join(THRESHOLDS)
            raise UnsupportedBoundError(
                f"threshold = {quote(self.threshold)}; expected {known}; use one of them"
            )
        if self.match not in MATCHES:
            known = " or ".join(MATCHES)
            raise UnsupportedBoundError(f"match = {quote(self.match)}; expected {known}; use one of them")
        if self.match == LOGITS:  # 1 is above 0, and 0 is not
            object.__setattr__(self, "threshold", ZERO)
        if self.threshold == ZERO and self.is_chosen:
            raise UnsupportedBoundError(
                f"threshold = {ZERO} in the space {AUTO}; expected a given space; name one: --space nope"
            )

    @property
    def is_chosen(self) -> bool:
        """Whether the tool chooses what to search within these bounds."""
        return self.preset == AUTO

    def allows(self, key: str, needed: float) -> bool:
        """Whether a hypothesis may need so much; a bound that this version sets to itself refuses none.

        But ``reach`` does: a larger distance costs nothing, so it bounds every space.

        Examples
        --------
        >>> SpaceBounds.from_preset("auto").allows("layers", 9), SpaceBounds().allows("layers", 9)
        (True, False)
        """
        most = getattr(self, key)
        return bool(needed <= most or (self.is_chosen and most == RANGES[key][1] and key != "reach"))

    @property
    def limits(self) -> dict[str, float]:
        """The bounds that there are, by name."""
        return {key: value for key, value in self.to_dict().items() if value is not None}

    def to_dict(self) -> dict[str, int | float | None]:
        """Every bound by name, in the order of the fields; None where there is none.

        Without the preset, the threshold and the match, which bound nothing.
        """
        values = asdict(self)
        del values["preset"], values["threshold"], values["match"]
        return {**values, "max_r": None if math.isinf(self.max_r) else self.max_r}


class HypothesisClass(enum.Enum):
    """Classes of hypotheses, by their names in reports and options."""

    #: One-hot gated Limit Transformers within the bounds of a space.
    ONE_HOT = "one-hot"
    #: Θ_N of [HYB25]_ Definition 4: ordinary transformers with translation-invariant products of positions.
    THETA = "theta"
    #: Limit Transformers of [HYB25]_ Definition 2 that satisfy Periodic and Local.
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class WholeClass:
    """All hypotheses of a class with R up to some bound, of any width, in any basis.

    Examples
    --------
    >>> WholeClass(HypothesisClass.THETA).preset, WholeClass(HypothesisClass.THETA, 5.75).limits
    ('theta', {'max_r': 5.75})
    """

    kind: HypothesisClass
    max_r: float = math.inf  #: the deterministic budget: nothing above is looked at

    def __post_init__(self) -> None:
        if self.kind is HypothesisClass.ONE_HOT:
            raise UnsupportedBoundError("class = one-hot; expected theta or limit; a space bounds the former")
        if self.max_r != math.inf:
            _check_max_r(self.max_r)
            object.__setattr__(self, "max_r", float(self.max_r))

    @property
    def preset(self) -> str:
        """Its name, which stands where that of a preset stands."""
        return self.kind.value

    @property
    def is_chosen(self) -> bool:
        """Whether the tool chooses what to search: no, all of it is."""
        return False

    @property
    def limits(self) -> dict[str, float]:
        """The bounds that there are, by name."""
        return {} if math.isinf(self.max_r) else {"max_r": self.max_r}

    def to_dict(self) -> dict[str, int | float | None]:
        """Every bound by name; None where there is none."""
        return {"max_r": None if math.isinf(self.max_r) else self.max_r}


#: Where hypotheses are searched.
Space = SpaceBounds | WholeClass


def _check_integer(key: str, value: object) -> None:
    low, high = RANGES[key]
    if isinstance(value, bool) or not isinstance(value, int):
        remedy = "write a whole number"
    elif value < low:
        remedy = f"raise it to at least {low}"
    elif value > high:
        remedy = f"this version searches no further, lower it to {high}"
    else:
        return
    expected = f"expected an integer from {low} to {high}"
    raise UnsupportedBoundError(f"{key} = {quote(value)}; {expected}; {remedy}")


def _check_work(value: object) -> None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return
    raise UnsupportedBoundError(
        f"work = {quote(value)}; expected a whole number above 0; give steps of work, such as {DEFAULT_WORK}"
    )


def _check_max_r(value: object) -> None:
    usable = isinstance(value, (int, float, Fraction)) and not isinstance(value, bool)
    # A huge int or Fraction overflows the float that is stored.
    with suppress(OverflowError):
        if usable and math.isfinite(float(value)) and value > 0:  # type: ignore[arg-type, operator]
            return
    raise UnsupportedBoundError(
        f"max_r = {quote(value)}; expected a finite number above 0; give the largest R to search, such as "
        "10.5"
    )
