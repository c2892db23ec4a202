"""The units that a compiled program is made of, each written once."""

from __future__ import annotations

from dataclasses import dataclass, field

from idinf.base.linear_algebra import ZERO, Affine, combine, read_feature
from idinf.errors import BudgetError

#: Of `Unit.head`: no head at all, and the one that averages over all positions.
NO_HEAD, UNIFORM_HEAD = (-1, 0), (0, 0)

#: Most units that are made, also for a result that needs few of them.
MAX_UNITS = 3000


@dataclass(frozen=True, slots=True)
class CompiledUnit:
    """[ average of `values` over the positions up to here + `own` here > 0 ]."""

    layer: int  # from 1
    head: tuple[int, int]  # or the least distance that a local head looks back, and how many it does
    values: Affine  # over the features of attended positions; its constant is 0
    own: Affine  # over the features of the unit's own position; its constant is the bias b


@dataclass(eq=False)
class CompiledUnits:
    """All units so far, and the numbers of all features.

    Features are the tokens, 0 being SOS, then the residues of the position, then the units in the order in
    which they were made.
    """

    num_tokens: int  # 1 + |Σ|
    period: int  # Δ, the number of residues
    made: list[CompiledUnit] = field(default_factory=list)
    _numbers: dict[CompiledUnit, int] = field(default_factory=dict)
    _tokens: dict[int, frozenset[int]] = field(default_factory=dict)
    _at_sos: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._at_sos.update({0: 1, self.num_tokens: 1})

    @property
    def first(self) -> int:
        """The number of the feature that the first unit is."""
        return self.num_tokens + self.period

    @property
    def all_tokens(self) -> Affine:
        """Σ tokens, SOS included: 1 at every position."""
        return Affine(tuple((token, 1) for token in range(self.num_tokens)))

    def make(self, unit: CompiledUnit, tokens: frozenset[int] | None = None) -> int:
        """The feature of a unit, which may fire at some tokens; None stands for all.

        Raises `BudgetError` beyond `MAX_UNITS`.
        """
        if unit not in self._numbers:
            if len(self.made) >= MAX_UNITS:
                raise BudgetError(
                    f"the program splits into more than {MAX_UNITS} units; expected fewer; shorten it"
                )
            number = self.first + len(self.made)
            self._numbers[unit] = number
            self._tokens[number] = frozenset(range(self.num_tokens)) if tokens is None else tokens
            self.made.append(unit)
            self._at_sos[number] = int(self.at_sos(unit.values) + self.at_sos(unit.own) > 0)
        return self._numbers[unit]

    def unit(self, number: int) -> CompiledUnit:
        """The unit that a feature is."""
        return self.made[number - self.first]

    def layer(self, form: Affine) -> int:
        """The last layer that a form reads, 0 if it reads no unit."""
        return max((self.unit(f).layer for f, _ in form.terms if f >= self.first), default=0)

    def at_sos(self, form: Affine) -> int:
        """The value at SOS, which no word changes: residue 0, and units that see SOS alone."""
        return form.value(self._at_sos)

    def without_sos(self, form: Affine) -> Affine:
        """The form that has the same values at positions j ≥ 1, and value 0 at SOS; without constant."""
        spread = form.plus(-form.constant) + self.all_tokens.times(form.constant)
        return spread - read_feature(0).times(self.at_sos(spread))

    def range_of(self, form: Affine) -> tuple[int, int]:
        """Bounds on the values at positions j ≥ 1."""
        coefficients = dict(form.terms)
        residues = [coefficients.get(self.num_tokens + r, 0) for r in range(self.period)]
        lows, highs = [], []
        for token in range(1, self.num_tokens):
            here = [c for f, c in form.terms if f >= self.first and token in self._tokens[f]]
            base = form.constant + coefficients.get(token, 0)
            lows.append(base + min(residues) + sum(c for c in here if c < 0))
            highs.append(base + max(residues) + sum(c for c in here if c > 0))
        return min(lows), max(highs)

    def tokens_above(self, forms: list[Affine]) -> frozenset[int]:
        """Tokens at which the forms that read nothing but the token add up to more than 0."""
        pure = [form for form in forms if all(f < self.num_tokens for f, _ in form.terms)]
        total = combine((form, 1) for form in pure) if pure else ZERO
        return frozenset(token for token in range(self.num_tokens) if total.value({token: 1}) > 0)
