"""What a command prints arrives whole, however it is buffered, however slow its reader; and a closed pipe."""

import fcntl
import io
import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from idinf.commands import main
from idinf.work import signals
from tests.commands.refusals import IDINF, runner

run = runner()


#: Commands that can print any number of bytes, each with more than the pipe of `receive` holds.
LONG = {
    "dataset": "dataset dyck-1 --bins 2-12 --number 100",
    "run next": "run dyck-1-next" + " abab" * 300,
    "net export": "net export net.json --as numpy",
    "judge": "judge even.json --target aa-star --length 60 --samples 0 --no-report --json",
    "crasp trace": "crasp trace dyck-1 " + "ab" * 150,
    "crasp compile": "crasp compile aa-bb-cc-dd-ee --direct -o -",
    "compose": "lab compose generate --m 4 --n 2,2 --count 50",
    "show": "show" + " report.json" * 5,
    "identify": "identify majority --max-r 5 --max-n 16 --json",
    "batch": "batch" + " majority" * 30 + " -o - --max-n 1 --max-r 5",
}
LONG = {name: line.split() for name, line in LONG.items()}

#: Those that say how long they took.
TIMED = ("batch", "identify", "judge")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a net and a report that command lines name."""
    folder = tmp_path_factory.mktemp("here")
    run("crasp", "compile", "dyck-1", "-o", folder / "net.json")
    run("crasp", "compile", "aa-star", "-o", folder / "even.json")
    run("identify", "majority", "--max-n", "8", "-o", folder / "report.json")
    return folder


def receive(line: tuple[str, ...], unbuffered: bool, waits: bool, patch: pytest.MonkeyPatch) -> bytes:
    """What arrives of stdout in a pipe of one page, whose reader begins when many ticks have passed."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writer, waits)
    found = list[bytes]()

    def read() -> None:
        select.select([reader], [], [])
        time.sleep(0.03)
        while piece := os.read(reader, 1 << 16):
            found.append(piece)
        os.close(reader)

    thread = threading.Thread(target=read)
    thread.start()
    with io.TextIOWrapper(open(writer, "wb", 0 if unbuffered else -1), write_through=unbuffered) as stream:
        patch.setattr(sys, "stdout", stream)
        with pytest.raises(SystemExit) as end:
            main([*line], prog_name="idinf")
    thread.join()
    assert end.value.code == 0
    return b"".join(found)


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="pipes have one size")
@pytest.mark.parametrize("name", LONG)
def test_a_slow_reader_gets_all(name: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here)
    monkeypatch.setattr(signals, "PULSE_S", 0.004)
    expected = run(*LONG[name]).stdout_bytes
    assert len(expected) > 4096
    found = receive(LONG[name], True, True, monkeypatch)
    assert (found == expected) or (name in TIMED and abs(len(found) - len(expected)) < 200)


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="pipes have one size")
@pytest.mark.parametrize(("unbuffered", "waits"), [(False, True), (True, False), (False, False)])
def test_whatever_the_pipe(unbuffered: bool, waits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffered, and one in which a write does not wait."""
    monkeypatch.setattr(signals, "PULSE_S", 0.004)
    for name in ("crasp trace", "crasp compile"):
        found = receive(LONG[name], unbuffered, waits, monkeypatch)
        assert found == run(*LONG[name]).stdout_bytes


def test_readers_of_a_process() -> None:
    """Behind a pipe of the system's size: a slow one gets all, and one that has gone is no error."""
    line = (*LONG["dataset"][:4], "--number", "1500")
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    for sleeps in (True, False):
        process = subprocess.Popen(
            [*IDINF, *line], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        if not sleeps:
            process.stdout.close()
            assert (process.communicate()[1], process.returncode) == (b"", 0)
            continue
        select.select([process.stdout], [], [])
        time.sleep(0.3)
        assert process.communicate() == (run(*line).stdout_bytes, b"")
