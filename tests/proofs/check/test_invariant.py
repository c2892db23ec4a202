"""Proofs: real ones pass, each planted fault is named, and what follows holds at every integer point."""

import itertools
import random
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import pytest

from idinf.languages.equivalence.conditions import Inequality
from idinf.proofs.check.invariant import check, follows
from idinf.proofs.check.joint_steps import JointAnswer, JointSteps
from idinf.report.proof import Invariant, ProofError, Split, Sum
from idinf.targets.build import build_target
from idinf.targets.supervised import supervise
from tests.asked_for import few
from tests.proofs.check.small_reports import read


@cache
def proved(number=0, name="proved"):
    """A proof of a report with the joint steps of what it proves."""
    proof = read(name).proofs[number]
    return proof.invariant, JointSteps(proof.hypothesis, target_of(name))


def target_of(name):
    """The machine of the target of a report."""
    return supervise(build_target(read(name).target.spec()))


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "number"), [("proved", 0), ("next", 0), ("next", 1)])
def test_real_proofs_pass(name, number):
    """And no reason stands in vain: without any one of them nothing is proved."""
    proof, joint = proved(number, name)
    assert check(proof, joint)
    for key in (key for key, reasons in proof.reasons.items() if reasons):
        with pytest.raises(ProofError):
            check(replace(proof, reasons={**proof.reasons, key: ()}), joint)


def claiming(proof):
    """A place with claims, and not the start."""
    return next(place for place, claims in proof.claims.items() if claims)


def with_claims(proof, edit):
    place = claiming(proof)
    return replace(proof, claims={**proof.claims, place: edit(proof.claims[place])})


def with_reasons(proof, edit):
    """A change of the first derivation with a factor."""
    for key, reasons in proof.reasons.items():
        for place, reason in enumerate(reasons):
            if isinstance(reason, Sum) and reason.factors:
                changed = (*reasons[:place], edit(reason), *reasons[place + 1 :])
                return replace(proof, reasons={**proof.reasons, key: changed})
    raise AssertionError("no derivation")


def scaled(claim):
    return replace(claim, coefficients=tuple(2 * k + 1 for k in claim.coefficients))


#: Where something no longer follows it depends on the place what is met first.
LOST = "does not (follow|hold)|the two differ there, and nothing shows that it is never taken"

FAULTS = {
    "a coefficient": (lambda p: with_claims(p, lambda c: (scaled(c[0]), *c[1:])), LOST),
    "a bound": (lambda p: with_claims(p, lambda c: (replace(c[0], bound=c[0].bound + 1), *c[1:])), LOST),
    "a claim more": (lambda p: with_claims(p, lambda c: (*c, c[0])), rf"reasons; expected \d|{LOST}"),
    "a claim less": (lambda p: with_claims(p, lambda c: c[1:]), rf"reasons; expected \d|{LOST}"),
    "a claim too wide": (lambda p: with_claims(p, lambda c: (replace(c[0], coefficients=(*c[0].coefficients,
        0)), *c[1:])), r"an inequality of place .* has not \d coefficients"),
    "a factor": (lambda p: with_reasons(p, lambda r: Sum(((r.factors[0][0], Fraction(9, 7)),
        *r.factors[1:]))), LOST),
    "a factor below 0": (lambda p: with_reasons(p, lambda r: Sum(((r.factors[0][0], Fraction(-1)),
        *r.factors[1:]))), LOST),
    "a premise that is none": (lambda p: with_reasons(p, lambda r: Sum(((999, Fraction(1)),
        *r.factors[1:]))), LOST),
    "a premise from the end": (lambda p: with_reasons(p, lambda r: Sum(((-1, Fraction(1)),
        *r.factors[1:]))), LOST),
    "no factors": (lambda p: with_reasons(p, lambda r: Sum(())), LOST),
    "a reason missing": (lambda p: replace(p, reasons=dict(list(p.reasons.items())[1:])),
        r"place .*, symbol 0, path .*: no reason is given"),
    "a derivation missing": (lambda p: replace(p, reasons={**p.reasons, **{k: r[1:] for k,
        r in p.reasons.items() if r}}), r"\d reasons; expected \d"),
    "the start missing": (lambda p: replace(p, claims={k: c for k,
        c in p.claims.items() if not k.endswith("/")}), "has no inequalities"),
    "a place missing": (lambda p: replace(p, claims=dict(list(p.claims.items())[:-1])),
        "place .* has no inequalities"),
    "a claim that fails at the start": (lambda p: replace(p, claims={k: (*c, Inequality((0,
        ) * len(p.counters), 1)) if k.endswith("/") else c for k, c in p.claims.items()}),
        "at the start .* does not hold"),
    "a detail that is none": (lambda p: replace(p, detail=3), "detail is 3; expected a number from 0 to 2"),
    "another detail": (lambda p: replace(p, detail=(p.detail + 1) % 3), "has no inequalities"),
    "other counters": (lambda p: replace(p, counters=("#x",)), "counters #x; expected #"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_named(fault):
    proof, joint = proved()
    edit, expected = FAULTS[fault]
    with pytest.raises(ProofError, match=expected):
        check(edit(proof), joint)


@dataclass(frozen=True)
class Lazy:
    """Steps of a hypothesis of which none adds anything, or all what they should; all are taken."""

    joint: JointSteps
    factor: int
    detail: int = 0

    @property
    def names(self):
        return self.joint.names

    @property
    def start(self):
        return self.joint.start

    def steps(self, place):
        for step in self.joint.steps(place):
            growth = tuple(self.factor * g for g in step.growth)
            yield replace(step, guard=(), growth=growth, said=JointAnswer((), (), True))


def test_what_a_step_adds_counts():
    """Claimed everywhere: nothing was counted so far. Only steps that add nothing keep that."""
    _, joint = proved()
    none = Inequality(tuple(-int(name.startswith("#")) for name in joint.names), 0)
    claims, waiting = {joint.start[0].name: (none,)}, [joint.start[0]]
    reasons = {}
    while waiting:
        place = waiting.pop()
        for step in joint.steps(place):
            reasons[place.name, step.symbol, step.path] = (Sum(((0, Fraction(1)),)),)
            if step.to.name not in claims:
                claims[step.to.name] = (none,)
                waiting.append(step.to)
    proof = Invariant(joint.names, claims, reasons)
    assert check(proof, Lazy(joint, 0)) == reasons.keys()
    with pytest.raises(ProofError, match="does not follow"):
        check(proof, Lazy(joint, 1))


def test_the_proof_of_one_hypothesis_proves_no_other():
    proof, joint = proved()
    other = JointSteps(read("proved").records[1].hypothesis, joint.target)
    with pytest.raises(ProofError):
        check(proof, other)


def test_a_difference_on_the_empty_word_is_said():
    right = read("next").records[1].hypothesis
    joint = JointSteps(replace(right, unembedding=right.unembedding[::-1]), target_of("next"))
    with pytest.raises(ProofError, match="the two differ on the empty word"):
        check(Invariant(joint.names, {}, {}), joint)


# Derivations


def test_what_follows_holds_at_every_small_point():
    """Random premises, goals and derivations, splits among them: nothing false is ever derived."""
    rng = random.Random(3)

    def inequality():
        return Inequality((rng.randint(-2, 2), rng.randint(-2, 2)), rng.randint(-2, 2))

    def derivation(number, depth):
        if depth and rng.random() < 0.4:
            return Split(inequality(), derivation(number + 1, depth - 1), derivation(number + 1, depth - 1))
        chosen = rng.sample(range(number), min(number, rng.randint(1, 2)))
        return Sum(tuple((k, Fraction(rng.randint(-1, 4), rng.randint(1, 2))) for k in chosen))

    derived = 0
    for _ in range(few(2000, 6000)):
        premises, goal, reason = [inequality() for _ in range(3)], inequality(), derivation(3, 1)
        if follows(goal, premises, reason):
            derived += 1
            for point in itertools.product(range(-4, 5), repeat=2):
                if all(premise.holds(point) for premise in premises):
                    assert goal.holds(point)
    assert derived > few(10, 30)
