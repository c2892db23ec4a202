"""A target of a batch with the question about it, or why there is none, until its row is known."""

from __future__ import annotations

from dataclasses import dataclass

from idinf.errors import IdinfError
from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.collection import CollectedSpec
from idinf.inference.run import RunOptions, RunSettings
from idinf.sweeps.row import Row
from idinf.sweeps.sweep import RunAnswer


@dataclass(frozen=True, slots=True)
class AskedTarget:
    """What is known of a row before anything runs.

    Attributes
    ----------
    entry : CollectedSpec
    space : SpaceBounds or None
        None: the spec cannot be read, or the options do not fit it.
    question : RunSettings or IdinfError
        An error says why nothing can be asked.

    Examples
    --------
    >>> asked = AskedTarget.of(CollectedSpec("x.toml", None, IdinfError("no such file")), RunOptions())
    >>> asked.row(RunAnswer.of_error(asked.question)).error
    'no such file'
    """

    entry: CollectedSpec
    space: SpaceBounds | None
    question: RunSettings | IdinfError

    @classmethod
    def of(cls, entry: CollectedSpec, options: RunOptions) -> AskedTarget:
        """Ask about an entry."""
        space = None
        try:
            if entry.error is not None:
                raise entry.error
            assert entry.spec is not None
            space = options.space(entry.spec)
            return cls(entry, space, options.about(entry.spec, entry.source))
        except IdinfError as error:
            return cls(entry, space, error)

    def row(self, answer: RunAnswer) -> Row:
        """Give the row, once there is an answer."""
        spec = self.entry.spec
        if spec is None or answer.report is None:
            return Row.of_error(self.entry.name, answer.error, spec, self.space)
        return Row.of_report(spec, answer.report)
