"""Spaces that the procedure selects from: the one-hot family within bounds, or a class of any width.

A bound is wrong in one way only, at any place where it is written; :class:`SpaceBounds` raises
:class:`~idinf.errors.UnsupportedBoundError` (a usage error), and the reader of specs turns that into a
:class:`~idinf.errors.SpecError` with file and key.
"""

from __future__ import annotations

import enum
import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from idinf.base.options import check_options, option, options_of
from idinf.base.quoting import quote, suggest
from idinf.errors import UnsupportedBoundError

#: Sections of the help: the space, the budget, and the reading of the paper.
SPACE, BUDGET, READING = "Space", "Budget", "Reading"

#: Training lengths t(n) that have a name, and the ways to count lengths: without $, or with it as the paper.
TRAINING_RULES, LENGTHS = ("n/2", "n/4", "sqrt", "log2"), ("words", "paper")

#: Thresholds of acceptance: any integer, free of charge, or 0 alone.
FREE, ZERO = THRESHOLDS = "free", "zero"

#: Letters that are alike for a target: one symbol for all of them, or each its own.
MERGED, APART = LETTERS = "merged", "apart"

#: When a hypothesis matches.
VERDICT, LOGITS = MATCHES = "verdict", "logits"

#: R at which a search ends, several times the R to which most are complete. The bounds of `RANGES` leave out
#: nothing so cheap, but for ``reach``: a net beyond one has R > 65, as each layer, head, bit and period
#: costs 1 or more, φ(k) costs its square, an entry of M itself, and m units cost √m.
MOST_R = 64.0

#: Steps of work that a run may take in one space unless something else is said.
DEFAULT_WORK = 80_000

#: The family: one-hot Limit Transformers with φ up to distance 3, and otherwise bounded by R alone.
FAMILY = "family"

#: Bounds of its parts, smallest first, in the order of the classes of theory: C-RASP[], [local],
#: [periodic]; then the family itself. No part bounds anything else.
_PARTS: dict[str, dict[str, int]] = {
    "nope": {"period": 1, "reach": 0, "logit_max": 0, "content_max": 0},
    "local": {"period": 1, "content_max": 0},
    "periodic": {"reach": 0, "logit_max": 0, "content_max": 0},
    FAMILY: {},
}

#: The family, which every command searches by default, and its parts.
PRESETS = (FAMILY, "nope", "local", "periodic")

#: Where a preset is named: the smaller space that the spec of a target names.
OF_SPEC = "spec"


def _bound(text: str, metavar: str, least: int, most: int, **more: Any) -> Any:
    """A bound of the space, by default the largest that is searched."""
    return option(most, text, metavar, least=least, most=most, section=SPACE, **more)


@dataclass(frozen=True, slots=True)
class SpaceBounds:
    """Upper bounds of the searched part of the family of one-hot Limit Transformers.

    Every smaller value is searched, too. Entries of φ and M lie on the p-bit grid. A bound that has the
    largest value of `RANGES` does not restrict: then R alone bounds the family, except for ``reach``. Raises
    `UnsupportedBoundError` if a value has the wrong type, is below its minimum or above the maximum of this
    version.
    """

    #: Chains of one-unit layers are the cheapest deep nets; each layer costs 1.
    layers: int = _bound("At most L layers.", "L", 1, 64)
    heads: int = _bound("At most H heads per layer; 0: none.", "H", 0, 64)
    units: int = _bound("At most M Heaviside units per layer.", "M", 1, 4096)  #: the output reads one
    precision: int = _bound("At most P fractional bits.", "P", 0, 64)  #: p = 0 is the integer grid
    period: int = _bound("Periodic positions: every period up to D; 1: none.", "D", 1, 64)  #: Δ
    #: τ, the largest distance with φ ≠ 0.
    reach: int = _bound("φ(k) up to distance k = T, at most 3; 0: φ(0) only.", "T", 0, 3)
    logit_max: int = _bound("Largest φ(k); 0: every head is uniform.", "X", 0, 64)
    content_max: int = _bound("Largest entry of a logit matrix M; 0: no M.", "X", 0, 64)
    #: Structures and hypotheses with R above it are not visited. A Fraction or an int is stored as the
    #: nearest float; it limits work and never decides a comparison of results.
    max_r: float = option(
        math.inf,
        "Budget: nothing above R is searched.",
        "R",
        float,
        above=0,
        example="10.5, the largest R to search",
        section=BUDGET,
    )
    work: int | None = option(
        DEFAULT_WORK,
        "Budget: steps in all spaces that are asked together, about a thousand a second.",
        "STEPS",
        least=1,
        most=10**15,
        optional=True,
        shown=str(DEFAULT_WORK),
        section=BUDGET,
    )
    threshold: str = option(
        FREE,
        "What the output of a hypothesis is compared with: zero, as in Section 4.2 of the paper, or free: "
        "any whole number, which costs nothing.",
        kind=str,
        choices=THRESHOLDS,
        section=READING,
        rare=True,
    )
    letters: str = option(
        MERGED,
        "What letters are that the target does not tell apart: merged, one embedding for all of them, or "
        "apart, an embedding for each.",
        kind=str,
        choices=LETTERS,
        section=READING,
        rare=True,
    )
    match: str = option(
        VERDICT,
        "When a hypothesis is right on a word: by its verdict, or by its logits, which have to be just 1 and "
        "0 at every position, as in Definition 6; these imply --threshold zero.",
        kind=str,
        choices=MATCHES,
        section=READING,
        rare=True,
    )

    def __post_init__(self) -> None:
        check_options(self)
        if self.match == LOGITS:  # 1 is above 0, and 0 is not
            object.__setattr__(self, "threshold", ZERO)
        if self.content_max > self.logit_max:
            raise UnsupportedBoundError(
                f"content_max = {self.content_max}; expected at most logit_max = {self.logit_max}, the "
                "largest logit of all; raise logit_max or lower content_max"
            )
        if not self.logit_max:
            object.__setattr__(self, "reach", 0)
        object.__setattr__(self, "max_r", float(self.max_r))

    @classmethod
    def from_preset(cls, preset: str, **overrides: object) -> SpaceBounds:
        """Take one of `PRESETS`, with some bounds replaced.

        ``None`` means "not given", so that command-line options can be passed on as they are. Where
        ``logit_max`` is given alone, ``content_max`` is no larger. Raises `UnsupportedBoundError` if the
        preset or a name is unknown, or a value is refused.

        >>> bounds = SpaceBounds.from_preset("local", layers=1, max_r=None)
        >>> bounds.layers, bounds.content_max, bounds.max_r
        (1, 0, inf)
        """
        if preset not in PRESETS:
            hint = suggest(str(preset), PRESETS) or f"use {PRESETS[0]!r}"
            known = ", ".join(PRESETS)
            raise UnsupportedBoundError(f"preset = {quote(preset)}; expected one of: {known}; {hint}")
        return cls().overridden(**_PARTS[preset]).overridden(**overrides)

    def overridden(self, **overrides: object) -> SpaceBounds:
        """Replace some bounds, as command-line options do; parameters and errors as of `from_preset`.

        >>> SpaceBounds(layers=1).overridden(units=1, layers=None).name
        'one-hot family, layers <= 1, units <= 1'
        """
        given = {key: value for key, value in overrides.items() if value is not None}
        known = tuple(field.name for field in fields(self))
        for key in given:
            if key not in known:
                hint = suggest(key, known) or f"expected one of: {', '.join(known)}"
                raise UnsupportedBoundError(f"unknown bound {quote(key)}; {hint}")
        most = given.get("logit_max")
        if isinstance(most, int) and "content_max" not in given:
            given["content_max"] = max(min(most, self.content_max), 0)
        return replace(self, **given)  # type: ignore[arg-type]  # __post_init__ checks every type

    @property
    def preset(self) -> str:
        """The smallest of the parts of the family that holds all of the space.

        >>> SpaceBounds(logit_max=0, content_max=0).preset, SpaceBounds(content_max=0).preset
        ('periodic', 'family')
        """
        return next(
            name
            for name, part in _PARTS.items()
            if all(getattr(self, key) <= most for key, most in part.items())
        )

    @property
    def restrictions(self) -> dict[str, int]:
        """The bounds that leave out something of that part, by name."""
        part = _PARTS[self.preset]
        usual = {key: part.get(key, most) for key, (_, most) in RANGES.items()}
        return {key: getattr(self, key) for key, most in usual.items() if getattr(self, key) < most}

    @property
    def is_family(self) -> bool:
        """True if it is the whole family, with any budgets."""
        return self.preset == FAMILY and not self.restrictions

    @property
    def name(self) -> str:
        """The name of the space in answers; spaces of the same hypotheses have the same name.

        >>> SpaceBounds(period=1, content_max=0, reach=1).name, SpaceBounds(threshold="zero").name
        ('local, reach <= 1', 'one-hot family, threshold 0')
        >>> SpaceBounds(content_max=0).name
        'one-hot family, without M'
        """
        parts = ["one-hot family" if self.preset == FAMILY else self.preset]
        for key, value in self.restrictions.items():
            parts.append("without M" if (key, value) == ("content_max", 0) else f"{key} <= {value}")
        if self.match == LOGITS:
            parts.append("match logits")
        elif self.threshold == ZERO:
            parts.append("threshold 0")
        if self.letters == APART:
            parts.append("letters apart")
        return ", ".join(parts)

    def holds(self, other: SpaceBounds) -> bool:
        """True if every hypothesis within other bounds is within these, read and compared in the same way.

        >>> SpaceBounds(layers=2).holds(SpaceBounds(layers=1)), SpaceBounds(layers=1).holds(SpaceBounds())
        (True, False)
        """
        return self.readings == other.readings and all(
            getattr(other, key) <= getattr(self, key) for key in RANGES
        )

    def allows(self, key: str, needed: float) -> bool:
        """True if a hypothesis may need so much; a bound that does not restrict refuses none.

        But ``reach`` does: a larger distance costs nothing, so it bounds every space.

        >>> SpaceBounds().allows("layers", 9), SpaceBounds(layers=4).allows("layers", 9)
        (True, False)
        """
        most = getattr(self, key)
        return bool(needed <= most or (most == RANGES[key][1] and key != "reach"))

    @property
    def limits(self) -> dict[str, float]:
        """The bounds that there are, by name."""
        return {key: value for key, value in self.to_dict().items() if value is not None}

    @property
    def readings(self) -> dict[str, str]:
        """Rules by which hypotheses are read and compared, which bound nothing."""
        return {"threshold": self.threshold, "letters": self.letters, "match": self.match}

    def to_dict(self) -> dict[str, int | float | None]:
        """Every bound by name, in the order of the fields; None where there is none.

        Without the threshold, the letters and the match, which bound nothing.
        """
        values = {key: value for key, value in asdict(self).items() if key not in self.readings}
        return {**values, "max_r": None if math.isinf(self.max_r) else self.max_r}


#: One head with φ(0), φ(1) ∈ {0, 1} at most, for the small spaces with φ.
_NEAR: dict[str, int] = {"heads": 1, "units": 1, "reach": 1, "logit_max": 1}

#: The ladder: parts of the family that are asked beside it, the same for all targets, so that a name of a
#: space stands for one constant of a language. The first are cheap, or answered most of some thirty
#: languages that were tried; the last `SELDOM` get fewer steps.
LADDER = (
    SpaceBounds.from_preset("nope"),
    SpaceBounds.from_preset("nope", layers=2, units=2, precision=0),
    SpaceBounds.from_preset("nope", layers=2, units=1, precision=1),
    SpaceBounds.from_preset("nope", layers=3, units=1, precision=0),
    SpaceBounds.from_preset("local", layers=2, precision=0, **_NEAR),
    SpaceBounds.from_preset("local", layers=2, precision=1, **_NEAR),
    SpaceBounds.from_preset("nope", layers=3, units=2, precision=0),
    SpaceBounds.from_preset("local", layers=3, precision=0, **_NEAR),
    SpaceBounds.from_preset("periodic", layers=2, units=1, precision=0),
    SpaceBounds.from_preset("local"),
    SpaceBounds.from_preset("periodic"),
)
SELDOM = 5


class HypothesisClass(enum.StrEnum):
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

    >>> WholeClass(HypothesisClass.THETA).preset, WholeClass(HypothesisClass.THETA, 5.75).limits
    ('theta', {'max_r': 5.75})
    """

    kind: HypothesisClass
    max_r: float = math.inf  #: the deterministic budget: nothing above is looked at

    def __post_init__(self) -> None:
        if self.kind is HypothesisClass.ONE_HOT:
            raise UnsupportedBoundError("class = one-hot; expected theta or limit; a space bounds the former")
        if self.max_r != math.inf:
            options_of(SpaceBounds)["max_r"].check("max_r", self.max_r)
            object.__setattr__(self, "max_r", float(self.max_r))

    @property
    def preset(self) -> str:
        """Its name, which stands where that of a preset stands."""
        return self.kind.value

    @property
    def name(self) -> str:
        """The name of the class in answers."""
        return f"class {self.preset}"

    @property
    def limits(self) -> dict[str, float]:
        """The bounds that there are, by name."""
        return {} if math.isinf(self.max_r) else {"max_r": self.max_r}

    def to_dict(self) -> dict[str, int | float | None]:
        """Every bound by name; None where there is none."""
        return {"max_r": None if math.isinf(self.max_r) else self.max_r}


#: Where hypotheses are searched.
Space = SpaceBounds | WholeClass

#: Least and largest value of every bound of the space, by name. They leave out nothing with R up to `MOST_R`,
#: but for ``reach``: more of one thing costs more, as each layer, head, bit and period costs 1 or more, φ(k)
#: costs its square, an entry of M itself, and m units cost √m.
RANGES = {
    key: (int(each.least), int(each.most))
    for key, each in options_of(SpaceBounds).items()
    if each.section == SPACE and each.least is not None and each.most is not None
}
