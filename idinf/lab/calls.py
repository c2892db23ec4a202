"""Calls of the laboratories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from idinf.base.files import take_path
from idinf.base.quoting import quote
from idinf.base.words import Alphabet, Symbols, read_alphabet
from idinf.errors import ArgumentError, BudgetError, ProgramError
from idinf.lab.communication.study import Subject
from idinf.lab.positions import (
    FUNCTIONS,
    FactorizationBound,
    Fit,
    Training,
    fit,
    load_solver,
    read_distances,
)
from idinf.lab.positions import bound_positions as bound_context
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.ordinary.translation import list_contexts
from idinf.report.rows import Rows
from idinf.report.value import Path
from idinf.spec.spec import Kind, Spec

if TYPE_CHECKING:
    from idinf.api.languages import WordLike
    from idinf.crasp.syntax import ProgramTree
    from idinf.lab.composition.reduction import Reduction
    from idinf.lab.nets import NetLike

#: Contexts of `bound_positions` go up to here.
MOST_BOUNDED = 1024

#: Widths of products that are fitted: one where periodic functions carry on, and one for local ones.
WIDTHS = (16, 256)

#: Steps of Adam.
STEPS = 15_000


def subject(
    source: Path, *, alphabet: Symbols | None = None, values: Mapping[str, int] | None = None
) -> Subject:
    """Measure communication across the middle of words: of a target, task, program, hypothesis or ``regex:``.

    Raises
    ------
    ArgumentError, SpecError, ProgramError, HypothesisFormatError
        If there is no such thing, or it is wrong, or an alphabet is given for one that has its own.

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

    name, given = take_path(source), None if alphabet is None else read_alphabet(alphabet)
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
    """The transformer of a program, and notes about it; or the reason why there is none."""
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
    CompositionError, HypothesisFormatError, AlphabetMismatchError
        If the players do not fit the net or the prompt, there is no such net, or the prompt is not for it.

    Examples
    --------
    >>> from idinf.api.programs import compile_source
    >>> run = communicate_net(compile_source("majority"), "011", players=[2, 1, 1])
    >>> run.equal, run.protocol.bits, run.transcript.total_bits
    (True, 3, 18)
    """
    from idinf.lab import nets
    from idinf.lab.composition.reduction import PlayerSizes, reduce

    net = nets.net(source, record=record).transformer
    return reduce(net, net.alphabet.encode(prompt), None if players is None else PlayerSizes(tuple(players)))


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
