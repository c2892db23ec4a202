"""``idinf composition`` generate, solve and parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import Command, choice_option, number_option
from idinf.commands.terminal import check_output, check_stdout, show_text, write_output
from idinf.commands.words import stdin_lines
from idinf.composition.instances import read_lines, write_line
from idinf.composition.parameters import (
    EXCLUDED,
    MOST_LAYERS,
    MOST_N_BITS,
    MOST_PART,
    NOT_COVERED,
    Parameters,
)
from idinf.composition.task import SequentialComposition
from idinf.errors import CompositionError
from idinf.library import composition as library
from idinf.numbers import align
from idinf.quoting import quote

_POWER = re.compile(r"([0-9]{1,39})(?:\^([0-9]{1,9}))?")
_SIZES = re.compile(r"[0-9]{1,9}(,[0-9]{1,9}){0,63}")


def read_size_list(value: str) -> tuple[int, ...]:
    """Read n_1,n_2,… as the type of an option; one map has none, and is the empty text.

    Examples
    --------
    >>> read_size_list("2,3"), read_size_list("")
    ((2, 3), ())
    """
    if value and not _SIZES.fullmatch(value):
        raise click.BadParameter(
            f"{quote(value)} is no list of sizes; expected numbers with commas between, as in 2 or 2,3"
        )
    return tuple(map(int, value.split(","))) if value else ()


def _power(value: str) -> int:
    match = _POWER.fullmatch(value)
    if match is None:
        raise click.BadParameter(
            f"{quote(value)} is no number of tokens; expected for example 1000000 or 2^448"
        )
    base, exponent = int(match[1]), int(match[2] or 1)
    if base.bit_length() * exponent > 2 * MOST_N_BITS:
        raise click.BadParameter(f"{quote(value)} is too large; expected at most 2^{MOST_N_BITS}")
    return int(base**exponent)


def size_options(required: bool = True) -> Callable[[Command], Command]:
    """Add --m and --n to a command, which gets them as ``m`` and ``n``."""

    def add(command: Command) -> Command:
        command = click.option(
            "--n",
            type=read_size_list,
            default="",
            metavar="N1,N2",
            help="n_1 … n_(L-1), how many values each part of w can have; without it L = 1.",
        )(command)
        text = f"How many values z_0 can have{'' if required else '; a file has its own'}."
        return number_option("--m", "M", text, least=1, most=2**16, required=required)(command)

    return add


def read_instances(file: str) -> Iterator[SequentialComposition]:
    """Instances of a file, or of stdin where it is ``-``."""
    if file != "-":
        return iter(library.read_compositions(file))
    lines = stdin_lines(CompositionError, "one instance per line")
    return read_lines(lines, "stdin")


@click.command("generate")
@size_options()
@number_option("--count", "K", "How many.", least=1, most=100_000, default=1)
@number_option("--seed", "S", "Seed of the draws.", least=0, default=0)
@click.option("--tokens", is_flag=True, help="Write each as a prompt instead: z_L … z_1, z_0, w as tokens.")
@click.option("-o", "--output", metavar="FILE", help="Write the file (-: stdout).")
@bounded
def generate(m: int, n: tuple[int, ...], count: int, seed: int, tokens: bool, output: str | None) -> None:
    """Draw instances of sequential function composition, as one JSON object on each line.

    With --n N1,…,N(L-1) there are L maps: z_1 takes the numbers below N_0 = M to themselves, and z_(l+1)
    those below N_l = N_(l-1)·n_l. Every value is drawn uniformly.

    \b
    Examples:
      idinf composition generate --m 2 --n 2 --count 3
      idinf composition generate --m 4 --n 2,2 --count 100 --seed 1 -o tasks.jsonl
      idinf composition generate --m 2 --n 2 --tokens
    """
    check_stdout()
    check_output(output)
    tasks = library.compositions(m, n, count=count, seed=seed)
    lines = (" ".join(task.tokens()) + "\n" if tokens else write_line(task) for task in tasks)
    write_output(output, "".join(lines))


@click.command("solve")
@click.argument("file", metavar="FILE.jsonl|-")
@click.option("--chain", is_flag=True, help="Print i_0, i_1 … i_L, not i_L alone.")
@bounded
def solve(file: str, chain: bool) -> None:
    """Print the answer i_L of each instance, one a line.

    \b
    Examples:
      idinf composition solve tasks.jsonl
      idinf composition generate --m 2 --n 2 --count 3 | idinf composition solve - --chain
    """
    check_stdout()
    for task in read_instances(file):
        click.echo("\t".join(map(str, task.chain() if chain else (task.solve(),))))


@click.command("parameters")
@number_option("--layers", "L", "Layers of the decoder.", least=1, most=MOST_LAYERS, required=True)
@number_option("--heads", "H", "Heads of a layer.", least=1, most=MOST_PART, default=1)
@number_option("--width", "D", "Dimension of a head.", least=1, most=MOST_PART, default=1)
@number_option("--precision", "P", "Bits of a number.", least=1, most=MOST_PART, default=1)
@click.option("--prompt", type=_power, metavar="N", help="Tokens of the prompt, as in 1000000 or 2^449.")
@choice_option("--reading", ("printed", "product"), "Which m; the product contradicts Theorem 1.1.")
@bounded
def parameters(layers: int, heads: int, width: int, precision: int, prompt: int | None, reading: str) -> None:
    """Print the sizes K, m, n_l and N_l of the lower bound, and what Theorem 1.1 says of a prompt.

    The answer is "excluded" if H·D·P <= N^(2^-4L) and an instance of these sizes fits into N tokens: then no
    such decoder solves it. It is "not covered" if H·D·P is larger. It is "out of range" if no instance fits,
    as the theorem asks for an L of at most the order of log log N, and no constant is known. Sizes of two
    layers begin at 2^448, those of one layer at 4098 tokens.

    \b
    Examples:
      idinf composition parameters --layers 2
      idinf composition parameters --layers 2 --prompt 2^449
      idinf composition parameters --layers 1 --heads 8 --width 64 --precision 16 --prompt 1000000
    """
    found = library.composition_parameters(layers, heads, width, precision, m=reading)
    rows = [
        ("B", "H·d·p", _show(found.b)),
        ("K", "(HdpL)^8·8^(2L²)", _show(found.k)),
        ("m = N_0", f"K^{found.m_exponent}", _show(found.k**found.m_exponent)),
    ]
    pairs = zip(found.n_exponents, found.domain_exponents[1:], strict=True)
    for level, (own, domain) in enumerate(pairs, start=1):
        rows.append((f"n_{level}", f"K^{own}", _show(found.k**own)))
        rows.append((f"N_{level}", f"K^{domain}", _show(found.k**domain)))
    domains = " + ".join(f"N_{level}" for level in reversed(range(layers)))
    rows.append(("prompt", f"{domains} + 2", _show(found.prompt_length)))
    lines = align(rows)
    if prompt is not None:
        lines += ["", _describe(found, prompt)]
    show_text("\n".join(lines))


def _describe(found: Parameters, prompt: int) -> str:
    answer = found.judge(prompt)
    root = f"{_show(prompt)} tokens"
    if answer == EXCLUDED:
        return f"{answer}: no such decoder solves these instances on prompts of {root} (Theorem 1.1)"
    if answer == NOT_COVERED:
        return f"{answer}: B is above the root of degree 2^{4 * found.layers} of {root} (Theorem 1.1)"
    return (
        f"{answer}: no instance of these sizes fits into {root}, and the constant of Theorem 1.1 is not known"
    )


def _show(number: int) -> str:
    """A number in full if it is short, as a power of two, or by its size."""
    if number.bit_length() <= 64:
        return str(number)
    power = number.bit_length() - 1
    return f"2^{power}" if number == 1 << power else f"above 2^{power}"
