"""Readings: the ways to read the paper, each as settings of a run beside the usual ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from idinf.base.quoting import list_some, quote
from idinf.errors import ArgumentError
from idinf.inference.settings import Settings
from idinf.nets.regularizer import Aggregate
from idinf.spec.bounds import LENGTHS, LOGITS, ZERO, HypothesisClass
from idinf.spec.spec import Answer, Spec


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the paper."""

    name: str
    changes: Mapping[str, object] = field(default_factory=dict)  #: fields of `Settings`
    bounds: Mapping[str, str] = field(default_factory=dict)  #: fields of `SpaceBounds`

    @property
    def _is_whole(self) -> bool:
        """Whether hypotheses of any size are selected from."""
        return "hypothesis_class" in self.changes

    def settings(self, asked: Settings) -> Settings:
        """The settings of a run in this reading, where others are asked.

        Examples
        --------
        >>> READINGS[1].settings(Settings.of(max_n=8)).bounds
        {'threshold': 'zero'}
        """
        if self._is_whole:  # of any size, so no other bound is one of the class
            kept = {key: value for key, value in asked.bounds.items() if key == "max_r"}
            asked = replace(asked, space=None, anneal_steps=None, bounds=kept)
        return replace(asked, bounds={**asked.bounds, **self.bounds}, **self.changes)  # type: ignore[arg-type]

    def is_about(self, spec: Spec) -> bool:
        """Whether it is a way to read the procedure on a target: some are about acceptance alone."""
        return spec.answer is Answer.ACCEPT or not (self.bounds or self._is_whole)


#: Every reading, the usual one first.
READINGS = (
    Reading("one-hot"),
    Reading("threshold zero", bounds={"threshold": ZERO}),
    Reading("logits", bounds={"match": LOGITS}),
    Reading("theta", {"hypothesis_class": HypothesisClass.THETA.value}),
    Reading("limit", {"hypothesis_class": HypothesisClass.LIMIT.value}),
    Reading("sum", {"aggregate": Aggregate.SUM.value}),
    Reading("tolerance 0", {"tolerance": 0.0}),
    Reading("tolerance 1/2", {"tolerance": 0.5}),
    Reading("lengths of the paper", {"lengths": LENGTHS[1]}),
)

#: In place of the names of all readings.
ALL = "all"


def choose_readings(names: Sequence[str]) -> tuple[Reading, ...]:
    """Take the readings of some names, in their order; the usual one if there are none.

    Examples
    --------
    >>> [reading.name for reading in choose_readings(["theta"])], len(choose_readings(["all"]))
    (['theta'], 9)
    """
    if list(names) == [ALL]:
        return READINGS
    known = {reading.name: reading for reading in READINGS}
    for name in names:
        if name not in known:
            raise ArgumentError(
                f"reading {quote(name)}; expected {ALL}, or of: {list_some(known, ', ')}; name one"
            )
    return tuple(known[name] for name in names) or READINGS[:1]
