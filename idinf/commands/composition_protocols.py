"""``idinf composition`` simulate, decompose and communicate."""

from __future__ import annotations

import re

import click

from idinf.commands.bounded import bounded
from idinf.commands.composition_tasks import read_instances, size_options
from idinf.commands.options import hypothesis_argument, json_option, number_option, record_option
from idinf.commands.terminal import check_output, check_stdout, print_csv, show_text
from idinf.composition.decomposition import Decomposition, count_allowed, find_difference, fool, reached
from idinf.composition.instances import write_line
from idinf.composition.protocol import MOST_RUNS, Communication, Transcript
from idinf.composition.task import SequentialComposition, Sizes, show_count
from idinf.documents import write
from idinf.errors import CompositionError
from idinf.json_text import dump_json
from idinf.library import composition as library
from idinf.numbers import align
from idinf.quoting import quote
from idinf.render.text.composition import RUN_FORMAT, format_run, render_run

_NUMBERS = re.compile(r"[0-9]{1,6}(,[0-9]{1,6}){1,63}")

_protocol_argument = click.argument("protocol", metavar="reveal|silent")


@click.command("simulate")
@_protocol_argument
@click.argument("file", metavar="[FILE.jsonl|-]", required=False)
@size_options(required=False)
@click.option("--messages", is_flag=True, help="Print every message of every run, too.")
@bounded
def simulate(protocol: str, file: str | None, m: int | None, n: tuple[int, ...], messages: bool) -> None:
    """Run a protocol between the players -1 … L, and count the bits of its messages.

    The protocol reveal is right, and silent, in which nobody says anything, is wrong. In each of L epochs
    every player sends every lower one a message of at most 2B bits for each token of the receiver. It depends
    on what both had collected before, and on nothing else. For each instance of FILE a row is printed:
    answer, i_L, right or wrong, and bits of all messages. Without FILE all instances of the sizes are run,
    and counted.

    \b
    Examples:
      idinf composition simulate reveal tasks.jsonl
      idinf composition simulate reveal tasks.jsonl --messages
      idinf composition simulate reveal --m 2 --n 2
    """
    check_stdout()
    if file is not None:
        _simulate_file(protocol, file, m, n, messages)
        return
    if messages:
        raise click.UsageError(
            "--messages is given without FILE; expected instances to show; give a file or -"
        )
    sizes = _sizes(m, n)
    found = library.composition_protocol(protocol, sizes.m, sizes.n)
    if (count := sizes.count()) > MOST_RUNS:
        raise CompositionError(
            f"there are {show_count(count)} instances; expected at most {MOST_RUNS}; give a file of some"
        )
    score = library.score_protocol(found, sizes.instances())
    text = f"B      {found.bits}\nright  {score.right} of {score.total}\nbits   {score.most_bits} at most\n"
    if score.wrong is not None:
        text += f"wrong  {write_line(score.wrong)}"
    show_text(text)


def _simulate_file(protocol: str, file: str, m: int | None, n: tuple[int, ...], messages: bool) -> None:
    """Print a row for each instance: of stdin as they come, of a file once all are there."""
    known: dict[Sizes, Communication] = {}
    given = _sizes(m, n) if m is not None or n else None

    def describe(task: SequentialComposition) -> str:
        sizes = task.sizes if given is None else given
        if sizes not in known:
            known[sizes] = library.composition_protocol(protocol, sizes.m, sizes.n)
        transcript = library.run_protocol(known[sizes], task)
        answer, right = transcript.answer, task.solve()
        row = (str(answer), str(right), "right" if answer == right else "wrong", str(transcript.total_bits))
        return _write_messages(transcript) * messages + "\t".join(row) + "\n"

    texts = map(describe, read_instances(file))
    for text in texts if file == "-" else ["".join(texts)]:
        click.echo(text, nl=False)


def _write_messages(transcript: Transcript) -> str:
    rows = [
        (f"epoch {m.epoch}", f"{m.sender} -> {m.receiver}", f"{len(m.bits)} of {m.room} bits", m.bits or "-")
        for m in transcript.messages
    ]
    return "\n".join(align(rows)) + "\n"


@click.command("decompose")
@_protocol_argument
@size_options(required=False)
@number_option(
    "--level", "L", "The level l: R holds inputs of the players l … L; 2 without it.", least=2, most=64
)
@click.option("--check", "file", metavar="FILE.json", help="Check this decomposition instead of searching.")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the last one as JSON (-: stdout, and nothing else)."
)
@bounded
def decompose(
    protocol: str,
    m: int | None,
    n: tuple[int, ...],
    level: int | None,
    file: str | None,
    output: str | None,
) -> None:
    """Find the largest sets of inputs of upper players that the lower ones cannot tell apart after l epochs.

    All choices of the sets Z_0 … Z_(l-1) of kept inputs are tried; every query is kept. For each number of
    inputs kept, and each number of values i_(l-1) that they reach (the cover), a row gives the size of the
    largest R. At level L the last columns say how large R may be by Lemma 4.3, and whether it is larger: then
    the protocol is wrong, and two instances are shown on which it answers the same.

    \b
    Examples:
      idinf composition decompose reveal --m 2 --n 2
      idinf composition decompose silent --m 2 --n 2 -o silent.json
      idinf composition decompose silent --m 2 --n 2 --check silent.json
    """
    check_stdout()
    check_output(output)
    given = [("--check", file), ("--level", level)]
    names = [name for name, value in given if value is not None]
    names += ["--output"] * (file is not None and output is not None)
    if len(names) > 1:
        raise click.UsageError(
            f"{names[0]} and {names[1]} are both given; expected one of them; leave one out"
        )
    sizes = _sizes(m, n)
    found = library.composition_protocol(protocol, sizes.m, sizes.n)
    if file is not None:
        _check(found, sizes, library.read_decomposition(file))
        return
    level = 2 if level is None else level
    rows = library.decompositions(found, sizes.m, sizes.n, level=level)
    header = (*(f"|Z_{player}|" for player in range(level)), "cover", "|R|")
    top = level == sizes.layers
    table = [(*header, *(("allowed", "Lemma 4.3") * top))]
    fooling = None
    for row in rows:
        cells = [*map(str, row.kept), str(row.cover), str(size := len(row.decomposition.upper))]
        if top:
            allowed = count_allowed(sizes, row.cover)
            cells += [str(allowed), "wrong" if size > allowed else "-"]
            fooling = row.decomposition if size > allowed else fooling
        table.append(tuple(cells))
    _print_decomposition(found, sizes, output, (table, ">" * len(table[0])), rows[-1].decomposition, fooling)


def _check(protocol: Communication, sizes: Sizes, decomposition: Decomposition) -> None:
    """Print whether a decomposition is indistinguishable, and whether Lemma 4.3 applies to it."""
    difference = find_difference(protocol, sizes, decomposition)
    if difference is not None:
        show_text(f"indistinguishable  no: {difference}")
        show_text(f"{write_line(difference.first)}{write_line(difference.second)}")
        return
    rows = [("indistinguishable", "yes")]
    pair = None
    if decomposition.level == sizes.layers:
        cover = len(reached(sizes, decomposition.lower))
        pair = fool(protocol, sizes, decomposition)
        answer = "no, |R| is not larger" if pair is None else "yes: the protocol is wrong"
        sides = f"{len(decomposition.upper)}, {count_allowed(sizes, cover)}"
        rows += [("|R|, and allowed", sides), ("Lemma 4.3 applies", answer)]
    show_text("\n".join(align(rows)))
    if pair is not None:
        show_text(f"{write_line(pair.first)}{write_line(pair.second)}")


def _print_decomposition(
    protocol: Communication,
    sizes: Sizes,
    output: str | None,
    table: tuple[list[tuple[str, ...]], str],
    shown: Decomposition,
    fooling: Decomposition | None,
) -> None:
    """Print a table, write a decomposition, and show two instances where Lemma 4.3 says that there are."""
    text = "\n".join(line.rstrip() for line in align(*table)) + "\n"
    if fooling is not None and (pair := fool(protocol, sizes, fooling)) is not None:
        text += f"\n{protocol.name} answers {pair.answer} to both, whose answers differ:\n"
        text += f"{write_line(pair.first)}{write_line(pair.second)}"
    print_csv(output, dump_json(write(shown)), text, [])


def read_players(value: str) -> tuple[int, ...]:
    """Read numbers of tokens, as the type of an option.

    Examples
    --------
    >>> read_players("4,1,1")
    (4, 1, 1)
    """
    if not _NUMBERS.fullmatch(value):
        raise click.BadParameter(
            f"{quote(value)} are no numbers of tokens; expected one for each player, as in 4,1,1"
        )
    return tuple(map(int, value.split(",")))


@click.command("communicate")
@hypothesis_argument
@click.argument("prompt", metavar="PROMPT")
@click.option(
    "--players",
    type=read_players,
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
      idinf composition communicate majority.json 0110
      idinf composition communicate majority.json 0110 --players 3,1,1
      idinf composition communicate majority.json 0110 --json
    """
    run = library.communicate_net(hypothesis, prompt, players=players, record=record)
    show_text((format_run if as_json else render_run)(run, hypothesis))


def _sizes(m: int | None, n: tuple[int, ...]) -> Sizes:
    if m is None:
        raise click.UsageError("no --m is given; expected the sizes of the instances; add --m and --n")
    return Sizes(m, n)
