"""idinf: an exact simulator of the idealized inference procedure for length generalization.

The names below are what most users need; `idinf.crasp`, `idinf.nets`, `idinf.lab` and `idinf.errors` have
the rest, and everything else is private. What the command line does, one call does here, with the same
defaults. Each name is loaded when it is asked for, so ``import idinf`` costs next to nothing.

Examples
--------
>>> import idinf
>>> report = idinf.identify("majority", max_n=8)
>>> report.n0, report.selected.formula
(3, 'accept iff #1 - #0 >= 0')
>>> "ab" in idinf.target("dyck-1")
True
"""

import importlib

from idinf.base import lazy_exports

#: The modules that have public names, too.
_MODULES = ("crasp", "errors", "lab", "nets")


def __getattr__(name: str) -> object:
    """Load a public name when it is asked for first."""
    return importlib.import_module(f"idinf.{name}") if name in _MODULES else lazy_exports.load(__name__, name)


def __dir__() -> list[str]:
    return list(lazy_exports.places(__name__))
