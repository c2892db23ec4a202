"""A grid of tiny spaces: a cell for each bound of the space, and one for each pair of bounds.

In the cell of a bound every structure goes one beyond the largest value of it that any other comparison with
nested loops tries: a third head, a fourth unit. The cell of a pair goes beyond in both. There is little room
above the floor of these structures, so that nested loops end. Targets are drawn at random, and made from nets
of the cell, so that a right hypothesis lies where a fault of the search would be.
"""

import random
from dataclasses import dataclass, field
from functools import lru_cache

from idinf.base.words import Alphabet, words_up_to
from idinf.search.slice_types import Mode
from tests.search.brute_force import Entry, Form, Space, all_answers, fail_of
from tests.search.comparison import compare, run_in
from tests.search.tiny_targets import AB, A, Machine, by_word

#: One beyond what the other comparisons try.
BEYOND = {
    "layers": 4,
    "heads": 3,
    "units": 4,
    "precision": 3,
    "period": 4,
    "reach": 3,
    "logit_max": 3,
    "content_max": 3,
}

#: Bounds of a space without any of them.
LEAST = {"layers": 1, "heads": 1, "units": 1, "period": 1} | dict.fromkeys(
    ("precision", "reach", "logit_max", "content_max"), 0
)


@dataclass(frozen=True)
class Cell:
    """Bounds that its structures reach, the largest R, and what keeps nested loops short.

    ``entries`` is how many entries of M are not 0 at most; ``plans`` are (heads, units) of every layer, by
    default those with all heads in the first or in the last layer; ``max_n`` is the largest n.
    """

    values: dict[str, int]
    max_r: float
    alphabet: Alphabet = A
    entries: int | None = None
    plans: tuple[tuple[tuple[int, int], ...], ...] | None = None
    max_n: int = 3
    more: dict[str, int] = field(default_factory=dict)  #: bounds that it may reach, too
    #: Not where φ² leaves cheaper patterns much room, which no structure of the cell has.
    judged: bool = True

    @property
    def space(self) -> Space:
        """The structures that reach each bound, and no other ones."""
        most = LEAST | self.more | self.values
        if "reach" in self.values:
            most["logit_max"] = max(1, most["logit_max"])
        most["logit_max"] = max(most["logit_max"], most["content_max"])
        wide = most["heads"], most["units"]
        rest = ((0, 1),) * (most["layers"] - 1)
        return Space(
            **most,
            max_r=self.max_r,
            shapes=self.plans or tuple(dict.fromkeys(((wide, *rest), (*rest, wide)))),
            periods=(most["period"],),
            precisions=(most["precision"],),
            only=self._reaches,
            entries=self.entries,
        )

    def _reaches(self, forms: tuple[Form, ...]) -> bool:
        """Whether φ and M, over all heads, go as far and as high as the cell says."""
        one = 1 << self.values.get("precision", 0)
        patterns = [pattern for each, _ in forms for pattern in each]
        largest = {
            "reach": max((pattern.reach for pattern in patterns), default=0),
            "logit_max": max((-(-max(p.phi) // one) for p in patterns if p.phi), default=0),
            "content_max": max((-(-max(map(max, p.logits)) // one) for p in patterns if p.logits), default=0),
        }
        return all(largest[name] == value for name, value in self.values.items() if name in largest)


def _cell(max_r: float, *names: str, **more) -> Cell:
    """The cell of some bounds, at one beyond each unless a smaller value is given."""
    values = {name: more.pop(name, BEYOND[name]) for name in names}
    return Cell(values, max_r, **more)


_TWO = {"alphabet": AB, "max_n": 2}
_LOCAL = {"reach": 1, "logit_max": 1}
_FIRST = (((1, 1), (0, 1), (0, 1), (0, 1)),)

#: Every bound alone; the heads with any patterns, so that all denominators differ.
SINGLE = {
    "layers": _cell(11.0, "layers", **_TWO, plans=_FIRST),
    "layers-last": _cell(11.0, "layers", **_TWO, plans=(((0, 1), (0, 1), (0, 1), (1, 1)),)),
    "layers-with-heads": _cell(11.0, "layers", **_TWO, plans=(((1, 1),) * 4,)),
    "heads": _cell(11.5, "heads", **_TWO, more={"precision": 1, **_LOCAL}),
    "units": _cell(10.5, "units", **_TWO),
    "units-headless": _cell(7.75, "units", **_TWO, plans=(((0, 4),),)),
    "precision": _cell(10.4, "precision"),
    "period": _cell(14.25, "period"),
    "reach": _cell(12.0, "reach"),
    "logit_max": _cell(18.5, "logit_max", **_TWO),
    "content_max": _cell(12.0, "content_max", **_TWO, entries=2),
}

#: Every pair of bounds. Less than one beyond both where nested loops would take minutes.
PAIRS = {
    "layers-heads": _cell(12.74, "layers", "heads", layers=3, plans=(((3, 1), (0, 1), (0, 1)),)),
    "layers-units": _cell(12.0, "layers", "units", **_TWO,
        plans=(((1, 4), (0, 1), (0, 1), (0, 1)), ((0, 4), (0, 1), (0, 1), (1, 1)))),
    "layers-precision": _cell(10.5, "layers", "precision", layers=3, precision=1, **_TWO),
    "layers-period": _cell(16.0, "layers", "period", plans=_FIRST),
    "layers-reach": _cell(12.0, "layers", "reach", **_TWO),
    "layers-logit_max": _cell(20.0, "layers", "logit_max", **_TWO, plans=_FIRST),
    "layers-content_max": _cell(14.0, "layers", "content_max", **_TWO, plans=_FIRST, entries=1),
    "heads-units": _cell(12.5, "heads", "units", units=3),
    "heads-precision": _cell(12.95, "heads", "precision"),
    "heads-period": _cell(15.9, "heads", "period"),
    "heads-reach": _cell(12.25, "heads", "reach"),
    "heads-logit_max": _cell(20.25, "heads", "logit_max"),
    "heads-content_max": _cell(13.75, "heads", "content_max", entries=1),
    "units-precision": _cell(10.3, "units", "precision", units=3, precision=2),
    "units-period": _cell(15.4, "units", "period"),
    "units-reach": _cell(11.6, "units", "reach"),
    "units-logit_max": _cell(19.5, "units", "logit_max", **_TWO),
    "units-content_max": _cell(13.0, "units", "content_max", **_TWO, entries=1),
    "precision-period": _cell(15.15, "precision", "period"),
    "precision-reach": _cell(10.25, "precision", "reach"),
    "precision-logit_max": _cell(14.75, "precision", "logit_max", **_TWO),
    "precision-content_max": _cell(10.75, "precision", "content_max", precision=2, content_max=2, entries=1),
    "content_max-precision": _cell(10.35, "precision", "content_max", content_max=1),
    "period-reach": _cell(14.75, "period", "reach"),
    "period-logit_max": _cell(22.5, "period", "logit_max", judged=False),
    "period-content_max": _cell(13.5, "period", "content_max", period=2, content_max=2, entries=1),
    "reach-logit_max": _cell(19.0, "reach", "logit_max"),
    "reach-content_max": _cell(12.5, "reach", "content_max", **_TWO, entries=1),
    "logit_max-content_max": _cell(20.5, "logit_max", "content_max", **_TWO, entries=1),
}  # fmt: skip

#: Three heads with two and three different denominators, in the first and in the last of two layers, and two
#: units that read them.
HEADS = {
    "heads-three-totals": _cell(11.74, "heads", more={"precision": 1, **_LOCAL}),
    "heads-below": _cell(12.74, "heads", plans=(((3, 1), (0, 1)),), more={"layers": 2, **_LOCAL}),
    "heads-above": _cell(12.74, "heads", "logit_max", logit_max=1, plans=(((0, 1), (3, 1)),),
        more={"layers": 2, "reach": 1}),
    "heads-two-units": _cell(12.0, "heads", plans=(((3, 2),),), more={"units": 2, **_LOCAL}),
}  # fmt: skip

CELLS = SINGLE | PAIRS | HEADS


@lru_cache(maxsize=1)
def _answers(name: str) -> list[Entry]:
    cell = CELLS[name]
    return all_answers(cell.space, cell.alphabet, 2 * cell.max_n)


def targets(name: str, from_nets: int, at_random: int, seed: int = 0) -> list[Machine]:
    """Targets made from nets of a cell, and random ones, by what they say of all words up to 2 · max_n."""
    cell, rng = CELLS[name], random.Random(f"{name} {seed}")
    words = list(words_up_to(len(cell.alphabet), 2 * cell.max_n))
    functions = sorted({entry.answers for entry in _answers(name) if len(set(entry.answers)) == 2})
    chosen = rng.sample(functions, min(from_nets, len(functions)))
    chosen += [tuple(rng.random() < 0.5 for _ in words) for _ in range(at_random)]
    labels = [dict(zip(words, answers, strict=True)) for answers in chosen]
    return [by_word(cell.alphabet, lambda word, of=each: of.get(word, False)) for each in labels]


def check(name: str, target: Machine) -> None:
    """Compare a run in a cell with what follows from all hypotheses of it."""
    cell = CELLS[name]
    words = list(words_up_to(len(cell.alphabet), 2 * cell.max_n))
    labels = [target.label(word) for word in words]
    entries = [fail_of(entry, words, labels) for entry in _answers(name)]
    run = run_in(cell.space, target, cell.max_n, mode=Mode(use_patterns_as_costs=cell.judged))
    compare(run, [entry for entry in entries if entry.fail is None or entry.fail > 1], target, cell.max_r)
