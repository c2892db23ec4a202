"""``idinf lab positions bound``: its table."""

from __future__ import annotations

import subprocess
import sys

from click.testing import CliRunner, Result

from idinf.commands import main
from tests.commands.refusals import refused


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ("lab", "positions", "bound", *arguments), prog_name="idinf")


def test_the_table_of_bounds() -> None:
    result = run("--phi", "ones", "--behind", "zero", "--positions", "4")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.split() for line in result.stdout.splitlines()[1:]] == [
        ["2", "1.118033989", "1.154701", "1.154700", "1.982703"],
        ["4", "1.266044443", "1.326123", "1.326122", "2.076327"],
    ]


def test_numbers_with_powers_of_ten_are_refused_unread() -> None:
    refused(run("--phi", "1e99999999,1"), 2, "phi = ", "numbers up to 1000000")


def test_a_solver_without_room_is_not_begun() -> None:
    """Its native code would end the process, or wait forever."""
    command = [sys.executable, "-m", "idinf", "lab", "positions", "bound", "--phi", "primes"]
    done = subprocess.run([*command, "--memory", "256M"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == "Error: the memory bound of 256 MiB was reached; raise --memory\n"
