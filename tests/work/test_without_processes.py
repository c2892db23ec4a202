"""Without fcntl, resource, fork and multiprocessing, as on Windows and in browsers, one process does all."""

import csv
import json
import subprocess
import sys
from pathlib import Path

#: Takes away what is not there, and runs one command after the other.
PROGRAM = """
import sys

GONE = {"fcntl", "resource", "multiprocessing", "_multiprocessing", "_posixshmem"}

class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in GONE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Gone())
import os, signal
for name in ("fork", "forkpty", "register_at_fork", "O_CLOEXEC", "O_NONBLOCK", "fchmod"):
    delattr(os, name)
for name in ("setitimer", "pthread_sigmask", "SIGHUP", "SIGXCPU", "SIGALRM"):
    delattr(signal, name)

import json
from idinf.commands import main

for arguments in json.loads(sys.argv[1]):
    try:
        main(arguments, prog_name="idinf")
    except SystemExit as end:
        print(f"exit {end.code}", flush=True)
        if end.code:
            raise
"""

TINY = ["--max-n", "3", "--layers", "1", "--precision", "0", "-q"]


def test_every_kind_of_command_runs(tmp_path: Path) -> None:
    report, table, site = tmp_path / "r.json", tmp_path / "t.csv", tmp_path / "page.html"
    commands = [
        [
            "identify",
            "majority",
            *TINY,
            *["--space", "spec", "-j", "2", "--time-limit", "600", "-o"],
            str(report),
        ],
        ["identify", "majority", "--space", "spec", *TINY, "--run-dir", str(tmp_path / "run"), "--json"],
        ["batch", "majority", "tomita-1", "--spaces", "spec", *TINY, "-j", "2", "-o", str(table)],
        ["classify", "tomita-1"],
        ["show", str(report), "-o", str(site)],
        ["run", "majority", "0", "1"],
        ["verify", str(report)],
    ]
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(commands)], capture_output=True, text=True, timeout=600
    )
    assert (ended.returncode, "Traceback" in ended.stderr) == (0, False), ended.stderr
    assert ended.stdout.count("exit 0") == len(commands)
    said = "Note: on this system memory is not bounded and one process does all\n"
    assert ended.stderr.count(said) == 1
    assert json.loads(report.read_text())["n0"] == 3
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [(row["target"], row["error"]) for row in rows] == [("majority", ""), ("tomita-1", "")]
    assert site.stat().st_size
