"""The text of a judgement, for people."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from idinf.base.numbers import align, format_amount, format_r, format_range, format_word
from idinf.base.quoting import quote, shorten
from idinf.trained.judgement import CONFIDENCE, Follower, Judgement, Mistake
from idinf.trained.tree import Count

#: Records that are listed, at most, and characters of a formula.
MOST_RECORDS, MOST_FORMULA = 12, 60


def render_judgement(found: Judgement) -> str:
    """Write a judgement as lines of text."""
    blocks = (
        _headline(found),
        _facts(found),
        _table(found),
        _differing(found),
        _samples(found),
        _records(found),
    )
    return "\n\n".join("\n".join(block) for block in map(list, blocks) if block)


def summarize(found: Judgement) -> str:
    """The verdict in one sentence.

    It says that no wrong word was found, never that there is none beyond the asked words.
    """
    first, asked = found.first, _name_asked(found) if found.counts else "those that were drawn"
    if first is None:
        return f"{found.target}: no wrong word among {asked}"
    word = format_word(first.word)
    if first.length <= found.exhaustive_to:
        return f"{found.target}: wrong from length {first.length} on, first on {word}"
    before = f"right on {asked}, " if found.counts else ""
    return f"{found.target}: {before}wrong on {word}, of length {first.length}"


def describe_mistake(found: Judgement, mistake: Mistake) -> str:
    """Text of a wrong answer and the right one.

    For example ``behind 01 the model says 1, right is 0 1 $``.
    """
    behind = "" if found.answer == "accept" else f"behind {format_word(mistake.prefix)} "
    offset = f", at offset {mistake.offset}" if mistake.offset else ""
    return f"{behind}the model says {mistake.said}, right is {mistake.right}{offset}"


def describe_following(found: Judgement) -> str | None:
    """Sentence on the record that the model follows; None where none was compared."""
    best = found.follows
    if best is None or (best.agrees_to < 0 and best.parting is None):
        return None  # nothing was asked
    if best.agrees_to < 0:
        return "The model follows none of the records: it parts from each on the empty word."
    same = sum(each.reason is None and each.agrees_to == best.agrees_to for each in found.followers) - 1
    names = f"`{best.formula}`" + (f" and {format_amount(same, 'other record')}" if same else "")
    asked, is_right = _name_asked(found), not any(count.wrong for count in found.counts)
    if best.parting is not None:
        right = f"the target on {asked}; as " if is_right else ""
        return f"The model answers as {right}{names} up to length {best.agrees_to}, then as no record."
    if not is_right:
        return f"The model answers as {names} on {asked}."
    return f"The model answers as the target on {asked}, as {names} {'do' if same else 'does'}."


def _name_asked(found: Judgement) -> str:
    words = sum(count.words for count in found.counts)
    return f"all {format_amount(words, 'word')} of the task up to length {found.exhaustive_to}"


def name_offsets(found: Judgement) -> str:
    """Offsets of the first token, as in ``offsets 0..7, as far as they leave room``."""
    if len(found.offsets) == 1:
        return f"offset {found.offsets[0]}"
    return f"offsets {format_range(found.offsets)}, as far as they leave room"


def _headline(found: Judgement) -> Iterator[str]:
    yield summarize(found)
    if found.first is not None:
        yield describe_mistake(found, found.first)
    following = describe_following(found)
    if following is not None:
        yield following


def _facts(found: Judgement) -> Iterator[str]:
    model = found.model
    places = "no positions" if model.positions is None else format_amount(model.positions, "position")
    sizes = (
        f"{format_amount(model.layers, 'layer')}, {format_amount(model.heads, 'head')}, width {model.width}"
    )
    yield f"model   {model.name}: {sizes}, {places}"
    answers = f" (no is {quote(found.answers[0])}, yes {quote(found.answers[1])})" if found.answers else ""
    yield f"asked   answer {found.answer}{answers} over {' '.join(found.alphabet)}, at {name_offsets(found)}"
    reached = f"words up to length {found.exhaustive_to}; beyond" if found.counts else "words of no length"
    yield f"all     {reached}: {found.ended_by}"


def _table(found: Judgement) -> Iterator[str]:
    header = ("length", "words", "wrong", "least margin", "float32 differs", "first wrong word")
    rows: list[tuple[str, ...]] = [header]
    mistakes = {mistake.length: mistake for mistake in found.mistakes}

    def cells(count: Count) -> tuple[str, ...]:
        wrong = mistakes.get(count.length)
        margin = "" if count.margin is None else f"{count.margin:.3g}"
        word = "" if wrong is None else format_word(wrong.word)
        return str(count.words), str(count.wrong), margin, str(count.differing), word

    for row, alike in itertools.groupby((count for count in found.counts if count.words), cells):
        rows.append((format_range([count.length for count in alike]), *row))
    yield from align(rows, ">>>>><")


def _differing(found: Judgement) -> Iterator[str]:
    for mistake in found.differing:
        yield (
            f"float32 differs on {format_word(mistake.word)} at offset {mistake.offset}: "
            f"float64 says {mistake.said}, float32 {mistake.right}"
        )


def _samples(found: Judgement) -> Iterator[str]:
    if not found.samples:
        return
    rows = [("beyond", "lengths", "words", "wrong", f"{CONFIDENCE:.0%} interval", "shortest wrong word")]
    for sample in found.samples:
        interval = sample.interval
        rows.append(
            (
                sample.kind,
                f"{sample.shortest}-{sample.longest}",
                str(sample.words),
                str(sample.wrong),
                "chosen" if interval is None else f"{interval[0]:.4f} to {interval[1]:.4f}",
                "" if sample.first is None else shorten(format_word(sample.first.word), MOST_FORMULA),
            )
        )
    yield from align(rows, "<>>><<")


def _records(found: Judgement) -> Iterator[str]:
    if not found.followers:
        return
    rows = [("record", "R", "right to", "model agrees to", "parts on", "formula")]
    rows += [
        (
            str(each.record),
            format_r(each.r),
            "..." if each.fail is None else str(each.fail - 1),
            "not compared" if each.reason is not None else str(each.agrees_to),
            _show_parting(found, each),
            shorten(each.formula, MOST_FORMULA),
        )
        for each in found.followers[:MOST_RECORDS]
    ]
    yield from align(rows, ">>>><<")


def _show_parting(found: Judgement, each: Follower) -> str:
    if each.parting is None:
        return ""
    word = shorten(format_word(each.parting.word), MOST_FORMULA)
    if each.parting.prefix != each.parting.word:
        word = f"{shorten(format_word(each.parting.prefix), MOST_FORMULA)} in {word}"
    return f"{word}: model {each.parting.said}, record {each.record_says}"
