"""Commands run in this process, and what every refusal looks like, for the tests of commands."""

import sys
from collections.abc import Callable

from click.testing import CliRunner, Result

from idinf.commands import main

__all__ = ["IDINF", "refused", "runner"]

#: The command line in a process of its own.
IDINF = [sys.executable, "-c", "from idinf.commands import main; main(prog_name='idinf')"]


def runner(*command: str) -> Callable[..., Result]:
    """Return what runs a command with more arguments."""

    def run(*arguments: object, **options: object) -> Result:
        asked = [*command, *map(str, arguments)]
        return CliRunner().invoke(main, asked, prog_name="idinf", **options)

    return run


def refused(result: Result, code: int, *parts: str, stdout: str = "") -> None:
    """One line on stderr, which says all of this, and on stdout nothing else than what came before."""
    assert (result.exit_code, result.stdout) == (code, stdout), result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    assert [part for part in parts if part not in result.stderr] == []
