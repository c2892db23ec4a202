"""``idinf composition`` simulate, least and decompose."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.composition_tasks import read_instances, read_size_list, size_options
from idinf.commands.options import number_option
from idinf.commands.terminal import check_output, check_stdout, print_csv, show_text
from idinf.composition.decomposition import Decomposition, count_allowed, find_difference, fool, reached
from idinf.composition.instances import write_line
from idinf.composition.least import count_ways, search
from idinf.composition.protocol import MOST_RUNS, Communication, Transcript
from idinf.composition.tables import tabulate
from idinf.composition.task import SequentialComposition, Sizes, show_count
from idinf.errors import CompositionError
from idinf.json_forms import derive_form
from idinf.json_text import dump_json
from idinf.library import composition as library
from idinf.numbers import align

_protocol_argument = click.argument("protocol", metavar="NAME|PROTOCOL.json")


@click.command("simulate")
@_protocol_argument
@click.argument("file", metavar="[FILE.jsonl|-]", required=False)
@size_options(required=False)
@click.option("--messages", is_flag=True, help="Print every message of every run, too.")
@click.option(
    "--table", metavar="FILE.json", help="Write the protocol as tables (-: stdout, and nothing else)."
)
@bounded
def simulate(
    protocol: str, file: str | None, m: int | None, n: tuple[int, ...], messages: bool, table: str | None
) -> None:
    """Run a protocol between the players -1 … L, and count the bits of its messages.

    Shipped are reveal, slice and compose, which are right (reveal for L = 1, too), and silent, which is
    wrong. In each of L epochs every player sends every lower one a message of at most 2B bits for each
    token of the receiver. It depends on what both had collected before, and on nothing else: a protocol
    that reads more is refused. For each instance of FILE a row is printed: answer, i_L, right or wrong,
    and bits of all messages. Without FILE all instances of the sizes are run, and counted.

    \b
    Examples:
      idinf composition simulate reveal tasks.jsonl
      idinf composition simulate reveal tasks.jsonl --messages
      idinf composition simulate slice --m 2 --n 2
      idinf composition simulate slice --m 2 --n 1 --table slice.json
    """
    check_stdout()
    check_output(table)
    if file is not None:
        if table is not None:
            raise click.UsageError(
                "FILE and --table are both given; expected sizes with --table; leave FILE out"
            )
        _simulate_file(protocol, file, m, n, messages)
        return
    if messages:
        raise click.UsageError(
            "--messages is given without FILE; expected instances to show; give a file or -"
        )
    found = library.composition_protocol(protocol, m, n)
    sizes = sizes_of(found, m, n)
    tables = "" if table is None else dump_json(tabulate(found, sizes))
    if (count := sizes.count()) > MOST_RUNS:
        raise CompositionError(
            f"there are {show_count(count)} instances; expected at most {MOST_RUNS}; give a file of some"
        )
    score = library.score_protocol(found, sizes.instances())
    text = f"B      {found.bits}\nright  {score.right} of {score.total}\nbits   {score.most_bits} at most\n"
    if score.wrong is not None:
        text += f"wrong  {write_line(score.wrong)}"
    print_csv(table, tables, text, [])


def _simulate_file(protocol: str, file: str, m: int | None, n: tuple[int, ...], messages: bool) -> None:
    """Print a row for each instance: of stdin as they come, of a file once all are there."""
    known: dict[Sizes | None, Communication] = {}
    if m is None and n:
        raise click.UsageError("--n is given without --m; expected both or none; leave it out")

    def describe(task: SequentialComposition) -> str:
        sizes = Sizes(m, n) if m is not None else None if protocol.endswith(".json") else task.sizes
        if sizes not in known:
            known[sizes] = library.composition_protocol(protocol, *((sizes.m, sizes.n) if sizes else ()))
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


@click.command("least")
@size_options()
@number_option(
    "--token-bits",
    "K",
    "Go through all protocols with K bits for each token, 2B of the source.",
    least=0,
    most=64,
)
@bounded
def least(m: int, n: tuple[int, ...], token_bits: int | None) -> None:
    """Bound the least B with which any protocol at all solves all instances of these sizes.

    From below it is bounded by counting: a right protocol tells all maps of player L apart, so player L
    has to write that many bits in all. From above the best shipped protocol bounds it. For L = 1 the two
    meet. With --token-bits all protocols for one or two maps are gone through, which goes at tiny sizes; the
    number of ways of the first epoch goes to stderr first, and the search is refused if there are too many.

    \b
    Examples:
      idinf composition least --m 3
      idinf composition least --m 16 --n 16
      idinf composition least --m 2 --n 1 --token-bits 1
    """
    sizes = Sizes(m, n)
    if token_bits is not None:
        ways = count_ways(sizes, token_bits)
        click.echo(f"the first epoch has {show_count(ways)} way{'s' * (ways != 1)}", err=True)
        solvable = search(sizes, token_bits)
        show_text(f"some protocol is right  {'yes' if solvable else 'no: none of them can be completed'}")
        return
    bound = library.least_b(m, n)
    value = f"{bound.lower}" if bound.lower == bound.upper else f"{bound.lower} .. {bound.upper}"
    show_text(f"least B  {value}  ({bound.reason})")


@click.command("decompose")
@_protocol_argument
@size_options(required=False)
@number_option(
    "--level", "L", "The level l: R holds inputs of the players l … L; 2 without it.", least=2, most=64
)
@click.option(
    "--construct",
    type=read_size_list,
    metavar="K0,K1",
    help="For L = 2 construct R as Lemma 4.4 does, with K0 starts z_0 and K1 maps z_1 kept.",
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
    construct: tuple[int, ...] | None,
    file: str | None,
    output: str | None,
) -> None:
    """Find the largest sets of inputs of upper players that the lower ones cannot tell apart after l epochs.

    All choices of the sets Z_0 … Z_(l-1) of kept inputs are tried; every query is kept. For each number of
    inputs kept, and each number of values i_(l-1) that they reach (the cover), a row gives the size of the
    largest R. At level L the last columns say how large R may be by Lemma 4.3, and whether it is larger: then
    the protocol is wrong, and two instances are shown on which it answers the same. With --construct not all
    choices are tried: maps z_1 are taken that player -1 cannot tell apart after the first epoch, and R is the
    largest class of maps z_2. Each number stands beside what counting promises of every protocol with this B.

    \b
    Examples:
      idinf composition decompose reveal --m 2 --n 2
      idinf composition decompose silent --m 2 --n 2 -o silent.json
      idinf composition decompose silent --m 2 --n 2 --check silent.json
      idinf composition decompose compose --m 4 --n 1 --construct 2,2
    """
    check_stdout()
    check_output(output)
    given = [("--check", file), ("--construct", construct), ("--level", level)]
    names = [name for name, value in given if value is not None]
    names += ["--output"] * (file is not None and output is not None)
    if len(names) > 1:
        raise click.UsageError(
            f"{names[0]} and {names[1]} are both given; expected one of them; leave one out"
        )
    found = library.composition_protocol(protocol, m, n)
    sizes = sizes_of(found, m, n)
    if file is not None:
        _check(found, sizes, library.read_decomposition(file))
        return
    if construct is not None:
        _construct(found, sizes, construct, output)
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


def _construct(protocol: Communication, sizes: Sizes, kept: tuple[int, ...], output: str | None) -> None:
    """Print the steps of the construction, each beside its promise."""
    if len(kept) != 2:
        raise click.UsageError(
            f"--construct has {len(kept)} numbers; expected |Z_0| and |Z_1|, as in 2,2; give two"
        )
    found = library.constructed_decomposition(protocol, sizes.m, sizes.n, kept[0], kept[1])
    largest, allowed = found.largest, count_allowed(sizes, found.largest.cover)
    size = len(largest.decomposition.upper)
    table: list[tuple[str, ...]] = [
        ("", "found", "promised"),
        ("maps z_1 that -1 cannot tell apart", str(found.frozen), f">= {found.frozen_promised}"),
        ("starts kept, |Z_0|", str(largest.kept[0]), ""),
        ("maps kept, |Z_1|", str(largest.kept[1]), ""),
        ("values i_1 reached, the cover", str(largest.cover), ""),
        ("maps z_2 that sound alike, |R|", str(size), f">= {found.promised} (Delta = 2^{found.delta_bits})"),
        ("allowed by Lemma 4.3", str(allowed), ""),
    ]
    fooling = largest.decomposition if size > allowed else None
    _print_decomposition(protocol, sizes, output, (table, "<><"), largest.decomposition, fooling)


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
    print_csv(output, dump_json(derive_form(Decomposition).write(shown)), text, [])


def sizes_of(protocol: object, m: int | None, n: tuple[int, ...]) -> Sizes:
    """The sizes a protocol is for, or those that are given where it has none.

    Raises
    ------
    UsageError
        If --n is given without --m.
    """
    if m is None and n:
        raise click.UsageError("--n is given without --m; expected both or none; leave it out")
    own = getattr(protocol, "sizes", None)
    return own if isinstance(own, Sizes) else Sizes(m or 1, n)
