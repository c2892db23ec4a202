"""What the finished work of a run depends on, and the journals that keep it."""

from __future__ import annotations

import hashlib
from contextlib import nullcontext
from functools import cache
from pathlib import Path

from idinf.base.files import show_path
from idinf.errors import RunDirectoryError
from idinf.inference.run import JournalOf
from idinf.inference.settings import RunSettings
from idinf.search.found import STORED
from idinf.spec.bounds import WholeClass
from idinf.version import __version__


def keep_journals(
    settings: RunSettings, directory: str | Path | None, resume: bool, run: str = ""
) -> JournalOf:
    """Say where the finished work of a run is kept, if a directory is named; to resume, it may hold some.

    Raises
    ------
    RunDirectoryError
        If the directory cannot be used.
    """
    if directory is not None and isinstance(settings.bounds, WholeClass):
        raise RunDirectoryError(
            f"run directory {show_path(str(directory))} with class = {settings.bounds.preset}; expected "
            "none, as such a run keeps nothing; leave it out"
        )
    if directory is None:
        return lambda asked: nullcontext()

    from idinf.work.journal import Journal, claim_folder  # most runs keep nothing

    folder = claim_folder(directory, "run", resume)
    return lambda asked: Journal(folder, run_identity(asked), STORED, run)


@cache
def _digest_sources() -> str:
    """Digest of the sources of idinf, as two checkouts of one version may differ."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def run_identity(settings: RunSettings) -> dict[str, object]:
    """Everything the work of a run depends on. Limits, budgets of work and processes are not among it."""
    spec = settings.spec
    language = f"{spec.kind}\n{spec.mode}\n{spec.text}"
    if spec.mode != "accept" or spec.domain is not None:
        language += f"\n{spec.answer}\n{spec.next}\n{spec.domain}\n{spec.judged}"
    bounds = settings.bounds.to_dict()
    bounds.pop("work", None)
    threshold = getattr(settings.bounds, "threshold", None)
    return {
        "idinf_version": __version__,
        "program": _digest_sources(),
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
