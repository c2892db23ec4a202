"""``idinf continuity``: what predictors that are continuous in their prompt can and cannot learn."""

from __future__ import annotations

import click

from idinf.commands.group import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_table={
        "distance": ("continuity_studies:distance", "Compare two infinite sequences."),
        "predict": ("continuity_studies:predict", "Print the probabilities after prompts."),
        "draw": ("continuity_studies:draw", "Write a compact net that is drawn at random."),
        "modulus": ("continuity_studies:modulus", "Bound how far near prompts are told apart."),
        "witness": ("continuity_studies:witness", "Show where one symbol turns a verdict."),
        "learn": ("continuity_isolation:learn", "Say whether a sequence is eventually learned."),
        "isolate": ("continuity_isolation:isolate", "Compute the radius in which nothing else is learned."),
        "dilemma": ("continuity_isolation:dilemma", "Write a page: a, or a changed at every k-th place."),
        "contrast": ("continuity_isolation:contrast", "Set a hypothesis beside a compact predictor."),
    },
)
def continuity() -> None:
    """Measure what transformers of continuous, bounded parts can learn, and what hypotheses do instead.

    A SEQ is START(PERIOD) as in 1(01), thue-morse, fibonacci, blocks (1 from 4^k to 2·4^k - 1), or
    feed:NAME, what a program says of what it said before; with @k behind it, every k-th place is changed
    into the next symbol of the alphabet. A PREDICTOR is laplace, kt, random:SEED, a compact-transformer/1
    file, or verdict:HYPOTHESIS, which gives all to the second symbol where it accepts the prompt. Where a
    HYPOTHESIS is asked for, the name of a program stands for what it is compiled to.

    \b
    Examples:
      idinf continuity distance '(0)' '(001)'
      idinf continuity isolate laplace '(0)'
      idinf continuity COMMAND --help
    """
