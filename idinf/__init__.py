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
import re
from functools import cache
from pathlib import Path

#: The modules that have public names, too.
_MODULES = ("crasp", "errors", "lab", "nets")

_PUBLIC = re.compile(r"^from (\S+) import (\w+) as (\w+)$", re.MULTILINE)


@cache
def _places() -> dict[str, tuple[str, str]]:
    """The public names with their modules, and what they are called there: those of the stub beside."""
    stub = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    return {name: (module, attribute) for module, attribute, name in _PUBLIC.findall(stub)}


def __getattr__(name: str) -> object:
    """Load a public name when it is asked for first."""
    if name == "__all__":
        return sorted(_places())
    if name in _MODULES:
        return importlib.import_module(f"idinf.{name}")
    if name not in _places():
        raise AttributeError(f"module 'idinf' has no attribute {name!r}")
    module, attribute = _places()[name]
    value: object = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_places())
