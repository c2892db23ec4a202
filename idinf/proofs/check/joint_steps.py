"""A hypothesis and a target run beside each other: places, and the steps between them with their guards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import NamedTuple

from idinf.base.words import Word
from idinf.languages.equivalence.conditions import Inequality
from idinf.nets.limit_transformer import LimitTransformer
from idinf.proofs.check.net_steps import NetSide
from idinf.proofs.check.target_steps import (
    Control,
    CountedRun,
    Side,
    SymbolicRun,
    Unprovable,
    build_target_side,
    iter_paths,
)
from idinf.targets.machine import NEVER, Target
from idinf.targets.supervised import SupervisedTarget

#: Greatest detail of the last position in places.
MAX_DETAIL = 2


@dataclass(frozen=True, slots=True)
class JointPlace:
    """Finite part of the state of a run: the controls, and the detail of the last position.

    ``arrived`` is "" at SOS or without detail; else the code of the symbol there, or that and the answers to
    the questions there, "1" for yes.
    """

    net: Control
    target: Control
    domain: Control
    arrived: str

    @property
    def name(self) -> str:
        """Name of the place in a certificate."""
        parts = (self.net, self.target, self.domain)
        return "/".join([*(".".join(map(str, part)) for part in parts), self.arrived])


class JointAnswer(NamedTuple):
    """Answers at one position, of the hypothesis and of the target, and a flag if they count."""

    net: tuple[bool, ...]
    target: tuple[bool, ...]
    counts: bool

    @property
    def agree(self) -> bool:
        """True if the two agree, or are not judged here."""
        return self.net == self.target or not self.counts


@dataclass(frozen=True, slots=True)
class JointStep:
    """One step from a place: the answers to its questions, its guard, the growth of counters, the next place.

    The guard is over the counters before the step, ``growth`` is added to them, and ``said`` is after it.
    """

    symbol: int
    path: str
    guard: tuple[Inequality, ...]
    growth: tuple[int, ...]
    to: JointPlace
    said: JointAnswer


@dataclass(frozen=True, eq=False)
class JointSteps:
    """All steps of a hypothesis beside a target, or of one target beside another, on words of any length.

    Counters are the Parikh vector, then those of the hypothesis, then those of the target; each is at least 0
    and grows by 0 or 1 a step.

    Raises `Unprovable` if one of them has no such steps.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> from idinf.targets.supervised import supervise
    >>> from idinf.nets.one_hot import OneHotTransformer
    >>> from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotUnit
    >>> majority = load("majority")
    >>> unit = OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0)
    >>> layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), (unit,))
    >>> net = OneHotTransformer(majority.alphabet, 0, (layer,), (-1,), -1).to_dense()
    >>> joint = JointSteps(net, supervise(build_target(majority)))
    >>> joint.names
    ('#0', '#1')
    >>> [(step.symbol, step.path, step.to.name, step.said.agree) for step in joint.steps(joint.start[0])][:2]
    [(0, '1', '0///', True), (0, '0', '0///', True)]
    """

    net: LimitTransformer | Target
    target: SupervisedTarget
    #: Detail of the last position in places: 0 none, 1 its symbol, 2 the answers there, too. Counters and
    #: judged answers are the same for all.
    detail: int = 0
    #: The steps by the controls before, to places of no detail, for all details: how a place was arrived at
    #: makes no difference to them.
    _known: dict[tuple[Control, Control, Control], tuple[JointStep, ...]] = field(
        default_factory=dict, init=False
    )
    #: The steps that were taken, by the controls before and the symbol.
    _taken: dict[tuple[Control, Control, Control, int], list[JointStep]] = field(
        default_factory=dict, init=False
    )

    def __post_init__(self) -> None:
        if self.target.places is not None:
            raise Unprovable("the target has a rule of its own for the positions that are judged")
        for side in self._sides:
            side.start()

    def at_detail(self, detail: int) -> JointSteps:
        """The same steps, with other places; both remember the steps together."""
        other = copy(self)
        object.__setattr__(other, "detail", detail)
        return other

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the counters, by what they count."""
        own, other = self._sides
        return (*(f"#{symbol}" for symbol in self.net.alphabet.symbols), *own.names, *other.names)

    @property
    def start(self) -> tuple[JointPlace, tuple[int, ...], JointAnswer]:
        """Place, counters and answers after SOS alone."""
        own, other = self._sides
        net, units, answers = own.start()
        target, counts, labels = other.start()
        domain = () if self.target.domain is None else (0,)
        counters = (0,) * len(self.net.alphabet) + units + counts
        said = JointAnswer(answers, labels, self._counts(domain))
        return JointPlace(net, target, domain, ""), counters, said

    def steps(self, place: JointPlace) -> Iterator[JointStep]:
        """All steps from a place, by symbol; their guards exclude each other and cover all counters.

        Raises `Unprovable` if an answer is not decided by counters.
        """
        key = (place.net, place.target, place.domain)
        if key not in self._known:
            self._known[key] = tuple(self._steps(place))
        for step in self._known[key]:
            if self.detail:
                arrived = f"{step.symbol}" if self.detail == 1 else f"{step.symbol}:{step.path}"
                step = replace(step, to=replace(step.to, arrived=arrived))
            yield step

    def _steps(self, place: JointPlace) -> Iterator[JointStep]:
        for symbol in range(len(self.net.alphabet)):
            for asked, arrival in iter_paths(partial(self._arrival, place, symbol)):
                yield self._written(symbol, asked, *arrival)

    def open_steps(self, place: JointPlace, counters: tuple[int, ...]) -> list[JointStep]:
        """The steps that counters take from a place of no detail, one by each symbol.

        Steps that no counters take are never made, which may be many more.

        Raises `Unprovable` if an answer is not decided by counters.
        """
        steps = []
        for symbol in range(len(self.net.alphabet)):
            taken = self._taken.setdefault((place.net, place.target, place.domain, symbol), [])
            step = next((each for each in taken if all(one.holds(counters) for one in each.guard)), None)
            if step is None:
                asked = CountedRun(counters=counters)
                step = self._written(symbol, asked, *self._arrival(place, symbol, asked))
                taken.append(step)
            steps.append(step)
        return steps

    def _written(
        self,
        symbol: int,
        asked: SymbolicRun,
        controls: tuple[Control, Control, Control],
        grown: tuple[int, ...],
        said: JointAnswer,
    ) -> JointStep:
        parikh = tuple(int(code == symbol) for code in range(len(self.net.alphabet)))
        path = "".join("01"[answer] for answer in asked.answers)
        return JointStep(symbol, path, tuple(asked.guard), parikh + grown, JointPlace(*controls, ""), said)

    def _arrival(
        self, place: JointPlace, symbol: int, asked: SymbolicRun
    ) -> tuple[tuple[Control, Control, Control], tuple[int, ...], JointAnswer]:
        """The controls after a symbol, the growth of the own counters, and the answers there."""
        own, other = self._sides
        first, size = len(self.net.alphabet), len(self.names)
        net, units, answers = own.step(place.net, symbol, first, size, asked)
        target, counts, labels = other.step(place.target, symbol, first + len(own.names), size, asked)
        table = None if self.target.domain is None else self.target.domain.table
        domain = () if table is None else (int(table[place.domain[0], symbol]),)
        return (net, target, domain), units + counts, JointAnswer(answers, labels, self._counts(domain))

    @cached_property
    def _sides(self) -> tuple[Side, Side]:
        net = self.net
        own = NetSide(net) if isinstance(net, LimitTransformer) else build_target_side(net)
        return own, build_target_side(self.target.machine)

    def _counts(self, control: Control) -> bool:
        """True if an answer after this prefix counts for some word of the domain."""
        if self.target.domain is None:
            return True
        states = self.target.start()
        states[0, -1] = control[0]
        return bool(self.target.due(states)[0] < NEVER)


#: Places with counters that are followed, at most: a second.
MOST = 20_000


_Configuration = tuple[JointPlace, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class WordComparison:
    """All words up to ``length``, followed: the shortlex-least that steps get wrong, None if none is.

    Words that lead to one place with the same counters are followed as one: majority has 2^32 words of length
    32, and 33 ways to count their symbols. So the claim that a hypothesis is right up to some length is
    checked on all words of it, without going through them.
    """

    joint: JointSteps
    length: int
    wrong: Word | None

    @classmethod
    def of(
        cls, joint: JointSteps, upto: int, beat: Callable[[], None] = lambda: None, most: int = MOST
    ) -> WordComparison:
        """Follow words until one is wrong, or ``most`` configurations were met, or up to a length.

        Of words that lead to one configuration only the least is kept. Their continuations give the same
        answers, so the first wrong word found is the least. ``beat`` is called before every configuration.

        Raises `Unprovable` if there are no steps, or a wrong answer makes a longer word wrong, which need not
        be the next.
        """
        if joint.target.everywhere and joint.target.domain is not None:
            raise Unprovable("next symbols count in words of a domain, which are longer")
        place, counters, said = joint.start
        if not said.agree:
            return cls(joint, 0, ())
        level: dict[_Configuration, Word] = {(place, counters): ()}
        followed = 0
        for length in range(1, upto + 1):
            followed += len(level)
            if followed > most:
                return cls(joint, length - 1, None)
            longer: dict[_Configuration, Word] = {}
            for (place, counters), word in level.items():  # by their least words
                beat()
                for step in joint.open_steps(place, counters):  # by symbol
                    after = (*word, step.symbol)
                    if not step.said.agree:
                        return cls(joint, length, after)
                    grown = tuple(count + more for count, more in zip(counters, step.growth, strict=True))
                    longer.setdefault((step.to, grown), after)
            level = longer
        return cls(joint, upto, None)
