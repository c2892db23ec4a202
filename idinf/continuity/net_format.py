"""The format ``compact-transformer/1``: what is read, and what is not compact is refused with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from idinf.continuity.nets import CompactNet
from idinf.documents import convert, refuse, telling
from idinf.errors import HypothesisFormatError
from idinf.files import read_text, show_path
from idinf.json_text import MOST_HYPOTHESIS, NotJson, parse_json
from idinf.transformers.dense import Layer, Matrix, Vector
from idinf.transformers.json_format import read_alphabet, read_rows

FORMAT = "compact-transformer/1"

_LOG_N = '"none": Theorem 1 needs bounded logits, and log N is not bounded'


@dataclass(frozen=True, slots=True)
class _NetFile:
    """The keys of a file."""

    alphabet: tuple[str, ...]
    embedding: Mapping[str, Vector]
    layers: tuple[Layer, ...]
    unembedding: Matrix
    format: str = FORMAT
    scaling: str = "none"


def read_net(path: str) -> CompactNet:
    """Read a compact net from a file.

    Raises
    ------
    HypothesisFormatError
        If it is none, with key and value; of a hypothesis of idinf, with the assumption that it breaks.
    """
    text = read_text(
        path, MOST_HYPOTHESIS, HypothesisFormatError, f"expected a {FORMAT} file; check the path"
    )
    return parse_net(text, path)


def parse_net(text: str, origin: str = "net") -> CompactNet:
    """Read a compact net from JSON text; errors as of `read_net`."""
    origin = show_path(origin)
    try:
        content = parse_json(text)
    except NotJson as reason:
        raise HypothesisFormatError(f"{origin}: {reason}; expected a {FORMAT} object; correct it") from None
    with telling(origin, HypothesisFormatError, "the net"):
        return _read(content)


def _read(content: object) -> CompactNet:
    tag = content.get("format", FORMAT) if isinstance(content, dict) else FORMAT
    if tag in ("limit-transformer/1", "causal-transformer/1"):
        expected = f'"{FORMAT}": Theorem 1 needs bounded logits, and hypotheses multiply theirs by log N'
        refuse(tag, expected, "give a compact net", "format")
    if tag != FORMAT:
        refuse(tag, f'"{FORMAT}"', "this version reads no other", "format")
    file = convert(content, _NetFile)
    if file.scaling != "none":
        refuse(file.scaling, _LOG_N, "leave it out", "scaling")
    alphabet = read_alphabet(file.alphabet)
    return CompactNet(alphabet, read_rows(file.embedding, alphabet.symbols), file.layers, file.unembedding)
