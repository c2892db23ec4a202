"""A trained decoder in the format of GPT-2, and its forward pass in numpy.

A model is a folder with ``config.json`` and ``model.safetensors``, as Hugging Face's ``GPT2LMHeadModel``
writes it: blocks with layer norm before attention and before the MLP, gelu in its tanh form, learned
positions, and an output matrix that is the embedding where no other is given.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from idinf.base.files import Unreadable, read_bytes, read_text, show_path, write_whole
from idinf.base.json_text import NotJson, dump_json, parse_json
from idinf.base.quoting import list_some, quote
from idinf.errors import HypothesisFormatError

Array = NDArray[Any]
IntArray = NDArray[np.int64]

#: Names of the two files.
CONFIG, WEIGHTS = "config.json", "model.safetensors"

#: Bytes of the largest files that are read: the models of the field have some kilobytes to some megabytes.
MOST_CONFIG, MOST_WEIGHTS = 1 << 20, 1 << 31

#: Numbers of a config that are read, with the least that makes sense.
_SIZES = {"vocab_size": 1, "n_positions": 1, "n_embd": 1, "n_head": 1, "n_layer": 1}

#: Keys of a config that may have other values, with the values that are computed here.
_FIXED = {
    "model_type": "gpt2",
    "activation_function": "gelu_new",
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "add_cross_attention": False,
}

_REMEDY = "give a folder with the config.json and model.safetensors of a GPT-2 model"


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a decoder."""

    vocabulary: int  #: V, tokens
    positions: int  #: how many positions have a vector
    width: int  #: d
    heads: int  #: H, of each layer; d is a multiple of it
    layers: int
    inner: int  #: hidden units of an MLP

    def list_tensors(self) -> dict[str, tuple[int, ...]]:
        """The names and shapes of all tensors but the output matrix, which may be tied."""
        d, inner = self.width, self.inner
        found: dict[str, tuple[int, ...]] = {
            "wte.weight": (self.vocabulary, d),
            "wpe.weight": (self.positions, d),
        }
        for layer in range(self.layers):
            for name, rows, columns in (
                ("attn.c_attn", d, 3 * d),
                ("attn.c_proj", d, d),
                ("mlp.c_fc", d, inner),
                ("mlp.c_proj", inner, d),
            ):
                found[f"h.{layer}.{name}.weight"] = (rows, columns)
                found[f"h.{layer}.{name}.bias"] = (columns,)
            for name in ("ln_1", "ln_2"):
                found |= {f"h.{layer}.{name}.{part}": (d,) for part in ("weight", "bias")}
        return found | {"ln_f.weight": (d,), "ln_f.bias": (d,)}


@dataclass(frozen=True, slots=True)
class Cache:
    """Keys and values of the tokens that were read: one pair for each layer, each (N, H, S, d / H)."""

    layers: tuple[tuple[Array, Array], ...]

    @property
    def length(self) -> int:
        """S, how many tokens were read."""
        return int(self.layers[0][0].shape[2])

    def take(self, rows: IntArray) -> Cache:
        """Keys and values of some rows."""
        return Cache(tuple((keys[rows], values[rows]) for keys, values in self.layers))


@dataclass(frozen=True, eq=False)
class Decoder:
    """A decoder-only transformer as it was trained: floats, learned positions, no limit taken.

    Examples
    --------
    Of width 1 layer norm leaves nothing but its bias, so this one always prefers token 1:

    >>> shape = Shape(vocabulary=2, positions=3, width=1, heads=1, layers=1, inner=1)
    >>> tensors = {name: np.zeros(size) for name, size in shape.list_tensors().items()}
    >>> tensors["ln_f.bias"][:] = 1
    >>> tensors["wte.weight"][1] = 2
    >>> Decoder(shape, tensors, {}).logits(np.array([[0, 1]])).tolist()
    [[[0.0, 2.0], [0.0, 2.0]]]
    """

    shape: Shape
    tensors: Mapping[str, Array]  #: by the names of GPT-2, without the prefix ``transformer.``
    config: Mapping[str, Any]  #: the rest of its config
    epsilon: float = 1e-5  #: of layer norms
    origin: str = field(default="the model", compare=False)

    @np.errstate(over="ignore")
    def astype(self, kind: DTypeLike) -> Decoder:
        """The same with numbers of another precision."""
        tensors = {name: np.asarray(values, dtype=kind) for name, values in self.tensors.items()}
        return Decoder(self.shape, tensors, self.config, self.epsilon, self.origin)

    @property
    def kind(self) -> np.dtype[Any]:
        """The type of its numbers."""
        return np.dtype(self.tensors["wte.weight"].dtype)

    @cached_property
    def has_positions(self) -> bool:
        """True if positions have different vectors; else every offset gives the same."""
        wpe = self.tensors["wpe.weight"]
        return bool((wpe != wpe[0]).any())

    def start(self, rows: int) -> Cache:
        """The cache of nothing, for so many rows."""
        size = (rows, self.shape.heads, 0, self.shape.width // self.shape.heads)
        empty = np.zeros(size, dtype=self.kind)
        return Cache(((empty, empty),) * self.shape.layers)

    def logits(self, tokens: IntArray, offset: int = 0) -> Array:
        """Logits after every token of sequences of one length; (N, T) → (N, T, V)."""
        rows = len(tokens)
        return self.read(self.start(rows), tokens, np.full(rows, offset))[0]

    @np.errstate(over="ignore", invalid="ignore")
    def read(self, past: Cache, tokens: IntArray, offsets: IntArray) -> tuple[Array, Cache]:
        """The forward pass: read T more tokens behind S that were read before.

        Where a number becomes too large, logits are not finite; `AnswerReader.check` refuses these.

        Parameters
        ----------
        past : Cache
            Keys and values of the S tokens.
        tokens : array of int64, (N, T)
            The new tokens.
        offsets : array of int64, (N,)
            The position of the first of all S + T tokens.

        Returns
        -------
        logits : array, (N, T, V)
            Those behind each new token.
        cache : Cache
            Keys and values of all S + T tokens.
        """
        w, (N, T), S = self.tensors, tokens.shape, past.length
        H, d = self.shape.heads, self.shape.width
        later = np.triu(np.full((T, S + T), -np.inf, dtype=self.kind), S + 1)  # a token sees none behind it
        places = offsets[:, None] + np.arange(S, S + T) if self.has_positions else np.zeros((N, 1), dtype=int)
        x = w["wte.weight"][tokens] + w["wpe.weight"][places]  # (N, T, d)
        cache = []
        for layer, (keys, values) in enumerate(past.layers):
            at = f"h.{layer}."
            y = self._normalize(x, at + "ln_1") @ w[at + "attn.c_attn.weight"] + w[at + "attn.c_attn.bias"]
            # Axes: row, head, token, coordinate.
            queries, new_keys, new_values = y.reshape(N, T, 3, H, d // H).transpose(2, 0, 3, 1, 4)
            keys = np.concatenate([keys, new_keys], axis=2)
            values = np.concatenate([values, new_values], axis=2)
            cache.append((keys, values))
            scores = queries @ keys.swapaxes(2, 3) * self.kind.type((d // H) ** -0.5) + later
            weights = np.exp(scores - scores.max(axis=3, keepdims=True))
            weights /= weights.sum(axis=3, keepdims=True)
            read = (weights @ values).transpose(0, 2, 1, 3).reshape(N, T, d)
            x = x + (read @ w[at + "attn.c_proj.weight"] + w[at + "attn.c_proj.bias"])
            y = self._normalize(x, at + "ln_2") @ w[at + "mlp.c_fc.weight"] + w[at + "mlp.c_fc.bias"]
            x = x + (gelu(y) @ w[at + "mlp.c_proj.weight"] + w[at + "mlp.c_proj.bias"])
        output = w.get("lm_head.weight", w["wte.weight"])
        logits: Array = self._normalize(x, "ln_f") @ output.T
        return logits, Cache(tuple(cache))

    def _normalize(self, x: Array, name: str) -> Array:
        """Layer norm of the last axis."""
        x = x - x.mean(axis=-1, keepdims=True)
        deviation = np.sqrt((x * x).mean(axis=-1, keepdims=True) + x.dtype.type(self.epsilon))
        deviation[np.isinf(deviation)] = np.nan  # else too large numbers would be read as 0
        return np.asarray(x / deviation * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"])

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the two files, tensors as float32; an OutputError if that fails."""
        from safetensors.numpy import save

        from idinf.base.files import make_folder

        make_folder(Path(folder))
        tensors = {
            ("lm_head.weight" if name == "lm_head.weight" else f"transformer.{name}"): np.asarray(
                values, dtype=np.float32
            )
            for name, values in self.tensors.items()
        }
        write_whole(Path(folder) / WEIGHTS, bytes(save(tensors, {"format": "pt"})))
        write_whole(Path(folder) / CONFIG, dump_json(self.to_config()))

    def to_config(self) -> dict[str, Any]:
        """Content of ``config.json``."""
        shape = self.shape
        return {
            **_FIXED,
            "architectures": ["GPT2LMHeadModel"],
            "vocab_size": shape.vocabulary,
            "n_positions": shape.positions,
            "n_embd": shape.width,
            "n_head": shape.heads,
            "n_layer": shape.layers,
            "n_inner": shape.inner,
            "layer_norm_epsilon": self.epsilon,
            "tie_word_embeddings": "lm_head.weight" not in self.tensors,
            **self.config,
        }


def gelu(x: Array) -> Array:
    """The activation of GPT-2: x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³)))."""
    inner = x.dtype.type(math.sqrt(2 / math.pi)) * (x + x.dtype.type(0.044715) * x * x * x)
    np.tanh(inner, out=inner)
    inner += 1
    inner *= x
    inner *= x.dtype.type(0.5)
    return np.asarray(inner)


def read_decoder(path: str | os.PathLike[str]) -> Decoder:
    """Read a model: its folder, or one of the two files in it. Numbers are float64 then.

    Raises
    ------
    HypothesisFormatError
        If a file is missing, damaged, of another architecture, or has a tensor that is missing, left over, of
        another shape or not finite.
    """
    given = Path(path)
    folder = given if given.is_dir() else given.parent
    if not given.is_dir() and given.name not in (CONFIG, WEIGHTS):
        raise HypothesisFormatError(
            f"{show_path(given)}: no model; expected a folder, or a file in it; {_REMEDY}"
        )
    config = _read_config(folder / CONFIG)
    origin = show_path(folder)
    shape = Shape(
        config.pop("vocab_size"),
        config.pop("n_positions"),
        width := config.pop("n_embd"),
        config.pop("n_head"),
        config.pop("n_layer"),
        config.pop("n_inner", None) or 4 * width,
    )
    epsilon = config.pop("layer_norm_epsilon", 1e-5)
    tensors = _read_tensors(folder / WEIGHTS, shape, config.get("tie_word_embeddings", True) is True)
    return Decoder(shape, tensors, config, float(epsilon), origin)


def _read_config(path: Path) -> dict[str, Any]:
    where = show_path(path)
    text = read_text(path, MOST_CONFIG, HypothesisFormatError, _REMEDY)
    try:
        config = parse_json(text)
    except NotJson as reason:
        raise HypothesisFormatError(f"{where}: {reason}; expected the config of a model; {_REMEDY}") from None
    if not isinstance(config, dict):
        raise HypothesisFormatError(f"{where}: {quote(config)}; expected an object; {_REMEDY}")
    for key, expected in _FIXED.items():
        found = config.get(key, None if key == "model_type" else expected)
        if found != expected or type(found) is not type(expected):
            raise HypothesisFormatError(
                f"{where}: {key} = {quote(found)}; expected {quote(expected)}; "
                "other architectures are not read"
            )
    for key, least in _SIZES.items():
        if type(config.get(key)) is not int or not least <= config[key] < 2**31:
            raise HypothesisFormatError(
                f"{where}: {key} = {quote(config.get(key))}; expected an integer of at least "
                f"{least}; correct it"
            )
    if config["n_embd"] % config["n_head"]:
        raise HypothesisFormatError(
            f"{where}: n_head = {config['n_head']}; expected a divisor of n_embd = {config['n_embd']}; "
            "correct it"
        )
    inner, epsilon = config.get("n_inner"), config.get("layer_norm_epsilon", 1e-5)
    if inner is not None and (type(inner) is not int or not 1 <= inner < 2**31):
        raise HypothesisFormatError(
            f"{where}: n_inner = {quote(inner)}; expected null or an integer; correct it"
        )
    if type(epsilon) not in (int, float) or not 0 <= epsilon < 1:
        raise HypothesisFormatError(
            f"{where}: layer_norm_epsilon = {quote(epsilon)}; expected a number from 0 to 1; correct it"
        )
    return config


def _read_tensors(path: Path, shape: Shape, tied: bool) -> dict[str, Array]:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    where = show_path(path)
    try:
        given = load(read_bytes(path, MOST_WEIGHTS))
    except Unreadable as error:
        raise HypothesisFormatError(f"{where}: {error}; expected tensors; {_REMEDY}") from None
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise HypothesisFormatError(f"{where}: {error}; expected a safetensors file; {_REMEDY}") from None
    twice = [name for name in given if f"transformer.{name}" in given]
    if twice:
        raise HypothesisFormatError(
            f"{where}: tensors {twice[0]} and transformer.{twice[0]} stand for the same; expected one of "
            "them; leave the other out"
        )
    named = {name.removeprefix("transformer."): values for name, values in given.items()}
    expected = shape.list_tensors()
    if "lm_head.weight" in named or not tied:
        expected["lm_head.weight"] = (shape.vocabulary, shape.width)
    # Masks of older versions of the format say nothing.
    extra = [n for n in named if n not in expected and not n.endswith((".attn.bias", ".attn.masked_bias"))]
    missing = [name for name in expected if name not in named]
    for found, fault in ((missing, "missing"), (extra, "left over")):
        if found:
            raise HypothesisFormatError(
                f"{where}: tensor {list_some(found)} {fault}; expected those of GPT-2 as {CONFIG} "
                "describes it; other architectures are not read"
            )
    for name, size in expected.items():
        if named[name].shape != size:
            raise HypothesisFormatError(
                f"{where}: tensor {name} has shape {named[name].shape}; expected {size} by "
                f"{CONFIG}; correct it"
            )
        if named[name].dtype.kind != "f" or not np.isfinite(named[name]).all():
            raise HypothesisFormatError(
                f"{where}: tensor {name} has a value that is no finite number; expected finite floats; "
                "train the model anew"
            )
    if tied and not np.array_equal(named.get("lm_head.weight", named["wte.weight"]), named["wte.weight"]):
        raise HypothesisFormatError(
            f"{where}: tensors lm_head.weight and wte.weight differ; expected equal ones, which {CONFIG} "
            "ties; set tie_word_embeddings = false there, or leave lm_head.weight out"
        )
    return {name: np.asarray(named[name], dtype=np.float64) for name in expected}
