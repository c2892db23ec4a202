"""Reports about next symbols to make pages of: specs, and hypotheses with every kind of output."""

from idinf.base.words import Alphabet
from idinf.nets.attention import AttentionPattern
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import NextReads, OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.report.target import TargetDescription
from idinf.report.value import Report
from idinf.spec.reader import parse_spec
from idinf.spec.spec import Answer, Spec
from tests.show.html.page_reports import report_about

AB = Alphabet(("a", "b"))
HEAD = 'name = "x"\nalphabet = "ab"\nmode = "next"\n'

#: Every construct of a circuit, with next symbols of which one never follows.
CONSTRUCTS = (
    HEAD
    + """
judged = "asked"
crasp = '''
even = i mod 2 == 0
before = #[j == i - 1] "a" >= 1
near = #[j >= i - 3] "b"
many = 3 if near >= 2 else # "a" - 2 * # "b"
alive = many >= 2 || (even && ! before)
least = min(# "a", near) >= 1
asked = true && ! (#[j == i - 2] "b" == 1)
'''
[next]
b = "alive"
"$" = "least"
"""
)

#: Targets as specs write them.
SPECS = {
    "constructs": CONSTRUCTS,
    "constructs, one symbol": CONSTRUCTS.replace('judged = "asked"', 'output = "symbol"'),
    "regex": HEAD + 'regex = "(ab)*"\n',
    "domain": HEAD + 'regex = "(ab)*"\ndomain = "(ab)*|b*"\njudged = "(a|b)*b"\n',
    "one symbol": HEAD + 'output = "symbol"\nregex = "a*b"\ndomain = "a*b"\njudged = "(a|b)*b"\n',
    "automaton": HEAD
    + '[dfa]\nstates = ["p", "q"]\nstart = "p"\naccept = ["q"]\ntransitions = { p = { a = "q" } }\n',
    "acceptance in a domain": HEAD.replace("next", "accept") + 'regex = "a*"\ndomain = "(ab|a)*"\n',
}


def report_of_spec(spec: Spec, *nets: LimitTransformer) -> Report:
    """A report about a target whose records are some hypotheses."""
    return report_about(TargetDescription.of(spec), *nets)


def spec_of(name: str) -> Spec:
    return parse_spec(SPECS[name])


def named(answer: Answer, read: tuple[int, ...], signs: tuple[int, ...], threshold: int) -> LimitTransformer:
    """A layer with a local head and two units, read by the rows of U as given."""
    head = OneHotHead(((0, 2, -1),), AttentionPattern(phi=(0, 1)))
    units = (OneHotUnit(((0, 0, 2),), (0, 0, 1), -1), OneHotUnit(((0, 0, -1),), (0, 1, 0), 1))
    layers = (OneHotLayer((head,), units),)
    return OneHotTransformer(AB, 1, layers, signs, threshold, 1, NextReads(answer, read)).to_dense()


#: Hypotheses about next symbols by what they answer.
NETS = {
    Answer.SET: (named(Answer.SET, (0, 1, 0), (1, 1), 0), named(Answer.SET, (0, -1, 1), (-1, -1), -1)),
    Answer.SYMBOL: (
        named(Answer.SYMBOL, (-1, 1, 0), (1, 1), 0),
        named(Answer.SYMBOL, (0, 1, -1), (-1, -1), 0),
    ),
}
