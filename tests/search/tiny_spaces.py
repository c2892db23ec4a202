"""Tiny spaces on which the search is compared with nested loops, and what each of them is for.

A case with ``uses`` is about one feature of the family; the brute force itself is checked to need the
feature there, so a search that ignores it cannot pass. Where the feature is never the cheapest way, the case
admits only structures that have it (``only``, ``periods``, ``precisions``, shapes). Such a restriction must
stay closed under replacing a hypothesis by an equal one that costs no more: M is asked for in columns that a
query can see, and with too little room for a column that adds one constant to every key.
"""

from collections.abc import Callable
from dataclasses import dataclass

from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotTransformer
from tests.search.brute_force import Form, Space
from tests.search.tiny_targets import (
    A_BEFORE_LAST,
    A_UNANSWERED,
    ALL_EQUAL,
    AT_LEAST_2,
    AT_LEAST_4,
    B_AT_EVEN,
    BALANCED,
    CHANGES,
    CONTAINS_AB,
    DYCK,
    EVEN,
    EVEN_FROM_4,
    LAST_TWICE,
    MAJORITY,
    MORE_B_THAN_SOME_A,
    NONE_OF_C,
    ONE_TO_3,
    PARITY,
    PLURALITY,
    SOME_B,
    THIRD,
    TWO_LETTERS,
    Machine,
)


def has_local(hypothesis, layers=slice(None)):
    """Whether some head of the layers has φ."""
    return any(head.pattern.phi for layer in hypothesis.layers[layers] for head in layer.heads)


def has_content(hypothesis, layers=slice(None)):
    """Whether some head of the layers has M."""
    return any(head.pattern.logits for layer in hypothesis.layers[layers] for head in layer.heads)


def has_half_logits(hypothesis):
    """Whether some logit is not an integer."""
    return any(
        entry % 2**hypothesis.precision
        for layer in hypothesis.layers
        for head in layer.heads
        for row in (*head.pattern.logits, head.pattern.phi)
        for entry in row
    )


def has_period(hypothesis):
    return hypothesis.period > 1


def has_two_heads(hypothesis):
    return any(len(layer.heads) > 1 for layer in hypothesis.layers)


def has_two_outputs(hypothesis):
    return len(hypothesis.layers[-1].units) > 1


def has_reader_of_two_heads(hypothesis):
    return any(len(unit.reads) > 1 for layer in hypothesis.layers for unit in layer.units)


def local_in(*layers: int) -> Callable[[tuple[Form, ...]], bool]:
    """Restrict a space to structures with a φ in exactly these layers (0-based)."""
    return lambda forms: (
        tuple(k for k, (patterns, _) in enumerate(forms) if any(x.phi for x in patterns)) == layers
    )


def local_above(value: int) -> Callable[[tuple[Form, ...]], bool]:
    """Restrict a space to structures with some φ(k) above a value, in units of 2^-p."""
    return lambda forms: any(max(x.phi, default=0) > value for patterns, _ in forms for x in patterns)


def is_seen(pattern: AttentionPattern) -> bool:
    """Whether M depends on some query other than $, which attends to itself only."""
    return any(any(row[1:]) for row in pattern.logits)


def content_in(*layers: int) -> Callable[[tuple[Form, ...]], bool]:
    """Restrict a space to structures with an M that is seen in exactly these layers (0-based)."""
    return lambda forms: (
        tuple(k for k, (patterns, _) in enumerate(forms) if any(is_seen(x) for x in patterns)) == layers
    )


def with_patterns(wanted: Callable[[tuple[AttentionPattern, ...]], bool]) -> Callable[..., bool]:
    """Restrict a space to structures with a layer whose patterns are as wanted."""
    return lambda forms: any(wanted(patterns) for patterns, _ in forms)


@dataclass(frozen=True)
class Case:
    """A target and a space, the largest n, how R aggregates, and the feature the case is about."""

    target: Machine
    space: Space
    max_n: int
    aggregate: str = "max"
    uses: Callable[[OneHotTransformer], bool] | None = None
    slow: bool = False


ONE_LAYER = ((1, 1),)

UNIFORM_CASES = {
    "majority-1-layer": Case(MAJORITY, Space(1, 1, 1, 1, 8.9), 3),
    "majority-2-units": Case(MAJORITY, Space(1, 1, 2, 0, 8.7), 2, slow=True),
    "majority-2-layers": Case(MAJORITY, Space(2, 1, 1, 0, 8.5), 2, slow=True),
    "majority-2-layers-sum": Case(MAJORITY, Space(2, 1, 1, 0, 9.5), 2, "sum"),
    "parity-2-units": Case(PARITY, Space(1, 1, 2, 0, 8.3), 2, slow=True),
    "dyck-half": Case(DYCK, Space(1, 1, 1, 1, 9.0), 3),
    "some-b": Case(SOME_B, Space(2, 1, 1, 0, 8.2), 2, slow=True),
    "even-unary": Case(EVEN, Space(2, 1, 1, 1, 9.0), 3, slow=True),
    "even-unary-2-units": Case(EVEN, Space(1, 1, 2, 1, 9.0), 3, slow=True),
    "even-unary-sum": Case(EVEN, Space(2, 1, 1, 1, 9.5), 3, "sum"),
    "two-unary": Case(AT_LEAST_2, Space(2, 1, 1, 1, 9.0), 3, slow=True),
    "no-c": Case(NONE_OF_C, Space(2, 1, 1, 0, 7.6), 2, slow=True),
    "plurality-c": Case(PLURALITY, Space(1, 1, 1, 0, 8.5), 2),
    "dyck-heads-in-both": Case(DYCK, Space(2, 1, 1, 1, 9.9, (((1, 1), (1, 1)),)), 3, slow=True),
    "dyck-head-above": Case(DYCK, Space(2, 1, 1, 0, 9.5, (((0, 1), (1, 1)),)), 3),
    "dyck-head-below": Case(DYCK, Space(2, 1, 1, 0, 9.5, (((1, 1), (0, 1)),)), 3),
    "even-hidden-pair": Case(EVEN, Space(2, 1, 2, 1, 10.0, (((1, 2), (1, 1)),)), 3),
    "two-hidden-pair-p2": Case(AT_LEAST_2, Space(2, 1, 2, 2, 10.2, (((1, 2), (1, 1)),)), 3, slow=True),
    "dyck-hidden-pair": Case(DYCK, Space(2, 1, 2, 0, 10.0, (((1, 2), (1, 1)),)), 3, slow=True),
    "dyck-hidden-pair-below": Case(DYCK, Space(2, 1, 2, 1, 9.7, (((1, 2), (0, 1)),)), 3, slow=True),
    "two-hidden-pair-sum": Case(AT_LEAST_2, Space(2, 1, 2, 0, 11.3, (((0, 2), (1, 1)),)), 3, "sum",
        slow=True),
    "two-unary-2-units-p2": Case(AT_LEAST_2, Space(1, 1, 2, 2, 9.6, (((1, 2),),)), 3, slow=True),
    "even-unary-shared-channel": Case(EVEN, Space(1, 1, 2, 1, 9.5, (((1, 2),),)), 3),
    "two-unary-half": Case(AT_LEAST_2, Space(1, 1, 1, 1, 9.8), 3),
    "majority-pair-p2": Case(MAJORITY, Space(1, 1, 2, 2, 9.3, (((1, 2),),)), 2, slow=True),
    "no-c-heads-in-both": Case(NONE_OF_C, Space(2, 1, 1, 0, 9.5, (((1, 1), (1, 1)),)), 2, slow=True),
    "unary-3-layers": Case(EVEN, Space(3, 1, 1, 0, 10.3, (((1, 1), (1, 1), (1, 1)),)), 3),
}  # fmt: skip

LOCAL = {"reach": 1, "logit_max": 1}
CONTENT = {"logit_max": 1, "content_max": 1}

#: φ: in one layer, in the lower or the upper of two, in both, half-integer, far, large.
LOCAL_CASES = {
    "local": Case(A_BEFORE_LAST, Space(1, 1, 1, 0, 9.7, **LOCAL), 2, uses=has_local),
    "local-half": Case(A_BEFORE_LAST, Space(1, 1, 1, 1, 9.21, **LOCAL), 2, uses=has_half_logits),
    "local-at-0": Case(LAST_TWICE, Space(1, 1, 1, 1, 9.13, logit_max=1, only=local_in(0)), 3,
        uses=has_local),
    "local-reach-2": Case(EVEN, Space(1, 1, 1, 1, 9.6, reach=2, logit_max=1), 3, uses=has_local),
    "local-large": Case(EVEN, Space(1, 1, 1, 1, 11.5, (ONE_LAYER,), reach=1, logit_max=2, precisions=(1,),
        only=local_above(2)), 3, uses=has_local),
    "local-below": Case(CONTAINS_AB, Space(2, 1, 1, 0, 10.5, (((1, 1), (0, 1)),), **LOCAL,
        only=local_in(0)), 2, uses=has_local),
    "local-above": Case(A_BEFORE_LAST, Space(2, 1, 1, 0, 10.45, (((0, 1), (1, 1)),), **LOCAL,
        only=local_in(1)), 2, uses=has_local),
    "local-below-head": Case(EVEN, Space(2, 1, 1, 1, 10.1, (((1, 1), (1, 1)),), **LOCAL, precisions=(1,),
        only=local_in(0)), 3, uses=has_local),
    "local-in-both": Case(EVEN, Space(2, 1, 1, 0, 11.9, (((1, 1), (1, 1)),), **LOCAL, only=local_in(0, 1)),
        3, uses=has_local),
    "local-in-both-sum": Case(EVEN, Space(2, 1, 1, 0, 15.9, (((1, 1), (1, 1)),), **LOCAL, only=local_in(0,
        1)), 3, "sum", uses=has_local),
}  # fmt: skip

#: M: integer and half-integer, below and above, in both with sums, beside φ.
CONTENT_CASES = {
    "content": Case(A_UNANSWERED, Space(1, 1, 1, 0, 9.6, **CONTENT), 3, uses=has_content),
    "content-half": Case(A_UNANSWERED, Space(1, 1, 1, 1, 9.21, (ONE_LAYER,), **CONTENT, precisions=(1,),
        only=content_in(0)), 3, uses=has_half_logits, slow=True),
    "content-half-unary": Case(ONE_TO_3, Space(1, 1, 1, 1, 9.97, **CONTENT), 4, uses=has_half_logits),
    "content-below": Case(A_UNANSWERED, Space(2, 1, 1, 0, 10.42, (((1, 1), (0, 1)),), **CONTENT,
        only=content_in(0)), 2, uses=has_content, slow=True),
    "content-above": Case(EVEN, Space(2, 1, 1, 0, 10.5, (((0, 1), (1, 1)),), **CONTENT,
        only=content_in(1)), 3, uses=has_content),
    "content-in-both-sum": Case(EVEN, Space(2, 1, 1, 0, 16.3, (((1, 1), (1, 1)),), **CONTENT,
        only=content_in(0, 1)), 3, "sum", uses=has_content, slow=True),
    "content-and-local": Case(A_UNANSWERED, Space(1, 1, 1, 0, 10.42, (ONE_LAYER,), **CONTENT, reach=1,
        only=with_patterns(lambda h: any(is_seen(x) and x.phi for x in h))), 2, uses=has_content),
    "content-two": Case(A_UNANSWERED, Space(1, 1, 1, 0, 10.42, (ONE_LAYER,), logit_max=2, content_max=2,
        only=with_patterns(lambda h: any(max(row[1:]) > 1 for x in h for row in x.logits))), 2,
        uses=has_content, slow=True),
}  # fmt: skip

#: Δ: alone, with heads, with φ, on two letters, under a second layer.
PERIOD_CASES = {
    "period-2": Case(EVEN, Space(1, 1, 1, 1, 8.2, period=2), 3, uses=has_period),
    "period-3": Case(THIRD, Space(1, 1, 1, 0, 9.2, period=3), 3, uses=has_period),
    "period-2-letters": Case(B_AT_EVEN, Space(1, 1, 1, 0, 8.7, period=2), 2, uses=has_period),
    "period-2-head": Case(EVEN_FROM_4, Space(1, 1, 1, 0, 11.94, period=2), 5, uses=has_period),
    "period-3-head": Case(EVEN_FROM_4, Space(1, 1, 1, 0, 12.6, (ONE_LAYER,), period=3, periods=(3,)), 4,
        uses=has_period),
    "period-2-local": Case(EVEN_FROM_4, Space(1, 1, 1, 0, 12.9, (ONE_LAYER,), period=2, **LOCAL, periods=(2,
        ), only=local_in(0)), 4, uses=has_local),
    "period-2-layers": Case(B_AT_EVEN, Space(2, 0, 1, 0, 9.5, (((0, 1), (0, 1)),), period=2, periods=(2,)),
        2, uses=has_period),
    "period-2-sum": Case(EVEN, Space(2, 1, 1, 0, 8.3, period=2), 3, "sum", uses=has_period),
}  # fmt: skip

#: Two heads: rank against H, one unit on both, with φ, in the lower layer.
HEAD_CASES = {
    "one-unit-two-heads": Case(AT_LEAST_4, Space(1, 2, 1, 0, 10.28, (ONE_LAYER, ((2, 1),))), 4,
        uses=has_reader_of_two_heads),
    "two-units-two-heads": Case(MORE_B_THAN_SOME_A, Space(1, 2, 2, 0, 10.6, (((2, 2),),)), 3,
        uses=has_two_heads),
    "two-heads-one-local": Case(EVEN, Space(1, 2, 1, 0, 11.7, (((2, 1),),), **LOCAL, only=local_in(0)), 3,
        uses=has_reader_of_two_heads),
    "two-heads-half": Case(EVEN, Space(1, 2, 1, 1, 10.5, (((2, 1),),), **LOCAL, precisions=(1,),
        only=local_in(0)), 3, uses=has_half_logits),
    "two-heads-equal-local": Case(EVEN, Space(1, 2, 1, 1, 10.7, (((2, 1),),), **LOCAL,
        only=with_patterns(lambda h: len(h) == 2 and h[0] == h[1] and bool(h[0].phi))), 3, uses=has_local),
    "two-heads-two-units-local": Case(EVEN, Space(1, 2, 2, 0, 11.8, (((2, 2),),), **LOCAL,
        only=local_in(0)), 3, uses=has_two_heads),
    "two-heads-below": Case(ONE_TO_3, Space(2, 2, 1, 0, 11.28, (((2, 1), (0, 1)),)), 4, uses=has_two_heads),
    "two-heads-sum": Case(AT_LEAST_2, Space(1, 2, 2, 0, 12.0, (((2, 1),), ((2, 2),))), 3, "sum",
        uses=has_two_heads),
    "two-heads-content": Case(EVEN, Space(1, 2, 1, 0, 10.8, (((2, 1),),), **CONTENT, only=content_in(0)), 3,
        uses=has_content),
}  # fmt: skip

#: Up to three units, shared channels, several output units on top.
UNIT_CASES = {
    "three-units-shared": Case(EVEN, Space(1, 1, 3, 1, 9.95, (((1, 3),),), precisions=(1,)), 2,
        uses=has_two_outputs),
    "three-units": Case(A_BEFORE_LAST, Space(1, 0, 3, 0, 7.2, (((0, 3),),)), 2, uses=has_two_outputs),
    "two-outputs-above": Case(TWO_LETTERS, Space(2, 1, 2, 0, 10.3, (((0, 1), (1, 2)),)), 2,
        uses=has_two_outputs),
    "exactly-two": Case(TWO_LETTERS, Space(2, 1, 2, 0, 11.0, (((0, 1), (1, 1)), ((0, 1), (1, 2)))), 3,
        uses=has_two_outputs, slow=True),
    "two-outputs-headless": Case(EVEN, Space(2, 1, 2, 0, 10.7, (((1, 1), (0, 2)),)), 3,
        uses=has_two_outputs),
    "two-outputs-on-two": Case(EVEN, Space(2, 0, 2, 0, 7.25, (((0, 2), (0, 2)),)), 3, uses=has_two_outputs),
    "two-outputs-local": Case(TWO_LETTERS, Space(2, 1, 2, 1, 10.5, (((0, 1), (1, 2)),), **LOCAL,
        precisions=(1,), only=local_in(1)), 3, uses=has_two_outputs),
}  # fmt: skip

#: Symbols that the target does not tell apart: two, three; with φ, and with two units below.
SYMMETRIC_CASES = {
    "symmetric-both": Case(BALANCED, Space(2, 1, 1, 0, 9.5, (((1, 1), (1, 1)),)), 2),
    "symmetric-three": Case(ALL_EQUAL, Space(2, 1, 1, 0, 9.5, (((0, 1), (1, 1)),)), 2),
    "symmetric-local": Case(CHANGES, Space(2, 1, 1, 0, 10.5, (((1, 1), (0, 1)),), **LOCAL,
        only=local_in(0)), 2),
    "symmetric-pair": Case(BALANCED, Space(2, 1, 2, 0, 9.95, (((1, 2), (0, 1)),)), 2),
}  # fmt: skip

CASES = {**UNIFORM_CASES, **LOCAL_CASES, **CONTENT_CASES, **PERIOD_CASES, **HEAD_CASES, **UNIT_CASES}
CASES |= SYMMETRIC_CASES
