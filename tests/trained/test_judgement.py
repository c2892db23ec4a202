"""Judgements: planted faults, records that are followed, refusals."""

import json

import pytest
from scipy.stats import binomtest

import idinf
from idinf.api.programs import compile_source
from idinf.base.words import words_up_to
from idinf.errors import AlphabetMismatchError, ArgumentError, HypothesisFormatError
from idinf.nets import reference
from idinf.spec.catalogue import load
from idinf.spec.spec import Answer
from idinf.trained.judgement import clopper_pearson
from idinf.trained.rivals import StateMachineAsDecoder, make_machine
from idinf.trained.task import BOS, AnswerReader, Task
from tests.trained.nets import by_last_symbol, by_majority, fitted, spec_of

MAJORITY = load("majority")
ENDS_IN_1 = spec_of("(0|1)*1")
RIGHT = {BOS: "01", "0": "01", "1": ("0", "1", "<eos>")}


def brief(model, target, length=6, **options):
    return idinf.judge(model, target, **{"length": length, "samples": 0, "report": False, **options})


@pytest.fixture(scope="module")
def records():
    """A report with records of R that rises, each right for longer."""
    report = idinf.identify("tomita-1", max_n=8, layers=1)
    assert len(report.records) > 1
    return report


def test_a_right_model_and_one_with_another_weight():
    model = by_last_symbol(ENDS_IN_1.alphabet, RIGHT)
    found = brief(model, ENDS_IN_1, length=9, samples=30)
    assert not found.is_wrong
    assert [each.words for each in found.counts] == [0] + [1 << n for n in range(9)]
    assert {each.wrong for each in (*found.counts, *found.samples)} == {0}
    assert str(found).startswith("made-here: no wrong word among all 511 words of the task up to length 9\n")
    speech = AnswerReader.of(model, Task.of(ENDS_IN_1, Answer.SET))
    model.tensors["lm_head.weight"][speech.tokens.number("<eos>"), 2 * speech.tokens.number("0")] = 0.5
    found = brief(model, ENDS_IN_1, length=4)  # the end may follow 0
    assert (found.first.word, found.first.prefix) == ("01", "0")
    assert (found.first.said, found.first.right) == ("0 1 $", "0 1")
    assert [each.wrong for each in found.counts] == [0, 0, 1, 3, 7]


@pytest.mark.parametrize(("ties", "word"), [(3.5, "001"), (6.5, "00011"), (8.5, "0000111"), (1000, None)])
def test_the_shortest_wrong_word_of_a_planted_weight(ties, word):
    found = brief(by_majority(MAJORITY.alphabet, ties), MAJORITY, length=8)
    assert (found.first and found.first.word) == word
    if word is not None:
        first, second = str(found).splitlines()[:2]
        assert first == f"majority: wrong from length {len(word)} on, first on {word}"
        assert second == "the model says accept, right is reject"


def test_equal_input_gives_equal_judgements(records):
    model, _ = fitted(Task.of(ENDS_IN_1, Answer.SET), list(words_up_to(2, 3)))
    found = [brief(model, ENDS_IN_1, samples=30, seed=seed, report=records) for seed in (1, 1, 2)]
    one, two, other = (each.to_dict() for each in found)
    assert one.pop("seconds") >= 0 <= two.pop("seconds")
    assert one == two
    assert one["samples"] != other["samples"]
    assert one["counts"] == other["counts"]
    keys = "format idinf_version model target alphabet answer answers offsets exhaustive_to ended_by counts"
    assert list(one) == [*keys.split(), "mistakes", "differing", "samples", "report", "followers"]
    assert one["format"] == "idinf-judgement/1"
    assert json.loads(json.dumps(one)) == one


def test_a_model_follows_the_record_that_it_is(records):
    spec = load("tomita-1")
    task, nets = Task.of(spec), [record.hypothesis for record in records.records]
    said = [[reference.accepts(net, word) for word in words_up_to(2, 7)] for net in nets]
    lengths = [len(word) for word in words_up_to(2, 7)]
    for own, net in enumerate(nets):
        model = StateMachineAsDecoder.of(make_machine(net), task, "record")
        found = brief(model, spec, length=7, report=records)
        for number, each in enumerate(found.followers):
            parted = [n for n, a, b in zip(lengths, said[own], said[number], strict=True) if a != b]
            assert each.agrees_to == (parted[0] - 1 if parted else 7)
            assert (each.parting is None) is not parted
            if parted:
                assert each.parting.length == parted[0]
                assert {each.parting.said, each.record_says} == {"accept", "reject"}
        assert found.follows.agrees_to == 7
        other = "the target on all 255 words of the task up to length 7, as " if not found.is_wrong else ""
        assert f"The model answers as {other}`{found.follows.formula}`" in str(found)
        asked = "does." if other else "on all 255 words of the task up to length 7."
        assert str(found).splitlines()[1 + found.is_wrong].endswith(asked)


def test_what_a_model_follows_is_said_of_the_words_that_were_asked():
    """Records accept 110, which no word of Tomita 2 begins with."""
    spec = load("tomita-2")
    model = by_last_symbol(spec.alphabet, {BOS: ("1", "<eos>"), "1": "0", "0": ("1", "<eos>")})
    lines = str(brief(model, spec, length=150, report=idinf.identify(spec, max_n=3, layers=1))).splitlines()
    asked = "all 76 words of the task up to length 150"
    assert lines[0] == f"tomita-2: no wrong word among {asked}"
    formula = "`accept iff empty or (last != 1 and #1 >= 1)`"
    assert lines[1] == f"The model answers as the target on {asked}, as {formula} does."
    # Equal rows of the lengths that have words are one.
    assert [line.split()[:5] for line in lines[8:9]] == [["0,", "2,", "…,", "150", "1"]]
    assert lines[9] == ""


def test_records_that_answer_something_else_are_not_compared(records):
    model = by_last_symbol(ENDS_IN_1.alphabet, {"<bos>": ("1",)})
    found = brief(model, load("tomita-1-next"), report=records)
    assert all("it answers something else" in each.reason for each in found.followers)
    assert "The model answers as" not in str(found)
    # Of a regular language, next symbols say at the end whether the word is in it, and that is compared.
    found = brief(model, load("tomita-1"), report=records)
    assert (found.first.word, found.answer) == ("", "set")
    assert {each.reason for each in found.followers} == {None}
    assert found.followers[0].parting.said == "reject"


# Limits, and calls that are refused


def test_where_time_ends_the_judgement_is_what_was_finished(records):
    model = by_majority(MAJORITY.alphabet, 1000)
    found = brief(model, MAJORITY, length=40, report=records, time_limit=1.5)
    assert 0 <= found.exhaustive_to < 40
    assert len(found.counts) == found.exhaustive_to + 1
    assert found.ended_by == "the time limit of 1.5 s ended the run"
    assert [each.words for each in found.counts] == [1 << n for n in range(found.exhaustive_to + 1)]
    none = brief(model, MAJORITY, length=40, report=records, time_limit=1e-6)
    assert (none.exhaustive_to, none.counts, none.first) == (-1, (), None)
    text = str(none)
    assert "length -1" not in text
    assert "follows" not in text


REFUSED = [
    ({"offsets": "x"}, "offsets = 'x'; expected 'all' or integers"),
    ({"offsets": ()}, "offsets = "),
    ({"offsets": (True,)}, "offsets = "),
    ({"offsets": (-1,)}, "offsets = "),
    ({"offsets": (0, 15)}, "offset = 15; expected room for 2 tokens in the 16 positions"),
    ({"offsets": (99,)}, "offset = 99"),
    ({"length": -1}, "length = -1; expected an integer from 0 to 1000"),
    ({"samples": "3"}, "samples = '3'"),
    ({"seed": -1}, "seed = -1"),
    ({"answer": "yes"}, "answer = 'yes'; expected accept or set or symbol"),
    ({"answer": "symbol"}, "made-here: answer = 'symbol'; expected 'accept'"),
    ({"time_limit": 0}, "time_limit = 0"),
]


@pytest.mark.parametrize(("options", "said"), REFUSED)
def test_arguments_that_are_refused(options, said):
    model, _ = fitted(Task.of(ENDS_IN_1, Answer.SET), [(0, 1)], positions=16)
    with pytest.raises(ArgumentError) as error:
        brief(model, ENDS_IN_1, **options)
    assert str(error.value).startswith(said)
    assert "\n" not in str(error.value)


def test_what_does_not_fit_the_target(records, tmp_path):
    path = tmp_path / "tomita-1.json"
    compile_source("tomita-1").save(path)
    for other in (spec_of("a*", "ab"), spec_of("1*", "012")):
        with pytest.raises(AlphabetMismatchError, match="tomita-1"):
            brief(path, other)
        model = by_last_symbol(other.alphabet, {})
        with pytest.raises(ArgumentError, match="the report is about tomita-1, over 0 1; expected one over"):
            brief(model, other, report=records)
    assert brief(path, spec_of("1*", "10"), report=records).first is None  # codes mean other symbols
    with pytest.raises(ArgumentError, match="answer = 'set'; expected 'accept'"):
        brief(path, "tomita-1", answer="set")
    with pytest.raises(ArgumentError, match="expected 'set'"):
        brief(path, "tomita-1-next")
    with pytest.raises(HypothesisFormatError):
        brief(tmp_path / "none.json", "tomita-1")


@pytest.mark.parametrize(("wrong", "words"), [(0, 1), (1, 1), (0, 2000), (3, 50), (49, 50), (1000, 1000)])
def test_intervals(wrong, words):
    wanted = binomtest(wrong, words).proportion_ci(0.95, method="exact")
    assert clopper_pearson(wrong, words) == pytest.approx((wanted.low, wanted.high), abs=1e-12)
