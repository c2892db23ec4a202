"""The end of the story: what a run proves, and what the theory says beyond it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from idinf.render.text.walkthrough_terms import bound_text, fits, r_text

__all__ = ["class_lines", "proof_lines"]


def proof_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Say what the outcome of a report proves, and what it does not."""
    name, max_n, n0 = report["target"]["name"], report["max_n"], report["n0"]
    complete = bound_text(report["complete_up_to_r"])
    if report["outcome"] == "open":
        yield from _open_lines(report)
        return
    if n0 is None:
        yield (
            f"At n = {max_n} a selected hypothesis is still wrong within length {2 * max_n}. So there is no "
            f"n0 in [1, {max_n}]. A larger --max-n may find one."
        )
    else:
        before = f" n = {n0 - 1} is not good." if n0 > 1 else ""
        yield f"n0 = {n0}: every n from {n0} to {max_n} is good.{before}"
        chosen = next(record for record in report["records"] if fits(record, max_n))
        until = 2 * max_n if chosen["fail"] is None else chosen["fail"] - 1
        yield (
            f"What is learned: '{chosen['formula']}'. It agrees with {name} on all words up to length "
            f"{until}; all of them were checked, not a sample."
        )
    yield (
        f"This is exact for the space that was searched and for n <= {max_n}: every hypothesis with R <= "
        f"{complete} was enumerated, and nothing dearer can be selected at any of these n."
    )
    yield (
        "It says nothing about n beyond, about transformers outside the space, or about training by gradient "
        "descent."
    )


def _open_lines(report: Mapping[str, Any]) -> Iterator[str]:
    name, stages = report["target"]["name"], report["stages"]
    complete = bound_text(report["complete_up_to_r"])
    yield f"The run is open: {report['stop_reason']}."
    unknown = next((stage["n"] for stage in stages if stage["r_star"] is None), None)
    if unknown is None:
        yield (
            f"R*_n is known for every n, but some windows reach above R = {complete}, up to which every "
            "hypothesis was enumerated. What lies there may be selected too."
        )
    else:
        yield (
            f"Proved: each hypothesis of this space with R <= {complete} is wrong about {name} on some word "
            f"of length {unknown} or less. So R*_n > {complete} for every n >= {unknown}."
        )
    bracket = report["bracket"]
    if bracket["n0_lower"] is not None:
        yield f"Proved too: if there is an n0, it is at least {bracket['n0_lower']}."
    if bracket["r_upper"] is not None:
        yield (
            f"A hypothesis with R = {r_text(bracket['r_upper'])} is right on all words up to length "
            f"{bracket['upper_length']}. It is not proved to be the cheapest."
        )
    max_r = bound_text(report["space"]["max_r"])
    further = "A larger --max-r" if complete == max_r else f"A run that goes on to its budget R = {max_r}"
    yield (
        f"Not proved: that nothing fits. What costs more than R = {complete} was not searched. {further} "
        "looks further."
    )


def class_lines(report: Mapping[str, Any], inside: str | None) -> tuple[str, ...]:
    """Say what membership in C-RASP[periodic, local] adds to an open run; nothing for any other."""
    if report["outcome"] != "open" or inside not in ("yes", "no"):
        return ()
    name = report["target"]["name"]
    if inside == "yes":
        return (
            f"[HYB25]: {name} is in C-RASP[periodic, local]. So some Limit Transformer is right on all "
            "lengths, and R*_n stops rising once the space and the budget reach it. This run ended before.",
        )
    uniform = report["space"]["logit_max"] == 0
    program = (
        "Every hypothesis of this space is such a program: it averages uniformly, so its units compare "
        "counts. "
        if uniform
        else ""
    )
    subject = "So each of them" if uniform else "If no hypothesis is right on all lengths, each of them"
    return (
        f"[HYB25]: {name} is not in C-RASP[periodic, local]. {program}{subject} is wrong on some word.",
        "Below any bound B there are finitely many hypotheses. Each is wrong on some word, so all words up "
        "to some length rule all of them out: from there on R*_n > B. This holds for every B, so R*_n rises "
        "without end.",
        "The learner never settles: whatever fits so far, a longer word shows that it is wrong, and the next "
        "one that fits costs more. The run shows the first steps of this rise; that it never ends is the "
        "theorem, not the run.",
    )
