"""HTML built from elements: a text is escaped, always, so nothing in a report can become markup."""

from __future__ import annotations

from html import escape


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: str | None) -> Markup:
    """Write an element; children are escaped unless they are `Markup`, attribute values always.

    Parameters
    ----------
    name : str
    *children : str
    **attributes : str or None
        ``class_`` and the like lose their final underscore, other underscores become hyphens; None leaves
        an attribute out.

    Examples
    --------
    >>> tag("p", "a < b", tag("b", "&"), class_="note")
    '<p class="note">a &lt; b<b>&amp;</b></p>'
    """
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(child if isinstance(child, Markup) else escape(child) for child in children)
    return Markup(f"<{name}{pairs}>{inner}</{name}>")


def heads(*titles: str) -> Markup:
    """Write the first row of a table."""
    return tag("thead", tag("tr", *(tag("th", title, scope="col") for title in titles)))
