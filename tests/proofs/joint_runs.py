"""Joint runs of hypotheses and targets word by word, and hypotheses that are known to be right.

Importing it also opens the random hypotheses of tests/search and the random programs of tests/equivalence.
"""

from __future__ import annotations

from idinf.experiments.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.supervised import supervise
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.one_hot_parts import OneHotHead, OneHotLayer, OneHotUnit
from idinf.verification.joint_steps import JointSteps
from idinf.words import Alphabet


def target_of(name):
    return supervise(build_target(load(name)))


def joint_of(net, name):
    return JointSteps(net.to_dense(), target_of(name))


def majority_net(b=0, values=(0, 1, -1)):
    """Not Σ values > 0, for majority right with these values."""
    unit = OneHotUnit(((0, 0, 1),), s=(0, 0, 0), b=b)
    layer = OneHotLayer((OneHotHead((values,)),), (unit,))
    return OneHotTransformer(Alphabet(("0", "1")), 0, (layer,), (-1,), -1)


def run(joint, word):
    """The place and the counters after a word, and whether all steps agree; by guards alone."""
    place, counters, said = joint.start
    agrees = said.agree
    for code in word:
        [step] = [
            step
            for step in joint.steps(place)
            if step.symbol == code and all(one.holds(counters) for one in step.guard)
        ]
        counters = tuple(a + b for a, b in zip(counters, step.growth, strict=True))
        place, agrees = step.to, agrees and step.said.agree
    return place, counters, agrees
