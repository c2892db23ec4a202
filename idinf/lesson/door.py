"""The lesson in a browser: the notebook beside this module, served on this machine until it is left."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
import webbrowser
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import msgspec
from msgspec import Struct

from idinf.errors import IdinfError, MissingPackageError
from idinf.work.signals import Requests

#: The variable of the environment that names the first language to the notebook.
TARGET = "IDINF_LESSON_TARGET"

NOTEBOOK = Path(__file__).with_name("notebook.py")

#: Address of the server: no other machine can reach it.
HOST = "127.0.0.1"


class Opened(Struct, frozen=True):
    """Port of a lesson, and the password of its reader."""

    port: int
    password: str

    @property
    def host(self) -> str:
        """Host and port of the server, as in the Host header of a browser."""
        return f"{HOST}:{self.port}"

    @property
    def cookie(self) -> str:
        """The name under which a browser keeps the password: all ports of a machine share their cookies."""
        return f"idinf-lesson-{self.port}"

    @property
    def address(self) -> str:
        """Address that a browser has to open."""
        return f"http://{self.host}/?password={self.password}"


#: Seconds that the server has to begin, and to end.
BEGIN_S, END_S = 60.0, 5.0


def is_installed() -> bool:
    """True if the packages of the lesson are installed."""
    return None not in map(find_spec, ("marimo", "zmq"))


def open_lesson(target: str | None, no_browser: bool = False) -> None:
    """Serve the lesson, write its address to stdout, open it in a browser; Ctrl-C ends it.

    Parameters
    ----------
    target : str, optional
        The language that stands in it at first, as ``idinf identify`` takes it.
    no_browser : bool
        True to open no browser.

    Raises
    ------
    MissingPackageError
        If marimo is not installed.
    IdinfError
        If the server does not begin.
    """
    if not is_installed():
        raise MissingPackageError(
            "marimo or pyzmq is not installed; the lesson needs both; pip install marimo pyzmq"
        )
    with Requests().deferred() as requests:
        opened = Opened(_find_port(), secrets.token_urlsafe(24))
        server = subprocess.Popen(
            [sys.executable, "-m", "idinf.lesson.server"],
            env={**os.environ, TARGET: target or ""},
            stdin=subprocess.PIPE,  # the server ends when this is closed, as when we are killed
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C is for us
        )
        assert server.stdin is not None
        try:
            with suppress(BrokenPipeError):
                server.stdin.write(msgspec.json.encode(opened) + b"\n")
                server.stdin.flush()
            _wait_for(server, opened, requests)
            if requests.signal is None:
                sys.stdout.write(f"{opened.address}\n")
                sys.stdout.flush()
                sys.stderr.write("The lesson is open; Ctrl-C ends it\n")
                if not no_browser and not webbrowser.open(opened.address):
                    sys.stderr.write(f"Note: no browser could be started; open {opened.address} yourself\n")
            while requests.signal is None and server.poll() is None:
                time.sleep(0.1)
        finally:
            server.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.wait(END_S)
            server.kill()
            server.stdin.close()


def _find_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def _wait_for(server: subprocess.Popen[bytes], opened: Opened, requests: Requests) -> None:
    """Wait until a server answers, or the user stops it."""
    until = time.monotonic() + BEGIN_S
    question = Request(
        f"http://{opened.host}/health", headers={"Cookie": f"{opened.cookie}={opened.password}"}
    )
    while requests.signal is None:
        with suppress(URLError, OSError), urlopen(question, timeout=1):
            return
        if server.poll() is not None or time.monotonic() > until:
            raise IdinfError(
                f"the lesson did not begin within {BEGIN_S:g} s; expected marimo to serve it; see "
                f"'python -m marimo run {NOTEBOOK}'"
            )
        time.sleep(0.05)
