"""Folders that runs and batches keep their work in: of one question, held by one process, without links.

Such a folder may come from elsewhere, or lie where others can write. Everything in it is opened by its name
in the open folder, never by a path that somebody may turn elsewhere, and a link in it is never followed:
nothing outside is read, written or removed.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType

from idinf.errors import RunDirectoryError
from idinf.files import MIB, OutputError, kind_of, shown_path, write_whole
from idinf.quoting import quoted

__all__ = ["FILE", "FOLDER", "Folder", "RunFolder"]

#: Kinds of what is in a folder, as messages name them.
FILE, FOLDER = "a file", "a folder"

#: Longest file that may say what a folder holds.
MOST_MARK = MIB

_LOCK = "lock"

#: Seconds between two looks at a lock.
_BEAT_S = 0.05

#: Nothing is followed, nothing waits for a pipe, and no program that is started gets the descriptor.
_CAREFULLY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LISTED = os.O_RDONLY | os.O_DIRECTORY


class Folder:
    """An open folder, and what is in it by name.

    Parameters
    ----------
    path : Path
        As messages name it.
    number : int
        Its descriptor, closed with it.
    """

    def __init__(self, path: Path, number: int) -> None:
        self.path, self.number = path, number
        self._held = ExitStack()
        self._held.callback(os.close, number)

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back what is held."""
        self._held.close()

    def names(self) -> list[str]:
        """What is in it, sorted."""
        # On a descriptor of its own: processes that share one share the place in the list.
        with Folder(self.path, self.descriptor(".", _LISTED, FOLDER)) as again:
            return sorted(os.listdir(again.number))

    def kind(self, name: str) -> str | None:
        """What has a name: ``a file``, ``a folder``, ``a link``, …; None if nothing has."""
        try:
            return kind_of(os.stat(name, dir_fd=self.number, follow_symlinks=False).st_mode)
        except OSError:
            return None

    def descriptor(self, name: str, flags: int, kind: str = FILE) -> int:
        """Open a file or a folder.

        Raises
        ------
        RunDirectoryError
            If it cannot be opened, or is of another kind; a link is.
        """
        try:
            number = os.open(name, flags | _CAREFULLY, 0o666, dir_fd=self.number)
        except OSError as error:
            there = self.kind(name)
            known = error.strerror or "cannot be opened"
            raise self._refusal(name, known if there in (None, kind) else f"is {there}", kind) from None
        there = kind_of(os.fstat(number).st_mode)
        if there != kind:
            os.close(number)
            raise self._refusal(name, f"is {there}", kind)
        return number

    def read(self, name: str, most: int) -> bytes | None:
        """The bytes of a file; None if it is missing, or has more than ``most``."""
        if self.kind(name) is None:
            return None
        with open(self.descriptor(name, os.O_RDONLY), "rb") as file:
            try:
                content = file.read(most + 1)
            except OSError as error:
                raise self._refusal(name, error.strerror or "cannot be read", FILE) from None
        return content if len(content) <= most else None

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file as a whole.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        write_whole(self.path / name, content, self.number)

    def folder(self, name: str) -> Folder:
        """A folder in it, made if it is missing."""
        try:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=self.number)
        except OSError as error:
            raise self._refusal(name, error.strerror or "cannot be made", FOLDER) from None
        return Folder(self.path / name, self.descriptor(name, _LISTED, FOLDER))

    def expect(self, kind: str) -> None:
        """Refuse whatever is in it and of another kind; a name with a dot first is never looked up."""
        for name in self.names():
            there = self.kind(name)
            if there not in (None, kind) and not name.startswith("."):
                raise self._refusal(name, f"is {there}", kind)

    def clear(self, own: re.Pattern[str]) -> None:
        """Remove the files of such names."""
        for name in self.names():
            if own.fullmatch(name):
                with suppress(OSError):  # a folder, or gone
                    os.unlink(name, dir_fd=self.number)

    def discard(self, name: str, own: re.Pattern[str]) -> None:
        """Remove a folder in it and its files of such names; what else it has stays, and then so does it."""
        with suppress(OSError, RunDirectoryError):
            with Folder(self.path / name, self.descriptor(name, _LISTED, FOLDER)) as inner:
                inner.clear(own)
            os.rmdir(name, dir_fd=self.number)

    def _refusal(self, name: str, reason: str, kind: str) -> RunDirectoryError:
        return RunDirectoryError(
            f"{shown_path(self.path / name)}: {reason}; expected {kind}; choose another --run-dir"
        )


class RunFolder(Folder):
    """The folder of a run or a batch: a file in it says of which question it is, another one is locked.

    Parameters
    ----------
    path : str or Path
        Made if it is missing; its parent has to exist.
    what : str
        What it holds, in messages: ``run`` or ``batch``.
    mark : str
        Name of the file that has the question.
    question : mapping of str to plain values
    own : re.Pattern
        Names, beside lock and mark, that a folder whose mark was not written yet may have.
    resume : bool
        Whether it may hold something already.
    follow : bool
        Whether the path itself may be a link.
    patience_s : float, optional
        Seconds to wait for children of a process that was killed; None: they do not matter.

    Raises
    ------
    RunDirectoryError
        If it cannot be used: of another question or of something else, in use, not resumed, not writable.
    """

    def __init__(
        self,
        path: str | Path,
        what: str,
        mark: str,
        question: Mapping[str, object],
        own: re.Pattern[str],
        resume: bool,
        follow: bool,
        patience_s: float | None = None,
    ) -> None:
        self.what, self.mark, self.own = what, mark, own
        try:
            Path(path).mkdir(exist_ok=True)
            link = 0 if follow else os.O_NOFOLLOW
            number = os.open(path, _LISTED | link | os.O_CLOEXEC)
        except (OSError, ValueError) as error:  # a zero byte
            linked = not follow and Path(path).is_symlink()
            reason = "it is a link" if linked else getattr(error, "strerror", error)
            raise RunDirectoryError(
                f"{shown_path(path)}: cannot be used as the directory of a {what} ({reason}); expected a "
                "folder, or a new name in an existing one; choose another --run-dir"
            ) from None
        super().__init__(Path(path), number)
        try:
            self._lock(patience_s)
            self._check(question, resume)
        except BaseException:
            self.close()
            raise

    def remove(self) -> None:
        """Remove mark, lock and files of its own names, and the folder if nothing else is in it."""
        self.clear(re.compile(f"{_LOCK}|{re.escape(self.mark)}|{self.own.pattern}"))
        with suppress(OSError):  # somebody put something there
            self.path.rmdir()

    def _lock(self, patience_s: float | None) -> None:
        """Lock the folder for this process until it ends, however it ends.

        A record lock, which children do not inherit: one that outlives a killed parent for a moment must not
        keep the folder busy. Another lock, which they do inherit, tells whoever has patience what is left.
        """
        lock = self.descriptor(_LOCK, os.O_RDWR | os.O_CREAT)
        self._held.callback(os.close, lock)
        until = time.monotonic() + (patience_s or 0.0)
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            while patience_s is not None and not _is_free(lock):
                if time.monotonic() > until:
                    raise BlockingIOError
                time.sleep(_BEAT_S)
        except OSError:
            raise RunDirectoryError(
                f"{shown_path(self.path)}: in use by another process; expected one {self.what} at a time in "
                "a directory; wait for it, or choose another --run-dir"
            ) from None

    def _check(self, question: Mapping[str, object], resume: bool) -> None:
        """Refuse a folder that is not this question's; note the question in a new one."""
        mark, path = self.mark, self.path / self.mark
        wanted: dict[str, object] = json.loads(json.dumps(question))  # as it reads back: tuples are lists
        shown = shown_path(self.path)
        if self.kind(mark) is None:
            for name in self.names():
                if name != _LOCK and not self.own.fullmatch(name):
                    raise RunDirectoryError(
                        f"{shown}: holds {quoted(name)} and is no directory of a {self.what}; expected an "
                        "empty or a new one; choose another --run-dir"
                    )
            try:
                self.write(mark, json.dumps(wanted, indent=2) + "\n")
            except OutputError as error:
                raise RunDirectoryError(str(error)) from None
            return
        content = self.read(mark, MOST_MARK)
        try:
            kept = json.loads(content or b"")
        except (ValueError, RecursionError):
            kept = None
        if not isinstance(kept, dict):
            raise RunDirectoryError(
                f"{shown_path(path)}: is damaged; expected the question of the {self.what} as "
                "JSON; choose another --run-dir"
            )
        if not resume:
            raise RunDirectoryError(
                f"{shown}: already holds a {self.what}; expected an empty or a new directory; add --resume "
                "to go on with it, choose another --run-dir, or remove the directory"
            )
        for key in [*wanted, *kept]:
            if kept.get(key) != wanted.get(key) or (key in kept) != (key in wanted):
                name = key if key in wanted else quoted(key)
                raise RunDirectoryError(
                    f"{shown}: holds a {self.what} with {name} = {_shown(kept, key)}, this one has {name} = "
                    f"{_shown(wanted, key)}; expected the same question; choose another --run-dir"
                )


def _is_free(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _shown(question: Mapping[str, object], key: str) -> str:
    return quoted(question[key]) if key in question else "nothing"
