"""Names of the parts of a hypothesis: coordinates, units, sums added by heads, linear forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from idinf.base.words import SOS
from idinf.errors import HypothesisFormatError
from idinf.nets.dense import Head, Vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import to_one_hot


@dataclass(frozen=True, slots=True)
class Names:
    """Names of the parts of a hypothesis; layers by number from 0 on.

    >>> from idinf.nets.one_hot import OneHotTransformer
    >>> from idinf.nets.one_hot import OneHotLayer, OneHotUnit
    >>> from idinf.base.words import Alphabet
    >>> unit = OneHotUnit((), s=(0, 1), b=0)
    >>> net = OneHotTransformer(Alphabet(("a",)), 0, (OneHotLayer((), (unit,)),), (1,), 0)
    >>> Names.of(net.to_dense())
    Names(coordinates=('[$]', '[a]', 'u1'), channels=({},), units=(('u1',),), one_hot=True)
    """

    coordinates: tuple[str, ...]  #: those of the one-hot realisation, else their numbers
    channels: tuple[dict[int, str], ...]  #: sums that heads of a layer add, by coordinate
    units: tuple[tuple[str, ...], ...]
    one_hot: bool  #: True if every coordinate is written once and has a meaning

    @classmethod
    def of(cls, dense: LimitTransformer) -> Names:
        """Name the parts of a hypothesis."""
        numbers = count(1)
        channels = tuple(
            {
                k: f"c{next(numbers)}"
                for k in range(dense.width)
                if any(any(head.V[k]) for head in layer.heads)
            }
            for layer in dense.layers
        )
        numbers = count(1)
        units = tuple(tuple(f"u{next(numbers)}" for _ in layer.mlp.b) for layer in dense.layers)
        try:
            to_one_hot(dense)
        except HypothesisFormatError:
            return cls(tuple(f"y{k}" for k in range(dense.width)), channels, units, False)
        names = [f"[{symbol}]" for symbol in (SOS, *dense.alphabet.symbols)]
        if dense.period > 1:
            names += [f"[i ≡ {residue} mod {dense.period}]" for residue in range(dense.period)]
        names += [name for layer in units for name in layer]
        names += [name for layer in channels for name in layer.values()]
        return cls((*names, *["0"] * (dense.width - len(names))), channels, units, True)

    def read_by(self, layer: int) -> list[str]:
        """Names of the coordinates that the units of a layer read."""
        return [self.channels[layer].get(k, name) for k, name in enumerate(self.coordinates)]


def describe_head(head: Head) -> str:
    """Name the sources of the logits of a head.

    >>> describe_head(Head((), (), (), (Fraction(0), Fraction(-1))))
    'logits from φ(1) = −1'
    """
    by_content = any(any(row) for row in head.K) and any(any(row) for row in head.Q)
    logits = ["content"] if by_content else []
    logits += [f"φ({k}) = {format_fraction(value)}" for k, value in enumerate(head.phi) if value]
    return f"logits from {', '.join(logits)}" if logits else "uniform attention"


def format_fraction(value: Fraction) -> str:
    """An exact number with a true minus sign.

    >>> format_fraction(Fraction(-3, 4)), format_fraction(Fraction(2))
    ('−3/4', '2')
    """
    return str(value).replace("-", "−")


def write_linear(row: Vector, names: Sequence[str], constant: Fraction = Fraction(0)) -> str:
    """A linear form in words.

    >>> write_linear((Fraction(2), Fraction(-1)), ["[a]", "u1"], Fraction(1, 2))
    '2 [a] − u1 + 1/2'
    """
    terms = [(entry, names[k]) for k, entry in enumerate(row) if entry]
    if constant or not terms:
        terms.append((constant, ""))
    text = ""
    for place, (factor, name) in enumerate(terms):
        number = "" if abs(factor) == 1 and name else str(abs(factor))
        sign = ("−" if factor < 0 else "") if not place else (" − " if factor < 0 else " + ")
        text += f"{sign}{number}{' ' if number and name else ''}{name}"
    return text
