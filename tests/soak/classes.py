"""Whole classes beside single nets: no net that anybody writes is cheaper than R* of a report."""

from __future__ import annotations

from functools import cache

from idinf.experiments.bounds import HypothesisClass
from idinf.experiments.reader import parse_spec
from idinf.inference.run import RunOptions
from idinf.inference.run import run as ask
from idinf.report.files import report_to_dict
from idinf.report.value import Report
from idinf.runtime.limits import Limits
from idinf.transformers.reference import accepts
from idinf.transformers.regularizer import compute_r_terms
from idinf.verification.report_check import check_report
from idinf.words import Alphabet, words_up_to
from tests.perf.second_look import find_contradictions
from tests.soak.questions import draw_any
from tests.soak.tools import Tools, rng_of
from tests.whole_class.nets_one_by_one import names_by_matrices, random_net

__all__ = ["run"]

#: Largest n by the number of letters, and random nets that are tried beside the report.
LENGTHS, NETS = {1: 5, 2: 3, 3: 2}, 60

#: Widths, p and sums of norms of which all matrices are tried, for targets of one letter.
MATRICES = ((1, 1, 4.5), (2, 1, 3.9), (2, 2, 3.6), (2, 0, 3.2))


def run(seed: int, tools: Tools) -> str:
    """Ask about a random language, or that of a random net; whose language it was."""
    rng = rng_of("classes", seed)
    letters = rng.choice(("a", "ab", "ab", "abc"))
    alphabet, max_n = Alphabet(tuple(letters)), LENGTHS[len(letters)]
    words = [*words_up_to(len(letters), 2 * max_n)]
    nets = [net for net in (random_net(rng, alphabet) for _ in range(NETS)) if net is not None]
    of_a_net = bool(nets) and rng.random() < 0.6
    if of_a_net:
        toml, member = (
            write_tree(letters, words, right := {word: accepts(nets[0], word) for word in words}),
            right.get,
        )
    else:
        language = draw_any(rng, letters)
        toml, member = language.toml, language.membership
    asking = RunOptions(
        max_n=max_n, hypothesis_class=rng.choice((HypothesisClass.THETA, HypothesisClass.LIMIT))
    )
    report = ask(asking.about(parse_spec(toml), "soak"), Limits()).report

    assert [*find_contradictions(report_to_dict(report), member, 2 * max_n)] == []
    assert check_report(report).right
    for net in nets:
        fail = next((len(word) for word in words if accepts(net, word) != member(word)), None)
        no_cheaper(report, compute_r_terms(net).total, fail)
    if len(letters) == 1:
        for (s_start, s_a, t_start, t_a), r in names_of_one_letter().items():
            answers = [
                ((s_a if n else s_start) * (n + 1) + t_start + n * t_a > 0) for n in range(2 * max_n + 1)
            ]
            fail = next((n for n, answer in enumerate(answers) if answer != member((0,) * n)), None)
            no_cheaper(report, r, fail)
    return "of a net" if of_a_net else "of an expression"


def no_cheaper(report: Report, r: float, fail: int | None) -> None:
    """A net of some R that is right on all words below ``fail`` is one that R* of every smaller n takes."""
    for stage in report.stages:
        if (fail is None or fail > stage.n) and r < report.complete_up_to_r:
            assert stage.r_star is not None
            assert stage.r_star <= r + 1e-9
            window = stage.r_star + report.regularizer.window(stage.n)
            if fail is not None and fail <= 2 * stage.n and r <= window - 1e-9:
                assert stage.good is False


def write_tree(letters: str, words: list, right: dict) -> str:
    """A spec of the words that are right: an automaton with a state for every word of a list, and a sink."""
    names = {word: "q" + "".join(letters[code] for code in word) for word in words}
    accept = ", ".join(f'"{names[word]}"' for word in words if right[word])
    lines = [
        f'name = "soak"\nalphabet = "{letters}"\n[dfa]',
        f"states = [{', '.join(map(repr, names.values()))}]",
    ]
    lines += ['start = "q"', f"accept = [{accept}]", "[dfa.transitions]"]
    for word in words:
        moves = [(letters[code], names.get((*word, code))) for code in range(len(letters))]
        row = ", ".join(f'{letter} = "{state}"' for letter, state in moves if state)
        lines.append(f"{names[word]} = {{ {row} }}")
    return "\n".join(lines) + "\n"


@cache
def names_of_one_letter() -> dict[tuple[int, ...], float]:
    """Least R of functions of $ and a that read more than the last token, by all small matrices."""
    least: dict[tuple[int, ...], float] = {}
    for each in MATRICES:
        for name, r in names_by_matrices(*each).items():
            least[name] = min(r, least.get(name, r))
    return least
