"""The outcome of a report in sentences, and what it does not show."""

from __future__ import annotations

from collections.abc import Iterator

from idinf.render.html.content import Bracket, Content
from idinf.render.html.markup import Markup, tag
from idinf.render.html.numbers import r_text, short

__all__ = ["limits", "outcome"]


def outcome(content: Content) -> Markup:
    """The outcome, and what an open run proves."""
    return Markup("".join(tag("p", sentence) for sentence in _sentences(content)))


def _sentences(content: Content) -> Iterator[str]:
    max_n = content.max_n
    complete = (
        f"The enumeration is complete up to R = {short(content.complete_up_to_r)}: every hypothesis of the "
        "space below was covered up to there"
    )
    if content.outcome == "open":
        yield f"Open: {content.stop_reason}. {complete}; what lies above was not searched."
        yield from _proved(content)
        return
    if content.outcome == "not-identified":
        yield (
            f"Not identified: at n = {max_n} a selected hypothesis is wrong on a word of length ≤ "
            f"{2 * max_n}, so there is no n0 in [1, {max_n}]."
        )
    else:
        yield (
            f"Identified: n0 = {_count(content.n0)}. From there on, for every n ≤ {max_n}, every selected "
            "hypothesis is right on all words up to length 2n."
        )
    if content.outcome == "identified-for-all-n":
        why = content.beyond or "nothing else is selected"
        yield f"This is proved for every n: beyond n = {max_n} {why}."
    elif content.beyond is not None and content.n0 is not None:
        yield f"Beyond n = {max_n} nothing is claimed: {content.beyond}."
    yield (
        f"{complete}. That is the stop bound: nothing of larger R can be selected at any n ≤ {max_n}. "
        f"Every fail length is exact up to {2 * max_n}."
    )
    yield (
        "If only the first hypothesis in a fixed order is picked instead of all that are selected, "
        f"n0 = {_count(content.n0_canonical)}."
    )


def _proved(content: Content) -> Iterator[str]:
    """What an open run proves about R*_n and n0."""
    r = short(content.complete_up_to_r)
    unknown = next((stage.n for stage in content.stages if stage.r_star is None), None)
    if unknown is not None:
        yield (
            f"Proved: R*ₙ > {r} for every n ≥ {unknown}, because no hypothesis of this space with R ≤ {r} "
            f"agrees with {content.name} on all words up to length {unknown}."
        )
    else:
        yield (
            f"R*ₙ is known for every n ≤ {content.max_n}; some selected sets reach above R = {r} and are "
            "known in part."
        )
    if content.bracket is not None:
        yield from _bracketed(content.bracket, content.max_n, unknown)


def _bracketed(bracket: Bracket, max_n: int, unknown: int | None) -> Iterator[str]:
    if bracket.r_upper is not None and bracket.upper_length is not None:
        yield (
            f"A hypothesis with R = {r_text(bracket.r_upper)} is right on all words up to length "
            f"{bracket.upper_length}. It is an upper bound, not proved minimal."
        )
        if unknown is not None:
            last = min(bracket.upper_length, max_n)
            yield (
                f"So R*ₙ lies in ({short(bracket.r_lower)}, {r_text(bracket.r_upper)}] for n from {unknown} "
                f"to {last}."
            )
    elif unknown is not None:
        yield "No correct hypothesis is known, so there is no upper bound."
    if bracket.stop_bound_upper is not None:
        yield (
            f"A run that is complete up to R = {r_text(bracket.stop_bound_upper)} decides every n ≤ {max_n}."
        )
    if bracket.n0_lower is not None:
        yield f"n0 is not decided; if there is one, n0 ≥ {bracket.n0_lower}."


def limits(content: Content) -> Markup:
    """What this does not show."""
    max_n = content.max_n
    items = [
        "Only the space above was searched. A hypothesis outside it, or the same function written with "
        "other matrices, may have a smaller R.",
        "This is not a trained model. n0 belongs to the idealized procedure, which minimizes R over Limit "
        "Transformers; gradient descent may do something else.",
        f"It speaks of n from 1 to {max_n} and of words up to length {2 * max_n}. That a hypothesis is right "
        "up to there is not a proof for all lengths.",
        "The table holds one hypothesis for each record. More functions may be selected than it shows; the "
        "counts at each n are those of the report.",
    ]
    if content.outcome == "open":
        items.append(
            "The run is open: it proves lower bounds and nothing more. It is not a proof that the language "
            "cannot be learned."
        )
    if any(not shown.record for shown in content.hypotheses):
        items.append("The upper bound is a correct hypothesis that was found or given, not a minimum.")
    return tag("ul", *(tag("li", item) for item in items))


def _count(value: int | None) -> str:
    return "none" if value is None else str(value)
