"""Two transformers for one step of composition, z_1(z_0): with one layer, and with two.

For example m = 2: the prompt `1 0 1 .` says z_1(0) = 1, z_1(1) = 0, z_0 = 1, and the dot is the empty query.
The answer, 0, is named behind the dot. With two layers the token of z_0 looks up the value that it asks for,
and the dot takes it over: one small number each time. With one layer the dot has to read everything at once.
Its weights are powers of N, so that the average has all values as digits, and one unit for each place where
the answer changes reads them off.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from idinf.errors import CompositionError
from idinf.experiments.spec import Answer
from idinf.quoting import quote
from idinf.transformers.causal_transformer import CausalTransformer
from idinf.transformers.dense import (
    Activation,
    Head,
    Layer,
    Matrix,
    Mlp,
    NextOutput,
    sparse_row,
    vector,
)
from idinf.words import Alphabet, Word

#: m, at most: a net of one layer has more than m^m units.
MOST_M = 5

#: The symbol of the query, which is empty.
QUERY = "."

_Entries = Mapping[int, int]


def write_prompt(m: int, map_: tuple[int, ...], z0: int) -> Word:
    """The prompt of an instance: the values of z_1, then z_0, then the query.

    Examples
    --------
    >>> build_alphabet(2).decode(write_prompt(2, (1, 0), 1))
    '101.'
    """
    return (*map_, z0, m)


def build_alphabet(m: int) -> Alphabet:
    """The numbers below m, and the query.

    Raises
    ------
    CompositionError
        If m is not from 2 to `MOST_M`.
    """
    if not 2 <= m <= MOST_M:
        raise CompositionError(f"m = {quote(m)}; expected 2..{MOST_M}, sizes whose nets are built; change it")
    return Alphabet((*map(str, range(m)), QUERY))


def build_two_layers(m: int) -> CausalTransformer:
    """Build the net that looks a value up in two layers, with one head each that writes one coordinate.

    The logit of a head is 0 where it looks, and −1 elsewhere, whose weight N^-1 rounds to 0. So it reads one
    token exactly.

    Examples
    --------
    >>> from idinf.transformers import reference
    >>> reference.name_next_symbols(build_two_layers(3), write_prompt(3, (2, 0, 1), 1))[-1]
    ('0',)
    """
    one, found, answer = 2 * m + 1, 2 * m + 2, 2 * m + 3
    width = 2 * m + 4
    looked_up = Head(
        K=_rows(width, *({_index(m, k): 1} for k in range(m)), {one: 1}),
        Q=_rows(width, *({_value(k): 1} for k in range(m)), {one: -1}),
        V=_write(width, found, {_value(k): k for k in range(m)}),
    )
    taken_over = Head(
        K=_rows(width, {_index(m, m): 1, one: -1}),
        Q=_rows(width, {one: 1}),
        V=_write(width, answer, {found: 1}),
    )
    idle = Mlp((), (), ((),) * width, ())
    return _net(m, width, one, [Layer((looked_up,), idle), Layer((taken_over,), idle)], answer)


def build_one_layer(m: int) -> CausalTransformer:
    """Build the net that reads everything in one layer, with one head that writes one coordinate.

    Token j of z_1 has weight N^j, and z_0 has N^m, the rest N^0 and the value 0. So the average is
    Σ N^j x_j / Σ N^j, which tells all x apart.

    Examples
    --------
    >>> from idinf.transformers import reference
    >>> reference.name_next_symbols(build_one_layer(2), write_prompt(2, (1, 0), 1))[-1]
    ('0',)
    >>> build_one_layer(2).num_units
    5
    """
    length, one, mean, answer = m + 3, 2 * m + 1, 2 * m + 2, 2 * m + 3
    width = 2 * m + 4
    head = Head(
        K=_rows(width, {_index(m, k): k for k in range(m + 1)}),
        Q=_rows(width, {one: 1}),
        V=_write(width, mean, {_value(k): k for k in range(m)}),
    )
    total = sum(length**k for k in range(m + 1)) + 2  # with $ and the query
    steps, before = [], 0
    for digits in itertools.product(range(m), repeat=m + 1):  # the first is z_0, the last z_1(0)
        z0, map_ = digits[0], digits[:0:-1]
        if map_[z0] != before:
            number = sum(x * length**k for k, x in enumerate((*map_, z0)))
            steps.append((number, map_[z0] - before))
            before = map_[z0]
    # The unit of a number fires if mean·total > number − 1/2.
    mlp = Mlp(
        _rows(width, *({mean: 2 * total} for _ in steps)),
        vector(1 - 2 * number for number, _ in steps),
        tuple(vector(change if row == answer else 0 for _, change in steps) for row in range(width)),
        (Activation.HEAVISIDE,) * len(steps),
    )
    return _net(m, width, one, [Layer((head,), mlp)], answer)


def _value(k: int) -> int:
    """The coordinate of a token that is the number k."""
    return k


def _index(m: int, k: int) -> int:
    """The coordinate of the place of z_1(k), and of that of z_0 for k = m."""
    return m + k


def _net(m: int, width: int, one: int, layers: list[Layer], answer: int) -> CausalTransformer:
    """What both nets share: tokens and places by a coordinate each, and the row of v is 2 v answer − v²."""
    alphabet = build_alphabet(m)
    embedding = _rows(width, {}, *({_value(k): 1} for k in range(m)), {})
    places = ({one: 1}, *({_index(m, k): 1, one: 1} for k in range(m + 1)), {one: 1})
    unembedding = _rows(width, *({answer: 2 * v, one: -v * v} for v in range(m)))
    output = NextOutput(Answer.SYMBOL, alphabet.symbols[:m], tuple(range(m)))
    return CausalTransformer(
        alphabet, 0, embedding, _rows(width, *places), tuple(layers), unembedding, output=output
    )


def _rows(width: int, *rows: _Entries) -> Matrix:
    return tuple(sparse_row(width, row) for row in rows)


def _write(width: int, coordinate: int, entries: _Entries) -> Matrix:
    """A matrix V that writes one coordinate."""
    return _rows(width, *(entries if row == coordinate else {} for row in range(width)))
