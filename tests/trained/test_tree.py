"""The walk through all words beside a slow one, which reads every word on its own, at every offset."""

import itertools
import re

import numpy as np
import pytest

from idinf.spec.catalogue import load
from idinf.spec.spec import END, Answer
from idinf.targets.machine import accepts, read_word
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import Continuations, SingleSymbol
from idinf.trained import tree
from idinf.trained.decoder import Decoder
from idinf.trained.judgement import find_wrong_place
from idinf.trained.task import BOS, SEP, AnswerReader, Task
from idinf.trained.tree import Rival, Walk
from tests.trained.nets import by_last_symbol, fitted, spec_of

OFFSETS = (0, 3, 9)

#: A target, the answer it is asked for, the words of the task as a pattern, and the length of the longest.
TASKS = {
    "tomita-4": (load("tomita-4"), Answer.SET, "(?!.*000).*", 6),
    "d-2": (load("d-2"), Answer.SET, "(a(ab)*b)*", 8),
    "majority": (load("majority"), Answer.ACCEPT, ".*", 6),
    "regex": (spec_of("(01|1)*0?"), Answer.ACCEPT, ".*", 6),
    "domain": (spec_of("(0|1)*1", domain="(0|11)*"), Answer.ACCEPT, "(0|11)*", 7),
    "interleave": (load("majority-interleave-next"), Answer.SYMBOL, "([01]{3})+#[01]{3}", 7),
    "copy": (load("copy-unique-next"), Answer.SYMBOL, "#|a#a|b#b|ab#ab|ba#ba", 6),
    "tomita-2-next": (load("tomita-2-next"), Answer.SET, "(10)*", 8),
    "dyck-1-next": (load("dyck-1-next"), Answer.SET, ".*", 6),
}


def said_of(model, speech, prefix, offset):
    """What a model says behind a prefix, or of a word."""
    words = np.array([prefix], dtype=np.int64).reshape(1, -1)
    return speech.ask(model, words, np.array([offset]))[0, -1].tolist()


def task_of(name):
    spec, answer, pattern, length = TASKS[name]
    task = Task.of(spec, answer)
    every = (itertools.product(range(len(task.alphabet)), repeat=n) for n in range(length + 1))
    words = itertools.chain.from_iterable(every)
    return task, [word for word in words if re.fullmatch(pattern, task.alphabet.decode(word))], length


def labels_of(task, word):
    """What is right behind each prefix of a word, by the target's own words; None where nothing is asked."""
    if task.answer is Answer.ACCEPT:
        return [None] * len(word) + [[accepts(task.target, word), False]]
    symbols, sets = (*task.alphabet.symbols, END), task.target.next_symbols(word)
    return [None if named is None else [*(s in named for s in symbols), False] for named in sets]


def rivals_of(task):
    """The target itself, and another language over the same symbols."""
    other = RegularTarget.from_regex(".*" + re.escape(task.alphabet.symbols[0]), task.alphabet)
    if task.answer is not Answer.ACCEPT and not task.is_derived:
        other = Continuations(other) if task.answer is Answer.SET else SingleSymbol(Continuations(other))
    right = task.target.domain if task.is_derived else task.target.machine
    return Rival("right", right), Rival("other", other)


def parts(task, own, rival, prefix):
    """Whether an answer of a model is another one than that of a rival."""
    theirs = rival.machine.labels(read_word(rival.machine, prefix)).ravel().tolist()
    return own[-2:-1] != theirs if task.is_derived else own != [*theirs, False]


def slow_walk(model, speech, words, length, rivals):
    """What `Walk.to` finds: counts, first wrong words, those that float32 differs on, partings."""
    task, models = speech.task, (model, model.astype(np.float32))
    ends = [speech.tokens.number(SEP)] if task.answer is Answer.ACCEPT else []
    counts, first, differing, parted = [[0, 0, np.inf, 0] for _ in range(length + 1)], {}, [], [None, None]
    for word in words:
        n, wrongs, differs, labels = len(word), [], [], labels_of(task, word)
        for offset in OFFSETS if model.has_positions else [0]:
            if model.has_positions and offset + n + task.extra > model.shape.positions:
                continue
            tokens = [speech.tokens.number(BOS), *speech.tokens.encode(task.alphabet, word).tolist(), *ends]
            (said, ahead), (rough, _) = (speech.read(m.logits(np.array([tokens]), offset)[0]) for m in models)
            for place in (place for place, right in enumerate(labels) if right is not None):
                at = place + len(ends)
                counts[n][2], own = min(counts[n][2], ahead[at]), said[at].tolist()
                wrongs += [offset] * (own != labels[place])
                differs += [offset] * (own != rough[at].tolist())
                for k, rival in enumerate(rivals):
                    if parted[k] is None and parts(task, own, rival, word[:place]):
                        parted[k] = n
        for column, flag in ((0, True), (1, wrongs), (3, differs)):
            counts[n][column] += bool(flag)
        if wrongs:
            first.setdefault(n, (word, wrongs[0]))
        if differs:
            differing.append((word, differs[0]))
    return counts, tuple(first.values()), tuple(differing), parted


@pytest.mark.parametrize("name", TASKS)
def test_every_word_beside_the_slow_walk(name, monkeypatch):
    task, words, length = task_of(name)
    nope, width = name in ("regex", "copy"), {"copy": 8, "d-2": 24}.get(name, 16)
    model, speech = fitted(task, words, offsets=OFFSETS, nope=nope, width=width)
    rivals = rivals_of(task)
    counts, first, differing, parted = slow_walk(model, speech, words, length, rivals)
    walk = Walk(model, speech, OFFSETS, rivals)
    for size in (tree.MOST_NUMBERS, 200):  # and in blocks of a few prefixes, by a walk that was used
        monkeypatch.setattr(tree, "MOST_NUMBERS", size)
        found = walk.to(length)
        margins = [np.inf if each.margin is None else each.margin for each in found.counts]
        assert margins == pytest.approx([each[2] for each in counts], abs=1e-9)
        numbers = [[each.words, each.wrong, each.differing] for each in found.counts]
        assert numbers == [[*each[:2], each[3]] for each in counts]
        assert (found.wrong, found.differing) == (first, differing[: tree.MOST_SHOWN])
        assert [each.length for each in found.partings] == parted
        for each, rival in zip(found.partings, rivals, strict=True):
            if each.length is not None:
                begun = {word[: len(each.prefix)] for word in words if len(word) == each.length}
                assert each.prefix in begun
                assert parts(task, said_of(model, speech, each.prefix, each.offset), rival, each.prefix)
    assert 0 < sum(each.wrong for each in found.counts) < len(words) or name == "tomita-2-next"
    for word, offset in found.wrong:
        place, said, right = find_wrong_place(model, speech, word, offset)
        assert right.tolist() == labels_of(task, word)[place] != said.tolist()
    assert [each.wrong for each in walk.to(3).counts] == [each.wrong for each in found.counts[:4]]


def test_what_float32_rounds_away_is_listed():
    spec = spec_of("(0|1)*1")
    model = by_last_symbol(spec.alphabet, {BOS: "01", "0": "01", "1": ("0", "1", "<eos>")})
    speech = AnswerReader.of(model, Task.of(spec, Answer.SET))
    assert sum(each.differing for each in Walk(model, speech).to(6).counts) == 0
    # Behind 0 the end has the logit 1e-9 times what a layer norm makes of 1: wrong, and 0 in float32.
    column = 2 * speech.tokens.number("0")
    model.tensors["lm_head.weight"][speech.tokens.number("<eos>"), [column, column + 1]] = 1 + 1e-9, 1
    found = Walk(model, speech).to(6)
    assert [each.differing for each in found.counts] == [0, 0, 1, 3, 7, 15, 31]  # all but 1...1
    assert found.differing[:3] == (((0, 1), 0), ((0, 0, 1), 0), ((0, 1, 1), 0))
    assert len(found.differing) == tree.MOST_SHOWN
    assert [each.margin < 3e-9 for each in found.counts[1:]] == [False] + [True] * 5
    assert found.counts[0].margin is None


def test_a_model_and_a_rival_part_in_the_shortest_word():
    """Behind aa and behind ab: the first comes first, and the second is itself a word."""
    task = Task.of(load("d-2"), Answer.SET)
    model = by_last_symbol(task.alphabet, {})
    rival = Rival("aa or ab", RegularTarget.from_regex("aa|ab", task.alphabet))
    (found,) = Walk(model, AnswerReader.of(model, task), rivals=[rival]).to(6).partings
    assert (found.length, found.prefix) == (2, (0, 1))


@pytest.mark.parametrize("name", TASKS)
def test_prefixes_are_counted_as_they_are_read(name):
    """All that words of the task begin with, at the offsets that leave room; the walk reads just so many."""
    task, words, length = task_of(name)
    model, speech = fitted(task, words[:9])
    separator, read = speech.tokens.number(SEP), []

    class Counting(Decoder):
        def read(self, past, tokens, offsets):
            is_end = task.answer is Answer.ACCEPT and (tokens == separator).any()
            read.append(0 if is_end else len(tokens))
            return super().read(past, tokens, offsets)

    walk = Walk(Counting(model.shape, model.tensors, model.config), speech, OFFSETS)
    found = list(itertools.islice(walk.count_prefixes(10**6), length + 1))
    for n in range(length + 1):
        begun = {word[:k] for word in words if len(word) <= n for k in range(len(word) + 1)}
        assert found[n] == sum(len(walk.list_offsets(len(prefix))) for prefix in begun)
        assert walk.list_offsets(n).tolist() == [each for each in OFFSETS if each + n + task.extra <= 16]
        read.clear()
        walk.to(n)
        assert sum(read) == (found[n] or len(OFFSETS))  # the empty prefix is read in any case
    assert [*walk.count_prefixes(found[-1] - 1)] == [each for each in found if each < found[-1]]
