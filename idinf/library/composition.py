"""Sequential function composition, its protocols, nets as protocols and the lower bound, in one call each."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from idinf import documents
from idinf.composition import decomposition as decomposed
from idinf.composition.instances import read_lines
from idinf.composition.parameters import Parameters, refuse_product
from idinf.composition.places import Places
from idinf.composition.protocol import Communication, Transcript, simulate
from idinf.composition.reduction import Reduction, reduce
from idinf.composition.shipped import ship
from idinf.composition.task import SequentialComposition, Sizes, draw, show_count
from idinf.errors import ArgumentError, CompositionError
from idinf.files import read_text, show_path
from idinf.json_text import MOST_REPORT, NotJson, parse_json
from idinf.library.hypotheses import Hypothesis
from idinf.library.languages import WordLike
from idinf.library.ordinary import OrdinaryTransformer
from idinf.library.sources import Path
from idinf.quoting import quote
from idinf.report.files import read_one_of
from idinf.transformers.causal_transformer import CausalTransformer
from idinf.transformers.dense import DenseTransformer
from idinf.transformers.limit_transformer import LimitTransformer

#: Tokens of all instances of one call, at most.
MOST_DRAWN = 2**22

Net = Path | DenseTransformer | Hypothesis | OrdinaryTransformer

_NO_DECOMPOSITION = "expected an object with level, upper (R) and lower (Z_0, Z_1 …); correct it"


@dataclass(frozen=True)
class Score:
    """How a protocol did on some instances.

    Attributes
    ----------
    right, total : int
        How many answers were right, and how many there were.
    most_bits : int
        Bits of all messages of a run, at most.
    wrong : SequentialComposition or None
        The first instance with a wrong answer.
    """

    right: int
    total: int
    most_bits: int
    wrong: SequentialComposition | None


def composition_task(
    m: int, n: Sequence[int] = (), *, z0: int, z: Sequence[Sequence[int]], w: Sequence[int] = ()
) -> SequentialComposition:
    """Make an instance of sequential function composition (Definition 2.1 of [CPW24]_), numbers from 0.

    Raises
    ------
    CompositionError
        If a number is out of its range, or a list has the wrong length.

    Examples
    --------
    >>> composition_task(2, [2], z0=1, z=[[1, 0], [3, 2, 1, 0]], w=[1]).chain()
    (1, 0, 1)
    """
    return SequentialComposition(Sizes(m, tuple(n)), z0, tuple(map(tuple, z)), tuple(w))


def compositions(
    m: int, n: Sequence[int] = (), *, count: int = 1, seed: int = 0
) -> list[SequentialComposition]:
    """Draw instances, every value uniformly; the same seed gives the same ones.

    Raises
    ------
    CompositionError, ArgumentError
        If sizes are out of range, or there would be more than `MOST_DRAWN` tokens.

    Examples
    --------
    >>> [task.solve() for task in compositions(2, [2], count=5)]
    [3, 2, 0, 2, 1]
    """
    sizes = Sizes(m, tuple(n))
    if count < 0 or (tokens := count * (sum(sizes.domains) + 2)) > MOST_DRAWN:
        wrong = f"are {show_count(tokens)} tokens" if count > 0 else "cannot be drawn"
        raise ArgumentError(
            f"{quote(count)} instances {wrong}; expected at most {MOST_DRAWN} tokens; choose a smaller count"
        )
    return list(itertools.islice(draw(sizes, seed), count))


def read_compositions(path: Path) -> list[SequentialComposition]:
    """Read instances from a file of JSON lines.

    Raises
    ------
    CompositionError
        If it cannot be read; names file, line and key.
    """
    origin = os.fspath(path)
    expected = "expected instances as JSON lines, as 'idinf composition generate' writes them; check the path"
    text = read_text(origin, MOST_REPORT, CompositionError, expected)
    return list(read_lines(text.split("\n"), show_path(origin)))


def composition_protocol(name: str, m: int, n: Sequence[int] = ()) -> Communication:
    """Take a shipped protocol, ``reveal`` or ``silent``, for sizes m and n.

    Raises
    ------
    CompositionError
        If there is none, or the sizes are out of range.

    Examples
    --------
    >>> composition_protocol("reveal", 2, [2]).bits
    1
    """
    return ship(name, Sizes(m, tuple(n)))


def run_protocol(protocol: Communication, task: SequentialComposition) -> Transcript:
    """Run a protocol on an instance: all messages with their bits, and the answer.

    Raises
    ------
    CompositionError
        If it is for other sizes, reads what it may not, or says more than 2B·m_i bits.
    """
    check_sizes(protocol, task.sizes)
    return simulate(protocol, task.inputs())


def score_protocol(protocol: Communication, tasks: Iterable[SequentialComposition]) -> Score:
    """Run a protocol on many instances, and count the right answers; errors as of `run_protocol`.

    Examples
    --------
    >>> score_protocol(composition_protocol("reveal", 2, [1]), Sizes(2, (1,)).instances())
    Score(right=32, total=32, most_bits=4, wrong=None)
    """
    right = total = most = 0
    wrong = None
    for task in tasks:
        transcript = run_protocol(protocol, task)
        most, total = max(most, transcript.total_bits), total + 1
        if transcript.answer == task.solve():
            right += 1
        elif wrong is None:
            wrong = task
    return Score(right, total, most, wrong)


def composition_parameters(
    layers: int, heads: int, width: int, precision: int, *, m: str = "printed"
) -> Parameters:
    """Compute the sizes of the lower bound of [CPW24]_; ``judge(n)`` says what Theorem 1.1 says of n tokens.

    Raises
    ------
    CompositionError
        If a number is out of range, or m is "product", an identity that contradicts the theorem.

    Examples
    --------
    >>> composition_parameters(2, 1, 1, 1).judge(2**449)
    'excluded'
    """
    if m == "product":
        refuse_product()
    if m != "printed":
        raise ArgumentError(f"m = {quote(m)}; expected 'printed' or 'product'; take the first")
    return Parameters(layers, heads, width, precision)


def decompositions(
    protocol: Communication, m: int, n: Sequence[int], *, level: int = 2
) -> list[decomposed.Largest]:
    """Find the largest indistinguishable decompositions of a protocol, by all sets Z of tiny sizes.

    Raises
    ------
    CompositionError
        If the sizes are too large, or the protocol is for others or breaks a rule.

    Examples
    --------
    >>> [(found.kept, len(found.decomposition.upper))
    ...  for found in decompositions(composition_protocol("reveal", 2, [1]), 2, [1])][:2]
    [((1, 1), 2), ((1, 2), 2)]
    """
    sizes = Sizes(m, tuple(n))
    check_sizes(protocol, sizes)
    return decomposed.search_largest(protocol, sizes, level)


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
    >>> from idinf.library.programs import compile_source
    >>> run = communicate_net(compile_source("majority"), "011", players=[2, 1, 1])
    >>> run.equal, run.protocol.bits, run.transcript.total_bits
    (True, 3, 18)
    """
    match source:
        case DenseTransformer():
            net: DenseTransformer = source
        case Hypothesis() | OrdinaryTransformer():
            net = source.transformer
        case _:
            net = read_one_of((LimitTransformer, CausalTransformer), source, record)
    return reduce(net, net.alphabet.encode(prompt), None if players is None else Places(tuple(players)))


def read_decomposition(path: Path) -> decomposed.Decomposition:
    """Read R and Z from a JSON file with the keys level, upper and lower; CompositionError if it has none."""
    origin = show_path(os.fspath(path))
    text = read_text(
        os.fspath(path), MOST_REPORT, CompositionError, f"{_NO_DECOMPOSITION}, or check the path"
    )
    try:
        content = parse_json(text)
    except NotJson as reason:
        raise CompositionError(f"{origin}: {reason}; {_NO_DECOMPOSITION}") from None
    return documents.read(content, decomposed.Decomposition, origin, CompositionError)


def check_sizes(protocol: Communication, sizes: Sizes) -> None:
    """Refuse a protocol that is for other sizes."""
    own = getattr(protocol, "sizes", sizes)
    if own != sizes:
        raise CompositionError(
            f"protocol {quote(protocol.name)} is for m = {own.m} and n = {quote(list(own.n))}; expected "
            "that, not "
            f"m = {sizes.m} and n = {quote(list(sizes.n))}; give the same sizes"
        )


__all__ = [
    "Score",
    "SequentialComposition",
    "communicate_net",
    "composition_parameters",
    "composition_protocol",
    "composition_task",
    "compositions",
    "decompositions",
    "read_compositions",
    "read_decomposition",
    "run_protocol",
    "score_protocol",
]
