"""Runs command lines for tests: a fork of a warm interpreter each, or a new process."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import idinf
from tests.robustness.promise import Ended, Promise, assert_kept, tree_of

__all__ = ["Bench", "Server"]

_SERVER = Path(__file__).with_name("fork_server.py")

#: Where the package that is tested lies; a new interpreter must not find another one.
_ROOT = Path(idinf.__file__).resolve().parents[1]


class Server:
    """The warm interpreter of one test process. Mutable: it is started when it is first asked.

    Parameters
    ----------
    caches : Path
        Where libraries may keep caches.
    """

    def __init__(self, caches: Path) -> None:
        self.caches = caches
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: dict[str, object]) -> dict[str, Any]:
        """Run a command line to its end."""
        if self._process is None:
            self._start()
        self._control.sendall(json.dumps(request).encode() + b"\n")
        answer = self._answers.readline()
        assert answer, "the warm interpreter ended; it runs no test code, so look at fork_server.py"
        told: dict[str, Any] = json.loads(answer)
        return told

    def close(self) -> None:
        """End the interpreter and wait for it."""
        if self._process is not None:
            self._answers.close()
            self._control.close()
            self._process.wait(30)

    def _start(self) -> None:
        self._control, theirs = socket.socketpair()
        self._answers = self._control.makefile("r", encoding="utf-8")
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("IDINF_", "PYTHON"))},
            "OPENBLAS_NUM_THREADS": "1",
            "MPLCONFIGDIR": str(self.caches),
            "PYTHONPATH": str(_ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONIOENCODING": "utf-8",
        }
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, str(_SERVER), str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                env=environment,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )


class Bench:
    """One test's folder, and the command lines it runs there.

    Parameters
    ----------
    server : Server
    root : Path
        Gets the folder ``here``, where commands run, ``outside``, which none of them may touch, and
        ``temporary``, where nothing may stay. All three are compared before and after.
    """

    def __init__(self, server: Server, root: Path) -> None:
        self.server, self.root = server, root
        self.place = root / "place"
        self.here, self.outside = self.place / "here", self.place / "outside"
        for folder in (self.here, self.outside, self.place / "temporary"):
            folder.mkdir(parents=True)

    def run(
        self,
        *line: str,
        promise: Promise | None = None,
        fresh: bool = False,
        before: str = "",
        stdin: str | bytes | None = b"",
        stdout: str | None = "",
        stderr: str | None = "",
        sent: int | None = None,
        when: float | str = 0.0,
        file_size: int | None = None,
        address_space: int | None = None,
        check: bool = True,
    ) -> Ended:
        """Run ``idinf LINE`` and check what every command promises.

        Parameters
        ----------
        *line : str
        promise : Promise or None
            None: that of whatever is refused.
        fresh : bool
            A new interpreter in place of a fork of the warm one.
        before : str
            Python that a new interpreter runs first.
        stdin : str, bytes or None
            The path of a file, what is read, or closed.
        stdout, stderr : str or None
            The path of a file, empty to be collected, or closed.
        sent, when
            A signal for the process, after so many seconds or once a file of that pattern is there.
        file_size, address_space : int or None
            Limits in bytes other than the usual ones.
        check : bool
            Whether a broken promise fails the test, and an end before the signal.
        """
        __tracebackhide__ = True
        promise = promise or Promise()
        collected = {"stdout": self.root / "stdout", "stderr": self.root / "stderr"}
        for path in collected.values():
            path.unlink(missing_ok=True)
        if isinstance(stdin, bytes):
            (self.root / "stdin").write_bytes(stdin)
            stdin = str(self.root / "stdin")
        earlier = tree_of(self.place)
        told = self.server.ask(
            {
                "line": list(line),
                "folder": str(self.here),
                "environment": {"TMPDIR": str(self.place / "temporary"), "HOME": str(self.root)},
                "stdin": stdin,
                "stdout": str(collected["stdout"]) if stdout == "" else stdout,
                "stderr": str(collected["stderr"]) if stderr == "" else stderr,
                "fresh": fresh or bool(before),
                "before": before,
                "signal": sent,
                "signal_when": when,
                "wall_s": promise.wall_s,
                "cpu_s": promise.cpu_s,
                "file_size": file_size,
                "address_space": address_space,
            }
        )
        texts = [path.read_bytes() if path.exists() else b"" for path in collected.values()]
        was_sent = told.pop("signal_sent")
        assert was_sent or sent is None or not check, f"idinf {' '.join(line)} ended before the signal"
        ended = Ended(
            line, stdout=texts[0], stderr=texts[1], before=earlier, after=tree_of(self.place), **told
        )
        if check:
            assert_kept(ended, promise)
        return ended

    def close(self) -> None:
        """Remove the folder of the test with whatever lies in it."""
        shutil.rmtree(self.root, ignore_errors=True)
