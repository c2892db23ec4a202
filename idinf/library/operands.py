"""Languages however they are defined, decided over one alphabet."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from idinf.crasp.library import LoadedProgram
from idinf.equivalence.dense import Decider
from idinf.errors import AlphabetMismatchError, HypothesisFormatError, SpecError
from idinf.experiments.spec import Spec
from idinf.quoting import list_some
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.regex import check_notation
from idinf.targets.regular import RegularTarget
from idinf.transformers.from_dense import MAX_BITS
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import Alphabet, read_alphabet

_REPETITION = re.compile(r"\{[0-9]+\}")

#: A symbol of a regex, a single character: behind a backslash any, else what is no operator.
_SYMBOL = re.compile(r"\\(.)|([^\s|*+?().\\])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Operand:
    """One side of a comparison before the alphabet is known."""

    name: str
    definition: LoadedProgram | Spec | LimitTransformer | str  #: a str is a regex
    given: Alphabet | None = None  #: the alphabet that the user gives it

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
        """The symbols it names, sorted.

        Raises
        ------
        SpecError
            If it is a regex in another notation, where symbols cannot be told.
        """
        match self.definition:
            case LoadedProgram(facts=facts):
                return facts.symbols
            case str(text):
                try:
                    check_notation(text)
                except SpecError as error:
                    raise SpecError(f"{self.name}: {error}") from None
                found = _SYMBOL.findall(_REPETITION.sub("", text))
                return tuple(sorted({escaped or plain for escaped, plain in found}))
            case definition:
                return tuple(sorted(definition.alphabet.symbols))


def find_common_alphabet(one: Operand, other: Operand, given: Alphabet | None = None) -> Alphabet:
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
    >>> find_common_alphabet(Operand("x", "(ab)*"), Operand("y", "c")).symbols
    ('a', 'b', 'c')
    """
    fixed = [(operand.name, own) for operand in (one, other) if (own := operand.fixed) is not None]
    choices = fixed if given is None else [("--alphabet", given)]
    if not choices:
        symbols = tuple(sorted({*one.symbols, *other.symbols}))
        if not symbols:
            names = one.name if one is other else f"{one.name}, {other.name}"
            raise SpecError(f"{names}: no symbol is named; expected an alphabet; give --alphabet")
        return read_alphabet(symbols)
    origin, alphabet = choices[0]
    for name, own in fixed:
        if set(own.symbols) != set(alphabet.symbols):
            raise AlphabetMismatchError(
                f"{name}: alphabet {list_some(own.symbols)}; expected that of {origin}, "
                f"{list_some(alphabet.symbols)}; compare what is over one alphabet"
            )
    return alphabet


def language(operand: Operand, alphabet: Alphabet) -> Decider:
    """What an operand decides over the common alphabet.

    Raises
    ------
    ProgramError, SpecError, HypothesisFormatError
        If it names a symbol that the alphabet does not have, or its definition is wrong.

    Examples
    --------
    >>> language(Operand("x", "(ab)*"), Alphabet(("b", "a"))).table.tolist()
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
                    "which machine integers hold; use smaller numbers"
                )
            rows = (0, *(1 + dense.alphabet.symbols.index(symbol) for symbol in alphabet.symbols))
            embedding = tuple(dense.embedding[row] for row in rows)
            return replace(dense, alphabet=alphabet, embedding=embedding)
        case str(text):
            try:
                return RegularTarget.from_regex(text, alphabet)
            except SpecError as error:
                raise SpecError(f"{operand.name}: {error}") from None
