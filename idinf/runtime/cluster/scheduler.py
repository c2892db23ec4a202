"""Which scheduler does the work of a run: one on this machine, or one at an address."""

from __future__ import annotations

import re
from dataclasses import dataclass

from idinf.errors import ArgumentError
from idinf.quoting import quote

#: Workers of a scheduler on this machine, at most: each is a process of 100 MiB and more before it works.
MOST_LOCAL = 256

_LOCAL, _REMOTE = re.compile(r"local:([0-9]{1,4})"), re.compile(r"tcp://[^\s/]{1,255}:([0-9]{1,5})/?")


@dataclass(frozen=True, slots=True)
class Scheduler:
    """A scheduler that is named, and how to speak with it.

    Attributes
    ----------
    address : str
        As it was given: ``local:N`` or ``tcp://HOST:PORT``.
    workers : int
        How many are started on this machine; 0: those that the scheduler has.
    """

    address: str
    workers: int = 0

    @classmethod
    def of(cls, text: str) -> Scheduler:
        """Read what a user gives.

        Raises
        ------
        ArgumentError

        Examples
        --------
        >>> Scheduler.of("local:2").workers
        2
        >>> Scheduler.of("tcp://node1:8786").address
        'tcp://node1:8786'
        """
        local, remote = _LOCAL.fullmatch(text), _REMOTE.fullmatch(text)
        if not local and not remote:
            raise ArgumentError(f"scheduler {quote(text)}; expected local:N or tcp://HOST:PORT; name one")
        if local and not 1 <= int(local[1]) <= MOST_LOCAL:
            raise ArgumentError(f"scheduler {text}; expected 1 to {MOST_LOCAL} workers; give another number")
        if remote and not 1 <= int(remote[1]) <= 65535:
            raise ArgumentError(f"scheduler {quote(text)}; expected a port from 1 to 65535; give another one")
        return cls(text.removesuffix("/"), int(local[1]) if local else 0)
