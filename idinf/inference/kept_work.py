"""The directory of a run: what finished work depends on, and the journal that holds it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import idinf
from idinf.inference.run import Setup
from idinf.runtime.journal import Journal
from idinf.search.stored import STORED

__all__ = ["journal_of", "run_identity"]


def journal_of(setup: Setup, directory: str | Path, resume: bool, follow: bool = False) -> Journal:
    """Open the directory of a run.

    Parameters
    ----------
    setup : Setup
    directory : str or Path
    resume : bool
        Whether it may hold work of this question already.
    follow : bool
        Whether the path itself may be a link.

    Raises
    ------
    RunDirectoryError
        If the directory cannot be used for this question.
    """
    return Journal(directory, run_identity(setup), resume, STORED, follow)


def run_identity(setup: Setup) -> dict[str, object]:
    """Everything the work of a run depends on. Limits and the number of processes are not among it."""
    spec = setup.spec
    language = f"{spec.kind}\n{spec.mode}\n{spec.text}"
    if spec.mode != "accept" or spec.domain is not None:
        language += f"\n{spec.answer}\n{spec.next}\n{spec.domain}\n{spec.judged}"
    return {
        "idinf_version": idinf.__version__,
        "program": _program_digest(),
        "target": spec.name,
        "alphabet": " ".join(spec.alphabet.symbols),
        "digest of the target": hashlib.sha256(language.encode()).hexdigest()[:16],
        **setup.bounds.to_dict(),
        "max_n": setup.max_n,
        "aggregate": setup.aggregate.value,
        "tolerance": "1/(2n)" if setup.tolerance is None else setup.tolerance,
    }


def _program_digest() -> str:
    """Digest of the sources: work of another version of the program must not be mixed with this one's."""
    root = Path(idinf.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
