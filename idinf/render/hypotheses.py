"""Dense hypotheses of reports as formulas, where they are of the searched family."""

from __future__ import annotations

from idinf.errors import HypothesisFormatError
from idinf.formulas.formula import Formula, formula_of
from idinf.transformers.from_dense import to_one_hot
from idinf.transformers.limit_transformer import LimitTransformer


def formula_if_one_hot(hypothesis: LimitTransformer) -> Formula | None:
    """Read the formula of a hypothesis; None if it is written otherwise than the family is."""
    try:
        return formula_of(to_one_hot(hypothesis))
    except HypothesisFormatError:
        return None
