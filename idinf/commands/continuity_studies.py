"""``idinf continuity`` distance, predict, draw, modulus and witness."""

from __future__ import annotations

from fractions import Fraction

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import number_option
from idinf.commands.terminal import check_output, check_stdout, show_rows, show_text, write_output
from idinf.continuity.intervals import Interval
from idinf.continuity.net_format import dump_net
from idinf.library import continuity as library
from idinf.library import sequences
from idinf.numbers import align, format_down, format_word

predictor_argument = click.argument("predictor", metavar="PREDICTOR")
net_hypothesis_argument = click.argument("hypothesis", metavar="HYPOTHESIS.json|PROGRAM")
alphabet_option = click.option(
    "--alphabet",
    metavar="SYMBOLS",
    default="01",
    show_default=True,
    help="The symbols of laplace, kt and random:SEED, and of a net to draw, one character each.",
)


def show_interval(value: Interval) -> str:
    """Write an exact number as a fraction, and an interval by decimals that are rounded outwards."""
    if value.is_exact:
        return str(value.low)
    low, high = format_down(value.low, 9), show_up(value.high)
    return f"{low}..{high}"


def show_up(value: Fraction) -> str:
    """Write a number rounded up to 9 decimals.

    Examples
    --------
    >>> show_up(Fraction(1, 3)), show_up(Fraction(-1, 3)), show_up(Fraction(0))
    ('0.333333334', '-0.333333333', '0')
    """
    if not value:
        return "0"
    opposite = format_down(-value, 9)
    return opposite.removeprefix("-") if opposite.startswith("-") else f"-{opposite}"


@click.command("distance")
@click.argument("one", metavar="SEQ")
@click.argument("other", metavar="SEQ")
@number_option(
    "-n --length", "N", "Length of the prefixes.", least=1, most=sequences.MOST_PREFIX, default=1024
)
@click.option("--alphabet", metavar="SYMBOLS", help="The symbols of both sequences, one character each.")
@bounded
def distance(one: str, other: str, length: int, alphabet: str | None) -> None:
    """Print d_H and d* of two prefixes, the limit inferior of d_H, and whether the two are equal in the end.

    d_H is the share of places that differ. d* is d_H without the last place, and 1 more if the last symbols
    differ. The limit is exact where both sequences become periodic and for those that have names; elsewhere
    the least and the largest d_H from N to 2N stand there, which are no limits.

    \b
    Examples:
      idinf continuity distance '(01)' '(0011)'
      idinf continuity distance thue-morse thue-morse@5
    """
    a, b = sequences.sequence(one, alphabet=alphabet), sequences.sequence(other, alphabet=alphabet)
    found = sequences.compare_sequences(a, b, n=length)
    prefix = found.prefix
    rows = [
        (f"d_H at {prefix.n}", str(prefix.hamming)),
        (f"d* at {prefix.n}", f"{prefix.star} (last symbols {'agree' if prefix.same_last else 'differ'})"),
        ("d_H", str(found.limit)),
        ("because", found.limit.proof or "no closed form is known"),
        ("equal in the end", str(found.equal)),
    ]
    show_text("\n".join(align(rows)))


@click.command("predict")
@predictor_argument
@click.argument("prompts", metavar="PROMPT...", nargs=-1, required=True)
@alphabet_option
@bounded
def predict(predictor: str, prompts: tuple[str, ...], alphabet: str) -> None:
    """Print the probabilities after prompts: PROMPT, and a column for each symbol.

    Counts give fractions; a net gives two decimal numbers with .. between, which enclose the probability.

    \b
    Examples:
      idinf continuity predict laplace 011
      idinf continuity predict random:1 0 00000001
    """
    found = library.predictor(predictor, alphabet=alphabet)
    words = [found.encode(prompt) for prompt in prompts]
    rows = [
        (prompt, *map(show_interval, found.predict(word)))
        for prompt, word in zip(prompts, words, strict=True)
    ]
    show_rows(rows, ("prompt", *found.alphabet.symbols))


@click.command("draw")
@number_option("--seed", "S", "The same seed gives the same net.", least=0, required=True)
@number_option("--layers", "L", "Number of layers.", least=1, most=3, default=1)
@number_option("--heads", "H", "Heads of each layer.", least=0, most=4, default=1)
@number_option("--width", "D", "Width.", least=1, most=16, default=4)
@alphabet_option
@click.option("-o", "--output", metavar="FILE", help="Write the file (default: stdout).")
@bounded
def draw(seed: int, layers: int, heads: int, width: int, alphabet: str, output: str | None) -> None:
    """Draw a compact net: softmax attention without log N, ReLU units, softmax output.

    \b
    Examples:
      idinf continuity draw --seed 1 --layers 2 -o net.json
    """
    check_stdout()
    check_output(output)
    net = library.draw_compact_net(seed, alphabet=alphabet, layers=layers, heads=heads, width=width)
    write_output(output, dump_net(net))


@click.command("modulus")
@predictor_argument
@number_option("-n --length", "N", "Length of the prompts.", least=2, most=256, default=32)
@number_option(
    "--differences", "K", "Places that may differ: 1, 2, …, K, below N.", least=1, most=256, default=4
)
@click.option("--delta", metavar="E", help="Let the share E of N differ instead, and print one row.")
@alphabet_option
@bounded
def modulus(predictor: str, length: int, differences: int, delta: str | None, alphabet: str) -> None:
    """Print how far answers are apart at most, for prompts of length N with one last symbol.

    Where the answer depends on counts and the last symbol (laplace, kt, nets of one layer), all pairs are
    compared: the column `gap` is the maximum, a fraction, or an interval that encloses it. Of nets of several
    layers (N up to 128) `gap` runs from the gap of the pair that is shown to a proved bound; the truth is
    between. The last column is a proved bound for all prompts of any length with that d_H. For hypotheses see
    'idinf continuity witness'.

    \b
    Examples:
      idinf continuity modulus laplace --length 64
      idinf continuity modulus net.json --length 16 --differences 2
      idinf continuity modulus kt --delta 1/8
    """
    found = library.predictor(predictor, alphabet=alphabet)
    rows = [
        (
            str(row.differences),
            show_interval(row.gap),
            row.method,
            *row.pair,
            show_up(found.growth.at(Fraction(row.differences, length))),
        )
        for row in library.modulus(found, n=length, differences=differences, delta=delta)
    ]
    if delta is not None:
        rows = rows[-1:]
    show_rows(rows, ("k", "gap", "over", "prompt", "and", "bound for k/n"))


@click.command("witness")
@net_hypothesis_argument
@number_option("-n --length", "N", "Lengths 2, 4, 8 and so on, up to N.", least=2, most=256, default=64)
@bounded
def witness(hypothesis: str, length: int) -> None:
    """Show prompts, one symbol apart and with one last symbol, of which a hypothesis accepts just one.

    Verdicts are 1 apart at d_H = 1/n. Those of any net with a threshold may be, so the last column has the
    jump of the number that is cut, U y at the last position: no modulus lets it stay as large as n grows.
    Prints n<TAB>PLACE<TAB>accepted<TAB>rejected<TAB>jump; where none was found, whether there is none.

    \b
    Examples:
      idinf continuity witness majority
      idinf continuity witness net.json --length 16
    """
    net = library.take_hypothesis(hypothesis)
    rows: list[tuple[str, ...]] = []
    for n in (2**power for power in range(1, length.bit_length())):
        found = library.witness(net, n=n)
        if found.accepted is None or found.rejected is None:
            rows.append((str(n), "-", "there is none" if found.complete else "none found", "", ""))
        else:
            words = (net.alphabet.decode(word) for word in (found.accepted, found.rejected))
            rows.append((str(n), str(found.place), *map(format_word, words), str(found.jump)))
    show_rows(rows, ("n", "place", "accepted", "rejected", "jump"))
