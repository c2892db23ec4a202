"""The report of a run as a JSON object, ``idinf-report/1``."""

from __future__ import annotations

from idinf import __version__
from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.spec import Answer, Spec
from idinf.formulas.formula import formula_of
from idinf.report.proof import proof_to_json
from idinf.report.value import Inference, Outcome, Proof, Record, Stage
from idinf.transformers.json_format import to_json_object
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.regularizer import EPSILON, Aggregate, RTerms, r_terms
from idinf.upper_bound.bracket import UpperBound
from idinf.words import Alphabet, Word

__all__ = ["FORMAT", "JsonObject", "checked_terms", "report_object", "target_object"]

#: The tag of the only version this module writes.
FORMAT = "idinf-report/1"

#: Decimals of every R that is written; finer than ties of R are told apart.
DECIMALS = 9

JsonObject = dict[str, object]


def report_object(
    spec: Spec, bounds: SpaceBounds, inference: Inference, aggregate: Aggregate, tolerance: float | None
) -> JsonObject:
    """Write a run as ``idinf-report/1``.

    Parameters
    ----------
    spec : Spec
        The target; its own space and max_n count for the digest only.
    bounds : SpaceBounds
        The space that was searched.
    inference : Inference
    aggregate : Aggregate
    tolerance : float or None
        What replaced 1/(2n); None if nothing did.

    Returns
    -------
    dict
        Keys in the order of the format. R is rounded to 9 decimals (float); words are texts, ε is ``""``.
        A ``fail`` of null means none up to 2 · max_n.

    Raises
    ------
    RuntimeError
        If R recomputed from the matrices of a record is not the R the search reported: an internal error.
    """
    return {
        "format": FORMAT,
        "idinf_version": __version__,
        "target": target_object(spec),
        "space": {"preset": bounds.preset, **bounds.to_dict(), "realisation": "one-hot"},
        "regularizer": {
            "aggregate": aggregate.value,
            "tolerance": "1/(2n)" if tolerance is None else tolerance,
        },
        "max_n": inference.max_n,
        "outcome": inference.outcome.value,
        "n0": inference.n0,
        "n0_canonical": inference.n0_canonical,
        "complete_up_to_r": _rounded(inference.complete_up_to_r),
        "stop_reason": inference.stop_reason,
        "stages": [_stage(stage, spec.alphabet) for stage in inference.stages],
        "bracket": _bracket(inference) if inference.outcome is Outcome.OPEN else None,
        "records": [_record(record, spec.alphabet, inference, aggregate) for record in inference.records],
        "proofs": [_proof(proof) for proof in inference.proofs],
        "beyond": inference.beyond,
        "counts": {
            "enumerated": inference.counts.enumerated,
            "distinct": inference.counts.distinct,
            "exact": inference.counts.exact,
            "dp": inference.counts.dp,
        },
        "seconds": round(inference.seconds, 3),
        "peak_bytes": inference.peak_bytes,
        "method": "exact",
    }


def target_object(spec: Spec) -> JsonObject:
    """What a report says about its target: from it `idinf.targets.reported` builds what is asked.

    Examples
    --------
    >>> from idinf.experiments.reader import parse_spec
    >>> spec = parse_spec('name = "ones"\\nalphabet = "01"\\nregex = "1*"\\nmode = "next"')
    >>> list(target_object(spec))
    ['name', 'alphabet', 'kind', 'source', 'digest', 'mode', 'output']
    """
    target: JsonObject = {
        "name": spec.name,
        "alphabet": list(spec.alphabet.symbols),
        "kind": spec.kind.value,
        "source": spec.text,
        "digest": spec.digest,
    }
    if spec.alphabet.spaced:
        target["tokens"] = "space"
    if spec.answer is Answer.ACCEPT and spec.domain is None:
        return target
    target["mode"] = spec.mode
    if spec.answer is not Answer.ACCEPT:
        target["output"] = spec.answer.value
    given = {"next": dict(spec.next), "domain": spec.domain, "judged": spec.judged}
    return target | {key: value for key, value in given.items() if value}


def checked_terms(record: Record, aggregate: Aggregate) -> RTerms:
    """Compute the terms of R of a record from its matrices.

    Raises
    ------
    RuntimeError
        If their sum is not the R of the record.
    """
    terms = r_terms(record.hypothesis.to_dense(), aggregate)
    if abs(terms.total - record.r) > EPSILON:
        raise RuntimeError(
            f"the search reported R = {record.r:.9f} for a hypothesis whose matrices "
            f"have R = {terms.total:.9f}"
        )
    return terms


def _stage(stage: Stage, alphabet: Alphabet) -> JsonObject:
    return {
        "n": stage.n,
        "r_star": _rounded(stage.r_star),
        "r_star_lower": _rounded(stage.r_star_lower),
        "num_selected": stage.num_selected,
        "num_selected_bad": stage.num_selected_bad,
        "num_selected_exact": stage.num_selected_exact,
        "good": stage.good,
        "counterexample": _text(stage.counterexample, alphabet),
        "fail_of_worst": stage.fail_of_worst,
    }


def _proof(proof: Proof) -> JsonObject:
    return {
        "r": _rounded(proof.r),
        "hypothesis": _hypothesis(proof.hypothesis),
        **proof_to_json(proof.invariant),
    }


def _record(record: Record, alphabet: Alphabet, inference: Inference, aggregate: Aggregate) -> JsonObject:
    terms = checked_terms(record, aggregate).as_dict()
    return {
        "r": _rounded(record.r),
        "r_terms": {name: _rounded(value) for name, value in terms.items()},
        "fail": record.fail,
        "proved_all_n": any(proof.hypothesis == record.hypothesis for proof in inference.proofs),
        "counterexample": _text(record.counterexample, alphabet),
        "formula": str(formula_of(record.hypothesis)),
        "hypothesis": _hypothesis(record.hypothesis),
    }


def _bracket(inference: Inference) -> JsonObject:
    """What an open run proves about R* at max_n, from both sides."""
    correct = next((record for record in inference.records if record.fail is None), None)
    upper = inference.upper
    if correct is not None:
        upper = UpperBound(correct.r, correct.hypothesis, 2 * inference.max_n)
    return {
        "r_lower": _rounded(inference.stages[-1].r_star_lower),
        "r_upper": None if upper is None else _rounded(upper.r),
        "upper_length": None if upper is None else upper.checked,
        "hypothesis": None if upper is None else _hypothesis(upper.hypothesis),
        "stop_bound_upper": _rounded(
            inference.stop_bound_at_most if inference.stop_bound is None else inference.stop_bound
        ),
        "n0_lower": inference.n0_lower,
    }


def _hypothesis(hypothesis: OneHotTransformer) -> JsonObject:
    return to_json_object(hypothesis.to_dense())


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS)


def _text(word: Word | None, alphabet: Alphabet) -> str | None:
    return None if word is None else alphabet.decode(word)
