"""Letters that a target does not tell apart, against all words; and what merging them does to a run."""

import json

import numpy as np
import pytest

from idinf.api.identify import identify
from idinf.api.languages import hypothesis
from idinf.base.words import Alphabet, words_up_to
from idinf.errors import AlphabetMismatchError, ReportFormatError
from idinf.nets import reference
from idinf.nets.regularizer import Aggregate, compute_r_terms
from idinf.spec.reader import parse_spec
from idinf.targets.build import build_target
from idinf.targets.letters import find_symbols, merge_letters
from idinf.targets.machine import accepts
from tests.targets.random_programs import random_program

SMALL = {"space": "nope", "layers": 1, "heads": 1, "units": 1, "precision": 1, "max_n": 4, "max_r": 9.5}


def spec_of(kind, text, alphabet="abcd"):
    return parse_spec(f'name = "t"\nalphabet = "{alphabet}"\n{kind} = """{text}"""')


def check(spec, length=4):
    """The merged target says of π(w) what the target says of w; how many symbols there are."""
    target = build_target(spec)
    merged, machine = merge_letters(spec, target)
    assert accepts(build_target(merged), ()) == accepts(machine, ()) == accepts(target, ())
    for word in words_up_to(len(spec.alphabet), length):
        read = machine.alphabet.encode(spec.alphabet.decode(word))
        assert accepts(machine, read) == accepts(target, word), spec.text
    assert merged.alphabet.letters == machine.alphabet.letters
    return machine.alphabet


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        (".*ab.*", "abc"),
        ("a(b|c|d)*", "ab"),
        ("(a|b)*(c|d)*", "ac"),
        ("(..)*", "a"),
        ("abcd", "abcd"),
        (".*d", "ad"),
    ],
)
def test_letters_of_a_regex(text, symbols):
    assert check(spec_of("regex", text)).symbols == tuple(symbols)


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ('accept = # "a" >= 2', "ab"),
        ('accept = 2 * # "a" >= # "b" + # "c" + # "d"', "ab"),
        ('accept = # "a" + 2 * # "b" >= # "c" + # "d"', "abc"),
        ('accept = # ("a" || "b") >= # "c"', "acd"),
        ('x = # ("c" || "d") accept = x == 1 && !("c" || "d")', "ac"),
        ('accept = # ("b" && #[j = i-1] ("a" || "c") >= 1) >= 1', "abd"),
        ('accept = (# "a" if "b" || "c" else # "d") > 0', "abd"),
        ('accept = # "b" == # "c"', "abc"),
        ('accept = "c" || "d"', "ac"),
        ("accept = i mod 2 == 0", "a"),
    ],
)
def test_letters_of_a_program(text, symbols):
    assert check(spec_of("crasp", text)).symbols == tuple(symbols)


def test_letters_of_random_programs():
    rng = np.random.default_rng(5)
    merged = 0
    for _ in range(15):
        text = random_program(rng, "ab", operations=4)
        if rng.random() < 0.5:
            text = text.replace('"b"', '("b" || "c")')
        merged += len(check(spec_of("crasp", text, "abc"), 4)) < 3
    assert merged >= 10


def test_next_symbols_and_domains_are_left_alone():
    for more in ('mode = "next"', 'domain = "(a|b|c|d)*"'):
        spec = parse_spec(f'name = "t"\nalphabet = "abcd"\nregex = "a*"\n{more}')
        target = build_target(spec)
        assert merge_letters(spec, target) == (spec, target)
        assert find_symbols(target) == (0, 1, 2, 3)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("text", ["(b|c)*a(b|c)*", "a(a|b|c)*", "a*(b|c)*", "(...)*|a"])
def test_one_embedding_for_a_class_is_as_good_as_any(text):
    """Both steps of the lemma: h∘π has the R and the fail of h, and h∘s no larger R and no smaller fail."""
    merged = identify(f"regex:{text}", alphabet="abc", **SMALL)
    apart = identify(f"regex:{text}", alphabet="abc", letters="apart", **SMALL)
    language = build_target(spec_of("regex", text, "abc"))
    symbols = Alphabet(merged.target.alphabet)
    assert len(symbols) < 3
    assert merged.n0 is None or apart.n0 is None or merged.n0 <= apart.n0

    def fail(net, words):
        """Least length up to 5 at which a net is wrong on a word of an alphabet, else None."""
        for word in words_up_to(len(words), 5):
            codes = language.alphabet.encode(words.decode(word))
            if reference.accepts(net.over(words), word) != accepts(language, codes):
                return len(word)
        return None

    for record in merged.records:
        net = record.hypothesis
        assert compute_r_terms(net.over(language.alphabet), Aggregate.MAX).total == pytest.approx(record.r)
        assert fail(net, language.alphabet) == (record.fail if (record.fail or 9) <= 5 else None)
    for record in apart.records:
        rest = record.hypothesis.over(symbols)
        assert compute_r_terms(rest, Aggregate.MAX).total <= record.r + 1e-9
        assert (fail(rest, symbols) or 9) >= (fail(record.hypothesis, language.alphabet) or 9)
    for one, other in zip(merged.stages, apart.stages, strict=True):
        if one.r_star is not None and other.r_star is not None:
            assert one.r_star <= other.r_star + 1e-9


def test_bounds_over_all_letters_bound_both_families(tmp_path):
    """One with an embedding for each letter, of no larger R over the symbols, and the other way round."""
    some = {**SMALL, "max_r": 6.0}
    apart = identify("regex:(b|c)*", alphabet="abc", letters="apart", **SMALL)
    merged = identify("regex:(b|c)*", alphabet="abc", **SMALL)
    hypothesis(merged).save(path := tmp_path / "merged.json")
    for letters, known in (("merged", apart), ("apart", path), ("apart", merged)):
        found = identify("regex:(b|c)*", alphabet="cba", letters=letters, upper_bound=[known], **some)
        assert found.bracket.r_upper == pytest.approx(merged.selected.r)
    with pytest.raises(AlphabetMismatchError, match="expected that of the target, "):
        identify("regex:b*", alphabet="ab", upper_bound=[merged], **some)


def test_a_class_with_no_symbol_is_refused():
    report = identify("regex:(b|c)*", alphabet="abc", **SMALL)
    content = json.loads(json.dumps(report.to_dict()))
    content["target"]["letters"] = {"x": ["x", "c"]}
    with pytest.raises(ReportFormatError, match="'c' is read as 'x'; expected one of: a b"):
        type(report).from_dict(content)
