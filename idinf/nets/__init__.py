"""Nets of both classes: their costs, and the translations from one to the other.

Examples
--------
>>> from idinf import crasp, nets
>>> nets.translate(crasp.compile("majority"), context=4)
<OrdinaryTransformer majority: context 4, R = 8.414213562>
"""

from idinf.base import lazy_exports


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    return lazy_exports.load(__name__, name)


def __dir__() -> list[str]:
    return list(lazy_exports.places(__name__))
