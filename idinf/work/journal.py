"""Finished work in one sqlite3 file, so that a run can be killed at any moment and resumed.

Work is kept under all that it depends on. So one file serves any number of questions, and of processes at
once: two that do the same work keep the same. Values are data, never code: only classes of a fixed list come
out. One that was damaged counts as absent, and its work is done again.
"""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from idinf.base.files import show_path
from idinf.errors import BudgetError, RunDirectoryError

#: Name of the file in the directory of a run.
FILE = "work.sqlite3"

#: Mark of our files, with their version.
_OURS = 0x1D1F0001

#: Seconds to wait for another process that writes; more than a worker that was killed takes to be gone.
_PATIENCE_S = 60.0

_CHECK_BYTES = 16

#: Functions that numpy calls to make arrays and numbers anew.
_MAKERS: tuple[Any, ...] = (
    np.ndarray,
    np.dtype,
    *(value.__reduce_ex__(5)[0] for value in (np.zeros(2), np.zeros((2, 2))[:, :1], np.float64(0))),
)


def claim_folder(path: str | Path, what: str, resume: bool) -> Path:
    """Make the directory of a ``run`` or a ``batch``; it is refused if it holds work and is not resumed."""
    shown = show_path(path)
    try:
        Path(path).mkdir(exist_ok=True)
        is_there = (Path(path) / FILE).exists()
    except (OSError, ValueError) as error:  # a zero byte
        raise RunDirectoryError(
            f"{shown}: cannot be used as the directory of a {what} ({getattr(error, 'strerror', error)}); "
            "expected a folder, or a new name in an existing one; choose another --run-dir"
        ) from None
    if is_there and not resume:
        raise RunDirectoryError(
            f"{shown}: already holds a {what}; expected an empty or a new directory; add --resume to go on "
            "with it, choose another --run-dir, or remove the directory"
        )
    return Path(path)


def remove_folder(path: Path) -> None:
    """Remove finished work, and the directory if nothing else is in it."""
    with suppress(OSError):
        for name in (FILE, f"{FILE}-wal", f"{FILE}-shm"):
            (path / name).unlink(missing_ok=True)
        path.rmdir()


class Journal(AbstractContextManager["Journal"]):
    """Finished work of one question, by key. Mutable: it grows during the run.

    It stands in a directory as of `claim_folder`, whose file is refused if it is none of ours. The question
    has all inputs of the work beside its key; values may have dataclasses and enums of ``classes``; `forget`
    calls the work by the name of its run.
    """

    def __init__(
        self, folder: Path, question: Mapping[str, object], classes: tuple[type, ...] = (), run: str = ""
    ) -> None:
        self._question, self._run, self._is_full = json.dumps(question, sort_keys=True), run, False
        self._classes = {(made.__module__, made.__qualname__): made for made in (*_MAKERS, *classes)}
        self._shown = show_path(folder / FILE)
        with self._told():
            self._file = sqlite3.connect(folder / FILE, timeout=_PATIENCE_S, isolation_level=None)
            try:
                self._begin()
            except BaseException:
                self._file.close()
                raise

    def _begin(self) -> None:
        """Make the table in a new file, as a whole; a kill loses nothing that was written after it."""
        ask = self._file.execute
        mark = ask("PRAGMA application_id").fetchone()
        if mark == (0,):
            ask("BEGIN IMMEDIATE")
            if not ask("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                ask("CREATE TABLE kept (run TEXT, key BLOB, value BLOB, PRIMARY KEY (run, key))")
                ask(f"PRAGMA application_id = {_OURS}")
            ask("COMMIT")
            mark = ask("PRAGMA application_id").fetchone()
        if mark != (_OURS,):
            raise sqlite3.DatabaseError("of another program or version")
        ask("PRAGMA journal_mode = WAL")
        ask("PRAGMA synchronous = NORMAL")

    def __exit__(self, *raised: object) -> None:
        """Close the file."""
        self._file.close()

    def recall(self, key: tuple[object, ...]) -> Any:
        """The value kept for a key; None if there is none, or if it was damaged."""
        digest = self._digest(key)
        with self._told():
            asked = "SELECT value FROM kept WHERE run = ? AND key = ?"
            found = self._file.execute(asked, (self._run, digest)).fetchone()
        if found is None or not isinstance(found[0], bytes):
            return None
        check, content = found[0][:_CHECK_BYTES], found[0][_CHECK_BYTES:]
        if check != _check(digest + content):
            return None
        try:
            return _Reader(zlib.decompress(content), self._classes).load()
        except (zlib.error, pickle.UnpicklingError, EOFError):
            return None

    def keep(self, key: tuple[object, ...], value: object) -> None:
        """Keep a value other than None; once this returns, a kill of the process does not lose it.

        A disk that takes no more is a BudgetError, once; later values are not kept.
        """
        if self._is_full:
            return
        digest = self._digest(key)
        # Fast rather than small: rows of integers shrink tenfold.
        content = zlib.compress(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), level=1)
        row = self._run, digest, _check(digest + content) + content
        try:
            self._file.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", row)
        except sqlite3.Error as error:
            self._is_full = True
            raise BudgetError(
                f"{self._shown}: a unit of work cannot be kept ({error}); "
                "expected room on the disk; make some, then go on with --resume"
            ) from None

    def forget(self, run: str) -> None:
        """Remove the work that is called so."""
        with self._told():
            self._file.execute("DELETE FROM kept WHERE run = ?", (run,))

    def _digest(self, key: tuple[object, ...]) -> bytes:
        return _check(f"{self._question}\n{key!r}".encode())

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn errors of the file into one line."""
        try:
            yield
        except sqlite3.Error as error:
            raise RunDirectoryError(
                f"{self._shown}: is no file of finished work ({error}); expected one that idinf wrote; "
                "choose another --run-dir"
            ) from None


class _Reader(pickle.Unpickler):
    """Reads values of known classes, and calls nothing else."""

    def __init__(self, content: bytes, classes: Mapping[tuple[str, str], Any]) -> None:
        super().__init__(io.BytesIO(content))
        self._classes = classes

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self._classes:
            raise pickle.UnpicklingError(f"{module}.{name} is on no list")
        return self._classes[module, name]


def _check(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_CHECK_BYTES).digest()
