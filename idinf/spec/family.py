"""A family of targets: one spec with parameters, and the single specs that it stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from idinf.base.files import show_path
from idinf.base.quoting import list_some
from idinf.errors import SpecError
from idinf.spec import toml
from idinf.spec.parameters import CAP_FACTOR, Parameters
from idinf.spec.reader import parse_parameters, parse_spec
from idinf.spec.spec import Spec


@dataclass(frozen=True, slots=True)
class FamilySpec:
    """A spec with parameters."""

    name: str  #: that in the file without the braces around parameters: ``ge-{k}-{j}`` is ge-k-j
    parameters: Parameters
    first: Spec  #: the first member, which has all that does not depend on parameters, as the alphabet
    text: str  #: of the file
    origin: str  #: its name, for messages

    @property
    def max_n_cap(self) -> int:
        """How far ``max_n`` may be raised for a member."""
        cap = self.parameters.max_n_cap
        return CAP_FACTOR * self.first.max_n if cap is None else cap

    def members(
        self, up_to: int | None = None, chosen: Mapping[str, Sequence[int]] | None = None
    ) -> tuple[Spec, ...]:
        """Give the specs of all members up to a size T, by default that of the file, by T and then by values.

        Where values of some parameters are ``chosen``, all others have their whole range.

        Raises `SpecError` if there is none, or the ranges of the parameters end below that T.

        >>> family = parse_family('name="a-{k}"\\nalphabet="a"\\nregex="a{k}"\\n[parameters]\\nk=[1,3]')
        >>> [spec.name for spec in family.members()]
        ['a-1', 'a-2', 'a-3']
        """
        largest = self.parameters.size_of(tuple((name, high) for name, _, high in self.parameters.ranges))
        if up_to is not None and up_to > largest:
            raise SpecError(
                f"{self.origin}: up to T = {up_to}; expected at most {largest}, where the ranges in "
                "[parameters] end; widen them in a copy of the spec"
            )
        try:
            for name, values in (chosen or {}).items():
                self.parameters.check_range(name, values)
            every = tuple(self.parameters.members(up_to, chosen))
        except SpecError as error:
            raise SpecError(f"{self.origin}: {error}") from None
        found = tuple(parse_spec(self.text, self.origin, values) for values in every)
        if not found and chosen:
            raise SpecError(
                f"{self.origin}: no member with {show_chosen(chosen)}; expected at least one; choose others"
            )
        if not found:
            least = next(self.parameters.members())
            raise SpecError(
                f"{self.origin}: no member up to T = {up_to}; expected at least "
                f"{self.parameters.size_of(least)}, the size of the first one"
            )
        return found


def show_chosen(chosen: Mapping[str, Sequence[int]]) -> str:
    """Write chosen values for a message.

    >>> show_chosen({"k": [1, 2], "j": [3]})
    'k = 1, 2; j = 3'
    """
    return "; ".join(f"{name} = {list_some(map(str, values), ', ')}" for name, values in chosen.items())


@lru_cache(maxsize=16)
def parse_family(text: str, origin: str = "<spec>") -> FamilySpec:
    """Read a family from TOML text.

    Raises `SpecError` if the text breaks a rule of the format, or has no parameters.
    """
    origin = show_path(origin)
    parameters = parse_parameters(text, origin)
    if parameters is None:
        parse_spec(text, origin)  # what else is wrong comes first: the key may be misspelt
        raise SpecError(
            f"{origin}: no [parameters]; expected a family, with ranges such as k = [1, 12]; a single target "
            "is for 'idinf identify'"
        )
    first = parse_spec(text, origin, next(parameters.members()))
    if parameters.max_n_cap is not None and parameters.max_n_cap < first.max_n:
        raise SpecError(
            f"{origin}: parameters.max_n_cap = {parameters.max_n_cap}; expected at least the max_n of the "
            f"spec, {first.max_n}"
        )
    template = str(toml.parse(text, origin)["name"])
    return FamilySpec(re.sub(r"[{}]", "", template), parameters, first, text, origin)
