"""What is given as ``scheduler``, and the engine that it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

from idinf.errors import ArgumentError
from idinf.quoting import quote
from idinf.runtime.places import Engine

#: ``local:N``, ``tcp://HOST:PORT`` or ``tls://HOST:PORT``; or that as ``address`` with the paths of ``ca``,
#: ``cert`` and ``key`` for TLS.
SchedulerLike: TypeAlias = str | Mapping[str, str]


def open_engine(scheduler: SchedulerLike | None, jobs: int) -> AbstractContextManager[Engine | None]:
    """Connect to a scheduler, if one is given.

    Examples
    --------
    >>> with open_engine(None, jobs=2) as engine:
    ...     print(engine)
    None
    """
    if scheduler is None:
        return nullcontext()
    if jobs != 1:
        raise ArgumentError(f"jobs = {jobs} with a scheduler; expected one of them; leave jobs out")
    from idinf.runtime.cluster.engine import connect
    from idinf.runtime.cluster.scheduler import Scheduler

    given = {"address": scheduler} if isinstance(scheduler, str) else dict(scheduler)
    address = given.pop("address", "")
    for key in given:
        if key not in ("ca", "cert", "key"):
            raise ArgumentError(f"scheduler: key {quote(key)}; expected address, ca, cert or key; correct it")
    return connect(Scheduler.of(address, **given))
