"""What there is of processes below one."""

import os
import time
from pathlib import Path


def stat(pid: int) -> list[str]:
    """The fields of a process from its state on; none if it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def descendants(pid: int) -> dict[int, str]:
    """Command lines of all processes below one that are there, and no zombies."""
    below: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (fields := stat(int(name))) and fields[0] != "Z":
            below.setdefault(int(fields[1]), []).append(int(name))
    found: dict[int, str] = {}
    new = [pid]
    while new:
        children = below.get(new.pop(), [])
        new += children
        for child in children:
            try:
                found[child] = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
    return found


def wait_for_end(pids: set[int], seconds: float = 10.0) -> set[int]:
    """The processes of some that are still there after so long."""
    end = time.monotonic() + seconds
    left = set(pids)
    while left and time.monotonic() < end:
        left = {pid for pid in left if (fields := stat(pid)) and fields[0] != "Z"}
        time.sleep(0.05)
    return left
