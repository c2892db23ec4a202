"""The text answer: honest sentences, and rows only where something changes."""

from __future__ import annotations

from idinf.show.text.answer import render_answer


def lines_of(run, verbose=False):
    return render_answer(run.report, verbose).splitlines()


def test_identified(identified) -> None:
    lines = lines_of(identified)
    space = "nope, layers <= 2, heads <= 1, units <= 2, precision <= 2"
    assert lines[:3] == [f"n0 = 3 in {space}, for n <= 4", "", "target  majority over 0 1 (crasp), n <= 4"]
    assert lines[3].startswith(f"space   {space}; ")
    for part in ("max_r 10.5", "work 60000", "aggregate max", "tolerance 1/(2n)", "realisation one-hot"):
        assert part in lines[3].split("; ")
    assert any("every fail is exact up to length 8." in line for line in lines)
    assert "  3..4  8.414213562  1         0            good     -" in lines
    assert "selected at n = 4: accept iff #1 - #0 >= 0" in lines
    assert "R = 8.414213562; agrees with majority on all words up to length 8" in lines
    assert not any("norm_V" in line for line in lines)


def test_columns_are_aligned_and_no_line_ends_in_a_blank(identified) -> None:
    lines = lines_of(identified)
    assert all(line == line.rstrip() for line in lines)
    start = lines.index(next(line for line in lines if line.startswith("  n ")))
    header, first = lines[start], lines[start + 1]
    assert header.index("R*_n") == first.index("5.0")
    assert header.index("selected") == first.index("≥ 1")


def test_verbose_adds_the_terms_of_r(identified) -> None:
    lines = lines_of(identified, verbose=True)
    assert "structure: 1 layer; heads 1; units 1; precision 0, period 1, reach 0" in lines
    assert "  norm_V             1.414213562" in lines
    assert "  layers_plus_heads  2.000000000" in lines


def test_open(opened) -> None:
    text = render_answer(opened.report)
    assert "Not decided: the budget max_r = 9.3 ended" in text
    assert "Complete up to R = 9.3: " in text
    assert (
        "R*_n > 9.3 for every n >= 3: no hypothesis of this space with R <= 9.3 agrees with parity on all "
        "words up to length 3." in text
    )
    assert "n0 is not decided; if there is one, n0 >= 3." in text
    assert "  3..4  > 9.3        -         -            undetermined  -" in text.splitlines()
    assert "selected at" not in text
    assert "none exists" not in text


def test_open_with_a_correct_hypothesis(bracketed) -> None:
    text = render_answer(bracketed.report)
    assert "R*_n is known for every n <= 4; some selected sets may hold more with R > 8.45" in text
    assert "selected at n = 4: accept iff #1 - #0 >= 0" in text
    assert "undetermined" in text
    assert "n0 = 3 (canonical pick), which the part above cannot change." in text


def test_not_identified(not_identified) -> None:
    text = render_answer(not_identified.report)
    assert text.startswith("no n0 in nope, ")
    assert " for n <= 2: at n = 2 a selected hypothesis is wrong within length 4\n" in text
    assert "001 (length 3)" in text
