"""The direct construction against the interpreter, word by word in the reference; shape; planted faults."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.crasp.parser import parse
from idinf.crasp.programs import list_names, load
from idinf.errors import HypothesisFormatError
from idinf.nets import reference
from idinf.nets.dense import Activation
from idinf.nets.one_hot import to_one_hot
from idinf.translate.compilation import direct
from idinf.translate.compilation.compiler import compile_by_any_route, compile_program
from idinf.translate.compilation.direct import compile_directly
from idinf.translate.compilation.local_counts import LocalHead
from tests.translate.compilation.deep_programs import deep_program

AB = Alphabet(("a", "b"))

#: Lengths up to which every word is run, by the number of symbols.
LENGTHS = {1: 8, 2: 5, 3: 3, 4: 3, 5: 2}


def differences(program, alphabet, length, precision=0):
    """Words on which the reference runs the compiled program otherwise than the interpreter."""
    words = list(words_up_to(len(alphabet), length))
    wanted = compute_labels(program, alphabet, lay_out_words(words)).tolist()
    dense = compile_directly(program, alphabet, precision)
    return [w for w, label in zip(words, wanted, strict=True) if reference.accepts(dense, w) != label]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", list_names())
def test_the_library(name: str) -> None:
    loaded = load(name)
    alphabet = loaded.alphabet()
    assert differences(loaded.program, alphabet, LENGTHS[len(alphabet)] - 1) == []


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([0, 0, 2]))
def test_random_programs(seed: int, precision: int) -> None:
    text = deep_program(seed)
    assert differences(parse(text), AB, 4, precision) == [], text


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    "text",
    [
        'accept = # !"a" == 0',
        'accept = # (# "a" == 0) == 0',  # the Boolean holds at SOS, and SOS is not counted
        'accept = #[j = i] !"a" == 0',
        "accept = i mod 2 == 0",
        "accept = #[j = i-1] true == 1",
        'accept = # (i mod 3 == 0 || "a") + 1 > 2 * #[j >= i-4] (i mod 2 == 0)',
        'p = "a" && # "a" == 1 accept = # (p || # "b" != 1) > 2',
        'p = # "a" == 2 q = "b" && p && # "b" > 0 accept = # (q || i mod 2 == 1) >= 2',
        'accept = 2 * # "a" - 4 * # "b" + 3 > 0 && 3 <= 2 * # "b" + 4 * # "a"',
        'accept = min(#[j = i-1] "a", # "b") + max(#[j >= i-2] "b", 1) > 1',
    ],
)
def test_constructs_and_the_empty_word(text: str) -> None:
    assert differences(parse(text), AB, 5) == []
    assert differences(parse(text), AB, 3, 2) == []


# Shape


def test_the_route_is_the_family_where_it_can_be() -> None:
    program = parse('accept = max(# "a", # "b") > 1')
    within = compile_by_any_route(program, AB, 1)
    assert (within.transformer, within.outside) == (compile_program(program, AB, 1).to_dense(), "")
    assert to_one_hot(within.transformer)
    asked = compile_by_any_route(program, AB, 1, direct=True)
    assert (asked.transformer, asked.outside) == (compile_directly(program, AB, 1), "asked for")
    assert Activation.RELU in asked.transformer.layers[0].mlp.activation
    with pytest.raises(HypothesisFormatError):
        to_one_hot(asked.transformer)


# Planted faults


def test_a_wrong_value_at_sos_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'p = # "a" == 0 accept = # p <= # "a"'
    monkeypatch.setattr(direct.Stream, "without_sos", lambda self, form: form)  # SOS is counted
    assert differences(parse(text), AB, 4) != []


def test_a_bound_that_is_too_small_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'accept = (3 * # "a" - # "b" if "b" else 2) > 1'
    assert differences(parse(text), AB, 5) == []
    honest = direct.Stream.range_of
    monkeypatch.setattr(
        direct.Stream, "range_of", lambda self, form: tuple(end // 2 for end in honest(self, form))
    )
    assert differences(parse(text), AB, 5) != []


@pytest.mark.parametrize("fault", [LocalHead(3, 1, 0), LocalHead(3, 2, 0), LocalHead(3, 1, -3)])
def test_a_wrong_fix_for_early_positions_is_caught(fault: LocalHead, monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'accept = #[j = i-3] "a" == 1'
    for module in (direct,):
        monkeypatch.setattr(module, "build_local_head", lambda distance: fault)
    assert differences(parse(text), AB, 5) != []
