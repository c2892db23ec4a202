"""An open folder, in which everything is reached by name and no link is followed.

The folder of a run may come from elsewhere, or lie where others can write. What is in it is opened by its
name in the open folder, never by a path that somebody may turn elsewhere: nothing outside is read, written
or removed.
"""

from __future__ import annotations

import os
import re
from contextlib import ExitStack, suppress
from pathlib import Path

from idinf.errors import RunDirectoryError
from idinf.files import name_kind, show_path, write_whole

#: Kinds of what is in a folder, as messages name them.
FILE, FOLDER = "a file", "a folder"

#: How a folder is opened. Nothing is followed, nothing waits for a pipe, and no program that is started gets
#: a descriptor.
LISTED = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_CAREFULLY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Folder(ExitStack[None]):
    """An open folder, and what is in it by name: its path is for messages, its descriptor closed with it."""

    def __init__(self, path: Path, number: int) -> None:
        super().__init__()
        self.path, self.number = path, number
        self.callback(os.close, number)

    def names(self) -> list[str]:
        """What is in it, sorted."""
        # On a descriptor of its own: processes that share one share the place in the list.
        with Folder(self.path, self.descriptor(".", LISTED, FOLDER)) as again:
            return sorted(os.listdir(again.number))

    def kind(self, name: str) -> str | None:
        """What has a name: ``a file``, ``a folder``, ``a link``, …; None if nothing has."""
        try:
            return name_kind(os.stat(name, dir_fd=self.number, follow_symlinks=False).st_mode)
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
        there = name_kind(os.fstat(number).st_mode)
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
        return Folder(self.path / name, self.descriptor(name, LISTED, FOLDER))

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
            with Folder(self.path / name, self.descriptor(name, LISTED, FOLDER)) as inner:
                inner.clear(own)
            os.rmdir(name, dir_fd=self.number)

    def _refusal(self, name: str, reason: str, kind: str) -> RunDirectoryError:
        return RunDirectoryError(
            f"{show_path(self.path / name)}: {reason}; expected {kind}; choose another --run-dir"
        )
