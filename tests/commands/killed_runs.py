"""Runs in processes of their own, that can be killed, and what two of them must have in common."""

from __future__ import annotations

import csv
import io
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

from idinf.work.journal import FILE

__all__ = ["IDINF", "PATIENCE_S", "comparable", "comparable_rows", "kept_rows", "started", "stopped"]

IDINF = [sys.executable, "-c", "from idinf.commands import main; main(prog_name='idinf')"]

#: Longest that one of these processes may take on a busy machine.
PATIENCE_S = 240


def started(*arguments: str) -> subprocess.Popen[str]:
    """Start a command that can be killed; Ctrl-C reaches it even from a background job."""
    return subprocess.Popen(
        [*IDINF, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def comparable(report: str) -> str:
    """A report as text without the two lines that depend on time and machine."""
    lines = report.splitlines()
    kept = [line for line in lines if not line.startswith(('  "seconds":', '  "peak_bytes":'))]
    assert len(kept) == len(lines) - 2
    return "\n".join(kept)


def comparable_rows(text: str) -> list[dict[str, str]]:
    """Rows of a batch without what may differ between two runs."""
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        assert row.pop("seconds") != "" or row["error"]
    return rows


def kept_rows(directory: Path) -> int:
    """How much is finished by now."""
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"file:{directory / FILE}?mode=ro", uri=True)) as file,
    ):
        count: int = file.execute("SELECT count(*) FROM kept").fetchone()[0]
        return count
    return 0


def stopped(request: signal.Signals, wait_s: float, output: Path, *arguments: str) -> int:
    """Stop a batch or sweep that long after it has begun to keep something new; its exit code."""
    directory = Path(f"{output}.run")
    before = kept_rows(directory)
    process = started(*arguments, "-o", str(output), "--resume")
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and kept_rows(directory) <= before:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(wait_s)
    process.send_signal(request)
    process.communicate(timeout=PATIENCE_S)
    return process.returncode
