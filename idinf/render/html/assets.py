"""Pages out of the files beside this module, with a content security policy that lets only them in."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from importlib import resources
from string import Template

from idinf.quoting import visible


def asset(name: str) -> str:
    """Text of a file beside this module.

    Examples
    --------
    >>> asset("page.html").splitlines()[0]
    '<!doctype html>'
    """
    return resources.files("idinf.render.html").joinpath(name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """What a content security policy calls a text by.

    Examples
    --------
    >>> digest("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def filled(template: str, scripts: Sequence[str] = (), **parts: str) -> str:
    """Fill a template with its style, scripts and parts, which are HTML already.

    Examples
    --------
    >>> filled("trace.html", **dict.fromkeys(("name", "word", "lead", "about", "text", "table"), "x"),
    ...     operations="", version="1", class_name="C-RASP", depth="1").count("script-src")
    0
    """
    style, script = asset("page.css"), "".join(map(asset, scripts))
    policy = f"default-src 'none'; img-src data:; style-src {digest(style)}; "
    policy += f"script-src {digest(script)}; " if script else ""
    policy = escape(f"{policy}base-uri 'none'; form-action 'none'")
    page = Template(asset(template)).substitute(parts, policy=policy, style=style, script=script)
    return visible(page)
