"""The files that pages are made of, and what a content security policy calls them by."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

__all__ = ["asset", "digest"]


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
