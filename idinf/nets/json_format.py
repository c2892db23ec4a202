"""The formats ``limit-transformer/1`` and ``causal-transformer/1``: JSON in, JSON out, checked on load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from idinf.base.documents import Refusal, build_schemas, check_keys, convert, form, refuse, telling, write
from idinf.base.files import read_text, show_path
from idinf.base.json_text import MOST_HYPOTHESIS, MOST_REPORT, JsonObject, NotJson, dump_json, parse_json
from idinf.base.words import SOS, Alphabet
from idinf.errors import HypothesisFormatError, SpecError
from idinf.nets.dense import DenseTransformer, Layer, Matrix, NextOutput, Vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.spec.spec import Answer

T = TypeVar("T", bound=DenseTransformer)

#: The tag of Limit Transformers; each class has its own.
FORMAT = LimitTransformer.FORMAT


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Rule by which a word is accepted: the value of a row of U is above a threshold."""

    row: int
    threshold: Fraction


@dataclass(frozen=True, slots=True)
class Output:
    """Rule by which next symbols are read, as in a `NextOutput`."""

    kind: Answer
    symbols: tuple[str, ...]
    rows: tuple[int, ...]
    threshold: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NetFile:
    """The keys of a file of either class."""

    format: str
    alphabet: tuple[str, ...]
    precision: int
    embedding: Mapping[str, Vector]
    positions: Matrix | None = None
    layers: tuple[Layer, ...]
    unembedding: Matrix
    accept: Acceptance | None = None
    output: Output | None = None


def build_net_schemas() -> dict[str, JsonObject]:
    """Build the JSON Schemas, draft 2020-12, of a hypothesis and of its parts."""
    schemas = build_schemas(NetFile)
    schemas["NetFile"]["properties"]["format"] = {"const": FORMAT}
    schemas["NetFile"]["oneOf"] = [{"required": ["accept"]}, {"required": ["output"]}]
    return schemas


def read_as(kinds: tuple[type[T], ...], path: str | Path) -> T:
    """Read a transformer of one of some classes from a file.

    Raises `HypothesisFormatError` if the file cannot be read, is not UTF-8 text, or breaks a rule of the
    format; the message names file, key path, value and expectation.
    """
    expected = f"expected a {_tags(kinds)} file; check the path"
    most = MOST_HYPOTHESIS if kinds == (LimitTransformer,) else MOST_REPORT  # a context takes many rows
    return loads_as(kinds, read_text(path, most, HypothesisFormatError, expected), str(path))


def loads(text: str, origin: str = "hypothesis") -> LimitTransformer:
    """Read a hypothesis from JSON text; ``origin`` names it in messages. Errors as of `loads_as`."""
    return loads_as((LimitTransformer,), text, origin)


def loads_as(kinds: tuple[type[T], ...], text: str, origin: str = "hypothesis") -> T:
    """Read a transformer of one of some classes from JSON text.

    Raises `HypothesisFormatError` as `read_as`, with line and column where the text is not JSON.
    """
    origin = show_path(origin)
    try:
        content = parse_json(text)
    except NotJson as reason:
        raise HypothesisFormatError(
            f"{origin}: {reason}; expected a {_tags(kinds)} object; correct the text"
        ) from None
    with telling(origin, HypothesisFormatError, "the hypothesis"):
        return _read_as(kinds, content)


def dumps(transformer: DenseTransformer) -> str:
    """A transformer as JSON text, one row per line, ending in a newline; `loads` gives back an equal object.

    The format does not say how words are written: symbols of more than one character are read back as
    separated by blanks, others not; and letters that are alike have rows of their own, which are equal.
    """
    return dump_json(to_json_object(transformer.over(transformer.alphabet.apart)))


def to_json_object(transformer: DenseTransformer) -> dict[str, object]:
    """Turn a hypothesis into the JSON object of the format, for example to embed it in a report."""
    embedding = zip((SOS, *transformer.alphabet.symbols), transformer.embedding, strict=True)
    threshold, output = Fraction(transformer.threshold), transformer.output
    file = NetFile(
        format=transformer.FORMAT,
        alphabet=transformer.alphabet.symbols,
        precision=transformer.precision,
        embedding=dict(embedding),
        positions=transformer.positions,
        layers=transformer.layers,
        unembedding=transformer.unembedding,
        accept=Acceptance(transformer.accept_row, threshold) if output is None else None,
        output=None if output is None else Output(output.kind, output.symbols, output.rows, threshold),
    )
    content: JsonObject = write(file)
    if isinstance(transformer, LimitTransformer):
        for layer in content["layers"]:
            for head in layer["heads"]:
                head.setdefault("phi", [0])  # written without φ, too
    return content


#: A hypothesis inside of another document.
NET = form(lambda given: _read_as((LimitTransformer,), given), to_json_object, {"$ref": "#/$defs/NetFile"})


def _tags(kinds: tuple[type[T], ...], quotes: str = "") -> str:
    return " or ".join(f"{quotes}{kind.FORMAT}{quotes}" for kind in kinds)


def _read_as(kinds: tuple[type[T], ...], content: object) -> T:
    kind = _read_format(content, kinds)
    file = convert(content, NetFile)
    if (file.accept is None) is (file.output is None):
        raise Refusal(" is missing; expected accept or output, one of them; add it", "accept")
    if file.positions is None and kind is not LimitTransformer:  # the rows are the context
        raise Refusal(" is missing; expected a row for each position; add it", "positions")
    alphabet = read_alphabet(file.alphabet)
    embedding = read_rows(file.embedding, (SOS, *alphabet.symbols))
    positions = file.positions if file.positions is not None else ((Fraction(0),) * len(embedding[0]),)
    row, output = 0, None
    if file.accept is not None:
        row, threshold = file.accept.row, file.accept.threshold
    elif file.output is not None:
        output = NextOutput(file.output.kind, file.output.symbols, file.output.rows)
        threshold = file.output.threshold or Fraction(0)
    if threshold.denominator.bit_count() != 1:
        place = "accept.threshold" if output is None else "output.threshold"
        refuse(str(threshold), 'an integer or "a/b" with b a power of two', "round it", place)
    exact = int(threshold) if threshold.denominator == 1 else threshold
    return kind(
        alphabet, file.precision, embedding, positions, file.layers, file.unembedding, row, exact, output
    )


def read_alphabet(symbols: tuple[str, ...]) -> Alphabet:
    """Read the symbols of a file, which does not say how words are written."""
    try:
        return Alphabet(symbols, spaced=any(len(symbol) > 1 for symbol in symbols))
    except SpecError as error:
        raise HypothesisFormatError(str(error)) from None


def read_rows(given: Mapping[str, Vector], names: tuple[str, ...]) -> Matrix:
    """Read rows by symbol in the order of the symbols; raises a `Refusal` if they are not the keys."""
    try:
        check_keys(given, names)
    except Refusal as refusal:
        raise refusal.within("embedding") from None
    return tuple(given[name] for name in names)


def _read_format(content: object, kinds: tuple[type[T], ...]) -> type[T]:
    # The tag comes first: another version may have other keys.
    tag = content.get("format", kinds[0].FORMAT) if isinstance(content, Mapping) else kinds[0].FORMAT
    for kind in kinds:
        if tag == kind.FORMAT:
            return kind
    remedy = "this version reads no other"
    if isinstance(tag, str) and tag.startswith("idinf-report/"):
        remedy = "save the hypothesis of one of the records of this report as a file of its own"
    elif tag in ("limit-transformer/1", "causal-transformer/1"):
        remedy = "'idinf net translate' and 'lift' write one class as the other"
    refuse(tag, _tags(kinds, '"'), remedy, "format")
