"""C-RASP programs. To users it offers calls that take, compile and write programs, and read them out of nets.

Each is loaded when it is asked for first, as its module stands far above this room.

Examples
--------
>>> import idinf
>>> idinf.crasp.compile('accept = # "0" <= # "1"').formula
'accept iff #1 - #0 >= 0'
"""

from idinf.base import lazy_exports


def __getattr__(name: str) -> object:
    """Load a public name when it is asked for first."""
    return lazy_exports.load(__name__, name)


def __dir__() -> list[str]:
    return list(lazy_exports.places(__name__))
