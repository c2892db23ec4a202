"""The numbers of a hypothesis as text of Python, and by their names: what both files of code share."""

from __future__ import annotations

from fractions import Fraction
from importlib import resources

from idinf.errors import HypothesisFormatError
from idinf.nets.dense import Activation, Head, Layer, Matrix, Vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.show.coordinates import Names
from idinf.show.export.naming import describe, show

#: Characters of a line of numbers; more are written a row of the matrix to the line.
WIDEST = 96

#: The last parts of names of vectors.
VECTORS = ("b", "phi")

_ZERO = Fraction(0)


def write_code(net: LimitTransformer, kind: str) -> str:
    """Fill the template ``kind`` with the numbers of a hypothesis, and with how it answers.

    Raises
    ------
    HypothesisFormatError
        If float64 cannot hold one of the numbers.
    """
    template = _read_template(f"{kind}_file")
    answer = _read_template("accept" if net.output is None else net.output.kind.value)
    parts = {"about": _write_about(net), "data": _write_data(net), "answer": answer}
    for name, text in parts.items():
        template = template.replace(f"# <{name}>\n", text)
    return template


def list_arrays(net: LimitTransformer) -> dict[str, Matrix]:
    """The parameters by the names that `torch.nn.Module.state_dict` gives them; a vector is a single row.

    >>> from idinf.api.programs import compile_source
    >>> list(list_arrays(compile_source("majority").transformer))
    ['E', 'P', 'U', 'layers.0.A', 'layers.0.b', 'layers.0.B', 'layers.0.heads.0.K', 'layers.0.heads.0.Q',
     'layers.0.heads.0.V', 'layers.0.heads.0.phi']
    """
    found = {"E": net.embedding, "P": net.positions, "U": net.unembedding}
    for number, layer in enumerate(net.layers):
        mlp = layer.mlp
        found |= {
            f"layers.{number}.{name}": rows for name, rows in (("A", mlp.A), ("b", (mlp.b,)), ("B", mlp.B))
        }
        for place, head in enumerate(layer.heads):
            for name, rows in (("K", head.K), ("Q", head.Q), ("V", head.V), ("phi", (_with_end(head),))):
                found[f"layers.{number}.heads.{place}.{name}"] = rows
    return found


def to_float(value: int | Fraction) -> float:
    """A number as float64, which has to hold it exactly. Raises HypothesisFormatError if it does not.

    >>> to_float(Fraction(-3, 4))
    -0.75
    """
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if Fraction(value) != (Fraction(number) if abs(number) < float("inf") else None):
        size = max(value.numerator.bit_length(), value.denominator.bit_length())
        raise HypothesisFormatError(
            f"a parameter of {size} bits is no float64; expected one that 53 bits hold; export it as json"
        )
    return number


def _with_end(head: Head) -> Vector:
    """φ(0)..φ(τ) and the 0 of every larger distance."""
    return (*head.phi, _ZERO)


def _read_template(name: str) -> str:
    return resources.files("idinf.show.export").joinpath(f"templates/{name}.txt").read_text(encoding="utf-8")


def _write_about(net: LimitTransformer) -> str:
    """What the hypothesis is, and that floats are rounded; a part of a docstring."""
    rounded = "Floats are rounded, which may turn a verdict where two sides are nearly equal; idinf is exact."
    lines = ["", *describe(net), "", rounded]
    return "".join(show(line).replace("\\", "\\\\").replace('"', '\\"') + "\n" for line in lines)


def _write_data(net: LimitTransformer) -> str:
    names = Names.of(net)
    listed = ", ".join(f"{k} {name}" for k, name in enumerate(names.coordinates))
    lines = [
        f"# Coordinates of the residual stream, from 0 on: {show(listed)}",
        f"SYMBOLS = {list(net.alphabet.symbols)!r}",
        f"SPACED = {net.alphabet.spaced}  # whether words are written with blanks between symbols",
        f"PRECISION = {net.precision}  # p: logits and weights are multiples of 2^-p",
        f"E = {_matrix(net.embedding)}  # row 0 for $, row 1 + k for symbol k",
        f"P = {_matrix(net.positions)}  # row i mod {net.period} for position i; $ is at position 0",
        "LAYERS = [",
        *(line for number, layer in enumerate(net.layers, 1) for line in _layer(layer, number, names)),
        "]",
        f"U = {_matrix(net.unembedding)}",
    ]
    if net.output is None:
        lines.append(f"ROW, THRESHOLD = {net.accept_row}, {to_float(net.threshold)!r}")
    else:
        pairs = list(zip(net.output.symbols, net.output.rows, strict=True))
        lines.append(f"OUTPUTS = {pairs!r}  # next symbols and their rows of U; $ is the end")
        lines.append(f"THRESHOLD = {to_float(net.threshold)!r}")
    return "\n".join([*lines, ""])


def _layer(layer: Layer, number: int, names: Names) -> list[str]:
    mlp, units = layer.mlp, names.units[number - 1]
    relu = [kind is Activation.RELU for kind in mlp.activation]
    lines = [f"    (  # layer {number}: its heads, then A, b, B, and which units are ReLU", "        ["]
    for place, head in enumerate(layer.heads, start=1):
        lines.append(f"            (  # head {place}: K, Q, V, then phi(0), phi(1), ..., 0")
        lines += [f"                {_matrix(rows, 16)}," for rows in (head.K, head.Q, head.V)]
        lines += [f"                {_vector(_with_end(head))},", "            ),"]
    lines += [
        "        ],",
        f"        # units {', '.join(units) or '(none)'}",
        f"        {_matrix(mlp.A, 8, len(layer.mlp.B))},",
        f"        {_vector(mlp.b)},",
        f"        {_matrix(mlp.B, 8)},",
        f"        {relu!r},",
        "    ),",
    ]
    return lines


def _matrix(rows: Matrix, indent: int = 0, columns: int = 0) -> str:
    """A call of ``matrix``; ``columns`` is the width where there is no row."""
    size = f"{len(rows)}, {len(rows[0]) if rows else columns}"
    entries = [
        ", ".join(f"({i}, {j}): {_number(entry)}" for j, entry in enumerate(row) if entry)
        for i, row in enumerate(rows)
        if any(row)
    ]
    text = f"matrix({size}, {{{', '.join(entries)}}})"
    if indent + len(text) <= WIDEST:
        return text
    inner = " " * (indent + 4)
    broken = "".join(f"{inner}{row},\n" for row in entries)
    return f"matrix({size}, {{\n{broken}{' ' * indent}}})"


def _vector(row: Vector) -> str:
    return f"vector([{', '.join(map(_number, row))}])"


def _number(entry: Fraction) -> str:
    return repr(to_float(entry)).removesuffix(".0")
