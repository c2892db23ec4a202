"""What the procedure is proved to learn, beside what algebra says of the same language."""

import random

import pytest

from idinf.base.words import Alphabet
from idinf.languages.classification.classes import classify
from idinf.report.value import Outcome
from idinf.targets.regular import RegularTarget
from tests.small_runs import prepare
from tests.spaces import small_space

SIGMA = Alphabet(("a", "b"))

#: One layer, or two: uniform heads, no positions.
BOUNDS = small_space(layers=2, units=1, precision=1, max_r=9.6)


def random_regex(rng: random.Random, depth: int) -> str:
    """A regex over a and b."""
    if depth == 0:
        return rng.choice(["a", "b", "a*", "b*", "(a|b)*", "()"])
    left, right = random_regex(rng, depth - 1), random_regex(rng, depth - 1)
    return rng.choice([f"{left}{right}", f"({left}|{right})", f"({left}{right})*", f"({left})+"])


def check(rng: random.Random, most: int) -> int:
    """Run random languages; the number of those that are proved for every n by uniform heads."""
    proved = 0
    for _ in range(most):
        text = random_regex(rng, rng.choice([1, 2, 2, 3]))
        target = RegularTarget.from_regex(text, SIGMA)
        run = prepare(target, BOUNDS, 6, proves=True).run()
        if run.outcome is Outcome.IDENTIFIED_FOR_ALL_N:
            proved += 1
            verdict = dict(classify(target).findings)["crasp"].verdict
            assert verdict == "yes", f"{text} is learned by uniform heads without positions, and is {verdict}"
    return proved


@pytest.mark.slow
def test_many_languages_proved_by_uniform_heads_are_in_crasp() -> None:
    assert check(random.Random(5), 150) > 40
