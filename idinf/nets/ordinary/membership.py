"""Whether an ordinary transformer is in the class Θ_N that the paper's procedure selects from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from idinf.errors import HypothesisFormatError
from idinf.nets.causal_transformer import CausalTransformer
from idinf.nets.ordinary.integers import IntArray, times
from idinf.nets.ordinary.products import Products, list_distinct, show_set


@dataclass(frozen=True, slots=True)
class Variant:
    """A product that is not translation invariant: two places where it should have one value."""

    name: str  #: α or β with what it is about
    places: tuple[str, str]
    values: tuple[Fraction, Fraction]

    def __str__(self) -> str:
        (one, other), (first, second) = self.places, self.values
        return f"{self.name} is {first} at {one} and {second} at {other}"


def find_variant(products: Products) -> Variant | None:
    """Find the first product with positions that is not translation invariant; None in Θ_N.

    β comes first, by S, row and position, then α by layer, head, S1, S2 and vectors, small sets first. Sets
    that act alike on all vectors are looked at once, as the first of them. Exact; for each head and each pair
    of sets that its keys and queries tell apart O(r N²) integer operations.

    Notes
    -----
    Implements item 3 of Definition 46 of [HYB25], which is Definition 4: a product with one position vector
    is the same for all of them, and α(S1, S2, p_i, p_j) depends on j − i alone, for all pairs, not only for
    those that a causal query meets. Its other two items hold of every `CausalTransformer`.

    Examples
    --------
    One position vector for each place, which U reads:

    >>> from idinf.nets.dense import Layer, Mlp, matrix
    >>> from idinf.base.words import Alphabet
    >>> layer, one = Layer((), Mlp((), (), ((),), ())), matrix([[1]])
    >>> net = CausalTransformer(Alphabet(("a",)), 0, matrix([[0], [1]]), matrix([[0], [1]]), (layer,), one)
    >>> str(find_variant(Products(net)))
    'β(S = {}, U row 1, p_i) is 0 at i = 1 and 1 at i = 2'
    """
    return next(_variants(products), None)


def check_membership(transformer: CausalTransformer) -> None:
    """Refuse what is outside of Θ_N.

    Raises
    ------
    HypothesisFormatError
        Names the first product that is not translation invariant.
    """
    variant = find_variant(Products(transformer))
    if variant is not None:
        raise HypothesisFormatError(
            f"{variant}; expected a translation invariant product (Definition 4); let attention carry "
            "positions, as 'idinf net translate' does"
        )


def _variants(products: Products) -> Iterator[Variant]:
    transformer, images = products.transformer, products.list_images()
    N, bits = transformer.context, (2 + transformer.depth) * transformer.precision
    for choice, image in images:
        values = times(products.rows, image[:, :N])
        if (found := _first(values[:, 1:] != values[:, :1])) is not None:
            row, place = found
            name = f"β(S = {show_set(choice)}, {products.readers[row]}, p_i)"
            yield _variant(name, "i", place, values[row], bits)
    for layer, heads in enumerate(products.keys):
        for head, key in enumerate(heads):
            query = products.queries[layer][head]
            asked = list_distinct([(choice, times(query, image)) for choice, image in images])
            for left, K in list_distinct([(choice, times(key, image)) for choice, image in images]):
                for right, Q in asked:
                    sets = f"S1 = {show_set(left)}, S2 = {show_set(right)}"
                    about = f"α(l = {layer + 1}, h = {head + 1}, {sets}"
                    yield from _variants_of(about, times(K.T, Q), products)


def _variants_of(about: str, values: IntArray, products: Products) -> Iterator[Variant]:
    """Of one head and two sets; rows of values are keys, columns queries, positions first."""
    N, bits, written = products.transformer.context, products.bits, products.written
    if (found := _first((values[1:N, N:] != values[:1, N:]).T)) is not None:
        other, place = found
        yield _variant(f"{about}, p_i, {written[other]})", "i", place, values[:N, N + other], bits)
    if (found := _first(values[N:, 1:N] != values[N:, :1])) is not None:
        other, place = found
        yield _variant(f"{about}, {written[other]}, p_j)", "j", place, values[N + other, :N], bits)
    if (found := _first(values[1:N, 1:N] != values[: N - 1, : N - 1])) is not None:
        i, j = found
        places = (f"i, j = {i + 1}, {j + 1}", f"i, j = {i + 2}, {j + 2}")
        pair = (_exact(values[i, j], bits), _exact(values[i + 1, j + 1], bits))
        yield Variant(f"{about}, p_i, p_j)", places, pair)


def _first(differs: IntArray) -> tuple[int, int] | None:
    """The first place, row by row, where an array of truth values is true."""
    places = differs.nonzero()
    return (int(places[0][0]), int(places[1][0])) if len(places[0]) else None


def _variant(name: str, index: str, place: int, values: IntArray, bits: int) -> Variant:
    """A product with one position that is another at ``place`` + 2 than at 1."""
    pair = (_exact(values[0], bits), _exact(values[place + 1], bits))
    return Variant(name, (f"{index} = 1", f"{index} = {place + 2}"), pair)


def _exact(value: int, bits: int) -> Fraction:
    return Fraction(int(value), 1 << bits)
