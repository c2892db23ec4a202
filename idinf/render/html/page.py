"""One HTML page that explains a report: self-contained, works from a file, computes in the browser."""

from __future__ import annotations

import json
from html import escape
from string import Template

from idinf.quoting import visible
from idinf.render.html import sections, sentences
from idinf.render.html.assets import asset, digest
from idinf.render.html.content import Content, Shown
from idinf.render.html.machines import target_data
from idinf.render.html.reader import read_content
from idinf.report.writer import JsonObject
from idinf.transformers.limit_transformer import LimitTransformer, Matrix, Vector

__all__ = ["page_text"]


def page_text(report: JsonObject) -> str:
    """Write the page of a report.

    Parameters
    ----------
    report : dict
        An ``idinf-report/1`` object.

    Returns
    -------
    str
        A whole HTML document that loads nothing: style, script and numbers are inside. The same report
        gives the same text. Nothing of the report can become markup or code: texts are escaped, and the
        page's own policy lets only this script run.

    Raises
    ------
    ReportFormatError
        If it is not an ``idinf-report/1``, or a key that the page needs is missing or of a wrong type.

    Examples
    --------
    >>> page_text({"format": "idinf-bench/1"})
    Traceback (most recent call last):
        ...
    idinf.report.comparison.ReportFormatError: format = 'idinf-bench/1'; expected idinf-report/1; give a
    file that 'idinf identify -o' wrote
    """
    content = read_content(report)
    style = asset("page.css")
    script = asset("forward.js") + asset("target.js") + asset("page.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src {digest(style)}; script-src {digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    page = Template(asset("page.html")).substitute(
        policy=escape(policy),
        style=style,
        script=script,
        data=_inert(json.dumps(_data(content), separators=(",", ":"))),
        name=escape(content.name),
        alphabet=escape(" ".join(content.alphabet)),
        source=escape("\n\n".join(filter(None, (content.source, content.asked_text)))),
        seen=escape(_seen(content)),
        lead=escape(_lead(content)),
        max_n=str(content.max_n),
        word_hint="separated by blanks" if content.spaced else "written without blanks",
        strip=sections.strip(content),
        key=sections.strip_key(content),
        records=sections.records_table(content),
        legend=sections.legend_list(content),
        outcome=sentences.outcome(content),
        terms=sections.terms_table(content),
        stages=sections.stages_table(content),
        space=sections.space_list(content),
        limits=sentences.limits(content),
        version=escape(content.version),
    )
    return visible(page)


def _inert(text: str) -> str:
    """JSON that no HTML parser reads as a tag or a comment."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _lead(content: Content) -> str:
    match content.outcome:
        case "open":
            return f"open: complete up to R = {content.complete_up_to_r:.9g}"
        case "not-identified":
            return f"not identified for n ≤ {content.max_n}"
        case _:
            return f"identified: n0 = {content.n0} for n ≤ {content.max_n}"


def _seen(content: Content) -> str:
    """What the procedure sees, as far as the page says it in one sentence."""
    if content.asked is None:
        return "every word up to length n with its label"
    words = "every word" if content.asked.domain is None else "every word that counts"
    label = "what follows each prefix" if content.asked.everywhere else "its label"
    return f"{words} up to length n with {label}"


def _data(content: Content) -> JsonObject:
    """What the script works on; parameters are texts, so that no number passes through a float."""
    return {
        "name": content.name,
        "alphabet": list(content.alphabet),
        "spaced": content.spaced,
        "target": None if content.asked is None else target_data(content.asked),
        "maxN": content.max_n,
        "tolerance": content.tolerance,
        "stages": [
            {
                "rStar": stage.r_star,
                "lower": stage.r_star_lower,
                "selected": stage.num_selected,
                "bad": stage.num_selected_bad,
                "exact": stage.num_selected_exact,
                "good": stage.good,
                "word": stage.counterexample,
            }
            for stage in content.stages
        ],
        "hypotheses": [_hypothesis(shown) for shown in content.hypotheses],
    }


def _hypothesis(shown: Shown) -> JsonObject:
    return {
        "r": shown.r,
        "fail": shown.fail,
        "checked": shown.checked,
        "word": shown.counterexample,
        "record": shown.record,
        "text": shown.text,
        "names": shown.coordinates(),
        "net": _net(shown.net),
    }


def _net(net: LimitTransformer) -> JsonObject:
    return {
        "precision": net.precision,
        "embedding": _matrix(net.embedding),
        "positions": _matrix(net.positions),
        "layers": [
            {
                "heads": [
                    {
                        "K": _matrix(head.K),
                        "Q": _matrix(head.Q),
                        "V": _matrix(head.V),
                        "phi": _vector(head.phi),
                    }
                    for head in layer.heads
                ],
                "A": _matrix(layer.mlp.A),
                "b": _vector(layer.mlp.b),
                "B": _matrix(layer.mlp.B),
                "activation": [activation.value for activation in layer.mlp.activation],
            }
            for layer in net.layers
        ],
        "unembedding": _matrix(net.unembedding),
        "row": net.accept_row,
        "output": None
        if net.output is None
        else {
            "kind": net.output.kind.value,
            "symbols": list(net.output.symbols),
            "rows": list(net.output.rows),
        },
        "threshold": str(net.threshold),
    }


def _matrix(rows: Matrix) -> list[list[str]]:
    return [_vector(row) for row in rows]


def _vector(row: Vector) -> list[str]:
    return [str(entry) for entry in row]
