"""C-RASP programs. To users it offers calls that take, compile and write programs, and read them out of nets.

Each is loaded when it is asked for first, as its module stands far above this room.

Examples
--------
>>> import idinf
>>> idinf.crasp.compile('accept = # "0" <= # "1"').formula
'accept iff #1 - #0 >= 0'
"""

import importlib
from typing import Any

#: The public names, and what they are called where they are defined.
_CALLS = {
    "compile": "compile_source",
    "decompile": "decompile",
    "induction_head": "induction_head",
    "program": "program",
    "synthesize": "synthesize",
}

__all__ = sorted(_CALLS)


def __getattr__(name: str) -> Any:
    """Load a public name when it is asked for first."""
    if name not in _CALLS:
        raise AttributeError(f"module 'idinf.crasp' has no attribute {name!r}")
    return getattr(importlib.import_module("idinf.library.programs"), _CALLS[name])
