"""Questions about reports that mark their answers, with a reason for each wrong one that is to be expected.

For example "Which is the shortest word on which 'accept iff last != 0' is wrong?": 10 is right. Of 110 it is
said that a shorter one shows it, of 1 that the rule and the target agree on it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from idinf.base.json_text import JsonObject
from idinf.base.numbers import format_amount, format_word
from idinf.base.words import Word
from idinf.crasp import programs
from idinf.crasp.interpreter import lay_out_words
from idinf.crasp.parser import is_formula
from idinf.errors import IdinfError
from idinf.nets import reference
from idinf.report.value import Record, Report
from idinf.spec.reader import read_table
from idinf.targets.build import build_target
from idinf.targets.supervised import SupervisedTarget, answer_words, supervise

#: Most words on which a rule is compared with a target.
MOST_WORDS = 1 << 14

#: The longest of them, over one symbol.
LONGEST = 64

#: Reply to a rule such as #1 mod 2 = 0, in the lesson too.
MODULO = (
    "A count cannot be taken modulo, and that is the point: a unit compares a sum of averages with a number, "
    "and no bounded number of units tells even counts from odd ones. Positions can be, as in i mod 2 = 0."
)

#: Where a rule could not be read, in a text that the reader did not write whole.
_PLACE = re.compile(r"^your rule: |^rule: crasp program, |line \d+, column \d+: ")

#: Signs of formulas on pages, and the signs that readers type.
_SIGNS = str.maketrans({"≥": ">=", "≤": "<=", "≠": "!=", "−": "-"})
_TIMES = re.compile(r"(\d)\s*[*·]\s*#")

#: Words that a reader may write for "there is none".
NONE = ("none", "no", "never", "-")


class Form(StrEnum):
    """Form of an answer: one of some options, a number, a word, or a rule."""

    CHOICE = "choice"
    NUMBER = "number"
    WORD = "word"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Option:
    """An answer that can be chosen."""

    text: str
    reason: str | None = None  #: why it is wrong; None if it is right


@dataclass(frozen=True, slots=True)
class Mark:
    """Reply to an answer."""

    right: bool | None  #: None if it could not be read, so it does not count
    said: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a report.

    Attributes
    ----------
    text : str
        The question.
    form : Form
        Form of the answer: ``choice``, ``number``, ``word`` or ``rule``.
    answer : str
        The right answer; for a rule, one that is right.
    why : str
        Explanation after the answer, right or not.
    options : tuple of Option
        For a choice, its options; exactly one is right.
    mistakes : tuple of (str, str)
        For a number, wrong ones to expect, each with the reason.
    record : Record or None
        For a word, the hypothesis that the word has to show wrong.
    until : int
        For a rule, the length up to which it has to be right.

    Examples
    --------
    >>> import idinf
    >>> question = idinf.exercises(idinf.identify("majority", max_n=4, layers=1))[2]
    >>> question.text
    "Which is the shortest word on which 'accept iff last != 0' is wrong?"
    >>> question.mark("1").said
    'No: both accept 1.'
    >>> question.mark("10").right
    True
    """

    text: str
    form: Form
    answer: str
    why: str
    report: Report = field(repr=False)
    options: tuple[Option, ...] = ()
    mistakes: tuple[tuple[str, str], ...] = ()
    record: Record | None = field(default=None, repr=False)
    until: int = 0

    def mark(self, answer: str) -> Mark:
        """Mark an answer: of a choice the number of the option, from 1 on.

        An answer that cannot be read is not marked; the reply names the expected form. Cost of a rule: some
        thousand words.
        """
        answer = answer.strip()
        match self.form:
            case Form.CHOICE:
                return self._mark_choice(answer)
            case Form.NUMBER:
                return self._mark_number(answer)
            case Form.WORD:
                return self._mark_word(answer)
            case Form.RULE:
                return self._mark_rule(answer)

    def to_json(self) -> JsonObject:
        """Write the question for the script of a page, which marks answers as `mark` does."""
        record = self.record
        places = [place for place, known in enumerate(self.report.records) if known is record]
        return {
            "text": self.text,
            "form": self.form.value,
            "answer": self.answer,
            "why": self.why,
            "options": [{"text": option.text, "reason": option.reason} for option in self.options],
            "mistakes": dict(self.mistakes),
            "fail": None if record is None else record.fail,
            "place": places[0] if places else None,
            "until": self.until,
        }

    def _mark_choice(self, answer: str) -> Mark:
        if not answer.isascii() or not answer.isdigit() or not 1 <= int(answer) <= len(self.options):
            return Mark(None, f"Choose by a number from 1 to {len(self.options)}.")
        chosen = self.options[int(answer) - 1]
        return Mark(True, "Right.") if chosen.reason is None else Mark(False, f"No: {chosen.reason}")

    def _mark_number(self, answer: str) -> Mark:
        given = "none" if answer.lower() in NONE else answer
        if given != "none" and not (given.isascii() and given.isdigit() and len(given) < 10):
            return Mark(None, "Write a whole number, or none.")
        given = given if given == "none" else str(int(given))
        if given == self.answer:
            return Mark(True, "Right.")
        known = dict(self.mistakes).get(given)
        if known is None and self.answer == "none":
            known = "there is none."
        elif known is None and given != "none":
            known = f"it is {'more' if int(given) < int(self.answer) else 'less'}."
        return Mark(False, f"No: {known}" if known else "No.")

    def _mark_word(self, answer: str) -> Mark:
        record = self.record
        assert record is not None
        alphabet = self.report.target.spec().alphabet
        try:
            word = alphabet.encode("" if answer == "ε" and "ε" not in alphabet.symbols else answer)
        except IdinfError as error:
            return Mark(None, f"{error}.")
        typed, shown = format_word(answer), format_word(alphabet.decode(word))
        if answer != "ε" and typed != shown:  # a letter that is like another one for the target
            shown = f"{typed} (read as {shown})"
        asked = build_acceptance(self.report)
        assert asked is not None
        (right,), _ = answer_words(asked, lay_out_words([word]))
        if reference.accepts(record.hypothesis, word) == right:
            return Mark(False, f"No: both {'accept' if right else 'reject'} {shown}.")
        if record.fail is not None and len(word) > record.fail:
            length = format_amount(record.fail, "symbol")
            return Mark(False, f"It is wrong on {shown}, but not first there: look for a word of {length}.")
        return Mark(True, f"Right: {shown} is {'accepted' if right else 'rejected'} by the target alone.")

    def _mark_rule(self, answer: str) -> Mark:
        try:
            met, looked = compare_rule(self.report, answer)
        except (IdinfError, ValueError, RecursionError) as error:
            return Mark(None, MODULO if "modulo" in str(error) else f"{_PLACE.sub('', str(error))}.")
        if met is None:
            return Mark(True, f"Right, on all words up to length {looked}.")
        shown = format_word(self.report.target.spec().alphabet.decode(met))
        if not met:
            return Mark(False, "No: it is wrong on ε already.")
        if len(met) > self.until:
            return Mark(True, f"Right up to length {len(met) - 1}; {shown} shows that it is wrong.")
        return Mark(False, f"No: it is wrong on {shown}, and right on every shorter word.")


def compare_rule(report: Report, rule: str) -> tuple[Word | None, int]:
    """Find the first word, in shortlex order, on which a rule and the target of a report differ.

    The rule is a program, a formula, or the part of one after "accept iff". Returns the word, or None, and
    the length up to which all words were compared, `MOST_WORDS` at most. Raises the refusal of a rule.

    >>> from idinf.api.identify import identify
    >>> compare_rule(identify("majority", max_n=2, layers=1), "#1 >= 1")
    ((), 0)
    """
    spec = report.target.spec()
    text = rule if "accept" in rule else f"accept iff {rule}"
    if is_formula(text):
        text = _TIMES.sub(r"\1 #", text.translate(_SIGNS))
    loaded = programs.loads(text, "your rule", spec.alphabet)
    table: dict[str, object] = {"name": "rule", "alphabet": list(spec.alphabet.symbols), "crasp": loaded.text}
    if spec.alphabet.spaced:
        table["tokens"] = "space"
    own, asked = supervise(build_target(read_table(table, "rule"))), supervise(build_target(spec))
    looked = 0
    for length in range(longest_compared(len(spec.alphabet)) + 1):
        words = list(itertools.product(range(len(spec.alphabet)), repeat=length))
        batch = lay_out_words(words)
        (right, counted), (given, _) = answer_words(asked, batch), answer_words(own, batch)
        for word, one, other, counts in zip(words, right, given, counted, strict=True):
            if counts and one != other:
                return word, length
        looked = length
    return None, looked


def longest_compared(size: int) -> int:
    """The length up to which all words over so many symbols are compared: `MOST_WORDS`, or `LONGEST`.

    >>> longest_compared(1), longest_compared(2)
    (64, 13)
    """
    lengths = range(LONGEST + 1)
    counts = itertools.accumulate(size**length for length in lengths)
    return max(length for length, count in zip(lengths, counts, strict=True) if count <= MOST_WORDS)


def place_right(text: str, right: str, wrong: Sequence[tuple[str, str]]) -> tuple[Option, ...]:
    """Order the options of a question, so that the right one is not always the first."""
    options = [Option(*each) for each in wrong]
    options.insert(sum(map(ord, text)) % (len(options) + 1), Option(right))
    return tuple(options)


def build_acceptance(report: Report) -> SupervisedTarget | None:
    """Supervision of a target that asks for acceptance of every word; None for other targets."""
    if report.target.mode != "accept" or report.target.domain is not None:
        return None
    try:
        return supervise(build_target(report.target.spec()))
    except (IdinfError, ValueError, RecursionError):
        return None
