"""What ships with idinf, by name."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idinf.crasp import library
from idinf.experiments import catalogue
from idinf.experiments.spec import Spec
from idinf.library.sources import values_from


def target_names() -> tuple[str, ...]:
    """List the shipped targets, families among them, sorted.

    Examples
    --------
    >>> "dyck-1" in target_names(), "ge-k-j" in target_names()
    (True, True)
    """
    return tuple(sorted((*catalogue.names(), *catalogue.family_names())))


def program_names() -> tuple[str, ...]:
    """List the shipped C-RASP programs, sorted.

    Examples
    --------
    >>> "majority" in program_names()
    True
    """
    return library.names()


def load_spec(source: str | os.PathLike[str], *, values: Mapping[str, int] | None = None) -> Spec:
    """Load a shipped spec by name, or any by path.

    Parameters
    ----------
    source : str or path
    values : mapping, optional
        The values that choose a member of a family.

    Raises
    ------
    SpecError
        If there is none, or it is wrong.

    Examples
    --------
    >>> load_spec("majority").max_n, load_spec("ge-k-j", values={"k": 3, "j": 2}).name
    (64, 'ge-3-2')
    """
    return catalogue.load(os.fspath(source), values_from(values))
