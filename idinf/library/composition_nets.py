"""Transformers as protocols, nets for one step of composition, and the page of a protocol."""

from __future__ import annotations

import os
from collections.abc import Sequence

from idinf.composition.alike import Alike, list_alike
from idinf.composition.depth import DepthRow, measure_depth
from idinf.composition.nets import build_one_layer, build_two_layers
from idinf.composition.places import Places
from idinf.composition.protocol import Communication
from idinf.composition.reduction import Reduction, reduce
from idinf.composition.task import SequentialComposition
from idinf.errors import ArgumentError
from idinf.files import write_whole
from idinf.library.composition import check_sizes, run_protocol
from idinf.library.frames import Rows
from idinf.library.hypotheses import Hypothesis
from idinf.library.languages import WordLike
from idinf.library.ordinary import OrdinaryTransformer
from idinf.library.sources import Path
from idinf.quoting import quote
from idinf.render.html.composition_page import composition_page as render_page
from idinf.report.files import read_one_of
from idinf.transformers.causal_transformer import CausalTransformer
from idinf.transformers.dense import DenseTransformer
from idinf.transformers.limit_transformer import LimitTransformer

#: The largest m of a table of depth, whose nets are run on all inputs.
MOST_TABLE = 4

Net = Path | DenseTransformer | Hypothesis | OrdinaryTransformer


def communicate_net(
    source: Net, prompt: WordLike, *, players: Sequence[int] | None = None, record: int | None = None
) -> Reduction:
    """Run a transformer on a prompt as a communication protocol (Lemma 3.1 of [CPW24]_).

    Parameters
    ----------
    source : path, Hypothesis or OrdinaryTransformer
        A net of either class, or its file, or a report with its ``record``.
    prompt : str or sequence of str
        A word of its alphabet.
    players : sequence of int, optional
        How many tokens each of the players L … −1 has, $ counted, the first ones first. By default players 0
        and −1 have one each, and the others as many as each other.

    Raises
    ------
    CompositionError
        If the players do not fit the net or the prompt.
    HypothesisFormatError, AlphabetMismatchError
        If there is no such net, or the prompt is not for it.

    Examples
    --------
    >>> run = communicate_net(composition_net(3), "2011.", players=[1, 3, 1, 1])
    >>> run.equal, run.protocol.bits, run.transcript.total_bits
    (True, 1, 32)
    """
    match source:
        case DenseTransformer():
            net: DenseTransformer = source
        case Hypothesis() | OrdinaryTransformer():
            net = source.transformer
        case _:
            net = read_one_of((LimitTransformer, CausalTransformer), source, record)
    return reduce(net, net.alphabet.encode(prompt), None if players is None else Places(tuple(players)))


def composition_net(m: int, *, layers: int = 2) -> OrdinaryTransformer:
    """Build a transformer that names z_1(z_0), with one layer or with two.

    Prompts are the values of z_1, then z_0, then a dot, as in ``101.`` for m = 2.

    Raises
    ------
    ArgumentError, CompositionError
        If there are not one or two layers, or m is not from 2 to 5.

    Examples
    --------
    >>> composition_net(2)
    <OrdinaryTransformer composition: context 5, R = 21.064495102>
    """
    if layers not in (1, 2):
        raise ArgumentError(f"layers = {quote(layers)}; expected 1 or 2, nets that are built; choose one")
    return OrdinaryTransformer((build_one_layer if layers == 1 else build_two_layers)(m), "composition")


def composition_depth(up_to: int = 3) -> Rows[DepthRow]:
    """For m from 2 on, what one epoch needs at least, and B of nets with one layer and with two.

    Raises
    ------
    ArgumentError
        If ``up_to`` is not from 2 to `MOST_TABLE`.

    Examples
    --------
    >>> [(row.m, row.least_bits, row.two_layers_bits) for row in composition_depth(3)]
    [(2, 1, 1), (3, 3, 2)]
    """
    if not 2 <= up_to <= MOST_TABLE:
        raise ArgumentError(
            f"up_to = {quote(up_to)}; expected 2 to {MOST_TABLE}, sizes whose inputs are all run; choose one"
        )
    return Rows(map(measure_depth, range(2, up_to + 1)))


def composition_alike(protocol: Communication, task: SequentialComposition) -> Rows[Alike]:
    """Count the inputs of player L that sound alike to all others after each epoch, with a twin each.

    A twin is one of them whose answer differs; None if all have the same answer.

    Raises
    ------
    CompositionError
        If the protocol is not for it, or player L has too many inputs.

    Examples
    --------
    >>> from idinf.library.composition import composition_protocol, compositions
    >>> found = composition_alike(composition_protocol("reveal", 2, [2]), compositions(2, [2])[0])
    >>> [(one.epoch, one.count) for one in found]
    [(0, 256), (1, 256), (2, 64)]
    """
    check_sizes(protocol, task.sizes)
    return Rows(list_alike(protocol, task))


def composition_page(
    protocol: Communication, task: SequentialComposition, *, path: Path | None = None
) -> str:
    """Write an HTML page of a protocol on an instance, epoch by epoch, and to a file if one is named.

    It shows the messages as arrows, and two inputs that nobody below player L can tell apart yet.

    Raises
    ------
    CompositionError
        If the protocol is not for it, or player L has too many inputs.

    Examples
    --------
    >>> from idinf.library.composition import composition_protocol, compositions
    >>> page = composition_page(composition_protocol("slice", 2, [2]), compositions(2, [2])[0])
    >>> "16 of 256 inputs z_2 are alike" in page
    True
    """
    transcript = run_protocol(protocol, task)
    page = render_page(protocol, task, transcript, composition_alike(protocol, task))
    if path is not None:
        write_whole(os.fspath(path), page)
    return page
