"""The reading order of a page, and its exercises, as the script takes them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress

from markupsafe import Markup

from idinf.base.json_text import JsonObject
from idinf.base.numbers import typeset
from idinf.errors import IdinfError
from idinf.nets.json_format import to_json_object
from idinf.report.value import Report
from idinf.show.exercises import list_exercises
from idinf.show.html.script_data import turn_into_texts
from idinf.show.quiz import Question
from idinf.show.text.walkthrough import Block, Table, tell

#: A text in quotes is a formula, and is written as it is.
_FORMULA = re.compile(r"('[^']*')")


def write_data(value: object) -> Markup:
    """Write JSON that no HTML parser reads as a tag, a comment or an entity."""
    text = json.dumps(value, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def tell_steps(report: Report, inside: str | None, is_second: bool = False) -> list[JsonObject]:
    """Write the steps of the walkthrough; none where the report does not define its target."""
    with suppress(IdinfError, ValueError, RecursionError):
        return [
            {
                "title": typeset(step.title),
                "part": step.part.value,
                "n": step.n,
                "before": [_write_block(block) for block in step.before],
                "blocks": [_write_block(block) for block in step.blocks],
                "question": None if step.question is None else write_question(step.question),
            }
            for step in tell(report, inside, is_second)
        ]
    return []


def write_exercises(reports: Sequence[Report]) -> Markup | None:
    """Write the exercises about the reports of a page; None where there are none."""
    with suppress(IdinfError, ValueError, RecursionError):
        questions = list_exercises(reports)
        sides = [reports.index(question.report) for question in questions]
        return write_data([write_question(q) | {"side": k} for q, k in zip(questions, sides, strict=True)])
    return None


def write_question(question: Question) -> JsonObject:
    """Write a question with the signs that pages have, but for formulas and answers."""
    record, content = question.record, question.to_json()
    if record is not None and content["place"] is None:  # the page has no net of it yet
        content["net"] = turn_into_texts(to_json_object(record.hypothesis))
    return {
        **content,
        "text": typeset_prose(question.text),
        "answer": typeset_prose(question.answer) if question.options else question.answer,
        "why": typeset_prose(question.why),
        "options": [
            {"text": typeset_prose(it.text), "reason": it.reason and typeset_prose(it.reason)}
            for it in question.options
        ],
        "mistakes": {answer: typeset_prose(reason) for answer, reason in question.mistakes},
    }


def typeset_prose(text: str) -> str:
    """Write a sentence with the signs that pages have, and formulas in it as they are.

    >>> typeset_prose("n0 = 3: 'accept iff #1 >= 1' fits for n >= 3")
    "n₀ = 3: 'accept iff #1 >= 1' fits for n ≥ 3"
    """
    parts = _FORMULA.split(text)
    return "".join(part if place % 2 else typeset(part) for place, part in enumerate(parts))


def _write_block(block: Block) -> object:
    if isinstance(block, Table):  # a column without a name draws bars; the page has a picture
        kept = [place for place, name in enumerate(block.header) if name]
        header = [typeset(block.header[place]) for place in kept]
        return {"header": header, "rows": [[row[place] for place in kept] for row in block.rows]}
    return block if "\n" in block else typeset_prose(block)  # a definition stays as it is
