"""Tasks of a trained model: tokens for the symbols of a target, and the right answers.

A model answers in one of three ways. Of ``set`` the logit of a token is above 0 behind a prefix iff the token
may come next, as of the models of arXiv 2602.08857 whose names begin with ``bce``. Of ``symbol`` the token of
the largest logit is the one that comes next. Of ``accept`` it is, behind a word and the separator, one of two
tokens, for no and for yes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.base.quoting import list_some, quote
from idinf.base.words import Alphabet, Word
from idinf.errors import AlphabetMismatchError, ArgumentError, HypothesisFormatError
from idinf.spec.catalogue import list_names, load
from idinf.spec.spec import END, Answer, Spec
from idinf.targets.build import build_target
from idinf.targets.machine import BoolArray, IntArray, Target
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import Continuations, SupervisedTarget, supervise
from idinf.trained.decoder import Array, Decoder

#: Tokens beside the symbols, in the order of their numbers: the published models have the first four.
BOS, SEP, EOS, PAD, NO, YES = "<bos>", "<sep>", "<eos>", "<pad>", "<no>", "<yes>"

#: The symbol of a target that the separator stands for.
SEPARATOR = "#"

#: Attention weights of one head and layer that are computed at once: 32 MB.
MOST_WEIGHTS = 1 << 22

#: The key of a config for the answers and tokens of a model.
KEY = "idinf"


@dataclass(frozen=True, slots=True)
class Tokens:
    """The names of all tokens, by number.

    >>> tokens = Tokens.of(Alphabet(("b", "a", "#")))
    >>> tokens.names, tokens.encode(Alphabet(("b", "a", "#")), (0, 1, 2)).tolist()
    (('a', 'b', '<bos>', '<sep>', '<eos>', '<pad>'), [1, 0, 3])
    """

    names: tuple[str, ...]

    @classmethod
    def of(cls, alphabet: Alphabet, answers: bool = False) -> Tokens:
        """Symbols in sorted order, then the special ones; with ``answers`` those for no and yes, too."""
        symbols = sorted(symbol for symbol in alphabet.symbols if symbol != SEPARATOR)
        return cls((*symbols, BOS, SEP, EOS, PAD, *((NO, YES) if answers else ())))

    def number(self, name: str) -> int:
        """The number of a token; a `HypothesisFormatError` if there is no such one."""
        if name not in self.names:
            raise HypothesisFormatError(
                f"the model has no token {quote(name)}; expected one of {list_some(self.names)}; "
                "give a model with other tokens, or another answer"
            )
        return self.names.index(name)

    def list_numbers(self, alphabet: Alphabet) -> IntArray:
        """The tokens of the symbols of an alphabet, in its order; (|Σ|,)."""
        names = (SEP if symbol == SEPARATOR else symbol for symbol in alphabet.symbols)
        return np.array([self.number(name) for name in names], dtype=np.int64)

    def encode(self, alphabet: Alphabet, word: Word) -> IntArray:
        """The tokens of a word in codes of an alphabet; (n,)."""
        return self.list_numbers(alphabet)[list(word)]


@dataclass(frozen=True, eq=False)
class Task:
    """A target, with the kind of answer of a model.

    For `Answer.SET` and a language, the words of the task are those of the language, and right behind a
    prefix of one are its legal continuations.

    Examples
    --------
    >>> from idinf.spec.catalogue import load
    >>> task = Task.of(load("tomita-1"), Answer.SET)
    >>> after_1 = task.target.step(task.target.start(), 1)
    >>> task.target.labels(after_1).tolist()
    [[False, True, True]]
    """

    target: SupervisedTarget
    answer: Answer
    #: True if next symbols are asked though the target accepts words: its answer on `$` is that on the word.
    is_derived: bool = False

    @classmethod
    def of(cls, spec: Spec, answer: Answer | None = None) -> Task:
        """Ask a target for an answer, by default the one that its spec has.

        Raises `ArgumentError` if the target cannot be asked so.
        """
        target = supervise(build_target(spec))
        if answer in (None, target.answer):
            return cls(target, target.answer)
        language = target.machine
        if answer is Answer.SET and target.answer is Answer.ACCEPT and isinstance(language, RegularTarget):
            if target.domain is not None:
                raise ArgumentError(
                    f"{spec.name}: answer = {quote(str(answer))}; expected a language without a domain; "
                    "give a target of next symbols"
                )
            legal = SupervisedTarget(Continuations(language), Answer.SET, language)
            return cls(legal, Answer.SET, is_derived=True)
        other = f"{spec.name}-next"
        given = (
            f"the target {other}"
            if other in list_names() and load(other).answer is answer
            else "another target"
        )
        raise ArgumentError(
            f"{spec.name}: answer = {quote(str(answer))}; expected {quote(str(target.answer))}, which the "
            f"target asks for; give {given} or --answer"
        )

    @property
    def alphabet(self) -> Alphabet:
        """The alphabet of words."""
        return self.target.alphabet

    @property
    def extra(self) -> int:
        """Number of tokens of an example beside those of the word: at its ends, and for the answer."""
        return 4 if self.answer is Answer.ACCEPT else 2

    def labels(self, states: IntArray) -> BoolArray:
        """Right answers behind prefixes, in the form of `AnswerReader.read`; (S, k) → (S, K + 1)."""
        labels = self.target.labels(states).reshape(len(states), -1)
        return np.concatenate([labels, np.zeros((len(states), 1), dtype=np.bool_)], axis=1)

    def is_asked(self, states: IntArray) -> BoolArray:
        """Mask of prefixes behind which an answer is asked; (S, k) → (S,)."""
        if self.answer is Answer.ACCEPT:
            return np.asarray(self.target.distance(states) == 0)
        return self.target.is_place(states)

    def answer_words(self, words: IntArray) -> tuple[BoolArray, BoolArray]:
        """Right answers in words of one length, and a mask of asked places; (W, n) → (W, P, K + 1), (W, P).

        P = n + 1 is the number of prefixes, the empty one first; of acceptance 1, as whole words are asked.
        """
        states, labels, asked = np.repeat(self.target.start(), len(words), axis=0), [], []
        for place in range(words.shape[1] + 1):
            if place:
                states = step_each(self.target, states, words[:, place - 1])
            if self.answer is not Answer.ACCEPT or place == words.shape[1]:
                labels.append(self.labels(states))
                asked.append(self.is_asked(states))
        return np.stack(labels, axis=1), np.stack(asked, axis=1)

    def show(self, said: BoolArray) -> str:
        """Write one answer, (K + 1,), for people.

        >>> from idinf.spec.catalogue import load
        >>> task = Task.of(load("tomita-1"), Answer.SET)
        >>> task.show(np.array([False, True, True, False])), task.show(np.zeros(4, dtype=bool))
        ('1 $', '-')
        """
        if self.answer is Answer.ACCEPT:
            return "neither" if said[1] else "accept" if said[0] else "reject"
        names = (*self.alphabet.symbols, END, "another token")
        return " ".join(name for name, holds in zip(names, said, strict=True) if holds) or "-"


@dataclass(frozen=True, eq=False)
class AnswerReader:
    """Reading of the logits of a model as the answer to a task."""

    task: Task
    tokens: Tokens
    answers: tuple[str, str] = (NO, YES)  #: of `Answer.ACCEPT`: the tokens for no and yes

    @classmethod
    def of(cls, model: Decoder, task: Task, answers: tuple[str, str] | None = None) -> AnswerReader:
        """Find the tokens of a model: those its config names, else those of the published models.

        Raises `HypothesisFormatError` or `AlphabetMismatchError` if they are not those of the task.
        """
        told = read_told(model)
        tokens = Tokens(tuple(told["tokens"])) if "tokens" in told else Tokens.of(task.alphabet)
        if len(tokens.names) != model.shape.vocabulary:
            raise AlphabetMismatchError(
                f"{model.origin}: vocab_size = {model.shape.vocabulary}; expected {len(tokens.names)}, for "
                f"{list_some(tokens.names)}; give a target over the symbols of the model"
            )
        symbols = tokens.names[: tokens.names.index(BOS)] if BOS in tokens.names else tokens.names
        if set(symbols) != set(task.alphabet.symbols) - {SEPARATOR}:
            raise AlphabetMismatchError(
                f"{model.origin}: symbols {list_some(symbols)}; expected those of the target, "
                f"{list_some(task.alphabet.symbols)}; give a target over the symbols of the model"
            )
        if task.answer is Answer.ACCEPT and answers is None:
            if YES not in tokens.names:
                raise ArgumentError(
                    f"{model.origin}: no token is said to mean yes; expected one for no and one for yes; "
                    "name them by --answers NO,YES"
                )
            answers = (NO, YES)
        found = cls(task, tokens, answers or (NO, YES))
        found._others  # noqa: B018  # names every token once, so that a missing one is an error here
        return found

    @cached_property
    def columns(self) -> IntArray:
        """The tokens whose logits are the K outputs; (K,)."""
        if self.task.answer is Answer.ACCEPT:
            return np.array([self.tokens.number(self.answers[1])], dtype=np.int64)
        symbols = self.tokens.list_numbers(self.task.alphabet)
        return np.append(symbols, self.tokens.number(EOS))

    @cached_property
    def _others(self) -> IntArray:
        """Tokens that no answer says."""
        known = [*self.columns.tolist()]
        if self.task.answer is Answer.ACCEPT:
            known.append(self.tokens.number(self.answers[0]))
        return np.setdiff1d(np.arange(len(self.tokens.names)), known)

    def check(self, model: Decoder, logits: Array, words: NDArray[np.integer[Any]]) -> None:
        """Refuse logits that are not finite, behind words of one length: they say nothing; (W, ..., V)."""
        bad = ~np.isfinite(logits).reshape(len(words), -1).all(axis=1)
        if bad.any():
            word = self.task.alphabet.decode(tuple(words[int(bad.argmax())].tolist()))
            raise HypothesisFormatError(
                f"{model.origin}: logits on {quote(word)} are not finite in {model.kind}; expected numbers; "
                "train the model anew, with smaller weights"
            )

    def ask(self, model: Decoder, words: IntArray, offsets: IntArray) -> BoolArray:
        """Answers of a model on words of one length, each at its offset; (W, n), (W,) → (W, P, K + 1).

        The places P are those of `Task.answer_words`.
        """
        is_word = self.task.answer is Answer.ACCEPT
        tokens = np.pad(self.tokens.list_numbers(self.task.alphabet)[words], ((0, 0), (1, int(is_word))))
        tokens[:, 0] = self.tokens.number(BOS)
        if is_word:
            tokens[:, -1] = self.tokens.number(SEP)
        said = []
        size = max(1, MOST_WEIGHTS // (tokens.shape[1] ** 2 * model.shape.heads))
        for begin in range(0, len(words), size):
            some = tokens[begin : begin + size]
            logits, _ = model.read(model.start(len(some)), some, offsets[begin : begin + size])
            self.check(model, logits, words[begin : begin + size])
            said.append(self.read(logits[:, -1:] if is_word else logits)[0])
        return np.concatenate(said)

    def read(self, logits: Array) -> tuple[BoolArray, Array]:
        """Answers by logits, and their margins to the nearest other answer.

        Gives (..., V) → (..., K + 1), whose last entry is True if a token is named that no answer has, and
        (...), the least |logit| for a set, else the difference of the two largest logits.

        >>> from idinf.spec.catalogue import load
        >>> task = Task.of(load("tomita-1"), Answer.SET)
        >>> reader = AnswerReader(task, Tokens.of(task.alphabet))
        >>> said, margin = reader.read(np.array([-3.0, 2.0, -1, -1, 0.5, -1]))
        >>> said.tolist(), float(margin)
        ([False, True, True, False], 0.5)
        """
        if self.task.answer is Answer.SET:
            positive = logits > 0
            other = positive[..., self._others].any(axis=-1, keepdims=True)
            said = np.concatenate([positive[..., self.columns], other], axis=-1)
            return said, np.abs(logits).min(axis=-1)
        top = logits.argmax(axis=-1)[..., None]
        other = (top == self._others).any(axis=-1, keepdims=True)
        said = np.concatenate([top == self.columns, other], axis=-1)
        two = np.partition(logits, -2, axis=-1)[..., -2:]
        return said, two[..., 1] - two[..., 0]


def step_each(machine: Target, states: IntArray, codes: IntArray) -> IntArray:
    """Read one symbol each; (S, k), (S,) → (S, k)."""
    after = np.empty_like(states)
    for code in np.unique(codes).tolist():
        here = codes == code
        after[here] = machine.step(states[here], code)
    return after


def read_told(model: Decoder) -> Mapping[str, Any]:
    """Entry `KEY` of a config; a `HypothesisFormatError` if it is not of our form."""
    told: Any = model.config.get(KEY, {})
    names = told.get("tokens", []) if isinstance(told, Mapping) else None
    if (
        not isinstance(names, list)
        or any(not isinstance(name, str) for name in names)
        or len(set(names)) < len(names)
        or told.get("answer", "set") not in list(Answer)
    ):
        raise HypothesisFormatError(
            f"{model.origin}: {KEY} = {quote(told)}; expected tokens, a list of different texts, and answer, "
            f"{list_some([str(each) for each in Answer])}; train the model anew, or leave the key out"
        )
    return dict(told)


def choose_answer(model: Decoder, target: Answer) -> Answer:
    """Kind of answer of a model: that of its config; a set for ``GPT2BCE...``, else that of its target.

    Raises `HypothesisFormatError` where none of these decides.
    """
    told = read_told(model)
    if "answer" in told:
        return Answer(told["answer"])
    names = model.config.get("architectures")
    named = names[0] if isinstance(names, Sequence) and names and isinstance(names[0], str) else ""
    if named == "GPT2BCELMHeadModel":
        return Answer.SET
    if named in ("GPT2LMHeadModel", "") and target is not Answer.SET:
        return target
    raise HypothesisFormatError(
        f"{model.origin}: architectures = {quote(names)} do not say how it answers; expected "
        "GPT2BCELMHeadModel or GPT2LMHeadModel and a target of one answer; give --answer"
    )


def with_answer(config: Mapping[str, Any], tokens: Tokens, answer: Answer, **more: Any) -> dict[str, Any]:
    """A config with the kind of answer of its model, its tokens, and further entries."""
    return {**config, KEY: {"answer": str(answer), "tokens": list(tokens.names), **more}}
