"""Runs that several test modules report on; small, and made once per process."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from idinf.inference.outcome import Inference, build_report
from idinf.inference.procedure import Procedure
from idinf.inference.settings import MAX_RULE
from idinf.nets.regularizer import Aggregate
from idinf.report.target import TargetDescription
from idinf.report.value import Regularizer, Report
from idinf.spec.bounds import SpaceBounds
from idinf.spec.catalogue import load
from idinf.spec.spec import Spec
from idinf.targets.build import build_target


@dataclass(frozen=True)
class Run:
    """A run with everything a report is made of."""

    spec: Spec
    bounds: SpaceBounds
    inference: Inference
    regularizer: Regularizer = MAX_RULE

    @property
    def report(self) -> Report:
        """Its report."""
        return build_report(TargetDescription.of(self.spec), self.bounds, self.regularizer, self.inference)


def run(name, max_n, aggregate=Aggregate.MAX, tolerance=None, **bounds):
    spec = load(name)
    space = spec.space.overridden(layers=2, units=2, precision=2, **bounds)
    inference = Procedure(build_target(spec), space, max_n, aggregate, tolerance).run()
    return Run(spec, space, inference, Regularizer(aggregate, tolerance))


@pytest.fixture(scope="session")
def identified():
    """Majority up to 4: identified with n0 = 3."""
    return run("majority", 4)


@pytest.fixture(scope="session")
def opened():
    """Parity with a budget that ends it."""
    return run("parity", 4, max_r=9.3)


@pytest.fixture(scope="session")
def bracketed():
    """Majority with a budget that ends above R* and below the stop bound: a correct hypothesis is known."""
    return run("majority", 4, max_r=8.45)


@pytest.fixture(scope="session")
def not_identified():
    """Majority up to 2: at n = 2 a selected hypothesis is wrong at length 3."""
    return run("majority", 2)
