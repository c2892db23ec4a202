"""``idinf continuity``: what predictors that are continuous in their prompt can and cannot learn."""

from __future__ import annotations

import click

from idinf.commands.group import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_table={
        "distance": ("continuity_studies:distance", "Compare two infinite sequences."),
        "modulus": ("continuity_studies:modulus", "Bound how far near prompts are told apart."),
        "learn": ("continuity_studies:learn", "Say whether a sequence is eventually learned."),
        "isolate": ("continuity_studies:isolate", "Compute the radius in which nothing else is learned."),
    },
)
def continuity() -> None:
    """Measure what transformers of continuous, bounded parts can learn.

    A SEQ is START(PERIOD) as in 1(01), thue-morse or fibonacci; with @k behind it, every k-th place is
    changed into the next symbol of the alphabet. A PREDICTOR is laplace, kt, or a compact-transformer/1 file.

    \b
    Examples:
      idinf continuity distance '(0)' '(001)'
      idinf continuity isolate laplace '(0)'
      idinf continuity COMMAND --help
    """
