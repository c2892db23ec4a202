"""The shipped specs by name, and any spec by path."""

from __future__ import annotations

import difflib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from idinf.errors import SpecError
from idinf.spec.experiment import Spec
from idinf.spec.reader import parse_spec, read_spec

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["load", "names"]


def load(name_or_path: str) -> Spec:
    """Load a shipped spec by its bare name, or a file by its path.

    Parameters
    ----------
    name_or_path : str
        Anything with a path separator or the ending ``.toml`` is a file; the rest is a name.

    Raises
    ------
    SpecError
        If there is no such target or file, or the spec is wrong.

    Examples
    --------
    >>> load("majority").alphabet.symbols
    ('0', '1')
    """
    if name_or_path.endswith(".toml") or "/" in name_or_path or "\\" in name_or_path:
        return read_spec(name_or_path)
    if name_or_path not in names():
        close = difflib.get_close_matches(name_or_path, names(), n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise SpecError(
            f"unknown target {name_or_path!r}; {hint}'idinf targets' lists the names; "
            "the path of a spec ends with .toml"
        )
    file = _folder() / f"{name_or_path}.toml"
    return parse_spec(file.read_bytes().decode("utf-8"), f"specs/{name_or_path}.toml")


def names() -> tuple[str, ...]:
    """Names of the shipped specs, sorted.

    Examples
    --------
    >>> "dyck-1" in names()
    True
    """
    files = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))


@cache
def _folder() -> Traversable:
    """The specs inside an installed package; a checkout keeps them beside the package instead."""
    package = resources.files("idinf")
    inside = package / "specs"
    if inside.is_dir():
        return inside
    beside = Path(str(package)).parent / "specs"
    if beside.is_dir():
        return beside
    raise SpecError("the shipped specs are missing from this installation; install idinf again")
