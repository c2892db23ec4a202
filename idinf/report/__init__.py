"""Reports: values, files, and calls on them.

Rooms that come later do what users ask; the stub beside this file names who does. It is looked up when asked.
"""

from idinf.base import lazy_exports


def __getattr__(name: str) -> object:
    """Load a name of this package that a later room does with a report."""
    return lazy_exports.load(__name__, name)
