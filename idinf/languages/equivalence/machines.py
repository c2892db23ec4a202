"""Two languages in step: the shortlex-least word on which they differ, and a machine for what they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from idinf.base.words import Word
from idinf.crasp import syntax as s
from idinf.errors import HypothesisFormatError, StatesExceeded
from idinf.languages.equivalence.dense import Decider, DenseMachine, is_uniform, runs_as_machine
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.one_hot_parts import OneHotLayer, OneHotUnit
from idinf.search.exact_check.merging import DEFAULT_SIZES, CheckSizes, Steps, word_of
from idinf.search.exact_check.nets import joint_layers, nets_of
from idinf.search.exact_check.reachability import Frontier, FrontierFull, FrontierStep, Trail, decide
from idinf.search.exact_check.summaries import LinearForms
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import NEVER, BoolArray, IntArray, SideBySide, Target
from idinf.targets.regular import RegularTarget

#: Told the length up to which all words were compared, -1 if not even ε; may raise to stop.
Beat = Callable[[int], None]


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

    >>> from idinf.targets.regular import RegularTarget
    >>> from idinf.base.words import Alphabet
    >>> sigma = Alphabet(("a", "b"))
    >>> one, other = (RegularTarget.from_regex(text, sigma) for text in ("(ab)*", "(ab)*|ba(ab)*"))
    >>> find_first_difference(one, other, 9, 100), find_first_difference(one, other, 1, 100)
    ((1, 0), None)
    """
    hypotheses = [side for side in (one, other) if isinstance(side, OneHotTransformer)]
    targets = [side for side in (one, other) if not isinstance(side, OneHotTransformer)]
    target = targets[0] if targets else None
    if len(targets) == 2:  # a difference is what a hypothesis gets wrong that accepts nothing
        never = OneHotUnit((), s=(0,) * (1 + len(one.alphabet)), b=0)
        hypotheses = [OneHotTransformer(one.alphabet, 0, (OneHotLayer((), (never,)),), (1,), 0)]
        target = Joint((targets[0], targets[1]), np.not_equal)
    space, lower, readouts = joint_layers([nets_of(hypothesis) for hypothesis in hypotheses])
    summary = LinearForms(space, [*lower, *(readout.layer for readout in readouts)])
    parts = space, lower, readouts, summary, target, max_states

    frontier, length = _ReportingFrontier(*parts, sizes=sizes), horizon
    frontier.beat = beat
    if not only_last:
        length = int(decide(frontier, 1, horizon)[0])
        if length < 0:
            return None
    block = range(length + 1, length + 2) if only_last or frontier.depends_on_N else None
    trail: Trail = []
    try:
        for step in Frontier(*parts, sizes=sizes).steps(length, block, trail):
            if step.least is not None:
                return word_of(trail, *step.least[:2])
    except FrontierFull as full:
        raise StatesExceeded(
            f"{full.states} joint states, more than the {max_states} that fit the memory bound; raise "
            "--memory or lower --max-n",
            length - 1,
        ) from None
    if only_last:
        return None
    raise RuntimeError(f"internal error: a word of length {length} made a difference, now none does")


class _ReportingFrontier(Frontier):
    """A frontier that tells of every length without a difference. Mutable as its base is."""

    beat: Beat = staticmethod(lambda length: None)

    def steps(self, horizon: int, block: range | None, trail: Trail | None = None) -> Iterator[FrontierStep]:
        """As the base does."""
        for step in super().steps(horizon, block, trail):
            yield step
            if (step.fails == NEVER).all():
                self.beat(step.length)


def compare_all_pairs(one: Target, other: Target, most: int, beat: Beat = lambda length: None) -> Word | bool:
    """Compare two machines on all words, if at most ``most`` pairs of states can be reached.

    The shortlex-least difference; True if all reachable pairs agree, so that all words do; False if there are
    too many pairs to tell.

    >>> from idinf.targets.regular import RegularTarget
    >>> from idinf.base.words import Alphabet
    >>> sigma = Alphabet(("a", "b"))
    >>> one, other = (RegularTarget.from_regex(text, sigma) for text in ("(ab)*a", "a(ba)*"))
    >>> compare_all_pairs(one, other, 100), compare_all_pairs(one, other, 1)
    (True, False)
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

    >>> from idinf.targets.machine import accepts
    >>> from idinf.targets.regular import RegularTarget
    >>> from idinf.base.words import Alphabet
    >>> sigma = Alphabet(("a", "b"))
    >>> both = intersect(*(RegularTarget.from_regex(text, sigma) for text in ("a*b*", "(ab)*")))
    >>> accepts(both, (0, 1)), accepts(both, (0, 1, 0, 1))
    (True, False)
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
    here = s.TextPlace(1, 1)
    left, right = (s.Name(rows[last].name, here) for last in (len(one.definitions) - 1, -1))
    return s.ProgramTree((*rows, s.Definition("both", s.Conjunction(left, right, here), here)))


def _with_prefix(part: s.Expression, prefix: str) -> s.Expression:
    """An expression whose names of operations have a prefix."""
    if isinstance(part, s.Name):
        return replace(part, name=prefix + part.name)
    return s.replace_parts(part, lambda inner: _with_prefix(inner, prefix))
