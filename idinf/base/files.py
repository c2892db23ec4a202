"""Files as every stage reads and writes them: regular ones of a bounded size, and never by half.

A path comes from outside. It may name a pipe without a writer, a device without an end, or a file that is
larger than memory; none of these may hold a command up.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from idinf.base.quoting import escape_controls, quote
from idinf.errors import ArgumentError, IdinfError

KIB, MIB = 2**10, 2**20

#: How files are opened: without waiting for a pipe, and not for other programs, where a system knows these.
_FLAGS = sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NONBLOCK", "O_BINARY"))

#: Longest part of a path that a message shows.
_SHOWN_PATH = 120


class Unreadable(Exception):
    """Reason why a file cannot be read, as a part of a sentence; the caller adds the expectation."""


class OutputError(IdinfError, OSError):
    """A file that the user named cannot be written."""


#: Kinds of files by mode; all others are devices.
_KINDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


def take_path(given: object) -> str:
    """Give the text of a path that a caller gave; an ArgumentError if it is none.

    >>> take_path("a.json")
    'a.json'
    """
    if not isinstance(given, str | os.PathLike):
        raise ArgumentError(f"{quote(given)} is no path; expected a text or a pathlib.Path; give one")
    return str(os.fspath(given))


def show_path(path: str | Path, most: int = _SHOWN_PATH) -> str:
    """A path as messages show it: its end where it is long, without control characters.

    >>> show_path("specs/majority.toml"), len(show_path("x" * 5000))
    ('specs/majority.toml', 120)
    """
    text = escape_controls(str(path)).replace("\n", "\\u000a").replace("\t", "\\u0009")
    return text if len(text) <= most else f"…{text[1 - most :]}"


@contextlib.contextmanager
def blaming(origin: str, errors: tuple[type[IdinfError], ...] = (IdinfError,)) -> Iterator[None]:
    """Put the name of a file in front of refusals about it, once.

    >>> with blaming("net.json"):
    ...     raise IdinfError("nothing is written")
    Traceback (most recent call last):
        ...
    idinf.errors.IdinfError: net.json: nothing is written
    """
    shown = show_path(origin)
    try:
        yield
    except errors as error:
        if str(error).startswith(f"{shown}: "):
            raise
        raise type(error)(f"{shown}: {error}", *error.args[1:]) from None


def read_bytes(path: str | Path, most: int) -> bytes:
    """Read a regular file of at most ``most`` bytes.

    Raises `Unreadable` if it is missing, larger, or no regular file; without waiting for anything.
    """
    try:
        number = os.open(path, os.O_RDONLY | _FLAGS)
        try:
            found = os.fstat(number)
            if not stat.S_ISREG(found.st_mode):
                raise Unreadable(f"is {_KINDS.get(stat.S_IFMT(found.st_mode), 'a device')}, not a file")
            if found.st_size > most:
                raise Unreadable(f"is larger than {_size(most)}")
            with open(number, "rb", closefd=False) as file:
                content = file.read(found.st_size)
                # A buffer of so many bytes is made at once, so bytes that a file grows by are read in pieces.
                while len(content) <= most and (piece := file.read(min(MIB, most + 1 - len(content)))):
                    content += piece
        finally:
            os.close(number)
    except OSError as error:
        if error.errno == errno.ENOENT:
            raise Unreadable("no such file") from None
        raise Unreadable(error.strerror or "cannot be read") from None
    except (ValueError, TypeError) as error:  # a path with a zero byte, or half a character; no path at all
        raise Unreadable(f"is no path ({error})") from None
    if len(content) > most:
        raise Unreadable(f"is larger than {_size(most)}")
    return content


def read_text(path: str | Path, most: int, error: type[IdinfError], expected: str) -> str:
    """Read a regular file of UTF-8 text; a byte order mark at its beginning is left out.

    Raises ``error`` with the path, the fault and ``expected``: the expectation of a file of at most ``most``
    bytes and a remedy, as in ``"expected a spec in TOML; check the path"``.
    """
    try:
        return read_bytes(path, most).decode("utf-8-sig")
    except Unreadable as reason:
        raise error(f"{show_path(path)}: {reason}; {expected}") from None
    except UnicodeDecodeError:
        raise error(f"{show_path(path)}: not UTF-8 text; {expected}") from None


def check_writable(path: str) -> None:
    """Refuse a path that cannot be written, without touching it.

    Raises `OutputError` if it is a folder, lies in none, or may not be written.
    """
    shown = show_path(path)
    with _output_errors(path):
        target = Path(path).resolve()
        if target.is_dir():
            raise OutputError(f"{shown}: is a folder; expected the path of a file; name a file in it")
        if not target.parent.is_dir():
            folder = show_path(target.parent)
            raise OutputError(f"{shown}: there is no folder {folder}; expected an existing one; create it")
        with contextlib.suppress(FileNotFoundError):
            target.stat()  # a name that is too long, a loop of links
        replaceable = os.access(target.parent, os.W_OK | os.X_OK)
        if not replaceable or (target.exists() and not os.access(target, os.W_OK)):
            raise OutputError(
                f"{shown}: may not be written; expected a path you can write to; choose another"
            )


def make_folder(path: str | Path) -> None:
    """Make a folder, and those above it, unless it is there. Raises `OutputError` if it cannot be made."""
    with _output_errors(path, "made a folder", "a folder to write to"):
        Path(path).mkdir(parents=True, exist_ok=True)


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file as a whole, text as UTF-8: at any moment it is the old one or the new one, never a part.

    Parameters and errors are as of `prepared`.
    """
    with prepared(path, content):
        pass


@contextlib.contextmanager
def prepared(path: str | Path, content: str | bytes) -> Iterator[None]:
    """Write a file beside its place, which it takes at the end; if something is raised before, it is gone.

    It is on the disk before it takes the name, and has the permissions of the old one. A link stays a link. A
    device or a pipe cannot be replaced and is written to at once. Raises `OutputError` if the file cannot be
    written, for example because the disk is full; the old one is still there.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    with _output_errors(path):
        # Through links, so that a link stays one.
        target = Path(path).resolve()
        is_device = target.exists() and not target.is_file()
        part = target if is_device else _name_part(target)
    if is_device:
        with _output_errors(path):
            _write_to_device(target, data)
        yield
        return
    try:
        with _output_errors(path), open(part, "xb") as file:
            old = 0
            with contextlib.suppress(OSError):
                old = os.stat(target).st_mode
            if stat.S_ISREG(old):
                os.chmod(part, stat.S_IMODE(old))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield
        with _output_errors(path):
            os.replace(part, target)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)


def write_all(stream: IO[bytes], data: bytes) -> None:
    """Write all bytes past the buffer of a stream, which is empty.

    A signal cuts a write to a pipe short, and a pipe that does not wait takes only as much as fits.
    """
    raw, rest = getattr(stream, "raw", stream), memoryview(data)
    while rest:
        number = raw.write(rest)
        if number is None:
            select.select((), (raw,), ())
        rest = rest[number or 0 :]


def _name_part(target: Path) -> Path:
    """A new name for a file that is being written; such files of killed processes are removed."""
    mark = f".idinf-{zlib.crc32(os.fsencode(target.name)):08x}"
    for left in target.parent.glob(f"{mark}-*.part"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if not _is_running(int(left.name.split("-")[2])):
                left.unlink()
    return target.with_name(f"{mark}-{os.getpid()}-{os.urandom(4).hex()}.part")


def _is_running(pid: int) -> bool:
    """True if a process exists; False on systems other than POSIX, where an open file stays anyway."""
    if os.name != "posix":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user
        return True
    return True


def _write_to_device(path: Path, data: bytes) -> None:
    """Write to a device or a pipe; a pipe without a reader is refused rather than waited for."""
    try:
        number = os.open(path, os.O_WRONLY | _FLAGS)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise OutputError(
            f"{show_path(path)}: is a pipe that nobody reads; expected a reader; start one first"
        ) from None
    with open(number, "wb", buffering=0) as device:
        write_all(device, data)


@contextlib.contextmanager
def _output_errors(
    path: str | Path, what: str = "written", expected: str = "a path you can write to"
) -> Iterator[None]:
    """Turn an error of the system about a path that is written into one sentence."""
    try:
        yield
    except OutputError:
        raise
    except (OSError, ValueError, RuntimeError) as error:  # a zero byte; older Pythons: a loop of links
        reason = error.strerror if isinstance(error, OSError) else quote(str(error))
        raise OutputError(
            f"{show_path(path)}: cannot be {what} ({reason}); expected {expected}; choose another"
        ) from None


def _size(number: int) -> str:
    return f"{number // MIB} MiB" if number >= MIB else f"{number // KIB} KiB"
