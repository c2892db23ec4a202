"""``idinf ordinary``: ordinary transformers, the class that the paper's procedure selects from."""

from __future__ import annotations

import click

from idinf.commands.group import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_table={
        "check": ("ordinary_transformers:check", "Say whether one is in the paper's class."),
        "translate": ("ordinary_transformers:translate", "Write a hypothesis as an ordinary transformer."),
        "lift": ("ordinary_transformers:lift", "Write an ordinary transformer as a hypothesis."),
        "curve": ("ordinary_transformers:curve", "Follow R along the contexts of a hypothesis."),
    },
)
def ordinary() -> None:
    """Check ordinary transformers, and translate between them and Limit Transformers.

    An ordinary transformer has a context of N places with a learned position vector each, and no φ; its file
    is a causal-transformer/1 file, which `idinf run` and `idinf regularizer` take as well. The procedure of
    the paper selects from the class of those whose products are translation invariant (Definition 4).

    \b
    Examples:
      idinf ordinary translate net.json --context 16 -o ordinary.json
      idinf ordinary check ordinary.json
      idinf ordinary COMMAND --help
    """
