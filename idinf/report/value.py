"""What a run of the inference procedure reports: outcome, stages, records."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from idinf.report.proof import Invariant
from idinf.transformers.one_hot import OneHotTransformer
from idinf.upper_bound.bracket import UpperBound
from idinf.words import Word

__all__ = ["Inference", "Outcome", "Proof", "Record", "SearchCounts", "Stage"]


class Outcome(enum.Enum):
    """The four honest outcomes, never mixed up."""

    IDENTIFIED = "identified"
    #: As identified, and everything that can be selected beyond max_n is proved right on all words.
    IDENTIFIED_FOR_ALL_N = "identified-for-all-n"
    NOT_IDENTIFIED = "not-identified"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Stage:
    """What the procedure selects after seeing all words up to length n.

    Attributes
    ----------
    n : int
    r_star : float or None
        R*_n; None if no consistent hypothesis was found.
    r_star_lower : float
        Proved lower bound on R*_n; equal to ``r_star`` where that is known.
    num_selected, num_selected_bad : int
        Distinct functions in S_n, and those of them with fail ≤ 2n.
    num_selected_exact : bool
        Whether the two counts are exact; always so where ``good`` is true.
    good : bool or None
        None: undetermined.
    counterexample : Word or None
        A shortest word of length ≤ 2n that a selected function gets wrong.
    fail_of_worst : int or None
        Least fail length in S_n; None if nothing selected fails up to 2 · max_n.
    """

    n: int
    r_star: float | None
    r_star_lower: float
    num_selected: int
    num_selected_bad: int
    num_selected_exact: bool
    good: bool | None
    counterexample: Word | None
    fail_of_worst: int | None


@dataclass(frozen=True, slots=True)
class Record:
    """A value of R at which some hypothesis lasts longer than every cheaper one.

    Attributes
    ----------
    r : float
    fail : int or None
        Its fail length; None if there is none up to 2 · max_n.
    counterexample : Word or None
        Shortlex-least word it gets wrong.
    hypothesis : OneHotTransformer
        First in the total order among those of this R and fail.
    """

    r: float
    fail: int | None
    counterexample: Word | None
    hypothesis: OneHotTransformer


@dataclass(frozen=True, slots=True)
class Proof:
    """A hypothesis that is right on all words, and why.

    Attributes
    ----------
    r : float
    hypothesis : OneHotTransformer
    invariant : Invariant
        Checked.
    """

    r: float
    hypothesis: OneHotTransformer
    invariant: Invariant


@dataclass(frozen=True, slots=True)
class SearchCounts:
    """How much work a run did.

    Attributes
    ----------
    enumerated : int
        Parameter vectors (of units, and value vectors of last layers) tried on all screened words.
    distinct : int
        Rows of the table: behaviours that last long enough to matter.
    exact : int
        Hypotheses whose fail length was decided on all words up to 2 · max_n.
    dp : int
        Lower layers under which last layers were solved.
    """

    enumerated: int
    distinct: int
    exact: int
    dp: int


@dataclass(frozen=True, slots=True)
class Inference:
    """The result of a run.

    Attributes
    ----------
    complete_up_to_r : float
        Every hypothesis of the space with R up to this value was enumerated.
    stop_reason : str
        One sentence for people.
    stopped : bool
        Whether a limit of time or memory, or the user, ended the run; never the case for a finished budget.
    n0, n0_canonical : int or None
    upper : UpperBound or None
        A correct hypothesis that was found or given where the search has none.
    stop_bound_at_most : float or None
        What the stop bound is at most, by ``upper``, where it is not known and ``upper`` reaches max_n.
    proofs : tuple of Proof
        Hypotheses that are proved right on all words.
    beyond : str or None
        Why n0 holds for every n, or what is in the way; None if that was not asked, or there is no n0.
    """

    max_n: int
    outcome: Outcome
    n0: int | None
    n0_canonical: int | None
    complete_up_to_r: float
    stop_bound: float | None
    stop_reason: str
    stopped: bool
    stages: tuple[Stage, ...]
    records: tuple[Record, ...]
    n0_lower: int | None
    counts: SearchCounts
    seconds: float
    peak_bytes: int
    upper: UpperBound | None = None
    stop_bound_at_most: float | None = None
    proofs: tuple[Proof, ...] = ()
    beyond: str | None = None

    @property
    def selected(self) -> Record | None:
        """The record that the procedure selects at max_n, if R* is known there."""
        fits = (record for record in self.records if record.fail is None or record.fail > self.max_n)
        return next(fits, None)
