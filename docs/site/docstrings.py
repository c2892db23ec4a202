"""How docstrings are written here, for griffe: ``#:`` before attributes, and parameters that share a line."""

from __future__ import annotations

import ast
import re

import griffe

#: Parameters that are explained together, and what is said of them.
_TOGETHER = re.compile(r"^(\w+(?:, \w+)+)\n((?: {4}.*\n?)+)", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Read comments beside an attribute or above it, and give each parameter a line of its own."""

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

    def on_function_instance(
        self, *, node: ast.AST | griffe.ObjectNode, func: griffe.Function, **_: object
    ) -> None:
        """Write ``a, b`` in two lines; griffe would give b the type and the default of a."""

        def apart(match: re.Match[str]) -> str:
            names = match[1].split(", ")
            return "".join(f"{name}\n{match[2].rstrip()}\n" for name in names)

        if func.docstring is not None:
            func.docstring.value = _TOGETHER.sub(apart, func.docstring.value)
