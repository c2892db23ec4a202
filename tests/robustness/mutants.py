"""Mutants of sound files: values and pieces of their texts changed at random places."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from tests.robustness.sound_documents import DOCUMENTS, PROGRAM, TABLE, leaves, value_at, written

__all__ = ["mutants"]

#: In place of a value, and spliced into texts.
VALUES = (0, 1, -1, 2, 7, 10**6, 2**63, 10**30, 0.5, -0.0, 1e300, True, None, "", "a", "x" * 400, "\x1b[31m",
          "\ud800", [], {}, [[]], ["a"], {"a": 1}, "1/2", "1/3", "-1/4", "$", "(", "a*", "0")  # fmt: skip
SPLICES = (
    *'()[]{}"\'\\#=*+-!,ij01', "", " ", "\n", "\0", "\x1b[31m", "\u2028", "é", "==", "&&", "||", "//",
    "if", "else", "mod", "min(", "max(", "-1", "9" * 30, "true", "[j == i - 3]", "opened", "accept",
)  # fmt: skip

#: What is no document of keys and values.
TEXTS = {"program": PROGRAM, "table": TABLE}


@st.composite
def changed(draw: st.DrawFn, document: dict[str, Any]) -> dict[str, Any]:
    """A document with one to four values replaced, removed, doubled or swapped."""
    mutant = copy.deepcopy(document)
    places = list(leaves(document, (object,)))[1:]
    values = [value_at(document, route) for route in places]
    for _ in range(draw(st.integers(1, 4))):
        route = draw(st.sampled_from(places))
        try:
            inner: Any = value_at(mutant, route[:-1])
            how = draw(st.sampled_from(("value", "value", "another", "remove", "double", "add")))
            if how == "value":
                inner[route[-1]] = copy.deepcopy(draw(st.sampled_from(VALUES)))
            elif how == "another":
                inner[route[-1]] = copy.deepcopy(draw(st.sampled_from(values)))
            elif how == "remove":
                del inner[route[-1]]
            elif how == "double":
                inner[route[-1]] *= 2
            else:
                inner["key"] = draw(st.sampled_from(VALUES))
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change removed the place
    return mutant


@st.composite
def spliced(draw: st.DrawFn, text: str) -> str:
    """A text with one to six pieces replaced."""
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(st.sampled_from(SPLICES)) + text[end:]
    return text


@st.composite
def mutants(draw: st.DrawFn, kind: str) -> str:
    """The text of a mutant of a kind."""
    if kind in TEXTS:
        return draw(spliced(TEXTS[kind]))
    document = draw(st.sampled_from([document for of, document in DOCUMENTS.values() if of == kind]))
    text = written(kind, {key: value for key, value in draw(changed(document)).items() if value is not None})
    return draw(spliced(text)) if draw(st.integers(0, 3)) == 0 else text
