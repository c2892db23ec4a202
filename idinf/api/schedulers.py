"""What is given as ``scheduler``, and the executor that it stands for."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from idinf.errors import ArgumentError
from idinf.work.executors import Executor


def open_executor(scheduler: str | None, jobs: int) -> AbstractContextManager[Executor | None]:
    """Connect to a scheduler, ``local:N`` or ``tcp://HOST:PORT``, if one is given.

    Examples
    --------
    >>> with open_executor(None, jobs=2) as executor:
    ...     print(executor)
    None
    """
    if scheduler is None:
        return nullcontext()
    if jobs != 1:
        raise ArgumentError(f"jobs = {jobs} with a scheduler; expected one of them; leave jobs out")
    from idinf.work.cluster import connect

    return connect(scheduler)
