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
own counts are constants. So the next symbols of majority-interleave-next are none of a C-RASP[] program: with
shares 7, 5, 7 and 5, 7, 7 of 12 no sequence ties, the counts are the same, and the first answers differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product

from idinf.equivalence.one_layer_programs import Answers, compute_answers_at, find_modulus
from idinf.targets.counting import CountingTarget
from idinf.words import Alphabet

#: Rates are multiples of 1/STEPS, the coarser the larger the modulus.
STEPS = 12

#: Rates of two symbols, and answers that are computed: a second or two.
MAX_RATES, MAX_TRIED = 2_000, 20_000


@dataclass(frozen=True, slots=True)
class Rates:
    """Words over two symbols with the same counts and the same last symbol, but not the same answers."""

    one: int  # codes of a and b
    other: int
    last: int  # which of them is read last
    steps: int
    # For each residue the number of a's among ``steps`` symbols there; the residue of the length.
    accepted: tuple[tuple[int, ...], int]
    rejected: tuple[tuple[int, ...], int]

    def told(self, alphabet: Alphabet) -> str:
        """It in words.

        Examples
        --------
        >>> Rates(0, 1, 1, 12, ((3, 5), 0), ((1, 7), 0)).told(Alphabet(("a", "b")))[:68]
        'long words with n mod 2 = 0 and last symbol b are accepted if 3, 5 o'
        """
        one, last = alphabet.symbols[self.one], alphabet.symbols[self.last]
        modulus = len(self.accepted[0])
        sides = [(", ".join(map(str, shares)), rest) for shares, rest in (self.accepted, self.rejected)]
        (accepted, rest), (rejected, other) = sides
        return (
            f"long words with n mod {modulus} = {rest} and last symbol {last} are accepted if {accepted} of "
            f"{self.steps} symbols at positions i mod {modulus} = {', '.join(map(str, range(modulus)))} are "
            f"{one}, and rejected with n mod {modulus} = {other} if {rejected} are; {one} is as often in "
            "both, and where symbols are spread evenly all counts of a C-RASP[] program agree (the lemma of "
            "idinf.classification.same_counts)"
        )


def find_same_counts(target: CountingTarget) -> Rates | None:
    """Rates that show that a program with moduli decides no language of C-RASP[]; None if none are found.

    Examples
    --------
    >>> from idinf.crasp.checker import read_program
    >>> from idinf.words import Alphabet
    >>> sigma = Alphabet(("0", "1"))
    >>> text = 'x = # ("0" && i mod 2 == 1) <= # ("1" && i mod 2 == 1)'
    >>> rates = find_same_counts(CountingTarget(read_program(text, sigma), sigma))
    >>> rates.steps, rates.accepted, rates.rejected
    (12, ((3, 5), 0), ((1, 7), 0))
    """
    modulus, symbols = find_modulus(target.circuit), len(target.alphabet)
    if not 1 < modulus < MAX_RATES.bit_length():  # a power of a modulus up to 2^40 would never be computed
        return None
    steps = next(k for k in range(STEPS, 2, -1) if (k - 1) ** modulus <= MAX_RATES)
    tried = 0
    for one, other in combinations(range(symbols), 2):
        seen: dict[tuple[int, int, bool], tuple[tuple[int, ...], int]] = {}
        for last, residue in product((one, other), range(modulus)):
            answers = compute_answers_at(target, last, residue)
            if answers is None:
                return None
            for shares in product(range(1, steps), repeat=modulus):
                tried += 1
                if tried > MAX_TRIED:
                    return None
                answer = _in_the_end(answers, (one, other), shares, steps)
                if answer is None:
                    continue
                key = sum(shares), last
                seen.setdefault((*key, answer), (shares, residue))
                if (*key, not answer) in seen:
                    pair = seen[*key, True], seen[*key, False]
                    return Rates(one, other, last, steps, *pair)
    return None


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
