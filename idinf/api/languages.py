"""Languages as values: membership, equality and inclusion, exactly; programs and hypotheses among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from idinf.api.sources import Source, TargetLike, read_hypothesis, read_source
from idinf.base.files import take_path, write_whole
from idinf.base.numbers import format_r
from idinf.base.options import check_integer
from idinf.base.quoting import list_some, quote, shorten
from idinf.base.words import Alphabet, Symbols, Word, read_alphabet, words_up_to
from idinf.crasp.checker import Facts, check
from idinf.crasp.programs import LoadedProgram
from idinf.crasp.syntax import ProgramTree, list_needed_definitions
from idinf.errors import (
    AlphabetMismatchError,
    ArgumentError,
    HypothesisFormatError,
    SpecError,
    UndecidedError,
)
from idinf.languages.equivalence.dense import accepts
from idinf.nets import generation, json_format, reference
from idinf.nets.generation import MOST, Generation
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import Aggregate, Cut, RTerms, compute_r_terms, list_cuts
from idinf.report.value import Path, Report
from idinf.show.report_facts import write_formula_if_one_hot
from idinf.spec.spec import Answer, FiniteAutomaton, Spec
from idinf.targets.build import build_target
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import SupervisedTarget, supervise

if TYPE_CHECKING:
    from idinf.crasp.interpreter import Trace
    from idinf.crasp.inverse_images import FoolingPair, Morphism
    from idinf.crasp.majority_logic import MajorityFormula
    from idinf.crasp.runs import Eventual
    from idinf.languages.equivalence.comparison import Beat
    from idinf.languages.equivalence.dense import Decider

#: Joint states of one length that a comparison may take: some hundred megabytes.
MOST_STATES = 1_000_000

#: How far languages are compared where that is not proved for all words.
MAX_N = 64

#: A word as users write it: a text, or a sequence of symbols where symbols are longer than a character.
WordLike = str | Sequence[str]

HypothesisLike: TypeAlias = "Path | Report | Hypothesis | LimitTransformer"


@dataclass(frozen=True, slots=True)
class Difference:
    """Comparison of languages a and b; the object of ``idinf compare --json``."""

    a: str
    b: str
    alphabet: tuple[str, ...]
    equal: bool | None  #: None: not even the empty word was compared
    proved: bool  #: True if ``equal`` holds for words of every length
    up_to: int | None  #: all words up to this length were compared; None: all words
    word: str | None  #: a word that only one language has, named by ``accepted_by``
    is_least: bool | None  #: True if it is the least of its length
    accepted_by: str | None
    method: str  #: the method of the proof or comparison
    stop_reason: str | None  #: the limit that ended the comparison early

    @classmethod
    def between(
        cls,
        names: tuple[str, str],
        languages: tuple[Decider, Decider],
        max_n: int = MAX_N,
        most_states: int = MOST_STATES,
        beat: Beat = lambda length: None,
    ) -> Difference:
        """Compare two languages; parameters as of `Language.difference`."""
        from idinf.languages.equivalence.comparison import compare
        from idinf.proofs.find.finder import prove_equal

        answer = compare(*languages, max_n, most_states, beat, prove=prove_equal)
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


class Language(Source):
    """A language: a target, a regex, a program or a hypothesis, as `read_target` takes it.

    Words are texts; where symbols are longer than one character they are sequences of symbols. ``==`` and
    ``<=`` speak of all words: they are proved, or raise `UndecidedError`.

    Two are compared over the alphabet that one of them has or was given; where neither has, over the symbols
    that both name.

    Examples
    --------
    >>> t = read_target("dyck-1")
    >>> "ab" in t, "ba" in t, t.words(up_to=4)
    (True, False, ('', 'ab', 'aabb', 'abab'))
    >>> even, every = read_target("regex:(aa)*"), read_target("regex:a*")
    >>> even <= every, every == even
    (True, False)
    """

    __hash__ = None  # type: ignore[assignment]  # equal languages may be written differently

    @cached_property
    def machine(self) -> SupervisedTarget:
        """Machine of its spec that answers words, at the end or at every position."""
        return supervise(build_target(self.spec))

    @cached_property
    def decider(self) -> Decider:
        """Decider of membership, built once; errors as of `over`."""
        return self.over(self.alphabet)

    def over(self, alphabet: Alphabet) -> Decider:
        """Build the decider of the language over an alphabet, which has all its symbols.

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
                if spec.alphabet.alike and alphabet != spec.alphabet:
                    raise AlphabetMismatchError(
                        f"{self.name}: its symbols stand for several letters, as in a report; expected a "
                        "target over all letters; name the target itself"
                    )
                return build_target(replace(spec, alphabet=alphabet))
            case LimitTransformer() as net:
                return self._reorder(net, alphabet)
        self.refuse_ordinary()

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
        return net.over(alphabet)

    def __contains__(self, word: WordLike) -> bool:
        return accepts(self.decider, self.alphabet.encode(word))

    def automaton(self, path: Path | None = None) -> FiniteAutomaton:
        """Give the minimal complete automaton of a regular language, and write it to ``path``.

        Its ending is ``.att`` (AT&T text, for OpenFst and foma) or ``.jff`` (JFLAP). The file is read back
        as the same language.

        Raises
        ------
        ArgumentError
            If the language is not known to be regular, or the ending is another one.
        SpecError, ProgramError, HypothesisFormatError
            As of `over`.

        Examples
        --------
        >>> read_target("tomita-2").automaton().accept
        ('0',)
        """
        from idinf.languages.classification.finite import MAX_STATES, find_finite_machine
        from idinf.spec.automata import check_form, dump_automaton

        form = "" if path is None else take_path(path)
        if form:
            check_form(form)
        decided = self.decider
        found = find_finite_machine(
            build_target(self.spec) if isinstance(decided, LimitTransformer) else decided
        )
        if found is None:
            raise ArgumentError(
                f"{self.name}: no automaton was found, with at most {MAX_STATES} states; expected a regular "
                "language; 'idinf classify' may say why"
            )
        if self.alphabet.alike:  # of a report: a symbol stands for several letters
            codes = self.alphabet.encode(self.alphabet.letters)
            found = RegularTarget.minimal(self.alphabet.apart, found.table[:, codes], found.accepting)
        if form:
            write_whole(form, dump_automaton(found.automaton, form[-4:]))
        return found.automaton

    def words(self, up_to: int) -> tuple[str | tuple[str, ...], ...]:
        """List the words up to a length in shortlex order; cost O(|Σ|^up_to) for every language."""
        check_integer("up_to", up_to, 0)
        size, decided = len(self.alphabet), self.decider
        found: Iterator[Word]
        if isinstance(decided, LimitTransformer):
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
        ``most_states`` joint states of one length; ``beat`` is called with every length, may raise to stop.

        Raises
        ------
        AlphabetMismatchError
            If they have different symbols.
        """

        check_integer("max_n", max_n, 0)
        if not isinstance(other, Language):
            raise ArgumentError(f"{quote(other)} is no language; expected one; give target(...)")
        shared = self.share_alphabet(other, None if alphabet is None else read_alphabet(alphabet))
        sides = self.over(shared), other.over(shared)
        return Difference.between((self.name, other.name), sides, max_n, most_states, beat)

    def share_alphabet(self, other: Language, given: Alphabet | None = None) -> Alphabet:
        """The alphabet for a comparison of two languages; its order decides which word is the least.

        It is the given one, else that of the first language with a fixed alphabet, else the symbols of both.
        """
        fixed = [side for side in (self, other) if side.is_fixed]
        if given is None and not fixed:
            return read_alphabet(tuple(sorted({*self.alphabet.symbols, *other.alphabet.symbols})))
        origin, alphabet = ("--alphabet", given) if given is not None else (fixed[0].name, fixed[0].alphabet)
        alphabet = alphabet.apart
        for side in fixed:
            if set(side.alphabet.letters) != set(alphabet.symbols):
                raise AlphabetMismatchError(
                    f"{side.name}: alphabet {list_some(side.alphabet.letters)}; expected that of {origin}, "
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
        from idinf.languages.equivalence.comparison import intersect

        shared = self.share_alphabet(other)
        one, names = self.over(shared), (self.name, f"{self.name} within {other.name}")
        return self._decided(Difference.between(names, (one, intersect(one, other.over(shared)))))

    def _decided(self, found: Difference) -> bool:
        """True if two languages are equal; UndecidedError where that is not proved for all words."""
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
        """Compute every operation at every position of a word; with ``parts``, every subexpression, too."""
        from idinf.crasp.interpreter import trace_of

        return trace_of(self.loaded.program, self.alphabet, self.alphabet.encode(word), parts)

    def eventual(self, symbol: str) -> tuple[Eventual, ...]:
        """Give the value of every operation on symbol^n for all large n, exactly (Lemma 37 of [HYB25]_)."""
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


class Hypothesis(Language):
    """A Limit Transformer; a language as well, that of the words it accepts.

    Of a compiled program, ``outside`` says why it is outside of the searched family, where that is known; of
    a report, ``asked`` is the target that it was selected for.
    """

    def __init__(
        self,
        transformer: LimitTransformer,
        name: str = "hypothesis",
        outside: str = "",
        asked: Spec | None = None,
    ) -> None:
        super().__init__(name, transformer, transformer.alphabet, asked=asked)
        self.transformer, self.outside = transformer, outside

    def __repr__(self) -> str:
        return f"<Hypothesis {self.name}: R = {format_r(self.r)}>"

    @property
    def r(self) -> float:
        """R, with terms of layers and heads by their maximum (float)."""
        return self.r_terms().total

    def r_terms(self, aggregate: str = "max") -> RTerms:
        """Compute the terms of R; ``aggregate`` is ``max`` or ``sum``.

        The terms of Definition 50 of [HYB25]_ are ``r_terms().by_definition_50()``.
        """
        return compute_r_terms(self.transformer, Aggregate(aggregate))

    def cuts(self) -> tuple[Cut, ...]:
        """Cut φ off at every distance, with its cost up to there: D_n(τ) of Lemma 17 of [HYB25]_."""
        return list_cuts(self.transformer)

    @property
    def formula(self) -> str | None:
        """The hypothesis as a counting formula; None if it is not of the searched family."""
        formula = write_formula_if_one_hot(self.transformer)
        return None if formula is None else str(formula)

    def next_symbols(self, word: WordLike) -> tuple[tuple[str, ...], ...]:
        """Give the next symbols after every prefix of a word, the empty one first; ``$`` is the end.

        Raises
        ------
        HypothesisFormatError
            If the hypothesis accepts words instead.
        """
        if self.transformer.output is None:
            raise HypothesisFormatError(
                f"{self.name} accepts words; expected one about next symbols; use 'in'"
            )
        return tuple(reference.name_next_symbols(self.transformer, self.alphabet.encode(word)))

    def generate(
        self, prompt: WordLike = "", *, most: int = MOST, seed: int | None = None, target: Spec | None = None
    ) -> Generation:
        """Feed a hypothesis its own next symbols after a prompt, until the end or a bound; exact.

        Parameters
        ----------
        prompt : str or sequence of str
            The word that it reads first.
        most : int
            Greatest number of generated symbols.
        seed : int, optional
            Take one of several next symbols at random; without it the first.
        target : Spec, optional
            A target that judges the steps, in place of that of the report.

        Raises
        ------
        HypothesisFormatError, SpecError, AlphabetMismatchError
            If it accepts words, the target does too or is over other symbols, or the prompt is.

        Examples
        --------
        >>> from idinf.api.programs import induction_head
        >>> print(induction_head("acb#").generate("#acb#", most=4))
        a c b # ...
        """
        if self.transformer.output is None:
            raise HypothesisFormatError(
                f"{self.name}: it accepts words; expected a hypothesis about next symbols"
            )
        spec = target or self.asked
        if spec is not None and spec.answer is Answer.ACCEPT:
            raise SpecError(f'{spec.origin}: mode = "accept"; expected "next"; give a target of next symbols')
        if spec is not None and spec.alphabet.symbols != self.alphabet.symbols:
            raise AlphabetMismatchError(
                f"{self.name}: alphabet {list_some(self.alphabet.symbols)}; expected that of {spec.origin}, "
                f"{list_some(spec.alphabet.symbols)}; give the target it is about"
            )
        word = self.alphabet.encode(prompt)
        judge = None if spec is None else _build_judge(spec)
        return generation.generate(self.transformer, word, most, seed, judge)

    def logits(self, word: WordLike) -> tuple[Fraction, ...]:
        """Compute U y at the last position of a word, exactly."""
        return reference.trace(self.transformer, self.alphabet.encode(word)).logits

    def save(self, path: Path) -> None:
        """Write a ``limit-transformer/1`` file."""
        write_whole(take_path(path), json_format.dumps(self.transformer))

    def export(self, form: str, path: Path | None = None, *, weights: Path | None = None) -> str:
        """Write the hypothesis in another form, as ``idinf net export`` does; the text is returned.

        Parameters
        ----------
        form : str
            ``json``, ``crasp``, ``numpy``, ``torch`` or ``latex``.
        path : path, optional
            Where to write it, too.
        weights : path, optional
            Of ``torch``: where to write the weights, as safetensors.

        Raises
        ------
        ArgumentError, HypothesisFormatError, MissingPackageError
            If there is no such form, the hypothesis has none, or safetensors is not installed.

        Examples
        --------
        >>> from idinf.api.programs import compile_source
        >>> print(compile_source("majority").export("crasp"), end="")
        accept = # "1" >= # "0"
        """
        from idinf.show.export.code import dump_weights
        from idinf.show.export.forms import check_weights, export

        check_weights(form, weights)
        text = export(self.transformer, form)
        if weights is not None:
            write_whole(take_path(weights), dump_weights(self.transformer))
        if path is not None:
            write_whole(take_path(path), text)
        return text


@lru_cache(maxsize=1)
def _build_judge(spec: Spec) -> SupervisedTarget:
    """Judge of the steps of a generation: built once for all prompts."""
    return supervise(build_target(spec))


def hypothesis(source: HypothesisLike, *, record: int | None = None) -> Hypothesis:
    """Take a hypothesis: a ``limit-transformer/1`` file, or the selected one of a report, or its ``record``.

    Records are numbered from 1.

    Raises
    ------
    HypothesisFormatError, ReportFormatError, ArgumentError
        If there is none.
    """
    if isinstance(source, Hypothesis):
        return source
    found = read_hypothesis(source, record)
    assert isinstance(found.definition, LimitTransformer)
    return Hypothesis(found.definition, found.name, asked=found.asked)


def read_target(
    source: TargetLike,
    *,
    alphabet: Symbols | None = None,
    name: str | None = None,
    values: Mapping[str, int] | None = None,
    record: int | None = None,
    program_first: bool = False,
) -> Language:
    """Take a definition of a language, or of a target of next symbols.

    Parameters
    ----------
    source : str, path, Spec, Language, Report or transformer
        A name that `target_names` or `program_names` lists; the path of a spec (.toml), an automaton (.att,
        .jff), a program (.crasp, .cr), a hypothesis or a report (.json), which is its selected
        hypothesis; a formula or the text of a program; ``regex:(ab)*``; ``program:NAME``.
    alphabet : str or sequence of str, optional
        Of a regex, an automaton or a program: symbols written together, or a list; the symbols it names,
        sorted, if it is not given.
    name : str, optional
        Name of the target, in place of its own name or text.
    values : mapping, optional
        The values that choose a member of a family.
    record : int, optional
        Of a report: the number of a record, from 1 on, in place of the selected one.
    program_first : bool
        True if a name that a target and a program share is that of the program.

    Raises
    ------
    SpecError, ProgramError, HypothesisFormatError, ReportFormatError
        If there is no such target, or it is wrong.
    ArgumentError
        If it is of another type, or an alphabet, values or a record are given for a source that has none.

    Examples
    --------
    >>> read_target("regex:(ab)*").words(up_to=4)
    ('', 'ab', 'abab')
    >>> "aab" in read_target('accept = # "b" <= # "a"'), "aab" in read_target("accept iff #a >= 2 #b")
    (True, True)
    """
    found = read_source(
        source, alphabet=alphabet, name=name, values=values, record=record, program_first=program_first
    )
    match found, found.definition:
        case Language(), _:
            return found
        case _, LoadedProgram() as loaded:
            language: Language = Program(loaded, found.alphabet if found.is_fixed else None)
            language.name = found.name
            return language
        case _, LimitTransformer() as net:
            return Hypothesis(net, found.name, asked=found.asked)
    return Language(found.name, found.definition, found.alphabet, found.is_fixed)
