"""Settings of a run: for any target, and those of one target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

from idinf.base.options import check_options, option, options_of
from idinf.base.quoting import quote, suggest
from idinf.errors import ArgumentError, UnsupportedBoundError
from idinf.inference.procedure import MAX_N
from idinf.nets import json_format
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import Aggregate
from idinf.report.value import Regularizer
from idinf.spec.bounds import (
    APART,
    BUDGET,
    FAMILY,
    LENGTHS,
    OF_SPEC,
    PRESETS,
    READING,
    SPACE,
    TRAINING_RULES,
    ZERO,
    HypothesisClass,
    Space,
    SpaceBounds,
    WholeClass,
)
from idinf.spec.catalogue import load_family, read_upper_texts
from idinf.spec.spec import Spec
from idinf.spec.training import TrainingLength, TrainingLike, take_training_length

#: Bounds that every whole class has anyway.
_OF_CLASSES = (("threshold", ZERO), ("letters", APART))

#: R as [HYB25] adds it up, and its rule of selection.
MAX_RULE = Regularizer(Aggregate.MAX, None)


@dataclass(frozen=True, slots=True)
class KnownHypothesis:
    """A hypothesis of a ``limit-transformer/1`` file that may bound R* from above.

    One that the user gave to this run is checked up to the greatest possible length, and has to serve. One
    that the spec lists is checked while that is quick, and a note says if it does not serve. Messages name
    its ``origin``.
    """

    origin: str
    hypothesis: LimitTransformer
    is_given: bool = False


#: Marks of a field of `RunSettings`: whether finished work of a run depends on it, or the report alone does.
DECIDES, REPORTS = {"decides": True}, {"decides": False}


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Settings of the run of one target: all inputs of a report beside limits."""

    spec: Spec = field(metadata=DECIDES)
    bounds: Space = field(metadata=DECIDES)  #: the family, a part of it, or a whole class
    max_n: int = field(metadata=DECIDES)  #: the largest n examined, at first
    #: How far a run may raise it; equal to ``max_n``, it is never raised.
    max_n_cap: int = field(metadata=REPORTS)
    regularizer: Regularizer = field(default=MAX_RULE, metadata=DECIDES)
    known: tuple[KnownHypothesis, ...] = field(default=(), metadata=REPORTS)  #: may bound R* from above
    #: Look for proofs that n0 holds for every n, once the target is identified.
    proves: bool = field(default=True, metadata=REPORTS)
    #: Another one than n / 2 that is asked about, too.
    training: TrainingLength | None = field(default=None, metadata=DECIDES)
    #: Where it is asked besides while it stays open.
    smaller: tuple[SpaceBounds, ...] = field(default=(), metadata=REPORTS)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings for any target, before its spec is known; None: the value of the spec.

    Every field but ``bounds`` and ``asks_smaller`` is an option of the command line and an argument of the
    library, and so is every field of `SpaceBounds`; ``bounds`` holds those of them that are given. Raises
    `UnsupportedBoundError` if a value does not fit.

    >>> Settings.of(max_n=8, layers=1).bounds
    {'layers': 1}
    >>> Settings.of(max_m=8)
    Traceback (most recent call last):
        ...
    idinf.errors.ArgumentError: max_m = 8; expected a setting of a run; did you mean 'max_n'?
    """

    max_n: int | None = option(
        None,
        "Largest n examined, of a member of a family doubled until n0 <= N/2.",
        "N",
        least=1,
        most=MAX_N,
        shown="of the spec",
        section=SPACE,
    )
    space: str | None = option(
        None,
        f"What is searched: {', '.join(PRESETS)} (parts without φ, Δ or M), or {OF_SPEC}, the smaller space "
        "of the spec. Bounds restrict it.",
        "PRESET",
        str,
        choices=(*PRESETS, OF_SPEC),
        shown=FAMILY,
        section=SPACE,
    )
    hypothesis_class: str = option(
        HypothesisClass.ONE_HOT.value,
        "What is selected from: the one-hot family of the space; theta: all ordinary transformers of Θ_N, of "
        "any width; limit: all Limit Transformers. Of a whole class everything below a proved floor of R is "
        "looked at.",
        kind=str,
        choices=tuple(each.value for each in HypothesisClass),
        flag="--class",
        section=SPACE,
        rare=True,
    )
    bounds: Mapping[str, int | float | str | None] = field(default_factory=dict)
    tolerance: float | None = option(
        None,
        "Select within X above R*_n instead of 1/(2n); 0: exact minimizers only.",
        "X",
        float,
        section=READING,
    )
    aggregate: str = option(
        Aggregate.MAX.value,
        "How terms of single layers and heads become one number.",
        kind=str,
        choices=tuple(each.value for each in Aggregate),
        section=READING,
    )
    training_length: TrainingLike | None = option(  # noqa: RUF009
        None,
        "Ask as well which test lengths n are right after words up to length t(n): "
        f"{', '.join(TRAINING_RULES)}, or a CSV table with the columns n and t.",
        "RULE|FILE",
        object,
        section=READING,
        rare=True,
    )
    lengths: str = option(
        LENGTHS[0],
        "What --training-length counts: symbols of words, or tokens with $ as in the paper; then n is the "
        "context N, its words have at most N - 1 symbols, and the tolerance is 1/N. Without the former, "
        "paper means n/2.",
        kind=str,
        choices=LENGTHS,
        section=READING,
        rare=True,
    )
    prove: bool = option(
        True,
        "Once identified, look for proofs that n0 holds for every n; seconds.",
        kind=bool,
        section=BUDGET,
        rare=True,
    )
    asks_smaller: bool = True  #: True if a smaller space answers where the family stays open

    def __post_init__(self) -> None:
        check_options(self)

    @classmethod
    def of(cls, **given: object) -> Settings:
        """Take arguments by name; errors as of the class, and an ArgumentError of a name that is none."""
        own = {item.name for item in fields(cls)} - {"bounds"}
        bounds = options_of(SpaceBounds)
        for key, value in given.items():
            if key not in own and key not in bounds:
                known = [*options_of(cls), *bounds]
                hint = suggest(key, known) or f"name one of: {', '.join(known)}"
                raise ArgumentError(f"{key} = {quote(value)}; expected a setting of a run; {hint}")
        plain = {key: value for key, value in given.items() if key in own}
        inside = {key: value for key, value in given.items() if key in bounds and value is not None}
        return cls(**plain, bounds=inside)  # type: ignore[arg-type]  # __post_init__ checks every type

    @property
    def regularizer(self) -> Regularizer:
        """Rules by which R is added up, and hypotheses are selected."""
        return Regularizer(Aggregate(self.aggregate), self.tolerance)

    @property
    def training(self) -> TrainingLength | None:
        """The training length that is asked about besides; errors as of `TrainingLength.named`."""
        return take_training_length(self.training_length, self.lengths)

    def space_of(self, spec: Spec) -> Space:
        """Give the space in which a target is searched: the family, unless the settings name another one.

        Raises `UnsupportedBoundError` if a bound cannot be had, or is not one of a whole class.
        """
        if (kind := HypothesisClass(self.hypothesis_class)) is not HypothesisClass.ONE_HOT:
            return self._whole_class(kind)
        if self.space == OF_SPEC:
            return spec.space.overridden(**self.bounds)
        usual = SpaceBounds() if self.space is None else SpaceBounds.from_preset(self.space)
        return replace(usual, work=spec.space.work).overridden(**self.bounds)

    def _whole_class(self, kind: HypothesisClass) -> WholeClass:
        """A class of nets of any size, of which R alone can be bounded."""
        for key, value in {"space": self.space, **self.bounds}.items():
            if value is not None and key != "max_r" and (key, value) not in _OF_CLASSES:
                raise UnsupportedBoundError(
                    f"{key} = {value} with class = {kind.value}; expected no bound but max_r, as nets of any "
                    "size are looked at; leave one out"
                )
        max_r = self.bounds.get("max_r")
        return WholeClass(kind) if max_r is None else WholeClass(kind, float(max_r))

    def about(self, spec: Spec, source: str, given: tuple[KnownHypothesis, ...] = ()) -> RunSettings:
        """Ask it about a spec that was loaded from ``source``.

        A member of a family is examined further and further where ``max_n`` is not given. Raises `IdinfError`
        if a bound cannot be had, or a file that the spec lists cannot be read.

        >>> from idinf.spec.catalogue import load
        >>> Settings().about(load("majority"), "majority").max_n
        64
        """
        first = cap = spec.max_n if self.max_n is None else self.max_n
        if self.max_n is None and spec.parameters:
            cap = max(first, min(load_family(source).max_n_cap, MAX_N))
        texts = read_upper_texts(source, spec)
        of_spec = (KnownHypothesis(origin, json_format.loads(text, origin)) for origin, text in texts)
        rest = self.regularizer, (*given, *of_spec), self.prove, self.training
        space = self.space_of(spec)
        smaller = spec.list_smaller(space) if self.asks_smaller else ()
        return RunSettings(spec, space, first, cap, *rest, smaller)
