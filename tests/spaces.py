"""Small spaces for quick tests, by few sizes and without a budget of work."""

import itertools

from idinf.space.structures import order_structures
from idinf.spec.bounds import SpaceBounds

_NARROW = {"layers": 4, "heads": 1, "units": 2, "precision": 2, "max_r": 10.5, "work": None}
_PLAIN = {"period": 1, "reach": 0, "logit_max": 0, "content_max": 0}

#: What attention may depend on, beside `_PLAIN`.
_MORE = {
    "nope": {},
    "local": {"reach": 2, "logit_max": 1},
    "periodic": {"period": 4},
    "full": {"heads": 2, "period": 4, "reach": 2, "logit_max": 1, "content_max": 1},
}


def small_space(kind="nope", **bounds):
    """A space of a kind, with some bounds replaced."""
    return SpaceBounds(**{**_NARROW, **_PLAIN, **_MORE[kind], **bounds})


def list_structures(space, high):
    """All structures of a space with a floor of at most some R, in the order of a search."""
    headless = (space.headless(high, period) for period in range(1, space.bounds.period + 1))
    shapes = itertools.chain(*headless, space.shapes(high))
    found = itertools.chain.from_iterable(space.with_patterns(shape, high) for shape in shapes)
    return order_structures((structure for _, structure in found), space.aggregate, high)
