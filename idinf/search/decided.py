"""Exact fail lengths of hypotheses, each function decided once: by words up to some length, then by a proof.

A hypothesis that is right on all words costs the exact check the most, since nothing ends it before the
horizon. A proof that it is right on words of every length costs the same whatever the horizon is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import numpy as np

from idinf.errors import StatesExceeded
from idinf.nets.one_hot import OneHotTransformer
from idinf.search.exact_check.frontier import DEFAULT_MAX_STATES
from idinf.search.exact_check.nets import Nets
from idinf.search.exact_check.reachability import fail_lengths
from idinf.search.lower_layers.normal_form import normal_forms
from idinf.space.grid import IntArray
from idinf.targets.machine import Target
from idinf.work.parallel import Learned

#: Says whether a hypothesis is proved right on words of every length; it may raise to stop, by the second.
Prove: TypeAlias = Callable[[OneHotTransformer, Callable[[], None]], bool]


@dataclass(eq=False)
class FailLengths:
    """Decides fail lengths against one target. Mutable: it remembers.

    Exact: nets with equal normal forms in all layers are one function (`normal_forms`), so what is known of
    one holds for the other, and a proof holds for all lengths.
    """

    target: Target
    prove: Prove | None = None  #: without it words decide everything
    #: Up to which length words are compared before a proof, of nets without lower units and of all others:
    #: about what takes the time of a proof. With a horizon below twice that, words decide everything.
    flat: int = 16
    deep: int = 128
    failures: int = 8  #: how often a proof may be looked for in vain before none is any more
    remembered: int = 1 << 14  #: functions, at most
    #: Of each function its fail length, or −1 and up to which length it is right.
    known: Learned[bytes, tuple[int, float]] = field(default_factory=Learned)

    def decide(
        self,
        nets: Nets,
        hypothesis: Callable[[int], OneHotTransformer],
        horizon: int,
        max_states: int = DEFAULT_MAX_STATES,
        checkpoint: Callable[[], None] = lambda: None,
        use_proofs: bool = True,
    ) -> IntArray:
        """Fail length of each of the N hypotheses, (N,), −1 if there is none up to ``horizon``; exact.

        ``hypothesis`` writes the one at a place; it is called where a proof is looked for. The checkpoint is
        called several times for every length; it may raise to stop. Raises StatesExceeded as `fail_lengths`,
        for what is not proved.
        """
        if len(self.known) > self.remembered:
            self.known.clear()
        names = name_functions(nets)
        by_words = partial(self._by_words, nets, names, max_states=max_states, checkpoint=checkpoint)
        first = self.deep if nets.lower else self.flat
        if use_proofs and self.prove is not None and 2 * first <= horizon:
            with suppress(
                StatesExceeded
            ):  # words up to the horizon have no fewer states, and it is told there
                by_words(first)
                for place in self._open(names, horizon):
                    if self.failures <= 0:
                        break
                    if self.prove(hypothesis(place), checkpoint):
                        self.known[names[place]] = -1, math.inf
                    else:
                        self.failures -= 1
        by_words(horizon)
        fails = np.array([self.known[name][0] for name in names], dtype=np.int64)
        return np.where(fails <= horizon, fails, -1)

    def _open(self, names: Sequence[bytes], length: int) -> list[int]:
        """Places of the functions of which it is not known whether they are right up to a length."""
        facts = (self.known.get(name, (-1, -1)) for name in names)
        return [place for place, (fail, right) in enumerate(facts) if fail < 0 and right < length]

    def _by_words(
        self,
        nets: Nets,
        names: Sequence[bytes],
        length: int,
        max_states: int,
        checkpoint: Callable[[], None],
    ) -> None:
        """Decide, by all words up to a length, what is not known yet."""
        places = self._open(names, length)
        if places:
            chosen = nets.take(np.array(places))
            fails = fail_lengths(self.target, chosen, length, max_states, checkpoint).tolist()
            for place, fail in zip(places, fails, strict=True):
                self.known[names[place]] = fail, length


def name_functions(nets: Nets) -> list[bytes]:
    """A name of each of the N hypotheses; those of one name are proved to be one function."""
    tokens, period, number = nets.symbols + 1, nets.period, len(nets)
    parts = [repr((tokens, period, nets.precision, nets.answer, nets.signs.shape[1:])).encode()]
    for layer in nets.lower:
        forms = normal_forms(layer.units, layer.heads, tokens, period)
        parts += [repr((layer.heads, forms.shape)).encode(), forms.tobytes()]
    parts.append(repr(nets.top.heads).encode())
    top = normal_forms(nets.top.units, nets.top.heads, tokens, period).reshape(number, -1)
    rows = np.concatenate([top, nets.signs.reshape(number, -1), nets.threshold[:, None]], axis=1)
    return [b"".join([*parts, row.tobytes()]) for row in rows]
