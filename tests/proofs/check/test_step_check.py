"""Machines and steps that are wrong on one word, or on long words alone: what replays them notices."""

from dataclasses import dataclass, replace

import pytest
from click.testing import CliRunner

from idinf.base.words import Alphabet
from idinf.commands import main
from idinf.crasp import circuit
from idinf.crasp.checker import read_program
from idinf.nets.one_hot import NextReads, OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.proofs.check import report_check
from idinf.proofs.check.definition import TargetDefinition
from idinf.proofs.check.joint_steps import JointAnswer, JointSteps
from idinf.proofs.check.report_check import check_report
from idinf.proofs.check.step_check import find_automaton_faults, replay
from idinf.proofs.check.target_steps import Unprovable
from idinf.proofs.check.word_check import WordCheck
from idinf.report.files import parse_report
from idinf.report.value import Outcome
from idinf.spec.spec import Answer
from idinf.targets.build import build_target
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import supervise
from tests.proofs.check.followed import random_hypothesis, spec_of
from tests.proofs.check.small_reports import read

AB = Alphabet(("a", "b"))


def target_of(spec):
    return supervise(build_target(spec))


REGULAR = spec_of('regex = "(a|b)*ab*"')
COUNTING = spec_of('crasp = \'accept = # (# "a" <= # "b") >= 2 && # "a" <= # "b"\'')
DOMAIN = spec_of('regex = "a*b*"', 'domain = "a(a|b)*"')
NEXT = spec_of('mode = "next"', 'regex = "(ab)*"', 'domain = "(ab)*a?"')


def faults(net, spec, other=None, length=4):
    """Of steps made from one spec, beside the definition of another."""
    joint = JointSteps(net, target_of(other or spec))
    return replay(joint, WordCheck(TargetDefinition.of(spec)), length)[0]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("spec", [REGULAR, COUNTING, DOMAIN])
def test_steps_say_what_reference_and_definition_say(spec):
    done = 0
    for seed in range(8):
        try:
            assert faults(random_hypothesis(seed).to_dense(), spec, length=3) == ""
        except Unprovable:
            continue
        done += 1
    assert done >= 3


@pytest.mark.parametrize(
    ("spec", "wrong", "fault"),
    [
        (
            REGULAR,
            ('regex = "(a|b)*ab*|bbb"',),
            "after 'bbb' the steps have (True,) of the target; expected (False,) by its definition",
        ),
        (
            COUNTING,
            (
                'crasp = \'x = # (# "a" <= # "b") >= 2 && # "a" <= # "b" '
                'accept = x || # "a" == 2 && # "b" == 0\'',
            ),
            "after 'aa' the steps have (True,) of the target; expected (False,) by its definition",
        ),
        (
            DOMAIN,
            ('regex = "a*b*"', 'domain = "a(a|b)*|bb"'),
            "after 'bb' the steps have True for whether it counts; expected False by the domain",
        ),
    ],
)
def test_a_target_that_is_wrong_on_few_words_is_noticed(spec, wrong, fault):
    """The hypothesis does not matter: it has no head and never accepts."""
    unit = OneHotUnit((), (0, 0, 0), 0)
    net = OneHotTransformer(AB, 0, (OneHotLayer((), (unit,)),), (1,), 0).to_dense()
    assert faults(net, spec) == ""
    assert faults(net, spec, spec_of(*wrong)) == fault


@pytest.mark.parametrize(
    ("spec", "wrong", "fault"),
    [
        (REGULAR, ('regex = "(a|b)*ab*|b{30}"',),
            f"after {'b' * 30!r} the automaton of the target has (True,); expected (False,)"),
        (DOMAIN, ('regex = "a*b*"', 'domain = "a(a|b)*|b{25}"'),
            f"after {'b' * 25!r} the automaton of the domain has (True,); expected (False,)"),
        (NEXT, ('mode = "next"', 'regex = "(ab)*|(ab)*aa"', 'domain = "(ab)*a?"'),
            "after 'a' the automaton of the target has (True, True, False); expected (False, True, False)"),
        (DOMAIN, ('regex = "a*b*"',), "no automaton of the domain"),
    ],
)  # fmt: skip
def test_an_automaton_that_is_wrong_on_long_words_alone_is_noticed(spec, wrong, fault):
    assert list(find_automaton_faults(TargetDefinition.of(spec), target_of(spec_of(*wrong)))) == [fault]


@dataclass(frozen=True)
class Spoilt:
    """Steps with one thing changed."""

    joint: JointSteps
    change: dict

    @property
    def net(self):
        return self.joint.net

    @property
    def start(self):
        return self.joint.start

    def steps(self, place):
        for step in self.joint.steps(place):
            yield replace(step, **{key: edit(step) for key, edit in self.change.items()})


def majority():
    layer = OneHotLayer((OneHotHead(((0, 1, -1),)),), (OneHotUnit(((0, 0, 1),), (0, 0, 0), 0),))
    return OneHotTransformer(AB, 0, (layer,), (1,), 0).to_dense()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, ""),
        ({"guard": lambda _: ()}, "after '' 4 steps are open; expected one by each symbol"),
        ({"symbol": lambda _: 0}, "after '' 2 steps are open; expected one by each symbol"),
        (
            {"said": lambda step: JointAnswer((step.growth[1] == 1,), *step.said[1:])},
            "after 'b' the steps have (True,) of the hypothesis; expected (False,) by the reference",
        ),
        (  # counted twice: wrong only once there are several
            {"growth": lambda step: (step.growth[0], 2 * step.growth[1])},
            "after 'baa' the steps have (False,) of the hypothesis; expected (True,) by the reference",
        ),
    ],
)
def test_steps_with_one_thing_changed_are_noticed(change, fault):
    steps = Spoilt(JointSteps(majority(), target_of(REGULAR)), change)
    assert replay(steps, WordCheck(TargetDefinition.of(REGULAR)), 4)[0] == fault


def test_next_symbols_are_compared_at_every_position():
    """Named after the a of a prefix, and not what the steps say there."""
    unit = OneHotUnit((), (0, 1, 0), 0)
    reads = NextReads(Answer.SET, (-1, 0, -1))
    net = OneHotTransformer(AB, 0, (OneHotLayer((), (unit,)),), (1,), 0, reads=reads).to_dense()
    joint = JointSteps(net, target_of(NEXT))
    assert replay(joint, WordCheck(TargetDefinition.of(NEXT)), 3)[0] == ""
    wrong = Spoilt(joint, {"said": lambda step: JointAnswer((True,) * 3, *step.said[1:])})
    fault = replay(wrong, WordCheck(TargetDefinition.of(NEXT)), 3)[0]
    assert "of the hypothesis at position 1; expected" in fault


# The whole check of a report


def faults_of(report, length=3):
    return [f"{one.place}: {fault}" for one in check_report(report, length).checks for fault in one.faults]


def test_a_machine_that_is_wrong_on_one_long_word_is_noticed_beside_a_proof(monkeypatch):
    """Longer than every word that is tried."""

    def wrong(spec):
        return RegularTarget.from_regex("1*|0{12}", spec.alphabet)

    monkeypatch.setattr(report_check, "build_target", wrong)
    found = faults_of(read("proved"))
    assert any(fault.startswith("target: after '000000000000' the automaton") for fault in found), found


def proved_majority():
    result = CliRunner().invoke(
        main, ["identify", "majority", "--space", "spec", "--max-n", "3", "--layers", "1", "--json"]
    )
    report = parse_report(result.stdout, "r.json")
    assert report.outcome is Outcome.IDENTIFIED_FOR_ALL_N
    assert faults_of(report) == []
    return report


def test_a_program_whose_machine_is_wrong_on_one_word_is_noticed_beside_a_proof(monkeypatch):
    """Majority with 0 beside: what is proved is not proved of it, and words are judged without it."""
    report, right = proved_majority(), circuit.build_circuit

    def wrong(program, alphabet):
        text = 'accept = # "0" <= # "1" || # "0" == 1 && # "1" == 0'
        return right(read_program(text, alphabet), alphabet)

    monkeypatch.setattr(circuit, "build_circuit", wrong)
    [fault] = faults_of(report)
    assert fault.startswith("proofs[0]: place ")


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("name", "wrong", "fault"),
    [
        ("_counts", lambda *_: False, "after '' the steps have False for whether it counts; expected True"),
        (
            "_steps",
            lambda joint, place: iter(()),  # nothing is asked of the proof then
            "after '' 0 steps are open; expected one by each symbol",
        ),
    ],
)
def test_steps_of_which_anything_is_proved_are_noticed(monkeypatch, name, wrong, fault):
    report = proved_majority()
    monkeypatch.setattr(JointSteps, name, wrong)
    proofs = [one for one in check_report(report, 3).checks if one.place == "proofs[0]"]
    assert [bool(one.faults) for one in proofs] == [False, True]
    assert proofs[1].faults[0].startswith(fault)


def test_a_search_whose_machine_is_wrong_on_one_word_is_noticed(monkeypatch, tmp_path):
    """What searches and what checks have the same wrong machine, of 1* and 0."""
    right = RegularTarget.from_regex

    def wrong(text, alphabet):
        return right("1*|0" if text == "1*" else text, alphabet)

    monkeypatch.setattr(RegularTarget, "from_regex", wrong)
    spec = tmp_path / "x.toml"
    spec.write_text('name = "x"\nalphabet = "01"\nregex = "1*"\n', encoding="utf-8")
    options = ("--max-n", "3", "--layers", "1", "--max-r", "7", "--json")
    result = CliRunner().invoke(main, ["identify", str(spec), *options])
    assert result.exit_code == 0, result.stderr
    found = faults_of(parse_report(result.stdout, "r.json"))
    assert any("records" in fault and "'0'" in fault for fault in found), found
