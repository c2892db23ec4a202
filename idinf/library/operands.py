"""What `idinf crasp diff` compares: programs, hypotheses, regexes and targets, over one alphabet.

How an operand is recognised: what begins as `accept iff` or `u1 :=` is a formula, a program in the notation
in which hypotheses are printed; `regex:TEXT` is a regex; a name that ends in .json is a hypothesis or a
report, which stands for its selected hypothesis, in .toml a spec; anything else with a slash, or ending in
.crasp or .cr, is a program. What is left is a shipped program or, where there is none of that name, a shipped
target; `program:NAME` and `target:NAME` say which.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from idinf.crasp import library
from idinf.crasp.library import LoadedProgram
from idinf.crasp.parser import is_formula
from idinf.equivalence.languages import Decider
from idinf.errors import AlphabetMismatchError, HypothesisFormatError, SpecError
from idinf.experiments import catalogue
from idinf.experiments.parameters import Values
from idinf.experiments.spec import Spec
from idinf.files import shown_path
from idinf.quoting import listed, quoted, suggestion
from idinf.report.hypotheses import read_hypothesis
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.regular import RegularTarget
from idinf.transformers.from_dense import MAX_BITS
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import Alphabet

_REPETITION = re.compile(r"\{[0-9]+\}")


@dataclass(frozen=True, slots=True)
class Operand:
    """One side of a comparison before the alphabet is known.

    Parameters
    ----------
    name : str
        For messages.
    definition : LoadedProgram, Spec, LimitTransformer or str
        A str is a regex.
    given : Alphabet, optional
        The alphabet that the user gives it.
    """

    name: str
    definition: LoadedProgram | Spec | LimitTransformer | str
    given: Alphabet | None = None

    @property
    def fixed(self) -> Alphabet | None:
        """Its alphabet, where it has or is given one; None where any that has the symbols named will do."""
        own = self.definition.alphabet if isinstance(self.definition, Spec | LimitTransformer) else None
        return own or self.given

    @property
    def is_family_member(self) -> bool:
        """Whether values were needed to choose it."""
        return isinstance(self.definition, Spec) and bool(self.definition.parameters)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols it names, sorted."""
        match self.definition:
            case LoadedProgram(facts=facts):
                return facts.symbols
            case str(text):
                return _named(text)
            case definition:
                return tuple(sorted(definition.alphabet.symbols))


def read_operand(
    text: str, values: Values = (), others: tuple[str, ...] = (), record: int | None = None
) -> Operand:
    """Read an operand as a command line gives it.

    Parameters
    ----------
    text : str
        See the module for how it is recognised.
    values : Values
        The values that choose a member where the operand is a family of targets.
    record : int, optional
        Which record of a report is meant, from 1 on; the selected one if not given.
    others : tuple of str
        Names that the caller takes besides, for the message about an unknown one.

    Raises
    ------
    SpecError, ProgramError, HypothesisFormatError
        If there is no such name or file, or it is wrong.

    Examples
    --------
    >>> read_operand("majority").symbols, read_operand("regex:(ab)*").symbols
    (('0', '1'), ('a', 'b'))
    """
    kind, _, rest = text.partition(":")
    name = shown_path(text)
    if is_formula(text):
        return Operand("formula", library.load(text))
    if kind == "regex":
        return Operand(name, rest)
    if kind == "program":
        return Operand(name, library.load(rest))
    if kind == "target":
        return Operand(name, _spec(rest, values))
    if text.endswith(".json"):
        return Operand(name, read_hypothesis(text, record))
    if text.endswith(".toml"):
        return Operand(name, _spec(text, values))
    if text.endswith((".crasp", ".cr")) or "/" in text or "\\" in text or text in library.names():
        return Operand(name, library.load(text))
    targets = (*catalogue.names(), *catalogue.family_names())
    if text in targets:
        return Operand(name, _spec(text, values))
    hint = suggestion(text, (*library.names(), *targets, *others))
    known = ", ".join([*others, "a name that 'idinf crasp list' or 'idinf targets' lists"])
    raise SpecError(
        f"unknown operand {quoted(text)}; {hint and f'{hint} '}expected {known}, "
        "a file ending in .crasp, .cr, .json or .toml, or regex:TEXT; correct it"
    )


def common_alphabet(one: Operand, other: Operand, given: Alphabet | None = None) -> Alphabet:
    """The alphabet two operands are compared over; its order decides which word is the least.

    That is the given one, else that of the first operand with an alphabet of its own, else the symbols both
    name, sorted.

    Raises
    ------
    AlphabetMismatchError
        If an operand has an alphabet of its own with other symbols.
    SpecError
        If no symbol is named and none is given.

    Examples
    --------
    >>> common_alphabet(read_operand("regex:(ab)*"), read_operand("regex:c")).symbols
    ('a', 'b', 'c')
    """
    fixed = [(operand.name, operand.fixed) for operand in (one, other) if operand.fixed is not None]
    alphabet, origin = (given, "--alphabet") if given is not None else (None, "")
    if alphabet is None and fixed:
        origin, alphabet = fixed[0]
    if alphabet is None:
        symbols = tuple(sorted({*one.symbols, *other.symbols}))
        if not symbols:
            names = one.name if one is other else f"{one.name}, {other.name}"
            raise SpecError(f"{names}: no symbol is named; expected an alphabet; give --alphabet")
        return Alphabet(symbols, spaced=any(len(symbol) > 1 for symbol in symbols))
    for name, own in fixed:
        if own is not None and set(own.symbols) != set(alphabet.symbols):
            raise AlphabetMismatchError(
                f"{name}: alphabet {listed(own.symbols)}; expected that of {origin}, "
                f"{listed(alphabet.symbols)}; compare what is over one alphabet"
            )
    return alphabet


def language(operand: Operand, alphabet: Alphabet) -> Decider:
    """What an operand decides over the common alphabet.

    Raises
    ------
    ProgramError, SpecError
        If it names a symbol that the alphabet does not have, or its definition is wrong.

    Examples
    --------
    >>> language(read_operand("regex:(ab)*"), Alphabet(("b", "a"))).table.tolist()
    [[1, 2], [1, 1], [0, 1]]
    """
    match operand.definition:
        case LoadedProgram() as loaded:
            return CountingTarget(loaded.program, loaded.alphabet(alphabet))
        case Spec() as spec:
            return build_target(replace(spec, alphabet=alphabet))
        case LimitTransformer() as dense:
            if dense.output is not None:
                raise HypothesisFormatError(
                    f"{operand.name}: it names next symbols; expected a hypothesis that accepts words; "
                    "give one of a target of mode accept"
                )
            if dense.num_bits > MAX_BITS:
                raise HypothesisFormatError(
                    f"{operand.name}: parameters of {dense.num_bits} bits; expected at most {MAX_BITS}, "
                    "which "
                    "machine integers hold; use smaller numbers"
                )
            rows = (0, *(1 + dense.alphabet.symbols.index(symbol) for symbol in alphabet.symbols))
            embedding = tuple(dense.embedding[row] for row in rows)
            return replace(dense, alphabet=alphabet, embedding=embedding)
        case str(text):
            try:
                return RegularTarget.from_regex(text, alphabet)
            except SpecError as error:
                raise SpecError(f"{operand.name}: {error}") from None


def _spec(name: str, values: Values) -> Spec:
    spec = catalogue.load(name, values if catalogue.is_family(name) else ())
    if spec.mode != "accept" or spec.domain is not None:
        raise SpecError(
            f"{spec.origin}: mode = {quoted(spec.mode)}, domain = {quoted(spec.domain)}; expected a "
            "language, which "
            "every word is in or not; give a target of mode accept without a domain"
        )
    return spec


def _named(regex: str) -> tuple[str, ...]:
    """The symbols of a regex, each a single character."""
    symbols, escaped = set(), False
    for character in _REPETITION.sub("", regex):
        if escaped or not (character.isspace() or character in "|*+?().\\"):
            symbols.add(character)
        escaped = character == "\\" and not escaped
    return tuple(sorted(symbols))
