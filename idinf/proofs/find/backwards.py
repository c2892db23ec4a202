"""Search backwards: from steps that must never happen to claims that exclude them, and to their premises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from idinf.languages.equivalence.conditions import Inequality
from idinf.proofs.check.invariant import follows
from idinf.proofs.check.joint_steps import JointPlace, JointStep, JointSteps
from idinf.proofs.find.candidates import SampledStates
from idinf.report.proof import Derivation, Invariant, Key

#: By how much the bound that short words show is lowered at most, where longer words may go below it.
MAX_WEAKER = 2

#: Steps whose paths begin alike: place, symbol and beginning.
_Beginning: TypeAlias = tuple[JointPlace, int, str]


@dataclass(frozen=True, slots=True)
class _Goal:
    """To be derived at a step: that it is never taken, or else that it keeps a claim of the next place."""

    place: JointPlace
    step: JointStep
    claim: Inequality | None

    @property
    def inequality(self) -> Inequality:
        if self.claim is None:
            return Inequality((0,) * len(self.step.growth), 1)
        grown = sum(k * g for k, g in zip(self.claim.coefficients, self.step.growth, strict=True))
        return Inequality(self.claim.coefficients, self.claim.bound - grown)


@dataclass(frozen=True, slots=True, eq=False)
class _Derivation:
    """A derivation, the premises it counts, and the claims among them that it uses."""

    reason: Derivation
    premises: tuple[Inequality, ...]
    used: tuple[Inequality, ...]


@dataclass(eq=False)
class BackwardSearch:
    """A proof under construction: claims, dropped ones, derivations. Mutable."""

    joint: JointSteps
    reached: SampledStates
    beat: Callable[[], None]
    propose: Callable[[JointPlace], Iterable[Inequality]]
    tried: dict[JointPlace, list[Inequality]] = field(default_factory=dict)
    #: By place and direction the bound that was proposed.
    first: dict[tuple[JointPlace, tuple[int, ...]], int] = field(default_factory=dict)
    claimed: dict[JointPlace, dict[Inequality, None]] = field(default_factory=dict)
    dropped: set[tuple[JointPlace, Inequality]] = field(default_factory=set)
    derived: dict[_Goal, _Derivation] = field(default_factory=dict)
    never: dict[_Beginning, _Derivation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.into: dict[JointPlace, list[tuple[JointPlace, JointStep]]] = {}
        self.final: list[_Goal] = []
        for place, steps in self.reached.steps.items():
            for step in steps:
                if step.said.agree and step.to in self.reached.counters:
                    self.into.setdefault(step.to, []).append((place, step))
                else:
                    self.final.append(_Goal(place, step, None))

    def succeeds(self, steps: Iterator[object]) -> bool:
        """Derive all goals and what they need; False if that fails, or if there are more goals than steps."""
        waiting = list(self.final)
        for _ in steps:
            if not waiting:
                return True
            self.beat()
            goal = waiting.pop()
            is_gone = goal.claim is not None and goal.claim not in self.claimed.get(goal.step.to, {})
            if goal in self.derived or is_gone:
                continue
            found = self._found(goal)
            if found is not None:
                self.derived[goal] = found
                waiting += self._claim(goal.place, found.used)
            elif goal.claim is None:
                return False
            else:
                waiting += self._without(goal.step.to, goal.claim)
        return not waiting

    def _found(self, goal: _Goal) -> _Derivation | None:
        """Why a step is never taken, or else keeps a claim."""
        from idinf.proofs.find.multipliers import MAX_SPLITS  # plain proofs have nothing to derive

        place, step = goal.place, goal.step
        known = self._never_taken(place, step)
        if known is not None:
            return self.never[known]
        # Earlier claims cost no further goals.
        claimed = tuple(self.claimed.get(place, {}))
        every = tuple(c for c in self._candidates(place) if (place, c) not in self.dropped)
        attempts = [(goal, claimed, 0), (goal, every, MAX_SPLITS)]
        if goal.claim is not None and (place, step) not in self.reached.taken:
            # One derivation shows that it is never taken, in place of one for every claim.
            never = _Goal(place, step, None)
            attempts[:0] = [(never, claimed, 0), (never, every, 0)]
        for wanted, usable, splits in attempts:
            found = self._derived(wanted, usable, splits)
            if found is not None:
                return found
        return None

    def _candidates(self, place: JointPlace) -> list[Inequality]:
        """The inequalities that may be claimed at a place, each proposed when it is first needed."""
        if place not in self.tried:
            self.tried[place] = list(self.propose(place))
            self.first |= {(place, c.coefficients): c.bound for c in self.tried[place]}
        return self.tried[place]

    def _never_taken(self, place: JointPlace, step: JointStep) -> _Beginning | None:
        """The shortest beginning of its path that is known to be impossible."""
        beginnings = ((place, step.symbol, step.path[:number]) for number in range(len(step.path) + 1))
        return next((beginning for beginning in beginnings if beginning in self.never), None)

    def _derived(self, goal: _Goal, usable: tuple[Inequality, ...], splits: int) -> _Derivation | None:
        from idinf.proofs.find.multipliers import Budget, derive, find_used_premises

        place, step = goal.place, goal.step
        claimed = self.claimed.get(place, {})
        costs = [(0.2 if c in claimed else 1.0) * (1 + sum(map(abs, c.coefficients))) for c in usable]
        # The first answers of a path: a case that they exclude is excluded for all paths that begin so.
        costs += [0.1 * (1 + number) for number in range(len(step.guard))]
        premises = (*usable, *step.guard)
        reason = derive(goal.inequality, premises, costs, Budget(splits))
        if reason is None:
            return None
        numbers = find_used_premises(reason)
        found = _Derivation(reason, premises, tuple(usable[k] for k in sorted(numbers) if k < len(usable)))
        if follows(_Goal(place, step, None).inequality, premises, reason):
            answers = max((k - len(usable) + 1 for k in numbers), default=0)
            self.never[place, step.symbol, step.path[: max(0, answers)]] = found
        return found

    def _claim(self, place: JointPlace, used: tuple[Inequality, ...]) -> list[_Goal]:
        """Claim the used inequalities; gives the goals that have to be derived for them."""
        claimed, goals = self.claimed.setdefault(place, {}), []
        for claim in used:
            if claim not in claimed:
                claimed[claim] = None
                goals += [_Goal(before, step, claim) for before, step in self.into.get(place, [])]
        return goals

    def _without(self, place: JointPlace, claim: Inequality) -> list[_Goal]:
        """Drop a claim; the goals that rested on it."""
        self.dropped.add((place, claim))
        weaker = Inequality(claim.coefficients, claim.bound - 1)
        if self.first[place, claim.coefficients] - weaker.bound <= MAX_WEAKER:
            self.tried[place].append(weaker)
        self.claimed[place].pop(claim)
        again = [goal for goal, found in self.derived.items() if goal.place == place and claim in found.used]
        kept = [goal for goal in self.derived if goal.step.to == place and goal.claim == claim]
        for goal in dict.fromkeys([*again, *kept]):
            del self.derived[goal]
        for key in [key for key, found in self.never.items() if key[0] == place and claim in found.used]:
            del self.never[key]
        return again

    def needed(self) -> dict[JointPlace, list[Inequality]]:
        """The claims that the goals need, by place."""
        needed: dict[JointPlace, dict[Inequality, None]] = {place: {} for place in self.reached.counters}
        waiting = list(self.final)
        while waiting:
            goal = waiting.pop()
            known = self._never_taken(goal.place, goal.step)
            for claim in (self.derived[goal] if known is None else self.never[known]).used:
                if claim not in needed[goal.place]:
                    needed[goal.place][claim] = None
                    waiting += [_Goal(before, step, claim) for before, step in self.into.get(goal.place, [])]
        return {place: list(claims) for place, claims in needed.items()}

    def written(self) -> Invariant:
        """The proof, with the claims and reasons that it needs and no others."""
        needed = self.needed()
        reasons: dict[Key, tuple[Derivation, ...]] = {}
        for place, steps in self.reached.steps.items():
            for step in steps:
                known = self._never_taken(place, step)
                if known is not None:
                    path, found = known[2], [self.never[known]]
                else:
                    path = step.path
                    found = [self.derived[_Goal(place, step, claim)] for claim in needed[step.to]]
                premises = [*needed[place], *step.guard[: len(path)]]
                if found:
                    from idinf.proofs.find.multipliers import renumber

                    reasons[place.name, step.symbol, path] = tuple(
                        renumber(one.reason, one.premises, premises) for one in found
                    )
        claims = {place.name: tuple(kept) for place, kept in needed.items()}
        return Invariant(self.joint.names, claims, reasons, self.joint.detail)
