"""What every command promises, whatever it is given: one function over how a command line ended."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["MIB", "Ended", "Promise", "Tree", "assert_kept", "breaches", "tree_of"]

MIB = 2**20

#: Exit codes that any command may end with; others only where its help or the test says so.
EXIT_CODES = (0, 2, 3, 4)

#: Refusals: nothing on stdout, nothing written.
REFUSED = (2, 3)

#: Lines of stderr and characters of each, at most.
MOST_LINES, MOST_CHARACTERS = 2, 300

#: Files up to this size are compared by content, larger ones by size and time.
_READ_BYTES = 4 * MIB

#: Controls of C0 but ends of lines and tabulators, DEL, C1.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

#: What a message must never say.
_FORBIDDEN = ("Traceback", "internal error", "Exception ignored", "Warning:")

#: What lies in a folder, by path: kind and content.
Tree = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command line ended.

    Attributes
    ----------
    line : tuple of str
        The arguments after ``idinf``.
    code : int
        Exit code, or minus the signal that ended the process.
    stdout, stderr : bytes
    cpu_s : float
        Of the process and of the children it waited for.
    wall_s : float
    peak_bytes : int
        Largest resident size of the process or of a child it waited for.
    timed_out : bool
        Whether the process had to be killed.
    before, after : Tree
        What lay in the folder of the test.
    """

    line: tuple[str, ...]
    code: int
    stdout: bytes
    stderr: bytes
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_bytes: int = 0
    timed_out: bool = False
    before: Tree = field(default_factory=dict)
    after: Tree = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Promise:
    """The bounds of one command line.

    Attributes
    ----------
    codes : tuple of int
        Exit codes it may end with; minus the number of a signal that may end it.
    cpu_s : float
        Seconds of CPU of the process and its children; one process is killed there.
    wall_s : float
        Seconds until it is killed.
    peak_bytes : int
        Resident bytes of the largest process, slack included.
    writes : tuple of str
        Paths below the folder it runs in that it may change unless it refuses; a folder with all in it.
    streams : bool
        Whether lines may be on stdout before a refusal, as answers to earlier lines of stdin are.
    mute : bool
        Whether stderr is shut, so that nothing can be said.
    partial : bool
        Whether it may have written before it refuses, as when a disk is full in the middle of the work.
    lines : int
        Lines of stderr, at most; a batch has one more for each row.
    """

    codes: tuple[int, ...] = EXIT_CODES
    cpu_s: float = 10.0
    wall_s: float = 25.0
    peak_bytes: int = 500 * MIB
    writes: tuple[str, ...] = ()
    streams: bool = False
    mute: bool = False
    partial: bool = False
    lines: int = MOST_LINES


def breaches(ended: Ended, promise: Promise) -> list[str]:
    """Every clause of the contract that a command line broke, as short sentences."""
    return [*_of_the_end(ended, promise), *_of_the_texts(ended, promise), *_of_the_files(ended, promise)]


def assert_kept(ended: Ended, promise: Promise) -> None:
    """Fail with the command line, what it broke and the beginning of what it said."""
    __tracebackhide__ = True
    broken = breaches(ended, promise)
    if broken:
        said = ended.stderr.decode("utf-8", "backslashreplace")[:1000]
        raise AssertionError("\n  ".join([_shown(ended.line), *broken, f"stderr: {said!a}"]))


def tree_of(folder: Path) -> dict[str, str]:
    """What lies below a folder; links are not followed, nothing but small regular files is opened."""
    found: dict[str, str] = {}
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(parent, name)
            status = path.lstat()
            found[str(path.relative_to(folder))] = _content(path, status)
    return found


def _content(path: Path, status: os.stat_result) -> str:
    if stat.S_ISLNK(status.st_mode):
        return f"link to {path.readlink()}"
    if not stat.S_ISREG(status.st_mode):
        return f"kind {stat.S_IFMT(status.st_mode):o}"
    described = f"{status.st_size} bytes of {status.st_mtime_ns}"
    if status.st_size <= _READ_BYTES:
        described += f" {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return described


def _shown(line: tuple[str, ...]) -> str:
    """A command line to read, and to copy where it is short and plain."""
    parts = (part if len(part) <= 80 else f"{part[:40]}…({len(part)} characters)" for part in line)
    return f"idinf {ascii(shlex.join(parts))[1:-1]}"


def _of_the_end(ended: Ended, promise: Promise) -> Iterator[str]:
    if ended.timed_out:
        yield f"did not end in {promise.wall_s:g} s (it used {ended.cpu_s:.1f} s of CPU)"
    elif ended.code < 0 and ended.code not in promise.codes:
        yield f"was ended by signal {-ended.code} after {ended.cpu_s:.1f} s of CPU"
    elif ended.code not in promise.codes:
        yield f"exit code {ended.code}; expected {' or '.join(map(str, promise.codes))}"
    if ended.cpu_s > promise.cpu_s:
        yield f"took {ended.cpu_s:.1f} s of CPU; expected at most {promise.cpu_s:g}"
    if ended.peak_bytes > promise.peak_bytes:
        yield f"took {ended.peak_bytes // MIB} MiB; expected at most {promise.peak_bytes // MIB}"


def _of_the_texts(ended: Ended, promise: Promise) -> Iterator[str]:
    for name, raw in (("stdout", ended.stdout), ("stderr", ended.stderr)):
        text = raw.decode("utf-8", "replace")
        if found := _CONTROL.search(text):
            yield f"{name} has the control character U+{ord(found[0]):04X}"
        if raw and "\ufffd" in text and b"\xef\xbf\xbd" not in raw:
            yield f"{name} is not UTF-8"
    said = ended.stderr.decode("utf-8", "replace")
    yield from (f"stderr says {word!r}" for word in _FORBIDDEN if word in said)
    lines = said.splitlines()
    if len(lines) > promise.lines:
        yield f"stderr has {len(lines)} lines; expected at most {promise.lines}"
    longest = max(map(len, lines), default=0)
    if longest > MOST_CHARACTERS:
        yield f"stderr has a line of {longest} characters; expected at most {MOST_CHARACTERS}"
    if ended.code in REFUSED:
        if ended.stdout and not promise.streams:
            yield f"refused with {len(ended.stdout)} bytes on stdout"
        if not said.strip() and not promise.mute:
            yield "refused without a word on stderr"


def _of_the_files(ended: Ended, promise: Promise) -> Iterator[str]:
    changed = sorted(
        path for path in {*ended.before, *ended.after} if ended.before.get(path) != ended.after.get(path)
    )
    refused = ended.code in REFUSED and not promise.partial
    allowed = () if refused else promise.writes
    for path in changed:
        if any(f"{path}/".startswith(f"here/{given}/") for given in allowed):
            continue
        verb = "removed" if path not in ended.after else "changed" if path in ended.before else "left behind"
        yield f"{verb} {path[-120:]!a}"
    parts = [path for path in ended.after if path.endswith(".part") and path not in ended.before]
    yield from (f"left the unfinished file {path[-120:]!a}" for path in parts)
