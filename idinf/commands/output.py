"""Writing a report to a file: checked before the work begins, and never half written."""

from __future__ import annotations

import os
from pathlib import Path

from idinf.errors import IdinfError

__all__ = ["OutputError", "check_writable", "write_atomically"]


class OutputError(IdinfError, OSError):
    """A file that the user named cannot be written."""


def check_writable(path: str) -> None:
    """Refuse a path that cannot be written, without touching it.

    Raises
    ------
    OutputError
        If it is a folder, lies in none, or may not be written.
    """
    target = Path(path).resolve()
    if target.is_dir():
        raise OutputError(f"{path}: is a folder; expected the path of a file; name a file in it")
    if not target.parent.is_dir():
        raise OutputError(f"{path}: there is no folder {target.parent}; expected an existing one; create it")
    replaceable = os.access(target.parent, os.W_OK | os.X_OK)
    if not replaceable or (target.exists() and not os.access(target, os.W_OK)):
        raise OutputError(f"{path}: may not be written; expected a path you can write to; choose another")


def write_atomically(path: str, content: str | bytes) -> None:
    """Write a file as a whole, text as UTF-8: a reader finds the old content or the new one, never a part.

    Raises
    ------
    OutputError
        If the file cannot be written, for example because the disk is full.
    """
    target = Path(path).resolve()  # through links, so that a link stays one
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)  # a device or a pipe cannot be replaced
            return
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            part.write_bytes(data)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            f"{path}: cannot be written ({error.strerror}); expected a path you can write to; choose another"
        ) from None
