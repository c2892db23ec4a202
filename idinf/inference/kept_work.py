"""The directory of a run: what finished work depends on, and the journals that hold it."""

from __future__ import annotations

import hashlib
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from idinf.errors import RunDirectoryError
from idinf.experiments.bounds import WholeClass
from idinf.files import show_path
from idinf.inference.run import JournalOf
from idinf.inference.settings import RunSettings
from idinf.search.found import STORED
from idinf.version import __version__

if TYPE_CHECKING:
    from idinf.runtime.journal import Journal


def keep_journals(settings: RunSettings, directory: str | Path | None, resume: bool) -> JournalOf:
    """Say where the finished work of a run is kept: at a larger ``max_n`` N in a directory ending in ``-N``.

    That of a smaller space has ``-smaller`` before it, and of a second one ``-smaller2``. ``directory`` is
    that of the first space and ``max_n``; None: nothing is kept. To resume, it may hold work of this question
    already.

    Raises
    ------
    RunDirectoryError
        When a journal is opened, if its directory cannot be used for this question.
    """
    if directory is not None and isinstance(settings.bounds, WholeClass):
        raise RunDirectoryError(
            f"run directory {show_path(str(directory))} with class = {settings.bounds.preset}; expected "
            "none, as such a run keeps nothing; leave it out"
        )
    if directory is None:
        return lambda asked: nullcontext()

    from idinf.runtime.journal import Journal

    spaces = settings.bounds, *settings.smaller

    def journal_of(asked: RunSettings) -> Journal:
        first, number = Path(directory), spaces.index(asked.bounds)
        name = first.name + (f"-smaller{number if number > 1 else ''}" if number else "")
        if asked.max_n != settings.max_n:
            name += f"-{asked.max_n}"
        place = first if name == first.name else first.with_name(name)
        return Journal(place, run_identity(asked), resume, STORED)

    return journal_of


def run_identity(settings: RunSettings) -> dict[str, object]:
    """Everything the work of a run depends on. Limits, budgets of work and processes are not among it."""
    from idinf.runtime.program import digest_sources  # most runs keep nothing

    spec = settings.spec
    language = f"{spec.kind}\n{spec.mode}\n{spec.text}"
    if spec.mode != "accept" or spec.domain is not None:
        language += f"\n{spec.answer}\n{spec.next}\n{spec.domain}\n{spec.judged}"
    bounds = settings.bounds.to_dict()
    bounds.pop("work", None)
    threshold = getattr(settings.bounds, "threshold", None)
    return {
        "idinf_version": __version__,
        "program": digest_sources(),
        "target": spec.name,
        "alphabet": " ".join(spec.alphabet.symbols),
        "digest of the target": hashlib.sha256(language.encode()).hexdigest()[:16],
        **bounds,
        "threshold": threshold,
        "match": getattr(settings.bounds, "match", None),
        "max_n": settings.max_n,
        "aggregate": settings.regularizer.aggregate.value,
        "training": None if settings.training is None else repr(settings.training),
        "tolerance": "1/(2n)" if (tolerance := settings.regularizer.tolerance) is None else tolerance,
    }
