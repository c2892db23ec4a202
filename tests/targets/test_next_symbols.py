"""Next symbols and domains: what counts where, against plain definitions."""

import itertools
import re

import numpy as np
import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.interpreter import lay_out_words
from idinf.errors import SpecError
from idinf.show.text import labels
from idinf.spec.catalogue import load
from idinf.spec.reader import parse_spec
from idinf.spec.spec import Answer
from idinf.targets import supervised
from idinf.targets.build import build_target
from idinf.targets.machine import NEVER, accepts
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import Continuations, SupervisedTarget, answer_words, name_next, supervise

AB = Alphabet(("a", "b"))
HEAD = 'name = "x"\nalphabet = "ab"\nmode = "next"\n'
PROGRAM = (
    HEAD + "crasp = '''\nfew = # \"a\" <= 2\nmany = # \"a\" >= 2\nones = # \"a\"\nlast = ones >= 1\n'''\n"
)


def state_after(target: SupervisedTarget, word: tuple[int, ...]) -> np.ndarray:
    states = target.start()
    for symbol in word:
        states = target.step(states, symbol)
    return states


@pytest.mark.parametrize("domain", ["(ab)*", "(a|b)(a|b)(a|b)*", "a*b", "(aa|b)*"])
def test_what_counts_follows_from_the_words_of_the_domain(domain: str) -> None:
    regular = RegularTarget.from_regex(domain, AB)
    language = Continuations(RegularTarget.from_regex("a*", AB))
    words = {w for w in words_up_to(2, 7) if regular.labels(state_after(regular, w))[0]}
    everywhere = SupervisedTarget(language, Answer.SET, regular)
    at_the_end = SupervisedTarget(language.machine, Answer.ACCEPT, regular)
    for prefix in words_up_to(2, 3):
        ends = sorted({len(w) - len(prefix) for w in words if w[: len(prefix)] == prefix})
        states = state_after(everywhere, prefix)
        due = int(everywhere.due(states)[0])
        assert due == (ends[0] if ends else NEVER)
        assert int(at_the_end.due(states)[0]) == (0 if prefix in words else NEVER)
        for left in range(4):
            assert bool(everywhere.counts(states, left)[0]) is (left in ends)
            assert bool(at_the_end.counts(states, left)[0]) is (left == 0 and prefix in words)
            if left in ends:
                rest = everywhere.completion(states, left)
                every = itertools.product(range(2), repeat=left)
                assert rest == next(w for w in every if (*prefix, *w) in words)


@pytest.mark.parametrize("domain", [None, "(ab)*", "(aa|b)*"])
@pytest.mark.parametrize("judged", ["(a|b)*b", "(aa)*", "b(a|b)*|a"])
def test_a_prefix_counts_where_it_is_judged(domain: str | None, judged: str) -> None:
    keys = f'regex = "a*"\njudged = "{judged}"\n' + (f'domain = "{domain}"\n' if domain else "")
    target = build_target(parse_spec(HEAD + keys))
    assert isinstance(target, SupervisedTarget)
    everywhere = SupervisedTarget(target.machine, Answer.SET, target.domain)
    for prefix in words_up_to(2, 4):
        states, plain = state_after(target, prefix), state_after(everywhere, prefix)
        is_place = re.fullmatch(judged, AB.decode(prefix)) is not None
        assert target.due(states)[0] == (everywhere.due(plain)[0] if is_place else NEVER)
        assert target.distance(states)[0] == everywhere.distance(plain)[0]
        for left in range(3):
            assert bool(target.counts(states, left)[0]) is (
                is_place and bool(everywhere.counts(plain, left)[0])
            )
        assert (target.next_symbols(prefix)[-1] is not None) is is_place


def test_one_symbol_is_the_first_operation_that_holds() -> None:
    text = PROGRAM + 'output = "symbol"\n[next]\na = "few"\nb = "many"\n'
    target = build_target(parse_spec(text))
    assert isinstance(target, SupervisedTarget)
    assert target.next_symbols((0, 0, 0)) == (("a",), ("a",), ("a",), ("b",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PROGRAM + '[next]\na = "fwe"', r"next.a = 'fwe'; the program has no such operation; .*'few'"),
        (PROGRAM + "[next]", "next is missing: a program"),
        (HEAD + 'regex = "a"\noutput = "pair"', r'output = "pair"; expected "set" or "symbol"'),
        (HEAD + 'regex = "a"\njudged = "a("', r"judged: line 1, column 2: '\(' is never closed"),
        (
            HEAD.replace("next", "accept") + 'regex = "a"\njudged = "a"',
            r"judged = 'a'; expected it with mode",
        ),
        (HEAD + 'regex = "a"\ndomain = "a("', r"domain: line 1, column 2: '\(' is never closed"),
    ],
)
def test_a_spec_is_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        build_target(parse_spec(text, "my.toml"))


# Many words at once beside each word alone


def _words(target, length, rng):
    """All words up to a length in a random order, one more than once, and a few long ones."""
    size = len(target.alphabet)
    words = [*words_up_to(size, length), (0,), ()]
    rng.shuffle(words)
    return [*words, *(tuple(rng.integers(0, size, 40).tolist()) for _ in range(5)), (0,)]


@pytest.mark.parametrize("name", ["majority", "dyck-1", "tomita-4", "contains-ab-abc"])
def test_acceptance(name):
    target = supervise(build_target(load(name)))
    words = _words(target, 4, np.random.default_rng(1))
    accepted, counted = answer_words(target, lay_out_words(words))
    assert accepted == [accepts(target, word) for word in words]
    assert counted == [target.is_counted(word) for word in words]


@pytest.mark.thinned(8)
@pytest.mark.parametrize(
    "name", ["tomita-2-next", "dyck-1-next", "induction-argmax-next", "sort-next", "addition-next"]
)
@pytest.mark.parametrize("pieces", [1, 30, 4096])
def test_next_symbols(name, pieces, monkeypatch):
    target = supervise(build_target(load(name)))
    words = _words(target, 3, np.random.default_rng(2))
    monkeypatch.setattr(supervised, "ROWS", 100)
    batch = lay_out_words(words)
    sets, numbers, counted = name_next(target, batch)
    named = [[sets[number] for number in row if number >= 0] for row in numbers.tolist()]
    assert list(map(tuple, named)) == [target.next_symbols(word) for word in words]
    monkeypatch.setattr(labels, "PIECES", pieces)
    expected = [labels.next_text(target.next_symbols(word)) for word in words]
    assert labels.label_texts(target, batch) == (expected, counted)
    assert counted == [target.is_counted(word) for word in words]
