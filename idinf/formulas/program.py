"""From a hypothesis of the searched family back to a C-RASP program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from idinf.compilation.circuit import UnitCircuit, Weighted
from idinf.compilation.diagrams import FALSE, TRUE, Node
from idinf.crasp import syntax as s
from idinf.errors import BudgetError, HypothesisFormatError
from idinf.formulas.local_heads import LocalUnit, Unsettled
from idinf.formulas.program_writer import write_program
from idinf.formulas.ranked_heads import Rank, ranked_sign
from idinf.formulas.sums import Group, VectorGroup, cases_of, exceeds, switch, vector_cases
from idinf.transformers.attention import AttentionPattern
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.one_hot_parts import OneHotUnit

__all__ = ["decompile"]


def decompile(hypothesis: OneHotTransformer) -> s.Program:
    """Write a hypothesis as a program that accepts the same words.

    Parameters
    ----------
    hypothesis : OneHotTransformer

    Returns
    -------
    Program
        Over the alphabet of the hypothesis, with the empty word judged as the hypothesis judges it.

    Raises
    ------
    HypothesisFormatError
        If the answer of a unit depends on the weights N^a in a way that counts do not express for all N;
        the message names the unit.
    BudgetError
        If it needs too many cases.

    Notes
    -----
    The converse of Theorem 9 of [HYB25] for the searched family. With uniform weights a unit compares
    Σ v + (i + 1) · (s + b) with 0, a sum of counts for each value of s + b. With φ its sign is decided for
    all N from bounds on the sums (`idinf.formulas.local_heads`), with M if higher weights outrank lower
    ones (`idinf.formulas.ranked_heads`).

    Examples
    --------
    >>> from idinf.crasp.parser import parse
    >>> from idinf.crasp.printer import program_text
    >>> from idinf.compilation.compiler import compile_program
    >>> from idinf.words import Alphabet
    >>> text = 'as = # "a" dead = # as == 2 accept = 2 * as >= 2 * # "b" + 2'
    >>> net = compile_program(parse(text.replace("# as", "as")), Alphabet(("a", "b")))
    >>> print(program_text(decompile(net)), end="")
    accept = # "a" > # "b"
    """
    if hypothesis.reads is not None:
        raise HypothesisFormatError(
            "the hypothesis names next symbols; expected one that accepts words, as its programs do"
        )
    reader = _Reader(hypothesis, UnitCircuit(len(hypothesis.alphabet), hypothesis.period))
    try:
        node = reader.answer()
        return write_program(reader.circuit, node, hypothesis.alphabet)
    except RecursionError:
        raise BudgetError("the hypothesis needs too many cases as a program; expected fewer units") from None


@dataclass
class _Reader:
    """The units read so far, as Booleans of a circuit."""

    hypothesis: OneHotTransformer
    circuit: UnitCircuit
    units: list[Node] = field(default_factory=list)

    def answer(self) -> Node:
        """The Boolean that the output is."""
        for number, layer in enumerate(self.hypothesis.layers):
            last = number == len(self.hypothesis.layers) - 1
            read = [self._unit(number, place, unit, last) for place, unit in enumerate(layer.units)]
            earlier = len(self.units)
            self.units.extend(read)
        groups = [
            switch(self.circuit.diagrams, sign, unit)
            for unit, sign in zip(self.units[earlier:], self.hypothesis.signs, strict=True)
        ]
        node = self.circuit.settled(exceeds(self.circuit.diagrams, groups, self.hypothesis.threshold))
        members = list(zip(self.units[earlier:], self.hypothesis.signs, strict=True))
        always = sum(sign for unit, sign in members if unit == TRUE)
        vote = Weighted(tuple(m for m in members if m[0] > TRUE), always - self.hypothesis.threshold)
        if all(unit != node for unit, _ in vote.terms):
            self.circuit.votes.setdefault(node, vote)
        return node

    def _unit(self, layer: int, place: int, unit: OneHotUnit, last: bool) -> Node:
        """One unit as a Boolean, exact for every position and every N."""
        where = f"layers[{layer}].units[{place}]"
        pattern, values = self._attention(layer, place, unit, where)
        diagrams = self.circuit.diagrams
        own = self._groups([entry << self.hypothesis.precision for entry in unit.s])
        bias = unit.b << self.hypothesis.precision
        if not any(values):
            return self.circuit.settled(exceeds(diagrams, own, -bias))
        if pattern.logits:
            return self.circuit.settled(self._ranked(pattern, values, unit, where, last))
        exponents = self._exponents(pattern, where)
        fires = FALSE
        for total, node in cases_of(diagrams, own, where).items():
            if exponents:
                local = LocalUnit(
                    self.circuit,
                    cases_of(diagrams, self._groups(values), where),
                    self._at_sos(values),
                    tuple(self._counts(values)),
                    total + bias,
                    exponents,
                    last,
                )
                try:
                    sign = local.fires(node)
                except Unsettled:
                    raise _refused(where, f"φ {pattern.phi}") from None
            else:
                sign = self._uniform(values, total + bias)
            fires = diagrams.either(fires, diagrams.both(node, sign))
        return self.circuit.settled(fires)

    def _ranked(
        self, pattern: AttentionPattern, values: Sequence[int], unit: OneHotUnit, where: str, last: bool
    ) -> Node:
        """A unit over a head with a logit matrix, for every kind of query."""
        one = 1 << self.hypothesis.precision
        if pattern.phi or any(entry % one for row in pattern.logits for entry in row):
            raise _refused(where, "a logit matrix M with φ, or with entries that are no whole numbers")
        diagrams = self.circuit.diagrams
        rows = [[entry // one for entry in row] for row in pattern.logits]
        # By query feature: what it adds itself, then the exponent it gives each feature of a key.
        asked = [(s * one, *column) for s, column in zip(unit.s, zip(*rows, strict=True), strict=True)]
        kinds = vector_cases(diagrams, self._vector_groups(asked), 1 + len(rows), where)
        fires = FALSE
        for (own, *exponents), node in kinds.items():
            ranks = self._ranks(exponents, values, own + unit.b * one, where)
            try:
                sign = ranked_sign(self.circuit, ranks, last)
            except Unsettled:
                raise _refused(where, "a logit matrix M") from None
            fires = diagrams.either(fires, diagrams.both(node, sign))
        return fires

    def _ranks(self, exponents: Sequence[int], values: Sequence[int], own: int, where: str) -> list[Rank]:
        """The keys by exponent, for one kind of query."""
        groups = self._vector_groups(list(zip(exponents, values, strict=True)))
        cases = vector_cases(self.circuit.diagrams, groups, 2, where)
        sos = (self._at_sos(exponents), self._at_sos(values) + own)
        return [
            Rank(
                exponent,
                tuple((node, value + own) for (e, value), node in cases.items() if e == exponent),
                sos[1] if sos[0] == exponent else None,
            )
            for exponent in sorted({sos[0], *(e for e, _ in cases)})
        ]

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

    def _groups(self, weights: Sequence[int]) -> list[Group]:
        """Weights of features at one position: one token, one residue, any units."""
        return [
            [(weight, node) for (weight,), node in group]
            for group in self._vector_groups([(weight,) for weight in weights])
        ]

    def _vector_groups(self, weights: Sequence[tuple[int, ...]]) -> list[VectorGroup]:
        """The same for vectors of weights."""
        weighted = list(zip(weights, self._features(), strict=True))
        tokens = 1 + len(self.hypothesis.alphabet)
        first = tokens + (self.hypothesis.period if self.hypothesis.period > 1 else 0)
        groups: list[VectorGroup] = [group for group in (weighted[:tokens], weighted[tokens:first]) if group]
        for weight, unit in weighted[first:]:
            if any(weight):
                nothing = (0,) * len(weight)
                groups.append(((weight, unit), (nothing, self.circuit.diagrams.negated(unit))))
        return groups

    def _attention(
        self, layer: int, place: int, unit: OneHotUnit, where: str
    ) -> tuple[AttentionPattern, tuple[int, ...]]:
        """The pattern of all the heads that a unit reads, and what it weighs attended features by."""
        heads = self.hypothesis.layers[layer].heads
        patterns = list(dict.fromkeys(heads[head].pattern for head, _, _ in unit.reads))
        if len(patterns) > 1:
            raise _refused(where, f"heads with {len(patterns)} attention patterns")
        effective = self.hypothesis.effective_values(layer, place)
        values = tuple(map(sum, zip(*effective, strict=True))) if effective else (0,) * len(unit.s)
        return patterns[0] if patterns else AttentionPattern(), values

    def _exponents(self, pattern: AttentionPattern, where: str) -> dict[int, int]:
        """φ as exponents of N by distance, zeros left out."""
        one = 1 << self.hypothesis.precision
        if any(value % one for value in pattern.phi):
            raise _refused(where, f"φ {pattern.phi} in units of 2^-{self.hypothesis.precision}")
        return {distance: value // one for distance, value in enumerate(pattern.phi) if value}


def _refused(where: str, found: str) -> HypothesisFormatError:
    return HypothesisFormatError(
        f"{where} reads {found}; expected averages of one weight, whole powers of N whose effect counts "
        "express for every N; take a hypothesis with uniform heads, or local ones that settle every answer"
    )
