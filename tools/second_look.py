"""A second look at a report: its hypotheses run by the judge on all short words, beside the language itself.

For example, a record that says it fails at length 5 has to be right on every word of up to 4 letters, and
wrong on one of 5. The hypotheses are read from the file and run by `idinf.nets.reference`, word by
word in Fractions; nothing of the search takes part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from idinf.base.words import Alphabet, Word, words_up_to
from idinf.nets import json_format, reference

__all__ = ["LONGEST", "find_contradictions"]

#: Length of the longest words by the number of letters: one or three thousand words.
LONGEST = {1: 32, 2: 9, 3: 7}

#: Single words, such as counterexamples of long fails, are run up to this length.
LONGEST_SINGLE = 40


def find_contradictions(
    report: dict[str, Any], member: Callable[[Word], bool], longest: int | None = None
) -> Iterator[str]:
    """Say what in a report, as its JSON, is wrong of a language.

    ``member`` decides a word by its codes. Every record, and what is wrong at a bad n, has to be wrong first
    where it says, and the hypothesis of the bracket nowhere, among all words up to ``longest`` (by default
    `LONGEST`).
    """
    alphabet = Alphabet(tuple(report["target"]["alphabet"]))
    if longest is None:
        longest = LONGEST[len(alphabet)]
    for number, record in enumerate((*report["records"], *report["worst"]), start=1):
        is_wrong = _judge(record["hypothesis"], member)
        fail = record["fail"]
        told = fail if fail is not None and fail <= longest else None
        first = _first_wrong(is_wrong, alphabet, longest)
        if first != told:
            yield f"record {number} says fail {fail}, its first wrong word up to {longest} has length {first}"
        if record["counterexample"] is not None:
            word = alphabet.encode(record["counterexample"])
            if len(word) != fail or (len(word) <= LONGEST_SINGLE and not is_wrong(word)):
                yield f"record {number} is right on its counterexample, or that is not of length {fail}"
    if report["outcome"].startswith("identified") and report["records"][-1]["fail"] is not None:
        yield "identified, but its last record is not right"
    bracket = report["bracket"]
    if bracket is not None and bracket["hypothesis"] is not None:
        up_to = min(longest, bracket["upper_length"])
        first = _first_wrong(_judge(bracket["hypothesis"], member), alphabet, up_to)
        if first is not None:
            yield f"the hypothesis of the upper end is wrong on a word of length {first}"


def _judge(hypothesis: dict[str, Any], member: Callable[[Word], bool]) -> Callable[[Word], bool]:
    """Whether a hypothesis is wrong on a word."""
    net = json_format.loads(json.dumps(hypothesis))
    return lambda word: reference.accepts(net, word) != member(word)


def _first_wrong(is_wrong: Callable[[Word], bool], alphabet: Alphabet, longest: int) -> int | None:
    """Length of the shortest wrong word, if there is one."""
    return next((len(word) for word in words_up_to(len(alphabet), longest) if is_wrong(word)), None)
