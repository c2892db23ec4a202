"""``idinf positions``: what positions cost that look at their distance."""

from __future__ import annotations

import click

from idinf.commands.group import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_table={"bound": ("position_studies:bound", "Bound what products of positions must cost.")},
)
def positions() -> None:
    """Bound the norms of positions and of K^T Q from below.

    \b
    Examples:
      idinf positions bound --phi squares
      idinf positions COMMAND --help
    """
