"""Classification, programs, communication, batches and families in one call each."""

import subprocess
import sys
from pathlib import Path

import pytest

import idinf
from idinf import crasp, errors


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
    assert python("-c", loaded) == "['idinf.base', 'idinf.base.doors', 'idinf']\n"
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
