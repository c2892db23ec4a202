"""Comments that begin with ``#:`` become the docstrings of the attributes that they explain."""

from __future__ import annotations

import ast

import griffe


class Comments(griffe.Extension):
    """Read them beside an attribute, or in the lines above it."""

    def on_attribute_instance(
        self, *, node: ast.AST | griffe.ObjectNode, attr: griffe.Attribute, **_: object
    ) -> None:
        """Give an attribute without a docstring its comment."""
        if attr.docstring is not None or attr.lineno is None or attr.endlineno is None:
            return
        lines = attr.lines_collection[attr.filepath]
        beside = lines[attr.endlineno - 1].partition("#: ")[2]
        above: list[str] = []
        for line in reversed(lines[: attr.lineno - 1]):
            if not line.strip().startswith("#: "):
                break
            above.insert(0, line.strip().removeprefix("#: "))
        if text := beside or "\n".join(above):
            attr.docstring = griffe.Docstring(text, parent=attr)
