"""A helper of a worker of dask: a process without threads, which forks a child for every session.

A worker of dask has threads, so it must not fork, and work in one of its threads could neither be bounded
nor ended. Its helper loads idinf once. Each session has a child with what the first message unpickles to, a
callable, which takes further messages and answers them. Ends of children are told as answers, so a crash is
the end of a session and not of a worker.
"""

from __future__ import annotations

import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection, wait

from idinf.runtime.processes import Children, Lost
from idinf.runtime.signals import REQUESTS

#: First byte of a message to a helper: begin a session, ending the one before; or it is for the session.
NEW, MORE = b"N", b"M"

#: First byte of an answer: by the session; or its child is gone, and how.
SAID, GONE = b"S", b"G"

#: What a session does with a function that gives the next message and one that takes answers.
Session = Callable[[Callable[[], bytes], Callable[[bytes], None]], None]


def serve(upstream: Connection) -> None:
    """Pass messages on until the other side is gone; answers begin with the number of their session."""
    with Children() as children:
        session: Connection | None = None
        number = 0
        while True:
            ready = wait([upstream, *children.running])
            if upstream in ready:
                try:
                    message = upstream.recv_bytes()
                except (EOFError, OSError):
                    return
                kind, content = message[:1], message[1:]
                if kind == NEW:
                    if session is not None and session in children.running:
                        children.kill(session)
                        children.ended(session)
                    session = children.start(partial(_live, upstream, content))
                    number += 1
                elif session is not None and session in children.running:
                    with suppress(OSError):  # it is gone, which it says itself
                        session.send_bytes(content)
            for _, said in children.received(0.0):  # by the session, as the one before is not there
                answer = GONE + said.how.encode() if isinstance(said, Lost) else SAID + said
                try:
                    upstream.send_bytes(number.to_bytes(8) + answer)
                except OSError:
                    return


def _live(upstream: Connection, first: bytes, pipe: Connection) -> None:
    """The life of the child of a session."""
    upstream.close()
    session: Session = pickle.loads(first)  # written by idinf, as the worker has made sure
    with suppress(EOFError):
        session(pipe.recv_bytes, pipe.send)


def main() -> None:
    """Serve at the file descriptor that is named, with the modules loaded that are named after it."""
    for number in REQUESTS:  # they are for the user's process, which ends what it started
        signal.signal(number, signal.SIG_IGN)
    for name in sys.argv[2:]:
        import_module(name)
    serve(Connection(int(sys.argv[1])))


if __name__ == "__main__":
    main()
