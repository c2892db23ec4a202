"""Compiled programs against the interpreter and the targets, word by word in the reference."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.crasp.parser import parse
from idinf.crasp.programs import list_names, load
from idinf.errors import ProgramError
from idinf.nets import reference
from idinf.nets.regularizer import Aggregate, compute_r_terms
from idinf.spec import catalogue
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import accepts
from idinf.translate.compilation import units
from idinf.translate.compilation.compiler import compile_by_any_route, compile_cheapest, compile_program
from idinf.translate.compilation.local_counts import LocalHead
from tests.asked_for import few
from tests.translate.compilation.deep_programs import deep_program

AB = Alphabet(("a", "b"))

#: Lengths up to which every word is run, by the number of symbols: quick, and slow.
QUICK = {1: 8, 2: 5, 3: 3, 4: 3, 5: 2}


def differences(program, alphabet, length, precision=0):
    """Words on which the reference runs the compiled program otherwise than the interpreter."""
    words = list(words_up_to(len(alphabet), length))
    wanted = compute_labels(program, alphabet, lay_out_words(words)).tolist()
    dense = compile_program(program, alphabet, precision).to_dense()
    return [w for w, label in zip(words, wanted, strict=True) if reference.accepts(dense, w) != label]


@pytest.mark.thinned(6)
@pytest.mark.parametrize("name", list_names())
def test_the_library(name: str) -> None:
    _check_shipped(name, QUICK)


def _check_shipped(name, lengths):
    loaded = load(name)
    alphabet = loaded.alphabet()
    length = lengths[len(alphabet)]
    assert differences(loaded.program, alphabet, length) == []
    machines = [CountingTarget(loaded.program, alphabet)]
    if name in catalogue.list_names() and (spec := catalogue.load(name)).alphabet == alphabet:
        machines.append(build_target(spec))
    words = list(words_up_to(len(alphabet), length))
    wanted = compute_labels(loaded.program, alphabet, lay_out_words(words)).tolist()
    for machine in machines:
        assert [accepts(machine, word) for word in words] == wanted


@settings(max_examples=few(8, 100))
@given(st.integers(0, 10**9), st.sampled_from([0, 0, 1]))
def test_random_programs(seed: int, precision: int) -> None:
    text = deep_program(seed)
    assert differences(parse(text), AB, 4, precision) == [], text


def test_the_family_takes_random_programs() -> None:
    for seed in range(few(20, 60)):
        compile_program(parse(deep_program(seed)), AB)  # raises where it needs too many cases


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "text",
    [
        'x = # "a" - # "b" accept = (x if "a" else 0 - x) > 1 - # "a"',
        'x = max(# "a", 2 * # "b") accept = min(x, # true) != 2 * #[j = i-1] "a"',
        'p = "a" || i mod 3 == 1 accept = 2 * # p > #[j >= i-3] !p',
        'p = # "a" == # "b" accept = #[j = i-4] p == 1 || #[j = i-3] !p == 1',
        'accept = (3 if # "a" > # "b" else # "b") + (2 * # "a" if i mod 2 == 0 else 1) >= 4',
        'p = # "a" > 1 && # "b" > 1 q = # p > 1 || # "a" < # "b" accept = # q > # p',
        'accept = #[j >= i-3] "a" >= 2',
        'accept = (# "a" > 1 && # "b" > 1) || # "a" > 3',
    ],
)
def test_constructs(text: str) -> None:
    assert differences(parse(text), AB, 5) == []


@pytest.mark.parametrize(
    ("text", "on_empty"),
    [
        ("accept = true", True),
        ("accept = 1 <= 0", False),
        ('accept = # !"a" == 0', True),
        ('accept = # (# "a" == 0) == 0', True),  # the Boolean holds at SOS, and SOS is not counted
        ('accept = #[j = i] !"a" == 0', True),
        ("accept = i mod 2 == 0", True),
        ("accept = i mod 2 == 1", False),
        ("accept = 1 > 0 + # true", True),
        ("accept = #[j = i-1] true == 1", False),
    ],
)
def test_the_empty_word_is_judged_at_sos(text: str, on_empty: bool) -> None:
    program = parse(text)
    assert reference.accepts(compile_program(program, AB).to_dense(), ()) == on_empty
    assert differences(program, AB, 3) == []


# Shape


def test_what_is_dead_or_the_same_costs_nothing() -> None:
    plain = compile_program(parse('accept = # "a" >= # "b"'), AB)
    text = (
        'dead = i mod 7 == 3 waste = # (#[j = i-5] dead > 0) as = # "a" bs = # !"a" same = # "b"'
        " zero = bs - same accept = 2 * as + 5 * zero >= bs + same"
    )
    assert compile_program(parse(text), AB) == plain


@pytest.mark.thinned(3)
@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize("name", ["d-12", "dyck-1", "majority", "contains-ab", "tomita-4"])
def test_the_cheapest_precision(name: str, aggregate: Aggregate) -> None:
    """Over all precisions, and over those up to a largest one."""
    loaded = load(name)
    how = loaded.program, loaded.alphabet()
    nets = [compile_program(*how, p) for p in range(13)]
    values = [round(compute_r_terms(net.to_dense(), aggregate).total, 9) for net in nets]
    assert values[-1] > min(values) + 3
    for most in (None, 0, 1, 2):
        best = min(values if most is None else values[: most + 1])
        net, r = compile_cheapest(*how, most, aggregate)
        assert (net, round(r, 9)) == (nets[values.index(best)], best)
    if aggregate is Aggregate.MAX:
        assert compile_by_any_route(*how).transformer == compile_cheapest(*how)[0].to_dense()


# Refusals


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('accept = # "c" > 0', "line 1, column 12: symbol 'c' is not in the alphabet"),
        (f'accept = {2**41} * # "a" > 0', "expected at most .* use smaller numbers"),
    ],
)
def test_refusals(text: str, says: str) -> None:
    with pytest.raises(ProgramError, match=says):
        compile_program(parse(text), AB)


# Planted faults


def test_a_wrong_value_at_sos_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'p = # "a" == 0 accept = # p <= # "a"'
    assert differences(parse(text), AB, 4) == []
    monkeypatch.setattr(units.CompiledUnits, "without_sos", lambda self, form: form)  # SOS is counted
    assert differences(parse(text), AB, 4) != []


def test_a_wrong_constant_at_sos_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = units.CompiledUnits.make

    def wrong(self, unit, tokens=None):
        number = honest(self, unit, tokens)
        self._at_sos[number] = 1 - int(self.at_sos(unit.values) + self.at_sos(unit.own) > 0)
        return number

    monkeypatch.setattr(units.CompiledUnits, "make", wrong)
    text = 'p = # "b" < 2 accept = # p > # "a"'
    assert differences(parse(text), AB, 5) != []


@pytest.mark.parametrize("fault", [LocalHead(3, 1, 0), LocalHead(3, 2, 0), LocalHead(3, 1, -3)])
def test_a_wrong_fix_for_early_positions_is_caught(fault: LocalHead, monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'accept = #[j = i-3] "a" == 1'
    assert differences(parse(text), AB, 5) == []
    for module in (units,):
        monkeypatch.setattr(module, "build_local_head", lambda distance, width=1: fault)
    assert differences(parse(text), AB, 5) != []
