"""``--scheduler``: runs and units of work on the workers of a scheduler of dask."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from idinf.errors import ArgumentError

if TYPE_CHECKING:
    from idinf.runtime.places import Engine

#: Connects to a scheduler, if one is asked for.
Connecting = AbstractContextManager["Engine | None"]


def scheduler_option(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make --scheduler and the options of TLS; the command gets a `Connecting` as ``connecting``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def within(
            *arguments: Any,
            scheduler: str | None,
            tls_ca: str | None,
            tls_cert: str | None,
            tls_key: str | None,
            **options: Any,
        ) -> Any:
            connecting = _connecting(scheduler, tls_ca, tls_cert, tls_key)
            return command(*arguments, connecting=connecting, **options)

        for name, told in (("key", "its key"), ("cert", "the certificate of this client"), ("ca", "the CA")):
            within = click.option(
                f"--tls-{name}", metavar="FILE", help=f"For tls://: {told}, as PEM; else what dask has."
            )(within)
        return click.option("--scheduler", metavar="ADDRESS", help=text)(within)

    return decorate


#: Said of every command: ADDRESS is one of these.
ADDRESSES = "local:N starts N workers here; tcp://HOST:PORT or tls://HOST:PORT is a running 'dask scheduler'."


def _connecting(scheduler: str | None, ca: str | None, cert: str | None, key: str | None) -> Connecting:
    context = click.get_current_context()
    source = context.get_parameter_source("jobs")
    if scheduler is None:
        if (ca, cert, key) != (None, None, None):
            raise ArgumentError(
                "a TLS option without --scheduler; expected --scheduler tls://HOST:PORT; add it"
            )
        return nullcontext()
    if source is click.core.ParameterSource.COMMANDLINE:
        raise ArgumentError(
            "--scheduler with --jobs; expected one of them, as workers do the jobs; leave one out"
        )
    from idinf.runtime.cluster.engine import connect
    from idinf.runtime.cluster.scheduler import Scheduler

    return connect(Scheduler.of(scheduler, ca, cert, key))
