"""The lesson in a browser: the notebook beside this module, served on this machine until it is left."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import webbrowser
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from idinf.errors import IdinfError, MissingPackageError
from idinf.work.signals import Requests

#: The variable of the environment that names the first language to the notebook.
TARGET = "IDINF_LESSON_TARGET"

NOTEBOOK = Path(__file__).with_name("notebook.py")

#: Where it is served: nobody else can reach it.
HOST = "127.0.0.1"

#: Seconds that the server has to begin, and to end.
BEGIN_S, END_S = 60.0, 5.0


def is_installed() -> bool:
    """Whether there is what the lesson needs."""
    return find_spec("marimo") is not None


def open_lesson(target: str | None, no_browser: bool = False) -> None:
    """Serve the lesson, write its address to stdout, open it in a browser; Ctrl-C ends it.

    Parameters
    ----------
    target : str, optional
        The language that stands in it at first, as ``idinf identify`` takes it.
    no_browser : bool
        Whether to leave it at the address.

    Raises
    ------
    MissingPackageError
        If marimo is not installed.
    IdinfError
        If the server does not begin.
    """
    if not is_installed():
        raise MissingPackageError("marimo is not installed; the lesson needs it; pip install marimo")
    with Requests().deferred() as requests:
        port = _find_port()
        server = subprocess.Popen(
            _command(port),
            env={**os.environ, TARGET: target or ""},  # marimo would read an argument
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # else it asks, at a Ctrl-C, whether that was meant
        )
        try:
            address = f"http://{HOST}:{port}/"
            _wait_for(server, address, requests)
            if requests.signal is None:
                sys.stdout.write(f"{address}\n")
                sys.stdout.flush()
                sys.stderr.write("The lesson is open; Ctrl-C ends it\n")
                if not no_browser and not webbrowser.open(address):
                    sys.stderr.write(f"Note: no browser could be started; open {address} yourself\n")
            while requests.signal is None and server.poll() is None:
                time.sleep(0.1)
        finally:
            server.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.wait(END_S)
            server.kill()


def _command(port: int) -> list[str]:
    """Serve the notebook as an app: without its code, and without asking for anything."""
    how = ["--headless", "--no-sandbox", "--no-check", "--host", HOST, "--port", str(port)]
    return [sys.executable, "-m", "marimo", "run", str(NOTEBOOK), *how]


def _find_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def _wait_for(server: subprocess.Popen[bytes], address: str, requests: Requests) -> None:
    """Wait until a server answers, or somebody does not want it any more."""
    until = time.monotonic() + BEGIN_S
    while requests.signal is None:
        with suppress(URLError, OSError), urlopen(f"{address}health", timeout=1):
            return
        if server.poll() is not None or time.monotonic() > until:
            raise IdinfError(
                f"the lesson did not begin within {BEGIN_S:g} s; expected marimo to serve it; see "
                f"'python -m marimo run {NOTEBOOK}'"
            )
        time.sleep(0.05)
