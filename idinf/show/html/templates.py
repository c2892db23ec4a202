"""Pages from the templates beside this module: every text is escaped, and only their own code may run."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from idinf.base.numbers import format_r, format_word, typeset
from idinf.base.quoting import escape_controls

#: R with more than three decimals: alone in its cell, after a comparison, or the end of an interval. An arXiv
#: number looks alike. questions.js has the same.
_NINE = re.compile(r"((?:^|(?<=[=<>≤≥] )|(?<=, )(?=[\d.]+\])|(?<=[\[(])(?=[\d.]+, ))\d+\.\d{4,9}\b)")

_BOTH = Markup(
    '<span class="r" title="{long}"><span class="short">{short}</span><span class="long">{long}</span></span>'
)


def shorten_numbers(text: str, trim: bool = True) -> Markup:
    """Write a text whose values of R show three decimals, and all of them on demand.

    Zeros at the end are left out unless ``trim`` is False, as in columns, where points stand below points.

    >>> print(shorten_numbers("< 9.5000"))
    &lt; <span class="r" title="9.5000"><span class="short">9.5</span><span class="long">9.5000</span></span>
    >>> print(shorten_numbers("(arXiv 2410.02140, Theorem 1)"))
    (arXiv 2410.02140, Theorem 1)
    """
    parts: list[str] = _NINE.split(text)
    for place, number in enumerate(parts[1::2]):
        short = f"{float(number):.3f}"
        short = short.rstrip("0").removesuffix(".") if trim else short
        parts[2 * place + 1] = _BOTH.format(long=number, short=short)
    return Markup("").join(parts)


#: Environment that fills the templates of pages.
TEMPLATES = Environment(
    loader=PackageLoader("idinf.show.html", "."),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters |= {
    "column": lambda text: shorten_numbers(text, trim=False),
    "r": format_r,
    "short": shorten_numbers,
    "shown": format_word,
    "typeset": typeset,
}


def read_asset(name: str) -> str:
    """Read a file beside this module as it is: a style or a script."""
    assert TEMPLATES.loader is not None
    return TEMPLATES.loader.get_source(TEMPLATES, name)[0]


def render_template(template: str, scripts: Sequence[str] = (), **values: object) -> str:
    """Fill the template of a page with values, and with the style and scripts that its policy lets in.

    Nothing of the values can become markup or code. The policy names the style and the scripts by their
    hashes.
    """
    style, script = read_asset("page.css"), "".join(map(read_asset, scripts))
    policy = f"default-src 'none'; img-src data:; style-src {_hash(style)}; "
    policy += f"script-src {_hash(script)}; " if script else ""
    policy = f"{policy}base-uri 'none'; form-action 'none'"
    code = {"style": Markup(f"<style>{style}</style>"), "script": Markup(script)}
    return escape_controls(TEMPLATES.get_template(template).render(policy=policy, **code, **values))


def _hash(text: str) -> str:
    """Name of a text in a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
