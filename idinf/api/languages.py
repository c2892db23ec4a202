"""Languages as values: membership, equality and inclusion, exactly; C-RASP programs among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from idinf.base.files import blaming
from idinf.base.quoting import list_some, quote, shorten
from idinf.base.words import Alphabet, Symbols, Word, read_alphabet, words_up_to
from idinf.crasp.checker import Facts, check
from idinf.crasp.programs import LoadedProgram
from idinf.crasp.syntax import ProgramTree, list_needed_definitions
from idinf.errors import AlphabetMismatchError, HypothesisFormatError, SpecError, UndecidedError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.ordinary.translation import CausalTransformer
from idinf.spec.reader import MAX_NAME, read_table
from idinf.spec.spec import Spec
from idinf.targets.build import build_target
from idinf.targets.machine import Target
from idinf.targets.supervised import SupervisedTarget, supervise

if TYPE_CHECKING:
    from idinf.crasp.interpreter import Trace
    from idinf.crasp.inverse_images import FoolingPair, Morphism
    from idinf.crasp.majority_logic import MajorityFormula
    from idinf.crasp.runs import Eventual
    from idinf.languages.equivalence.comparison import Beat, ComparedAnswer
    from idinf.languages.equivalence.dense import Decider

#: Joint states of one length that a comparison may take: some hundred megabytes.
MOST_STATES = 1_000_000

#: How far languages are compared where that is not proved for all words.
MAX_N = 64

#: A word as users write it: a text, or a sequence of symbols where symbols are longer than a character.
WordLike = str | Sequence[str]

#: What defines a language.
Definition = Spec | LoadedProgram | LimitTransformer | CausalTransformer


@dataclass(frozen=True, slots=True)
class Difference:
    """How languages a and b compare; the object of ``idinf compare --json``."""

    a: str
    b: str
    alphabet: tuple[str, ...]
    equal: bool | None  #: None: not even the empty word was compared
    proved: bool  #: whether ``equal`` holds for words of every length
    up_to: int | None  #: all words up to this length were compared; None: all words
    word: str | None  #: one that just one of them has, which ``accepted_by`` names
    is_least: bool | None  #: whether it is the least of its length
    accepted_by: str | None
    method: str  #: how this is known
    stop_reason: str | None  #: what ended the comparison early

    @classmethod
    def of(
        cls, names: tuple[str, str], languages: tuple[Decider, Decider], answer: ComparedAnswer
    ) -> Difference:
        """Say an answer with the names of the two."""
        from idinf.languages.equivalence.dense import accepts

        alphabet, word = languages[0].alphabet, answer.word
        found = word is not None
        by = None if word is None else names[0] if accepts(languages[0], word) else names[1]
        return cls(
            *names,
            alphabet.symbols,
            None if not found and answer.up_to == -1 else not found,
            found or answer.up_to is None,
            answer.up_to,
            None if word is None else alphabet.decode(word),
            answer.is_least if found else None,
            by,
            answer.method,
            answer.stop_reason or None,
        )

    def to_dict(self) -> dict[str, object]:
        """Write ``idinf-diff/1``, plain values that JSON takes."""
        return {"format": "idinf-diff/1", **asdict(self), "alphabet": list(self.alphabet)}

    def __repr__(self) -> str:
        return f"<Difference of {shorten(self.a, 40)}, {shorten(self.b, 40)}: {shorten(str(self))}>"

    def __str__(self) -> str:
        if self.word is not None:
            is_spaced = " " in self.word or any(len(symbol) > 1 for symbol in self.alphabet)
            length = len(Alphabet(self.alphabet, is_spaced).encode(self.word))
            least = "" if self.is_least else ", perhaps not the least of that length"
            shown = f"{self.word}  (length {length}{least})" if self.word else "the empty word"
            return f"different  {shown}: accepted by {self.accepted_by} alone  ({self.method})"
        if self.up_to is None:
            return f"equal on all words  ({self.method})"
        if self.up_to < 0:
            return "undecided  not even the empty word was compared"
        return f"equal on all words up to length {self.up_to}  ({self.method})"


class Language:
    """A language: a target, a regex, a program or a hypothesis, as `read_target` takes it.

    Words are texts; where symbols are longer than one character they are sequences of symbols. ``==`` and
    ``<=`` speak of all words: they are proved, or raise `UndecidedError`.

    Two are compared over the alphabet that one of them has or was given; where neither has, over the symbols
    that both name.

    Examples
    --------
    >>> from idinf.api.sources import read_target
    >>> t = read_target("dyck-1")
    >>> "ab" in t, "ba" in t, t.words(up_to=4)
    (True, False, ('', 'ab', 'aabb', 'abab'))
    >>> even, every = read_target("regex:(aa)*"), read_target("regex:a*")
    >>> even <= every, every == even
    (True, False)
    """

    __hash__ = None  # type: ignore[assignment]  # equal languages may be written differently

    def __init__(self, name: str, definition: Definition, alphabet: Alphabet, is_fixed: bool = True) -> None:
        self.name, self.definition, self.alphabet = name, definition, alphabet
        self._is_fixed = is_fixed  # else another alphabet that has the symbols named will do

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {shorten(self.name, 60)} over {list_some(self.alphabet.symbols)}>"

    @property
    def is_family_member(self) -> bool:
        """Whether values were needed to choose it."""
        return isinstance(self.definition, Spec) and bool(self.definition.parameters)

    @cached_property
    def spec(self) -> Spec:
        """The language as the procedure takes it; of a hypothesis, that of the program it is read as.

        Raises
        ------
        HypothesisFormatError
            If no program is known for a hypothesis.
        """
        match self.definition:
            case Spec() as spec:
                return spec
            case LoadedProgram(text=text):
                return write_spec(self.name, self.alphabet, "crasp", text)
            case net:
                from idinf.show.export.forms import export

                if not isinstance(net, LimitTransformer):
                    raise self._refuse_ordinary()
                with blaming(self.name):
                    return write_spec(self.name, self.alphabet, "crasp", export(net, "crasp"))

    @cached_property
    def machine(self) -> SupervisedTarget:
        """What answers words, at the end or at every position; of what its spec defines."""
        return supervise(build_target(self.spec))

    @cached_property
    def decider(self) -> Decider:
        """What decides membership, built once; errors as of `over`."""
        return self.over(self.alphabet)

    def over(self, alphabet: Alphabet) -> Decider:
        """Build what decides the language over an alphabet, which has all its symbols.

        Raises
        ------
        ProgramError, SpecError, HypothesisFormatError
            If its definition is wrong, or asks about next symbols.
        """
        from idinf.targets.counting import CountingTarget

        match self.definition:
            case LoadedProgram() as loaded:
                return CountingTarget(loaded.program, loaded.alphabet(alphabet))
            case Spec() as spec:
                if spec.mode != "accept" or spec.domain is not None:
                    raise SpecError(
                        f"{self.name}: mode = {quote(spec.mode)}, domain = {quote(spec.domain)}; it is no "
                        "language, which every word is in or not; give a target of mode accept, no domain"
                    )
                return build_target(replace(spec, alphabet=alphabet))
            case LimitTransformer() as net:
                return self._reorder(net, alphabet)
        raise self._refuse_ordinary()

    def _reorder(self, net: LimitTransformer, alphabet: Alphabet) -> LimitTransformer:
        """A hypothesis that accepts words, its embedding in the order of an alphabet."""
        from idinf.nets.one_hot import MAX_BITS

        if net.output is not None:
            raise HypothesisFormatError(
                f"{self.name}: it names next symbols; expected a hypothesis that accepts words; "
                "give one of a target of mode accept"
            )
        if net.num_bits > MAX_BITS:
            raise HypothesisFormatError(
                f"{self.name}: parameters of {net.num_bits} bits; expected at most {MAX_BITS}, "
                "which machine integers hold; use smaller numbers"
            )
        rows = (0, *(1 + net.alphabet.symbols.index(symbol) for symbol in alphabet.symbols))
        return replace(net, alphabet=alphabet, embedding=tuple(net.embedding[row] for row in rows))

    def _refuse_ordinary(self) -> HypothesisFormatError:
        return HypothesisFormatError(
            f"{self.name}: an ordinary transformer, which answers words that its context has room for; "
            "expected a language of words of every length; use 'idinf run'"
        )

    def __contains__(self, word: WordLike) -> bool:
        from idinf.languages.equivalence.dense import accepts

        return accepts(self.decider, self.alphabet.encode(word))

    def words(self, up_to: int) -> tuple[str | tuple[str, ...], ...]:
        """List the words up to a length in shortlex order; cost O(|Σ|^up_to), whatever the language holds."""
        size, decided = len(self.alphabet), self.decider
        found: Iterator[Word]
        if isinstance(decided, LimitTransformer):
            from idinf.nets import reference

            found = (word for word in words_up_to(size, up_to) if reference.accepts(decided, word))
        else:
            found = _words_of(decided, size, up_to)
        if self.alphabet.spaced:
            return tuple(tuple(self.alphabet.symbols[code] for code in word) for word in found)
        return tuple(map(self.alphabet.decode, found))

    def difference(
        self,
        other: Language,
        max_n: int = MAX_N,
        *,
        alphabet: Symbols | None = None,
        most_states: int = MOST_STATES,
        beat: Beat = lambda length: None,
    ) -> Difference:
        """Find the first word that one of two languages has and the other has not.

        Words are compared up to ``max_n`` where nothing is proved for all of them, with at most
        ``most_states`` joint states of one length; ``beat`` is told how far that is, and may raise to end it.

        Raises
        ------
        AlphabetMismatchError
            If they have different symbols.
        """
        from idinf.languages.equivalence.comparison import compare
        from idinf.proofs.find.finder import prove_equal

        shared = self.share_alphabet(other, None if alphabet is None else read_alphabet(alphabet))
        sides = self.over(shared), other.over(shared)
        answer = compare(*sides, max_n, most_states, beat, prove=prove_equal)
        return Difference.of((self.name, other.name), sides, answer)

    def share_alphabet(self, other: Language, given: Alphabet | None = None) -> Alphabet:
        """The alphabet two languages are compared over; its order decides which word is the least.

        That is the given one, else that of the first with an alphabet of its own, else the symbols both name.
        """
        fixed = [side for side in (self, other) if side._is_fixed]
        if given is None and not fixed:
            return read_alphabet(tuple(sorted({*self.alphabet.symbols, *other.alphabet.symbols})))
        origin, alphabet = ("--alphabet", given) if given is not None else (fixed[0].name, fixed[0].alphabet)
        for side in fixed:
            if set(side.alphabet.symbols) != set(alphabet.symbols):
                raise AlphabetMismatchError(
                    f"{side.name}: alphabet {list_some(side.alphabet.symbols)}; expected that of {origin}, "
                    f"{list_some(alphabet.symbols)}; compare what is over one alphabet"
                )
        return alphabet

    def __eq__(self, other: object) -> bool:
        return self._decided(self.difference(other)) if isinstance(other, Language) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self._is_within(other) if isinstance(other, Language) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._is_within(other) and self != other if isinstance(other, Language) else NotImplemented

    def _is_within(self, other: Language) -> bool:
        from idinf.languages.equivalence.comparison import compare, intersect
        from idinf.proofs.find.finder import prove_equal

        shared = self.share_alphabet(other)
        one, two = self.over(shared), other.over(shared)
        both = intersect(one, two)
        names = (self.name, f"{self.name} within {other.name}")
        return self._decided(
            Difference.of(names, (one, both), compare(one, both, MAX_N, MOST_STATES, prove=prove_equal))
        )

    def _decided(self, found: Difference) -> bool:
        """Whether two languages are equal, where that is known of all words."""
        if not found.proved:
            raise UndecidedError(
                f"{shorten(found.a)} and {shorten(found.b)}: {found}; expected a proof for all words; "
                "use difference(), which says how far they agree"
            )
        return bool(found.equal)


def _words_of(machine: Target, size: int, up_to: int) -> Iterator[Word]:
    """Words that a machine accepts, length by length: all states of one length at once, in shortlex order."""
    states = machine.start()
    for length in range(up_to + 1):
        for place in np.flatnonzero(machine.labels(states)):
            word = np.unravel_index(place, (size,) * length) if length else ()
            yield tuple(int(code) for code in word)
        if length < up_to:
            # Axes: the word so far, the next symbol, the columns of a state.
            steps = np.stack([machine.step(states, code) for code in range(size)], axis=1)
            states = steps.reshape(-1, states.shape[1])


class Program(Language):
    """A C-RASP program; a language as well, that of the words its last operation accepts.

    Its ``facts`` are its class, depth, counts, and the operations with their sorts.

    Examples
    --------
    >>> from idinf.api.programs import program
    >>> dyck = program("dyck-1")
    >>> dyck.facts.class_name, "ab" in dyck
    ('C-RASP[]', True)
    """

    def __init__(self, loaded: LoadedProgram, symbols: Symbols | None = None) -> None:
        given = None if symbols is None else read_alphabet(symbols)
        super().__init__(loaded.origin, loaded, loaded.alphabet(given), is_fixed=given is not None)
        self.loaded, self.text = loaded, loaded.text
        self.facts: Facts = loaded.facts

    def trace(self, word: WordLike, parts: bool = False) -> Trace:
        """Compute every operation at every position of a word; with ``parts`` of what it is made of, too."""
        from idinf.crasp.interpreter import trace_of

        return trace_of(self.loaded.program, self.alphabet, self.alphabet.encode(word), parts)

    def eventual(self, symbol: str) -> tuple[Eventual, ...]:
        """Say what every operation is on symbol^n for all large n, exactly (Lemma 37 of [HYB25]_)."""
        from idinf.crasp.runs import compute_eventual_values

        with self.loaded.blamed():
            return compute_eventual_values(self.loaded.program, symbol)

    def fooling_pair(self, symbol: str) -> FoolingPair:
        """Find two words of different parity of a symbol that get one answer (Lemma 41 of [HYB25]_)."""
        from idinf.crasp.inverse_images import find_fooling_pair

        with self.loaded.blamed():
            return find_fooling_pair(self.loaded.program, self.alphabet, symbol)

    def majority_formula(self) -> MajorityFormula:
        """Write the program as a formula of MAJ2[<, +1, mod] (Proposition 31 of [HYB25]_)."""
        from idinf.crasp.majority_logic import to_majority_logic

        with self.loaded.blamed():
            return to_majority_logic(self.loaded.program, self.alphabet)

    def inverse_image(self, images: Mapping[str, WordLike]) -> Program:
        """Write the program that accepts w iff this one accepts h(w) (Lemma 42 of [HYB25]_).

        ``images`` are the words h(σ), all of one length, of the symbols σ of the new program.

        Examples
        --------
        >>> from idinf.api.programs import program
        >>> program("dyck-1").inverse_image({"x": "ab", "y": "ba"}).words(up_to=2)
        ('', 'x', 'xx')
        """
        from idinf.crasp.inverse_images import Morphism, pull_back

        source = read_alphabet(tuple(images))
        words = tuple(self.alphabet.encode(image) for image in images.values())
        with self.loaded.blamed():
            found = pull_back(self.loaded.program, Morphism(source, self.alphabet, words))
        return self._written(found, source)

    def padded(self, neutral: str) -> tuple[Morphism, Program]:
        """Write the program as one of C-RASP[] on padded words (Lemma 34 of [HYB25]_).

        Gives h with h(σ) = σ e…e, where e is ``neutral``, and the program that accepts w iff this one accepts
        h(w). If e is neutral in a language that this program decides, the other one decides it, too.

        Examples
        --------
        >>> from idinf.api.programs import program
        >>> h, counting = program("contains-ab-abc").padded("c")
        >>> print(h, counting.facts.class_name)
        a → ac, b → bc, c → cc C-RASP[]
        """
        from idinf.crasp.inverse_images import drop_relations, pad

        with self.loaded.blamed():
            morphism = pad(self.loaded.program, self.alphabet, neutral)
            found = drop_relations(self.loaded.program, morphism)
        return morphism, self._written(found, self.alphabet)

    def followed_by(self, symbol: str) -> Program:
        """Write the program that looks for a symbol right behind a beginning that this one accepts.

        Of a program of Σ*be* it makes one of Σ*be*bΣ* (Lemma 36 of [HYB25]_).
        """
        from idinf.crasp.inverse_images import followed_by

        with self.loaded.blamed():
            return self._written(followed_by(self.loaded.program, symbol), self.alphabet)

    def _written(self, found: ProgramTree, alphabet: Alphabet) -> Program:
        """A program that was made of this one, without operations that nothing reads."""
        from idinf.crasp.syntax import format_program

        kept = ProgramTree(list_needed_definitions(found))
        facts = check(kept, alphabet)
        return Program(LoadedProgram(self.name, format_program(kept), kept, facts), alphabet)


def write_spec(name: str, alphabet: Alphabet, kind: str, text: str) -> Spec:
    """Write the spec of a target of one's own: its name is its text, or that of its file."""
    title = PurePath(name).stem if name.endswith((".crasp", ".cr", ".json")) else " ".join(name.split())
    title = shorten(title, MAX_NAME)
    table: dict[str, object] = {"name": title, "alphabet": list(alphabet.symbols), kind: text}
    if alphabet.spaced:
        table["tokens"] = "space"
    return read_table(table, title)
