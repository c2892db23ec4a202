"""The outcome of a report in sentences: the only prose about it, which text, page, demo and figures quote.

No sentence says that hypotheses do not exist where none was searched, or covers more n than were shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from idinf.base.numbers import (
    format_above,
    format_count,
    format_interval,
    format_number,
    format_r,
    format_up_to,
    format_word,
)
from idinf.errors import HypothesisFormatError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import to_one_hot
from idinf.report.target import TargetDescription
from idinf.report.value import Bracket, Outcome, Report, Training
from idinf.show.report_facts import write_formula_if_one_hot
from idinf.spec.bounds import FAMILY, HypothesisClass, Space, SpaceBounds, WholeClass

if TYPE_CHECKING:  # it imports classes, which a run does not need
    from idinf.tables.row import Row


def describe_verdict(found: Report | Row) -> str:
    """Say the outcome of a run, or of its row, in a few words; of an open one, its bound of n0.

    >>> from idinf.tables.row import Row
    >>> describe_verdict(Row("x", outcome="open", n0_lower=3)), describe_verdict(Row("x", error="none"))
    ('open, n0 >= 3', 'failed')
    """
    match found.outcome.value if isinstance(found, Report) else found.outcome:
        case Outcome.IDENTIFIED.value:
            return f"n0 = {found.n0} for n <= {found.max_n}"
        case Outcome.IDENTIFIED_FOR_ALL_N.value:
            return f"n0 = {found.n0} for every n"
        case Outcome.NOT_IDENTIFIED.value:
            return f"not identified for n <= {found.max_n}"
        case Outcome.OPEN.value if isinstance(found, Report) and found.bracket is None:
            return "open"
        case Outcome.OPEN.value:
            return f"open, n0 >= {found.n0_lower}"
        case Outcome.NEVER.value:
            return "never, no n0"
    return "failed"


def tell_space(space: Space) -> str:
    """Name a space as a part of a sentence.

    >>> tell_space(SpaceBounds(layers=2)), tell_space(SpaceBounds.from_preset("nope"))
    ('the one-hot family, layers <= 2', 'nope')
    """
    has_article = isinstance(space, WholeClass) or space.preset == FAMILY
    return f"the {space.name}" if has_article else space.name


def headline(report: Report) -> str:
    """Say the answer in one line that can be quoted: of the space that was asked, and of a smaller one."""
    where, max_n = tell_space(report.space), report.max_n
    match report.outcome:
        case Outcome.IDENTIFIED | Outcome.IDENTIFIED_FOR_ALL_N:
            told = f"n0 = {report.n0} in {where}, {_span(report)}"
        case Outcome.NOT_IDENTIFIED:
            wrong = f"at n = {max_n} a selected hypothesis is wrong within length {report.horizon}"
            told = f"no n0 in {where} {_span(report)}: {wrong}"
        case Outcome.OPEN:
            told = f"open in {where}: {_known(report)}"
        case Outcome.NEVER:
            told = f"no n0 in {where} (proved)"
    beside = (f"in {tell_space(smaller.space)}: {_verdict_there(smaller)}" for smaller in report.smaller)
    return "; ".join([told, *beside])


def _span(report: Report) -> str:
    is_proved = report.outcome is Outcome.IDENTIFIED_FOR_ALL_N
    return "for every n" if is_proved else f"for n <= {report.max_n}"


def _verdict_there(report: Report) -> str:
    """The outcome of a report whose space is named before."""
    match report.outcome:
        case Outcome.IDENTIFIED | Outcome.IDENTIFIED_FOR_ALL_N:
            return f"n0 = {report.n0}, {_span(report)}"
        case Outcome.NOT_IDENTIFIED:
            return f"no n0 {_span(report)}"
        case Outcome.OPEN:
            return f"open, {_known(report)}"
        case Outcome.NEVER:
            return "no n0"


def _known(report: Report) -> str:
    """Bounds that an open run proves for n0 and for R* at max_n."""
    star = report.stages[-1].r_star
    if star is not None:
        return f"n0 >= {report.n0_lower}, R* = {format_number(star)}"
    end = report.upper_end
    upper = None if end is None or end[1] < report.max_n else end[0]
    return f"n0 >= {report.n0_lower}, R* {format_interval(report.complete_up_to_r, upper)}"


def sentences(report: Report) -> tuple[str, ...]:
    """Say the results of the run, and their basis.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.inference.run import run
    >>> from idinf.inference.settings import Settings
    >>> from idinf.work.limits import Limits
    >>> settings = Settings(max_n=8, prove=False).about(load("majority"), "majority")
    >>> sentences(run(settings, Limits()).report)[0]
    'n0 = 3 in the one-hot family, for n <= 8.'
    """
    kinds = {Outcome.OPEN: _open, Outcome.NEVER: _never}
    return (f"{headline(report)}.", *_merged(report), *kinds.get(report.outcome, _settled)(report))


def _merged(report: Report) -> Iterator[str]:
    """Sentence about letters that share an embedding, see `idinf.targets.letters`."""
    if report.target.letters:
        yield (
            "Letters that the target does not tell apart share an embedding. To tell them apart makes R* no "
            "smaller; n0 holds among hypotheses that do not, either (--letters apart: an embedding for each)."
        )


def describe_training(training: Training) -> Iterator[str]:
    """Say the n0 of another training length than that of the report, and where everything surely fails."""
    count = "lengths with $, as the paper counts" if training.counts_sos else "lengths of words"
    last = training.stages[-1]
    context = f", so N0 = {training.n0 + 1}" if training.counts_sos and training.n0 is not None else ""
    found = f"n0 = {training.n0}{context}" if training.n0 else "no n0" if last.good is False else "n0 is open"
    yield f"training length {training.rule} ({count}): {found} for test lengths n <= {last.n}"
    failing: dict[int, int] = {}
    for stage in training.stages:
        if stage.all_fail_by is not None and stage.all_fail_by <= stage.n:
            failing.setdefault(stage.trained, stage.n)
    if failing:
        shown = ", ".join(f"t({n}) = {trained}" for trained, n in failing.items())
        yield (
            f"with {shown} all that may be selected is wrong on some word up to the test length; outside "
            "C-RASP[periodic, local] there is a t for which that never ends (Corollary 24)"
        )


#: Names of the classes in sentences.
_CLASSES = {
    HypothesisClass.THETA: "Θ_N, of any width,",
    HypothesisClass.LIMIT: "Limit Transformers, of any width,",
}


def _name_space(report: Report) -> str:
    """Name of the searched space, for "a hypothesis of …"."""
    space = report.space
    return f"the class of {_CLASSES[space.kind]}" if isinstance(space, WholeClass) else "this space"


def _settled(report: Report) -> Iterator[str]:
    max_n = report.max_n
    yield from _reached(report)
    if report.beyond is not None and report.outcome is Outcome.IDENTIFIED_FOR_ALL_N:
        yield f"For all n: beyond n = {max_n} {report.beyond}."
    elif report.beyond is not None:
        yield f"Beyond n = {max_n} nothing is claimed: {report.beyond}."
    pick = f"n0 = {format_count(report.n0_canonical)}"
    if report.n0_canonical is None and report.n0 is not None:
        pick = f"n0 <= {report.n0}"  # no time was left to find out which one is picked
    yield f"n0 = {format_count(report.n0)} (all selected), {pick} (canonical pick)"


def _open(report: Report) -> Iterator[str]:
    yield f"Not decided: {report.stop_reason}."
    yield from _reached(report)
    if report.bracket is not None:
        yield from _bracketed(report, report.bracket, report.first_unknown)
    if report.n0_canonical is not None:
        yield f"n0 = {report.n0_canonical} (canonical pick), which the part above cannot change."


def _never(report: Report) -> Iterator[str]:
    """The theorem, and how far the table goes."""
    yield f"No {_undecided(report)}."
    yield (
        "So what is cheapest of all that fits is always wrong at some length, and bad just before it: "
        "infinitely many n are bad, or from some n on nothing fits."
    )
    yield from _reached(report)
    if not report.is_complete:
        yield f"The table ends there: {report.stop_reason}."


def _undecided(report: Report) -> str:
    return f"net of the one-hot family decides {report.target.title}: {report.beyond}"


def _reached(report: Report) -> Iterator[str]:
    """Sentences on the R up to which a run is complete, and on R*_n by that."""
    r, unknown = report.complete_up_to_r, report.first_unknown
    if report.is_complete:
        yield (
            f"Complete up to R = {format_number(r)}, the stop bound: nothing of larger R can be selected at "
            f"any n <= {report.max_n}; every fail is exact up to length {report.horizon}."
        )
        return
    searched = f"every hypothesis of {_name_space(report)} with R {format_up_to(r)} was enumerated"
    if unknown is None:
        yield (
            f"R*_n is known for every n <= {report.max_n}: {searched}. Some selected sets may hold more "
            "above, and are known in part."
        )
    else:
        yield (
            f"R*_n {format_above(r)} for every n >= {unknown}: {searched}, and none agrees with "
            f"{report.target.title} on all words up to length {unknown}. What lies above was not searched."
        )


def _bracketed(report: Report, bracket: Bracket, unknown: int | None) -> Iterator[str]:
    """Sentences on the known upper end of R*, and the lower bound of n0."""
    max_n, upper, length = report.max_n, bracket.r_upper, bracket.upper_length
    if unknown is not None and upper is not None and length is not None:
        last = min(length, max_n)
        which = f"R*_{last}" if last == max_n else f"R*_n for n in [{unknown}, {last}]"
        lower = format_above(report.complete_up_to_r).replace(">= ", "[").replace("> ", "(")
        yield (
            f"{which} lies in {lower}, {format_r(upper)}]: the upper end "
            f"is a hypothesis{_place(report, bracket.hypothesis)} that is right on all words up to length "
            f"{length}, not proved minimal{_formula(bracket.hypothesis)}."
        )
    elif unknown is not None:
        yield "No correct hypothesis is known, so there is no upper bound of R*."


def _place(report: Report, hypothesis: LimitTransformer | None) -> str:
    """The smallest space that holds a hypothesis, if it is of the family."""
    if hypothesis is None or not isinstance(report.space, SpaceBounds):
        return ""
    try:
        return f" of {tell_space(to_one_hot(hypothesis).smallest_space(report.space))}"
    except HypothesisFormatError:
        return ""


def _formula(hypothesis: LimitTransformer | None) -> str:
    """The formula of a hypothesis, if it is of the family."""
    formula = None if hypothesis is None else write_formula_if_one_hot(hypothesis)
    return "" if formula is None else f": {formula}"


def describe_worst(report: Report) -> str:
    """Name the selected wrong hypothesis at the last bad n; "" if no n is known to be bad."""
    bad = [stage for stage in report.stages if stage.good is False]
    worst = report.worst_of(bad[-1]) if bad else None
    if worst is None:
        return ""
    word = format_word(worst.counterexample)
    return f"n = {bad[-1].n} is bad: '{worst.formula}' is selected, and wrong on {word}."


def list_caveats(report: Report) -> tuple[str, ...]:
    """List the questions that the report leaves open."""
    return tuple(_caveats(report))


def _caveats(report: Report) -> Iterator[str]:
    whole = isinstance(report.space, WholeClass)
    yield (
        f"Every net of {_name_space(report)} with R up to what is complete was looked at, in every basis. "
        "The canonical pick is the first of those that were written, one for each function."
        if whole
        else f"Only {tell_space(report.space)} was searched. A hypothesis outside of it, or the same "
        "function written with other matrices, may have a smaller R."
    )
    over = "the nets of that class" if whole else "Limit Transformers"
    yield (
        "This is not a trained model. n0 belongs to the idealized procedure, which minimizes R over "
        f"{over}; gradient descent may do something else."
    )
    if report.outcome is Outcome.NEVER:
        yield (
            "That there is no n0 is a theorem about all nets of the one-hot family, not about other "
            f"transformers. The table is that of this space, for n from 1 to {report.max_n}, as far as the "
            "run went; it proves nothing beyond."
        )
    elif report.outcome is not Outcome.IDENTIFIED_FOR_ALL_N:
        yield (
            f"It speaks of n from 1 to {report.max_n} and of words up to length {report.horizon}, and of no "
            "longer ones."
        )
    yield (
        "The table holds one hypothesis for each record. More functions may be selected than it shows; the "
        "counts at each n are those of the report."
    )
    if report.outcome is Outcome.OPEN:
        yield (
            "The run is open: it proves lower bounds and nothing more. It is not a proof that the language "
            "cannot be learned."
        )


def describe_question(target: TargetDescription) -> Iterator[str]:
    """Say the question of a target and its positions; nothing for acceptance of every word.

    >>> from idinf.spec.spec import Kind
    >>> more = {"mode": "next", "output": "set", "next": {"a": "alive"}, "domain": "a*"}
    >>> target = TargetDescription("x", ("a",), Kind.CRASP, "alive = 1 == 1", "", **more)
    >>> print("\\n".join(describe_question(target)))
    Asked after every prefix: the set of next symbols; a where the operation alive holds.
    Only words of a* count.
    """
    if target.mode == "next":
        what = "the set of next symbols" if target.output == "set" else "the next symbol"
        where = ", ".join(
            f"{symbol} where the operation {name} holds" for symbol, name in target.next.items()
        )
        first = ", the first that holds" if where and target.output == "symbol" else ""
        at = ""
        if target.judged is not None:
            at = f" where the operation {target.judged} holds" if where else f" that matches {target.judged}"
        yield f"Asked after every prefix{at}: {what}" + (f"; {where}{first}." if where else ".")
    if target.domain is not None:
        yield f"Only words of {target.domain} count."


def describe_expectation(name: str, inside: str) -> str:
    """Say the expectation of n0 by a verdict about C-RASP[periodic, local].

    >>> print(describe_expectation("parity", "no"))
    parity is outside C-RASP[periodic, local], so no n0 is expected.
    """
    match inside:
        case "yes":
            return (
                f"{name} is in C-RASP[periodic, local]: some Limit Transformer is right on all lengths, so "
                "an n0 is expected in a space that holds one."
            )
        case "no":
            return f"{name} is outside C-RASP[periodic, local], so no n0 is expected."
        case _:
            return f"It is not decided whether {name} is in C-RASP[periodic, local]."


#: Conclusion where each hypothesis is wrong on some word.
_NO_END = (
    "Below any bound B there are finitely many hypotheses. Each is wrong on some word, so all words up "
    "to some length rule all of them out: from there on R*_n > B. This holds for every B, so R*_n rises "
    "without end.",
    "The learner never settles: whatever fits so far, a longer word shows that it is wrong, and the next "
    "one that fits costs more. The run shows the first steps of this rise; that it never ends is the "
    "theorem, not the run.",
)


def describe_theory(report: Report, inside: str | None) -> tuple[str, ...]:
    """Theory on a run that is open, by membership in C-RASP[periodic, local], or that has no n0 ever."""
    name = report.target.title
    if report.outcome is Outcome.NEVER:
        return (f"A theorem: no {_undecided(report)}. So each hypothesis is wrong on some word.", *_NO_END)
    if report.outcome is not Outcome.OPEN or inside not in ("yes", "no"):
        return ()
    if inside == "yes":
        return (
            f"arXiv 2410.02140: {name} is in C-RASP[periodic, local]. So some Limit Transformer is right on "
            "all lengths, and R*_n stops rising once the space and the budget reach it. This run ended "
            "before.",
        )
    uniform = isinstance(report.space, SpaceBounds) and report.space.logit_max == 0
    program = (
        "Every hypothesis of this space is such a program: it averages uniformly, so its units compare "
        "counts. "
    )
    subject = "So each of them" if uniform else "If no hypothesis is right on all lengths, each of them"
    return (
        f"arXiv 2410.02140: {name} is not in C-RASP[periodic, local]. {program if uniform else ''}{subject} "
        "is wrong on some word.",
        *_NO_END,
    )
