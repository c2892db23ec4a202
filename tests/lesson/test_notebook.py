"""The notebook as a whole, executed without a browser; and its cells, which hold little code."""

import ast

import pytest

from idinf.lesson.door import NOTEBOOK, TARGET
from idinf.lesson.live import Question
from idinf.lesson.messages import Asked
from idinf.lesson.view import Guess

#: Lines and branches that a cell may have: what is more belongs into a module, where it is tested.
MOST_LINES = 25


def executed(asked: Asked, guess: Guess | None = None) -> tuple[str, dict[str, object]]:
    """What all cells show for a language, and with a guess also for its search; and their names."""
    pytest.importorskip("marimo", reason="marimo is not installed: pip install -e '.[lesson]'")
    from idinf.lesson.notebook import app

    given: dict[str, object] = {"asked": asked}
    if guess is not None:
        question = Question(asked)
        question.wait_for_end()
        given |= {"guess": guess, "question": question}
    outputs, names = app.run(defs=given)
    return "\n".join(output.text for output in outputs if hasattr(output, "text")), dict(names)


def test_cells_hold_little_code() -> None:
    tree = ast.parse(NOTEBOOK.read_text(encoding="utf-8"))
    cells = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert len(cells) > 8
    for cell in cells:
        assert (cell.end_lineno or 0) - cell.lineno < MOST_LINES
        assert not any(
            isinstance(node, ast.For | ast.While | ast.Try | ast.ClassDef) for node in ast.walk(cell)
        )


def test_the_whole_notebook_answers() -> None:
    shown, names = executed(Asked("majority"), Guess(True, 2))
    for said in (
        "The language <code>majority</code> over 0 1",
        "majority is in C-RASP[periodic, local]",
        "accept = zeros &lt;= ones",
        "<code>accept iff #1 - #0 &gt;= 0</code>",
        "You guessed n₀ = 2. Too early. n = 2 is bad",
        "n₀ = 3 in nope",
        'sandbox="allow-scripts"',
        "Save this page",
    ):
        assert said in shown
    assert names["seen"].page.name == "majority.html"  # type: ignore[attr-defined]


def test_before_a_guess_no_answer_is_shown() -> None:
    shown, names = executed(Asked("regex:(ab|c)*a", "abc"))
    assert "It accepts <code>a</code> <code>ca</code>" in shown
    assert "C-RASP[" not in shown
    assert "question" not in names


@pytest.mark.parametrize("text", ["regex:(ab", ""])
def test_bad_input_stops_at_a_sentence(text: str) -> None:
    shown, names = executed(Asked(text))
    assert '<p class="refusal" role="alert">' in shown
    assert "Traceback" not in shown
    assert "guess_form" not in names


@pytest.mark.parametrize("target", ["accept iff #a = 2", "-x", "010", "regex:(a|b) c"])
def test_the_first_language_is_as_it_was_given(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("marimo", reason="marimo is not installed: pip install -e '.[lesson]'")
    from idinf.lesson.notebook import app

    monkeypatch.setenv(TARGET, target)
    _, names = app.run()
    assert dict(names)["form"].element.elements["target"].value == target
