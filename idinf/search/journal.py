"""Finished units of work on disk, so that a run can be killed at any moment and resumed.

A directory belongs to one question: ``identity.json`` says which. Every run that works on it appends to a
file of its own, ``units-NNNN.log``, one record per unit with a checksum; a record that a kill cut short, or
that was damaged later, counts as absent and its unit is worked out again.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import struct
import time
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from idinf.errors import BudgetError, RunDirectoryError
from idinf.search.codec import Codec
from idinf.search.found import Counts, Found
from idinf.space.layers import LayerChoices
from idinf.space.structures import Cost, LayerShape, Structure
from idinf.space.units import Units
from idinf.spec.experiment import Answer
from idinf.transformers.attention import AttentionPattern

__all__ = ["STORED", "Journal"]

#: Classes of which values can be kept. A new class in a unit of work has to be added here.
STORED: tuple[type, ...] = (
    Answer,
    AttentionPattern,
    Cost,
    Counts,
    Found,
    LayerChoices,
    LayerShape,
    Structure,
    Units,
)

#: Version of the files; another one is another identity.
FORMAT = "idinf-run/1"

#: Start of a record: mark, digest of the key, bytes of the value. The value and a checksum of all follow.
_HEADER = struct.Struct("<4s16sQ")
_MARK = b"IDJ1"
_CHECK_BYTES = 16

#: Values from this size on are compressed, fast rather than small: rows of integers shrink about tenfold.
COMPRESS_FROM_BYTES = 1024

#: Seconds between two waits for the disk, which guard against a loss of power; a kill loses nothing written.
SYNC_S = 5.0

#: Files of a directory of a run.
_IDENTITY, _LOCK, _UNITS = "identity.json", "lock", "units-*.log"


class Journal:
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
        If the directory cannot be used: of another question, in use by another process, not resumed, no
        directory of a run, or not writable.
    """

    def __init__(
        self,
        directory: str | Path,
        identity: Mapping[str, object],
        resume: bool = False,
        classes: tuple[type, ...] = STORED,
    ) -> None:
        self.directory = Path(directory)
        self._codec = Codec(classes)
        self._places: dict[bytes, tuple[int, int, int]] = {}
        self._files: list[BinaryIO] = []
        self._synced = time.monotonic()
        self._full = False
        schema = hashlib.sha256(self._codec.schema.encode()).hexdigest()[:16]
        self._lock = self._locked()
        try:
            self._check({"format": FORMAT, **identity, "stored values": schema}, resume)
            for path in sorted(self.directory.glob(_UNITS)):
                self._files.append(path.open("rb"))
                self._index(len(self._files) - 1)
            self._files.append(self._own_file())
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def num_kept(self) -> int:
        """Number of values that can be asked for. Not ``len``, by which a new journal would be false."""
        return len(self._places)

    def close(self) -> None:
        """Give the directory free."""
        for file in self._files:
            file.close()
        self._lock.close()

    def recall(self, key: tuple[object, ...]) -> Any:
        """The value kept for a key; None if there is none, or if it was damaged."""
        place = self._places.get(self._digest(key))
        if place is None:
            return None
        number, start, size = place
        file = self._files[number]
        file.seek(start)
        record = file.read(_HEADER.size + size)
        if file.read(_CHECK_BYTES) != _check(record):
            return None
        content = record[_HEADER.size + 1 :]
        try:
            return self._codec.unpack(zlib.decompress(content) if record[_HEADER.size] else content)
        except (ValueError, zlib.error):
            return None

    def keep(self, key: tuple[object, ...], value: object) -> None:
        """Append a value other than None; once this returns, a kill of the process does not lose it.

        Raises
        ------
        BudgetError
            If the disk takes no more; said once, later values are not kept.
        """
        if self._full:
            return
        content = self._codec.pack(value)
        if len(content) >= COMPRESS_FROM_BYTES:
            content = b"\1" + zlib.compress(content, level=1)
        else:
            content = b"\0" + content
        digest = self._digest(key)
        record = _HEADER.pack(_MARK, digest, len(content)) + content
        file = self._files[-1]
        start = file.seek(0, os.SEEK_END)
        try:
            rest = memoryview(record + _check(record))
            while rest:
                rest = rest[file.write(rest) :]
            if time.monotonic() - self._synced > SYNC_S:
                os.fsync(file.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            self._full = True
            file.truncate(start)
            raise BudgetError(
                f"{self.directory}: a unit of work cannot be kept ({error.strerror}); expected room on the "
                "disk; make some, then go on with --resume"
            ) from None
        self._places[digest] = len(self._files) - 1, start, len(content)

    def _digest(self, key: tuple[object, ...]) -> bytes:
        return hashlib.blake2b(self._codec.text(key).encode(), digest_size=16).digest()

    def _locked(self) -> BinaryIO:
        """The lock of the directory, held by this process until it ends, however it ends.

        A record lock, which children do not inherit: one that outlives a killed parent for a moment must not
        keep the directory busy.
        """
        try:
            self.directory.mkdir(exist_ok=True)
            file = (self.directory / _LOCK).open("ab")
        except OSError as error:
            raise RunDirectoryError(
                f"{self.directory}: cannot be used as the directory of a run ({error.strerror}); expected a "
                "folder, or a new name in an existing one; choose another --run-dir"
            ) from None
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise RunDirectoryError(
                f"{self.directory}: in use by another process; expected one run at a time in a directory; "
                "wait for it, or choose another --run-dir"
            ) from None
        return file

    def _check(self, identity: dict[str, object], resume: bool) -> None:
        """Refuse a directory that is not this question's; note the question in a new one."""
        path = self.directory / _IDENTITY
        wanted: dict[str, object] = json.loads(json.dumps(identity))  # as it reads back: tuples are lists
        if not path.exists():
            foreign = sorted(
                entry.name
                for entry in self.directory.iterdir()
                if entry.name != _LOCK and not entry.match(_UNITS) and not entry.match(".*.part")
            )
            if foreign:
                raise RunDirectoryError(
                    f"{self.directory}: holds {foreign[0]!r} and is no directory of a run; expected an empty "
                    "or a new one; choose another --run-dir"
                )
            self._write(path, json.dumps(wanted, indent=2) + "\n")
            return
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            kept = None
        if not isinstance(kept, dict):
            raise RunDirectoryError(
                f"{path}: is damaged; expected the question of the run as JSON; choose another --run-dir"
            )
        if not resume:
            raise RunDirectoryError(
                f"{self.directory}: already holds a run; expected an empty or a new directory; add "
                "--resume to go on with it, or choose another --run-dir"
            )
        for key in [*wanted, *kept]:
            if kept.get(key) != wanted.get(key) or (key in kept) != (key in wanted):
                raise RunDirectoryError(
                    f"{self.directory}: holds a run with {key} = {_shown(kept, key)}, this one has {key} = "
                    f"{_shown(wanted, key)}; expected the same question; choose another --run-dir"
                )

    def _write(self, path: Path, text: str) -> None:
        """Write a small file as a whole, on the disk before it has its name."""
        part = path.with_name(f".{path.name}.part")
        try:
            with part.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except OSError as error:
            raise RunDirectoryError(
                f"{path}: cannot be written ({error.strerror}); expected a folder you can write to; choose "
                "another --run-dir"
            ) from None

    def _own_file(self) -> BinaryIO:
        """A new file for this process: what a killed one left is never appended to."""
        number = 1 + max((int(path.stem[6:]) for path in self.directory.glob(_UNITS)), default=0)
        return (self.directory / f"units-{number:04}.log").open("x+b", buffering=0)

    def _index(self, number: int) -> None:
        """Note where the records of a file are; the values are read when they are asked for."""
        for digest, start, size in _records(self._files[number]):
            self._places[digest] = number, start, size


def _records(file: BinaryIO) -> Iterator[tuple[bytes, int, int]]:
    """(digest of the key, start, bytes of the value) of every record up to the first that is cut short."""
    end = file.seek(0, os.SEEK_END)
    start = 0
    while start + _HEADER.size <= end:
        file.seek(start)
        mark, digest, size = _HEADER.unpack(file.read(_HEADER.size))
        if mark != _MARK or start + _HEADER.size + size + _CHECK_BYTES > end:
            return
        yield digest, start, size
        start += _HEADER.size + size + _CHECK_BYTES


def _check(record: bytes) -> bytes:
    return hashlib.blake2b(record, digest_size=_CHECK_BYTES).digest()


def _shown(identity: Mapping[str, object], key: str) -> str:
    return json.dumps(identity[key], ensure_ascii=False) if key in identity else "nothing"
