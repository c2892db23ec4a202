"""C-RASP programs: taken, compiled to hypotheses, made of regular languages, and read out of hypotheses."""

from __future__ import annotations

from collections.abc import Mapping

from idinf.api.languages import Hypothesis, HypothesisLike, Language, Program, hypothesis, read_target
from idinf.api.limits import hold, take_limits
from idinf.api.sources import TargetLike
from idinf.base.files import blaming
from idinf.base.options import check_integer
from idinf.base.words import Symbols, read_alphabet
from idinf.crasp import programs
from idinf.crasp.syntax import format_program
from idinf.errors import ArgumentError, SpecError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.spec.spec import Answer, Kind, Spec
from idinf.work.limits import Limits, TimeIsUp

#: The largest logit of an induction head.
MOST_SCALE = 64


def program(
    source: TargetLike,
    *,
    alphabet: Symbols | None = None,
    name: str | None = None,
    values: Mapping[str, int] | None = None,
) -> Program:
    """Take a C-RASP program, as `read_target` does: by name, file or text, or that of a target or hypothesis.

    Without an alphabet it is over the symbols it names, sorted; the rest is as for `read_target`.

    Raises
    ------
    ProgramError, SpecError
        If there is none, or it is wrong; the message carries line and column.

    Examples
    --------
    >>> program("majority").text.splitlines()[-1]
    'accept = zeros <= ones'
    """
    found = read_target(source, alphabet=alphabet, name=name, values=values, program_first=True)
    match found.definition:
        case Spec(kind=Kind.CRASP, answer=Answer.ACCEPT, domain=None, text=text):
            return Program(programs.loads(text, found.name, found.alphabet), found.alphabet)
    if isinstance(found, Program):
        return found
    if isinstance(found, Hypothesis):
        return decompile(found)
    raise SpecError(f"{found.name}: defined by no program; expected one; 'idinf crasp synthesize' writes it")


def compile_source(
    source: TargetLike,
    *,
    alphabet: Symbols | None = None,
    precision: int | None = None,
    direct: bool = False,
    time_limit: float | None = None,
    memory: int | None = None,
) -> Hypothesis:
    """Compile a C-RASP program to a Limit Transformer that accepts the same words, of every length.

    Source and alphabet are as for `program`. Parameters have ``precision`` bits, by default as many as give
    the least R; ``direct`` gives one dimension per operation, outside of the searched family. Limits are as
    of `synthesize`.

    Examples
    --------
    >>> net = compile_source("majority")
    >>> "011" in net, round(net.r, 6), net.formula
    (True, 8.414214, 'accept iff #1 - #0 >= 0')
    """
    from idinf.translate.compilation.compiler import compile_by_any_route

    if precision is not None:
        check_integer("precision", precision, 0)
    taken = program(source, alphabet=alphabet)
    with hold(take_limits(time_limit, memory)), taken.loaded.blamed():
        compiled = compile_by_any_route(taken.loaded.program, taken.alphabet, precision, direct)
    return Hypothesis(compiled.transformer, taken.name, compiled.outside)


def synthesize(
    source: TargetLike,
    *,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
    simplify: bool = True,
    time_limit: float | None = None,
    memory: int | None = None,
) -> Program:
    """Write a C-RASP program that is proved to accept exactly the words of a regular language.

    Parameters
    ----------
    source, alphabet, values : optional
        As for `read_target`.
    simplify : bool
        True to make the program shorter while that is proved right, too.
    time_limit, memory : optional
        Seconds, and bytes of the process. At a limit the result is the shortest program that is proved by
        then; LimitReached if there is none.

    Raises
    ------
    SpecError
        If the language is not given as a regular one, or not proved to be in C-RASP[periodic, local].
    BudgetError
        If its automaton is too large.

    Examples
    --------
    >>> print(synthesize("regex:(aa)*").text, end="")
    accept = i mod 2 == 0
    """
    taken = read_target(source, alphabet=alphabet, values=values)
    limits = take_limits(time_limit, memory)
    with hold(limits):
        return write_shortest(taken, simplify, limits)[0]


def write_shortest(taken: Language, simplify: bool, limits: Limits) -> tuple[Program, bool]:
    """Write the shortest program within limits; the flag is True if a limit ended the search.

    Half of the time is for proofs, and for later work on the program.
    """
    from idinf.languages.classification.finite import find_finite_machine
    from idinf.languages.synthesis.synthesize import (
        SIMPLIFYING_WORK,
        SynthesizedProgram,
        iter_synthesized,
    )

    found: SynthesizedProgram | None = None
    is_cut, late_s = False, (limits.time_limit_s or 0) / 2

    def is_late() -> bool:
        nonlocal is_cut
        is_cut = is_cut or limits.left_s < late_s
        return is_cut

    decider = taken.decider
    machine = None if isinstance(decider, LimitTransformer) else find_finite_machine(decider)
    if machine is None:
        raise SpecError(f"{taken.name}: not given as a regular language; expected a regex or an automaton")
    try:
        with limits.part(0.9), blaming(taken.name):
            for shorter in iter_synthesized(machine, SIMPLIFYING_WORK if simplify else 0, is_late=is_late):
                found = shorter
    except (TimeIsUp, MemoryError):
        if found is None:
            raise
        is_cut = True
    assert found is not None  # or an error was raised
    return Program(programs.loads(format_program(found.program), taken.name), machine.alphabet), is_cut


def decompile(source: HypothesisLike, *, record: int | None = None) -> Program:
    """Read a hypothesis of the searched family as a C-RASP program; parameters as of `hypothesis`.

    It accepts the same words, of every length.

    Raises
    ------
    HypothesisFormatError
        If it is not of the family, or no program is known for it; says which unit is in the way.

    Examples
    --------
    >>> decompile(compile_source("majority")).words(up_to=2)
    ('', '1', '01', '10', '11')
    """
    from idinf.show.export.forms import export

    transformer = hypothesis(source, record=record).transformer
    return Program(programs.loads(export(transformer, "crasp"), "decompiled"), transformer.alphabet.apart)


def induction_head(alphabet: Symbols, *, scale: int = 2) -> Hypothesis:
    """Build the induction head of Section 4.1 of [HYB25]_, which copies distinct symbols.

    Its logits are within N^(1 - ``scale``) of the shares in which symbols followed the present one so far,
    and it names the first of the largest.

    Raises
    ------
    SpecError, ArgumentError
        If the alphabet is wrong, or the scale is out of range.

    Examples
    --------
    >>> net = induction_head("acb#")
    >>> print(net.generate("#acb#", most=4))
    a c b # ...
    >>> [round(float(logit), 3) for logit in net.logits("abaca")]
    [0.039, 0.474, 0.474, 0.0]
    """
    from idinf.nets.induction_head import build_induction_head

    if not 1 <= scale <= MOST_SCALE:
        raise ArgumentError(f"scale = {scale}; expected one from 1 to {MOST_SCALE}; correct it")
    return Hypothesis(build_induction_head(read_alphabet(alphabet), scale), "induction head")
