"""Rates against programs: the given one tells the words apart, programs of C-RASP[] do not."""

import random

import pytest

from idinf.base.words import Word
from idinf.crasp import checker
from idinf.languages.classification.classes import classify_program
from idinf.languages.classification.same_counts import Rates, find_same_counts
from idinf.targets.tasks import PROGRAM_TASKS
from tests.languages.classification.test_symmetric import answers, random_text, target

INTERLEAVED = PROGRAM_TASKS["majority-interleave"].text.removeprefix("accept = ")


def spread(rates: Rates, shares: tuple[int, ...], length: int, irrational: int = 0) -> list[int]:
    """A word whose symbols at every residue have these shares, as evenly as possible.

    With `irrational` each share is 1/(irrational · √2) more.
    """
    codes, met, placed = [], [0] * len(shares), [0] * len(shares)
    for position in range(1, length + 1):
        rho = position % len(shares)
        met[rho] += 1
        # placed / met < share / steps + 1 / (irrational · √2), in integers
        behind = placed[rho] * rates.steps - met[rho] * shares[rho]
        fits = behind < 0 or (irrational and 2 * (irrational * behind) ** 2 < (met[rho] * rates.steps) ** 2)
        placed[rho] += bool(fits)
        codes.append(rates.one if fits else rates.other)
    return codes


def ended(word: list[int], rates: Rates, residue: int) -> Word:
    """The longest beginning of a word with a length modulo m and the last symbol."""
    m = len(rates.accepted[0])
    last = rates.one if rates.last == rates.one else rates.other
    length = next(n for n in range(len(word), 0, -1) if n % m == residue and word[n - 1] == last)
    return tuple(word[:length])


def check(text: str, rates: Rates) -> None:
    program = target(text)
    words = []
    for shares, residue in (rates.accepted, rates.rejected):
        assert 0 < min(shares) <= max(shares) < rates.steps
        words.append(ended(spread(rates, shares, 1200), rates, residue))
    assert answers(program, words) == [True, False], text
    assert sum(rates.accepted[0]) == sum(rates.rejected[0])


def test_majority_interleave_is_not_in_crasp() -> None:
    """The table of [HYB25] has "none found"."""
    machine = target(INTERLEAVED)
    rates = find_same_counts(machine)
    assert rates is not None
    check(INTERLEAVED, rates)
    assert rates.accepted[1] == rates.rejected[1] == 0  # also among words whose sequences are equally long
    found = classify_program("it", checker.check(machine.program), machine)
    assert found.crasp.is_no
    assert found.crasp_periodic_local.is_yes


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(10))
def test_programs_of_crasp_answer_alike(seed: int) -> None:
    """The lemma: after a beginning both words follow other rates, of one irrational sum."""
    rng = random.Random(seed)
    rates = find_same_counts(target(INTERLEAVED))
    assert rates is not None
    (first, residue), (second, other_residue) = rates.accepted, rates.rejected
    start, length = 300, 3000
    words = []
    for shares in (first, second):
        codes = spread(rates, first, start, 40) + spread(rates, shares, length, 40)
        words.append(codes)
    assert start % 3 == 0  # so residues go on
    alike = [ended(word, rates, at) for word, at in zip(words, (residue, other_residue), strict=True)]
    assert answers(target(INTERLEAVED), alike) == [True, False]
    for _ in range(3):
        depth_1, small = random_text(rng), random_text(rng)
        nested = f'2 * # ({depth_1}) + # "0" >= # ({small}) + # "1"'
        for text in (depth_1, nested):
            assert len(set(answers(target(text), alike))) == 1, text
