"""The laboratories: theorems about transformers and their positions, run on examples.

Examples
--------
>>> from idinf import lab
>>> [row.rows for row in lab.subject("dyck-1").study(max_n=4).lower]
[2, 1, 3]
>>> lab.Parameters(layers=2, heads=1, width=1, precision=1).judge(2**449)
'excluded'
>>> str(lab.isolation("laplace", "(0)").radius)
'1/2'
"""

from idinf.base import lazy_exports


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    return lazy_exports.load(__name__, name)


def __dir__() -> list[str]:
    return list(lazy_exports.places(__name__))
