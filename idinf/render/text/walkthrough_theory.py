"""What the theory says about a target beyond what a run proved."""

from __future__ import annotations

from idinf.report.value import Outcome, Report


def theory_sentences(report: Report, inside: str | None) -> tuple[str, ...]:
    """Say what membership in C-RASP[periodic, local] adds to an open run; nothing for any other.

    Parameters
    ----------
    inside : str, optional
        Whether the target is a member: ``yes``, ``no``, ``unknown``.
    """
    if report.outcome is not Outcome.OPEN or inside not in ("yes", "no"):
        return ()
    name = report.target.name
    if inside == "yes":
        return (
            f"[HYB25]: {name} is in C-RASP[periodic, local]. So some Limit Transformer is right on all "
            "lengths, and R*_n stops rising once the space and the budget reach it. This run ended before.",
        )
    uniform = report.space.logit_max == 0
    program = (
        "Every hypothesis of this space is such a program: it averages uniformly, so its units compare "
        "counts. "
    )
    subject = "So each of them" if uniform else "If no hypothesis is right on all lengths, each of them"
    return (
        f"[HYB25]: {name} is not in C-RASP[periodic, local]. {program if uniform else ''}{subject} is wrong "
        "on some word.",
        "Below any bound B there are finitely many hypotheses. Each is wrong on some word, so all words up "
        "to some length rule all of them out: from there on R*_n > B. This holds for every B, so R*_n rises "
        "without end.",
        "The learner never settles: whatever fits so far, a longer word shows that it is wrong, and the next "
        "one that fits costs more. The run shows the first steps of this rise; that it never ends is the "
        "theorem, not the run.",
    )
