"""Public names: each is loaded from its module when it is first used.

A package that has some lists them in the stub beside its ``__init__.py``, which is also what type checkers
read, and takes `load` for its ``__getattr__``. So no name is written twice, and an import costs next to
nothing.
"""

from __future__ import annotations

import importlib
import re
import sys
from functools import cache
from pathlib import Path

_PUBLIC = re.compile(r"^from (\S+) import (\w+) as (\w+)$", re.MULTILINE)


@cache
def places(package: str) -> dict[str, tuple[str, str]]:
    """The public names of a package with their modules, and their names there."""
    file = sys.modules[package].__file__
    assert file is not None
    stub = Path(file).with_suffix(".pyi").read_text(encoding="utf-8")
    return {
        name: (module, attribute)
        for module, attribute, name in sorted(_PUBLIC.findall(stub), key=lambda each: each[2])
    }


def load(package: str, name: str) -> object:
    """A public name of a package; AttributeError if it has no such one."""
    if name == "__all__":
        return list(places(package))
    if name not in places(package):
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    module, attribute = places(package)[name]
    value: object = getattr(importlib.import_module(module), attribute)
    setattr(sys.modules[package], name, value)
    return value
