"""The question of a report: the target, and the space that was searched."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from idinf.base.documents import Refusal, build_object_schema, check_keys, form, refuse, write
from idinf.base.json_text import JsonObject, NotJson, parse_json
from idinf.base.quoting import list_some
from idinf.errors import SpecError, UnsupportedBoundError
from idinf.spec.bounds import (
    APART,
    FREE,
    LOGITS,
    MERGED,
    PRESETS,
    RANGES,
    VERDICT,
    ZERO,
    HypothesisClass,
    Space,
    SpaceBounds,
    WholeClass,
)
from idinf.spec.reader import read_table
from idinf.spec.spec import Answer, Kind, Spec

#: Letters of one symbol that are listed; of more only their number is written.
MOST_LETTERS = 6


def _read_space(given: Any) -> Space:
    whole = isinstance(given, Mapping) and "class" in given
    required = ("class", "max_r") if whole else ("preset", *SpaceBounds().to_dict())
    check_keys(given, required, () if whole else ("threshold", "letters", "match"))
    values = {**given, "max_r": math.inf if given["max_r"] is None else given["max_r"]}
    try:
        return _read_class(values) if whole else _read_bounds(values)
    except UnsupportedBoundError as error:
        raise Refusal(f".{error}") from None


def _read_class(values: dict[str, Any]) -> WholeClass:
    if values["class"] not in ("theta", "limit"):
        refuse(values["class"], '"theta" or "limit"', "name one of them", "class")
    return WholeClass(HypothesisClass(values["class"]), values["max_r"])


def _read_bounds(values: dict[str, Any]) -> SpaceBounds:
    preset, space = values.pop("preset"), SpaceBounds(**values)
    if preset != space.preset:
        refuse(preset, f'"{space.preset}", the preset of these bounds', "correct it", "preset")
    return space


def _write_space(space: Space) -> JsonObject:
    if isinstance(space, WholeClass):
        return {"class": space.preset, **space.to_dict()}
    return {
        **{"preset": space.preset, **space.to_dict()},
        **({} if space.threshold == FREE else {"threshold": space.threshold}),
        **({} if space.letters == MERGED else {"letters": space.letters}),
        **({} if space.match == VERDICT else {"match": space.match}),
    }


_MAX_R = {"type": ["number", "null"], "exclusiveMinimum": 0}
_BOUNDS = {
    "preset": {"enum": list(PRESETS)},
    **{key: {"type": "integer", "minimum": low, "maximum": high} for key, (low, high) in RANGES.items()},
    "max_r": _MAX_R,
    "work": {"type": ["integer", "null"], "minimum": 1},
}

#: One-hot bounds, or the name of a class that is searched whole.
SPACE = form(
    _read_space,
    _write_space,
    {
        "anyOf": [
            build_object_schema(
                _BOUNDS,
                {
                    "threshold": {"const": ZERO},
                    "letters": {"const": APART},
                    "match": {"const": LOGITS},
                },
            ),
            build_object_schema({"class": {"enum": ["theta", "limit"]}, "max_r": _MAX_R}),
        ]
    },
)


_OUTPUTS: dict[Answer, Literal["set", "symbol"] | None] = {
    Answer.ACCEPT: None,
    Answer.SET: "set",
    Answer.SYMBOL: "symbol",
}


@dataclass(frozen=True, slots=True)
class TargetDescription:
    """A target as a report names and defines it; default values are left out of the file.

    The five keys from ``mode`` on are those of a spec (`idinf.spec.spec.Spec`).

    >>> from idinf.spec.reader import parse_spec
    >>> spec = parse_spec('name = "ones"\\nalphabet = "01"\\nregex = "1*"\\nmode = "next"')
    >>> description = TargetDescription.of(spec)
    >>> description.mode, description.output, description.spec().definition
    ('next', 'set', '1*')
    """

    name: str
    alphabet: tuple[str, ...]
    kind: Kind  #: the kind of ``source``
    source: str  #: the program, the regex, or the automaton as JSON
    digest: str  #: of the spec
    tokens: Literal["joined", "space"] = "joined"  #: how words are written
    mode: Literal["accept", "next"] = "accept"
    output: Literal["set", "symbol"] | None = None
    next: Mapping[str, str] = field(default_factory=dict)
    domain: str | None = None
    judged: str | None = None
    #: Letters that a symbol stands for, itself first, where they are alike for the target.
    letters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The name, or the regex where it has none of its own."""
        return self.source if self.name == self.kind == Kind.REGEX else self.name

    @property
    def over(self) -> str:
        """The alphabet as a part of a sentence: its symbols, and how many letters some of them stand for."""
        told = [
            f"{symbol} for {' '.join(own) if len(own) <= MOST_LETTERS else f'{len(own)} letters'}"
            for symbol, own in self.letters.items()
        ]
        return list_some(self.alphabet) + (f" ({'; '.join(told)})" if told else "")

    @classmethod
    def of(cls, spec: Spec) -> TargetDescription:
        """Describe the target of a spec."""
        return cls(
            name=spec.name,
            alphabet=spec.alphabet.symbols,
            kind=spec.kind,
            source=spec.text,
            digest=spec.digest,
            tokens="space" if spec.alphabet.spaced else "joined",
            mode=spec.mode,
            output=_OUTPUTS[spec.answer],
            next=dict(spec.next),
            domain=spec.domain,
            judged=spec.judged,
            letters=spec.alphabet.classes,
        )

    @property
    def spaced(self) -> bool:
        """True if symbols of words are separated by blanks."""
        return self.tokens == "space"

    def spec(self) -> Spec:
        """Read the description as a spec; a SpecError if it defines nothing."""
        table = write(self)
        kind, definition, _ = (table.pop(key) for key in ("kind", "source", "digest"))
        table.pop("letters", None)
        if self.kind is Kind.DFA:
            try:
                definition = parse_json(definition)
            except NotJson as reason:
                raise SpecError(
                    f"target.source: {reason}; expected the automaton of kind dfa; correct source or kind"
                ) from None
        spec = read_table({**table, kind: definition}, "target")
        pairs = [(letter, symbol) for symbol, own in self.letters.items() for letter in own]
        alike = tuple((letter, symbol) for letter, symbol in pairs if letter != symbol)
        return replace(spec, alphabet=replace(spec.alphabet, alike=alike))
