"""Continuity and isolation: predictors, and what they can and cannot learn, in one call each."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from idinf.continuity import sequences
from idinf.continuity.contrast import ContrastRow, choose_pair
from idinf.continuity.contrast import contrast as contrasted
from idinf.continuity.isolation import MOST_EVERY, Isolation, isolate
from idinf.continuity.learning import MOST_PROMPTS, Learnability, decide_learnability
from idinf.continuity.measured import Measured, ask_module, is_module
from idinf.continuity.modulus import MOST_LENGTH, Modulus, compute_modulus
from idinf.continuity.net_format import read_net
from idinf.continuity.nets import CompactNet, Net, draw_net, predictor_of
from idinf.continuity.predictors import SHIPPED, Predictor
from idinf.continuity.verdicts import Verdicts
from idinf.continuity.witnesses import Score, Witness, find_witness
from idinf.errors import ArgumentError, SpecError
from idinf.files import write_whole
from idinf.library.frames import Rows
from idinf.library.hypotheses import Hypothesis, hypothesis
from idinf.library.programs import compile_source
from idinf.library.sequences import check_range, take_sequence
from idinf.library.sources import Path
from idinf.quoting import quote
from idinf.render.figures.canvas import encode, read_suffix
from idinf.render.figures.contrast import draw_contrast
from idinf.render.html.dilemma import dilemma_page
from idinf.transformers.reference import trace
from idinf.words import Alphabet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Longest prompts of nets of several layers, whose time grows with more than the length.
MOST_DEEP = 128

#: What `predictor` takes.
PredictorLike: TypeAlias = Path | CompactNet | Hypothesis | Predictor | Callable[..., Any]


def predictor(source: PredictorLike, *, alphabet: str = "01") -> Predictor:
    """Take a predictor: ``laplace`` or ``kt`` over an alphabet, a ``compact-transformer/1`` file, or a net.

    ``random:SEED`` is a net of one layer that is drawn; `draw_compact_net` draws others. A hypothesis of
    idinf, or ``verdict:NAME`` for its file or a program to compile, is sure of the second symbol where it
    accepts the prompt, and else of the first; it has no modulus. So has any function from a prompt, as a
    text, to a probability for each symbol, as a sequence or a tensor of one dimension; and a module of
    PyTorch from codes of symbols, of shape (1, n), to logits of shape (1, n, \\|Σ\\|) or (1, \\|Σ\\|).
    What is computed of these two are measurements in floats, from which nothing is proved.

    Raises
    ------
    HypothesisFormatError, SpecError
        If there is none, or it breaks an assumption of the theorem, such as bounded logits.

    Examples
    --------
    >>> rule = predictor("kt")
    >>> [str(part.low) for part in rule.predict(rule.encode("011"))]
    ['3/8', '5/8']
    """
    if isinstance(source, Predictor):
        return source
    if isinstance(source, CompactNet):
        return predictor_of(source, "net")
    if isinstance(source, Hypothesis):
        return Verdicts(_score(source), source.alphabet, source.name)
    symbols = Alphabet(tuple(alphabet))
    if is_module(source):
        return Measured(ask_module(source, symbols), symbols, type(source).__name__)
    if callable(source):
        return Measured(source, symbols)
    name = os.fspath(source)
    if name.startswith("verdict:"):
        return predictor(take_hypothesis(name.removeprefix("verdict:")))
    if name in SHIPPED:
        return SHIPPED[name](symbols)
    if name.startswith("random:"):
        seed = name.removeprefix("random:")
        if not seed.isdecimal() or len(seed) > 18:
            raise ArgumentError(f"predictor {quote(name)}; expected a seed as in random:1; correct it")
        return predictor_of(draw_net(symbols, int(seed)), name)
    if not name.endswith(".json"):
        raise ArgumentError(
            f"predictor {quote(name)}; expected {', '.join(SHIPPED)}, random:SEED, verdict:NAME or a file "
            "ending in .json; correct it"
        )
    return predictor_of(read_net(name), os.path.basename(name))


def draw_compact_net(
    seed: int, *, alphabet: str = "01", layers: int = 1, heads: int = 1, width: int = 4
) -> CompactNet:
    """Draw a compact net, the same for the same arguments; `net_format.dump_net` writes it."""
    return draw_net(Alphabet(tuple(alphabet)), seed, layers, heads, width)


def modulus(
    source: PredictorLike,
    *,
    n: int,
    differences: int = 1,
    delta: Fraction | int | str | None = None,
) -> list[Modulus]:
    """Find how far answers to prompts of length n with one last symbol are apart, by how many places differ.

    Of counts and nets of one layer it is the maximum over all prompts, for nets of several layers two bounds
    unless there are few prompts. There is a row for 1, 2, …, ``differences`` places, or the share ``delta``
    of n.

    Raises
    ------
    ArgumentError, BudgetError, SpecError
        If n is not from 2 to 256, there are too many pairs, delta is no share, or a hypothesis is asked.

    Examples
    --------
    >>> str(modulus("laplace", n=8, differences=2)[-1].gap.high)
    '1/5'
    """
    found = predictor(source)
    check_range("n", n, 2, MOST_DEEP if isinstance(found, Net) else MOST_LENGTH)
    if delta is not None:
        differences = _count_places(read_fraction(delta, "delta"), n)
    check_range("differences", differences, 1, MOST_LENGTH)
    if isinstance(found, Verdicts):
        raise SpecError(
            f"predictor {quote(found.name)}: a hypothesis has no modulus, as its verdict is not continuous, "
            "which the theorem assumes; expected a compact net; use 'continuity witness'"
        )
    _check_symbols(found.alphabet)
    return compute_modulus(found, n, differences)


def _count_places(delta: Fraction, n: int) -> int:
    if not 0 < delta <= 1 or delta * n < 1:
        raise SpecError(
            f"delta = {quote(str(delta))}; expected from 1/{n} to 1, as d_H is a share of {n} places; "
            "choose one such as 1/8"
        )
    return math.floor(delta * n)


def _check_symbols(alphabet: Alphabet) -> None:
    if len(alphabet) < 2:
        raise ArgumentError(
            "an alphabet of one symbol; expected two, one to stand among the other; name both"
        )


def measure(
    function: Callable[..., Any], *, n: int, differences: int = 1, alphabet: str = "01"
) -> tuple[float, tuple[str, str]]:
    """Find a pair of prompts whose answers are far apart, for any function from a prompt to probabilities.

    It is a lower bound of the modulus, in floats, and nothing is proved of other pairs. The function, or
    module of PyTorch, is one that `predictor` takes. Pairs are those of `modulus` for nets of several layers:
    one symbol throughout, and another one at the first or the last places.

    Raises
    ------
    ArgumentError
        If n or differences are out of range, or an answer is no distribution over the alphabet.

    Examples
    --------
    >>> measure(lambda prompt: (prompt.count("0") / len(prompt), prompt.count("1") / len(prompt)), n=4)
    (0.25, ('0000', '1000'))
    """
    (*_, row) = modulus(predictor(function, alphabet=alphabet), n=n, differences=differences)
    return float(row.gap.low), row.pair


def witness(source: Path | Hypothesis, *, n: int) -> Witness:
    """Find two prompts of length n, one symbol apart, of which a hypothesis accepts one alone.

    The hypothesis is one of idinf, its file, or a program to compile. ``jump`` is by how much U y, of
    which the verdict is a threshold, differs at the last position: units that are no continuous
    functions, or logits that grow with log N, keep it up however long prompts are.

    Examples
    --------
    >>> net = compile_source("majority")
    >>> found = witness(net, n=64)
    >>> found.place, net.alphabet.decode(found.accepted).count("1"), str(found.jump)
    (1, 32, '1')
    """
    check_range("n", n, 1, MOST_LENGTH)
    net = take_hypothesis(source)
    return find_witness(_score(net), len(net.alphabet), n)


def learnability(
    source: PredictorLike,
    a: sequences.Sequence | str,
    *,
    epsilon: Fraction | int | str = Fraction(1, 2),
    up_to: int = 64,
) -> Learnability:
    """Decide whether a predictor eventually learns a sequence with confidence ε, and from which n0 on.

    It is decided for all n where the sequence is periodic in the end and the predictor one by counts, or a
    net of one layer; else it is followed up to a length.

    Examples
    --------
    >>> found = learnability("laplace", "(0)")
    >>> found.learned, found.n0
    (True, 2)
    """
    found = predictor(source)
    check_range("up_to", up_to, 1, MOST_DEEP if isinstance(found, Net) else MOST_PROMPTS)
    return decide_learnability(found, take_sequence(a), read_fraction(epsilon, "epsilon"), up_to)


def isolation(
    source: PredictorLike,
    a: sequences.Sequence | str,
    *,
    every: Sequence[int] = (2, 3, 4, 8, 16),
    assume: Fraction | int | str | None = None,
) -> Isolation:
    """Compute the radius around a learned sequence, and change the sequence at every k-th place.

    With ``assume`` it is taken as given that the sequence is learned with that confidence, as for nets of
    several layers, of which none is proved; then there are no rows.

    Examples
    --------
    >>> found = isolation("laplace", "(0)")
    >>> str(found.radius), [row.inside for row in found.rows]
    ('1/2', [False, True, True, True, True])
    """
    for k in every:
        check_range("every", k, 1, MOST_EVERY)
    given = None if assume is None else read_fraction(assume, "assume")
    return isolate(predictor(source), take_sequence(a), tuple(every), given)


class Contrast(Rows[ContrastRow]):
    """A hypothesis beside a predictor: one row for each k."""

    names: tuple[str, str]
    symbols: tuple[str, str]  #: the one that is repeated, and the other one

    def plot(self, path: Path | None = None) -> Figure:
        """Draw both gaps by k, and write the figure to a file if one is named."""
        suffix = None if path is None else read_suffix(os.fspath(path))
        figure = draw_contrast(self, *self.names)
        if path is not None and suffix is not None:
            write_whole(os.fspath(path), encode(figure, suffix))
        return figure


def contrast(
    source: Path | Hypothesis,
    beside: PredictorLike,
    *,
    lengths: Sequence[int] = (1, 2, 4, 8, 16, 32, 64),
) -> Contrast:
    """Ask a hypothesis and a predictor about σ^(k+2) and σ^k τ σ, for some k.

    σ and τ are the first two symbols that turn the verdict at k = 1, or the first two of the alphabet.

    Raises
    ------
    ArgumentError, SpecError
        If the two have different alphabets, or one symbol alone.

    Examples
    --------
    >>> rows = contrast("tomita-1", "laplace", lengths=(1, 62))
    >>> rows.symbols, [(row.k, row.verdict, str(row.jump), str(row.gap.high)) for row in rows]
    (('1', '0'), [(1, 1, '1', '1/5'), (62, 1, '1', '1/66')])
    """
    net, found = take_hypothesis(source), predictor(beside)
    for k in lengths:
        check_range("lengths", k, 1, MOST_DEEP)
    if net.alphabet.symbols != found.alphabet.symbols:
        raise SpecError(
            f"{net.name} is over {' '.join(net.alphabet.symbols)} and {found.name} over "
            f"{' '.join(found.alphabet.symbols)}; expected one alphabet, as d_H does; name it by --alphabet"
        )
    _check_symbols(net.alphabet)
    score = _score(net)
    pair = choose_pair(score, len(net.alphabet))
    rows = Contrast(contrasted(score, found, pair, lengths))
    rows.names = (net.name, found.name)
    rows.symbols = (net.alphabet.symbols[pair[0]], net.alphabet.symbols[pair[1]])
    return rows


def dilemma(
    source: PredictorLike,
    a: sequences.Sequence | str,
    *,
    most: int = 24,
    path: Path | None = None,
) -> str:
    """Write an HTML page on which k moves, and shows which of a and a changed at every k-th place is learned.

    Examples
    --------
    >>> dilemma("laplace", "(0)", most=8).startswith("<!doctype html>")
    True
    """
    check_range("most", most, 2, 64)
    taken, found = take_sequence(a), predictor(source)
    page = dilemma_page(found.name, str(taken), isolate(found, taken, tuple(range(2, most + 1))))
    if path is not None:
        write_whole(os.fspath(path), page)
    return page


def read_fraction(value: Fraction | int | str, name: str) -> Fraction:
    """Read a fraction as in 1/2 or 0.5, exactly.

    Raises
    ------
    ArgumentError
    """
    text = str(value)
    try:
        if len(text) > 40 or "e" in text.lower():
            raise ValueError
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ArgumentError(f"{name} = {quote(text)}; expected a fraction such as 1/2; correct it") from None


def take_hypothesis(source: Path | Hypothesis) -> Hypothesis:
    """Take a hypothesis: one of idinf, its file, or a program to compile."""
    if isinstance(source, Hypothesis):
        return source
    name = os.fspath(source)
    return hypothesis(name) if name.endswith(".json") else compile_source(name)


def _score(net: Hypothesis) -> Score:
    """U y less the threshold; one that names next symbols is refused."""
    net.words(0)
    made = net.transformer
    return lambda word: trace(made, word).logits[made.accept_row] - made.threshold
