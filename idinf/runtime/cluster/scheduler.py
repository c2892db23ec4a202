"""Which scheduler does the work of a run: one on this machine, or one at an address."""

from __future__ import annotations

import re
from dataclasses import dataclass

from idinf.errors import ArgumentError
from idinf.quoting import quote

#: Workers of a scheduler on this machine, at most: each is a process of 100 MiB and more before it works.
MOST_LOCAL = 256

_LOCAL, _REMOTE = re.compile(r"local:([0-9]{1,4})"), re.compile(r"(tcp|tls)://[^\s/]{1,255}:([0-9]{1,5})/?")


@dataclass(frozen=True, slots=True)
class Scheduler:
    """A scheduler that is named, and how to speak with it.

    Attributes
    ----------
    address : str
        As it was given: ``local:N``, ``tcp://HOST:PORT`` or ``tls://HOST:PORT``.
    workers : int
        How many are started on this machine; 0: those that the scheduler has.
    ca, cert, key : str or None
        Files for TLS; where none is given, those that dask is configured for.
    """

    address: str
    workers: int = 0
    ca: str | None = None
    cert: str | None = None
    key: str | None = None

    @classmethod
    def of(
        cls, text: str, ca: str | None = None, cert: str | None = None, key: str | None = None
    ) -> Scheduler:
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
            raise ArgumentError(
                f"scheduler {quote(text)}; expected local:N, tcp://HOST:PORT or tls://HOST:PORT; name one"
            )
        if local and not 1 <= int(local[1]) <= MOST_LOCAL:
            raise ArgumentError(f"scheduler {text}; expected 1 to {MOST_LOCAL} workers; give another number")
        if remote and not 1 <= int(remote[2]) <= 65535:
            raise ArgumentError(f"scheduler {quote(text)}; expected a port from 1 to 65535; give another one")
        given = {"--tls-ca": ca, "--tls-cert": cert, "--tls-key": key}
        named = [name for name, path in given.items() if path is not None]
        if named and not text.startswith("tls:"):
            raise ArgumentError(
                f"{named[0]} with scheduler {quote(text)}; expected tls://HOST:PORT, which is encrypted; "
                "leave it out"
            )
        return cls(text.removesuffix("/"), int(local[1]) if local else 0, ca, cert, key)
