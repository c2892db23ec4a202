"""One HTML page that explains a report: self-contained, works from a file, computes in the browser."""

from __future__ import annotations

import json

from idinf.experiments.spec import Answer
from idinf.numbers import typeset
from idinf.render.html import sections
from idinf.render.html.markup import Markup, filled, tag
from idinf.render.html.script_data import script_data, shown_hypotheses
from idinf.render.readings import supervision_of
from idinf.render.sentences import caveats, question_sentences, sentences, verdict
from idinf.report.value import Report
from idinf.targets.supervised import SupervisedTarget


def page_text(report: Report) -> str:
    """Write the page of a report, a whole HTML document that loads nothing: all of it is inside.

    The same report gives the same text. Nothing of the report can become markup or code: texts are escaped,
    and the page's own policy lets only this script run. Raises ReportFormatError if the target of the report
    defines nothing, or a hypothesis does not answer what it asks.
    """
    asked = supervision_of(report.target)
    shown = shown_hypotheses(report, Answer.ACCEPT if asked is None else asked.answer)
    target = report.target
    return filled(
        "page.html",
        ("forward.js", "target.js", "page.js"),
        data=_inert(json.dumps(script_data(report, shown, asked), separators=(",", ":"))),
        name=target.name,
        alphabet=" ".join(target.alphabet),
        source="\n\n".join(filter(None, (target.source.strip(), "\n".join(question_sentences(target))))),
        seen=_seen(asked),
        lead=typeset(verdict(report)),
        max_n=str(report.max_n),
        word_hint="separated by blanks" if target.spaced else "written without blanks",
        strip=sections.strip(report),
        key=sections.strip_key(report),
        records=sections.records_table(report),
        legend=sections.legend_list(report, shown, asked),
        outcome=Markup("".join(tag("p", typeset(text)) for text in sentences(report))),
        terms=sections.terms_table(report, shown),
        stages=sections.stages_table(report),
        space=sections.space_list(report),
        limits=tag("ul", *(tag("li", typeset(text)) for text in caveats(report))),
        version=report.idinf_version,
    )


def _inert(text: str) -> Markup:
    """JSON that no HTML parser reads as a tag or a comment."""
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _seen(asked: SupervisedTarget | None) -> str:
    """What the procedure sees, as far as the page says it in one sentence."""
    if asked is None:
        return "every word up to length n with its label"
    words = "every word" if asked.domain is None else "every word that counts"
    label = "what follows each prefix" if asked.everywhere else "its label"
    return f"{words} up to length n with {label}"
