"""``idinf lab``: theorems about transformers and C-RASP, run on examples."""

from __future__ import annotations

import click

from idinf.commands.group import LazyGroup


@click.group(
    cls=LazyGroup,
    package="idinf.lab.commands",
    commands_table={
        "communicate": (
            "communicate:communicate",
            "Count the bits that cross the middle of a word.",
        ),
        "compose": ("group:compose", "Compose functions, and say what players must."),
        "continuity": ("group:continuity", "Measure what compact transformers can learn."),
        "positions": ("group:positions", "Say what positions cost, and fit them."),
        "lemma": ("group:lemma", "Run the lemmas about C-RASP programs."),
    },
)
def lab() -> None:
    """Run theorems about transformers and C-RASP programs on examples.

    \b
    Examples:
      idinf lab communicate dyck-1 --max-n 256
      idinf lab lemma fooling-pair majority
      idinf lab COMMAND --help
    """


@click.group(
    cls=LazyGroup,
    package="idinf.lab.commands",
    commands_table={
        "generate": ("compose:generate", "Draw instances with their answers."),
        "parameters": (
            "compose:parameters",
            "Say what the lower bound says of a decoder.",
        ),
        "decompose": (
            "compose:decompose",
            "Run a protocol, and find inputs it cannot tell apart.",
        ),
        "communicate": (
            "compose:communicate",
            "Run a transformer as a protocol (Lemma 3.1).",
        ),
    },
)
def compose() -> None:
    """Run sequential function composition and the communication model that limits decoders of L layers.

    An instance has m, n_1 … n_{L-1}, a start z_0, maps z_1 … z_L and a query w: i_1 = z_1(z_0), and then
    i_{l+1} = z_{l+1}(w_l, i_l). All numbers begin at 0, and (w_l, i_l) is the number w_l·N_{l-1} + i_l. What
    is run here is small; Theorem 1.1 of arXiv 2412.02975 speaks of prompts of 2^448 tokens and more.

    \b
    Examples:
      idinf lab compose generate --m 2 --n 2 --count 3 -o tasks.jsonl
      idinf lab compose decompose reveal --m 2 --n 2
      idinf lab compose communicate majority.json 0110
    """


@click.group(
    cls=LazyGroup,
    package="idinf.lab.commands",
    commands_table={
        "distance": ("continuity:distance", "Compare two infinite sequences."),
        "modulus": ("continuity:modulus", "Bound how far near prompts are told apart."),
        "learn": ("continuity:learn", "Say whether a sequence is eventually learned."),
        "isolate": (
            "continuity:isolate",
            "Compute the radius in which nothing else is learned.",
        ),
    },
)
def continuity() -> None:
    """Measure what transformers of continuous, bounded parts can learn.

    A SEQ is START(PERIOD) as in 1(01), or thue-morse; with @k behind it, every k-th place is changed into the
    next symbol of the alphabet. A PREDICTOR is laplace, kt, or a compact-transformer/1 file.

    \b
    Examples:
      idinf lab continuity distance '(0)' '(001)'
      idinf lab continuity isolate laplace '(0)'
      idinf lab continuity COMMAND --help
    """


@click.group(
    cls=LazyGroup,
    package="idinf.lab.commands",
    commands_table={
        "initial": ("positions:initial", "Compute what φ costs before training."),
        "fit": ("positions:fit", "Train positional products on functions of distance."),
        "bound": ("positions:bound", "Bound what products of positions must cost."),
    },
)
def positions() -> None:
    """Say what positions cost that look at their distance, before, in and after training.

    \b
    Examples:
      idinf lab positions initial --positions 16
      idinf lab positions bound --phi squares
    """


@click.group(
    cls=LazyGroup,
    package="idinf.lab.commands",
    commands_table={
        "inverse-image": (
            "lemmas:inverse_image",
            "Write the program of an inverse image.",
        ),
        "neutral": ("lemmas:neutral", "Read a program on words with a neutral symbol."),
        "eventual": (
            "lemmas:eventual",
            "Say from which n on a program is constant on a^n.",
        ),
        "fooling-pair": (
            "lemmas:fooling",
            "Show two words of different parity it answers alike.",
        ),
    },
)
def lemma() -> None:
    """Run the lemmas about what C-RASP programs can and cannot say.

    \b
    Examples:
      idinf lab lemma eventual dyck-1
      idinf lab lemma neutral contains-ab-abc --symbol c
    """
