"""Numbers as a page writes them."""

from __future__ import annotations

from html import escape

from idinf.render.html.markup import Markup, tag

__all__ = ["aligned", "r_text", "short"]


def r_text(value: float) -> str:
    """R with 9 decimals, as it is compared."""
    return f"{value:.9f}"


def short(value: object) -> str:
    """A value without the zeros at its end.

    Examples
    --------
    >>> short(8.5), short(4.0), short("nope")
    ('8.5', '4', 'nope')
    """
    return r_text(value).rstrip("0").removesuffix(".") if isinstance(value, float) else str(value)


def aligned(value: float) -> Markup:
    """A number without the zeros at its end, which still take their place: points stand below points."""
    text = short(value)
    rest = r_text(value).removeprefix(text)
    return Markup(escape(text) + tag("span", rest, class_="ghost", aria_hidden="true"))
