"""HTML built from elements, and pages out of the files beside this module.

A text is escaped, always, so nothing in a report can become markup, and the content security policy of a page
lets only its own style and scripts in.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from html import escape
from importlib import resources
from string import Template

from idinf.quoting import escape_controls

#: A number with more than three decimals.
_NINE = re.compile(r"\b\d+\.\d{4,9}\b")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def render_tag(name: str, *children: str, **attributes: str | None) -> Markup:
    """Write an element; children are escaped unless they are `Markup`, attribute values always.

    ``class_`` and the like lose their final underscore, other underscores become hyphens; an attribute that
    is None is left out.

    Examples
    --------
    >>> render_tag("p", "a < b", render_tag("b", "&"), class_="note")
    '<p class="note">a &lt; b<b>&amp;</b></p>'
    """
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(child if isinstance(child, Markup) else escape(child) for child in children)
    return Markup(f"<{name}{pairs}>{inner}</{name}>")


def shorten_numbers(text: str, trim: bool = True) -> Markup:
    """Write a text whose numbers show three decimals, and all of them where the reader asks for them.

    Zeros at the end are left out unless ``trim`` is False, as in columns, where points stand below points.

    Examples
    --------
    >>> print(shorten_numbers("< 9.5000"))
    &lt; <span class="r" title="9.5000"><span class="short">9.5</span><span class="long">9.5000</span></span>
    """

    def shorten(found: re.Match[str]) -> str:
        short = f"{float(found[0]):.3f}"
        if trim:
            short = short.rstrip("0").removesuffix(".")
        spans = render_tag("span", short, class_="short"), render_tag("span", found[0], class_="long")
        return render_tag("span", *spans, class_="r", title=found[0])

    return Markup(_NINE.sub(shorten, escape(text)))


def render_heads(*titles: str) -> Markup:
    """Write the first row of a table."""
    return render_tag("thead", render_tag("tr", *(render_tag("th", title, scope="col") for title in titles)))


def read_asset(name: str) -> str:
    """Text of a file beside this module.

    Examples
    --------
    >>> read_asset("page.html").splitlines()[0]
    '<!doctype html>'
    """
    return resources.files("idinf.render.html").joinpath(name).read_text(encoding="utf-8")


def hash_text(text: str) -> str:
    """What a content security policy calls a text by.

    Examples
    --------
    >>> hash_text("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def fill_part(template: str, **parts: str) -> Markup:
    """Fill a template with parts, which are escaped unless they are `Markup`."""
    texts = {name: part if isinstance(part, Markup) else escape(part) for name, part in parts.items()}
    return Markup(Template(read_asset(template)).substitute(texts))


def render_style() -> Markup:
    """Write the style of all pages as an element: the policy of a page knows it, wherever it stands."""
    return render_tag("style", Markup(read_asset("page.css")))


def fill_template(template: str, scripts: Sequence[str] = (), **parts: str) -> str:
    """Fill the template of a page with style, scripts and parts, which are escaped unless they are `Markup`.

    Examples
    --------
    >>> fill_template("trace.html", **dict.fromkeys(("name", "word", "lead", "about", "text", "table"), "x"),
    ...     operations="", version="1", class_name="C-RASP", depth="1").count("script-src")
    0
    """
    style, script = read_asset("page.css"), "".join(map(read_asset, scripts))
    policy = f"default-src 'none'; img-src data:; style-src {hash_text(style)}; "
    policy += f"script-src {hash_text(script)}; " if script else ""
    policy = f"{policy}base-uri 'none'; form-action 'none'"
    code = {"style": render_style(), "script": Markup(script)}
    return escape_controls(fill_part(template, policy=policy, **code, **parts))
