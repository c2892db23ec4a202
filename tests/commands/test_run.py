"""``idinf run``: targets, programs and hypotheses on words, stdin, and hypotheses that go on."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import idinf
from idinf import crasp, errors
from idinf.base.words import Alphabet
from idinf.commands import main
from idinf.commands import words as words_module
from idinf.commands.words import iter_words
from idinf.errors import AlphabetMismatchError

SORT = "specs/known/sort-next.json"


def run(*arguments: str, code: int = 0, stdin: str | None = None) -> str:
    done = CliRunner().invoke(main, ["run", *arguments], input=stdin)
    assert done.exit_code == code, done.output
    return done.output


def goes_on(*arguments: str, stdin: str | None = None) -> str:
    return run(*arguments, "--continue", stdin=stdin)


ASKED = ("majority", "program:majority", "accept iff #1 - #0 >= 0", "specs/majority.toml", "majority.json")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Majority as a file of every kind, in the present folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").symlink_to(Path(__file__).parents[2] / "specs")
    crasp.compile("majority").save("majority.json")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("asked", ASKED)
def test_whatever_defines_a_language_answers_alike(asked: str) -> None:
    assert run(asked, "01", "001", "", "1") == "01\taccept\n001\treject\n\taccept\n1\taccept\n"
    assert run(asked, "-", stdin="01\n\n001\r\n1") == "01\taccept\n\taccept\n001\treject\n1\taccept\n"
    assert run(asked, "-", stdin="") == ""
    told = run(asked, "-", stdin="1\n12\n", code=3)
    assert told.startswith("1\taccept\n")
    assert "stdin, line 2" in told
    assert "no word given" in run(asked, code=2)


def test_words_of_other_alphabets() -> None:
    assert run("regex:(ab)*", "ab", "aba") == "ab\taccept\naba\treject\n"
    assert run("regex:b*", "aab", "--alphabet", "ab") == "aab\treject\n"
    assert run("ge-k-j", "--set", "k=3", "--set", "j=2", "01", "00") == "01\taccept\n00\treject\n"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("generate") / "ones.json"
    idinf.identify("tomita-1-next", max_n=4, layers=1, precision=0, max_r=9, space="spec").save(path)
    return str(path)


def test_a_sorted_answer() -> None:
    right = "right " * 4 + "right"
    assert goes_on(SORT, "--target", "sort-next", "0110#", "10#1") == (
        f"0110#\t0 0 1 1 $\t{right}\n10#1\t1 $\t* *\n"
    )
    assert goes_on(SORT, "0110#", "--most", "2") == "0110#\t0 0 ...\n"
    assert goes_on(SORT, "-", stdin="10#\n#\n") == "10#\t0 1 $\n#\t$\n"


def test_a_report_has_its_target_and_its_records(report: str) -> None:
    assert goes_on(report, "--most", "2") == "\t1 1 ...\tright right\n"
    assert goes_on(report, "", "01", "--most", "2") == "\t1 1 ...\tright right\n01\t-\tright\n"
    assert "wrong" in goes_on(report, "0", "--record", "1", "--most", "2")
    drawn = {goes_on(report, "", "--seed", str(seed)) for seed in range(8)}
    assert len(drawn) > 2


def test_the_library_says_the_same(report: str) -> None:
    value = idinf.read_report(report)
    for source in (report, Path(report), value):
        made = idinf.hypothesis(source).generate("1", most=2)
        assert (str(made), made.right, made.ended) == ("1 1 ...", True, False)
    taken = idinf.hypothesis(SORT).generate("01#", target=idinf.target("sort-next").spec)
    assert (taken.answer, taken.right, taken.ended) == (("0", "1", "$"), True, True)
    assert taken.steps[0].asked == ("0",)
    assert idinf.hypothesis(SORT).generate("01#").right is None


def test_the_induction_head_is_a_hypothesis(tmp_path: Path) -> None:
    net = crasp.induction_head("acb#", scale=3)
    path = tmp_path / "head.json"
    net.save(path)
    assert goes_on(str(path), "#acb#", "--most", "4") == "#acb#\ta c b # ...\n"
    assert net.logits("aca")[1] > 0.9
    assert net.r < crasp.induction_head("acb#", scale=4).r
    for scale in (0, 65):
        with pytest.raises(errors.ArgumentError, match=rf"scale = {scale}; expected one from 1 to 64"):
            crasp.induction_head("ab", scale=scale)


# Words on a command line, or on stdin, whatever the sizes of batches


SIGMA = Alphabet(("a", "b"))


def read_stdin(text, alphabet=SIGMA):
    """What iter_words makes of a stdin, and its complaint."""
    seen = []

    @click.command()
    def command():
        seen.extend(iter_words(alphabet, ("-",)))

    return seen, CliRunner().invoke(command, input=text).exception


def test_arguments_in_order():
    assert list(iter_words(SIGMA, ("b", "", "ab"))) == [("b", (1,)), ("", ()), ("ab", (0, 1))]


@pytest.mark.parametrize("cells", [1, 4, 2**21])
@pytest.mark.parametrize(
    ("text", "words", "fault"),
    [
        ("", [], ""),
        ("\n", [()], ""),
        ("a\n\nba\nbbbb\na\nb", [(0,), (), (1, 0), (1, 1, 1, 1), (0,), (1,)], ""),
        ("ab\r\n\r\n", [(0, 1), ()], ""),
        (b"\xef\xbb\xbfab\r\n", [(0, 1)], ""),
        ("a\nb\nx\na", [(0,), (1,)], "stdin, line 3: word 'x': symbol 'x' at position 1"),
        (" a\n", [], "stdin, line 1: word ' a': symbol ' '"),
        (b"a\nb\na\n\xff\n", [(0,), (1,), (0,)], "stdin, line 4: not UTF-8 text"),
    ],
)
def test_lines_of_stdin(monkeypatch, cells, text, words, fault):
    monkeypatch.setattr(words_module, "CELLS", cells)
    seen, complaint = read_stdin(text)
    assert [word for _, word in seen] == words
    assert isinstance(complaint, AlphabetMismatchError) if fault else complaint is None
    assert str(complaint or "").startswith(fault)


def test_words_with_blanks():
    seen, complaint = read_stdin("one two\n\n two   one \nthree\n", Alphabet(("one", "two"), spaced=True))
    assert seen == [("one two", (0, 1)), ("", ()), ("two one", (1, 0))]
    assert str(complaint).startswith("stdin, line 4: word 'three'")
