"""Finished units of work on disk, so that a run can be killed at any moment and resumed.

A directory belongs to one question: ``identity.json`` says which. Every run that works on it appends to a
file of its own, ``units-NNNN.log``, one record per unit with a checksum; a record that a kill cut short, or
that was damaged later, counts as absent and its unit is worked out again. A value of more bytes than
`idinf.runtime.codec.MOST_PACKED` is not kept, and one that unpacks to more is damage.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from idinf.errors import BudgetError
from idinf.files import MIB, show_path
from idinf.runtime.codec import MOST_PACKED, Codec, fits
from idinf.runtime.run_folder import RunFolder

#: Version of the files; another one is another identity.
FORMAT = "idinf-run/1"

#: Start of a record: mark, digest of the key, bytes of the value. The value and a checksum of all follow.
_HEADER = struct.Struct("<4s16sQ")
_MARK = b"IDJ1"
_CHECK_BYTES = 16

#: Seconds between two waits for the disk, which guard against a loss of power; a kill loses nothing written.
SYNC_S = 5.0

#: Files of a directory of a run: its question, those of units, and what a kill leaves of a half-written one.
_IDENTITY, _UNITS = "identity.json", re.compile(r"units-([0-9]{4,9})\.log")
_OWN = re.compile(rf"{_UNITS.pattern}|\..*\.part")

#: Everything that a journal writes.
JOURNAL_FILES = re.compile(rf"lock|identity\.json|{_OWN.pattern}")

#: Bytes of a record's value, which compression can make a little larger, at most.
_MOST_KEPT = MOST_PACKED + MIB


class Journal(ExitStack[None]):
    """Units of work of one question, by key. Mutable: it grows while the run goes on.

    Parameters
    ----------
    directory : str or Path
        Created if it is missing; its parent has to exist.
    identity : mapping of str to plain values
        Everything a unit of work depends on beside its key.
    resume : bool
        Whether the directory may hold work already.
    classes : tuple of type
        Classes that values may have.

    Raises
    ------
    RunDirectoryError
        If `RunFolder` refuses the directory, or it has folders where files belong.
    """

    def __init__(
        self,
        directory: str | Path,
        identity: Mapping[str, object],
        resume: bool = False,
        classes: tuple[type, ...] = (),
    ) -> None:
        super().__init__()
        self._codec = Codec(classes)
        self._places: dict[bytes, tuple[BinaryIO, int, int]] = {}
        self._synced = time.monotonic()
        self._full = False
        schema = hashlib.sha256(self._codec.schema.encode()).hexdigest()[:16]
        question = {"format": FORMAT, **identity, "stored values": schema}
        folder = self.enter_context(RunFolder(directory, "run", _IDENTITY, question, _OWN, resume))
        try:
            last = 0
            for name in folder.names():
                if found := _UNITS.fullmatch(name):
                    last = max(last, int(found[1]))
                    file = self.enter_context(os.fdopen(folder.descriptor(name, os.O_RDONLY), "rb"))
                    self._places.update(_records(file))
            # A new file for this process: what a killed one left is never appended to.
            own = folder.descriptor(f"units-{last + 1:04}.log", os.O_RDWR | os.O_CREAT | os.O_EXCL)
            self._own = self.enter_context(os.fdopen(own, "r+b", buffering=0))
        except BaseException:
            self.close()
            raise
        self._shown = show_path(folder.path)

    def recall(self, key: tuple[object, ...]) -> Any:
        """The value kept for a key; None if there is none, or if it was damaged."""
        place = self._places.get(self._digest(key))
        if place is None:
            return None
        file, start, size = place
        file.seek(start)
        record = file.read(_HEADER.size + size)
        if file.read(_CHECK_BYTES) != _check(record):
            return None
        try:
            return self._codec.unpack(_expanded(record[_HEADER.size :]))
        except (ValueError, zlib.error):
            return None

    def keep(self, key: tuple[object, ...], value: object) -> None:
        """Append a value other than None; once this returns, a kill of the process does not lose it.

        One that is too large to be believed later is not kept.

        Raises
        ------
        BudgetError
            If the disk takes no more; said once, later values are not kept.
        """
        if self._full:
            return
        content = self._codec.pack(value)
        if not fits(content):
            return
        content = zlib.compress(content, level=1)  # fast rather than small: rows of integers shrink tenfold
        digest = self._digest(key)
        record = _HEADER.pack(_MARK, digest, len(content)) + content
        start = self._own.seek(0, os.SEEK_END)
        try:
            rest = memoryview(record + _check(record))
            while rest:
                rest = rest[self._own.write(rest) :]
            if time.monotonic() - self._synced > SYNC_S:
                os.fsync(self._own.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            self._full = True
            self._own.truncate(start)
            raise BudgetError(
                f"{self._shown}: a unit of work cannot be kept ({error.strerror}); "
                "expected room on the disk; make some, then go on with --resume"
            ) from None
        self._places[digest] = self._own, start, len(content)

    def _digest(self, key: tuple[object, ...]) -> bytes:
        return hashlib.blake2b(self._codec.text(key).encode(), digest_size=16).digest()


def _records(file: BinaryIO) -> Iterator[tuple[bytes, tuple[BinaryIO, int, int]]]:
    """Digest of the key, start, and bytes of the value of every record up to the first that is cut short."""
    end = file.seek(0, os.SEEK_END)
    start = 0
    while start + _HEADER.size <= end:
        file.seek(start)
        mark, digest, size = _HEADER.unpack(file.read(_HEADER.size))
        if mark != _MARK or start + _HEADER.size + size + _CHECK_BYTES > end:
            return
        if size <= _MOST_KEPT:
            yield digest, (file, start, size)
        start += _HEADER.size + size + _CHECK_BYTES


def _check(record: bytes) -> bytes:
    return hashlib.blake2b(record, digest_size=_CHECK_BYTES).digest()


def _expanded(content: bytes) -> bytes:
    """What was compressed, if it is no larger than what is kept."""
    stream = zlib.decompressobj()
    data = stream.decompress(content, MOST_PACKED + 1)
    if not stream.eof:
        raise ValueError("cut short, or larger than what is kept")
    return data
