"""Everything a classification says of one target."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from idinf.base.words import Alphabet
from idinf.crasp.checker import Facts, check, read_program
from idinf.crasp.syntax import ProgramTree
from idinf.languages.classification.ac0 import find_change_in_the_middle, find_growth, find_padded_change
from idinf.languages.classification.by_automaton import (
    Finding,
    decide_piecewise_testable,
    decide_r_trivial,
    find_ends,
    is_finite_or_cofinite,
    no,
    unknown,
    yes,
)
from idinf.languages.classification.by_monoid import decide_star_free, find_dot_depth, in_ac0, in_da
from idinf.languages.classification.finite import find_finite_machine
from idinf.languages.classification.membership import in_crasp, in_crasp_periodic_local
from idinf.languages.classification.monoid import MAX_ELEMENTS, build_monoid
from idinf.languages.classification.nesting import NOWHERE, Nesting, bound_program, find_nesting
from idinf.languages.classification.same_counts import find_same_counts
from idinf.languages.classification.told_apart import find_powers_told_apart
from idinf.spec.spec import Answer, Kind, Spec
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import SupervisedTarget
from idinf.targets.tasks import Task

#: Said of everything that is decided of regular languages only.
NOT_REGULAR = "not given as a regular language"

#: What follows for nets where a regular language is outside of C-RASP[periodic, local], see `beyond_nets`.
CONSEQUENCE = "nor does a net of the one-hot family decide it, so it has no n0"

#: Said of programs for which nothing is proved.
NO_POWERS = "; no powers of a symbol were found that what follows tells apart"
NO_COUNT = "it was not found to count past the middle, nor to accept few words of each length"


@dataclass(frozen=True, slots=True)
class ClassVerdicts:
    """The verdicts on one language."""

    states: int | None  # of the minimal complete DFA; None where the language is not given as a regular one
    monoid_size: int | None  # of the syntactic monoid; None where it is too large as well
    star_free: Finding
    ac0: Finding
    r_trivial: Finding
    piecewise_testable: Finding
    da: Finding
    dot_depth: int | None  # None where there is none, or it is not decided
    dot_depth_reason: str
    crasp: Finding
    crasp_periodic_local: Finding
    nesting: Nesting  # of counts, in C-RASP[] where the language is

    @property
    def findings(self) -> tuple[tuple[str, Finding], ...]:
        """The yes-no-unknown verdicts by their keys, in the order of a report."""
        values = ((item.name, getattr(self, item.name)) for item in fields(self))
        return tuple((key, value) for key, value in values if isinstance(value, Finding))

    @property
    def depth(self) -> str:
        """The dot-depth: a number, none of what is not star-free, or unknown."""
        if self.dot_depth is not None:
            return str(self.dot_depth)
        return "none" if self.star_free.is_no else "unknown"

    def scoped(self, scope: str) -> ClassVerdicts:
        """The same with what the alphabet stands for beside the verdicts of [HYB25] Table 3."""
        table_3 = ("ac0", "crasp", "crasp_periodic_local")
        told = {key: f"{finding.reason} ({scope})" for key, finding in self.findings if key in table_3}
        return replace(self, **{key: replace(getattr(self, key), reason=told[key]) for key in told})


def classify(
    machine: RegularTarget, most: int = MAX_ELEMENTS, program: tuple[str, Facts] | None = None
) -> ClassVerdicts:
    """Classify a regular language by its minimal complete DFA and its syntactic monoid.

    What needs a monoid of more than ``most`` elements is unknown. A program that decides the language, by its
    name, is a proof of membership and of an upper end of the depth.
    """
    monoid = build_monoid(machine.table, most)
    ordered = decide_r_trivial(machine)
    testable = decide_piecewise_testable(machine, ordered)
    crasp = in_crasp(machine)
    ends = None if monoid.is_complete else find_ends(machine.table)
    if ends is not None:
        aperiodic = yes(f"{ends}; e·s·e = e for idempotents e, so the syntactic monoid is aperiodic")
    else:
        aperiodic = decide_star_free(monoid, machine.alphabet)
    if ends is None and not monoid.is_complete and ordered.is_yes:
        aperiodic = yes("R-trivial monoids are aperiodic (Schützenberger 1965)")
    elif ends is None and not monoid.is_complete and crasp.is_yes:
        aperiodic = yes(
            "in C-RASP[]: counts that sum to 0 around u^n do so around u, so no u moves states in a cycle "
            "(arXiv 2608.13433)"
        )
    with_predicates = in_crasp_periodic_local(machine, monoid, crasp, ends)
    if program is not None:
        name, facts = program
        refuted = crasp if facts.class_name == "C-RASP[]" else with_predicates
        if refuted.is_no:  # a bug here, or a discovery
            raise RuntimeError(f"{name} is in {facts.class_name}, yet it was refuted: {refuted.reason}")
        with_predicates = with_predicates if with_predicates.is_yes else _written(name, facts.class_name)
    elif with_predicates.is_no:
        with_predicates = no(f"{with_predicates.reason}; {CONSEQUENCE}")
    if ends is None:
        da = in_da(monoid, machine.alphabet, ordered, aperiodic)
        depth, reason = find_dot_depth(machine, monoid, aperiodic, testable, da)
    else:
        da = yes(f"{ends}; such languages are in DA, e·s·e = e for all idempotents e")
        depth, reason = (0, "finite or cofinite") if is_finite_or_cofinite(machine) else (1, str(ends))
    return ClassVerdicts(
        states=len(machine.table),
        monoid_size=len(monoid) if monoid.is_complete else None,
        star_free=aperiodic,
        ac0=in_ac0(monoid, machine.alphabet, aperiodic),
        r_trivial=ordered,
        piecewise_testable=testable,
        da=da,
        dot_depth=depth,
        dot_depth_reason=reason,
        crasp=crasp,
        crasp_periodic_local=with_predicates,
        nesting=find_nesting(machine, crasp, with_predicates, testable, program and program[1]),
    )


def classify_program(
    origin: str, facts: Facts, target: CountingTarget | SupervisedTarget | None = None
) -> ClassVerdicts:
    """Classify what a C-RASP program decides where it is not seen to be regular.

    Its name and its class stand in the reasons. If the target it defines is given, it may be shown not to be
    regular, in AC0 or not, not in C-RASP[], and not of depth 1; of next symbols only the third.
    """
    class_name = facts.class_name
    regular = ac0 = unknown(NOT_REGULAR)
    written = _written(origin, class_name)
    only = unknown(f"{origin} is a program in {class_name}; no procedure is known beyond regular languages")
    if isinstance(target, CountingTarget):
        regular, ac0 = _prove_not_regular(target), _place_by_ac0(target)
    if target is not None and (rates := find_same_counts(target)) is not None:
        only = no(rates.told(target.alphabet))
    nesting = bound_program(facts, target if isinstance(target, CountingTarget) else None)
    return _beyond_regular(regular, ac0, written if class_name == "C-RASP[]" else only, written, nesting)


def _prove_not_regular(target: CountingTarget) -> Finding:
    if (powers := find_powers_told_apart(target.program, target.alphabet)) is not None:
        return no(f"not regular: {powers.told()} (Myhill, Nerode)")
    if (change := find_change_in_the_middle(target)) is not None:
        where = change.told(target.alphabet)
        return no(f"not regular, as answers change near one line of counts, yet not far from it: {where}")
    return unknown(NOT_REGULAR + NO_POWERS)


def _place_by_ac0(target: CountingTarget) -> Finding:
    where = ""
    if (change := find_change_in_the_middle(target)) is not None:
        where = change.told(target.alphabet)
    elif (padded := find_padded_change(target.program, target.alphabet)) is not None:
        where = padded.told()
    if where:
        return no(
            f"{where}: a symmetric function that changes in the middle for infinitely many n, so not of "
            "constant depth and polynomial size (Fagin, Klawe, Pippenger, Stockmeyer 1985)"
        )
    if (growth := find_growth(target)) is not None:
        few = "a bounded number" if growth == 0 else "O(n)" if growth == 1 else f"O(n^{growth})"
        return yes(f"{few} of words of length n are accepted, so for each n an OR of as many ANDs decides it")
    return unknown(NO_COUNT)


def classify_task(task: Task) -> ClassVerdicts:
    """Classify a task that tells apart exponentially many first halves.

    Implements Corollary 13 and Remark 21 of [HYB25]_ by Theorems 9 and 12.

    >>> from idinf.targets.tasks import TASKS
    >>> found = classify_task(TASKS["copy-repeat"])
    >>> " ".join(f"{key}={finding.verdict}" for key, finding in found.findings)
    'star_free=no ac0=yes r_trivial=no piecewise_testable=no da=no crasp=no crasp_periodic_local=no'
    """
    halves = (
        f"at lengths n = {task.least}, {task.least + task.step}, … at least 2^(⌊n/{task.part}⌋ - 1) first "
        "halves are told apart by what may follow"
    )
    beyond = no(
        f"{halves}, and a Limit Transformer, which any program has, tells only as many apart as O(log n) "
        "bits do (arXiv 2410.02140, Theorems 9, 12, Corollary 13)"
    )
    return _beyond_regular(
        no(f"not regular: {halves}, so there are infinitely many residuals (Myhill, Nerode)"),
        (yes if task.in_ac0 else no)(
            f"{task.circuit}: {'' if task.in_ac0 else 'no '}circuits of constant depth and polynomial size"
        ),
        beyond,
        beyond,
        NOWHERE,
    )


def _beyond_regular(
    regular: Finding, ac0: Finding, crasp: Finding, periodic_local: Finding, nesting: Nesting
) -> ClassVerdicts:
    """All classes of regular languages have one verdict."""
    smaller = no("not regular, and all languages of this class are") if regular.is_no else regular
    return ClassVerdicts(
        states=None,
        monoid_size=None,
        star_free=regular,
        ac0=ac0,
        r_trivial=smaller,
        piecewise_testable=smaller,
        da=smaller,
        dot_depth=None,
        dot_depth_reason="not regular, so in no level" if regular.is_no else regular.reason,
        crasp=crasp,
        crasp_periodic_local=periodic_local,
        nesting=nesting,
    )


def _written(origin: str, class_name: str) -> Finding:
    return yes(f"{origin} is a program in {class_name} (arXiv 2410.02140, Definition 8)")


def classify_spec(spec: Spec, most: int = MAX_ELEMENTS) -> ClassVerdicts:
    """Classify what a spec defines; of next symbols, or with a domain, that of its regex or automaton.

    Raises `SpecError` if its target is wrong.

    >>> from idinf.spec.catalogue import load
    >>> str(classify_spec(load("parity")).crasp.verdict)
    'no'
    """
    target = build_target(spec)  # refuses what is wrong, with the file and the key
    if spec.kind is not Kind.CRASP:
        machine = find_finite_machine(build_target(replace(spec, answer=Answer.ACCEPT, next=(), domain=None)))
        assert machine is not None  # given as a regular language
        return classify(machine, most)
    program = read_program(spec.text, spec.alphabet)
    if spec.answer is Answer.ACCEPT:
        return classify_text(spec.name, program, spec.alphabet, most)
    assert isinstance(target, SupervisedTarget)  # of next symbols
    return classify_program(spec.name, check(program, spec.alphabet), target)


def classify_text(origin: str, program: ProgramTree, alphabet: Alphabet, most: int) -> ClassVerdicts:
    """Classify what the last operation of a program decides; reasons name its origin."""
    target = CountingTarget(program, alphabet)
    machine = find_finite_machine(target)
    facts = check(program, alphabet)
    return (
        classify_program(origin, facts, target)
        if machine is None
        else classify(machine, most, (origin, facts))
    )
