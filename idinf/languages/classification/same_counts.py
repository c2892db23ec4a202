"""Programs with periodic counts that are no C-RASP[] programs: the same counts, other places, other answers.

*Lemma.* Let P be a C-RASP[] program, α irrational and W > 0. There is an n such that on all words of a's
and b's that keep the number of a's among the first i symbols within W of αi for every i, and that share
their first n symbols, what P says at a position after n depends on the symbol there alone.

Proof, by induction over the operations of P. We show more: from some n on every Boolean depends on the
present symbol s alone, and every count is xA + yB + z, where A and B are the numbers of a's and of b's so
far, and the integers x, y, z depend on s and on the shared beginning alone, x and y from a finite list. A
count of a Boolean is of this kind, as what it counts after n depends on the symbols there; sums,
differences and choices keep it. A comparison asks for the sign of xA + yB + z. There are finitely many
beginnings of length n, so z is bounded. If x = y = 0 the sign is that of z. Else xA + yB is (xα + y(1 −
α))i up to a bound, and this slope is not 0, as α is irrational: from some later n on the sign is that of
the slope. ∎

So take rates p and q: at residue ρ modulo m a share p_ρ of the symbols are a's, strictly between 0 and 1,
and likewise q_ρ, with Σ p_ρ = Σ q_ρ. Let a one-layer program with moduli that divide m give different
answers in the end, at positions of one residue that hold one symbol, to words that follow p and to words
that follow q, because no inequality has slope 0 at either. This stays true if both are moved a little, so
that α = Σ p_ρ / m is irrational. Take words that follow p evenly, and from n on either p or q. With one W
that serves every n, their counts stay within W, so by the lemma a C-RASP[] program answers alike wherever
after some n the two words hold the same symbol. The given program does not in the end. Nor does it if the
answers differ at another residue for q than for p.

The lemma also holds at a separator that is read once, behind such words: it is one more present symbol, whose
own counts are constants. So it serves next symbols, too: let a program judge long words of both rates at
their last symbol or at a separator behind them, inside the domain, and ask for other next symbols there. No
operations of C-RASP[] answer as it does wherever it judges. That is so of majority-interleave-next: where no
sequence ties, shares may give the same counts and another first answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from math import lcm

from idinf.base.words import Alphabet
from idinf.languages.equivalence.one_layer import Answers, compute_answers_at, find_modulus
from idinf.spec.spec import END
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import NEVER
from idinf.targets.supervised import Operations, SingleSymbol, SupervisedTarget

#: Rates are multiples of 1/STEPS, the coarser the larger the modulus.
STEPS = 12

#: Rates of two symbols, and answers that are computed: a second or two.
MAX_RATES, MAX_TRIED = 2_000, 20_000

#: What a program says in the end: of acceptance one truth value, of next symbols one for each.
Said = tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Rates:
    """Words over two symbols with the same counts and the same last symbol, but not the same answers."""

    one: int  # codes of a and b
    other: int
    last: int  # the symbol read last: one of the two, or a separator behind them
    steps: int
    # For each residue the number of a's among ``steps`` symbols there; the residue of the length.
    accepted: tuple[tuple[int, ...], int]  # of next symbols: of the first answer, and of the second
    rejected: tuple[tuple[int, ...], int]
    verbs: tuple[str, str] = ("accepted", "rejected")

    def told(self, alphabet: Alphabet) -> str:
        """It in words.

        >>> Rates(0, 1, 1, 12, ((3, 5), 0), ((1, 7), 0)).told(Alphabet(("a", "b")))[:68]
        'long words with n mod 2 = 0 and last symbol b are accepted if 3, 5 o'
        """
        one, last = alphabet.symbols[self.one], alphabet.symbols[self.last]
        modulus = len(self.accepted[0])
        sides = [(", ".join(map(str, shares)), rest) for shares, rest in (self.accepted, self.rejected)]
        (accepted, rest), (rejected, other) = sides
        usual, changed = self.verbs
        once = "" if self.last in (self.one, self.other) else ", read once,"
        return (
            f"long words with n mod {modulus} = {rest} and last symbol {last}{once} are {usual} "
            f"if {accepted} of {self.steps} symbols at positions "
            f"i mod {modulus} = {', '.join(map(str, range(modulus)))} are {one}, "
            f"and {changed} with n mod {modulus} = {other} if {rejected} are; {one} is as often in both, and "
            "where symbols are spread evenly all counts of a C-RASP[] program agree (the lemma of "
            "idinf.languages.classification.same_counts)"
        )


def find_same_counts(target: CountingTarget | SupervisedTarget) -> Rates | None:
    """Rates that show that a program with moduli decides no language of C-RASP[]; None if none are found.

    A `SupervisedTarget` is one of next symbols that a program defines: no C-RASP[] program has operations
    that say the same wherever it judges.
    """
    asked = _Asked(target)
    modulus, symbols = asked.modulus, range(len(target.alphabet))
    if not 1 < modulus < MAX_RATES.bit_length():  # a power of a modulus up to 2^40 would never be computed
        return None
    steps = next(k for k in range(STEPS, 2, -1) if (k - 1) ** modulus <= MAX_RATES)
    tried = 0
    for pair in combinations(symbols, 2):
        seen: dict[tuple[int, int], dict[Said, tuple[tuple[int, ...], int]]] = {}
        separators = [code for code in symbols if code not in pair] if asked.next_symbols else []
        for last, residue in product((*pair, *separators), range(modulus)):
            if not asked.is_judged(pair, last, residue):
                continue
            answers = asked.answers(pair, last, residue)
            if answers is None:
                return None
            for shares in product(range(1, steps), repeat=modulus):
                tried += 1
                if tried > MAX_TRIED:
                    return None
                decided = [_in_the_end(part, pair, shares, steps) for part in answers]
                if None in decided or not (said := asked.said([bool(value) for value in decided])):
                    continue
                found = seen.setdefault((sum(shares), last), {})
                found.setdefault(said, (shares, residue))
                if len(found) > 1:
                    first, second = sorted(found, reverse=True)
                    verbs = asked.verb(first), asked.verb(second)
                    return Rates(*pair, last, steps, found[first], found[second], verbs)
    return None


class _Asked:
    """The operations that a target asks, and where it judges."""

    def __init__(self, target: CountingTarget | SupervisedTarget) -> None:
        self.target = target
        self.next_symbols = isinstance(target, SupervisedTarget)
        machine = target.machine if isinstance(target, SupervisedTarget) else target
        self.single = isinstance(machine, SingleSymbol)
        asked = machine.machine if isinstance(machine, SingleSymbol) else machine
        self.outputs = asked.parts if isinstance(asked, Operations) else (asked,)
        self.places = target.places if isinstance(target, SupervisedTarget) else None
        self.programs = [x for x in (*self.outputs, self.places) if isinstance(x, CountingTarget)]
        self.modulus = lcm(*(find_modulus(program.circuit) for program in self.programs))

    def answers(self, pair: tuple[int, int], last: int, residue: int) -> list[Answers] | None:
        """Of every operation, to words over the pair but for the last symbol."""
        before = pair if self.next_symbols else None
        found = [
            compute_answers_at(program, last, residue, before=before, modulus=self.modulus)
            for program in self.programs
        ]
        known = [answers for answers in found if answers is not None]
        return known if len(known) == len(found) else None

    def said(self, decided: list[bool]) -> Said:
        """The answer of all operations together; empty where the target does not judge."""
        if self.places is not None and not decided.pop():
            return ()
        values = iter(decided)
        said = [part is not None and next(values) for part in self.outputs]
        if self.single:
            first = said.index(True) if True in said else 0
            said = [place == first for place in range(len(said))]
        return tuple(said)

    def verb(self, said: Said) -> str:
        """The verb for words with an answer: accepted, rejected, or followed by some symbols."""
        if not self.next_symbols:
            return "accepted" if said[0] else "rejected"
        symbols = [s for s, holds in zip((*self.target.alphabet.symbols, END), said, strict=True) if holds]
        return f"followed by {' or '.join(symbols) or 'nothing'}"

    def is_judged(self, pair: tuple[int, int], last: int, residue: int) -> bool:
        """True if all long words over the pair, but for the last symbol, begin words of the domain."""
        if not isinstance(self.target, SupervisedTarget) or self.target.domain is None:
            return True
        table, m = self.target.domain.table, self.modulus
        reached = {(0, 0)}  # states and lengths modulo m

        def step(found: set[tuple[int, int]]) -> set[tuple[int, int]]:
            return {(int(table[q, code]), (rho + 1) % m) for q, rho in found for code in pair}

        while not (more := step(reached)) <= reached:
            reached |= more
        while (after := step(reached)) != reached:  # what is left is what words of any length reach
            reached = after
        ends = [int(table[q, last]) for q, rho in reached if (rho + 1) % m == residue]
        return bool((self.target.domain.distances[ends] < NEVER).all())


def _in_the_end(answers: Answers, pair: tuple[int, int], shares: tuple[int, ...], steps: int) -> bool | None:
    """The answer to all long words of these rates; None if an inequality has slope 0."""
    modulus = len(shares)
    decided = {}
    for number, inequality in answers.inequalities.items():
        one, other = (inequality.coefficients[code * modulus :][:modulus] for code in pair)
        slope = sum(p * x + (steps - p) * y for p, x, y in zip(shares, one, other, strict=True))
        if slope == 0:
            return None
        decided[number] = slope > 0
    return answers.where(decided)
