"""The process that serves the lesson: ``python -m idinf.lesson.server`` reads its port and password on stdin.

It ends when the other end of its stdin is closed, and with it the search.
"""

from __future__ import annotations

import hmac
import sys

import msgspec
import uvicorn
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from idinf.lesson.door import HOST, NOTEBOOK, Opened
from idinf.work.executors import end_with_stdin

#: Reply to everybody without the password.
CLOSED = "The lesson is open at the address that `idinf demo --open` wrote, with its password.\n"


class Door:
    """Lets in who knows the password, on pages of the lesson itself.

    Any page in a browser can send requests to this machine, under a name of its own, too: so those for
    another host, or from another origin, are refused.
    """

    def __init__(self, lesson: ASGIApp, opened: Opened) -> None:
        self.lesson, self.opened = lesson, opened

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand a request on to the lesson."""
        if scope["type"] == "lifespan" or (answer := self._answer(HTTPConnection(scope))) is None:
            await self.lesson(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await answer(scope, receive, send)

    def _answer(self, asked: HTTPConnection) -> Response | None:
        """Response that refuses a request or sets the cookie; None if the request may pass."""
        opened, headers = self.opened, asked.headers
        is_ours = headers.getlist("host") == [opened.host]
        is_ours &= {*headers.getlist("origin")} <= {f"http://{opened.host}"}
        if is_ours and self._is_password(asked.cookies.get(opened.cookie, "")):
            return None
        if is_ours and self._is_password(asked.query_params.get("password", "")):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(opened.cookie, opened.password, httponly=True, samesite="strict")
            return answer
        return PlainTextResponse(CLOSED, 403)

    def _is_password(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.opened.password.encode())


def main() -> None:
    """Serve the notebook as an app: without its code, on this machine alone."""
    import marimo  # which takes a while

    opened = msgspec.json.decode(sys.stdin.buffer.readline(), type=Opened)
    end_with_stdin()
    app = marimo.create_asgi_app(quiet=True).with_app(path="", root=str(NOTEBOOK)).build()
    uvicorn.run(Door(app, opened), host=HOST, port=opened.port, log_level="critical")


if __name__ == "__main__":
    main()
