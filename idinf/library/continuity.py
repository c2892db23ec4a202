"""Continuity and isolation: sequences, predictors, and what they can and cannot learn, in one call each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from idinf.continuity import sequences
from idinf.continuity.contrast import ContrastRow
from idinf.continuity.contrast import contrast as contrasted
from idinf.continuity.distances import (
    EventualEquality,
    LimitDistance,
    PrefixDistance,
    compare_prefixes,
    decide_equality,
    find_limit,
)
from idinf.continuity.isolation import MOST_EVERY, Isolation, isolate
from idinf.continuity.learning import MOST_PROMPTS, Learnability, decide_learnability
from idinf.continuity.measured import Measured
from idinf.continuity.modulus import MOST_LENGTH, Modulus, bound_from_below, compute_modulus
from idinf.continuity.net_format import read_net
from idinf.continuity.nets import CompactNet, draw_net, predictor_of
from idinf.continuity.predictors import SHIPPED, CountingPredictor, Predictor
from idinf.continuity.witnesses import Witness, find_witness
from idinf.errors import ArgumentError, SpecError
from idinf.files import write_whole
from idinf.library.frames import Rows
from idinf.library.hypotheses import Hypothesis, hypothesis
from idinf.library.languages import Language
from idinf.library.operands import find_common_alphabet
from idinf.library.programs import compile_source
from idinf.library.sources import Path, read_operand
from idinf.quoting import quote
from idinf.render.figures.canvas import encode, read_suffix
from idinf.render.figures.contrast import draw_contrast
from idinf.render.html.dilemma import dilemma_page
from idinf.words import Alphabet, Word

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Longest prefixes that are compared, and longest prompts that are followed.
MOST_PREFIX = 1 << 14

#: Longest prompts of nets of several layers, whose time grows with more than the length.
MOST_DEEP = 128


@dataclass(frozen=True, slots=True)
class SequenceComparison:
    """Two sequences: prefixes of length n, the limit of their distance, and equality in the end."""

    prefix: PrefixDistance
    limit: LimitDistance
    equal: EventualEquality


def sequence(text: str, *, alphabet: str | None = None) -> sequences.Sequence:
    """Take an infinite sequence.

    ``1(01)`` is 1 and then 01 again and again; ``thue-morse``, ``fibonacci`` and ``blocks`` have names;
    ``feed:NAME`` is what a program or another language says of what it said before, its first symbol for
    no. ``@k`` behind one of these changes every k-th place.

    Raises
    ------
    SpecError
        If it is none, or has a symbol outside of the alphabet.

    Examples
    --------
    >>> sequence("(0)@3").prefix(7), sequence("feed:majority").prefix(4)
    ('0010010', '1111')
    """
    if not text.startswith("feed:"):
        return sequences.parse_sequence(text, alphabet)
    name, _, changes = text.removeprefix("feed:").partition("@")
    operand = read_operand(name)
    symbols = find_common_alphabet(operand, operand).symbols
    if len(symbols) < 2 or any(len(symbol) > 1 for symbol in symbols):
        raise SpecError(
            f"sequence {quote(text)}: expected a language over at least two letters; name another"
        )
    language = Language(operand)
    fed = sequences.Fed("".join(symbols), operand.name, lambda word: word in language)
    if not changes:
        return fed
    if not changes.isdecimal() or not 1 <= int(changes[:9]) <= sequences.MOST_PLACES:
        raise SpecError(f"sequence {quote(text)}: expected a number from 1 behind @; correct it")
    return sequences.change(fed, int(changes))


def compare_sequences(
    a: sequences.Sequence | str, b: sequences.Sequence | str, *, n: int = 1024
) -> SequenceComparison:
    """Compare two sequences: prefixes of length n, the limit inferior of d_H, and equality in the end.

    Raises
    ------
    SpecError, ArgumentError
        If one is none, they are over different alphabets, or n is not from 1 to `MOST_PREFIX`.

    Examples
    --------
    >>> found = compare_sequences("(01)", "(0011)", n=8)
    >>> str(found.prefix.hamming), str(found.limit), str(found.equal)
    ('1/2', '1/2', 'no, they differ at infinitely many places')
    """
    one, other = _take(a), _take(b)
    if one.symbols != other.symbols:
        raise SpecError(
            f"sequences {quote(str(one))} over {one.symbols} and {quote(str(other))} over "
            f"{other.symbols}; expected one alphabet, as d_H does; name it by --alphabet"
        )
    _check("n", n, 1, MOST_PREFIX)
    prefix = compare_prefixes(one.prefix(n), other.prefix(n))
    return SequenceComparison(prefix, find_limit(one, other, n), decide_equality(one, other, n))


def predictor(source: Path | CompactNet | Predictor, *, alphabet: str = "01") -> Predictor:
    """Take a predictor: ``laplace`` or ``kt`` over an alphabet, a ``compact-transformer/1`` file, or a net.

    ``random:SEED`` is a net of one layer that is drawn; `draw_compact_net` draws others.

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
    name = os.fspath(source)
    if name in SHIPPED:
        return SHIPPED[name](Alphabet(tuple(alphabet)))
    if name.startswith("random:"):
        seed = name.removeprefix("random:")
        if not seed.isdecimal() or len(seed) > 18:
            raise ArgumentError(f"predictor {quote(name)}; expected a seed as in random:1; correct it")
        return predictor_of(draw_net(Alphabet(tuple(alphabet)), int(seed)), name)
    if not name.endswith(".json"):
        raise ArgumentError(
            f"predictor {quote(name)}; expected {', '.join(SHIPPED)}, random:SEED or a file "
            "ending in .json; correct it"
        )
    return predictor_of(read_net(name), os.path.basename(name))


def draw_compact_net(
    seed: int, *, alphabet: str = "01", layers: int = 1, heads: int = 1, width: int = 4
) -> CompactNet:
    """Draw a compact net, the same for the same arguments; `net_format.dump_net` writes it."""
    return draw_net(Alphabet(tuple(alphabet)), seed, layers, heads, width)


def modulus(source: Path | CompactNet | Predictor, *, n: int, differences: int = 1) -> list[Modulus]:
    """Find how far answers to prompts of length n with one last symbol are apart, by how many places differ.

    Of counts and nets of one layer it is the maximum over all prompts, for nets of several layers two bounds
    unless there are few prompts.

    Raises
    ------
    ArgumentError, BudgetError
        If n is not from 2 to 256, or there are too many pairs.

    Examples
    --------
    >>> str(modulus("laplace", n=8, differences=2)[-1].gap.high)
    '1/5'
    """
    found = predictor(source)
    _check("n", n, 2, MOST_LENGTH if isinstance(found, CountingPredictor) else MOST_DEEP)
    _check("differences", differences, 1, MOST_LENGTH)
    return compute_modulus(found, n, differences)


def measure(
    function: Callable[[str], Any], *, n: int, differences: int = 1, alphabet: str = "01"
) -> tuple[float, tuple[str, str]]:
    """Find a pair of prompts whose answers are far apart, for any function from a prompt to probabilities.

    It is a lower bound of the modulus, in floats, and nothing is proved of other pairs. The function gets
    the prompt as a text and gives a probability for each symbol, as a sequence or a tensor of one dimension;
    a PyTorch module is asked by a function that makes a tensor of the prompt. Pairs are those of `modulus`
    for nets of several layers: one symbol throughout, and another one at the first or the last places.

    Raises
    ------
    ArgumentError
        If n or differences are out of range, or an answer is no distribution over the alphabet.

    Examples
    --------
    >>> measure(lambda prompt: (prompt.count("0") / len(prompt), prompt.count("1") / len(prompt)), n=4)
    (0.25, ('0000', '1000'))
    """
    _check("n", n, 2, MOST_LENGTH)
    _check("differences", differences, 1, MOST_LENGTH)
    (*_, row) = bound_from_below(Measured(function, Alphabet(tuple(alphabet))), n, min(differences, n - 1))
    return float(row.gap.low), row.pair


def witness(source: Path | Hypothesis, *, n: int) -> Witness:
    """Find two prompts of length n, one symbol apart, of which a hypothesis accepts one alone.

    The hypothesis is one of idinf, its file, or a program to compile. Its units are no continuous functions
    and its logits grow with log N, so it has no modulus of continuity.

    Examples
    --------
    >>> net = compile_source("majority")
    >>> found = witness(net, n=64)
    >>> found.place, net.alphabet.decode(found.accepted).count("1")
    (1, 32)
    """
    _check("n", n, 1, MOST_LENGTH)
    net = take_hypothesis(source)
    return find_witness(_decide(net), len(net.alphabet), n)


def learnability(
    source: Path | CompactNet | Predictor,
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
    _check("up_to", up_to, 1, MOST_PROMPTS if isinstance(found, CountingPredictor) else MOST_DEEP)
    return decide_learnability(found, _take(a), read_fraction(epsilon, "epsilon"), up_to)


def isolation(
    source: Path | CompactNet | Predictor,
    a: sequences.Sequence | str,
    *,
    every: Sequence[int] = (2, 3, 4, 8, 16),
) -> Isolation:
    """Compute the radius around a learned sequence, and change the sequence at every k-th place.

    Examples
    --------
    >>> found = isolation("laplace", "(0)")
    >>> str(found.radius), [row.inside for row in found.rows]
    ('1/2', [False, True, True, True, True])
    """
    for k in every:
        _check("every", k, 1, MOST_EVERY)
    return isolate(predictor(source), _take(a), tuple(every))


class Contrast(Rows[ContrastRow]):
    """A hypothesis beside a predictor: one row for each k."""

    names: tuple[str, str]

    def plot(self, path: Path | None = None) -> Figure:
        """Draw both gaps by k, and write the figure to a file if one is named."""
        suffix = None if path is None else read_suffix(os.fspath(path))
        figure = draw_contrast(self, *self.names)
        if path is not None and suffix is not None:
            write_whole(os.fspath(path), encode(figure, suffix))
        return figure


def contrast(
    source: Path | Hypothesis,
    beside: Path | CompactNet | Predictor,
    *,
    lengths: Sequence[int] = (1, 2, 4, 8, 16, 32, 64),
) -> Contrast:
    """Ask a hypothesis and a predictor about σ^(k+2) and σ^k τ σ, for some k.

    Examples
    --------
    >>> rows = contrast("tomita-1", "laplace", lengths=(1, 62))
    >>> [(row.k, row.verdict, str(row.gap.high)) for row in rows]
    [(1, 1, '1/5'), (62, 1, '1/66')]
    """
    net, found = take_hypothesis(source), predictor(beside)
    for k in lengths:
        _check("lengths", k, 1, MOST_DEEP)
    if min(len(net.alphabet), len(found.alphabet)) < 2:
        raise ArgumentError(
            "an alphabet of one symbol; expected two, one to stand among the other; name both"
        )
    rows = Contrast(contrasted(_decide(net), found, lengths))
    rows.names = (net.name, found.name)
    return rows


def dilemma(
    source: Path | CompactNet | Predictor,
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
    _check("most", most, 2, 64)
    taken, found = _take(a), predictor(source)
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


def _take(a: sequences.Sequence | str) -> sequences.Sequence:
    return a if isinstance(a, sequences.Sequence) else sequence(a)


def take_hypothesis(source: Path | Hypothesis) -> Hypothesis:
    """Take a hypothesis: one of idinf, its file, or a program to compile."""
    if isinstance(source, Hypothesis):
        return source
    name = os.fspath(source)
    return hypothesis(name) if name.endswith(".json") else compile_source(name)


def _decide(net: Hypothesis) -> Callable[[Word], bool]:
    return lambda word: net.alphabet.decode(word) in net


def _check(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ArgumentError(f"{name} = {value}; expected one from {least} to {most}; correct it")
