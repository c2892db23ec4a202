"""Beyond max_n: proofs that all hypotheses that can still be selected are right on words of every length."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from idinf.base.numbers import format_r
from idinf.errors import BudgetError
from idinf.inference.outcome import Hypothesis, TableRecord, write_dense
from idinf.inference.table import BatchT, StageTable
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import EPSILON
from idinf.proofs.check.invariant import check
from idinf.proofs.check.joint_steps import JointSteps
from idinf.proofs.check.target_steps import Unprovable
from idinf.proofs.find.finder import find_invariant
from idinf.report.proof import Invariant, tell_proved
from idinf.report.rows import Rows
from idinf.report.value import Outcome, Proof, Report, round_r
from idinf.search.exact_check.reachability import fail_lengths
from idinf.search.fail_lengths import name_functions
from idinf.targets.supervised import SupervisedTarget
from idinf.work.limits import ENDS, Limits
from idinf.work.parallel import Learned


class Prover:
    """Finds and checks proofs for one target. Mutable: it remembers them, and searches without a result.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> from idinf.targets.supervised import supervise
    >>> from idinf.nets.one_hot import OneHotTransformer
    >>> from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotUnit
    >>> majority = load("majority")
    >>> layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), (OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=0),))
    >>> net = OneHotTransformer(majority.alphabet, 0, (layer,), (-1,), -1)
    >>> Prover(supervise(build_target(majority))).proves(net)
    True
    """

    def __init__(self, target: SupervisedTarget) -> None:
        self.target = target
        self.known: Learned[Hypothesis, Invariant | Unprovable | None] = Learned()

    def proves(self, hypothesis: Hypothesis, beat: Callable[[], None] = lambda: None) -> bool:
        """True if a proof is found; ``beat`` may raise to stop the search for one."""
        try:
            return self.find(hypothesis, beat) is not None
        except Unprovable:
            return False

    def find(self, hypothesis: Hypothesis, beat: Callable[[], None] = lambda: None) -> Invariant | None:
        """A checked proof that a hypothesis is right on words of every length; None if none was found.

        Raises `Unprovable` if the hypothesis or the target is of a kind that has no such proofs.
        """
        is_several = isinstance(hypothesis, OneHotTransformer) and len(hypothesis.signs) > 1
        if self.target.by_logits and is_several:
            raise Unprovable("its logits are a sum of several units")
        if hypothesis not in self.known:
            self.known[hypothesis] = self._sought(hypothesis, beat)
        found = self.known[hypothesis]
        if isinstance(found, Unprovable):
            raise found
        return found

    def _sought(self, hypothesis: Hypothesis, beat: Callable[[], None]) -> Invariant | Unprovable | None:
        try:
            joint = JointSteps(write_dense(hypothesis), self.target)
            found = find_invariant(joint, beat)
        except Unprovable as error:
            return error
        if found is not None:
            check(found, joint)
        return found


#: Hypotheses that are examined, at most: a window that holds more is too wide to prove all of it.
MAX_MEMBERS = 64

#: Where no proof is found, words up to this multiple of max_n are tried for one that refutes.
FURTHER = 4

#: Joint states that this may take: seconds.
FURTHER_STATES = 200_000

#: Knowledge of a hypothesis beyond max_n: a proof, a fail length, or why neither; None: nothing yet.
_Standing: TypeAlias = Invariant | int | str | None


def add_proofs_for_all_n(
    report: Report,
    answers: StageTable[BatchT],
    right: TableRecord,
    prover: Prover,
    limits: Limits,
    beat: Callable[[], None],
) -> Report:
    """The report with proofs about n > max_n of an identified target; a limit ends the attempt, not the run.

    ``right`` is the record that never fails.
    """
    try:
        with limits.held():
            proofs, reason = prove_for_all_lengths(answers, right, prover, beat)
    except ENDS as end:
        reason = limits.ending(end).text
        limits.closing()
        return replace(report, beyond=f"no proof was finished: {reason}")
    if proofs:
        proved = {proof.hypothesis for proof in proofs}
        marked = (replace(each, proved_all_n=each.hypothesis in proved) for each in report.records)
        outcome = Outcome.IDENTIFIED_FOR_ALL_N
        report = replace(report, outcome=outcome, proofs=proofs, records=Rows(marked))
    return replace(report, beyond=reason, seconds=round(limits.elapsed_s, 3))


def prove_for_all_lengths(
    canonical: StageTable[BatchT], shown: TableRecord, prover: Prover, beat: Callable[[], None]
) -> tuple[tuple[Proof, ...], str]:
    """Prove, if possible, that every n > max_n of an identified target is good; ``beat`` may raise to stop.

    Gives a proof for every hypothesis that can be selected at some n > max_n, or none, and why every n is
    good or why it may not be, as a part of a sentence.

    R*_n does not fall with n, and it is R*_max_n for ever if a hypothesis with this R is right on all words.
    So hypotheses selected at n > max_n fail above n and have R ≤ R*_max_n + 1/(2 (max_n + 1)). Each
    of these is proved right on all words, or has a fail length F and an R above every window of n ≥ F / 2;
    otherwise n0 is not claimed beyond max_n. Hypotheses that agree up to 2 · max_n are looked at one by one:
    only those that normal forms prove to agree on every word count as one.
    """
    table, max_n = canonical.table, canonical.table.max_n
    r_star = table.r_star(max_n, canonical.complete)
    if r_star is None:
        raise ValueError("R* is not known at max_n; expected a run that identified the target")
    end = r_star + table.window(max_n + 1)  # no window grows with n
    if canonical.unseen <= end + EPSILON:
        return (), "nets with a φ at larger distances can be selected"
    rows = table.selected(max_n + 1, end)
    failing = next((row for row in rows if row.fail is not None), None)
    if failing is not None:
        return (), f"at n = {max_n + 1} a hypothesis is selected that fails at length {failing.fail}"
    functions: dict[bytes, tuple[float, Hypothesis]] = {}
    for member in table.listed(-1, end):
        beat()
        hypothesis = canonical.hypothesis(member)
        [name] = name_functions(canonical.nets(hypothesis))
        functions[name] = min(functions.get(name, (math.inf, hypothesis)), (member.r, hypothesis), key=_r)
        if len(functions) > MAX_MEMBERS:
            return (), f"more hypotheses can be selected than proofs are tried for, {MAX_MEMBERS}"
    hypotheses = [*functions.values()]
    # The last record is the first way to write the cheapest function: the only one, or one more to prove.
    every = (shown.r, shown.hypothesis), *(hypotheses if len(hypotheses) > 1 else ())
    hypotheses = [*dict.fromkeys(every)]
    proofs, least, later = list[Proof](), math.inf, False
    look: list[Callable[[], _Standing]] = [partial(_proof, net, prover, beat) for _, net in hypotheses]
    refute = partial(_refutation, canonical, beat=beat)
    if len(hypotheses) == 1:  # then another process may refute it meanwhile
        look.append(partial(refute, shown.hypothesis))
    # Each takes seconds or is done at once, as in most runs that took little time so far.
    with closing(canonical.workers.map(_call, look, time.process_time())) as results:
        for r, hypothesis in hypotheses:
            found = next(results)
            if found is None:
                found = refute(hypothesis) if len(hypotheses) > 1 else next(results)
            assert found is not None
            if isinstance(found, Invariant):
                proofs.append(Proof(round_r(r), write_dense(hypothesis), found))
                least = min(least, r)
            elif isinstance(found, str):
                return (), f"of a hypothesis with R = {format_r(r)} that can be selected, {found}"
            elif r <= r_star + table.window(max(max_n + 1, -(-found // 2))) + EPSILON:
                return (), f"a hypothesis with R = {format_r(r)} that can be selected fails at length {found}"
            else:
                later = True
    if least > r_star + EPSILON:
        return (), "no hypothesis with the least R is proved right on all words"
    return tuple(proofs), tell_proved(len(functions), later)


def _r(function: tuple[float, Hypothesis]) -> float:
    return function[0]


def _call(look: Callable[[], _Standing]) -> _Standing:
    return look()


def _proof(hypothesis: Hypothesis, prover: Prover, beat: Callable[[], None]) -> _Standing:
    """A checked proof, or why there can be none; None if none was found."""
    try:
        return prover.find(hypothesis, beat)
    except Unprovable as error:
        return f"no proof for all lengths is known ({error})"


def _refutation(canonical: StageTable[BatchT], hypothesis: Hypothesis, beat: Callable[[], None]) -> int | str:
    """A fail length beyond 2 · max_n, or how far there is none."""
    horizon = FURTHER * canonical.table.max_n
    try:
        [fail] = fail_lengths(canonical.target, canonical.nets(hypothesis), horizon, FURTHER_STATES, beat)
    except BudgetError:
        return "no proof for all lengths was found"
    if fail >= 0:
        return int(fail)
    return f"no proof for all lengths was found, and no mistake up to length {horizon}"
