"""The target that a report is about, as far as a report says what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from idinf.errors import SpecError
from idinf.experiments.reader import read_table
from idinf.experiments.spec import Answer, Kind, Spec
from idinf.json_forms import FORM, derive_form, one_of, or_null
from idinf.json_text import NotJson, parse_json

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
