"""Runs that several test modules report on; small, and made once per process."""

from dataclasses import dataclass

import pytest

from idinf.inference.procedure import Procedure
from idinf.nets.regularizer import Aggregate
from idinf.report.target import TargetDescription
from idinf.report.value import Report
from idinf.spec.bounds import SpaceBounds
from idinf.spec.catalogue import load
from idinf.spec.spec import Spec
from idinf.targets.build import build_target


@dataclass(frozen=True)
class Run:
    """A run with what was asked."""

    spec: Spec
    bounds: SpaceBounds
    report: Report


#: What runs say that they are about where nobody asks.
ANY = TargetDescription.of(load("majority"))


def prepare(target, bounds, max_n, *rest, about=ANY, **options):
    """A procedure on a target that need not have a spec."""
    return Procedure(target, bounds, max_n, *rest, about=about, **options)


def run(name, max_n, aggregate=Aggregate.MAX, tolerance=None, **bounds):
    spec = load(name)
    space = spec.space.overridden(layers=2, units=2, precision=2, **bounds)
    about = TargetDescription.of(spec)
    procedure = prepare(build_target(spec), space, max_n, aggregate, tolerance, about=about)
    return Run(spec, space, procedure.run())


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
