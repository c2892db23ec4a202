"""What every refusal looks like, for the tests of commands."""

from __future__ import annotations

from click.testing import Result

__all__ = ["refused"]


def refused(result: Result, code: int, *parts: str, stdout: str = "") -> None:
    """One line on stderr, which says all of this, and on stdout nothing else than what came before."""
    assert (result.exit_code, result.stdout) == (code, stdout), result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    assert [part for part in parts if part not in result.stderr] == []
