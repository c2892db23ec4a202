"""``idinf lab compose``: function composition in L steps, and communication in L epochs about it."""

from __future__ import annotations

import itertools
import re

import click

from idinf.base.numbers import align
from idinf.base.quoting import quote
from idinf.commands.bounded import bounded
from idinf.commands.options import (
    Command,
    hypothesis_argument,
    json_option,
    number_option,
    record_option,
)
from idinf.commands.terminal import check_output, check_stdout, show_text, write_output
from idinf.lab import calls as lab
from idinf.lab.composition.protocol import count_allowed, ship, study_protocol
from idinf.lab.composition.task import (
    EXCLUDED,
    MOST_LAYERS,
    MOST_N_BITS,
    MOST_PART,
    NOT_COVERED,
    Parameters,
    Sizes,
    draw,
    show_count,
)
from idinf.lab.text import RUN_FORMAT, format_run, render_run

#: Tokens of all instances of one call, at most.
MOST_DRAWN = 2**22

_POWER = re.compile(r"([0-9]{1,39})(?:\^([0-9]{1,9}))?")
_SIZES = re.compile(r"[0-9]{1,9}(,[0-9]{1,9}){0,63}")


def read_size_list(value: str) -> tuple[int, ...]:
    """Read numbers with commas between, as the type of an option; the empty text has none.

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


def size_options(command: Command) -> Command:
    """Add --m and --n to a command, which gets them as ``m`` and ``n``."""
    command = click.option(
        "--n",
        type=read_size_list,
        default="",
        metavar="N1,N2",
        help="n_1 … n_(L-1), how many values each part of w can have; without it L = 1.",
    )(command)
    return number_option("--m", "M", "How many values z_0 can have.", least=1, most=2**16, required=True)(
        command
    )


@click.command("generate")
@size_options
@number_option("--count", "K", "How many.", least=1, most=100_000, default=1)
@number_option("--seed", "S", "Seed of the draws.", least=0, default=0)
@click.option(
    "--tokens", is_flag=True, help="Write PROMPT<TAB>ANSWER instead: z_L … z_1, z_0, w as tokens, and i_L."
)
@click.option("-o", "--output", metavar="FILE", help="Write the file (-: stdout).")
@bounded
def generate(m: int, n: tuple[int, ...], count: int, seed: int, tokens: bool, output: str | None) -> None:
    """Draw instances of sequential function composition, as one JSON object with its answer on each line.

    With --n N1,…,N(L-1) there are L maps: z_1 takes the numbers below N_0 = M to themselves, and z_(l+1)
    those below N_l = N_(l-1)·n_l. Every value is drawn uniformly. The chain is i_0 … i_L, whose last number
    is the answer.

    \b
    Examples:
      idinf lab compose generate --m 2 --n 2 --count 3
      idinf lab compose generate --m 4 --n 2,2 --count 100 --seed 1 -o tasks.jsonl
      idinf lab compose generate --m 2 --n 2 --tokens
    """
    check_stdout()
    check_output(output)
    sizes = Sizes(m, n)
    if (drawn := count * (sum(sizes.domains) + 2)) > MOST_DRAWN:
        raise click.BadParameter(
            f"{count} instances are {show_count(drawn)} tokens; expected at most {MOST_DRAWN} tokens; "
            "choose a smaller count",
            param_hint="--count",
        )
    tasks = itertools.islice(draw(sizes, seed), count)
    lines = (f"{' '.join(task.tokens())}\t{task.solve()}\n" if tokens else task.line() for task in tasks)
    write_output(output, "".join(lines))


@click.command("parameters")
@number_option("--layers", "L", "Layers of the decoder.", least=1, most=MOST_LAYERS, required=True)
@number_option("--heads", "H", "Heads of a layer.", least=1, most=MOST_PART, default=1)
@number_option("--width", "D", "Dimension of a head.", least=1, most=MOST_PART, default=1)
@number_option("--precision", "P", "Bits of a number.", least=1, most=MOST_PART, default=1)
@click.option("--prompt", type=_power, metavar="N", help="Tokens of the prompt, as in 1000000 or 2^449.")
@bounded
def parameters(layers: int, heads: int, width: int, precision: int, prompt: int | None) -> None:
    """Print the sizes K, m, n_l and N_l of the lower bound, and what Theorem 1.1 says of a prompt.

    The answer is "excluded" if H·D·P <= N^(2^-4L) and an instance of these sizes fits into N tokens: then no
    such decoder solves it. It is "not covered" if H·D·P is larger. It is "out of range" if no instance fits,
    as the theorem asks for an L of at most the order of log log N, and no constant is known. Sizes of two
    layers begin at 2^448, those of one layer at 4098 tokens.

    \b
    Examples:
      idinf lab compose parameters --layers 2
      idinf lab compose parameters --layers 2 --prompt 2^449
      idinf lab compose parameters --layers 1 --heads 8 --width 64 --precision 16 --prompt 1000000
    """
    found = Parameters(layers, heads, width, precision)
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


@click.command("decompose")
@click.argument("protocol", metavar="reveal|silent")
@size_options
@number_option(
    "--level", "L", "The level l: R holds inputs of the players l … L.", least=2, most=64, default=2
)
@bounded
def decompose(protocol: str, m: int, n: tuple[int, ...], level: int) -> None:
    """Run a protocol on all instances, and find the largest sets that its lower players cannot tell apart.

    The protocol reveal is right, and silent, in which nobody says anything, is wrong. In each of L epochs
    every player sends every lower one a message of at most 2B bits for each token of the receiver. It depends
    on what both had collected before, and on nothing else. Printed are B, how many answers are right, and the
    bits of all messages of a run.

    Then come the largest sets R of inputs of the players l … L that the lower ones cannot tell apart after l
    epochs. All choices of the sets Z_0 … Z_(l-1) of kept inputs are tried; every query is kept. For each
    number of inputs kept, and each number of values i_(l-1) that they reach (the cover), a row gives the size
    of the largest R. At level L the last columns say how large R may be by Lemma 4.3, and whether it is
    larger: then the protocol is wrong, and two instances are shown on which it answers the same.

    \b
    Examples:
      idinf lab compose decompose reveal --m 2 --n 2
      idinf lab compose decompose silent --m 2 --n 2
    """
    check_stdout()
    sizes = Sizes(m, n)
    found = study_protocol(ship(protocol, sizes), sizes, level)
    facts = [
        ("B", str(found.protocol.bits)),
        ("right", f"{found.right} of {found.total}"),
        ("bits", f"{found.most_bits} at most"),
    ]
    top = level == sizes.layers
    header = (*(f"|Z_{player}|" for player in range(level)), "cover", "|R|")
    table = [(*header, *(("allowed", "Lemma 4.3") * top))]
    for row in found.rows:
        cells = [*map(str, row.kept), str(row.cover), str(len(row.decomposition.upper))]
        if top:
            cells += [str(count_allowed(sizes, row.cover)), "wrong" if row.is_wrong(sizes) else "-"]
        table.append(tuple(cells))
    lines = [*align(facts), "", *(line.rstrip() for line in align(table, ">" * len(table[0])))]
    if (pair := found.fooled) is not None:
        lines += ["", f"{protocol} answers {pair.answer} to both, whose answers differ:"]
        lines += [task.line().rstrip("\n") for task in (pair.first, pair.second)]
    show_text("\n".join(lines))


@click.command("communicate")
@hypothesis_argument
@click.argument("prompt", metavar="PROMPT")
@click.option(
    "--players",
    type=read_size_list,
    metavar="T,...,T",
    show_default="one token for players 0 and -1, the others evenly",
    help="Tokens of the players L ... -1, $ counted, the first ones first.",
)
@record_option
@json_option(RUN_FORMAT)
@bounded
def communicate(
    hypothesis: str, prompt: str, players: tuple[int, ...] | None, record: int | None, as_json: bool
) -> None:
    """Run a transformer on a prompt as a communication protocol (Lemma 3.1 of arXiv 2412.02975).

    The tokens of the prompt are split between the players L ... -1 of a net of L layers. In epoch l every
    player tells every lower one, for each token of that one and each head of layer l, the sum of the weights
    of its own tokens, and the sum of their values times these weights. A number takes p bits, those of the
    largest one met; messages are counted against 2B bits for each token of the receiver, B = H d p. All
    activations are compared with the whole forward pass. Takes limit-transformer/1 and causal-transformer/1
    files, and reports.

    \b
    Examples:
      idinf lab compose communicate majority.json 0110
      idinf lab compose communicate majority.json 0110 --players 3,1,1
      idinf lab compose communicate majority.json 0110 --json
    """
    run = lab.communicate_net(hypothesis, prompt, players=players, record=record)
    show_text((format_run if as_json else render_run)(run, hypothesis))
