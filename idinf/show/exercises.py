"""Ten exercises made from one or two reports, and the questions in a walkthrough of one report.

Wrong options are answers that classes give, each with the reason why it is wrong.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial

from idinf.base.numbers import format_number, format_up_to, format_word
from idinf.base.words import words_up_to
from idinf.crasp.interpreter import lay_out_words
from idinf.errors import ReportFormatError
from idinf.nets.regularizer import EPSILON
from idinf.report.value import Outcome, Record, Report, Stage
from idinf.show.quiz import Form, Question, build_acceptance, longest_compared, place_right
from idinf.show.report_facts import is_selected
from idinf.targets.supervised import answer_words

#: Number of exercises, where a report has something to ask for each.
MOST = 10

#: Length up to which the rule of a reader has to be right, where so many words can be compared.
SURVIVED = 4

#: Words that a reader may be asked to count.
COUNTED = 40

#: Languages of which one has an n0, each with the reason why not; `idinf classify` says the same of them.
LANGUAGES = (
    ("the words over a and b of even length", None),
    ("the words over 0 and 1 with an even number of 1s", "a count is needed modulo 2, wherever the 1s are."),
    (
        "the words over 0 and 1 with an even number of 0s and an even number of 1s",
        "two counts are needed modulo 2, wherever they are.",
    ),
    (
        "the words over 0 and 1 in which the number of 0s minus the number of 1s is a multiple of 3",
        "a difference of counts is needed modulo 3, and no sum of averages tells it.",
    ),
)

Maker = Callable[[Report], Question | None]


def list_exercises(reports: Sequence[Report]) -> tuple[Question, ...]:
    """Make at most ten exercises from a report, or from two; of two, most are about the first.

    Raises ReportFormatError if a report is not about acceptance of every word.
    """
    for report in reports:
        if build_acceptance(report) is None:
            raise ReportFormatError(
                f"{report.target.title}: it is not asked which words are accepted; expected a target in mode "
                "accept without a domain; take another report"
            )
    first, last = reports[0], reports[-1]
    labels, least = partial(ask_labels, length=3), partial(ask_least, n=min(2, first.max_n))
    makers: list[Maker]
    if len(reports) == 1:
        makers = [labels, ask_first_word, ask_last_word, least, ask_good, ask_why_bad, ask_n0]
        asked = [(maker, first) for maker in (*makers, ask_rule, ask_which, ask_reason)]
    else:
        makers = [labels, ask_last_word, least, ask_good, ask_why_bad, ask_n0, ask_rule]
        asked = [(maker, first) for maker in makers]
        asked += [(maker, last) for maker in (ask_last_word, ask_which, ask_reason)]
    made = (maker(report) for maker, report in asked)
    questions = {question.text: question for question in made if question is not None}
    return tuple(itertools.islice(questions.values(), MOST))


def ask_labels(report: Report, length: int = 2) -> Question | None:
    """Exercise: how many words up to a length are accepted? The empty word is one of them."""
    asked = build_acceptance(report)
    if asked is None:
        return None
    alphabet = report.target.spec().alphabet
    while length > 1 and sum(len(alphabet) ** k for k in range(length + 1)) > COUNTED:
        length -= 1
    words = list(words_up_to(len(alphabet), length))
    labels, _ = answer_words(asked, lay_out_words(words))
    accepted = [
        format_word(alphabet.decode(word)) for word, label in zip(words, labels, strict=True) if label
    ]
    count = len(accepted)
    mistakes = [(str(count - 1), "ε, the empty word, is accepted, too.")] if labels[0] else []
    if not labels[0]:
        mistakes.append((str(count + 1), "ε, the empty word, is not accepted."))
    return Question(
        f"There are {len(words)} words up to length {length} over {report.target.over}. How many of them "
        f"does {report.target.title} accept?",
        Form.NUMBER,
        str(count),
        f"Accepted: {', '.join(accepted[:COUNTED]) or 'none'}{', …' if count > COUNTED else '.'}",
        report,
        mistakes=tuple(mistakes),
    )


def ask_word(report: Report, record: Record) -> Question:
    """Exercise: which shortest word shows that a hypothesis is wrong?"""
    word = format_word(record.counterexample)
    return Question(
        f"Which is the shortest word on which '{record.formula}' is wrong?",
        Form.WORD,
        word,
        f"Of all words that show it, the learner sees {word} first.",
        report,
        record=record,
    )


def ask_first_word(report: Report) -> Question | None:
    """The word that rules out the cheapest hypothesis of all."""
    record = next((record for record in report.records if record.counterexample is not None), None)
    return None if record is None else ask_word(report, record)


def ask_last_word(report: Report) -> Question | None:
    """The word that rules out the hypothesis that is wrong last of those with a short formula."""
    wrong = [record for record in report.records if record.counterexample is not None]
    short = [record for record in wrong if ":=" not in record.formula and record is not wrong[0]]
    record = max(short, key=lambda record: record.fail or 0, default=None)
    return None if record is None else ask_word(report, record)


def ask_least(report: Report, n: int = 1) -> Question | None:
    """Exercise: which hypothesis is the cheapest of those that fit at n? It need not be the right one."""
    fitting = [record for record in report.records if record.fits(n)]
    if not fitting or len(report.records) < 2:
        return None
    least, wrong = fitting[0], []
    for record in report.records:
        if not record.fits(n):
            known = f"the word {record.counterexample or 'ε'} rules it out."
            if record.counterexample is None:  # a stopped run had no time to find one
                known = f"a word of length {record.fail} rules it out."
            wrong.append((record.formula, known))
        elif record is not least:
            reason = f"it fits, too, but costs {_price(record.r)}, and a cheaper one fits."
            wrong.append((record.formula, reason))
    words = "ε and all words of one symbol" if n == 1 else f"all words up to length {n}"
    wrong = [(f"'{formula}'", reason) for formula, reason in wrong]
    text = f"The learner has seen {words}. Which of these fits them, and has the least R?"
    return Question(
        text,
        Form.CHOICE,
        f"'{least.formula}'",
        f"R*_{n} = {_price(least.r)}. The cheapest rule that fits need not be the right one.",
        report,
        place_right(text, f"'{least.formula}'", wrong[:4]),
    )


def ask_falling(report: Report) -> Question:
    """Exercise: may R*_n fall with more words?"""
    text = "May R*_n fall when n grows?"
    right = "No: what fits more words fits the first ones as well."
    wrong = (
        ("Yes: with more words the learner finds a cheaper rule.", "more words only rule hypotheses out."),
        ("Yes, after a bad n.", "whether n is bad is about longer words; R*_n is about the words seen."),
    )
    why = "R*_n is the least R of what fits at n. More words strike hypotheses out and bring none."
    return Question(text, Form.CHOICE, right, why, report, place_right(text, right, wrong))


def ask_good(report: Report) -> Question:
    """Exercise: does one good n make an n0?"""
    text = "Let all that may be selected at n = 1 be right up to length 2, so n = 1 is good. Is n0 = 1?"
    right = "Not yet: every larger n has to be good as well."
    wrong = (
        (
            "Yes: what is right at 2n stays right.",
            "at a larger n, longer words are asked. For at least three 1s, n = 1 is good, 2 and 3 are bad.",
        ),
        ("No: n0 is never 1.", "it is, where all n are good: for the language of all words."),
    )
    why = "n0 is the least n from which on every n is good. For at least three 1s that is 4."
    return Question(text, Form.CHOICE, right, why, report, place_right(text, right, wrong))


def ask_why_bad(report: Report) -> Question | None:
    """Why the last n known to be bad is bad: by the name of the wrong hypothesis."""
    bad = [stage for stage in report.stages if stage.good is False and report.worst_of(stage) is not None]
    if not bad:
        return None
    stage = bad[-1]
    worst = report.worst_of(stage)
    assert worst is not None
    n, word = stage.n, format_word(stage.counterexample)
    text = f"Why is n = {n} bad for {report.target.title}?"
    right = f"'{worst.formula}' may be selected, and is wrong on {word}."
    wrong = [
        (f"No hypothesis fits all words up to length {n}.", f"'{worst.formula}' does, and others may."),
        (
            f"R*_{n} is too large.",
            "no size of R makes an n bad; what is selected is asked on words up to 2n.",
        ),
    ]
    chosen = report.selected
    if chosen is not None and chosen.fits(n) and chosen.fail is None and is_selected(report, chosen, stage):
        reason = f"it is selected, but not alone: '{worst.formula}' has R = {_price(worst.r)}."
        wrong.append((f"'{chosen.formula}' is not selected at n = {n}.", reason))
    why = f"n is good only if everything that may be selected is right up to length 2n = {2 * n}."
    return Question(text, Form.CHOICE, right, why, report, place_right(text, right, wrong))


def ask_n0(report: Report) -> Question | None:
    """From which n on every n is good: neither the first good one, nor where R*_n stands still."""
    is_never = report.outcome is Outcome.NEVER
    if report.n0 is None and not is_never:
        return None
    name = report.target.title
    bad = [stage for stage in report.stages if stage.good is False]
    mistakes: dict[str, str] = {}
    for stage in report.stages:
        if stage.good and (report.n0 is None or stage.n < report.n0):
            later = next((other.n for other in bad if other.n > stage.n), None)
            if later is not None:
                mistakes.setdefault(str(stage.n), f"one good n is not enough: n = {later} is bad.")
    for stage in bad:
        worst, word = report.worst_of(stage), format_word(stage.counterexample)
        named = "something selected" if worst is None else f"'{worst.formula}' is selected, and"
        cost = "" if worst is None else _compare_cost(report, stage, worst)
        mistakes[str(stage.n)] = f"n = {stage.n} is bad: {named} is wrong on {word}.{cost}"
    examined = f" up to {report.max_n}"
    if is_never:
        examined = ""
        why = f"{name} has no n0: no hypothesis is right on all words, so there is a bad n above every n."
    elif report.outcome is Outcome.IDENTIFIED_FOR_ALL_N:
        examined = ""
        mistakes["none"] = "a right hypothesis has a finite R, so all wrong ones in reach fall in the end."
        why = f"n0 = {report.n0}: n = {report.n0} and every n above it is good."
    else:
        why = f"Of the n up to {report.max_n}, all from {report.n0} on are good; beyond, nothing is claimed."
    return Question(
        f"From which n on is every n{examined} good for {name}? Write a number, or none.",
        Form.NUMBER,
        "none" if is_never else str(report.n0),
        why,
        report,
        mistakes=tuple(sorted(mistakes.items())),
    )


def ask_rule(report: Report) -> Question | None:
    """A rule that is right up to a length that one of the records reaches."""
    plain = [it for it in report.records if ":=" not in it.formula and "avg" not in it.formula]
    reached = [report.horizon if record.fail is None else record.fail - 1 for record in plain]
    until = min(SURVIVED, max(reached, default=0), longest_compared(len(report.target.alphabet)))
    if until < 1:
        return None
    record = next(record for record, length in zip(plain, reached, strict=True) if length >= until)
    return Question(
        f"Give a rule that is right for {report.target.title} on all words up to length {until}. It may be "
        "wrong later.",
        Form.RULE,
        record.formula,
        f"Its R is {_price(record.r)}. Many other rules last as long.",
        report,
        until=until,
    )


def ask_which(report: Report) -> Question:
    """Exercise: which language has an n0? Positions may be taken modulo, counts may not."""
    text = "Which of these languages has an n0 in the one-hot family?"
    (right, _), *wrong = LANGUAGES
    return Question(
        text,
        Form.CHOICE,
        right,
        "Positions that repeat tell even lengths from odd ones, at a bounded price. The other three count "
        "modulo, and no net of the one-hot family decides them.",
        report,
        place_right(text, right, [(text, reason or "") for text, reason in wrong]),
    )


def ask_reason(report: Report) -> Question | None:
    """Exercise: why does n0 hold for ever, why is there none, or what has an open run proved?"""
    match report.outcome:
        case Outcome.NEVER:
            return _ask_why_never(report)
        case Outcome.IDENTIFIED_FOR_ALL_N:
            return _ask_why_for_ever(report)
        case Outcome.OPEN:
            return _ask_what_is_proved(report)
    return None


def _ask_why_never(report: Report) -> Question:
    name, looked = report.target.title, format_number(report.complete_up_to_r)
    text = f"Why does {name} have no n0?"
    right = "Each hypothesis is wrong on some word, so whatever fits is struck out by a longer word."
    wrong = (
        (
            f"The run looked at everything up to R = {looked}, and found none that is right.",
            "a run shows R up to its budget. That none of larger R is right is a theorem.",
        ),
        (
            "The right hypothesis has too large an R for this budget.",
            "there is no right hypothesis at any R, so no budget is large enough.",
        ),
        (
            "Positions are not told apart enough: with odd and even ones it would be learned.",
            "they are in the family that the theorem speaks of, and tell where a symbol is, not how often.",
        ),
    )
    told = f"no net of the one-hot family decides {name}: {report.beyond}."
    return Question(text, Form.CHOICE, right, f"A theorem: {told}", report, place_right(text, right, wrong))


def _ask_why_for_ever(report: Report) -> Question:
    text = f"Why is n0 = {report.n0} for every n, and not only up to n = {report.max_n}?"
    right = (
        "A right hypothesis has a finite R, up to a little above it there are finitely many, and each wrong "
        "one is struck out by a word."
    )
    wrong = (
        (
            f"All words up to length {report.horizon} have been checked.",
            "that alone says nothing of longer ones; that the selected rule is right on them is proved.",
        ),
        (
            "The right rule is the simplest, so it is picked.",
            "simpler ones fit at first, and wrong ones may cost no more than the right one.",
        ),
        (
            "A transformer that was trained would do the same.",
            "nothing is trained here; gradient descent need not find the least R.",
        ),
    )
    why = f"From n = {report.n0} on, everything in reach that is wrong is struck out: {report.beyond}."
    return Question(text, Form.CHOICE, right, why, report, place_right(text, right, wrong))


def _ask_what_is_proved(report: Report) -> Question:
    name, looked = report.target.title, format_up_to(report.complete_up_to_r)
    text = f"The run on {name} ended open, complete for R {looked}. What has it proved?"
    first, fitting = report.first_unknown, [record for record in report.records if record.fail is None]
    right = (
        f"Nothing in its space with R {looked} is right on all words up to length {first}."
        if first is not None
        else f"R*_n for every n up to {report.max_n}, but not all that may be selected."
    )
    none = "none found is not none there: above that R nothing was looked at."
    if fitting:
        none = f"'{fitting[0].formula}' is right on all words that were examined."
    wrong = (
        (f"{name} cannot be learned.", none),
        (f"n0 is above {report.max_n}.", "it proves a lower bound of n0, which may be much less."),
    )
    lower = "" if report.bracket is None else f" If there is an n0, it is at least {report.n0_lower}."
    return Question(
        text, Form.CHOICE, right, f"An open run proves lower bounds.{lower}", report,
        place_right(text, right, wrong),
    )  # fmt: skip


def _price(r: float) -> str:
    """R as a text with three decimals."""
    return format_number(round(r, 3))


def _compare_cost(report: Report, stage: Stage, worst: Record) -> str:
    """Sentence on the cost of the wrong hypothesis beside the right one, if both may be selected."""
    chosen = report.selected
    if chosen is None or chosen.fail is not None or not is_selected(report, chosen, stage):
        return ""
    if worst.r <= chosen.r + EPSILON:
        return " It costs no more than the right rule."
    return " It costs a little more than the right rule, within the window."
