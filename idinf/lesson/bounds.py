"""The bounds of a run for people who wait: a class before a screen, or one reader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from idinf.inference.settings import KnownHypothesis, RunSettings, Settings
from idinf.spec.bounds import SpaceBounds
from idinf.spec.catalogue import find_source
from idinf.spec.spec import Spec

#: Small enough that the shipped targets take seconds; a spec with smaller bounds keeps them.
MAX_N, MAX_R = 16, 10.0

#: Layers of a spec that suggests no space of its own: a whole preset takes minutes.
MAX_LAYERS = 2

#: Seconds after which a class has waited long enough; the shipped targets take a tenth of it.
TIME_LIMIT_S = 60.0

#: Where the first step of a search ends, and how far each of the following goes. Below there are nets of one
#: layer alone, which take a moment.
FIRST_STEP, STEP = 8.5, 0.5


def names_no_bounds(spec: Spec) -> bool:
    """True if a spec suggests no space of its own, so that it is searched up to `MAX_LAYERS`."""
    return not spec.space.restrictions


def small_settings(
    spec: Spec,
    max_n: int | None = None,
    max_r: float | None = None,
    known: tuple[KnownHypothesis, ...] = (),
) -> RunSettings:
    """Ask about a spec within bounds that take seconds, unless others are given; hypotheses may be known.

    >>> from idinf.spec.catalogue import load
    >>> asked = small_settings(load("parity"), max_n=64)
    >>> asked.max_n, asked.bounds.max_r
    (64, 10.0)
    """
    bounds = spec.space.overridden(max_r=min(MAX_R, spec.space.max_r) if max_r is None else max_r)
    if names_no_bounds(spec):
        bounds = bounds.overridden(layers=MAX_LAYERS)
    most_n = min(MAX_N, spec.max_n) if max_n is None else max_n
    settings = Settings(max_n=most_n, asks_smaller=False).about(spec, find_source(spec), known)
    return replace(settings, bounds=bounds)


def in_steps(settings: RunSettings) -> Iterator[RunSettings]:
    """Ask the same up to a little R, then up to more, and at last up to all of it.

    Each step has a whole report, so records appear before the end. A step takes several times as long as all
    before it, so they cost little.

    >>> from idinf.spec.catalogue import load
    >>> [step.bounds.max_r for step in in_steps(small_settings(load("majority")))]
    [8.5, 9.0, 9.5, 10.0]
    """
    bounds, r = settings.bounds, FIRST_STEP
    assert isinstance(bounds, SpaceBounds)
    while r < bounds.max_r:
        yield replace(settings, bounds=bounds.overridden(max_r=r))
        r += STEP
    yield settings
