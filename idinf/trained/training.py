"""Training a small GPT-2 on the words of a task, in torch, on one core.

Tiny models spend more time between operations than in them. So gradients are written out here instead of
recorded, all weights are one array for the optimizer, and behind the attention of the last layer only
positions that are asked are computed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from idinf.base.files import OutputError, make_folder, show_path
from idinf.base.options import check_options, option, options_of
from idinf.base.quoting import quote, suggest
from idinf.crasp.interpreter import WordBatch
from idinf.errors import ArgumentError, MissingPackageError, UnsupportedBoundError
from idinf.spec.bounds import BUDGET, SPACE
from idinf.spec.spec import Answer
from idinf.targets.drawing import UniformWords
from idinf.targets.machine import BoolArray, IntArray
from idinf.targets.supervised import read_words
from idinf.trained.decoder import CONFIG, Decoder, Shape
from idinf.trained.task import BOS, EOS, NO, PAD, SEP, YES, Task, Tokens, with_answer
from idinf.work.limits import ENDS, Limits
from idinf.work.memory import make_room_for_a_library

#: Positions of a model: a vector each, or none.
LEARNED, NONE = "learned", "none"

#: Words that training draws from, and new ones at every check, which then take the place of the oldest.
POOL, FRESH = 20_000, 1_000

#: Truth values of all words of a pool, at most, and words that are prepared at once.
MOST_CELLS, CHUNK = 50_000_000, 16_000

#: Checks without a mistake, one after the other, that end training.
CHECKS = 2

#: Why training ended, beside the limits.
RIGHT, SPENT = "all fresh words right", "all steps done"

#: Standard deviation of weights at first, and how AdamW averages gradients and their squares.
INITIAL, MEAN_DECAY, SQUARE_DECAY, EPSILON = 0.02, 0.9, 0.999, 1e-8


def _setting(default: Any, text: str, metavar: str | None = None, kind: type = int, **more: Any) -> Any:
    more = {"section": BUDGET, "shown": None if default is None else str(default), **more}
    return option(default, text, metavar, kind, **more)


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """The model and how it is trained.

    Raises `UnsupportedBoundError` if a value does not fit.

    >>> TrainingSettings.of(layers=2).longest
    150
    >>> TrainingSettings.of(layer=2)
    Traceback (most recent call last):
        ...
    idinf.errors.ArgumentError: layer = 2; expected a setting of training; did you mean 'layers'?
    """

    layers: int = _setting(1, "Layers of the model.", "L", least=1, most=64, section=SPACE)
    heads: int = _setting(1, "Heads of each layer.", "H", least=1, most=256, section=SPACE)
    width: int = _setting(16, "Width of the model, a multiple of H.", "D", least=1, most=4096, section=SPACE)
    positions: str = _setting(
        LEARNED, "Whether positions have vectors.", None, str, choices=(LEARNED, NONE), section=SPACE
    )
    room: int | None = _setting(
        None,
        "Longest words with positions.",
        "N",
        least=0,
        most=10**6,
        shown="3 times those trained on",
        section=SPACE,
    )
    max_length: int = _setting(50, "Train on words of length 0 to N.", "N", least=0, most=10_000)
    steps: int = _setting(30_000, "Steps, at most.", "STEPS", least=1, most=10**9)
    learning_rate: float = _setting(0.001, "Step size of AdamW.", "X", float, above=0, example="0.001")
    weight_decay: float = _setting(0.01, "How much AdamW pulls weights to 0.", "X", float, rare=True)
    dropout: float = _setting(0.0, "Share of values that are left out.", "X", float, rare=True)
    batch: int = _setting(64, "Words of one step.", "K", least=1, most=CHUNK, rare=True)
    check_every: int = _setting(
        250, "Ask fresh words after so many steps.", "STEPS", least=1, most=10**6, rare=True
    )
    seed: int = _setting(0, "Of all that is random.", "K", least=0, most=2**63 - 1)

    def __post_init__(self) -> None:
        check_options(self)
        for key, holds, expected, remedy in (
            ("width", self.width % self.heads == 0, f"a multiple of heads = {self.heads}", "correct it"),
            ("dropout", self.dropout < 1, "a number from 0 to less than 1", "lower it"),
            ("room", self.longest >= self.max_length, f"at least max_length = {self.max_length}", "raise it"),
        ):
            if not holds:
                raise UnsupportedBoundError(f"{key} = {getattr(self, key)}; expected {expected}; {remedy}")

    @classmethod
    def of(cls, **given: Any) -> TrainingSettings:
        """Take arguments by name; errors as of the class, and an ArgumentError of a name that is none."""
        known = options_of(cls)
        for key, value in given.items():
            if key not in known:
                hint = suggest(key, known) or f"name one of: {', '.join(known)}"
                raise ArgumentError(f"{key} = {quote(value)}; expected a setting of training; {hint}")
        return cls(**given)

    @property
    def longest(self) -> int:
        """The length of the longest words that the model has positions for."""
        return 3 * self.max_length if self.room is None else self.room


@dataclass(frozen=True, slots=True)
class Step:
    """How far training is: steps done, and the loss and share of right ones of fresh words."""

    step: int
    loss: float  #: in nats: of one token and position of a set, else of one answer
    accuracy: float  #: share of words with no wrong answer, 0 to 1

    def __str__(self) -> str:
        return f"step {self.step:,}: loss {self.loss:.4f}, {self.accuracy:.1%} of fresh words right"


@dataclass(frozen=True, slots=True)
class Trained:
    """A model, and how its training went."""

    model: Decoder
    settings: TrainingSettings
    steps: int  #: done
    loss: float  #: as of `Step`, at the end
    accuracy: float
    reason: str  #: why training ended: `RIGHT`, `SPENT`, or the value of a `StopReason`

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model; errors as of `Decoder.save`."""
        self.model.save(folder)


def train_task(
    task: Task,
    name: str,
    settings: TrainingSettings,
    limits: Limits | None = None,
    progress: Callable[[Step], None] | None = None,
) -> Trained:
    """Train a model on a task until fresh words are right at two checks, or all steps are done.

    A limit or Ctrl-C ends it, too; the result is then the model as it is. The same settings, machine and
    libraries give the same model, bit for bit. The loss is binary cross-entropy of every token at every
    position asked for a set, else cross-entropy of the token that is right.

    Raises
    ------
    MissingPackageError
        If torch or safetensors is not installed.
    ArgumentError
        If the target, called ``name``, has no word of the lengths, or weights grow without bound.
    BudgetError
        If words of the lengths cannot be counted.
    """
    torch, limits = load_torch(), limits or Limits()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # more cost more than they give
    try:
        with torch.no_grad():
            return _Training(torch, task, name, settings).run(limits, progress)
    finally:
        torch.set_num_threads(threads)


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Make the folder of a model; an OutputError if it cannot be written to, or has something else in it."""
    path = Path(folder)
    make_folder(path)
    if not os.access(path, os.W_OK | os.X_OK) or (any(path.iterdir()) and not (path / CONFIG).is_file()):
        raise OutputError(
            f"{show_path(path)}: has files and no model, or may not be written; expected a new or empty "
            "folder, or that of a model, which is replaced; name another"
        )


def load_torch() -> Any:
    """Import torch; a MissingPackageError where it, or safetensors, is not installed."""
    for package in ("torch", "safetensors"):
        if find_spec(package) is None:
            raise MissingPackageError(
                f"train needs {package}, which is not installed; pip install 'idinf[torch]'"
            )
    with make_room_for_a_library():
        import torch
    return torch


class _Training:
    """A network that is trained. Mutable: its pool of words has new ones after every check."""

    def __init__(self, torch: Any, task: Task, name: str, settings: TrainingSettings) -> None:
        self.torch, self.task, self.name, self.settings = torch, task, name, settings
        self.rng = np.random.default_rng(settings.seed)
        self.examples = _Examples(task, name, settings, self.rng)
        d, vocabulary = settings.width, len(self.examples.tokens.names)
        positions = settings.longest + task.extra
        shape = Shape(vocabulary, positions, d, settings.heads, settings.layers, 4 * d)
        self.network = Network(torch, shape, settings, self.rng)
        self.pool = self._draw(self.examples.size)
        if not self.pool[3].any():
            raise ArgumentError(
                f"max_length = {settings.max_length}; expected longer words, as {name} asks nothing; raise it"
            )
        self.steps, self.last = 0, Step(-1, math.inf, 0.0)

    def run(self, limits: Limits, progress: Callable[[Step], None] | None) -> Trained:
        settings, right, reason = self.settings, 0, SPENT
        try:
            while self.steps < settings.steps and right < CHECKS:
                self._learn(limits)
                if self.steps % settings.check_every and self.steps < settings.steps:
                    continue
                self._check()
                right = right + 1 if self.last.accuracy == 1 else 0
                if progress is not None:
                    progress(self.last)
            reason = RIGHT if right == CHECKS else SPENT
        except ENDS as end:
            reason = limits.ending(end).reason.value
            limits.closing()
        if self.last.step != self.steps:
            self._check()
        last, network = self.last, self.network
        numbers = {key: float(getattr(settings, key)) for key in ("learning_rate", "weight_decay", "dropout")}
        told = {**asdict(settings), **numbers, "room": settings.longest, "max_steps": settings.steps}
        told |= {"steps": last.step, "loss": last.loss, "accuracy": last.accuracy, "stopped": reason}
        config = with_answer({}, self.examples.tokens, self.task.answer, target=self.name, training=told)
        model = Decoder(network.shape, network.to_tensors(), config)
        return Trained(model, settings, last.step, last.loss, last.accuracy, reason)

    def _draw(self, number: int) -> list[Any]:
        return [self.torch.from_numpy(each) for each in self.examples.draw(number)]

    def _learn(self, limits: Limits) -> None:
        """Go on to the next check, or as far as words are prepared at once."""
        settings, size = self.settings, self.settings.batch
        number = min(settings.check_every - self.steps % settings.check_every, settings.steps - self.steps)
        number = min(number, CHUNK // size)
        drawn = self.torch.from_numpy(self.rng.integers(self.examples.size, size=number * size))
        words = [each[drawn] for each in self.pool]
        for begin in range(0, len(drawn), size):
            limits.check()
            batch = _lay_out(words, slice(begin, begin + size))
            logits, labels = self.network.forward(batch), batch.labels
            if self.task.answer is Answer.SET:
                slope = logits.sigmoid_().sub_(labels).div_(labels.numel())
            else:
                slope = logits.softmax(1).sub_(labels).div_(max(1, len(labels)))
            self.network.learn(slope)
            self.steps += 1

    def _check(self) -> None:
        """Ask fresh words, which then take the place of the oldest ones."""
        fresh, functions = self._draw(FRESH), self.torch.nn.functional
        batch = _lay_out(fresh, slice(None))
        logits, labels = self.network.forward(batch, trains=False), batch.labels
        if self.task.answer is Answer.SET:
            loss = functions.binary_cross_entropy_with_logits(logits, labels)
            wrong = ((logits > 0) != (labels > 0)).any(1)
        else:
            loss, wrong = functions.cross_entropy(logits, labels), logits.argmax(1) != labels.argmax(1)
        share = self.torch.bincount(batch.words[wrong], minlength=FRESH).count_nonzero() / FRESH
        if not math.isfinite(loss):
            raise ArgumentError(
                f"learning_rate = {self.settings.learning_rate}; expected one that keeps weights finite; "
                f"after {self.steps} steps they are not; lower it"
            )
        self.last = Step(self.steps, float(loss), 1 - float(share))
        self.pool = [self.torch.cat([old[FRESH:], new]) for old, new in zip(self.pool, fresh, strict=True)]


@dataclass(frozen=True, slots=True)
class Batch:
    """B words of up to T tokens, of which P are there, and M behind which an answer is asked."""

    tokens: Any  #: (P,)
    places: Any  #: their positions; (P,)
    present: Any  #: their numbers among all B · T; (P,)
    size: tuple[int, int]  #: (B, T)
    rows: Any  #: the numbers of those asked among the P; (M,)
    words: Any  #: the number of the word of each; (M,)
    labels: Any  #: what is right there, 1 or 0; (M, V)


def _lay_out(words: list[Any], chosen: slice) -> Batch:
    """Some of the words that `_Examples.draw` gives."""
    tokens, places, present, asked, labels = (each[chosen] for each in words)
    numbers = present.flatten().nonzero()[:, 0]
    rows = asked.flatten().index_select(0, numbers).nonzero()[:, 0]
    among = numbers.index_select(0, rows)
    tokens, places, labels = (
        each.flatten(0, 1).index_select(0, where)
        for each, where in ((tokens, numbers), (places, numbers), (labels, among))
    )
    size = asked.shape[0], asked.shape[1]
    return Batch(tokens, places, numbers, size, rows, among // size[1], labels.float())


class _Examples:
    """Draws words of a task with what is right in them. Mutable: its generator goes on.

    A length is drawn uniformly among those that have words; of acceptance then, as by a fair coin, whether
    the word is accepted, where the length has both kinds; at last a word uniformly among these.
    """

    def __init__(self, task: Task, name: str, settings: TrainingSettings, rng: np.random.Generator) -> None:
        self.task, self.settings, self.rng = task, settings, rng
        self.accepts = task.answer is Answer.ACCEPT
        self.tokens = Tokens.of(task.alphabet, answers=self.accepts)
        n, target = settings.max_length, task.target
        self.columns = n + (2 if self.accepts else 1)  # tokens that are read: nothing is asked behind them
        most = MOST_CELLS // (self.columns * len(self.tokens.names))
        self.size = max(FRESH, min(POOL, most))

        def count(kinds: tuple[bool, ...]) -> UniformWords:
            def wanted(states: IntArray) -> BoolArray:
                ends = np.asarray(target.distance(states) == 0)
                return ends & np.isin(target.labels(states), kinds) if self.accepts else ends

            return UniformWords(target, wanted, n)

        self.kinds = [count((False,)), count((True,))] if self.accepts else [count(())]
        self.has = np.array([[kind.count(length) > 0 for kind in self.kinds] for length in range(n + 1)])
        self.lengths = np.flatnonzero(self.has.any(axis=1))
        if not len(self.lengths):
            raise ArgumentError(f"max_length = {n}; expected a length that a word of {name} has; raise it")

    def draw(self, number: int) -> tuple[IntArray, IntArray, BoolArray, BoolArray, BoolArray]:
        """Tokens, their positions, whether they are there, and asked; (N, T); what is right, (N, T, V)."""
        words = self._draw_words(number)
        symbols, name = self.tokens.list_numbers(self.task.alphabet), self.tokens.number
        read = np.full((number, self.columns), name(PAD))
        read[:, 0] = name(BOS)
        places, there = np.nonzero(np.arange(words.codes.shape[1]) < words.lengths[:, None])
        read[places, there + 1] = symbols[words.codes[places, there]]
        asked = np.zeros(read.shape, dtype=np.bool_)
        labels = np.zeros((*read.shape, len(self.tokens.names)), dtype=np.bool_)
        columns = [name(NO), name(YES)] if self.accepts else [*symbols, name(EOS)]
        for place, (rows, states, going) in enumerate(read_words(self.task.target, words)):
            due, right = self.task.is_asked(states), self.task.labels(states)[:, :-1]
            if self.accepts:  # behind the separator, which follows whole words
                due[:going], right = False, np.concatenate([~right, right], axis=1)
                read[rows[going:], place + 1] = name(SEP)
            asked[rows, place + self.accepts] = due
            labels[rows[:, None], place + self.accepts, columns] = right
        return read, self._place(words.lengths), read != name(PAD), asked, labels

    def _place(self, lengths: IntArray) -> IntArray:
        """Positions of all tokens, from a random one on; (N,) → (N, T)."""
        room = self.settings.longest - lengths if self.settings.positions == LEARNED else 0 * lengths
        last = self.settings.longest + self.task.extra - 1
        places = self.rng.integers(room + 1)[:, None] + np.arange(self.columns)
        return np.asarray(np.minimum(places, last))

    def _draw_words(self, number: int) -> WordBatch:
        lengths = self.rng.choice(self.lengths, number)
        kinds = self.rng.integers(len(self.kinds), size=number)
        kinds = np.where(self.has[lengths, kinds], kinds, self.has[lengths].argmax(axis=1))
        codes = np.zeros((number, self.settings.max_length), dtype=np.int64)
        for length in self.lengths.tolist():
            for kind, words in enumerate(self.kinds):
                rows = np.flatnonzero((lengths == length) & (kinds == kind))
                if len(rows):
                    codes[rows, :length] = words.draw(length, len(rows), self.rng)
        return WordBatch(codes, lengths)


class Network:
    """The decoder in torch, with its gradients and AdamW. Mutable: it learns, and keeps its last pass.

    Weights, gradients and their averages are one array each, of which ``weights`` and ``gradients`` name the
    parts as GPT-2 does. Weights begin as its own: normal, less wide for what is added to the stream.
    """

    def __init__(
        self, torch: Any, shape: Shape, settings: TrainingSettings, rng: np.random.Generator
    ) -> None:
        self.torch, self.shape, self.settings, self.steps = torch, shape, settings, 0
        sizes = shape.list_tensors()
        numbers = [math.prod(size) for size in sizes.values()]
        self.flat, self.slope, self.mean, self.square = torch.zeros((4, sum(numbers)))
        self.weights, self.gradients = (
            {name: part.view(sizes[name]) for name, part in zip(sizes, each.split(numbers), strict=True)}
            for each in (self.flat, self.slope)
        )
        for name, weights in self.weights.items():
            if weights.ndim == 2 and (name, settings.positions) != ("wpe.weight", NONE):
                deviation = INITIAL / math.sqrt(2 * shape.layers) if "c_proj" in name else INITIAL
                weights.copy_(torch.from_numpy(rng.normal(0, deviation, weights.shape)))
            elif "ln_" in name and name.endswith("weight"):
                weights.fill_(1)
        self.random = torch.Generator().manual_seed(settings.seed)
        self.kept: dict[str, Any] = {}

    def to_tensors(self) -> dict[str, Any]:
        """The weights as a `Decoder` has them."""
        return {name: weights.numpy().copy() for name, weights in self.weights.items()}

    def forward(self, batch: Batch, trains: bool = True) -> Any:
        """Logits where they are asked; (M, V)."""
        torch, w, (B, T), H, d = self.torch, self.weights, batch.size, self.shape.heads, self.shape.width
        self.batch, self.kept, rate = batch, {}, float(self.settings.dropout) if trains else 0.0
        later = torch.full((T, T), -math.inf).to(self.flat.dtype).triu_(1)
        x = w["wte.weight"].index_select(0, batch.tokens)
        if self.settings.positions == LEARNED:
            x += w["wpe.weight"].index_select(0, batch.places)
        x = self._drop(x, "embedding", rate)
        for layer in range(self.shape.layers):
            at = f"h.{layer}."
            y = self._affine(self._normalize(x, at + "ln_1"), at + "attn.c_attn")
            y = self._spread(y, batch.present, B * T).view(B, T, 3, H, d // H)
            q, k, v = y.permute(2, 0, 3, 1, 4).reshape(3, B * H, T, d // H)
            read = torch.baddbmm(later, q, k.transpose(1, 2), alpha=(d // H) ** -0.5).softmax(2)
            used = self._drop(read, at + "read", rate)
            sums = torch.bmm(used, v)
            self.kept[at] = q, k, v, read, used, sums
            y = self._swap(sums, (B, H, T, d // H), (B * T, d)).index_select(0, batch.present)
            if layer == self.shape.layers - 1 and len(batch.rows) < len(x):
                x, y = x.index_select(0, batch.rows), y.index_select(0, batch.rows)
            x = x + self._drop(self._affine(y, at + "attn.c_proj"), at + "attention", rate)
            y = self._affine(self._normalize(x, at + "ln_2"), at + "mlp.c_fc")
            x = x + self._drop(self._affine(self._gelu(y, at), at + "mlp.c_proj"), at + "mlp", rate)
        self.kept["last"] = self._normalize(x, "ln_f")
        return self.kept["last"] @ w["wte.weight"].T

    def learn(self, slope: Any) -> None:
        """Go one step of AdamW against the gradient, given that in the logits of the last pass; (M, V)."""
        self.find_gradients(slope)
        self.steps += 1
        rate = float(self.settings.learning_rate)
        self.mean.lerp_(self.slope, 1 - MEAN_DECAY)
        self.square.mul_(SQUARE_DECAY).addcmul_(self.slope, self.slope, value=1 - SQUARE_DECAY)
        scale = (self.square / (1 - SQUARE_DECAY**self.steps)).sqrt_().add_(EPSILON)
        self.flat.mul_(1 - rate * float(self.settings.weight_decay))
        self.flat.addcdiv_(self.mean, scale, value=-rate / (1 - MEAN_DECAY**self.steps))

    def find_gradients(self, slope: Any) -> None:
        """Write ``gradients``, from the last layer to the first; the argument is as of `learn`."""
        torch, w, g, batch = self.torch, self.weights, self.gradients, self.batch
        (B, T), H, d = batch.size, self.shape.heads, self.shape.width
        torch.mm(slope.T, self.kept["last"], out=g["wte.weight"])
        x = self._normalize_back(slope @ w["wte.weight"], "ln_f")
        for layer in reversed(range(self.shape.layers)):
            at = f"h.{layer}."
            y = self._affine_back(self._drop_back(x, at + "mlp"), at + "mlp.c_proj")
            y = self._affine_back(self._gelu_back(y, at), at + "mlp.c_fc")
            x = x + self._normalize_back(y, at + "ln_2")
            y = self._affine_back(self._drop_back(x, at + "attention"), at + "attn.c_proj")
            if len(y) < len(batch.present):
                x, y = (self._spread(each, batch.rows, len(batch.present)) for each in (x, y))
            q, k, v, read, used, sums = self.kept[at]
            y = self._swap(self._spread(y, batch.present, B * T), (B, T, H, d // H), (B * H, T, d // H))
            scores = self._drop_back(torch.bmm(y, v.transpose(1, 2)), at + "read")
            # What softmax takes off is the mean of slopes, and that is the slope of the sums.
            scores = scores.sub_((y * sums).sum(2, keepdim=True)).mul_(read).mul_((d // H) ** -0.5)
            parts = (
                torch.bmm(scores, k),
                torch.bmm(scores.transpose(1, 2), q),
                torch.bmm(used.transpose(1, 2), y),
            )
            flat = (self._swap(part, (B, H, T, d // H), (B * T, d)) for part in parts)
            y = torch.cat([part.index_select(0, batch.present) for part in flat], 1)
            x = x + self._normalize_back(self._affine_back(y, at + "attn.c_attn"), at + "ln_1")
        x = self._drop_back(x, "embedding")
        g["wte.weight"].index_add_(0, batch.tokens, x)
        if self.settings.positions == LEARNED:
            g["wpe.weight"].zero_().index_add_(0, batch.places, x)

    def _spread(self, x: Any, places: Any, number: int) -> Any:
        """Put rows at their places among zeros."""
        return x.new_zeros((number, x.shape[1])).index_copy_(0, places, x)

    def _swap(self, x: Any, size: tuple[int, ...], after: tuple[int, ...]) -> Any:
        """Swap the axes of heads and of positions."""
        return x.view(after) if self.shape.heads == 1 else x.view(size).transpose(1, 2).reshape(after)

    def _affine(self, x: Any, name: str) -> Any:
        self.kept[name] = x
        return self.torch.addmm(self.weights[f"{name}.bias"], x, self.weights[f"{name}.weight"])

    def _affine_back(self, slope: Any, name: str) -> Any:
        self.torch.mm(self.kept[name].T, slope, out=self.gradients[f"{name}.weight"])
        self.torch.sum(slope, 0, out=self.gradients[f"{name}.bias"])
        return slope @ self.weights[f"{name}.weight"].T

    def _normalize(self, x: Any, name: str) -> Any:
        affine = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        y, mean, scale = self.torch.native_layer_norm(x, (self.shape.width,), *affine, 1e-5)
        self.kept[name] = x, (self.shape.width,), mean, scale, *affine, (True,) * 3
        return y

    def _normalize_back(self, slope: Any, name: str) -> Any:
        found, *affine = self.torch.ops.aten.native_layer_norm_backward(slope, *self.kept[name])
        for part, gradient in zip(("weight", "bias"), affine, strict=True):
            self.gradients[f"{name}.{part}"].copy_(gradient)
        return found

    def _gelu(self, x: Any, at: str) -> Any:
        """x · σ(a x + b x³), which is `decoder.gelu`: (1 + tanh(y)) / 2 = σ(2 y)."""
        squares = x * x
        share = squares.mul(_CUBIC).add_(_LINEAR).mul_(x).sigmoid_()
        self.kept[at + "gelu"] = x, squares, share
        return x * share

    def _gelu_back(self, slope: Any, at: str) -> Any:
        x, squares, share = self.kept[at + "gelu"]
        inner = squares.mul_(3 * _CUBIC).add_(_LINEAR).mul_(x)
        return inner.addcmul_(inner, share, value=-1).add_(1).mul_(share).mul_(slope)

    def _drop(self, x: Any, name: str, rate: float) -> Any:
        """Leave out some values, and scale the others up."""
        if not rate:
            return x
        self.kept[f"{name} drop"] = (self.torch.rand(x.shape, generator=self.random) >= rate) / (1 - rate)
        return x * self.kept[f"{name} drop"]

    def _drop_back(self, slope: Any, name: str) -> Any:
        return slope * self.kept[f"{name} drop"] if self.settings.dropout else slope


#: Of the inner function of gelu, twice: √(8/π) (x + 0.044715 x³).
_LINEAR = math.sqrt(8 / math.pi)
_CUBIC = 0.044715 * _LINEAR
