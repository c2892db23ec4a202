"""Reports to make pages of: made-up ones around hypotheses of every kind."""

from dataclasses import replace
from fractions import Fraction

from idinf.base.words import Alphabet
from idinf.nets.attention import AttentionPattern
from idinf.nets.dense import Activation, Head, Layer, Mlp, matrix, vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.report.target import TargetDescription
from idinf.report.value import Report
from tests.show.reports import golden


def report_about(target: TargetDescription, *nets: LimitTransformer) -> Report:
    """A report whose records are some hypotheses; R, fails and formulas are made up."""
    report = golden("majority")
    record = report.records[-1]
    records = tuple(
        replace(record, r=8.0 + place, formula=f"net {place}", hypothesis=net)
        for place, net in enumerate(nets)
    )
    return replace(report, target=target, records=records)


def report_of(*nets: LimitTransformer) -> Report:
    """Such a report about a language over the alphabet of the hypotheses."""
    target = replace(golden("majority").target, alphabet=nets[0].alphabet.symbols)
    return report_about(target, *nets)


def half_logits() -> LimitTransformer:
    """Two layers at p = 1; φ(1) = 1/2, and M with entries 1/2 and 3/2 in the second."""
    first = OneHotLayer(
        (OneHotHead(((0, 2, -1, 1),), AttentionPattern(phi=(0, 1))),),
        (OneHotUnit(((0, 0, 2),), (0, 0, 1, 0), -1),),
    )
    logits = ((0, 1, 0, 0, 3), (0, 0, 0, 0, 0), (1, 0, 0, 0, 0), (0, 0, 0, 2, 0), (0, 0, 0, 3, 1))
    second = OneHotLayer(
        (OneHotHead(((0, 1, 1, -2, 1), (1, 0, 0, 0, -1)), AttentionPattern(logits, (0, 0, 3))),),
        (OneHotUnit(((0, 0, 2),), (0, 0, 0, 0, 1), 0), OneHotUnit(((0, 1, 2),), (1, 0, 0, 0, -1), 0)),
    )
    return OneHotTransformer(Alphabet(("a", "b", "c")), 1, (first, second), (1, -1), 0).to_dense()


def periodic() -> LimitTransformer:
    """Δ = 3, p = 2 and a local bias of 3/4."""
    head = OneHotHead(((0, 3, -1, 2, -4, 0, 1),), AttentionPattern(phi=(1, 3)))
    unit = OneHotUnit(((0, 0, 4),), (0, 0, 0, 0, -2, 0, 3), -1)
    return OneHotTransformer(
        Alphabet(("a", "b", "c")), 2, (OneHotLayer((head,), (unit,)),), (-1,), -1, period=3
    ).to_dense()


def outside() -> LimitTransformer:
    """No member of the family: ReLU, two heads, negative logits, dense embeddings, two output rows."""
    half = Fraction(1, 2)
    embedding = matrix([[1, 0, half], [half, -1, 2], [0, 3, -half], [-2, half, 1]])
    heads = (
        Head(matrix([[1, 0, -1]]), matrix([[half, 1, 0]]), matrix([[1, half, 0], [0, 0, 0], [0, -1, 1]])),
        Head(
            matrix([[0] * 3]), matrix([[0] * 3]), matrix([[0] * 3, [1, 0, 0], [0] * 3]), vector([0, -2, -5])
        ),
    )
    mlp = Mlp(
        matrix([[1, -1, half], [0, 2, -1]]),
        vector([half, -1]),
        matrix([[1, 0], [0, -half], [half, 1]]),
        (Activation.RELU, Activation.HEAVISIDE),
    )
    return LimitTransformer(
        Alphabet(("a", "b", "c")),
        1,
        embedding,
        matrix([[0, 0, half], [half, 0, 0]]),
        (Layer(heads, mlp), Layer((), mlp)),
        matrix([[1, 0, 0], [1, -1, half]]),
        1,
        1,
    )
