"""Files that are written as a whole: what a kill leaves goes with the next one, others stay."""

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import pytest

from idinf.base.files import MIB, Unreadable, prepared, read_bytes, write_whole

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


def test_a_small_file_takes_little_memory_and_one_that_grows_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path := tmp_path / "file").write_bytes(b"0123456789")
    tracemalloc.start()
    try:
        assert read_bytes(path, 2**31) == b"0123456789"
        assert tracemalloc.get_traced_memory()[1] < 3 * MIB
    finally:
        tracemalloc.stop()
    mode = path.stat().st_mode
    for size in (0, 4):
        monkeypatch.setattr(
            os, "fstat", lambda number, size=size: SimpleNamespace(st_mode=mode, st_size=size)
        )
        assert read_bytes(path, 10) == b"0123456789"
        with pytest.raises(Unreadable, match="is larger than 0 KiB"):
            read_bytes(path, 9)
