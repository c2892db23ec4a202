"""Continuity and isolation: predictors, and what they can and cannot learn, in one call each."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from idinf.continuity import sequences
from idinf.continuity.isolation import MOST_EVERY, Isolation, isolate
from idinf.continuity.learning import MOST_PROMPTS, Learnability, decide_learnability
from idinf.continuity.modulus import MOST_LENGTH, Modulus, compute_modulus
from idinf.continuity.net_format import read_net
from idinf.continuity.nets import CompactNet, OneLayerNet
from idinf.continuity.predictors import SHIPPED, Predictor
from idinf.errors import ArgumentError, SpecError
from idinf.library.sequences import check_range, take_sequence
from idinf.library.sources import Path
from idinf.quoting import quote
from idinf.words import Alphabet

#: What `predictor` takes.
PredictorLike: TypeAlias = Path | CompactNet | Predictor


def predictor(source: PredictorLike, *, alphabet: str = "01") -> Predictor:
    """Take a predictor: ``laplace`` or ``kt`` over an alphabet, or a ``compact-transformer/1`` file or net.

    Raises
    ------
    HypothesisFormatError, ArgumentError
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
        return OneLayerNet(source, "net")
    name = os.fspath(source)
    if name in SHIPPED:
        return SHIPPED[name](Alphabet(tuple(alphabet)))
    if not name.endswith(".json"):
        raise ArgumentError(
            f"predictor {quote(name)}; expected {', '.join(SHIPPED)} or a file ending in .json; correct it"
        )
    return OneLayerNet(read_net(name), os.path.basename(name))


def modulus(
    source: PredictorLike,
    *,
    n: int,
    differences: int = 1,
    delta: Fraction | int | str | None = None,
) -> list[Modulus]:
    """Find how far answers to prompts of length n with one last symbol are apart, by how many places differ.

    It is the maximum over all prompts. There is a row for 1, 2, …, ``differences`` places, or the share
    ``delta`` of n.

    Raises
    ------
    ArgumentError, BudgetError, SpecError
        If n is not from 2 to 256, there are too many pairs, or delta is no share.

    Examples
    --------
    >>> str(modulus("laplace", n=8, differences=2)[-1].gap.high)
    '1/5'
    """
    found = predictor(source)
    check_range("n", n, 2, MOST_LENGTH)
    if delta is not None:
        differences = _count_places(read_fraction(delta, "delta"), n)
    check_range("differences", differences, 1, MOST_LENGTH)
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


def learnability(
    source: PredictorLike,
    a: sequences.Sequence | str,
    *,
    epsilon: Fraction | int | str = Fraction(1, 2),
    up_to: int = 64,
) -> Learnability:
    """Decide whether a predictor eventually learns a sequence with confidence ε, and from which n0 on.

    It is decided for all n where the sequence is periodic in the end; else it is followed up to a length.

    Examples
    --------
    >>> found = learnability("laplace", "(0)")
    >>> found.learned, found.n0
    (True, 2)
    """
    found = predictor(source)
    check_range("up_to", up_to, 1, MOST_PROMPTS)
    return decide_learnability(found, take_sequence(a), read_fraction(epsilon, "epsilon"), up_to)


def isolation(
    source: PredictorLike,
    a: sequences.Sequence | str,
    *,
    every: Sequence[int] = (2, 3, 4, 8, 16),
    assume: Fraction | int | str | None = None,
) -> Isolation:
    """Compute the radius around a learned sequence, and change the sequence at every k-th place.

    With ``assume`` it is taken as given that the sequence is learned with that confidence, as where it never
    becomes periodic; then there are no rows.

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
