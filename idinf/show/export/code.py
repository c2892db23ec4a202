"""A hypothesis as a file of numpy or torch, and its numbers as the safetensors file that a module loads."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from idinf.errors import HypothesisFormatError, MissingPackageError
from idinf.nets.dense import Activation, Head, Matrix, Vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.show.coordinates import Names
from idinf.show.export.preamble import describe, fill, show

#: Characters of a line of numbers; more are written a row of the matrix to the line.
WIDEST = 96

#: The last parts of names of vectors.
VECTORS = ("b", "phi")

_ZERO = Fraction(0)


def write_code(net: LimitTransformer, kind: str) -> str:
    """Write a file of numpy or torch: the numbers of a hypothesis, its forward pass, and how it answers.

    Raises HypothesisFormatError if float64 cannot hold one of the numbers.
    """
    names = Names.of(net)
    rounded = "Floats are rounded, which may turn a verdict where two sides are nearly equal; idinf is exact."
    about = [
        show(line).replace("\\", "\\\\").replace('"', '\\"') for line in ("", *describe(net), "", rounded)
    ]
    outputs = [] if net.output is None else list(zip(net.output.symbols, net.output.rows, strict=True))
    return fill(
        f"{kind}_file.txt",
        {
            "matrix": _matrix,
            "vector": _vector,
            "phi": _with_end,
            "relu": lambda mlp: [unit is Activation.RELU for unit in mlp.activation],
        },
        net=net,
        about="\n".join(about),
        answer=f"{'accept' if net.output is None else net.output.kind.value}.txt",
        coordinates=show(", ".join(f"{k} {name}" for k, name in enumerate(names.coordinates))),
        units=names.units,
        outputs=outputs,
        threshold=repr(to_float(net.threshold)),
    )


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


def dump_weights(net: LimitTransformer) -> bytes:
    """Write the parameters as float64 tensors by the names of the module; the same ones are the same bytes.

    Raises MissingPackageError if safetensors is not installed, and HypothesisFormatError if float64 cannot
    hold a number.
    """
    try:
        from safetensors.numpy import save
    except ImportError:
        raise MissingPackageError(
            "weights need safetensors, which is not installed; pip install safetensors"
        ) from None
    tensors = {}
    for name, rows in list_arrays(net).items():
        values = np.array([[to_float(entry) for entry in row] for row in rows], dtype=np.float64)
        values = values.reshape(len(rows), len(rows[0]) if rows else net.width)
        tensors[name] = values[0] if name.rpartition(".")[2] in VECTORS else values
    return bytes(save(tensors))
