"""From a hypothesis of the searched family back to a C-RASP program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from idinf.crasp import syntax as s
from idinf.errors import BudgetError, HypothesisFormatError
from idinf.transformers.attention import AttentionPattern
from idinf.transformers.gated import GatedTransformer, GatedUnit
from idinf.translation.circuit import Circuit
from idinf.translation.diagrams import FALSE, TRUE, Node
from idinf.translation.local_heads import LocalUnit, Unsettled
from idinf.translation.writer import program_of

__all__ = ["MAX_CASES", "read_back"]

#: Different sums that the weights of one unit's own features may have.
MAX_CASES = 256

Cases = dict[int, Node]


def read_back(hypothesis: GatedTransformer) -> s.Program:
    """Write a hypothesis as a program that accepts the same words.

    Parameters
    ----------
    hypothesis : GatedTransformer

    Returns
    -------
    Program
        Over the alphabet of the hypothesis, with the empty word judged as the hypothesis judges it.

    Raises
    ------
    HypothesisFormatError
        If a head has a logit matrix M, or the answer of a unit depends on the weights N^φ in a way that
        counts do not express for all N; the message names the unit.
    BudgetError
        If it needs too many cases.

    Notes
    -----
    The converse of Theorem 9 of [HYB25] for the searched family. With uniform weights a unit compares
    Σ v + (i + 1) · (s + b) with 0, a sum of counts for each value of s + b. With φ its sign is decided for
    all N from bounds on the sums; see `idinf.translation.local_heads`.

    Examples
    --------
    >>> from idinf.crasp.parser import parse
    >>> from idinf.crasp.printer import program_text
    >>> from idinf.translation.compiler import compiled
    >>> from idinf.words import Alphabet
    >>> text = 'as = # "a" dead = # as == 2 accept = 2 * as >= 2 * # "b" + 2'
    >>> net = compiled(parse(text.replace("# as", "as")), Alphabet(("a", "b")))
    >>> print(program_text(read_back(net)), end="")
    accept = # "a" > # "b"
    """
    reader = _Reader(hypothesis, Circuit(len(hypothesis.alphabet), hypothesis.period))
    try:
        node = reader.answer()
        return program_of(reader.circuit, node, hypothesis.alphabet)
    except RecursionError:
        raise BudgetError("the hypothesis needs too many cases as a program; expected fewer units") from None


@dataclass
class _Reader:
    """The units read so far, as Booleans of a circuit."""

    hypothesis: GatedTransformer
    circuit: Circuit
    units: list[Node] = field(default_factory=list)

    def answer(self) -> Node:
        """The Boolean that the output is."""
        for number, layer in enumerate(self.hypothesis.layers):
            last = number == len(self.hypothesis.layers) - 1
            read = [self._unit(number, place, unit, last) for place, unit in enumerate(layer.units)]
            earlier = len(self.units)
            self.units.extend(read)
        groups = [
            [(0, self.circuit.diagrams.negated(unit)), (sign, unit)]
            for unit, sign in zip(self.units[earlier:], self.hypothesis.signs, strict=True)
        ]
        return self.circuit.settled(self._where(self._sums(groups, "the output"), self.hypothesis.threshold))

    def _where(self, cases: Cases, threshold: int) -> Node:
        accepted = FALSE
        for total, node in cases.items():
            if total > threshold:
                accepted = self.circuit.diagrams.either(accepted, node)
        return accepted

    def _unit(self, layer: int, place: int, unit: GatedUnit, last: bool) -> Node:
        """One unit as a Boolean, exact for every position and every N."""
        where = f"layers[{layer}].units[{place}]"
        pattern, values = self._attention(layer, place, unit, where)
        own = self._cases([entry << self.hypothesis.precision for entry in unit.s], where)
        bias = unit.b << self.hypothesis.precision
        weights = self._exponents(pattern, where)
        fires = FALSE
        for total, node in own.items():
            if weights:
                local = LocalUnit(
                    self.circuit,
                    self._cases(values, where),
                    self._at_sos(values),
                    tuple(self._counts(values)),
                    total + bias,
                    weights,
                    last,
                )
                try:
                    sign = local.fires(node)
                except Unsettled:
                    raise _refused(
                        where, f"φ {pattern.phi}", "weights N^φ that counts express for every N"
                    ) from None
            else:
                sign = self._uniform(values, total + bias)
            fires = self.circuit.diagrams.either(fires, self.circuit.diagrams.both(node, sign))
        return self.circuit.settled(fires)

    def _uniform(self, values: Sequence[int], own: int) -> Node:
        """Σ v + (i + 1) · own > 0, with i + 1 = #true + 1."""
        return self.circuit.above([*self._counts(values), (TRUE, own)], -self._at_sos(values) - own)

    def _counts(self, values: Sequence[int]) -> list[tuple[Node, int]]:
        return [(node, v) for node, v in zip(self._features(), values, strict=True) if v]

    def _at_sos(self, values: Sequence[int]) -> int:
        """What SOS adds: no word changes its features."""
        return sum(
            v for v, node in zip(values, self._features(), strict=True) if self.circuit.holds_at_sos(node)
        )

    def _features(self) -> list[Node]:
        """What layers see, in file order, up to the units read so far."""
        diagrams, period = self.circuit.diagrams, self.hypothesis.period
        residues = [self.circuit.residues(period, r) for r in range(period)] if period > 1 else []
        symbols = [self.circuit.symbol(code) for code in range(len(self.hypothesis.alphabet))]
        return [diagrams.negated(self.circuit.in_word()), *symbols, *residues, *self.units]

    def _cases(self, weights: Sequence[int], where: str) -> Cases:
        """Σ weight · feature at a position: its values, each with where it is taken."""
        features = self._features()
        tokens = 1 + len(self.hypothesis.alphabet)
        residues = tokens + (self.hypothesis.period if self.hypothesis.period > 1 else 0)
        negated = self.circuit.diagrams.negated
        groups = [list(zip(weights[:tokens], features[:tokens], strict=True))]
        if residues > tokens:
            groups.append(list(zip(weights[tokens:residues], features[tokens:residues], strict=True)))
        groups += [
            [(weight, unit), (0, negated(unit))]
            for weight, unit in zip(weights[residues:], features[residues:], strict=True)
            if weight
        ]
        return self._sums(groups, where)

    def _sums(self, groups: list[list[tuple[int, Node]]], where: str) -> Cases:
        """Sums of one member of each group; members of a group exclude each other."""
        diagrams = self.circuit.diagrams
        cases: Cases = {0: TRUE}
        for group in groups:
            grown: Cases = {}
            for total, node in cases.items():
                for weight, member in group:
                    both = diagrams.both(node, member)
                    if both != FALSE:
                        grown[total + weight] = diagrams.either(grown.get(total + weight, FALSE), both)
            if len(grown) > MAX_CASES:
                raise BudgetError(
                    f"{where}: its features add up to more than {MAX_CASES} different sums; expected fewer; "
                    "a program would need a case for each"
                )
            cases = grown
        return cases

    def _attention(
        self, layer: int, place: int, unit: GatedUnit, where: str
    ) -> tuple[AttentionPattern, tuple[int, ...]]:
        """The pattern of all the heads that a unit reads, and what it weighs attended features by."""
        heads = self.hypothesis.layers[layer].heads
        patterns = list(dict.fromkeys(heads[head].pattern for head, _, _ in unit.reads))
        if len(patterns) > 1:
            raise _refused(
                where, f"heads with {len(patterns)} attention patterns", "averages of the same weights"
            )
        effective = self.hypothesis.effective_values(layer, place)
        values = tuple(map(sum, zip(*effective, strict=True))) if effective else (0,) * len(unit.s)
        return patterns[0] if patterns else AttentionPattern(), values

    def _exponents(self, pattern: AttentionPattern, where: str) -> dict[int, int]:
        """φ as exponents of N by distance, zeros left out."""
        if pattern.logits:
            raise _refused(
                where, "a head with a logit matrix M", "weights that do not depend on tokens or units"
            )
        one = 1 << self.hypothesis.precision
        if any(value % one for value in pattern.phi):
            raise _refused(
                where, f"φ {pattern.phi} in units of 2^-{self.hypothesis.precision}", "whole numbers"
            )
        return {distance: value // one for distance, value in enumerate(pattern.phi) if value}


def _refused(where: str, found: str, expected: str) -> HypothesisFormatError:
    return HypothesisFormatError(
        f"{where} reads {found}; expected {expected}, for only these are sums of counts; "
        "take a hypothesis whose heads are uniform, or local with weights that settle every answer"
    )
