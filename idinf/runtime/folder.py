"""A folder of a run or a batch, and what is in it by name: of the kind that belongs there, or refused."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from idinf.errors import RunDirectoryError
from idinf.files import Unreadable, name_kind, read_bytes, show_path, write_whole

#: Kinds of what is in a folder, as messages name them.
FILE, FOLDER = "a file", "a folder"


class Folder:
    """A folder, and what is in it by name."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        """What is in it, sorted."""
        try:
            return sorted(os.listdir(self.path))
        except OSError as error:
            raise self._refusal("", error.strerror or "cannot be read", FOLDER) from None

    def kind(self, name: str) -> str | None:
        """What has a name: ``a file``, ``a folder``, ``a pipe``, …; None if nothing has."""
        try:
            return name_kind(os.stat(self.path / name).st_mode)
        except OSError:
            return None

    def descriptor(self, name: str, flags: int) -> int:
        """Open a file, without waiting for a pipe.

        Raises
        ------
        RunDirectoryError
            If it cannot be opened, or is no file.
        """
        there = self.kind(name)
        if there not in (None, FILE):
            raise self._refusal(name, f"is {there}", FILE)
        try:
            return os.open(self.path / name, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise self._refusal(name, error.strerror or "cannot be opened", FILE) from None

    def read(self, name: str, most: int) -> bytes | None:
        """The bytes of a file; None if it is missing, or has more than ``most``."""
        there = self.kind(name)
        if there not in (None, FILE):
            raise self._refusal(name, f"is {there}", FILE)
        try:
            return read_bytes(self.path / name, most)
        except Unreadable:
            return None

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file as a whole.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        write_whole(self.path / name, content)

    def folder(self, name: str) -> Folder:
        """A folder in it, made if it is missing."""
        try:
            (self.path / name).mkdir(exist_ok=True)
        except OSError as error:
            there = self.kind(name)
            reason = error.strerror if there is None else f"is {there}"
            raise self._refusal(name, reason or "cannot be made", FOLDER) from None
        return Folder(self.path / name)

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
                    (self.path / name).unlink()

    def discard(self, name: str, own: re.Pattern[str]) -> None:
        """Remove a folder in it and its files of such names; what else it has stays, and then so does it."""
        if (self.path / name).is_symlink():  # to what is somebody's
            return
        with suppress(OSError, RunDirectoryError):
            Folder(self.path / name).clear(own)
            (self.path / name).rmdir()

    def _refusal(self, name: str, reason: str, kind: str) -> RunDirectoryError:
        return RunDirectoryError(
            f"{show_path(self.path / name)}: {reason}; expected {kind}; choose another --run-dir"
        )
