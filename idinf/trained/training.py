"""Training a small GPT-2 on the words of a task, in torch, on one core."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.base.files import OutputError, make_folder, show_path
from idinf.base.options import check_options, option
from idinf.crasp.interpreter import WordBatch
from idinf.errors import ArgumentError, MissingPackageError, UnsupportedBoundError
from idinf.spec.bounds import BUDGET, READING, SPACE
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

#: Truth values of all words of a pool, at most.
MOST_CELLS = 50_000_000

#: Checks without a mistake, one after the other, that end training.
CHECKS = 2

#: Why training ended, beside the limits.
RIGHT, SPENT = "all fresh words right", "all steps done"

#: Standard deviation of weights at first.
INITIAL = 0.02


def _setting(default: Any, text: str, metavar: str | None = None, kind: type = int, **more: Any) -> Any:
    more = {"section": BUDGET, "shown": None if default is None else str(default), **more}
    return option(default, text, metavar, kind, **more)


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """The model and how it is trained.

    Raises `UnsupportedBoundError` if a value does not fit.

    >>> TrainingSettings(layers=2).longest
    150
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
    batch: int = _setting(64, "Words of one step.", "K", least=1, most=16_384, rare=True)
    check_every: int = _setting(
        250, "Ask fresh words after so many steps.", "STEPS", least=1, most=10**6, rare=True
    )
    seed: int = _setting(0, "Of all that is random.", "K", least=0, most=2**63 - 1)
    answer: str | None = option(
        None,
        "What the model answers. Of a regular language, set asks for its legal continuations.",
        kind=str,
        choices=tuple(each.value for each in Answer),
        shown="what the target asks, for a language accept",
        section=READING,
    )

    def __post_init__(self) -> None:
        check_options(self)
        for key, holds, expected, remedy in (
            ("width", self.width % self.heads == 0, f"a multiple of heads = {self.heads}", "correct it"),
            ("dropout", self.dropout < 1, "a number from 0 to less than 1", "lower it"),
            ("room", self.longest >= self.max_length, f"at least max_length = {self.max_length}", "raise it"),
        ):
            if not holds:
                raise UnsupportedBoundError(f"{key} = {getattr(self, key)}; expected {expected}; {remedy}")

    @property
    def longest(self) -> int:
        """The length of the longest words that the model has positions for."""
        return 3 * self.max_length if self.room is None else self.room


@dataclass(frozen=True, slots=True)
class Step:
    """Progress of training: steps done, and the loss and the share of right ones of fresh words."""

    step: int
    loss: float  #: in nats: of one token and position of a set, else of one answer
    accuracy: float  #: share of words with no wrong answer, 0 to 1

    def __str__(self) -> str:
        return f"step {self.step:,}: loss {self.loss:.4f}, {self.accuracy:.1%} of fresh words right"


@dataclass(frozen=True, slots=True)
class Trained:
    """A model, and how its training went."""

    model: Decoder
    task: Task
    settings: TrainingSettings
    steps: int  #: done
    loss: float | None  #: as of `Step`, at the end; None where the limit left no time to ask fresh words
    accuracy: float | None
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

    A limit or Ctrl-C ends it, too; the result is then the present model, if a step was made. The same
    settings, machine and libraries give the same model, bit for bit. The loss is binary cross-entropy of
    every token at every asked position for a set, else cross-entropy of the right token.

    Raises
    ------
    MissingPackageError
        If torch is not installed.
    ArgumentError
        If the target, called ``name``, has no word of the lengths, or weights grow without bound.
    BudgetError
        If words of the lengths cannot be counted.
    """
    torch, limits = load_torch(), limits or Limits()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # more cost more than they give
    try:
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
    """Import torch; a MissingPackageError where it is not installed."""
    if find_spec("torch") is None:
        raise MissingPackageError("train needs torch, which is not installed; pip install 'idinf[torch]'")
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
        if not self.pool[2].any():
            raise ArgumentError(
                f"max_length = {settings.max_length}; expected longer words, as {name} asks nothing; raise it"
            )
        self.steps, self.last = 0, Step(-1, math.inf, 0.0)

    def run(self, limits: Limits, progress: Callable[[Step], None] | None) -> Trained:
        settings, right, reason = self.settings, 0, SPENT
        try:
            while self.steps < settings.steps and right < CHECKS:
                self._learn()
                limits.check()
                if self.steps % settings.check_every and self.steps < settings.steps:
                    continue
                self._check()
                right = right + 1 if self.last.accuracy == 1 else 0
                if progress is not None:
                    progress(self.last)
            reason = RIGHT if right == CHECKS else SPENT
        except ENDS as end:
            if not self.steps:
                raise
            reason = limits.ending(end).reason.value
            limits.closing()
        with suppress(*ENDS):  # the model is given without its loss where even that takes too long
            if self.last.step != self.steps:
                self._check()
        last, network = self.last if self.last.step == self.steps else None, self.network
        numbers = {key: float(getattr(settings, key)) for key in ("learning_rate", "weight_decay", "dropout")}
        told = {**asdict(settings), **numbers, "room": settings.longest, "max_steps": settings.steps}
        loss, accuracy = (last.loss, last.accuracy) if last else (None, None)
        told |= {"steps": self.steps, "loss": loss, "accuracy": accuracy, "stopped": reason}
        config = with_answer({}, self.examples.tokens, self.task.answer, target=self.name, training=told)
        model = Decoder(network.shape, network.to_tensors(), config)
        return Trained(model, self.task, settings, self.steps, loss, accuracy, reason)

    def _draw(self, number: int) -> list[Any]:
        return [self.torch.from_numpy(each) for each in self.examples.draw(number)]

    def _learn(self) -> None:
        """Go one step."""
        drawn = self.torch.from_numpy(self.rng.integers(self.examples.size, size=self.settings.batch))
        tokens, places, asked, labels = (each[drawn] for each in self.pool)
        logits = self.network.forward(tokens, places)
        self.network.learn(self._find_loss(logits[asked], labels[asked]))
        self.steps += 1

    def _check(self) -> None:
        """Ask fresh words, which then take the place of the oldest ones."""
        fresh = tokens, places, asked, labels = self._draw(FRESH)
        with self.torch.no_grad():
            logits = self.network.forward(tokens, places, trains=False)
            loss = float(self._find_loss(logits[asked], labels[asked]))
        if self.task.answer is Answer.SET:
            wrong = ((logits > 0) != labels).any(2)
        else:
            wrong = logits.argmax(2) != labels.int().argmax(2)
        if not math.isfinite(loss):
            raise ArgumentError(
                f"learning_rate = {self.settings.learning_rate}; expected one that keeps weights finite; "
                f"after {self.steps} steps they are not; lower it"
            )
        self.last = Step(self.steps, loss, 1 - int((wrong & asked).any(1).sum()) / FRESH)
        self.pool = [self.torch.cat([old[FRESH:], new]) for old, new in zip(self.pool, fresh, strict=True)]

    def _find_loss(self, logits: Any, labels: Any) -> Any:
        """The mean loss of answers, (M, V) each: of every token for a set, else of the right one."""
        F = self.torch.nn.functional
        if self.task.answer is Answer.SET:
            return F.binary_cross_entropy_with_logits(logits, labels.float())
        return F.cross_entropy(logits, labels.float())


class _Examples:
    """Draws words of a task with their right answers. Mutable: its generator advances.

    A length is drawn uniformly among those that have words; for acceptance, a fair coin then chooses between
    accepted and rejected words, where the length has both; at last a word is drawn uniformly among these.
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

    def draw(self, number: int) -> tuple[IntArray, IntArray, BoolArray, BoolArray]:
        """Tokens, their positions, a mask of asked places, (N, T) each; and right answers, (N, T, V)."""
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
        return read, self._place(words.lengths), asked, labels

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
    """The decoder in torch. Mutable: it learns.

    Weights begin as those of GPT-2: normal, less wide for terms that are added to the stream. It computes the
    logits of `Decoder.read`, with dropout while it is trained.
    """

    def __init__(
        self, torch: Any, shape: Shape, settings: TrainingSettings, rng: np.random.Generator
    ) -> None:
        self.torch, self.shape, self.settings = torch, shape, settings
        self.weights: dict[str, Any] = {}
        for name, size in shape.list_tensors().items():
            values = np.full(size, float("ln_" in name and name.endswith("weight")))
            if len(size) == 2:
                values = rng.normal(
                    0, INITIAL / (math.sqrt(2 * shape.layers) if "c_proj" in name else 1), size
                )
            self.weights[name] = torch.tensor(values, dtype=torch.float32)
        if settings.positions == NONE:
            self.weights["wpe.weight"].zero_()
        learned = [
            weights.requires_grad_()
            for name, weights in self.weights.items()
            if settings.positions == LEARNED or name != "wpe.weight"
        ]
        rate, decay = float(settings.learning_rate), float(settings.weight_decay)
        self.optimizer = torch.optim.AdamW(learned, lr=rate, weight_decay=decay, fused=True)
        torch.manual_seed(settings.seed)

    def to_tensors(self) -> Mapping[str, NDArray[np.float32]]:
        """The weights as a `Decoder` has them."""
        return {name: weights.detach().numpy().copy() for name, weights in self.weights.items()}

    def forward(self, tokens: Any, places: Any, trains: bool = True) -> Any:
        """Logits behind tokens at positions; (B, T), (B, T) → (B, T, V)."""
        w, (B, T), H, d = self.weights, tokens.shape, self.shape.heads, self.shape.width
        F = self.torch.nn.functional

        def drop(x: Any) -> Any:
            return F.dropout(x, float(self.settings.dropout), trains)

        def affine(x: Any, name: str) -> Any:
            return x @ w[f"{name}.weight"] + w[f"{name}.bias"]

        def normalize(x: Any, name: str) -> Any:
            return F.layer_norm(x, (d,), w[f"{name}.weight"], w[f"{name}.bias"], 1e-5)

        later = self.torch.full((T, T), -math.inf).triu(1)
        x = drop(F.embedding(tokens, w["wte.weight"]) + F.embedding(places, w["wpe.weight"]))
        for at in (f"h.{layer}." for layer in range(self.shape.layers)):
            y = affine(normalize(x, at + "ln_1"), at + "attn.c_attn")
            q, k, v = y.view(B, T, 3, H, d // H).permute(2, 0, 3, 1, 4)
            read = drop((q @ k.transpose(2, 3) * (d // H) ** -0.5 + later).softmax(3)) @ v
            x = x + drop(affine(read.transpose(1, 2).reshape(B, T, d), at + "attn.c_proj"))
            y = F.gelu(affine(normalize(x, at + "ln_2"), at + "mlp.c_fc"), approximate="tanh")
            x = x + drop(affine(y, at + "mlp.c_proj"))
        return normalize(x, "ln_f") @ w["wte.weight"].T

    def learn(self, loss: Any) -> None:
        """Go one step of AdamW against the gradient of a loss."""
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
