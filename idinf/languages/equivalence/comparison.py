"""The first difference of two languages, or how far they are the same, and how this is known."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from idinf.base.words import Word, words_up_to
from idinf.crasp import syntax as s
from idinf.errors import HypothesisFormatError, StatesExceeded
from idinf.languages.equivalence.affine import AffineProof
from idinf.languages.equivalence.dense import Decider, DenseMachine, accepts, is_uniform, runs_as_machine
from idinf.languages.equivalence.one_layer import compare_one_layer
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotLayer, OneHotTransformer, OneHotUnit, to_one_hot
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import Frontier
from idinf.search.exact_check.summaries import DEFAULT_SIZES, CheckSizes, Steps, word_of
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import NEVER, BoolArray, IntArray, SideBySide, Target
from idinf.targets.regular import RegularTarget
from idinf.work.limits import Stop, StopReason, TimeIsUp

#: Pairs of states up to which machines that need not be finite are tried for a proof: a quarter of a second.
CLOSURE_PAIRS = 5_000

#: Words that are compared one by one, at most.
MAX_WORDS = 20_000

#: How it is known.
SAME = "one definition"
PAIRS = "all pairs of states"
REACHABILITY = "joint reachability"
WORDS = "word by word"
PROGRAMS = "integer programs over counts of symbols"
AFFINE = "affine relations of counts"
INVARIANT = "linear inequalities that no step leaves"

#: Work of a proof by affine relations: about a second.
AFFINE_WORK = 200_000

#: Looks for a proof that two languages are equal; is given a function that may raise to stop.
Prove: TypeAlias = Callable[[Decider, Decider, Callable[[], None]], bool]

#: Told the length up to which all words were compared, -1 if not even ε; may raise to stop.
Beat = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """The result of a comparison."""

    #: The shortlex-least word that exactly one side accepts, None if none is known.
    word: Word | None
    #: Both sides agree on all words up to this length, -1 if not even on ε; None: on all words.
    up_to: int | None
    method: str
    #: Why longer words were not compared; empty if the question was settled.
    stop_reason: str = ""
    #: False if the word is one of the shortest, but perhaps not the least of them.
    is_least: bool = True


def compare(
    one: Decider,
    other: Decider,
    max_n: int,
    max_states: int,
    beat: Beat = lambda length: None,
    *,
    most_pairs: int = CLOSURE_PAIRS,
    most_words: int = MAX_WORDS,
    prove: Prove | None = None,
) -> ComparedAnswer:
    """Compare two languages on all words up to length ``max_n``, and on longer ones where that is proved.

    Both are over one alphabet. Where the machines need not be finite, a proof is tried up to ``most_pairs``
    pairs of states; at most ``max_states`` joint states of one length are kept, and at most ``most_words``
    words are compared one by one. ``beat`` is told again and again how far words were compared; it may raise
    `Stop`. ``prove`` is asked last, where no difference was found; it says whether there provably is none.
    """
    run = _Comparison(one, other, max_n, max_states, beat, most_pairs, most_words)
    try:
        answer = run.on_all_words() or run.up_to_max_n()
        if prove is not None and answer.word is None and answer.up_to is not None and not answer.stop_reason:
            run.beat(answer.up_to)
            if prove(one, other, lambda: run.beat(run.reached)):
                return ComparedAnswer(None, None, INVARIANT)
        return answer
    except (Stop, TimeIsUp, StatesExceeded, MemoryError, KeyboardInterrupt) as limit:
        return run.stopped(limit)


@dataclass
class _Comparison:
    """One comparison. Mutable: it notes how far it came, for the verdict of a run that is stopped."""

    one: Decider
    other: Decider
    max_n: int
    max_states: int
    told: Beat
    most_pairs: int
    most_words: int
    reached: int = -1
    method: str = REACHABILITY
    shortest: Word | None = None

    def beat(self, length: int) -> None:
        """Note that all words up to a length were compared."""
        self.reached = max(self.reached, length)
        self.told(self.reached)

    def stopped(self, limit: BaseException) -> ComparedAnswer:
        """The answer when a limit is reached."""
        match limit:
            case MemoryError():
                reason = "the memory bound was reached; raise --memory or lower --max-n"
            case KeyboardInterrupt():
                reason = StopReason.INTERRUPTED.value
            case _:
                reason = str(limit)
        if self.shortest is not None:
            return ComparedAnswer(self.shortest, len(self.shortest) - 1, PROGRAMS, reason, is_least=False)
        exact_to = limit.exact_to if isinstance(limit, StatesExceeded) else -1
        return ComparedAnswer(None, max(self.reached, exact_to), self.method, reason)

    def on_all_words(self) -> ComparedAnswer | None:
        """The answer that a proof for all lengths gives; None if there is none."""
        one, other = self.one, self.other
        if isinstance(one, CountingTarget) and isinstance(other, CountingTarget):
            same = one.circuit == other.circuit
        else:
            same = isinstance(one, LimitTransformer) and one == other
        if same:
            return ComparedAnswer(None, None, SAME)
        if not isinstance(one, LimitTransformer) and not isinstance(other, LimitTransformer):
            most = min(self.most_pairs, self.max_states)
            if isinstance(one, RegularTarget) and isinstance(other, RegularTarget):
                most = len(one.table) * len(other.table)  # finite machines are always run to the end
            found = compare_all_pairs(one, other, most, self.beat)
            if found is not False:
                word = None if found is True else found
                return ComparedAnswer(word, None if word is None else len(word) - 1, PAIRS)
        shortest = compare_one_layer(one, other, lambda: self.beat(self.reached))
        if shortest is True:
            return ComparedAnswer(None, None, PROGRAMS)
        if shortest is not False:
            self.shortest = shortest
            if len(shortest) > self.max_n:
                return ComparedAnswer(shortest, len(shortest) - 1, PROGRAMS, is_least=False)
            return None
        if isinstance(one, RegularTarget):
            one, other = other, one
        if isinstance(one, CountingTarget) and isinstance(other, RegularTarget):
            proved = AffineProof(other, AFFINE_WORK).decides(one.program)
            return ComparedAnswer(None, None, AFFINE) if proved else None
        return None

    def up_to_max_n(self) -> ComparedAnswer:
        """The shortlex-least difference up to ``max_n``, by whatever runs both sides."""
        sides = _member(self.one), _member(self.other)
        nets = [side for side in sides if isinstance(side, LimitTransformer)]
        if not all(map(runs_as_machine, nets)):
            return self._word_by_word()
        by_length = not all(map(is_uniform, nets))
        for length in range(self.max_n + 1) if by_length else [self.max_n]:
            one, other = (
                DenseMachine(side, length + 1) if isinstance(side, LimitTransformer) else side
                for side in sides
            )
            word = find_first_difference(one, other, length, self.max_states, self.beat, only_last=by_length)
            if word is not None:
                return ComparedAnswer(word, len(word) - 1, self.method)
            self.beat(length)
        return ComparedAnswer(None, self.max_n, self.method)

    def _word_by_word(self) -> ComparedAnswer:
        """In shortlex order, for a hypothesis that no step machine is known for."""
        self.method = WORDS
        symbols, horizon, words = len(self.one.alphabet), 0, 1
        while horizon < self.max_n and words + symbols ** (horizon + 1) <= self.most_words:
            horizon += 1
            words += symbols**horizon
        for word in words_up_to(symbols, horizon):
            self.beat(len(word) - 1)
            if accepts(self.one, word) != accepts(self.other, word):
                return ComparedAnswer(word, len(word) - 1, WORDS)
        bound = f"on at most {self.most_words} words"
        reason = f"a hypothesis can only be run word by word, {bound}; lower --max-n"
        return ComparedAnswer(None, horizon, WORDS, reason if horizon < self.max_n else "")


def _member(side: Decider) -> Decider | OneHotTransformer:
    """A hypothesis as a member of the family, where it is one."""
    if isinstance(side, LimitTransformer):
        with suppress(HypothesisFormatError):
            return to_one_hot(side)
    return side


@dataclass(frozen=True, eq=False)
class Joint(SideBySide):
    """Two step machines over one alphabet, and what is said of a word, by what each of them says of it."""

    pair: tuple[Target, Target]
    labelled: Callable[[BoolArray, BoolArray], BoolArray]

    @cached_property
    def machines(self) -> tuple[Target, ...]:
        """Both."""
        return self.pair

    def labels(self, states: IntArray) -> BoolArray:
        """The answers to the word read so far; (S, k) → (S,)."""
        own = zip(self.pair, self.columns, strict=True)
        return self.labelled(*(machine.labels(states[:, columns]) for machine, columns in own))


class _Intersection(Joint):
    """Two machines that both accept; where a regular one cannot any more, the other one is not followed."""

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Read one symbol; (S, k) → (S, k)."""
        after, start = super().step(states, symbol), self.start()[0]
        for machine, columns in zip(self.machines, self.columns, strict=True):
            if isinstance(machine, RegularTarget):
                dead = machine.distances[after[:, columns.start]] >= NEVER
                after[dead] = np.where(np.arange(len(start)) == columns.start, after[dead], start)
        return after


def find_first_difference(
    one: Target | OneHotTransformer,
    other: Target | OneHotTransformer,
    horizon: int,
    max_states: int,
    beat: Beat = lambda length: None,
    only_last: bool = False,
    *,
    sizes: CheckSizes = DEFAULT_SIZES,
) -> Word | None:
    """Shortlex-least word up to length ``horizon`` that exactly one side accepts; None if there is none.

    By joint reachability: states of both sides are merged at every length, so all words of a length are
    covered by its joint states. The length is found first. Then the states are kept in the order of their
    least words, and the steps to them are remembered, up to this length only.

    With ``only_last`` only words of length ``horizon`` count, as where a machine is made for one N. ``beat``
    is called after every length without a difference; ``max_states`` bounds the joint states of one length.
    Raises `StatesExceeded` if there are more joint states; says up to which length all words were compared.
    """
    hypotheses = [side for side in (one, other) if isinstance(side, OneHotTransformer)]
    targets = [side for side in (one, other) if not isinstance(side, OneHotTransformer)]
    target = targets[0] if targets else None
    if len(targets) == 2:  # a difference is what a hypothesis gets wrong that accepts nothing
        never = OneHotUnit((), s=(0,) * (1 + len(one.alphabet)), b=0)
        hypotheses = [OneHotTransformer(one.alphabet, 0, (OneHotLayer((), (never,)),), (1,), 0)]
        target = Joint((targets[0], targets[1]), np.not_equal)
    nets = [nets_of(hypothesis) for hypothesis in hypotheses]
    if only_last:
        return Frontier(nets, target, max_states, sizes=sizes).find_word(horizon)
    length = int(Frontier(nets, target, max_states, sizes=sizes).fail_lengths(horizon, beat)[0])
    return None if length < 0 else Frontier(nets, target, max_states, sizes=sizes).least_word(length)


def compare_all_pairs(one: Target, other: Target, most: int, beat: Beat = lambda length: None) -> Word | bool:
    """Compare two machines on all words, if at most ``most`` pairs of states can be reached.

    The shortlex-least difference; True if all reachable pairs agree, so that all words do; False if there are
    too many pairs to tell.
    """
    joint, size = Joint((one, other), np.not_equal), len(one.alphabet)
    rows = joint.start()
    seen, trail = {rows[0].tobytes()}, list[Steps]()
    if joint.labels(rows)[0]:
        return ()
    while len(rows):
        beat(len(trail))
        # Axes: the pair before, the next symbol, the columns; so rows are in the order of the least words.
        stepped = np.stack([joint.step(rows, code) for code in range(size)], axis=1)
        stepped = stepped.reshape(-1, rows.shape[1])
        wrong = joint.labels(stepped)
        if wrong.any():
            return word_of(trail, *divmod(int(np.argmax(wrong)), size))
        new = []
        for place, row in enumerate(stepped):
            key = row.tobytes()
            if key not in seen:
                seen.add(key)
                new.append(place)
                if len(seen) > most:
                    return False
        trail.append(np.stack(np.divmod(np.array(new, dtype=np.int32), size), axis=1))
        rows = stepped[new]
    return True


def intersect(one: Decider, other: Decider) -> Target:
    """Make one machine for the words that both languages have.

    Raises `HypothesisFormatError` if a hypothesis is one that no step machine runs.
    """
    if isinstance(one, CountingTarget) and isinstance(other, CountingTarget):
        return CountingTarget(_joined(one.program, other.program), one.alphabet)
    return _Intersection((_machine(one), _machine(other)), np.logical_and)


def _machine(side: Decider) -> Target:
    if not isinstance(side, LimitTransformer):
        return side
    if runs_as_machine(side) and is_uniform(side):
        return DenseMachine(side)
    raise HypothesisFormatError(
        "a hypothesis whose weights depend on the length of the word is no step machine; expected one with "
        "uniform heads; compare it for equality"
    )


def _joined(one: s.ProgramTree, other: s.ProgramTree) -> s.ProgramTree:
    """Both programs under names of their own, and an operation that holds where both last ones do."""
    rows = [
        replace(row, name=prefix + row.name, expression=_with_prefix(row.expression, prefix))
        for prefix, program in (("one_", one), ("other_", other))
        for row in program.definitions
    ]
    left, right = (s.Name(rows[last].name) for last in (len(one.definitions) - 1, -1))
    return s.ProgramTree((*rows, s.Definition("both", s.Conjunction(left, right))))


def _with_prefix(part: s.Expression, prefix: str) -> s.Expression:
    """An expression whose names of operations have a prefix."""
    if isinstance(part, s.Name):
        return replace(part, name=prefix + part.name)
    return s.replace_parts(part, lambda inner: _with_prefix(inner, prefix))
