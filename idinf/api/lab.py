"""Calls of the laboratories."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from idinf.base.files import show_path
from idinf.base.numbers import read_fraction
from idinf.base.quoting import quote
from idinf.base.words import Alphabet, Symbols, read_alphabet
from idinf.errors import ArgumentError, BudgetError, IdinfError, ProgramError, SpecError
from idinf.lab.communication.protocol import Exchange, exchange
from idinf.lab.communication.study import Study, list_lengths_up_to, measure_study
from idinf.lab.continuity.isolation import MOST_EVERY, Isolation, isolate
from idinf.lab.continuity.learning import MOST_PROMPTS, Learnability, decide_learnability
from idinf.lab.continuity.modulus import MOST_LENGTH, Modulus, compute_modulus
from idinf.lab.continuity.nets import CompactNet, OneLayerNet, read_net
from idinf.lab.continuity.predictors import SHIPPED, Predictor
from idinf.lab.continuity.sequences import (
    EventualEquality,
    LimitDistance,
    PrefixDistance,
    compare_prefixes,
    decide_equality,
    find_limit,
    parse_sequence,
)
from idinf.lab.continuity.sequences import Sequence as InfiniteSequence
from idinf.lab.positions.factorization import FactorizationBound, load_solver, read_distances
from idinf.lab.positions.factorization import bound_positions as bound_context
from idinf.lab.positions.fits import FUNCTIONS, Fit, Training, fit
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.ordinary.curve import list_contexts
from idinf.report.rows import Rows
from idinf.spec.spec import Kind, Spec

if TYPE_CHECKING:
    from idinf.api.languages import WordLike
    from idinf.api.nets import NetLike
    from idinf.crasp.syntax import ProgramTree
    from idinf.lab.composition.reduction import Reduction
    from idinf.targets.machine import Target
    from idinf.targets.tasks import Task

#: Lengths of `Subject.study`, and words at each of them, where nothing else is said.
MAX_N, WORDS = 64, 8

#: Longest prefixes that are compared.
MOST_PREFIX = 1 << 14

#: Contexts of `bound_positions` go up to here.
MOST_BOUNDED = 1024

#: Widths of products that are fitted: one where periodic functions carry on, and one for local ones.
WIDTHS = (16, 256)

#: Steps of Adam.
STEPS = 15_000

Path = str | os.PathLike[str]
PredictorLike: TypeAlias = Path | CompactNet | Predictor
Number: TypeAlias = Fraction | int | str


@dataclass(frozen=True, slots=True)
class Subject:
    """What communication is measured of: the transformer that the protocol runs for, and a target."""

    name: str
    about: str
    transformer: LimitTransformer | None
    target: Target | Task | None
    notes: tuple[str, ...] = ()  #: why one of them is missing
    is_family_member: bool = False

    def __repr__(self) -> str:
        return f"<Subject {self.name}: {self.about}>"

    def study(self, max_n: int = MAX_N, words: int = WORDS) -> Study:
        """Measure both sides up to a length; ``words`` run at each of them."""
        lengths = list_lengths_up_to(max_n)
        return measure_study(self.name, self.about, self.transformer, self.target, lengths, words, self.notes)

    def exchange(self, word: WordLike, split: int | None = None) -> Exchange:
        """Run the protocol of Theorem 12 on one word, split after so many symbols, or in the middle."""
        if self.transformer is None:
            raise ArgumentError(f"{quote(self.name)} has no transformer to run on a word: {self.notes[0]}")
        codes = self.transformer.alphabet.encode(word)
        half = len(codes) // 2 if split is None else split
        try:
            return exchange(self.transformer, codes, half)
        except IdinfError as error:
            raise type(error)(f"{show_path(self.name)}: {error}", *error.args[1:]) from None


def subject(
    source: Path, *, alphabet: Symbols | None = None, values: Mapping[str, int] | None = None
) -> Subject:
    """Find out what crosses the middle of words of a target, task, program, hypothesis or ``regex:TEXT``.

    Raises
    ------
    ArgumentError
        If an alphabet is given for what has its own.
    SpecError, ProgramError, HypothesisFormatError
        If there is no such thing, or it is wrong.

    Examples
    --------
    >>> subject("equality")
    <Subject equality: ww with w over 01>
    >>> subject("majority").exchange("0110").bits
    3
    """
    from idinf.api.languages import read_target
    from idinf.api.sources import takes_values
    from idinf.crasp.checker import read_program
    from idinf.crasp.programs import LoadedProgram
    from idinf.targets.tasks import TASKS

    name, given = os.fspath(source), None if alphabet is None else read_alphabet(alphabet)
    if name in TASKS:
        if given is not None:
            raise ArgumentError(f"an alphabet is given, but {quote(name)} has its own; leave it out")
        nothing = "no Limit Transformer expresses it: nothing is run"
        return Subject(name, TASKS[name].about, None, TASKS[name], (nothing,))
    chosen = dict(values or {}) if takes_values(name) else None
    operand = read_target(name, alphabet=given, values=chosen, program_first=chosen is None)
    if isinstance(operand.definition, LimitTransformer):
        note = "a hypothesis is not a step machine: its behaviours are not counted"
        return Subject(name, "a hypothesis", operand.definition, None, (note,))
    symbols, machine = operand.alphabet, operand.decider
    assert not isinstance(machine, LimitTransformer)
    match operand.definition:
        case LoadedProgram() as loaded:
            dense, notes = _compiled(loaded.program, symbols)
            return Subject(name, "a C-RASP program", dense, machine, notes)
        case Spec(kind=Kind.CRASP, text=text):
            dense, notes = _compiled(read_program(text, symbols), symbols)
            return Subject(name, "a C-RASP target", dense, machine, notes, operand.is_family_member)
        case _:
            note = "no program is given for it, so no transformer is run"
            return Subject(name, "a regular language", None, machine, (note,), operand.is_family_member)


def _compiled(program: ProgramTree, alphabet: Alphabet) -> tuple[LimitTransformer | None, tuple[str, ...]]:
    """The transformer of a program, and what is to be said about it; or why there is none."""
    from idinf.translate.compilation.compiler import compile_by_any_route

    try:
        compiled = compile_by_any_route(program, alphabet, 0)  # messages grow with p
    except (ProgramError, BudgetError) as error:
        return None, (f"not compiled, so no transformer is run: {error}",)
    if not compiled.outside:
        return compiled.transformer, ()
    return compiled.transformer, (f"compiled directly, outside the searched family: {compiled.outside}",)


def communicate_net(
    source: NetLike,
    prompt: WordLike,
    *,
    players: Sequence[int] | None = None,
    record: int | None = None,
) -> Reduction:
    """Run a net of either class on a prompt as a communication protocol (Lemma 3.1 of [CPW24]_).

    ``players`` says how many tokens each of the players L … −1 has, $ counted, the first ones first. By
    default players 0 and −1 have one each, and the others as many as each other.

    Raises
    ------
    CompositionError
        If the players do not fit the net or the prompt.
    HypothesisFormatError, AlphabetMismatchError
        If there is no such net, or the prompt is not for it.

    Examples
    --------
    >>> from idinf.api.programs import compile_source
    >>> run = communicate_net(compile_source("majority"), "011", players=[2, 1, 1])
    >>> run.equal, run.protocol.bits, run.transcript.total_bits
    (True, 3, 18)
    """
    from idinf.api import nets
    from idinf.lab.composition.reduction import Places, reduce

    net = nets.net(source, record=record).transformer
    return reduce(net, net.alphabet.encode(prompt), None if players is None else Places(tuple(players)))


def sequence(text: str | InfiniteSequence, *, alphabet: str | None = None) -> InfiniteSequence:
    """Take an infinite sequence: ``1(01)``, ``thue-morse``, or one with ``@k`` behind it.

    ``1(01)`` is 1 and then 01 again and again; ``@k`` changes every k-th place.

    Raises
    ------
    SpecError
        If it is none, or has a symbol outside of the alphabet.

    Examples
    --------
    >>> sequence("(0)@3").prefix(7)
    '0010010'
    """
    return text if isinstance(text, InfiniteSequence) else parse_sequence(str(text), alphabet)


@dataclass(frozen=True, slots=True)
class SequenceComparison:
    """Two sequences: prefixes of length n, the limit of their distance, and equality in the end."""

    prefix: PrefixDistance
    limit: LimitDistance
    equal: EventualEquality


def compare_sequences(
    a: InfiniteSequence | str, b: InfiniteSequence | str, *, n: int = 1024
) -> SequenceComparison:
    """Compare two sequences: prefixes of length n, the limit inferior of d_H, and equality in the end.

    Raises
    ------
    SpecError, ArgumentError
        If one is none, they are over different alphabets, or n is not from 1 to `MOST_PREFIX`.

    Examples
    --------
    >>> found = compare_sequences("(01)", "(0011)", n=8)
    >>> str(found.prefix.hamming), str(found.limit), str(found.equal)
    ('1/2', '1/2', 'no, they differ at infinitely many places')
    """
    one, other = sequence(a), sequence(b)
    if one.symbols != other.symbols:
        raise SpecError(
            f"sequences {quote(str(one))} over {one.symbols} and {quote(str(other))} over "
            f"{other.symbols}; expected one alphabet, as d_H does; name it by --alphabet"
        )
    _check_range("n", n, 1, MOST_PREFIX)
    prefix = compare_prefixes(one.prefix(n), other.prefix(n))
    return SequenceComparison(prefix, find_limit(one, other, n), decide_equality(one, other, n))


def predictor(source: PredictorLike, *, alphabet: str = "01") -> Predictor:
    """Take a predictor: ``laplace`` or ``kt`` over an alphabet, or a ``compact-transformer/1`` file or net.

    Raises
    ------
    HypothesisFormatError, ArgumentError
        If there is none, or it breaks an assumption of the theorem, such as bounded logits.

    Examples
    --------
    >>> rule = predictor("kt")
    >>> [str(part.low) for part in rule.predict(rule.encode("011"))]
    ['3/8', '5/8']
    """
    if isinstance(source, Predictor):
        return source
    if isinstance(source, CompactNet):
        return OneLayerNet(source, "net")
    name = os.fspath(source)
    if name in SHIPPED:
        return SHIPPED[name](Alphabet(tuple(alphabet)))
    if not name.endswith(".json"):
        raise ArgumentError(
            f"predictor {quote(name)}; expected {', '.join(SHIPPED)} or a file ending in .json; correct it"
        )
    return OneLayerNet(read_net(name), os.path.basename(name))


def modulus(
    source: PredictorLike, *, n: int, differences: int = 1, delta: Number | None = None
) -> list[Modulus]:
    """Find how far answers to prompts of length n with one last symbol are apart, by how many places differ.

    It is the maximum over all prompts. There is a row for 1, 2, …, ``differences`` places, or the share
    ``delta`` of n.

    Raises
    ------
    ArgumentError, BudgetError, SpecError
        If n is not from 2 to 256, there are too many pairs, or delta is no share.

    Examples
    --------
    >>> str(modulus("laplace", n=8, differences=2)[-1].gap.high)
    '1/5'
    """
    found = predictor(source)
    _check_range("n", n, 2, MOST_LENGTH)
    if delta is not None:
        share = _fraction(delta, "delta")
        if not 0 < share <= 1 or share * n < 1:
            raise SpecError(
                f"delta = {quote(str(share))}; expected from 1/{n} to 1, as d_H is a share of {n} places; "
                "choose one such as 1/8"
            )
        differences = math.floor(share * n)
    _check_range("differences", differences, 1, MOST_LENGTH)
    if len(found.alphabet) < 2:
        raise ArgumentError(
            "an alphabet of one symbol; expected two, one to stand among the other; name both"
        )
    return compute_modulus(found, n, differences)


def learnability(
    source: PredictorLike, a: InfiniteSequence | str, *, epsilon: Number = Fraction(1, 2), up_to: int = 64
) -> Learnability:
    """Decide whether a predictor eventually learns a sequence with confidence ε, and from which n0 on.

    It is decided for all n where the sequence is periodic in the end; else it is followed up to a length.

    Examples
    --------
    >>> found = learnability("laplace", "(0)")
    >>> found.learned, found.n0
    (True, 2)
    """
    _check_range("up_to", up_to, 1, MOST_PROMPTS)
    return decide_learnability(predictor(source), sequence(a), _fraction(epsilon, "epsilon"), up_to)


def isolation(
    source: PredictorLike,
    a: InfiniteSequence | str,
    *,
    every: Sequence[int] = (2, 3, 4, 8, 16),
    assume: Number | None = None,
) -> Isolation:
    """Compute the radius around a learned sequence, and change the sequence at every k-th place.

    With ``assume`` it is taken as given that the sequence is learned with that confidence, as where it never
    becomes periodic; then there are no rows.

    Examples
    --------
    >>> found = isolation("laplace", "(0)")
    >>> str(found.radius), [row.inside for row in found.rows]
    ('1/2', [False, True, True, True, True])
    """
    for k in every:
        _check_range("every", k, 1, MOST_EVERY)
    given = None if assume is None else _fraction(assume, "assume")
    return isolate(predictor(source), sequence(a), tuple(every), given)


def bound_positions(phi: str, *, positions: int = 16, behind: str = "free") -> Rows[FactorizationBound]:
    """Bound ‖K^T Q‖ from below if products of positions are a function φ of their distance, ‖p_i‖ <= 1.

    Contexts are 2, 4, 8 … up to ``positions``. φ is a name or a list of numbers, as the option ``--phi``;
    where the key is behind the query products are ``free`` or ``zero``.

    Raises
    ------
    ArgumentError
        If φ is none, there are fewer than 2 positions or too many, or ``behind`` is something else.

    Examples
    --------
    >>> [(point.positions, round(point.gamma2, 3)) for point in bound_positions("squares", positions=8)]
    [(2, 1.0), (4, 1.194), (8, 1.331)]
    """
    distances = read_distances(phi)
    if not 2 <= positions <= MOST_BOUNDED or behind not in ("free", "zero"):
        raise ArgumentError(
            f"positions = {positions}, behind = {quote(behind)}; expected 2 to {MOST_BOUNDED}, and free or "
            "zero; correct them"
        )
    load_solver(positions)
    contexts = list_contexts(positions)
    return Rows(bound_context(distances, context, behind == "free") for context in contexts)


def fit_positions(
    functions: Sequence[str] = tuple(FUNCTIONS),
    widths: Sequence[int] = WIDTHS,
    *,
    steps: int = STEPS,
    seed: int = 0,
) -> Rows[Fit]:
    """Fit products of positions to functions of distance on windows of 50, and ask windows up to 150.

    Takes minutes by default. Floats: the last digits may differ between machines.

    Raises
    ------
    ArgumentError
        If there is no such function, or a number is not positive.

    Examples
    --------
    >>> (found,) = fit_positions(["local"], [4], steps=1)
    >>> [length for length, _ in found.losses]
    [50, 100, 150]
    """
    for name in functions:
        if name not in FUNCTIONS:
            raise ArgumentError(f"function {quote(name)}; expected one of {', '.join(FUNCTIONS)}")
    if not functions or not widths or min(*widths, steps, seed + 1) < 1:
        raise ArgumentError(
            f"functions = {list(functions)}, widths = {list(widths)}, steps = {steps}, seed = {seed}; "
            "expected one of each and positive numbers; choose larger ones"
        )
    chosen = [(width, name) for width in dict.fromkeys(widths) for name in dict.fromkeys(functions)]
    return Rows(fit(name, width, seed, Training(steps)) for width, name in chosen)


def _check_range(name: str, value: int, least: int, most: int) -> None:
    """Refuse what is no number of a range; ArgumentError."""
    if not isinstance(value, int) or not least <= value <= most:
        raise ArgumentError(f"{name} = {quote(str(value))}; expected one from {least} to {most}; correct it")


def _fraction(value: Number, name: str) -> Fraction:
    """A fraction as in 1/2 or 0.5, exactly; ArgumentError."""
    text = str(value)
    try:
        return read_fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ArgumentError(f"{name} = {quote(text)}; expected a fraction such as 1/2; correct it") from None
