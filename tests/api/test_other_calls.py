"""Classification, programs, communication, batches and families in one call each."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import idinf
from idinf import crasp, errors, nets


def test_a_batch_is_a_table_and_its_reports(tmp_path: Path) -> None:
    (tmp_path / "ones.toml").write_text('name = "ones"\nalphabet = "01"\nregex = "1*"\nmax_n = 4\n')
    (tmp_path / "wrong.toml").write_text('name = "wrong"\nalphabet = "01"\nregex = "1*)"\n')
    found = idinf.batch([tmp_path, "majority", idinf.target("tomita-1").spec], max_n=4, layers=1, jobs=2)
    frame = found.to_frame()
    assert frame["target"].tolist() == ["ones", "wrong", "majority", "tomita-1"]
    assert frame["n0"].tolist()[2] == 3
    assert "never opened" in frame["error"][1] or "')'" in frame["error"][1]
    assert found.report("ones").n0 == 2
    with pytest.raises(errors.SpecError):
        found.report("wrong")
    with pytest.raises(KeyError):
        found.report("nowhere")
    found.save(tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text().count("\n") == 5
    assert repr(found) == "<Batch of 4 rows, 1 failed>"
    assert found._repr_html_().count("<tr>") == 5


def test_the_package_is_a_command_and_loads_nothing_by_itself() -> None:
    def python(*arguments: str) -> str:
        command = [sys.executable, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout

    loaded = "import sys, idinf; print([name for name in sys.modules if name.startswith(('idinf', 'numpy'))])"
    assert python("-c", loaded) == "['idinf.base', 'idinf.base.lazy_exports', 'idinf']\n"
    assert python("-m", "idinf", "run", "majority", "011") == "011\taccept\n"
    assert set(idinf.__all__) <= set(dir(idinf))


def test_programs() -> None:
    text = 'accept = # "1" >= # "0"'
    for source in (text, "majority", "accept iff #1 - #0 >= 0"):
        program = crasp.program(source, alphabet="01")
        assert program.facts.class_name == "C-RASP[]"
        assert program.words(up_to=2) == ("", "1", "01", "10", "11")
        assert program.trace("011").accepted
        net = crasp.compile(program)
        assert [word in net for word in ("", "0", "011")] == [True, False, True]
        assert crasp.decompile(net).difference(program, max_n=12).equal
    assert program.eventual("1")[-1].since == 0
    pair = program.fooling_pair("1")
    assert len(pair.block) >= 1
    with pytest.raises(errors.ProgramError, match="line 1, column"):
        crasp.program("accept = # ")


TOMITA = "tomita-1"

#: Arguments of another type than the call takes, and what the message says of them.
OF_ANOTHER_TYPE: dict[str, Callable[[], object]] = {
    "sources = 5": lambda: idinf.batch(5),
    "jobs = '2'": lambda: idinf.batch([TOMITA], jobs="2"),
    "values = 5": lambda: idinf.batch([TOMITA], values=5),
    "values: k = 5": lambda: idinf.batch(["ge-k-j"], values={"k": 5}),
    "spaces = 'nope'": lambda: idinf.batch([TOMITA], spaces="nope"),
    "only = 5": lambda: idinf.batch([TOMITA], only=5),
    "jobs = None": lambda: idinf.identify(TOMITA, jobs=None),
    "jobs = nan": lambda: idinf.identify(TOMITA, jobs=float("nan")),
    "values = 6": lambda: idinf.identify("ge-k-j", values=6),
    "5 is no path": lambda: idinf.identify(TOMITA, upper_bound=5),
    "6 is no path": lambda: idinf.identify(TOMITA, run_dir=6, max_n=2),
    "resume is given": lambda: idinf.identify(TOMITA, resume=True),
    "layer = 2; expected a setting": lambda: idinf.identify(TOMITA, layer=2),
    "7 is no path": lambda: idinf.read_report(7),
    "8 is no path": lambda: nets.net(8),
    "9 is no path": lambda: crasp.decompile(9),
    "context = '3'": lambda: nets.translate(crasp.compile("majority"), context="3"),
    "precision = 'x'": lambda: crasp.compile("majority", precision="x"),
    "samples = None": lambda: idinf.judge("x.json", TOMITA, samples=None),
    "offsets = b'x'": lambda: idinf.judge("x.json", TOMITA, offsets=b"x"),
    "answers = ": lambda: idinf.judge("x.json", TOMITA, answers=("a", "a")),
    "max_monoid = None": lambda: idinf.classify(TOMITA, max_monoid=None),
    "time_limit = an integer of 1329 bits": lambda: idinf.classify(TOMITA, time_limit=10**400),
    "positives = 2": lambda: idinf.dataset(TOMITA, positives=2),
    "seeds = 1; expected an argument": lambda: idinf.dataset(TOMITA, seeds=1),
    "up_to = '3'": lambda: idinf.target(TOMITA).words(up_to="3"),
    "5 is no language": lambda: idinf.target(TOMITA).difference(5),
    "max_n = '3'": lambda: idinf.target(TOMITA).difference(idinf.target(TOMITA), "3"),
    "10 is no path": lambda: idinf.report_page(10),
    "11 is no path": lambda: idinf.plot(11),
}


@pytest.mark.parametrize("told", OF_ANOTHER_TYPE)
def test_arguments_of_another_type_are_refused(told: str) -> None:
    with pytest.raises(errors.ArgumentError, match=f"^{re.escape(told)}"):
        OF_ANOTHER_TYPE[told]()
