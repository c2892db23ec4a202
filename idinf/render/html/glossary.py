"""Words of the glossary, explained where they stand on a page: a button that opens a note.

The notes are rows of ``docs/glossary.md``; a test compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from idinf.render.html.markup import Markup, render_tag

#: Short names of the words that pages explain: the row of the glossary, and its meaning there.
WORDS = {
    "transformer": (
        "Limit Transformer",
        "an idealized transformer that reads inputs of any length (Definition 2)",
    ),
    "r": (
        "R",
        "the price of a hypothesis: layers, heads, precision, ranks and norms, added up (Definition 5); the "
        "terms are listed by idinf net cost",
    ),
    "r-star": ("R*_n", "the least R of a hypothesis that is consistent at n"),
    "window": (
        "tolerance, window",
        "the learner may select what fits with R up to R*_n + 1/(2n)",
    ),
    "good": (
        "good, bad, undetermined",
        "at n: all selected is right on all words up to length 2n; some selected is not; the run does not "
        "decide",
    ),
    "n0": ("n0", "the least n from which every examined n is good"),
    "fail": ("fail", "the least length of a word on which a hypothesis and the target differ"),
    "record": ("record", "a value of R at which some hypothesis lasts longer than every cheaper one"),
    "consistent": ("consistent, fits", "right on all words up to length n: fail > n"),
    "selected": ("selected set, S_n", "everything it may select at n"),
    "canonical": (
        "canonical pick",
        "the first of the selected in a fixed order; it has an n0 of its own",
    ),
}


def render_word(key: str, text: str) -> Markup:
    """A word of a sentence as a button that opens its note.

    Examples
    --------
    >>> print(render_word("fail", "wrong"))
    <button type="button" class="gloss" popovertarget="gloss-fail">wrong</button>
    """
    return render_tag("button", text, type="button", class_="gloss", popovertarget=f"gloss-{key}")


def explain(sentence: str) -> Markup:
    """A sentence in which [key|text] is a word of the glossary.

    Examples
    --------
    >>> print(explain("It is [fail|wrong]."))
    It is <button type="button" class="gloss" popovertarget="gloss-fail">wrong</button>.
    """
    parts = re.split(r"\[([a-z0-9-]+)\|([^\]]+)\]", sentence)
    words = [render_word(key, text) for key, text in zip(parts[1::3], parts[2::3], strict=True)]
    texts = [escape(text) for text in parts[::3]]
    return Markup(texts[0] + "".join(word + text for word, text in zip(words, texts[1:], strict=True)))


def render_notes(words: Mapping[str, tuple[str, str]] = WORDS) -> Markup:
    """The notes of words, closed until a button opens one."""
    notes = (
        render_tag(
            "div",
            render_tag("p", render_tag("dfn", name), f": {meaning}."),
            id=f"gloss-{key}",
            popover="auto",
            class_="gloss-note",
        )
        for key, (name, meaning) in words.items()
    )
    return Markup("".join(notes))
