"""Files that are written as a whole: what a kill leaves goes with the next one, others stay."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from idinf.base.files import prepared, write_whole

KILLED = """
import os, signal, sys
from idinf.base.files import prepared
with prepared(sys.argv[1], "half"):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_kill_left_goes_with_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", KILLED, str(path)], timeout=60)
    assert len(os.listdir(tmp_path)) == 1  # the second has removed what the first had left
    with prepared(path, "one"):
        write_whole(tmp_path / "other.json", "other")
        write_whole(path, "two")
        assert path.read_text() == "two"
        assert len(os.listdir(tmp_path)) == 3  # another writer's is not touched
    assert path.read_text() == "one"
    assert sorted(os.listdir(tmp_path)) == ["other.json", "report.json"]
