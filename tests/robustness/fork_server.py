"""A warm interpreter that runs command lines of idinf, each in a forked process of its own.

Started by `command_runner`, never imported by it. What a command needs is loaded once, so a command line
takes milliseconds; with ``"fresh"`` it runs in a new interpreter instead. Every process leads a session, has
limits of the kernel, and is killed with its whole group when its time is over.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import glob
import importlib
import json
import os
import pkgutil
import resource
import signal
import socket
import sys
import time
import traceback
from typing import Any

#: What commands load late; without them every fork would.
LATE = ("automata.fa.dfa", "automata.fa.nfa", "lark", "matplotlib.figure", "networkx", "scipy.optimize")

#: Seconds between two looks at a running process.
BEAT_S = 0.004

#: Bytes of a kind of resource beside which the request names none.
ADDRESS_SPACE, FILE_SIZE = 5 * 2**30, 64 * 2**20


def warm_up() -> None:
    """Import whatever a command may need."""
    import idinf
    from idinf.crasp.parser import parse

    for module in pkgutil.walk_packages(idinf.__path__, "idinf."):
        importlib.import_module(module.name)
    for name in LATE:
        importlib.import_module(name)
    parse('accept = # "a" >= 0')  # builds the parser
    gc.collect()
    gc.freeze()


def serve(control: socket.socket) -> None:
    """Answer one request a line until the other side closes."""
    lines = control.makefile("r", encoding="utf-8")
    for line in lines:
        answer = run(json.loads(line), control)
        control.sendall(json.dumps(answer).encode() + b"\n")


def run(request: dict[str, Any], control: socket.socket) -> dict[str, object]:
    """Run one command line to its end."""
    start = time.monotonic()
    # A limit on the size of files holds for collected texts too, but not for pipes.
    pipes = {name: os.pipe() for name in ("stdout", "stderr") if request["file_size"] and request[name]}
    pid = os.fork()
    if pid == 0:
        control.close()
        become(request, {name: ends[1] for name, ends in pipes.items()})
    timed_out = sent = False
    while True:
        done, status, used = os.wait4(pid, os.WNOHANG)
        if done:
            break
        elapsed = time.monotonic() - start
        if request["signal"] and not sent and is_time(request["signal_when"], elapsed):
            os.kill(pid, request["signal"])
            sent = True
        if elapsed > request["wall_s"]:
            timed_out = True
            kill_group(pid)
            _, status, used = os.wait4(pid, 0)
            break
        time.sleep(BEAT_S)
    kill_group(pid)
    for name, ends in pipes.items():
        drain(request[name], *ends)
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "code": os.waitstatus_to_exitcode(status),
        "cpu_s": used.ru_utime + used.ru_stime,
        "wall_s": time.monotonic() - start,
        "peak_bytes": used.ru_maxrss * unit,
        "timed_out": timed_out,
        "signal_sent": sent,
    }


def is_time(when: float | str, elapsed: float) -> bool:
    """Whether to send the signal: after seconds, or once a file of a pattern is there."""
    return bool(glob.glob(when)) if isinstance(when, str) else elapsed >= when


def kill_group(leader: int) -> None:
    """End what is left of a session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def drain(path: str, reading: int, writing: int) -> None:
    """Keep what is in a pipe, at most what it holds by itself."""
    os.close(writing)
    with open(reading, "rb") as pipe, open(path, "wb") as file:
        file.write(pipe.read())


def become(request: dict[str, Any], pipes: dict[str, int]) -> None:
    """Be the process of the request; never returns."""
    code = 1
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU):
            signal.signal(number, signal.SIG_DFL)
        os.chdir(request["folder"])
        os.environ.update(request["environment"])
        for number, name, flags in (
            (0, "stdin", os.O_RDONLY),
            (1, "stdout", os.O_WRONLY | os.O_CREAT | os.O_APPEND),
            (2, "stderr", os.O_WRONLY | os.O_CREAT | os.O_APPEND),
        ):
            if request[name] is None:
                os.close(number)
            else:
                opened = pipes[name] if name in pipes else os.open(request[name], flags, 0o600)
                os.dup2(opened, number)
                os.close(opened)
        limit(request)
        if request["fresh"]:
            source = f"{request['before']}\nfrom idinf.commands import main; main(prog_name='idinf')"
            os.execv(sys.executable, [sys.executable, "-c", source, *request["line"]])
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = main(request["line"])
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def limit(request: dict[str, Any]) -> None:
    """Set the limits of the kernel; at the limit of CPU the process is killed at once."""
    cpu = int(request["cpu_s"]) + 1
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, request["file_size"] or FILE_SIZE),
        (resource.RLIMIT_AS, request["address_space"] or ADDRESS_SPACE),
    ):
        resource.setrlimit(kind, (most, most))


def main(line: list[str]) -> int:
    """Run a command line as the interpreter would; its exit code."""
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        errors = "backslashreplace" if name == "stderr" else "strict"
        try:
            os.fstat(number)
        except OSError:  # closed
            setattr(sys, name, None)
            continue
        setattr(sys, name, open(number, mode, encoding="utf-8", errors=errors, closefd=False))  # noqa: SIM115
    sys.argv = ["idinf", *line]
    from idinf.commands import main as command_line

    code: object = 1
    try:
        command_line(args=line, prog_name="idinf")
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    atexit._run_exitfuncs()
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except (OSError, ValueError):
        code = 120
    return code if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    warm_up()
    with socket.socket(fileno=int(sys.argv[1])) as connection:
        connection.set_inheritable(False)
        serve(connection)
