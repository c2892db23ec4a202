"""Finding an invariant: start from what must never happen, and derive what that needs, step by step backwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from idinf.equivalence.conditions import Inequality
from idinf.proofs.candidates import candidates, directions
from idinf.proofs.multipliers import Budget, derive
from idinf.proofs.samples import Reached, sample
from idinf.verification.invariant import Derivation, Invariant, Split, Sum
from idinf.verification.joint_steps import JointSteps, Place, Step

__all__ = ["find_invariant"]

#: Lengths of the words that candidates come from, tried in this order.
LENGTHS = (64,)

#: Derivations that are tried, at most: some seconds.
MAX_DERIVATIONS = 3_000

#: By how much the bound that short words show is lowered at most, where longer words may go below it.
MAX_WEAKER = 2


def find_invariant(joint: JointSteps, beat: Callable[[], None] = lambda: None) -> Invariant | None:
    """Look for a proof that the two sides agree on all words; None if none was found, which proves nothing.

    Parameters
    ----------
    joint : JointSteps
    beat : callable
        Called before every derivation; may raise to stop.

    Raises
    ------
    Unprovable
        If an answer is not decided by counters.

    Notes
    -----
    Inequalities that short words allow are candidates. A step that would end in a disagreement, or at a place
    no short word reaches, must be impossible: that is derived from candidates of its place. Each one that is
    used must itself be kept by all steps that lead to its place. One that is not is dropped, and what rested
    on it is derived anew. So only what is needed is ever looked at, and the proof stays short.
    """
    for length in LENGTHS:
        reached = sample(joint, length)
        if reached is None or reached.differs:
            return None
        guards = dict.fromkeys(g for steps in reached.steps.values() for step in steps for g in step.guard)
        for tier in ((), *directions(len(joint.net.alphabet), len(joint.names), guards)):
            proof = _Search(joint, reached, beat, tier).proof()
            if proof is not None:
                return proof
    return None


@dataclass(frozen=True, slots=True)
class _Goal:
    """Something to derive at a step: that it is never taken, or that it keeps a claim of the next place."""

    place: Place
    step: Step
    claim: Inequality | None

    @property
    def inequality(self) -> Inequality:
        if self.claim is None:
            return Inequality((0,) * len(self.step.growth), 1)
        grown = sum(k * g for k, g in zip(self.claim.coefficients, self.step.growth, strict=True))
        return Inequality(self.claim.coefficients, self.claim.bound - grown)


@dataclass
class _Search:
    """What is claimed, dropped and derived so far. Mutable."""

    joint: JointSteps
    reached: Reached
    beat: Callable[[], None]
    wanted: tuple[tuple[int, ...], ...]
    claimed: dict[Place, dict[Inequality, None]] = field(default_factory=dict)
    dropped: set[tuple[Place, Inequality]] = field(default_factory=set)
    rests_on: dict[_Goal, tuple[Inequality, ...]] = field(default_factory=dict)
    derived: dict[_Goal, tuple[Derivation, list[Inequality]]] = field(default_factory=dict)

    def proof(self) -> Invariant | None:
        """Derive all goals and what they need; None if that fails or takes too long."""
        self.tried = {place: list(candidates(self.reached, place, self.wanted)) for place in self.reached.counters}
        self.first = {(place, c.coefficients): c.bound for place, tried in self.tried.items() for c in tried}
        self.into: dict[Place, list[tuple[Place, Step]]] = {}
        waiting: list[_Goal] = []
        for place, steps in self.reached.steps.items():
            for step in steps:
                if step.agree and step.to in self.reached.counters:
                    self.into.setdefault(step.to, []).append((place, step))
                else:
                    waiting.append(_Goal(place, step, None))
        for _ in range(MAX_DERIVATIONS):
            if not waiting:
                return self._written()
            self.beat()
            goal = waiting.pop()
            if goal in self.rests_on or self._is_gone(goal):
                continue
            if not self._derive(goal, waiting):
                if goal.claim is None:
                    return None
                waiting += self._without(goal.step.to, goal.claim)
        return None

    def _is_gone(self, goal: _Goal) -> bool:
        return goal.claim is not None and goal.claim not in self.claimed.get(goal.step.to, {})

    def _derive(self, goal: _Goal, waiting: list[_Goal]) -> bool:
        """Derive a goal, and claim what it uses."""
        place, guard = goal.place, goal.step.guard
        claimed = self.claimed.setdefault(place, {})
        # What is claimed already costs no further goals, and few premises are solved fast.
        every = [c for c in self.tried[place] if (place, c) not in self.dropped]
        for usable, splits in ((list(claimed), Budget(0)), (every, Budget())):
            costs = [(0.2 if c in claimed else 1.0) * (1 + sum(map(abs, c.coefficients))) for c in usable]
            premises = [*usable, *guard]
            reason = derive(goal.inequality, premises, [*costs, *(0.1 for _ in guard)], splits)
            if reason is not None:
                break
        else:
            return False
        used = tuple(usable[k] for k in _used(reason) if k < len(usable))
        self.rests_on[goal], self.derived[goal] = used, (reason, premises)
        for claim in used:
            if claim not in claimed:
                claimed[claim] = None
                waiting += [_Goal(before, step, claim) for before, step in self.into.get(place, [])]
        return True

    def _without(self, place: Place, claim: Inequality) -> list[_Goal]:
        """Drop a claim; the goals that rested on it."""
        self.dropped.add((place, claim))
        weaker = Inequality(claim.coefficients, claim.bound - 1)
        if self.first[place, claim.coefficients] - weaker.bound <= MAX_WEAKER:
            self.tried[place].append(weaker)
        self.claimed[place].pop(claim)
        again = [g for g, used in self.rests_on.items() if g.place == place and claim in used]
        kept = [g for g in self.rests_on if g.step.to == place and g.claim == claim]
        for goal in dict.fromkeys([*again, *kept]):
            del self.rests_on[goal]
        return again

    def _written(self) -> Invariant:
        """The proof, with what it needs and nothing else."""
        needed: dict[Place, dict[Inequality, None]] = {place: {} for place in self.reached.counters}
        waiting = [goal for goal in self.rests_on if goal.claim is None]
        while waiting:
            goal = waiting.pop()
            for claim in self.rests_on[goal]:
                if claim not in needed[goal.place]:
                    needed[goal.place][claim] = None
                    waiting += [_Goal(before, step, claim) for before, step in self.into.get(goal.place, [])]
        claims = {place.name: tuple(claimed) for place, claimed in needed.items()}
        reasons = {
            (place.name, step.symbol, step.path): tuple(self._reasons(place, step, claims))
            for place, steps in self.reached.steps.items()
            for step in steps
        }
        return Invariant(self.joint.names, claims, reasons)

    def _reasons(
        self, place: Place, step: Step, claims: dict[str, tuple[Inequality, ...]]
    ) -> Iterator[Derivation]:
        """Derivations at one step from what is claimed in the end."""
        stays = step.agree and step.to.name in claims
        for claim in claims[step.to.name] if stays else [None]:
            reason, premises = self.derived[_Goal(place, step, claim)]
            yield _renumbered(reason, premises, [*claims[place.name], *step.guard])


def _renumbered(reason: Derivation, old: list[Inequality], new: list[Inequality]) -> Derivation:
    """A derivation from some premises as one from others that hold all it uses."""
    if isinstance(reason, Split):
        sides = (reason.yes, reason.case), (reason.no, reason.case.negated)
        yes, no = (_renumbered(side, [*old, case], [*new, case]) for side, case in sides)
        return Split(reason.case, yes, no)
    return Sum(tuple((new.index(old[number]), factor) for number, factor in reason.factors))


def _used(reason: Derivation) -> set[int]:
    """The numbers of the premises that a derivation uses."""
    if isinstance(reason, Split):
        return _used(reason.yes) | _used(reason.no)
    return {number for number, _ in reason.factors}
