"""Proofs that a hypothesis equals a target on all words: inequalities at every place that no step leaves.

At every place a list of linear inequalities in the counters is claimed. They hold after SOS; every step leads
from counters that meet those of its place to counters that meet those of the next one, or can never be taken;
and no step that can be taken ends in a disagreement. So the two agree on every word. The inequalities that a
step needs are derived from those of its place and its own guard by non-negative multipliers (Farkas), after
splitting cases where integers need it. A check multiplies and adds integers and fractions, nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from operator import mul

from idinf.base.quoting import quote
from idinf.languages.equivalence.conditions import Inequality
from idinf.proofs.check.joint_steps import MAX_DETAIL, JointPlace, JointSteps
from idinf.report.proof import Derivation, Invariant, Key, ProofError, Split


def check(proof: Invariant, joint: JointSteps) -> frozenset[Key]:
    """Check a proof, every step of it; gives the steps that it does not exclude.

    The steps are made from the hypothesis and the target themselves, not from the proof. Their detail is set
    to that of the proof: any is sound.

    Raises `ProofError` if anything is missing or wrong.
    """
    if not 0 <= proof.detail <= MAX_DETAIL:
        raise ProofError(f"detail is {proof.detail}; expected a number from 0 to {MAX_DETAIL}")
    if joint.detail != proof.detail:
        joint = joint.at_detail(proof.detail)
    if proof.counters != joint.names:
        raise ProofError(f"counters {', '.join(proof.counters)}; expected {', '.join(joint.names)}")
    for name, claims in proof.claims.items():
        if any(len(claim.coefficients) != len(joint.names) for claim in claims):
            raise ProofError(f"an inequality of place {quote(name)} has not {len(joint.names)} coefficients")
    place, counters, said = joint.start
    if not said.agree:
        raise ProofError("the two differ on the empty word")
    if not all(claim.holds(counters) for claim in _claims(proof, place)):
        raise ProofError(f"at the start {counters} an inequality of place {quote(place.name)} does not hold")
    seen, waiting, admitted = {place}, [place], set[Key]()
    while waiting:
        place = waiting.pop()
        premises = _claims(proof, place)
        for step in joint.steps(place):
            # The keys that speak of it: those of the beginnings of its path, the whole path last.
            keys = [(place.name, step.symbol, step.path[:number]) for number in range(len(step.path) + 1)]
            if _is_excluded(proof, keys, step.guard, premises):
                continue
            where = f"place {quote(place.name)}, symbol {step.symbol}, path {quote(step.path)}"
            given = any(key in proof.reasons for key in keys)
            if not step.said.agree:
                lack = "that it is never taken does not follow" if given else "no reason is given"
                raise ProofError(f"{where}: {lack}, and the two differ there")
            reasons = proof.reasons.get(keys[-1], ())
            # Inequalities that have to hold before the step, for the claims to hold after it.
            goals = [
                Inequality(claim.coefficients, claim.bound - sum(map(mul, claim.coefficients, step.growth)))
                for claim in _claims(proof, step.to)
            ]
            if goals and not given:
                raise ProofError(f"{where}: no reason is given")
            if len(reasons) != len(goals):
                raise ProofError(f"{where}: {len(reasons)} reasons; expected {len(goals)}")
            for goal, reason in zip(goals, reasons, strict=True):
                if not follows(goal, (*premises, *step.guard), reason):
                    shown = f"{list(goal.coefficients)} · counters >= {goal.bound}"
                    raise ProofError(f"{where}: {shown} does not follow")
            admitted.add(keys[-1])
            if step.to not in seen:
                seen.add(step.to)
                waiting.append(step.to)
    return frozenset(admitted)


def follows(goal: Inequality, premises: Sequence[Inequality], reason: Derivation) -> bool:
    """True if a derivation derives an inequality of integers from others; 0 ≥ 1 if they exclude each other.

    2x ≥ 1 gives x ≥ 1 for integers:

    >>> from fractions import Fraction
    >>> from idinf.report.proof import Sum
    >>> half = Sum(((0, Fraction(1, 2)),))
    >>> follows(Inequality((1,), 1), [Inequality((2,), 1)], half)
    True
    >>> follows(Inequality((1,), 2), [Inequality((2,), 1)], half)
    False
    """
    if isinstance(reason, Split):
        return follows(goal, (*premises, reason.case), reason.yes) and follows(
            goal, (*premises, reason.case.negated), reason.no
        )
    width = len(goal.coefficients)
    # Everything is multiplied by one number, so only integers are added.
    scale = lcm(*(factor.denominator for _, factor in reason.factors))
    total, bound = [0] * width, 0
    for number, factor in reason.factors:
        if factor < 0 or not 0 <= number < len(premises) or len(premises[number].coefficients) != width:
            return False
        premise, times = premises[number], int(factor * scale)
        total = [t + times * k for t, k in zip(total, premise.coefficients, strict=True)]
        bound += times * premise.bound
    if not any(total) and bound > 0:
        return True  # the premises exclude each other, and anything follows
    # The left side is an integer, so the bound may be rounded up.
    return total == [scale * k for k in goal.coefficients] and -(-bound // scale) >= goal.bound


def _is_excluded(
    proof: Invariant, keys: list[Key], guard: tuple[Inequality, ...], premises: tuple[Inequality, ...]
) -> bool:
    """True if the proof shows that the first answers on the path of a step are never given."""
    never = Inequality((0,) * len(proof.counters), 1)
    reasons = (proof.reasons.get(key, ()) for key in keys)
    # There is one inequality in the guard for each answer.
    return any(
        len(given) == 1 and follows(never, (*premises, *guard[:number]), given[0])
        for number, given in enumerate(reasons)
    )


def _claims(proof: Invariant, place: JointPlace) -> tuple[Inequality, ...]:
    if place.name not in proof.claims:
        raise ProofError(f"place {quote(place.name)} has no inequalities")
    return proof.claims[place.name]
