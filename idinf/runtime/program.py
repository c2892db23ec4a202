"""Which program this is: work and messages of another one must not be mixed with its own."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from idinf.version import __version__


@cache
def digest_sources() -> str:
    """Digest of the sources of idinf: two checkouts of one version may differ."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Build:
    """What has to be the same in two processes, so that they understand each other and find the same."""

    idinf: str
    sources: str  #: digest of those of idinf
    python: str
    numpy: str
    scipy: str  #: its solver proposes certificates

    @classmethod
    def here(cls) -> Build:
        """That of this process."""
        import platform  # neither is needed where nothing is sent
        from importlib.metadata import version

        return cls(
            __version__, digest_sources(), platform.python_version(), version("numpy"), version("scipy")
        )

    def differs(self, other: Build) -> str | None:
        """Say where another one differs first; None if it does not.

        Examples
        --------
        >>> ours = Build("1.0", "ab", "3.11.2", "2.4.6", "1.17.1")
        >>> ours.differs(Build("1.0", "ab", "3.11.2", "2.3.0", "1.17.1"))
        'numpy 2.3.0 there and 2.4.6 here'
        """
        for name in ("idinf", "python", "numpy", "scipy", "sources"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                what = "other sources of idinf:" if name == "sources" else name
                return f"{what} {theirs} there and {mine} here"
        return None
