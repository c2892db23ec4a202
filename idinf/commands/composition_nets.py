"""``idinf composition`` communicate, net, depth and page."""

from __future__ import annotations

import re

import click

from idinf.commands.bounded import bounded
from idinf.commands.composition_protocols import sizes_of
from idinf.commands.composition_tasks import read_instances, size_options
from idinf.commands.options import hypothesis_argument, json_option, number_option, record_option
from idinf.commands.terminal import check_output, check_stdout, show_text, write_output
from idinf.composition.nets import MOST_M
from idinf.errors import CompositionError
from idinf.library import composition as tasks
from idinf.library import composition_nets as library
from idinf.quoting import quote
from idinf.render.text.composition_nets import (
    DEPTH_FORMAT,
    RUN_FORMAT,
    format_depth,
    format_run,
    render_depth,
    render_run,
)

_SIZES = re.compile(r"[0-9]{1,6}(,[0-9]{1,6}){1,63}")


def read_players(value: str) -> tuple[int, ...]:
    """Read numbers of tokens, as the type of an option.

    Examples
    --------
    >>> read_players("4,1,1")
    (4, 1, 1)
    """
    if not _SIZES.fullmatch(value):
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
      idinf composition net --m 3 -o net.json
      idinf composition communicate net.json 2011. --players 1,3,1,1 --json
    """
    run = library.communicate_net(hypothesis, prompt, players=players, record=record)
    show_text((format_run if as_json else render_run)(run, hypothesis))


@click.command("net")
@number_option("--m", "M", "How many values z_0 can have.", least=2, most=MOST_M, required=True)
@number_option("--layers", "L", "Layers of the net.", least=1, most=2, default=2)
@click.option("-o", "--output", metavar="FILE", help="Write the file (-: stdout).", default="-")
@bounded
def net(m: int, layers: int, output: str) -> None:
    """Write a transformer that names z_1(z_0), as a causal-transformer/1 file.

    A prompt has the values z_1(0) ... z_1(M-1), then z_0, then a dot for the empty query, as in 101. for
    M = 2. With two layers the token of z_0 looks up its value, and the dot takes it over. With one layer the
    dot reads everything at once, and a unit stands for each place where the answer changes.

    \b
    Examples:
      idinf composition net --m 3 -o net.json
      idinf composition net --m 3 --layers 1 -o flat.json
    """
    check_stdout()
    check_output(output)
    write_output(output, library.composition_net(m, layers=layers).text())


@click.command("depth")
@number_option("--up-to", "M", "Sizes m = 2 ... M.", least=2, most=library.MOST_TABLE, default=3)
@json_option(DEPTH_FORMAT)
@bounded
def depth(up_to: int, as_json: bool) -> None:
    """Compare the bits that z_1(z_0) needs in one epoch with those of nets of one layer and of two.

    For each m: the least B of any protocol of one epoch, and B = H d p of the nets that "net" writes, p being
    that of the largest number in any of the m^(m+1) inputs. Both nets are run as protocols on all of them.
    The last column says whether they were right. M = 4 takes some seconds.

    \b
    Examples:
      idinf composition depth
      idinf composition depth --up-to 4
    """
    rows = library.composition_depth(up_to)
    show_text((format_depth if as_json else render_depth)(rows))


@click.command("page")
@click.argument("protocol", metavar="NAME|PROTOCOL.json")
@size_options(required=False)
@number_option("--seed", "S", "Seed of the instance that is drawn; 0 without it.", least=0)
@click.option(
    "--task", "file", metavar="FILE.jsonl", help="Take the first instance of a file instead of drawing one."
)
@click.option("-o", "--output", metavar="FILE", help="Write the page (-: stdout).", default="-")
@bounded
def page(
    protocol: str, m: int | None, n: tuple[int, ...], seed: int | None, file: str | None, output: str
) -> None:
    """Write an HTML page of a protocol on one instance, for a class.

    It has the epochs as columns and the messages as arrows. After each epoch it says how many inputs of
    player L sound alike to all others, and shows two of them whose answers differ. It needs no network and
    no script.

    \b
    Examples:
      idinf composition page slice --m 2 --n 2 -o slice.html
      idinf composition generate --m 2 --n 2 --seed 4 -o tasks.jsonl
      idinf composition page reveal --task tasks.jsonl -o reveal.html
    """
    check_stdout()
    check_output(output)
    for name, value in (("--m", m), ("--n", n or None), ("--seed", seed)):
        if file is not None and value is not None:
            raise click.UsageError(f"--task and {name} are both given; expected one of them; leave one out")
    if file is None:
        found = tasks.composition_protocol(protocol, m, n)
        sizes = sizes_of(found, m, n)
        task = tasks.compositions(sizes.m, sizes.n, seed=seed or 0)[0]
    else:
        first = next(read_instances(file), None)
        if first is None:
            raise CompositionError(f"{quote(file)} has no instance; expected one on its first line; add it")
        task, found = first, tasks.composition_protocol(protocol, first.sizes.m, first.sizes.n)
    write_output(output, library.composition_page(found, task))
