"""The format ``compact-transformer/1``: what is read, and what is not compact is refused with the reason."""

from __future__ import annotations

from idinf.errors import HypothesisFormatError, SpecError
from idinf.files import read_text, show_path
from idinf.json_cursor import Cursor
from idinf.json_text import MOST_HYPOTHESIS, NotJson, parse_json
from idinf.labs.continuity.nets import CompactNet
from idinf.transformers.json_format import CAUSAL_LAYERS
from idinf.words import Alphabet

FORMAT = "compact-transformer/1"

_LOG_N = '"none": Theorem 1 needs bounded logits, and log N is not bounded'


def read_net(path: str) -> CompactNet:
    """Read a compact net from a file.

    Raises HypothesisFormatError if it is none, with key and value; of a hypothesis of idinf, with the
    assumption that it breaks.
    """
    text = read_text(
        path, MOST_HYPOTHESIS, HypothesisFormatError, f"expected a {FORMAT} file; check the path"
    )
    return parse_net(text, path)


def parse_net(text: str, origin: str = "net") -> CompactNet:
    """Read a compact net from JSON text; errors as of `read_net`."""
    origin = show_path(origin)
    try:
        root = Cursor(parse_json(text), origin, HypothesisFormatError, whole="the net")
    except NotJson as reason:
        raise HypothesisFormatError(f"{origin}: {reason}; expected a {FORMAT} object; correct it") from None
    tag = root.value.get("format", FORMAT) if isinstance(root.value, dict) else FORMAT
    if tag in ("limit-transformer/1", "causal-transformer/1"):
        root.at(tag, "format").fail(
            f'"{FORMAT}": Theorem 1 needs bounded logits, and hypotheses multiply theirs by log N',
            "give a compact net",
        )
    if tag != FORMAT:
        root.at(tag, "format").fail(f'"{FORMAT}"', "this version reads no other")
    fields = root.fields(("format", "alphabet", "embedding", "layers", "unembedding"), optional=("scaling",))
    if "scaling" in fields and fields["scaling"].value != "none":
        fields["scaling"].fail(_LOG_N, "leave it out")
    symbols = tuple(item.text() for item in fields["alphabet"].items("symbols"))
    try:
        alphabet = Alphabet(symbols)
    except SpecError as error:
        raise HypothesisFormatError(f"{origin}: {error}") from None
    rows = fields["embedding"].fields(symbols, symbols=True)
    embedding = tuple(rows[symbol].vector() for symbol in symbols)
    layers, unembedding = CAUSAL_LAYERS.read(fields["layers"]), fields["unembedding"].matrix()
    try:
        return CompactNet(alphabet, embedding, layers, unembedding)
    except HypothesisFormatError as error:
        raise HypothesisFormatError(f"{origin}: {error}") from None
