"""Who may come in, and what ends with the command that opened the lesson."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

from idinf.lesson.door import Opened
from idinf.lesson.messages import Asked
from tests.lesson.test_live import told

OPENED = Opened(4711, "password-of-a-test")

HERE = {"host": OPENED.host}

KEY = {"cookie": f"{OPENED.cookie}={OPENED.password}"}


def answered(query: str = "", kind: str = "http", **headers: str) -> int | str:
    """What a request gets: a status, the kind of an answer to a socket, or that the lesson has it."""
    pytest.importorskip("marimo", reason="marimo is not installed: pip install -e '.[lesson]'")
    from idinf.lesson.server import Door

    sent: list[Any] = []

    async def lesson(scope: Any, receive: Any, send: Any) -> None:
        sent.append({"type": "the lesson"})

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError

    given = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "method": "GET", "path": "/", "query_string": query.encode(), "headers": given}
    asyncio.run(Door(lesson, OPENED)(scope, receive, send))
    return sent[0].get("status", sent[0]["type"])


def test_the_lesson_has_who_knows_the_password() -> None:
    assert answered(**HERE, **KEY) == "the lesson"
    assert answered(**HERE, **KEY, origin=f"http://{OPENED.host}") == "the lesson"
    assert answered(**HERE, **KEY, kind="websocket") == "the lesson"
    assert answered(f"password={OPENED.password}", **HERE) == 303


@pytest.mark.parametrize(
    "headers",
    [
        HERE,
        HERE | {"cookie": f"{OPENED.cookie}=guessed"},
        HERE | {"cookie": f"{OPENED.cookie}=é"},
        KEY,
        KEY | {"host": "example.org:4711"},
        KEY | {"host": "127.0.0.1:80"},
        HERE | KEY | {"origin": "http://example.org"},
        HERE | KEY | {"origin": "http://127.0.0.1:80"},
        HERE | KEY | {"origin": "null"},
    ],
)
def test_nobody_else_has_anything(headers: dict[str, str]) -> None:
    assert answered(**headers) == 403
    assert answered("password=guessed", **headers) == 403
    assert answered(**headers, kind="websocket") == "websocket.close"


def test_a_password_on_a_foreign_page_opens_nothing() -> None:
    assert answered(f"password={OPENED.password}", host="example.org") == 403
    assert answered(f"password={OPENED.password}", **HERE, origin="http://example.org") == 403


@pytest.mark.parametrize("name", ["secret.toml", "secret.json", "secret.att", "secret.crasp", "secret"])
def test_no_file_is_read_and_none_is_quoted(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("the secret = of a file", encoding="utf-8")
    for text in (str(path), f"program:{path}", os.path.relpath(path), f"../{name}"):
        [refusal] = told(Asked(text))
        assert "the secret" not in refusal.text
        assert "unknown target" in refusal.text or "unexpected" in refusal.text


def is_there(process: int) -> bool:
    """Whether a process runs."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


OPEN = "from idinf.lesson.door import open_lesson; open_lesson(None, no_browser=True)"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_server_ends_with_the_command(number: signal.Signals) -> None:
    pytest.importorskip("marimo", reason="marimo is not installed: pip install -e '.[lesson]'")
    with subprocess.Popen([sys.executable, "-c", OPEN], stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        address = command.stdout.readline().strip()
        with pytest.raises(HTTPError, match="403"):
            build_opener().open(address.partition("?")[0] + "health")
        with build_opener(HTTPCookieProcessor()).open(Request(address)) as page:
            assert b"idinf: a language of your own" in page.read()
        listed = Path(f"/proc/{command.pid}/task/{command.pid}/children").read_text()
        [server] = map(int, listed.split())
        if number == signal.SIGINT:
            command.send_signal(number)
            assert command.wait(20) == 0
            assert not is_there(server)
        else:
            assert is_there(server)
            command.kill()
            until = time.monotonic() + 20
            while is_there(server) and time.monotonic() < until:
                time.sleep(0.05)
            assert not is_there(server)
