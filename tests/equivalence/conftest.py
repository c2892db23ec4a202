"""Random nets and programs are those of the tests of the search and of targets."""

from __future__ import annotations

import sys
from pathlib import Path

for folder in ("search", "targets"):
    path = str(Path(__file__).resolve().parents[1] / folder)
    if path not in sys.path:
        sys.path.append(path)
