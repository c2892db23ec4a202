"""The soak is a judge, so it is judged: what it counts, what it tells of a failure, faults that it finds."""

from __future__ import annotations

import pytest

from idinf.crasp.printer import format_program
from idinf.whole_class.token_sets import list_token_sets
from tests.soak import __main__ as soak
from tests.soak import classes, reports, search, texts
from tests.soak.tools import Tools


def ask(cases, folder, seconds=0.2, seed=7):
    return soak.soak(seconds, seed, cases, None, folder)


def test_every_kind_has_its_turn_and_case_k_its_seed(tmp_path, capsys):
    seen = {"one": [], "two": []}
    cases = {kind: lambda seed, tools, kind=kind: seen[kind].append(seed) or "fine" for kind in seen}
    assert ask(cases, tmp_path) == 0
    for seeds in seen.values():
        assert seeds == [*range(7, 7 + len(seeds))]
        assert len(seeds) > 1
    said = capsys.readouterr().out
    assert f"one {len(seen['one']):10} right (fine {len(seen['one'])})" in said
    assert "no failure" in said


def test_the_first_failure_is_told_with_its_seed_and_ends_it(tmp_path, capsys):
    def third(seed, tools):
        wanted = seed
        assert wanted < 9
        return "fine"

    assert ask({"search": third}, tmp_path, seconds=60) == 1
    said = capsys.readouterr().out
    assert "search       2 right" in said
    assert "python -m tests.soak --seed 9 --only search\n" in said
    assert "    wanted = 9\n" in said


@pytest.mark.parametrize("seconds", ["0", "-3", "nan"])
def test_no_time_is_no_success(seconds, capsys):
    with pytest.raises(SystemExit) as ended:
        soak.main(["--time", seconds])
    assert ended.value.code == 2
    assert f"--time: {seconds}; expected more than 0" in capsys.readouterr().err


def test_a_case_that_does_not_end_has_failed(tmp_path, monkeypatch, capsys):
    def endless(seed, tools):
        while True:
            pass

    monkeypatch.setattr(soak, "PATIENCE_S", 0.05)
    assert ask({"text": endless}, tmp_path) == 1
    assert "did not end in 0.05 s" in capsys.readouterr().out


def test_the_folder_of_a_case_is_empty(tmp_path):
    def leaves_a_file(seed, tools):
        assert [*tools.folder.iterdir()] == []
        (tools.folder / "left").touch()
        return "fine"

    assert ask({"kill": leaves_a_file}, tmp_path) == 0


def never_wrong(report, length=None):
    return reports.ReportCheck(length or 3, (), ())


def doubled(program):
    return format_program(program).replace("# ", "2 * # ")


def without_heads(floor):
    return [tokens for tokens in list_token_sets(floor) if tokens.x is None]


#: A fault for each kind that runs in this process, and seeds of which some notice it.
FAULTS = {
    "search": (search, "idinf.report.value.Regularizer.window", lambda rule, n: 0.0, range(3, 6)),
    "classes": (classes, "idinf.whole_class.search.list_token_sets", without_heads, range(7, 9)),
    "report": (reports, "tests.soak.reports.check_report", never_wrong, range(1, 20)),
    "text": (texts, "tests.soak.texts.format_program", doubled, range(1, 60)),
}


def notices(kind, folder, place, fault, seeds):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(place, fault)
        for seed in seeds:
            try:
                kind.run(seed, Tools(folder / "case", None).emptied())
            except AssertionError:
                return True
            except AttributeError:  # no interpreter for command lines here
                continue
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_noticed(name, tmp_path):
    kind, place, fault, seeds = FAULTS[name]
    assert notices(kind, tmp_path, place, fault, seeds)


@pytest.mark.parametrize(("kind", "seed"), [(search, 5), (search, 11), (texts, 7), (texts, 23), (reports, 2)])
def test_a_few_cases(kind, seed, tmp_path):
    assert kind.run(seed, Tools(tmp_path / "case", None).emptied())


@pytest.mark.slow
def test_a_minute_of_it(capsys):
    status = soak.main(["--time", "60", "--seed", "1"])
    assert status == 0, capsys.readouterr().out
