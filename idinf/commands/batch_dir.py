"""The directory of a batch: reports of finished targets, and what the running ones have finished so far.

``reports/KEY.json`` is a report; KEY is the name of the target and a digest of everything its report depends
on, so targets may come and go between two runs. A report that a limit ended has the limits in its name, and
counts under the same ones only. ``work/KEY`` is the journal of a target that is not settled yet.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from idinf.errors import RunDirectoryError
from idinf.files import write_whole

__all__ = ["BatchDirectory", "key_of"]

#: What marks a directory as one of a batch; another version is another mark.
FORMAT = "idinf-batch/1"

#: Seconds to wait for what a killed batch left running; its processes notice within one.
PATIENCE_S = 60.0

_MARK, _LOCK, _REPORTS, _WORK = "batch.json", "lock", "reports", "work"


def key_of(name: str, question: Mapping[str, object]) -> str:
    """Name the files of a target: readable, and another one for every other question.

    Examples
    --------
    >>> key_of("majority", {"max_n": 64})
    'majority-151f657c6d29a393'
    """
    text = json.dumps(question, sort_keys=True)
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


class BatchDirectory:
    """Finished reports of a batch on disk. Mutable: it grows while the batch goes on.

    Parameters
    ----------
    directory : str
        Created if it is missing; its parent has to exist.
    resume : bool
        Whether the directory may hold a batch already.

    Raises
    ------
    RunDirectoryError
        If the directory cannot be used: no directory of a batch, in use, not resumed, or not writable.
    """

    def __init__(self, directory: str, resume: bool) -> None:
        self.directory = Path(directory)
        self._lock = self._locked()
        try:
            self._check(resume)
            (self.directory / _REPORTS).mkdir(exist_ok=True)
            (self.directory / _WORK).mkdir(exist_ok=True)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> BatchDirectory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the directory free."""
        self._lock.close()

    def recall(self, key: str, limits: str) -> tuple[str, bool] | None:
        """The report kept for a target, and whether one of these limits ended it; None if there is none.

        One that was damaged later counts as absent.
        """
        for path, limited in ((self._report(key), False), (self._report(key, limits), True)):
            try:
                text = path.read_text(encoding="utf-8")
                json.loads(text)
            except (FileNotFoundError, ValueError):
                continue
            return text, limited
        return None

    def keep(self, key: str, text: str, limits: str | None) -> None:
        """Keep a report as a whole; once this returns, a kill of the process does not lose it.

        Parameters
        ----------
        limits : str or None
            The limits one of which ended the run; None: the report is what any run would give.
        """
        write_whole(str(self._report(key, limits)), text)
        if limits is None:
            for path in (self.directory / _WORK).iterdir():
                if path.name == key or path.name.startswith(f"{key}-"):
                    _discard(path)

    def work(self, key: str) -> Path:
        """Where a running target keeps its journal; what it calls KEY-… beside it goes with it."""
        return self.directory / _WORK / key

    def remove(self) -> None:
        """Remove what a batch keeps, and the directory if nothing else is in it."""
        for path in (self.directory / _WORK).iterdir():
            _discard(path)
        for name in (_WORK, _REPORTS):
            _discard(self.directory / name)
        for name in (_MARK, _LOCK):
            (self.directory / name).unlink(missing_ok=True)
        with suppress(OSError):
            self.directory.rmdir()  # unless somebody put something there

    def _report(self, key: str, limits: str | None = None) -> Path:
        return self.directory / _REPORTS / (f"{key}.json" if limits is None else f"{key}~{limits}.json")

    def _locked(self) -> BinaryIO:
        """The lock of the directory: a record lock tells a running batch, another one what a killed one left.

        Children inherit the latter and not the former. What a killed batch left running ends by itself.
        """
        try:
            self.directory.mkdir(exist_ok=True)
            file = (self.directory / _LOCK).open("ab")
        except OSError as error:
            raise RunDirectoryError(
                f"{self.directory}: cannot be used as the directory of a batch ({error.strerror}); expected "
                "a folder, or a new name in an existing one; choose another --run-dir"
            ) from None
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            until = time.monotonic() + PATIENCE_S
            while not _is_free(file):
                if time.monotonic() > until:
                    raise BlockingIOError
                time.sleep(0.05)
        except OSError:
            file.close()
            raise RunDirectoryError(
                f"{self.directory}: in use by another process; expected one batch at a time in a directory; "
                "wait for it, or choose another --run-dir"
            ) from None
        return file

    def _check(self, resume: bool) -> None:
        """Refuse a directory of something else, or a batch that is not to be resumed; mark a new one."""
        mark = self.directory / _MARK
        if not mark.exists():
            foreign = sorted(
                entry.name
                for entry in self.directory.iterdir()
                if entry.name != _LOCK and not entry.match(".*.part")
            )
            if foreign:
                raise RunDirectoryError(
                    f"{self.directory}: holds {foreign[0]!r} and is no directory of a batch; expected an "
                    "empty or a new one; choose another --run-dir"
                )
            write_whole(str(mark), json.dumps({"format": FORMAT}) + "\n")
            return
        try:
            kept = json.loads(mark.read_text(encoding="utf-8")) == {"format": FORMAT}
        except (OSError, ValueError):
            kept = False
        if not kept:
            raise RunDirectoryError(
                f"{mark}: is not the mark of an {FORMAT} directory; expected one of this version; choose "
                "another --run-dir"
            )
        if not resume:
            raise RunDirectoryError(
                f"{self.directory}: already holds a batch; expected an empty or a new directory; add "
                "--resume to go on with it, choose another --run-dir, or remove the directory"
            )


def _is_free(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _discard(directory: Path) -> None:
    """Remove the files of a directory and itself; folders in it are left, and it with them."""
    if not directory.is_dir():
        return
    entries = list(directory.iterdir())
    for path in entries:
        if not path.is_dir():
            path.unlink()
    if not any(path.is_dir() for path in entries):
        directory.rmdir()
