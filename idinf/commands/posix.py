"""Imported before everything that needs a POSIX system: elsewhere the command line ends in one sentence."""

from __future__ import annotations

import sys
from importlib.util import find_spec

#: Without these modules of Python no memory is bounded, no time limit holds and no directory is locked.
NEEDED = ("fcntl", "resource")

if any(find_spec(name) is None for name in NEEDED):
    print(
        "Error: idinf needs Linux, macOS or another POSIX system; use the Subsystem for Linux on Windows",
        file=sys.stderr,
    )
    raise SystemExit(3)
