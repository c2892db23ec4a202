"""``idinf generate`` and `idinf.generate`: answers, verdicts, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import idinf
from idinf import errors
from idinf.commands import main

SORT = "specs/known/sort-next.json"


def run(*arguments: str, code: int = 0, stdin: str | None = None) -> str:
    done = CliRunner().invoke(main, ["generate", *arguments], input=stdin)
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("generate") / "ones.json"
    idinf.identify("tomita-1-next", max_n=4, layers=1, precision=0, max_r=9, space="spec").save(path)
    return str(path)


def test_a_sorted_answer() -> None:
    right = "right " * 4 + "right"
    assert run(SORT, "--target", "sort-next", "0110#", "10#1") == (
        f"0110#\t0 0 1 1 $\t{right}\n10#1\t1 $\t* *\n"
    )
    assert run(SORT, "0110#", "--most", "2") == "0110#\t0 0 ...\n"
    assert run(SORT, "-", stdin="10#\n#\n") == "10#\t0 1 $\n#\t$\n"


def test_a_report_has_its_target_and_its_records(report: str) -> None:
    assert run(report, "--most", "2") == "\t1 1 ...\tright right\n"
    assert run(report, "", "01", "--most", "2") == "\t1 1 ...\tright right\n01\t-\tright\n"
    assert "wrong" in run(report, "0", "--record", "1", "--most", "2")
    drawn = {run(report, "", "--seed", str(seed)) for seed in range(8)}
    assert len(drawn) > 2


def test_the_library_says_the_same(report: str) -> None:
    value = idinf.read_report(report)
    for source in (report, Path(report), value):
        made = idinf.generate(source, "1", most=2)
        assert (str(made), made.right, made.ended) == ("1 1 ...", True, False)
    taken = idinf.generate(idinf.hypothesis(SORT), "01#", target=Path("specs/sort-next.toml"))
    assert (taken.answer, taken.right, taken.ended) == (("0", "1", "$"), True, True)
    assert taken.steps[0].asked == ("0",)
    assert idinf.generate(idinf.hypothesis(SORT), "01#").right is None


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("specs/known/d-12.json",),
            3,
            "d-12.json: it accepts words; expected a hypothesis about next symbols",
        ),
        ((SORT, "--target", "majority"), 3, 'majority.toml: mode = "accept"; expected "next"'),
        ((SORT, "--record", "1"), 2, "record 1 is asked of specs/known/sort-next.json; expected a report"),
        (("nothing.json",), 3, "nothing.json: no such file"),
    ],
)
def test_refusals(arguments: tuple[str, ...], code: int, message: str) -> None:
    assert message in " ".join(run(*arguments, code=code).split())


def test_the_induction_head_is_a_hypothesis(tmp_path: Path) -> None:
    net = idinf.induction_head("acb#", scale=3)
    path = tmp_path / "head.json"
    net.save(path)
    assert run(str(path), "#acb#", "--most", "4") == "#acb#\ta c b # ...\n"
    assert net.logits("aca")[1] > 0.9
    assert net.r < idinf.induction_head("acb#", scale=4).r
    for scale in (0, 65):
        with pytest.raises(errors.ArgumentError, match=rf"scale = {scale}; expected one from 1 to 64"):
            idinf.induction_head("ab", scale=scale)
