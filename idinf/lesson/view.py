"""View of a question, as HTML in which every text is escaped, and the reply to a guess."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from markupsafe import Markup
from msgspec import Struct

from idinf.base.numbers import typeset
from idinf.lesson.live import Seen
from idinf.lesson.messages import Asked, Classes, Known, Language, Page, ProgramFound
from idinf.report.value import Outcome


class Guess(Struct, frozen=True):
    """Guess of a reader: an n0, none, or no guess."""

    has_n0: bool | None = None  #: None: it was skipped
    n: int = 1  #: the guessed n0, where there is one


_ONLOAD = re.compile(r"""\sonload=("[^"]*"|'[^']*')""")

#: The largest n that is offered for a guess.
MOST_GUESSED = 16

#: Guesses, by the text of their option.
GUESSES = {
    "I skip the guess": Guess(),
    "No, it has none": Guess(False),
    **{f"Yes, from n = {n} on": Guess(True, n) for n in range(1, MOST_GUESSED + 1)},
}


def show_language(seen: Seen, asked: Asked) -> str:
    """The language before a guess, or why there is none."""
    if seen.language is None:
        return _block(_refuse(seen.refusal))
    return _block(*_language(seen.language), _command(asked))


def show_search(seen: Seen) -> str:
    """Results during the search, and at the end."""
    parts = list[Markup]()
    if seen.classes is not None:
        parts += _classes(seen.classes)
    if seen.program is not None:
        parts += _program(seen.program)
    if seen.known is not None:
        parts += _records(seen.known)
    if not seen.is_over:
        parts.append(_say(f"Searching: {seen.line or 'it begins'}.", "now"))
    if seen.refusal:
        parts.append(_refuse(seen.refusal))
    return _block(*parts)


def show_answer(seen: Seen, guess: Guess) -> str:
    """The answer beside the guess, in the sentences of the report."""
    known = seen.known
    if known is None or not known.is_last:
        return ""
    parts = [Markup("<h2>{}</h2>").format(typeset(known.headline))]
    if known.is_stopped:
        parts.append(_say("You stopped the search. What it proves by then:"))
    if told := judge(guess, known):
        parts.append(_say(told, "guess"))
    sentences = (sentence for sentence in known.sentences if sentence != f"{known.headline}.")
    parts += map(_say, (*sentences, *known.theory))
    heard = Markup('<div role="status">{}</div>').format(Markup("").join(parts))
    return _block(heard)  # readers of a screen hear it when it comes


def name_frame(frame: str, page: Page) -> str:
    """Give the frame of a page a title, which readers of a screen hear; its scripts reach nothing outside.

    Nor do events that would resize it reach inside.
    """
    title = Markup('<iframe title="The page {}" sandbox="allow-scripts" ').format(page.name)
    return _ONLOAD.sub("", frame).replace("<iframe ", title, 1)


def judge(guess: Guess, known: Known) -> str:
    """Say how a guess and the answer go together, and which wrong rule speaks against it."""
    if guess.has_n0 is None:
        return ""
    guessed = f"You guessed n0 = {guess.n}" if guess.has_n0 else "You guessed that there is no n0"
    n0, because = known.n0, f" {known.worst}" if known.worst else ""
    is_proved = known.outcome == Outcome.IDENTIFIED_FOR_ALL_N.value
    up_to = "" if is_proved else f" up to n = {known.span}, as far as was examined"
    if known.outcome == Outcome.NEVER.value:
        return f"{guessed}. {'There is none, by a theorem.' if guess.has_n0 else 'Right, by a theorem.'}"
    if n0 is not None and guess.has_n0:
        if guess.n == n0:
            return f"{guessed}. Right{up_to}.{because}"
        late = f"All n from {n0} on are good{up_to}.{because}"
        early = because or f" n = {n0} is the first from which on all are good{up_to}."
        return f"{guessed}. {'Too early.' + early if guess.n < n0 else late}"
    if n0 is not None:
        return f"{guessed}. There is one{up_to}: n0 = {n0}.{because}"
    if guess.has_n0 and guess.n < known.n0_lower:
        return f"{guessed}. Too early, if there is one at all.{because}"
    return f"{guessed}. This search does not decide it.{because}"


def _language(language: Language) -> Iterable[Markup]:
    title = Markup("<code>{}</code>").format(language.title)
    yield Markup("<h2>The language {} over {}</h2>").format(title, language.alphabet)
    if language.note:
        yield _say(language.note)
    if language.words:
        for verb, wanted in (("It accepts", True), ("and rejects", False)):
            words = [word for word, is_accepted in language.words if is_accepted is wanted]
            shown = Markup(" ").join(Markup("<code>{}</code>").format(word) for word in words)
            yield Markup("<p>{} {}</p>").format(verb, shown or "none")
        yield _say(f"of the first {len(language.words)} words, the shorter ones first.", "note")


def _command(asked: Asked) -> Markup:
    over = ["--alphabet", asked.alphabet.strip()] if asked.alphabet.strip() else []
    line = shlex.join(["idinf", "identify", asked.target.strip(), *over])
    return Markup(
        '<p class="note">On the command line, without the bounds of this lesson: <code>{}</code></p>'
    ).format(line)


def _classes(classes: Classes) -> Iterable[Markup]:
    yield Markup("<h2>Is there a program that counts?</h2>")
    yield _say(classes.expectation)
    yield _say(f"Reason: {classes.reason}.")
    rows = Markup("").join(
        Markup("<tr><td>{}</td><td>{}</td><td>{}</td></tr>").format(*row) for row in classes.rows
    )
    head = Markup("<tr><th>class</th><th>verdict</th><th>reason</th></tr>")
    yield Markup("<details><summary>All classes</summary>{}</details>").format(_table(head, rows))


def _program(program: ProgramFound) -> Iterable[Markup]:
    if program.text:
        yield Markup('<p>A program in C-RASP:</p><pre tabindex="0">{}</pre>').format(program.text)
        yield _say(program.note, "note")
    else:
        yield _say(f"No program: {program.note}.")


def _records(known: Known) -> Iterable[Markup]:
    yield Markup("<h2>Rules that last longer than every cheaper one</h2>")
    rows = Markup("").join(
        Markup("<tr><td>{}</td><td><code>{}</code></td><td><code>{}</code></td></tr>").format(*row)
        for row in known.records
    )
    head = Markup("<tr><th>R</th><th>first wrong on</th><th>rule</th></tr>")
    yield _table(head, rows)
    yield _say(f"Complete {known.complete}.", "note")


def _table(head: Markup, rows: Markup) -> Markup:
    return Markup(
        '<div class="scroll" tabindex="0"><table><thead>{}</thead><tbody>{}</tbody></table></div>'
    ).format(head, rows)


def _say(text: str, kind: str = "") -> Markup:
    return Markup('<p class="{}">{}</p>').format(kind, typeset(text))


def _refuse(text: str) -> Markup:
    return Markup('<p class="refusal" role="alert">{}</p>').format(text)


def _block(*parts: Markup) -> str:
    return str(Markup('<div class="lesson">{}</div>').format(Markup("").join(parts)))
