"""``idinf compare``: exit codes 0 and 1, and pure output."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from idinf.commands import main


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), prog_name="idinf")


def test_two_runs_of_one_target_agree_and_others_do_not(tmp_path: Path) -> None:
    files = {}
    for name, max_n, jobs in (("a", "3", "1"), ("b", "3", "2"), ("c", "4", "1")):
        files[name] = str(tmp_path / f"{name}.json")
        options = ("--layers", "1", "--max-n", max_n, "-j", jobs, "--json", "-o", files[name])
        assert run("identify", "majority", "--space", "spec", *options).exit_code == 0
    same = run("compare", files["a"], files["b"])
    assert (same.exit_code, same.stderr) == (0, "")
    assert same.stdout.endswith("they agree\n")
    other = run("compare", files["a"], files["c"])
    assert (other.exit_code, other.stderr) == (1, "")
    assert "they differ: max_n, " in other.stdout


def test_a_factor_of_time(tmp_path: Path) -> None:
    paths = []
    for seconds in (1.0, 2.0):
        paths.append(str(tmp_path / f"{seconds}.json"))
        content = {"format": "idinf-bench/1", "commands": [], "kernels": [{"name": "k", "best_s": seconds}]}
        Path(paths[-1]).write_text(json.dumps(content))
    assert run("compare", *paths).exit_code == 0
    assert run("compare", *paths, "--factor", "2.5").exit_code == 0
    slower = run("compare", *paths, "--factor", "1.5")
    assert slower.exit_code == 1
    assert "differs: B/A 2.00, above 1.5" in slower.stdout
