"""A bound on memory that holds: growth beyond it is a MemoryError, in this process and in children."""

from __future__ import annotations

import resource
import subprocess
import sys

import numpy as np
import pytest

from idinf.work.memory import bound_memory, measure_resident_bytes


def test_the_bound_holds_inside_and_is_gone_outside():
    before = resource.getrlimit(resource.RLIMIT_AS)
    bound = measure_resident_bytes() + 100 * 2**20
    with bound_memory(bound):
        small = np.ones(50 * 2**17)
        with pytest.raises(MemoryError):
            np.ones(200 * 2**17)
        assert small.sum() == 50 * 2**17
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert len(np.ones(200 * 2**17)) == 200 * 2**17


def test_a_bound_below_what_is_taken_leaves_room_to_end():
    with bound_memory(1):
        assert len(np.ones(2**17)) == 2**17
        with pytest.raises(MemoryError):
            np.ones(64 * 2**17)


def test_shares():
    code = (
        "import numpy as np\nfrom idinf.work.memory import measure_resident_bytes, share_memory\n"
        "share_memory(measure_resident_bytes() + 300 * 2**20, 3)\n"
        "np.ones(80 * 2**17)\n"
        "try:\n    np.ones(150 * 2**17)\nexcept MemoryError:\n    raise SystemExit(7)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 7


def test_linear_algebra_works_under_the_least_bound():
    """Its libraries end the process where they cannot map their buffers; nothing may be left to map."""
    code = (
        "import os\nos.environ['OPENBLAS_NUM_THREADS'] = '1'\nimport numpy as np, resource\n"
        "from idinf.proofs.find.candidates import find_facets\n"
        "from idinf.search.last_layer.certificates import load_solver\n"
        "from idinf.work.memory import share_memory\n"
        "share_memory(1, 1)\nbefore, _ = resource.getrlimit(resource.RLIMIT_AS)\n"
        "solver, square = load_solver(), np.eye(400)\n"
        "assert (square @ square).trace() == 400\nassert solver(square, square[0])[1] == 0\n"
        "assert find_facets(np.array([[0, 0], [0, 1], [1, 0]]))\n"
        "after, _ = resource.getrlimit(resource.RLIMIT_AS)\nassert 0 < after - before < 2**29\n"
        "try:\n    np.ones(32 * 2**17)\nexcept MemoryError:\n    raise SystemExit(7)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 7
