"""Next symbols on the command line: identify, label, eval; and what is for acceptance only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from idinf.commands import main
from idinf.reports.formula import formula_of
from idinf.transformers.json_format import from_json_object
from idinf.transformers.reading import gated_of
from idinf.transformers.reference import next_symbols
from idinf.words import words_up_to

SPEC = 'name = "ones"\nalphabet = "01"\nmode = "next"\nregex = "1*"\nmax_n = 6\n'
SPEC += "[space]\nlayers = 1\nprecision = 0\n"


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
        net = from_json_object(record["hypothesis"])
        formula = formula_of(gated_of(net))
        fail = 6 if record["fail"] is None else record["fail"]
        for word in words_up_to(2, 5):
            named = next_symbols(net, word)
            assert formula.next_symbols(word) == named
            right = tuple(() if 0 in word[:i] else ("1", "$") for i in range(len(word) + 1))
            assert len(word) >= fail or named == right


def test_the_report_does_not_depend_on_jobs_or_a_directory(report: tuple[Path, Path], tmp_path: Path) -> None:
    spec, path = report
    want = json.loads(path.read_text())
    arguments = ["identify", str(spec), "--max-r", "9", "-q", "--json", "--run-dir", str(tmp_path / "run")]
    for more in ([], ["--resume", "-j", "2"]):
        got = json.loads(run(*arguments, *more))
        for key in ("seconds", "peak_bytes"):
            got[key] = want[key]
        assert got == want


def test_label_and_eval_name_the_sets_after_every_prefix(report: tuple[Path, Path], tmp_path: Path) -> None:
    assert run("label", str(report[0]), "10", "") == "10\t1,$ 1,$ -\n\t1,$\n"
    last = json.loads(report[1].read_text())["records"][-1]["hypothesis"]
    (tmp_path / "net.json").write_text(json.dumps(last))
    assert run("eval", str(tmp_path / "net.json"), "10") == "10\t1,$ 1,$ -\n"
    assert run("label", "tomita-2-next", "11") == "11\t1,$ 0 -\toutside the domain\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("report", "REPORT"), 3, "it names next symbols; expected one that accepts words"),
        (("plot", "REPORT", "--kind", "hypothesis", "--word", "1", "-o", "x.svg"), 3, "names next symbols"),
        (("demo", "tomita-2-next", "--fast"), 2, "expected acceptance of every word"),
        (("identify", "SPEC", "--effort", "5"), 2, "effort = 5; the finder anneals for acceptance"),
        (
            ("identify", "majority", "--upper", "NET"),
            2,
            "the hypothesis answers set, the target asks",
        ),
    ],
)
def test_what_is_for_acceptance_only_says_so(
    report: tuple[Path, Path], tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    last = json.loads(report[1].read_text())["records"][-1]["hypothesis"]
    (tmp_path / "net.json").write_text(json.dumps(last))
    paths = {"REPORT": str(report[1]), "SPEC": str(report[0]), "NET": str(tmp_path / "net.json")}
    given = [paths.get(argument, argument) for argument in arguments]
    given = [str(tmp_path / a) if a == "x.svg" else a for a in given]
    output = run(*given, code=code)
    assert message in output
    assert "Traceback" not in output
