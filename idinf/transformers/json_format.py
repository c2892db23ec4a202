"""The formats ``limit-transformer/1`` and ``causal-transformer/1``: JSON in, JSON out, checked on load."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from idinf.errors import HypothesisFormatError, PrecisionError, SpecError
from idinf.experiments.spec import Answer
from idinf.files import read_text, show_path
from idinf.json_cursor import Cursor
from idinf.json_forms import Form, build_object_schema, derive_form, list_of, object_form, one_of
from idinf.json_text import MOST_HYPOTHESIS, MOST_REPORT, JsonObject, NotJson, dump_json, parse_json
from idinf.transformers.dense import Activation, DenseTransformer, Head, Layer, Mlp, NextOutput, Vector
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import SOS, Alphabet

T = TypeVar("T", bound=DenseTransformer)

#: The tag of Limit Transformers; each class has its own.
FORMAT = LimitTransformer.FORMAT


def _write_vector(row: Vector) -> list[int | str]:
    return [int(entry) if entry.denominator == 1 else str(entry) for entry in row]


def _write_head(head: Head) -> JsonObject:
    content: JsonObject = {name: MATRIX.write(getattr(head, name)) for name in ("K", "Q", "V")}
    return content | {"phi": _write_vector(head.phi) or [0]}  # written without φ, too


_NUMBER = {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+/[0-9]+$"}]}
VECTOR = Form(Cursor.vector, _write_vector, {"type": "array", "items": _NUMBER})
MATRIX = Form(
    Cursor.matrix,
    lambda rows: [_write_vector(row) for row in rows],
    {"type": "array", "items": VECTOR.schema},
)
_ACTIVATIONS = list_of(derive_form(Activation), "activations")
_HEAD = object_form(Head, {"K": MATRIX, "Q": MATRIX, "V": MATRIX, "phi": VECTOR})
_HEADS = list_of(replace(_HEAD, write=_write_head), "heads")
_MLP = object_form(Mlp, {"A": MATRIX, "b": VECTOR, "B": MATRIX, "activation": _ACTIVATIONS})
_LAYERS = list_of(object_form(Layer, {"heads": _HEADS, "mlp": _MLP}), "layers")
CAUSAL_LAYERS = list_of(object_form(Layer, {"heads": list_of(_HEAD, "heads"), "mlp": _MLP}), "layers")

_INTEGER, _TEXTS = {"type": "integer"}, {"type": "array", "items": {"type": "string"}}
_OUTPUT = {
    "kind": {"enum": [Answer.SET.value, Answer.SYMBOL.value]},
    "symbols": _TEXTS,
    "rows": {"type": "array", "items": _INTEGER},
    "threshold": _NUMBER,
}
_PROPERTIES = {
    "format": {"const": FORMAT},
    "alphabet": _TEXTS,
    "precision": _INTEGER,
    "embedding": {"type": "object", "additionalProperties": VECTOR.schema},
    "positions": MATRIX.schema,
    "layers": _LAYERS.schema,
    "unembedding": MATRIX.schema,
    "accept": build_object_schema({"row": _INTEGER, "threshold": _NUMBER}),
    "output": build_object_schema(_OUTPUT, ["kind", "symbols", "rows"]),
}
_KEYS = ["format", "alphabet", "precision", "embedding", "layers", "unembedding"]

#: JSON Schema, draft 2020-12, of the format. What goes beyond kinds of values is checked on load.
HYPOTHESIS_SCHEMA = build_object_schema(_PROPERTIES, _KEYS) | {
    "oneOf": [{"required": ["accept"]}, {"required": ["output"]}]
}


def read(path: str | Path) -> LimitTransformer:
    """Read a hypothesis from a file.

    Raises
    ------
    HypothesisFormatError
        If the file cannot be read, is not UTF-8 text, or breaks a rule of the format; the message
        names file, key path, value and expectation.
    """
    return read_as((LimitTransformer,), path)


def read_as(kinds: tuple[type[T], ...], path: str | Path) -> T:
    """Read a transformer of one of some classes from a file; errors as of `read`."""
    expected = f"expected a {_tags(kinds)} file; check the path"
    most = MOST_HYPOTHESIS if kinds == (LimitTransformer,) else MOST_REPORT  # a context takes many rows
    return loads_as(kinds, read_text(path, most, HypothesisFormatError, expected), str(path))


def loads(text: str, origin: str = "hypothesis") -> LimitTransformer:
    """Read a hypothesis from JSON text; ``origin`` names it in messages. Errors as of `loads_as`."""
    return loads_as((LimitTransformer,), text, origin)


def loads_as(kinds: tuple[type[T], ...], text: str, origin: str = "hypothesis") -> T:
    """Read a transformer of one of some classes from JSON text.

    Raises
    ------
    HypothesisFormatError
        As `read`, with line and column where the text is not JSON.

    Examples
    --------
    >>> from idinf.transformers.causal_transformer import CausalTransformer
    >>> loads_as((LimitTransformer, CausalTransformer), '{"format": "limit-transformer/2"}', "net.json")
    Traceback (most recent call last):
        ...
    idinf.errors.HypothesisFormatError: net.json: format = "limit-transformer/2"; expected
    "limit-transformer/1" or "causal-transformer/1"; this version reads no other
    """
    origin = show_path(origin)
    try:
        root = Cursor(parse_json(text), origin, HypothesisFormatError, whole="the hypothesis")
    except NotJson as reason:
        raise HypothesisFormatError(
            f"{origin}: {reason}; expected a {_tags(kinds)} object; correct the text"
        ) from None
    return _read_as(kinds, root)


def dumps(transformer: DenseTransformer) -> str:
    """Write a transformer as JSON text, one row per line, ending in a newline.

    Exact and deterministic; `loads` gives back an equal object. The format does not say how words are
    written: symbols of more than one character are read back as separated by blanks, others not.
    """
    return dump_json(to_json_object(transformer))


def to_json_object(transformer: DenseTransformer) -> dict[str, object]:
    """Turn a hypothesis into the JSON object of the format, for example to embed it in a report."""
    embedding = zip((SOS, *transformer.alphabet.symbols), transformer.embedding, strict=True)
    content = {
        "format": transformer.FORMAT,
        "alphabet": list(transformer.alphabet.symbols),
        "precision": transformer.precision,
        "embedding": {symbol: _write_vector(row) for symbol, row in embedding},
        "positions": MATRIX.write(transformer.positions),
        "layers": _layers_of(type(transformer)).write(transformer.layers),
        "unembedding": MATRIX.write(transformer.unembedding),
    }
    output, (threshold,) = transformer.output, _write_vector((Fraction(transformer.threshold),))
    if output is None:
        return content | {"accept": {"row": transformer.accept_row, "threshold": threshold}}
    named = {"kind": output.kind.value, "symbols": list(output.symbols), "rows": list(output.rows)}
    return content | {"output": named | {"threshold": threshold}}


def read_object(root: Cursor) -> LimitTransformer:
    """Read a hypothesis from a parsed JSON object, for example that of a record of a report.

    Raises
    ------
    IdinfError
        The error of the cursor, as `read`.
    """
    return _read_as((LimitTransformer,), root)


def _tags(kinds: tuple[type[T], ...], quotes: str = "") -> str:
    return " or ".join(f"{quotes}{kind.FORMAT}{quotes}" for kind in kinds)


def _layers_of(kind: type[DenseTransformer]) -> Form[tuple[Layer, ...]]:
    return _LAYERS if kind is LimitTransformer else CAUSAL_LAYERS


def _read_as(kinds: tuple[type[T], ...], root: Cursor) -> T:
    kind = _read_format(root, kinds)
    about_next = isinstance(root.value, dict) and "output" in root.value
    keys = (*_KEYS, "output" if about_next else "accept")
    if kind is LimitTransformer:
        fields = root.fields(keys, optional=("positions",))
    else:
        fields = root.fields((*keys, "positions"))  # whose rows are the context
    alphabet = _read_alphabet(fields["alphabet"])
    names = (SOS, *alphabet.symbols)
    rows = fields["embedding"].fields(names, symbols=True)
    embedding = tuple(rows[name].vector() for name in names)
    zero_row = (tuple(Fraction(0) for _ in embedding[0]),)
    precision = fields["precision"].integer()
    positions = fields["positions"].matrix() if "positions" in fields else zero_row
    layers = _layers_of(kind).read(fields["layers"])
    unembedding = fields["unembedding"].matrix()
    if about_next:
        read = fields["output"].fields(("kind", "symbols", "rows"), optional=("threshold",))
        output, row = _read_output(read), 0
        threshold = _read_threshold(read["threshold"]) if "threshold" in read else 0
    else:
        accept = fields["accept"].fields(("row", "threshold"))
        output, row, threshold = None, accept["row"].integer(), _read_threshold(accept["threshold"])
    try:
        return kind(alphabet, precision, embedding, positions, layers, unembedding, row, threshold, output)
    except (HypothesisFormatError, PrecisionError) as error:
        raise root.error(f"{root.origin}: {f'{root.path}: ' if root.path else ''}{error}") from None


def _read_format(root: Cursor, kinds: tuple[type[T], ...]) -> type[T]:
    # The tag comes first: another version may have other keys.
    tag = root.value.get("format", kinds[0].FORMAT) if isinstance(root.value, dict) else kinds[0].FORMAT
    for kind in kinds:
        if tag == kind.FORMAT:
            return kind
    remedy = "this version reads no other"
    if isinstance(tag, str) and tag.startswith("idinf-report/"):
        remedy = "save the hypothesis of one of the records of this report as a file of its own"
    elif tag in ("limit-transformer/1", "causal-transformer/1"):
        remedy = "'idinf net translate' and 'lift' write one class as the other"
    root.at(tag, "format").fail(_tags(kinds, '"'), remedy)


def _read_threshold(cursor: Cursor) -> int | Fraction:
    number = cursor.number()
    return int(number) if number.denominator == 1 else number


def _read_alphabet(cursor: Cursor) -> Alphabet:
    symbols = tuple(item.text() for item in cursor.items("symbols"))
    try:
        return Alphabet(symbols, spaced=any(len(symbol) > 1 for symbol in symbols))
    except SpecError as error:
        raise cursor.error(f"{cursor.origin}: {error}") from None


def _read_output(fields: dict[str, Cursor]) -> NextOutput:
    kind = one_of(Answer.SYMBOL.value, Answer.SET.value).read(fields["kind"])
    symbols = tuple(item.text() for item in fields["symbols"].items("next symbols"))
    return NextOutput(Answer(kind), symbols, tuple(row.integer() for row in fields["rows"].items("rows")))
