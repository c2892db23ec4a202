"""Languages that no net decides: the witnesses by plain linear algebra, the theorem on nets."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.languages.classification.beyond_nets import Confusion, find_confusion, find_obstacle
from idinf.languages.classification.membership import in_crasp, in_crasp_periodic_local
from idinf.languages.classification.monoid import build_monoid
from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget
from tests.asked_for import few
from tests.languages.classification.classes_by_definition import is_quasi_aperiodic, minimal, random_dfa
from tests.languages.classification.test_kernel import rank
from tests.search.word_by_word import random_family_net, weight

BITS = Alphabet(("0", "1"))


def target_of(name):
    target = build_target(load(name))
    assert isinstance(target, RegularTarget)
    return target


def random_target(rng, states=4, size=2):
    table, accepting = minimal(*random_dfa(rng, states, size))
    return RegularTarget(Alphabet(tuple("abc"[:size])), np.array(table), np.array(accepting))


def is_confusion(target: RegularTarget, found: Confusion) -> bool:
    """What the theorem asks for, checked on the automaton: with classes split by all counts at once."""

    def run(state, word):
        for code in word:
            state = int(target.table[state, code])
        return state

    z, letters = found.neutral, found.letters
    states = range(len(target.table))
    assert z
    assert all(run(run(q, z), z) == run(q, z) for q in states)
    assert {len(word) % len(z) for word in letters} == {0}
    assert len({*map(len, letters)}) == 1
    one, other = run(0, found.one), run(0, found.other)
    assert one != other
    assert (run(one, z), run(other, z)) == (one, other)
    kept = [q for q in states if run(q, z) == q]
    step = {(q, k): run(run(q, word), z) for q in kept for k, word in enumerate(letters)}
    assert any(all(step[q, k] == q for q in kept) for k in range(len(letters)))
    reach = {q: {q} for q in kept}
    for _ in kept:
        reach = {q: reach[q] | {r for (p, _), r in step.items() if p in reach[q]} for q in kept}
    part = [q for q in kept if q in reach[one] and one in reach[q]]
    assert other in part
    edges = [(q, k, r) for (q, k), r in step.items() if q in part and r in part]
    ends = [bool(target.accepting[run(q, found.suffix)]) for q in (one, other)]
    assert ends[0] != ends[1]
    # A vector for each edge: its label, and its ends as a boundary. A way from p to q has the vector of its
    # labels and the boundary q − p; it is a combination of cycles iff the labels alone reach no farther.
    classes = dict.fromkeys(part, 0)
    while True:
        labels = {key: n for n, key in enumerate(sorted({(k, classes[q]) for q, k, _ in edges}))}
        rows = [
            [int(labels[k, classes[q]] == n) for n in range(len(labels))]
            + [(r == p) - (q == p) for p in part]
            for q, k, r in edges
        ]
        plain = rank(rows)

        def alike(p, q, rows=rows, plain=plain, labels=labels):
            return rank([*rows, [0] * len(labels) + [(s == q) - (s == p) for s in part]]) == plain

        finer, heads = {}, []
        for q in part:
            head = next((h for h in heads if classes[h] == classes[q] and alike(h, q)), None)
            if head is None:
                heads.append(q)
                head = q
            finer[q] = heads.index(head)
        if len(heads) == len({*classes.values()}):
            return classes[one] == classes[other]
        classes = finer


@pytest.mark.parametrize("name", ["parity", "012-02", "tomita-3", "tomita-5", "tomita-6"])
def test_published_languages(name: str) -> None:
    target = target_of(name)
    found = find_confusion(target, build_monoid(target.table))
    assert found is not None
    assert is_confusion(target, found)
    assert find_obstacle(target) == found.told(target)


@pytest.mark.parametrize(
    "name", ["majority", "dyck-1", "tomita-4", "aa-star", "d-2", "parity-next", "abab-star"]
)
def test_what_programs_decide_has_no_obstacle(name: str) -> None:
    assert find_obstacle(build_target(load(name))) is None


def test_random_languages() -> None:
    """The verdict is that of the classification, words bear it out, and what is not in AC0 is among them."""
    rng, seen = random.Random(37), []
    for _ in range(few(50, 300)):
        target = random_target(rng)
        monoid = build_monoid(target.table)
        inside = in_crasp_periodic_local(target, monoid, in_crasp(target))
        obstacle, found = find_obstacle(target), find_confusion(target, monoid)
        assert (obstacle is not None) is inside.is_no
        assert found is None or inside.is_no
        assert found is None or is_confusion(target, found)
        assert inside.is_no or is_quasi_aperiodic(tuple(map(tuple, target.table.tolist())))
        seen.append((inside.is_no, found is not None))
    assert seen.count((True, True)) > few(1, 20)
    assert seen.count((True, False)) == 0
    assert seen.count((False, False)) > few(10, 100)


def test_the_check_of_witnesses_could_fail() -> None:
    """Counts tell the states of (01)* with a neutral symbol apart; without 1 no way leads back in 012-02."""
    once = RegularTarget.from_regex("(2*02*1)*2*", Alphabet(("0", "1", "2")))
    assert not is_confusion(once, Confusion((2,), ((0,), (1,), (2,)), (), (0,), ()))
    with pytest.raises(AssertionError):  # from the state after 0 nothing leads back
        is_confusion(target_of("012-02"), Confusion((2,), ((0,), (2,)), (), (0,), ()))


def verdict(net: OneHotTransformer, word) -> bool:
    """What a net says, by how often each type of position was met: exact integers."""
    p, N, size = net.precision, len(word) + 1, len(net.alphabet)
    types = []
    for i in range(N):
        token = word[i - 1] + 1 if i else 0
        residues = [int(i % net.period == r) for r in range(net.period)] if net.period > 1 else []
        types.append((*[int(t == token) for t in range(size + 1)], *residues))
    for layer in net.layers:
        outputs, met = [], dict[tuple[int, ...], int]()
        for i, own in enumerate(types):
            met[own] = met.get(own, 0) + 1
            sums = []
            for head in layer.heads:
                logits, phi = head.pattern.logits, head.pattern.phi
                amounts = dict[tuple[int, ...], Fraction]()
                logit = {
                    key: sum(
                        row[g] for row, on in zip(logits, key, strict=bool(logits)) if on for g in ones(own)
                    )
                    for key in met
                }
                for key, number in met.items():
                    amounts[key] = number * weight(N, logit[key], p)
                for back in range(min(len(phi), i + 1)):
                    key = types[i - back]
                    amounts[key] += weight(N, logit[key] + phi[back], p) - weight(N, logit[key], p)
                sums.append((amounts, sum(amounts.values())))
            fires = []
            for unit in layer.units:
                z = Fraction(unit.b + sum(unit.s[f] for f in ones(own)))
                for h, g, entry in unit.reads:
                    channel, (amounts, total) = layer.heads[h].channels[g], sums[h]
                    value = sum(a * sum(channel[f] for f in ones(key)) for key, a in amounts.items())
                    z += Fraction(entry, 2**p) * value / total
                fires.append(int(z > 0))
            outputs.append(fires)
        types = [(*own, *more) for own, more in zip(types, outputs, strict=True)]
    return sum(s * u for s, u in zip(net.signs, outputs[-1], strict=True)) > net.threshold


def ones(row):
    return [f for f, on in enumerate(row) if on]


def early_parity() -> OneHotTransformer:
    """It decides parity where all 1s are early: twice the 0s and the 1s reach N exactly, or step over it."""
    to_sos = AttentionPattern(((1, 1, 1), (0, 0, 0), (0, 0, 0)))  # $ weighs N, all else 1
    below = OneHotLayer(
        (OneHotHead(((-1, 2, 1), (1, -2, -1)), to_sos),),
        (OneHotUnit(((0, 0, 1),), (0, 0, 0), 0), OneHotUnit(((0, 1, 1),), (0, 0, 0), 0)),
    )
    exists = OneHotLayer(
        (OneHotHead(((1, 1, 1, -1, -1),), UNIFORM),), (OneHotUnit(((0, 0, 1),), (0,) * 5, 0),)
    )
    return OneHotTransformer(BITS, 0, (below, exists), (1,), 0)


def nets(number):
    rng = np.random.default_rng(2)
    for k in range(number):
        yield random_family_net(rng, 2, ((2, 1), (1, 1, 1), (2, 2))[k % 3], k % 2, 1 + k % 3)


def find_deaf_place(net: OneHotTransformer, slots: int, free: int):
    """Where, after some letters, a net answers alike whatever letters stand there: the theorem, for parity.

    Letters begin with 1 or with 0, and then have 0s further than heads look back; Δ divides their length.
    """
    length = net.reach * len(net.layers) + 2
    length += -length % net.period
    letter = [(k, *(0,) * (length - 1)) for k in (0, 1)]
    for behind, ones_before in itertools.product(range(3), range(slots - free - 2, -1, -1)):
        before = slots - free - behind
        if ones_before > before:
            continue
        fixed = [1] * ones_before + [0] * (before - ones_before)
        answers = set()
        for content in itertools.product((0, 1), repeat=free):
            answers.add(verdict(net, sum((letter[k] for k in (*fixed, *content, *(0,) * behind)), ())))
            if len(answers) > 1:
                break
        else:
            return ones_before, behind
    return None


@pytest.mark.parametrize("slots", [9, pytest.param(12, marks=pytest.mark.slow)])
def test_nets_are_deaf_to_some_letters(slots: int) -> None:
    """So they are wrong about parity at this length; also the one that decides it where 1s are early."""
    for net in (early_parity(), *nets(few(6, 30))):
        assert find_deaf_place(net, slots, 3) is not None


def test_nets_do_not_decide_what_has_an_obstacle() -> None:
    targets = [target_of(name) for name in ("parity", "tomita-3", "tomita-5", "tomita-6")]
    words = [w for n in range(7) for w in itertools.product((0, 1), repeat=n)]
    for net in nets(few(4, 30)):
        said = [verdict(net, word) for word in words]
        for target in targets:
            assert said != [accepts(target, word) for word in words]
