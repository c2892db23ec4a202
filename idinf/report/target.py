"""What a report says was asked: the target, and where hypotheses were searched."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from idinf.errors import SpecError, UnsupportedBoundError
from idinf.experiments.bounds import (
    FREE,
    LOGITS,
    PRESETS,
    RANGES,
    VERDICT,
    ZERO,
    HypothesisClass,
    Space,
    SpaceBounds,
    WholeClass,
)
from idinf.experiments.reader import read_table
from idinf.experiments.spec import Answer, Kind, Spec
from idinf.json_cursor import Cursor
from idinf.json_forms import FORM, FORMS, Form, build_object_schema, derive_form, one_of, or_null
from idinf.json_text import NotJson, parse_json

#: The classes that are searched whole.
_CLASS = one_of(HypothesisClass.THETA.value, HypothesisClass.LIMIT.value)

#: How hypotheses of the space are written as matrices; there is one way so far.
_REALISATION = one_of("one-hot")


def _read_space(cursor: Cursor) -> Space:
    return _read_class(cursor) if "class" in cursor.entries() else _read_bounds(cursor)


def _read_class(cursor: Cursor) -> WholeClass:
    given = cursor.fields(("class", "max_r"))
    kind = HypothesisClass(_CLASS.read(given["class"]))
    max_r = math.inf if given["max_r"].value is None else given["max_r"].real()
    try:
        return WholeClass(kind, max_r)
    except UnsupportedBoundError as error:
        raise cursor.error(f"{cursor.origin}: {cursor.path}.{error}") from None


def _read_bounds(cursor: Cursor) -> SpaceBounds:
    given = cursor.fields(("preset", *SpaceBounds().to_dict(), "realisation"), ("threshold", "match"))
    _REALISATION.read(given.pop("realisation"))
    values = {key: item.value for key, item in given.items()}
    if values["max_r"] is None:
        values["max_r"] = math.inf
    preset = values.pop("preset")
    try:
        space = SpaceBounds(**values)  # type: ignore[arg-type]
    except UnsupportedBoundError as error:
        raise cursor.error(f"{cursor.origin}: {cursor.path}.{error}") from None
    if preset != space.preset:
        given["preset"].fail(f'"{space.preset}", the preset of these bounds', "correct it")
    return space


_SPACE: dict[str, object] = {
    "preset": {"enum": list(PRESETS)},
    **{key: {"type": "integer", "minimum": low, "maximum": high} for key, (low, high) in RANGES.items()},
    "max_r": {"type": ["number", "null"], "exclusiveMinimum": 0},
    "work": {"type": ["integer", "null"], "minimum": 1},
    "realisation": _REALISATION.schema,
    "threshold": {"const": ZERO},
    "match": {"const": LOGITS},
}

FORMS[SpaceBounds] = Form(
    _read_bounds,
    lambda bounds: {
        **{"preset": bounds.preset, **bounds.to_dict(), "realisation": "one-hot"},
        **({} if bounds.threshold == FREE else {"threshold": bounds.threshold}),
        **({} if bounds.match == VERDICT else {"match": bounds.match}),
    },
    build_object_schema(_SPACE, [key for key in _SPACE if key not in ("threshold", "match")]),
)

_BUDGET: dict[str, object] = {"type": ["number", "null"], "exclusiveMinimum": 0}

#: One-hot bounds, or the name of a class that is searched whole.
SPACE: Form[Space] = Form(
    _read_space,
    lambda space: (
        {"class": space.preset, **space.to_dict()}
        if isinstance(space, WholeClass)
        else derive_form(SpaceBounds).write(space)
    ),
    {
        "anyOf": [
            derive_form(SpaceBounds).schema,
            build_object_schema({"class": _CLASS.schema, "max_r": _BUDGET}),
        ]
    },
)


#: How words are written where symbols are longer than one character, and where they are not.
_SPACED, _JOINED = "space", "joined"


@dataclass(frozen=True, slots=True)
class TargetDescription:
    """A target as a report names and defines it; what is the default is left out of the file.

    The last five keys are those of a spec (`idinf.experiments.spec.Spec`).

    Examples
    --------
    >>> from idinf.experiments.reader import parse_spec
    >>> spec = parse_spec('name = "ones"\\nalphabet = "01"\\nregex = "1*"\\nmode = "next"')
    >>> description = TargetDescription.of(spec)
    >>> description.mode, description.output, description.spec().definition
    ('next', 'set', '1*')
    """

    name: str
    alphabet: tuple[str, ...]
    kind: Kind  #: what ``source`` is
    source: str  #: the program, the regex, or the automaton as JSON
    digest: str  #: of the spec
    tokens: str = field(default=_JOINED, metadata={FORM: one_of(_JOINED, _SPACED)})
    mode: str = field(default="accept", metadata={FORM: one_of("accept", "next")})
    output: str | None = field(default=None, metadata={FORM: or_null(one_of("set", "symbol"))})
    next: Mapping[str, str] = field(default_factory=dict)
    domain: str | None = None
    judged: str | None = None

    @property
    def title(self) -> str:
        """The name, or the regex where it has none of its own."""
        return self.source if self.name == self.kind == Kind.REGEX else self.name

    @classmethod
    def of(cls, spec: Spec) -> TargetDescription:
        """Describe the target of a spec."""
        return cls(
            name=spec.name,
            alphabet=spec.alphabet.symbols,
            kind=spec.kind,
            source=spec.text,
            digest=spec.digest,
            tokens=_SPACED if spec.alphabet.spaced else _JOINED,
            mode=spec.mode,
            output=None if spec.answer is Answer.ACCEPT else spec.answer.value,
            next=dict(spec.next),
            domain=spec.domain,
            judged=spec.judged,
        )

    @property
    def spaced(self) -> bool:
        """Whether symbols of words are separated by blanks."""
        return self.tokens == _SPACED

    def spec(self) -> Spec:
        """Read the description as a spec.

        Raises
        ------
        SpecError
            If it defines nothing.
        """
        table = derive_form(TargetDescription).write(self)
        kind, definition, _ = (table.pop(key) for key in ("kind", "source", "digest"))
        if self.kind is Kind.DFA:
            try:
                definition = parse_json(definition)
            except NotJson as reason:
                raise SpecError(
                    f"target.source: {reason}; expected the automaton of kind dfa; correct source or kind"
                ) from None
        return read_table({**table, kind: definition}, "target")
