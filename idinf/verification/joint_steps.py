"""A hypothesis and a target run beside each other: places, and the steps between them with their guards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from idinf.equivalence.conditions import Inequality
from idinf.targets.supervised import NEVER, SupervisedTarget
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.verification.net_steps import NetSide
from idinf.verification.symbolic_runs import SymbolicRun, paths
from idinf.verification.target_steps import Control, Side, Unprovable, target_side

#: The finest way in which places tell the last position apart.
MAX_DETAIL = 2


@dataclass(frozen=True, slots=True)
class JointPlace:
    """Where a run can be: what is finite after a prefix.

    Attributes
    ----------
    net, target, domain : tuple of int
        The controls.
    arrived : str
        How the last position is told apart: not at all, by its symbol's code, or by that and the answers to
        the questions there, "1" for yes; "" at SOS.
    """

    net: Control
    target: Control
    domain: Control
    arrived: str

    @property
    def name(self) -> str:
        """How a certificate names it."""
        parts = (self.net, self.target, self.domain)
        return "/".join([*(".".join(map(str, part)) for part in parts), self.arrived])


class JointAnswer(NamedTuple):
    """What is said at one position: the answers of the hypothesis, those of the target, and if they count."""

    net: tuple[bool, ...]
    target: tuple[bool, ...]
    counts: bool

    @property
    def agree(self) -> bool:
        """Whether the two agree, wherever that is judged."""
        return self.net == self.target or not self.counts


@dataclass(frozen=True, slots=True)
class JointStep:
    """One way on from a place.

    Attributes
    ----------
    symbol : int
    path : str
        The answers to the questions of this step.
    guard : tuple of Inequality
        When it is taken, over the counters before it.
    growth : tuple of int
        What it adds to the counters.
    to : JointPlace
    said : JointAnswer
        The answers after it.
    """

    symbol: int
    path: str
    guard: tuple[Inequality, ...]
    growth: tuple[int, ...]
    to: JointPlace
    said: JointAnswer

    @property
    def agree(self) -> bool:
        """Whether hypothesis and target agree after it, wherever that is judged."""
        return self.said.agree


@dataclass(frozen=True, eq=False)
class JointSteps:
    """All steps of a hypothesis beside a target, on words of any length.

    Counters are the Parikh vector, then those of the hypothesis, then those of the target; each is at least 0
    and grows by 0 or 1 a step.

    Parameters
    ----------
    net : LimitTransformer
    target : SupervisedTarget
    detail : int
        How places tell the last position apart: 0 not at all, 1 by its symbol, 2 by the answers there too.
        What is counted and what is judged is the same.

    Raises
    ------
    Unprovable
        If one of them has no such steps.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> from idinf.targets.supervised import supervise
    >>> from idinf.transformers.one_hot import OneHotTransformer
    >>> from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
    >>> majority = load("majority")
    >>> unit = OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0)
    >>> layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), (unit,))
    >>> net = OneHotTransformer(majority.alphabet, 0, (layer,), (-1,), -1).to_dense()
    >>> joint = JointSteps(net, supervise(build_target(majority)))
    >>> joint.names
    ('#0', '#1')
    >>> [(step.symbol, step.path, step.to.name, step.agree) for step in joint.steps(joint.start[0])][:2]
    [(0, '1', '0///', True), (0, '0', '0///', True)]
    """

    net: LimitTransformer
    target: SupervisedTarget
    detail: int = 0

    def __post_init__(self) -> None:
        if self.target.places is not None:
            raise Unprovable("the target has a rule of its own for the positions that are judged")
        for side in self._sides:
            side.start()

    @property
    def names(self) -> tuple[str, ...]:
        """What the counters count."""
        own, other = self._sides
        return (*(f"#{symbol}" for symbol in self.net.alphabet.symbols), *own.names, *other.names)

    @property
    def start(self) -> tuple[JointPlace, tuple[int, ...], bool]:
        """Place and counters after SOS alone, and whether the two agree there."""
        place, counters, said = self.after_sos
        return place, counters, said.agree

    @cached_property
    def after_sos(self) -> tuple[JointPlace, tuple[int, ...], JointAnswer]:
        """Place, counters and answers after SOS alone."""
        own, other = self._sides
        net, units, answers = own.start()
        target, counts, labels = other.start()
        domain = () if self.target.domain is None else (0,)
        counters = ((0,) * len(self.net.alphabet)) + units + counts
        return (
            JointPlace(net, target, domain, ""),
            counters,
            JointAnswer(answers, labels, self._counts(domain)),
        )

    def steps(self, place: JointPlace) -> Iterator[JointStep]:
        """All steps from a place, by symbol; their guards exclude each other and cover all counters.

        Raises
        ------
        Unprovable
            If an answer is not decided by counters.
        """
        key = (place.net, place.target, place.domain)
        if key not in self._known:
            self._known[key] = tuple(self._steps(place))
        yield from self._known[key]

    def _steps(self, place: JointPlace) -> Iterator[JointStep]:
        own, other = self._sides
        symbols, size = len(self.net.alphabet), len(self.names)
        for symbol in range(symbols):

            def run(
                asked: SymbolicRun, symbol: int = symbol
            ) -> tuple[tuple[Control, Control, Control], tuple[int, ...], JointAnswer]:
                net, units, answers = own.step(place.net, symbol, symbols, size, asked)
                first = symbols + len(own.names)
                target, counts, labels = other.step(place.target, symbol, first, size, asked)
                domain = self._domain_step(place.domain, symbol)
                said = JointAnswer(answers, labels, self._counts(domain))
                return (net, target, domain), units + counts, said

            for asked, ((net, target, domain), grown, said) in paths(run):
                path = "".join("01"[answer] for answer in asked.answers)
                parikh = tuple(int(code == symbol) for code in range(symbols))
                arrived = ("", f"{symbol}", f"{symbol}:{path}")[self.detail]
                to = JointPlace(net, target, domain, arrived)
                yield JointStep(symbol, path, tuple(asked.guard), parikh + grown, to, said)

    @cached_property
    def _known(self) -> dict[tuple[Control, Control, Control], tuple[JointStep, ...]]:
        """The steps by the controls before: how a place was arrived at makes no difference to them."""
        return {}

    @cached_property
    def _sides(self) -> tuple[NetSide, Side]:
        return NetSide(self.net), target_side(self.target.machine)

    def _domain_step(self, control: Control, symbol: int) -> Control:
        domain = self.target.domain
        return () if domain is None else (int(domain.table[control[0], symbol]),)

    def _counts(self, control: Control) -> bool:
        """Whether an answer after this prefix counts for some word of the domain."""
        domain = self.target.domain
        if domain is None:
            return True
        states = self.target.start()
        states[0, -1] = control[0]
        return bool(self.target.due(states)[0] < NEVER)
