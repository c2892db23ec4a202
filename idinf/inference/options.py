"""What is asked of many targets alike: the options of a command line or a call, before a spec is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.spec import Spec
from idinf.inference.run import MAX_RULE, KnownHypothesis, RunSettings
from idinf.report.value import Regularizer


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What is asked about any target; None: what its spec says, or the default.

    Attributes
    ----------
    max_n : int or None
    preset : str or None
    bounds : mapping of str to int, float or None
        By their names in a spec.
    regularizer : Regularizer
    anneal_steps : int or None
    proves : bool
    """

    max_n: int | None = None
    preset: str | None = None
    bounds: Mapping[str, int | float | None] = field(default_factory=dict)
    regularizer: Regularizer = MAX_RULE
    anneal_steps: int | None = None
    proves: bool = True

    def space(self, spec: Spec) -> SpaceBounds:
        """Give the space in which a target is searched.

        Raises
        ------
        UnsupportedBoundError
            If a bound cannot be had.
        """
        return spec.space.overridden(preset=self.preset, **self.bounds)

    def about(self, spec: Spec, source: str, given: tuple[KnownHypothesis, ...] = ()) -> RunSettings:
        """Ask it about a spec; parameters and errors as of `RunSettings.of`."""
        return RunSettings.of(
            spec,
            source,
            self.space(spec),
            self.max_n,
            self.regularizer,
            given,
            self.anneal_steps,
            self.proves,
        )
