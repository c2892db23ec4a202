"""Products as a stream of coefficients needs them: of pairs of a set of value matrices and a vector."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from idinf.errors import BudgetError
from idinf.nets.ordinary.integers import IntArray, times
from idinf.nets.ordinary.products import Choice, Products

#: Pairs of a set and a vector, and products of two positions for one head: more would take minutes.
MOST_PAIRS, MOST_PRODUCTS = 2000, 1 << 24


@dataclass(frozen=True, slots=True)
class Pair:
    """M v: the product of a set S of value matrices of layers above that of v, and v."""

    choice: Choice
    vector: int  #: the number of what is written; one more stands for all positions
    born: int  #: the layer that writes v, from 1; 0 for embeddings and positions

    @property
    def top(self) -> int:
        """The layer behind which it first occurs."""
        return max((layer for layer, h in enumerate(self.choice, start=1) if h), default=self.born)


@dataclass(frozen=True, slots=True)
class HeadProducts:
    """α of one head; keys are rows, queries columns, and both are pairs that occur below its layer.

    In units of 2^-(4 + 2L)p.
    """

    alpha: IntArray  #: (pairs, pairs), of p_1 for one position; 0 for two of them
    between: IntArray  #: (position pairs, position pairs, N), by j − i >= 0; 0 where both sets are empty
    phi: IntArray  #: (N,), by j − i >= 0, where both sets are empty


class PairProducts:
    """All pairs of a transformer, β of each with each reader, and α of any two of them for each head.

    Raises
    ------
    BudgetError
        If there are more than `MOST_PAIRS` pairs, or `MOST_PRODUCTS` products of positions.
    """

    def __init__(self, products: Products) -> None:
        self.products = products
        self.pairs = _list_pairs(products)  #: positions last
        self.index = {(pair.choice, pair.vector): k for k, pair in enumerate(self.pairs)}
        self.choices = np.array([pair.choice for pair in self.pairs])  #: (pairs, L)
        self.tops = np.array([pair.top for pair in self.pairs])
        self.first_position = self.index[(0,) * self.choices.shape[1], len(products.written)]
        self._behind = self._list_images()
        self._vectors = np.column_stack([self._behind[p.choice][:, p.vector] for p in self.pairs])
        self.beta = times(products.rows, self._vectors)  #: (readers, pairs), in units of 2^-(2 + L)p

    def _list_images(self) -> dict[Choice, IntArray]:
        """M times all vectors, positions last, for the set of every pair."""
        stacked = np.hstack([self.products.columns, self.products.positions])
        images = {}
        for pair in self.pairs:
            if pair.choice not in images:
                image = stacked
                for layer, chosen in enumerate(pair.choice):
                    image = self.products.apply(layer, chosen, image)
                images[pair.choice] = image
        return images

    def multiply(self, layer: int, head: int) -> HeadProducts:
        """α of a head, both counted from 0."""
        key, query = self.products.keys[layer][head], self.products.queries[layer][head]
        occurs = self.tops <= layer
        keys, first = times(key, self._vectors), self.first_position
        alpha = times(keys.T, times(query, self._vectors)) * np.outer(occurs, occurs)
        alpha[first:, first:] = 0
        N, own = self.products.transformer.context, range(first, len(self.pairs))
        if len(own) ** 2 * N > MOST_PRODUCTS:
            raise BudgetError(
                f"a head has {len(own) ** 2 * N} products of positions; expected at most {MOST_PRODUCTS}; "
                "lift one with a smaller context, or with fewer layers or heads"
            )
        columns = len(self.products.written)
        between = np.stack(
            [
                times(keys[:, first:].T, times(query, self._behind[self.pairs[k].choice][:, columns:]))
                for k in own
            ],
            axis=1,
        )
        between *= np.outer(occurs[first:], occurs[first:])[:, :, None]
        phi = between[0, 0].copy()
        between[0, 0] = 0
        return HeadProducts(alpha, between, phi)


def _list_pairs(products: Products) -> list[Pair]:
    transformer = products.transformer
    born = [0] * len(transformer.embedding)
    for number, layer in enumerate(transformer.layers, start=1):
        born += [number] * len(layer.mlp.b)
    sizes = [len(heads) + 1 for heads in products.values]
    found = []
    for vector, below in enumerate((*born, 0)):
        free = (range(size if number > below else 1) for number, size in enumerate(sizes, start=1))
        for choice in itertools.product(*free):
            found.append(Pair(choice, vector, below))
            if len(found) > MOST_PAIRS:
                raise BudgetError(
                    f"the transformer has more than {MOST_PAIRS} pairs of a vector and value matrices behind "
                    "it; expected fewer; lift one with fewer layers, heads or units"
                )
    return found
