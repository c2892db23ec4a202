"""Next symbols on the command line: identify and run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from idinf.base.words import words_up_to
from idinf.commands import main
from idinf.nets.json_format import loads
from idinf.nets.one_hot import to_one_hot
from idinf.nets.reference import name_next_symbols
from idinf.translate.formulas.formula import write_formula
from tests.translate.formulas.on_words import next_symbols_of

SPEC = 'name = "ones"\nalphabet = "01"\nmode = "next"\nregex = "1*"\nmax_n = 6\n'
SPEC += "[space]\nlayers = 1\nprecision = 0\n"
NEVER = 'name = "never"\nalphabet = "01"\nmode = "next"\njudged = "never"\n'
NEVER += "crasp = 'never = 1 >= 2'\n[next]\n0 = \"never\"\n"


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("next")
    spec, path = folder / "ones.toml", folder / "ones.json"
    spec.write_text(SPEC)
    text = run("identify", str(spec), "--max-r", "9", "-q", "-o", str(path))
    assert "next 0 iff false; next 1, $ iff #0 = 0" in text
    assert "n0 = 2" in text
    return spec, path


def test_every_record_is_right_up_to_its_fail(report: tuple[Path, Path]) -> None:
    records = json.loads(report[1].read_text())["records"]
    assert len(records) > 1
    for record in records:
        net = loads(json.dumps(record["hypothesis"]))
        formula = write_formula(to_one_hot(net))
        fail = 6 if record["fail"] is None else record["fail"]
        for word in words_up_to(2, 5):
            named = name_next_symbols(net, word)
            assert next_symbols_of(formula, word) == named
            right = tuple(() if 0 in word[:i] else ("1", "$") for i in range(len(word) + 1))
            assert len(word) >= fail or named == right


def test_run_names_the_sets_after_every_prefix(report: tuple[Path, Path], tmp_path: Path) -> None:
    assert run("run", str(report[0]), "10", "") == "10\t1,$ 1,$ -\n\t1,$\n"
    last = json.loads(report[1].read_text())["records"][-1]["hypothesis"]
    (tmp_path / "net.json").write_text(json.dumps(last))
    assert run("run", str(tmp_path / "net.json"), "10") == "10\t1,$ 1,$ -\n"
    assert run("run", "tomita-2-next", "11") == "11\t1,$ 0 -\toutside the domain\n"
