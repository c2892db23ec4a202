"""C-RASP: programs as values, compiled to hypotheses and read out of them, and what they are made of.

Each name below is loaded when it is asked for.

Examples
--------
>>> from idinf import crasp
>>> net = crasp.compile("majority")
>>> print(net.formula, crasp.diff(net, 'accept = # "1" >= # "0"').equal)
accept iff #1 - #0 >= 0 True
"""

from __future__ import annotations

import importlib
from typing import Any

#: The public names: where each is, and what it is called there.
_PLACES = {
    "Program": "languages:Program",
    "compile": "programs:compile_source",
    "decompile": "programs:decompile",
    "diff": "reports:diff",
    "induction_head": "programs:induction_head",
    "program": "programs:program",
    "program_names": "sources:program_names",
    "synthesize": "programs:synthesize",
}

__all__ = [*_PLACES]


def __getattr__(name: str) -> Any:
    """Load a public name when it is asked for first."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, own = _PLACES[name].partition(":")
    value = getattr(importlib.import_module(f"idinf.library.{module}"), own)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
