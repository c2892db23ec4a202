"""One experiment as written in a spec file: the target, how far to look, the suggested space.

`Spec` is the frozen value; :mod:`idinf.spec.reader` builds it from ``idinf-spec/1`` text.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Literal

from idinf.base.words import Alphabet
from idinf.spec.bounds import LADDER, Space, SpaceBounds, WholeClass
from idinf.spec.parameters import Values

#: End-of-string as a next symbol. No alphabet has it: as an input ``$`` is SOS, so it is free as an output.
END = "$"


class Answer(StrEnum):
    """Kinds of answers that a target gives about a word, and so a hypothesis."""

    ACCEPT = "accept"  #: one truth value, at the last position
    SET = "set"  #: at every position the set of next symbols
    SYMBOL = "symbol"  #: at every position one next symbol


class Kind(StrEnum):
    """Kinds of definitions of a language; the values are the keys of a spec."""

    CRASP = "crasp"
    REGEX = "regex"
    DFA = "dfa"


class Verdict(StrEnum):
    """An expected answer to "is the target in this class?"."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class FiniteAutomaton:
    """A deterministic automaton as a spec writes it; a missing transition goes to a sink."""

    states: tuple[str, ...]  #: distinct names, in the order of the file
    start: str
    accept: tuple[str, ...]  #: may be empty: the empty language
    #: ``(state, symbol, next state)``, at most one per state and symbol.
    transitions: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Spec:
    """One experiment, checked by its file alone (programs are checked when built)."""

    name: str
    alphabet: Alphabet
    kind: Kind  #: which of the three definitions `definition` is
    definition: str | FiniteAutomaton  #: program or regex text as in the file, or the automaton
    #: ``accept`` for ``mode = "accept"``; for ``mode = "next"`` the value of ``output``, by default a set.
    answer: Answer = Answer.ACCEPT
    #: Of a program with ``mode = "next"``: pairs (next symbol or `END`, operation that says when it is one),
    #: in the order of the alphabet, `END` last. Empty otherwise.
    next: tuple[tuple[str, str], ...] = ()
    domain: str | None = None  #: a regex: only its words count; None: every word counts
    #: With next symbols only: after which prefixes of a word that counts answers are judged, as a regex, or
    #: beside a program the operation that holds there. None: after every prefix.
    judged: str | None = None
    source: str = ""  #: where the target comes from
    max_n: int = 64  #: default of the largest examined n, at least 1
    #: The smaller space that answers where the family stays open; the family itself: the spec names none.
    space: SpaceBounds = field(default_factory=SpaceBounds)
    #: Pairs (class, verdict), in the order ``crasp``, ``crasp_periodic_local``; only those given.
    expected: tuple[tuple[str, Verdict], ...] = ()
    #: The values of a member of a family. They are written into `name` and `definition`, so the digest does
    #: not name them.
    parameters: Values = ()
    #: Paths, from the folder of the spec, of ``limit-transformer/1`` files that may bound R* from above. They
    #: answer and do not ask, so the digest does not name them.
    upper: tuple[str, ...] = ()
    origin: str = "<spec>"  #: file the spec was read from, for messages; not part of the digest

    def __repr__(self) -> str:
        return f"<Spec {self.name}: {self.kind} over {' '.join(self.alphabet.symbols)}>"

    @property
    def mode(self) -> Literal["accept", "next"]:
        """``"accept"`` or ``"next"``, as in the file."""
        return "accept" if self.answer is Answer.ACCEPT else "next"

    @property
    def text(self) -> str:
        """The definition as text: the program, the regex, or the table ``dfa`` as JSON on one line."""
        if isinstance(self.definition, str):
            return self.definition
        rows: dict[str, dict[str, str]] = {}
        for state, symbol, following in self.definition.transitions:
            rows.setdefault(state, {})[symbol] = following
        return json.dumps({**asdict(self.definition), "transitions": rows}, ensure_ascii=False)

    def list_smaller(self, space: Space) -> tuple[SpaceBounds, ...]:
        """List the smaller spaces that are asked beside a space, in their order; none but of the family.

        The space of the spec, where it names one, comes before those of the ladder. The budgets and readings
        of the family hold in each.

        Examples
        --------
        >>> spec = Spec("ones", Alphabet(("0", "1")), Kind.REGEX, "1*")
        >>> [smaller.name for smaller in spec.list_smaller(SpaceBounds())][-3:]
        ['periodic, layers <= 2, units <= 1, precision <= 0', 'local', 'periodic']
        >>> narrow = replace(spec, space=SpaceBounds(layers=1))
        >>> narrow.list_smaller(SpaceBounds())[0].name
        'one-hot family, layers <= 1'
        """
        if isinstance(space, WholeClass) or not space.is_family:
            return ()
        own = () if self.space.is_family else (self.space,)
        return tuple(
            replace(each, max_r=min(space.max_r, each.max_r), work=space.work).overridden(**space.readings)
            for each in (*own, *(each for each in LADDER if each not in own))
        )

    @property
    def digest(self) -> str:
        """SHA-256 of the content, in hex; independent of comments, layout and where the file lies."""
        content: dict[str, object] = {
            "format": "idinf-spec/1",
            "name": self.name,
            "alphabet": list(self.alphabet.symbols),
            "tokens": "space" if self.alphabet.spaced else None,
            str(self.kind): self.text,
            "mode": self.mode,
            "source": self.source,
            "max_n": self.max_n,
            "space": {"preset": self.space.preset, **self.space.to_dict()},
            "expected": {key: str(verdict) for key, verdict in self.expected},
        }
        if self.alphabet.alike:
            content["letters"] = self.alphabet.classes
        if self.answer is not Answer.ACCEPT:
            content |= {"output": str(self.answer), "next": dict(self.next)}
        given = {"domain": self.domain, "judged": self.judged}
        content |= {key: text for key, text in given.items() if text is not None}
        canonical = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("ascii")).hexdigest()
