"""``idinf composition``: function composition in L steps, and what L epochs of communication do about it."""

from __future__ import annotations

import click

from idinf.commands.group import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_table={
        "generate": ("compose:generate", "Draw instances with their answers."),
        "parameters": ("compose:parameters", "Say what the lower bound says of a decoder."),
        "decompose": ("compose:decompose", "Run a protocol, and find inputs it cannot tell apart."),
        "communicate": ("compose:communicate", "Run a transformer as a protocol (Lemma 3.1)."),
    },
)
def composition() -> None:
    """Run sequential function composition and the communication model that limits decoders of L layers.

    An instance has m, n_1 … n_{L-1}, a start z_0, maps z_1 … z_L and a query w: i_1 = z_1(z_0), and then
    i_{l+1} = z_{l+1}(w_l, i_l). All numbers begin at 0, and (w_l, i_l) is the number w_l·N_{l-1} + i_l. What
    is run here is small; Theorem 1.1 of arXiv 2412.02975 speaks of prompts of 2^448 tokens and more.

    \b
    Examples:
      idinf composition generate --m 2 --n 2 --count 3 -o tasks.jsonl
      idinf composition decompose reveal --m 2 --n 2
      idinf composition communicate majority.json 0110
    """
