"""The folder of a run or a batch: of one question, held by one process at a time."""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from idinf.errors import RunDirectoryError
from idinf.files import MIB, OutputError, show_path
from idinf.quoting import quote
from idinf.runtime.folder import Folder

#: Longest file that may say what a folder holds.
MOST_MARK = MIB

_LOCK = "lock"

#: Seconds between two looks at a lock.
_BEAT_S = 0.05


class RunFolder(Folder, ExitStack[None]):
    """The folder of a run or a batch: a file in it says of which question it is, another one is locked.

    Parameters
    ----------
    path : str or Path
        Made if it is missing; its parent has to exist.
    what : str
        What it holds, in messages: ``run`` or ``batch``.
    mark : str
        Name of the file that has the question.
    own : re.Pattern
        Names, beside lock and mark, that a folder whose mark was not written yet may have.
    resume : bool
        Whether it may hold something already.
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
        patience_s: float | None = None,
    ) -> None:
        self.what, self.mark, self.own = what, mark, own
        try:
            Path(path).mkdir(exist_ok=True)
        except (OSError, ValueError) as error:  # a zero byte
            raise RunDirectoryError(
                f"{show_path(path)}: cannot be used as the directory of a {what} "
                f"({getattr(error, 'strerror', error)}); expected a "
                "folder, or a new name in an existing one; choose another --run-dir"
            ) from None
        Folder.__init__(self, Path(path))
        ExitStack.__init__(self)
        try:
            self._refuse_another_kind()
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

    def _refuse_another_kind(self) -> None:
        """Refuse a folder of something else, before anything is written there."""
        for name in self.names() if self.kind(self.mark) is None else ():
            if name != _LOCK and not self.own.fullmatch(name):
                raise RunDirectoryError(
                    f"{show_path(self.path)}: holds {quote(name)} and is no directory of a {self.what}; "
                    "expected an empty or a new one; choose another --run-dir"
                )

    def _lock(self, patience_s: float | None) -> None:
        """Lock the folder for this process until it ends, however it ends.

        A record lock, which children do not inherit: one that outlives a killed parent for a moment must not
        keep the folder busy. Another lock, which they do inherit, tells whoever has patience what is left.
        """
        lock = self.descriptor(_LOCK, os.O_RDWR | os.O_CREAT)
        self.callback(os.close, lock)
        until = time.monotonic() + (patience_s or 0.0)
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            while patience_s is not None and not _is_free(lock):
                if time.monotonic() > until:
                    raise BlockingIOError
                time.sleep(_BEAT_S)
        except OSError:
            raise RunDirectoryError(
                f"{show_path(self.path)}: in use by another process; expected one {self.what} at a time in "
                "a directory; wait for it, or choose another --run-dir"
            ) from None

    def _check(self, question: Mapping[str, object], resume: bool) -> None:
        """Refuse a folder of another question; note the question in a new one."""
        mark, path = self.mark, self.path / self.mark
        wanted: dict[str, object] = json.loads(json.dumps(question))  # as it reads back: tuples are lists
        shown = show_path(self.path)
        if self.kind(mark) is None:
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
                f"{show_path(path)}: is damaged; expected the question of the {self.what} as "
                "JSON; choose another --run-dir"
            )
        if not resume:
            raise RunDirectoryError(
                f"{shown}: already holds a {self.what}; expected an empty or a new directory; add --resume "
                "to go on with it, choose another --run-dir, or remove the directory"
            )
        for key in [*wanted, *kept]:
            there, here = (quote(asked[key]) if key in asked else "nothing" for asked in (kept, wanted))
            if kept.get(key) != wanted.get(key) or (key in kept) != (key in wanted):
                name = key if key in wanted else quote(key)
                raise RunDirectoryError(
                    f"{shown}: holds a {self.what} with {name} = {there}, this one has {name} = {here}; "
                    "expected the same question; choose another --run-dir"
                )


def _is_free(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
