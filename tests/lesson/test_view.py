"""What is said about a guess, and that nothing a reader writes becomes markup."""

from msgspec.structs import replace

from idinf.lesson.live import Seen
from idinf.lesson.messages import Asked, Known, Language, Page, ProgramFound
from idinf.lesson.view import GUESSES, Guess, judge, name_frame, show_answer, show_language, show_search

KNOWN = Known(
    headline="n0 = 3",
    sentences=("n0 = 3.", "Complete up to R = 9."),
    records=(("4.0", "1", "accept iff <b>"),),
    complete="up to R = 9",
    outcome="identified-for-all-n",
    n0=3,
    n0_lower=3,
    span=16,
    worst="n = 2 is bad: 'accept iff true' is selected, and wrong on 001.",
    is_last=True,
)
SO_FAR = replace(KNOWN, outcome="identified")
NEVER = replace(KNOWN, outcome="never", n0=None, worst="")
OPEN = replace(KNOWN, outcome="open", n0=None)


def test_a_guess_is_answered_with_the_rule_that_speaks_against_it() -> None:
    for guess, known, said in (
        (Guess(True, 3), KNOWN, f"You guessed n0 = 3. Right. {KNOWN.worst}"),
        (Guess(True, 2), KNOWN, f"You guessed n0 = 2. Too early. {KNOWN.worst}"),
        (Guess(True, 5), KNOWN, f"You guessed n0 = 5. All n from 3 on are good. {KNOWN.worst}"),
        (Guess(False), KNOWN, f"You guessed that there is no n0. There is one: n0 = 3. {KNOWN.worst}"),
        (
            Guess(True, 3),
            SO_FAR,
            f"You guessed n0 = 3. Right up to n = 16, as far as was examined. {KNOWN.worst}",
        ),
        (
            Guess(False),
            SO_FAR,
            "You guessed that there is no n0. There is one up to n = 16, as far as was examined: n0 = 3. "
            f"{KNOWN.worst}",
        ),
        (Guess(False), NEVER, "You guessed that there is no n0. Right, by a theorem."),
        (Guess(True, 2), NEVER, "You guessed n0 = 2. There is none, by a theorem."),
        (Guess(True, 2), OPEN, f"You guessed n0 = 2. Too early, if there is one at all. {KNOWN.worst}"),
        (Guess(True, 3), OPEN, f"You guessed n0 = 3. This search does not decide it. {KNOWN.worst}"),
        (Guess(), KNOWN, ""),
    ):
        assert judge(guess, known) == said


def test_a_guess_can_be_skipped_and_is_at_first() -> None:
    assert next(iter(GUESSES.values())) == Guess()
    assert GUESSES["Yes, from n = 3 on"] == Guess(True, 3)


def test_nothing_that_is_written_becomes_markup() -> None:
    evil = "<img src=x onerror=alert(1)>"
    language = Language(evil, evil, ((evil, True), ("ε", False)), "")
    seen = Seen(language=language, program=ProgramFound(evil, evil), known=KNOWN, refusal=evil, is_over=True)
    shown = show_language(seen, Asked(evil, evil)) + show_search(seen) + show_answer(seen, Guess())
    assert "<img" not in shown
    assert "<b>" not in shown
    assert "&lt;img" in shown


def test_the_answer_waits_for_the_last_step() -> None:
    assert show_answer(Seen(known=replace(KNOWN, is_last=False)), Guess()) == ""
    stopped = Seen(known=replace(KNOWN, is_stopped=True), is_over=True)
    assert "You stopped the search. What it proves by then:" in show_answer(stopped, Guess())


def test_the_frame_of_a_page_has_a_name_and_is_shut() -> None:
    frame = name_frame("<iframe src='./@file/1.html' onload='f(this)'></iframe>", Page("", 'a"b.html'))
    assert frame == (
        '<iframe title="The page a&#34;b.html" sandbox="allow-scripts" src=\'./@file/1.html\'></iframe>'
    )
