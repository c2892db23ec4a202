"""The judge is judged: every clause of the contract catches a fault that is planted in a real process."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.robustness.command_runner import Bench
from tests.robustness.promise import MIB, Promise, assert_kept, breaches

#: Ends a process like a refusal.
REFUSAL = "print('Error: planted', file=sys.stderr); sys.exit(3)"

#: Takes CPU.
BUSY = "[0 for _ in iter(lambda: time.process_time() < 0.3, False)]"

WRITING = Promise(writes=("out.json", "run"))

#: What a process does, what it promised, and what is said of it.
FAULTS = (
    ("sys.exit(70)", Promise(), "exit code 70"),
    ("sys.exit(1)", Promise(), "exit code 1"),
    ("sys.exit(0)", Promise(codes=(4,)), "exit code 0; expected 4"),
    ("os.kill(os.getpid(), 11)", Promise(), "ended by signal 11"),
    ("time.sleep(60)", Promise(wall_s=0.5), "did not end in 0.5 s"),
    ("signal.signal(15, signal.SIG_IGN); time.sleep(60)", Promise(wall_s=0.5), "did not end in 0.5 s"),
    ("while True: pass", Promise(cpu_s=0.2), "ended by signal 9"),
    (f"{BUSY}; sys.exit()", Promise(cpu_s=0.2), "s of CPU; expected at most 0.2"),
    (f"if os.fork() == 0: {BUSY}\nelse: os.wait()", Promise(cpu_s=0.2), "s of CPU; expected at most 0.2"),
    ("x = b'x' * (600 << 20); sys.exit()", Promise(), "MiB; expected at most 500"),
    ("print('a\\x1b[31m'); sys.exit()", Promise(), "stdout has the control character U+001B"),
    ("print('a\\x9b31m'); sys.exit()", Promise(), "stdout has the control character U+009B"),
    ("print('a\\r'); sys.exit()", Promise(), "stdout has the control character U+000D"),
    ("print('a\\x07', file=sys.stderr); sys.exit()", Promise(), "stderr has the control character U+0007"),
    ("os.write(1, b'\\xff'); sys.exit()", Promise(), "stdout is not UTF-8"),
    ("print('a\\nb\\nc', file=sys.stderr); sys.exit()", Promise(), "stderr has 3 lines"),
    ("print('x' * 301, file=sys.stderr); sys.exit()", Promise(), "stderr has a line of 301 characters"),
    ("1 / 0", Promise(codes=(1,)), "stderr says 'Traceback'"),
    ("print('internal error', file=sys.stderr); sys.exit(3)", Promise(), "stderr says 'internal error'"),
    ("sys.exit(3)", Promise(), "refused without a word"),
    (f"print('x'); {REFUSAL}", Promise(), "refused with 2 bytes on stdout"),
    (f"open('out.json', 'w'); {REFUSAL}", WRITING, "left behind 'here/out.json'"),
    ("open('other', 'w'); sys.exit()", WRITING, "left behind 'here/other'"),
    ("os.mkdir('run'); open('run/x.part', 'w'); sys.exit()", WRITING, "unfinished file 'here/run/x.part'"),
    (f"open('old', 'w').write('old'); {REFUSAL}", Promise(), "changed 'here/old'"),
    ("os.remove('old'); sys.exit()", Promise(), "removed 'here/old'"),
    ("os.replace('old', 'link'); sys.exit()", Promise(), "changed 'here/link'"),
    ("open('link', 'a').write('x'); sys.exit()", Promise(), "changed 'outside/victim'"),
    ("import tempfile; tempfile.mkstemp(); sys.exit()", Promise(), "left behind 'temporary/tmp"),
)  # fmt: skip


def _cases() -> list[object]:
    """Faults that take time to commit are slow."""
    return [
        pytest.param(
            *fault,
            marks=(pytest.mark.slow,) if "time" in fault[0] or "while" in fault[0] else (),
            id=fault[2],
        )
        for fault in FAULTS
    ]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("source", "promise", "said"), _cases())
def test_a_planted_fault_is_caught(source: str, promise: Promise, said: str, bench: Bench) -> None:
    (bench.here / "old").write_text("old")
    (bench.outside / "victim").write_text("precious")
    (bench.here / "link").symlink_to("../outside/victim")
    before = f"import os, signal, sys, time\n{source}\nsys.exit()"
    ended = bench.run("x", promise=promise, before=before, check=False)
    assert any(said in breach for breach in breaches(ended, promise)), breaches(ended, promise)
    with pytest.raises(AssertionError, match="idinf x"):
        assert_kept(ended, promise)


def test_what_is_kept_is_no_fault(bench: Bench) -> None:
    writes = "open('out.json', 'w').write('{}'); print('fine\\t≤'); print('Note: x', file=sys.stderr)"
    bench.run("x", promise=WRITING, before=f"import sys; {writes}; sys.exit(4)")
    bench.run("x", before=f"import sys; {REFUSAL}")
    streamed = replace(Promise(), streams=True)
    bench.run("x", promise=streamed, before=f"import sys; print('earlier'); {REFUSAL}")


@pytest.mark.slow
def test_both_ways_to_run_agree(bench: Bench) -> None:
    lines = (
        ["label", "majority", "01", "1"],
        ["label", "majority"],
        ["label", "majorty", "0"],
        ["--version"],
    )
    for line in lines:
        ends = [bench.run(*line, fresh=fresh) for fresh in (False, True)]
        assert len({(end.code, end.stdout, end.stderr) for end in ends}) == 1


def test_a_warm_process_is_no_larger_than_what_commands_may_take(bench: Bench) -> None:
    assert bench.run("label", "majority", "01").peak_bytes < 300 * MIB
