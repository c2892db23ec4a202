"""The interchange format ``limit-transformer/1``: JSON in, JSON out, checked on load."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from idinf.errors import HypothesisFormatError, PrecisionError, SpecError
from idinf.experiments.spec import Answer
from idinf.files import read_text, shown_path
from idinf.json_cursor import Cursor
from idinf.json_text import MOST_HYPOTHESIS, NotJson, dump_json, parse_json
from idinf.transformers.limit_transformer import (
    Activation,
    Head,
    Layer,
    LimitTransformer,
    Matrix,
    Mlp,
    Vector,
)
from idinf.transformers.next_output import NextOutput
from idinf.words import SOS, Alphabet

#: The tag of the only version this module reads and writes.
FORMAT = "limit-transformer/1"


_KEYS = ("format", "alphabet", "precision", "embedding", "layers", "unembedding")


_NUMBER = {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+/[0-9]+$"}]}
_VECTOR = {"type": "array", "items": _NUMBER}
_MATRIX = {"type": "array", "items": _VECTOR}


def _schema(optional: tuple[str, ...] = (), **properties: object) -> dict[str, object]:
    required = [key for key in properties if key not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


#: JSON Schema, draft 2020-12, of the format. What goes beyond kinds of values is checked on load.
HYPOTHESIS_SCHEMA = _schema(
    ("positions", "accept", "output"),
    format={"const": FORMAT},
    alphabet={"type": "array", "items": {"type": "string"}},
    precision={"type": "integer"},
    embedding={"type": "object", "additionalProperties": _VECTOR},
    positions=_MATRIX,
    layers={
        "type": "array",
        "items": _schema(
            heads={"type": "array", "items": _schema(("phi",), K=_MATRIX, Q=_MATRIX, V=_MATRIX, phi=_VECTOR)},
            mlp=_schema(
                A=_MATRIX,
                b=_VECTOR,
                B=_MATRIX,
                activation={"type": "array", "items": {"enum": [known.value for known in Activation]}},
            ),
        ),
    },
    unembedding=_MATRIX,
    accept=_schema(row={"type": "integer"}, threshold={"type": "integer"}),
    output=_schema(
        ("threshold",),
        kind={"enum": [Answer.SET.value, Answer.SYMBOL.value]},
        symbols={"type": "array", "items": {"type": "string"}},
        rows={"type": "array", "items": {"type": "integer"}},
        threshold={"type": "integer"},
    ),
) | {"oneOf": [{"required": ["accept"]}, {"required": ["output"]}]}


def read(path: str | Path) -> LimitTransformer:
    """Read a hypothesis from a file.

    Raises
    ------
    HypothesisFormatError
        If the file cannot be read, is not UTF-8 text, or breaks a rule of the format; the message
        names file, key path, value and expectation.
    """
    expected = f"expected a {FORMAT} file; check the path"
    return loads(read_text(path, MOST_HYPOTHESIS, HypothesisFormatError, expected), str(path))


def loads(text: str, origin: str = "hypothesis") -> LimitTransformer:
    """Read a hypothesis from JSON text; ``origin`` names it in messages.

    Raises
    ------
    HypothesisFormatError
        As `read`, with line and column where the text is not JSON.

    Examples
    --------
    >>> loads('{"format": "limit-transformer/2"}', "net.json")
    Traceback (most recent call last):
        ...
    idinf.errors.HypothesisFormatError: net.json: format = "limit-transformer/2"; expected
    "limit-transformer/1"; this version reads no other
    """
    origin = shown_path(origin)
    try:
        return read_object(Cursor(parse_json(text), origin, HypothesisFormatError, whole="the hypothesis"))
    except NotJson as reason:
        raise HypothesisFormatError(
            f"{origin}: {reason}; expected a {FORMAT} object; correct the text"
        ) from None


def dumps(transformer: LimitTransformer) -> str:
    """Write a hypothesis as JSON text, one row per line, ending in a newline.

    Exact and deterministic; `loads` gives back an equal object. The format does not say how words are
    written: symbols of more than one character are read back as separated by blanks, others not.
    """
    return dump_json(to_json_object(transformer))


def to_json_object(transformer: LimitTransformer) -> dict[str, object]:
    """Turn a hypothesis into the JSON object of the format, for example to embed it in a report."""
    names = (SOS, *transformer.alphabet.symbols)
    return {
        "format": FORMAT,
        "alphabet": list(transformer.alphabet.symbols),
        "precision": transformer.precision,
        "embedding": {
            name: _write_vector(row) for name, row in zip(names, transformer.embedding, strict=True)
        },
        "positions": _write_matrix(transformer.positions),
        "layers": [_write_layer(layer) for layer in transformer.layers],
        "unembedding": _write_matrix(transformer.unembedding),
        **_write_output(transformer),
    }


def _write_output(transformer: LimitTransformer) -> dict[str, object]:
    """``accept``, or ``output`` of a hypothesis about next symbols."""
    output = transformer.output
    if output is None:
        return {"accept": {"row": transformer.accept_row, "threshold": transformer.threshold}}
    return {
        "output": {
            "kind": output.kind.value,
            "symbols": list(output.symbols),
            "rows": list(output.rows),
            "threshold": transformer.threshold,
        }
    }


def read_object(root: Cursor) -> LimitTransformer:
    """Read a hypothesis from a parsed JSON object, for example that of a record of a report.

    Raises
    ------
    IdinfError
        The error of the cursor, as `read`.
    """
    _check_format(root)
    about_next = isinstance(root.value, dict) and "output" in root.value
    fields = root.fields((*_KEYS, "output" if about_next else "accept"), optional=("positions",))
    alphabet = _read_alphabet(fields["alphabet"])
    embedding = _read_embedding(fields["embedding"], alphabet)
    zero_row = (tuple(Fraction(0) for _ in embedding[0]),)
    precision = fields["precision"].integer()
    positions = fields["positions"].matrix() if "positions" in fields else zero_row
    layers = tuple(_read_layer(layer) for layer in fields["layers"].items("layers"))
    unembedding = fields["unembedding"].matrix()
    if about_next:
        read = fields["output"].fields(("kind", "symbols", "rows"), optional=("threshold",))
        output, row = _read_output(read), 0
        threshold = read["threshold"].integer() if "threshold" in read else 0
    else:
        accept = fields["accept"].fields(("row", "threshold"))
        output, row, threshold = None, accept["row"].integer(), accept["threshold"].integer()
    try:
        return LimitTransformer(
            alphabet, precision, embedding, positions, layers, unembedding, row, threshold, output
        )
    except (HypothesisFormatError, PrecisionError) as error:
        raise root.error(f"{root.origin}: {f'{root.path}: ' if root.path else ''}{error}") from None


def _check_format(root: Cursor) -> None:
    # The tag comes first: another version may have other keys.
    tag = root.value.get("format", FORMAT) if isinstance(root.value, dict) else FORMAT
    if tag != FORMAT:
        remedy = "this version reads no other"
        if isinstance(tag, str) and tag.startswith("idinf-report/"):
            remedy = "save the hypothesis of one of the records of this report as a file of its own"
        root.at(tag, "format").fail(f'"{FORMAT}"', remedy)


def _read_output(fields: Mapping[str, Cursor]) -> NextOutput:
    kind = fields["kind"].text()
    if kind not in (Answer.SET, Answer.SYMBOL):
        fields["kind"].fail('"symbol" or "set"', "name one of them")
    symbols = tuple(item.text() for item in fields["symbols"].items("next symbols"))
    return NextOutput(Answer(kind), symbols, tuple(row.integer() for row in fields["rows"].items("rows")))


def _read_alphabet(cursor: Cursor) -> Alphabet:
    symbols = tuple(item.text() for item in cursor.items("symbols"))
    try:
        return Alphabet(symbols, spaced=any(len(symbol) > 1 for symbol in symbols))
    except SpecError as error:
        raise cursor.error(f"{cursor.origin}: {error}") from None


def _read_embedding(cursor: Cursor, alphabet: Alphabet) -> Matrix:
    names = (SOS, *alphabet.symbols)
    rows = cursor.fields(names, symbols=True)
    return tuple(rows[name].vector() for name in names)


def _read_layer(cursor: Cursor) -> Layer:
    fields = cursor.fields(("heads", "mlp"))
    return Layer(tuple(_read_head(head) for head in fields["heads"].items("heads")), _read_mlp(fields["mlp"]))


def _read_head(cursor: Cursor) -> Head:
    fields = cursor.fields(("K", "Q", "V"), optional=("phi",))
    phi = fields["phi"].vector() if "phi" in fields else ()
    return Head(fields["K"].matrix(), fields["Q"].matrix(), fields["V"].matrix(), phi)


def _read_mlp(cursor: Cursor) -> Mlp:
    fields = cursor.fields(("A", "b", "B", "activation"))
    activation = tuple(_read_activation(name) for name in fields["activation"].items("activations"))
    return Mlp(fields["A"].matrix(), fields["b"].vector(), fields["B"].matrix(), activation)


def _read_activation(cursor: Cursor) -> Activation:
    try:
        return Activation(cursor.value)
    except ValueError:
        cursor.fail(" or ".join(f'"{known.value}"' for known in Activation), "name one of them")


def _write_layer(layer: Layer) -> dict[str, object]:
    mlp = layer.mlp
    return {
        "heads": [_write_head(head) for head in layer.heads],
        "mlp": {
            "A": _write_matrix(mlp.A),
            "b": _write_vector(mlp.b),
            "B": _write_matrix(mlp.B),
            "activation": [activation.value for activation in mlp.activation],
        },
    }


def _write_head(head: Head) -> dict[str, object]:
    return {
        "K": _write_matrix(head.K),
        "Q": _write_matrix(head.Q),
        "V": _write_matrix(head.V),
        "phi": _write_vector(head.phi) or [0],
    }


def _write_matrix(rows: Matrix) -> list[list[int | str]]:
    return [_write_vector(row) for row in rows]


def _write_vector(row: Vector) -> list[int | str]:
    return [int(entry) if entry.denominator == 1 else str(entry) for entry in row]
