"""The process that answers: ``python -m idinf.lesson.child`` reads a question, and writes answers in lines.

Limits and requests to stop reach the main thread alone, and a notebook keeps its own for itself.
"""

from __future__ import annotations

import os
import signal
import sys

import msgspec


def main() -> None:
    """Answer the question in the first line of stdin; SIGINT ends the search with its results so far."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does, before numpy is imported
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell started us with &
    from idinf.base.files import write_all
    from idinf.lesson.answer import answer
    from idinf.lesson.messages import Asked, Message
    from idinf.work.executors import end_with_stdin

    def tell(message: Message) -> None:
        write_all(sys.stdout.buffer, msgspec.json.encode(message) + b"\n")

    asked = msgspec.json.decode(sys.stdin.buffer.readline(), type=Asked)
    end_with_stdin()
    answer(asked, tell)


if __name__ == "__main__":
    main()
