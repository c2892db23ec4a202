"""idinf: an exact simulator of the idealized inference procedure for length generalization.

The names below are the library; everything else is private. What the command line does, one call does here,
with the same defaults. Each name is loaded when it is asked for, so ``import idinf`` costs next to nothing.

Examples
--------
>>> import idinf
>>> report = idinf.identify("majority", max_n=8)
>>> report.n0, report.selected.formula
(3, 'accept iff #1 - #0 >= 0')
>>> "ab" in idinf.target("dyck-1")
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from idinf.version import __version__

if TYPE_CHECKING:
    from idinf.errors import AlphabetMismatchError as AlphabetMismatchError
    from idinf.errors import ArgumentError as ArgumentError
    from idinf.errors import BudgetError as BudgetError
    from idinf.errors import CompositionError as CompositionError
    from idinf.errors import HypothesisFormatError as HypothesisFormatError
    from idinf.errors import IdinfError as IdinfError
    from idinf.errors import LimitReached as LimitReached
    from idinf.errors import MissingPackageError as MissingPackageError
    from idinf.errors import PlotError as PlotError
    from idinf.errors import PrecisionError as PrecisionError
    from idinf.errors import ProgramError as ProgramError
    from idinf.errors import ReportFormatError as ReportFormatError
    from idinf.errors import RunDirectoryError as RunDirectoryError
    from idinf.errors import SpecError as SpecError
    from idinf.errors import UndecidedError as UndecidedError
    from idinf.errors import UnsupportedBoundError as UnsupportedBoundError
    from idinf.experiments.spec import Spec as Spec
    from idinf.files import OutputError as OutputError
    from idinf.inference.outcome import Progress as Progress
    from idinf.library.classification import Classification as Classification
    from idinf.library.classification import classify as classify
    from idinf.library.communication import communicate as communicate
    from idinf.library.composition import Score as Score
    from idinf.library.composition import SequentialComposition as SequentialComposition
    from idinf.library.composition import communicate_net as communicate_net
    from idinf.library.composition import composition_parameters as composition_parameters
    from idinf.library.composition import composition_protocol as composition_protocol
    from idinf.library.composition import composition_task as composition_task
    from idinf.library.composition import compositions as compositions
    from idinf.library.composition import decompositions as decompositions
    from idinf.library.composition import read_compositions as read_compositions
    from idinf.library.composition import read_decomposition as read_decomposition
    from idinf.library.composition import run_protocol as run_protocol
    from idinf.library.composition import score_protocol as score_protocol
    from idinf.library.continuity import isolation as isolation
    from idinf.library.continuity import learnability as learnability
    from idinf.library.continuity import modulus as modulus
    from idinf.library.continuity import predictor as predictor
    from idinf.library.correlation import Correlations as Correlations
    from idinf.library.correlation import correlate as correlate
    from idinf.library.families import Family as Family
    from idinf.library.families import family as family
    from idinf.library.families import read_family as read_family
    from idinf.library.hypotheses import Hypothesis as Hypothesis
    from idinf.library.hypotheses import hypothesis as hypothesis
    from idinf.library.languages import Difference as Difference
    from idinf.library.languages import Language as Language
    from idinf.library.languages import Program as Program
    from idinf.library.observed import Observed as Observed
    from idinf.library.observed import observed as observed
    from idinf.library.ordinary import OrdinaryTransformer as OrdinaryTransformer
    from idinf.library.ordinary import curve as curve
    from idinf.library.ordinary import largest_period as largest_period
    from idinf.library.ordinary import ordinary_transformer as ordinary_transformer
    from idinf.library.ordinary import translate as translate
    from idinf.library.pages import report_page as report_page
    from idinf.library.positions import PositionFits as PositionFits
    from idinf.library.positions import bound_positions as bound_positions
    from idinf.library.positions import fit_positions as fit_positions
    from idinf.library.positions import initial_penalty as initial_penalty
    from idinf.library.programs import compile_source as compile  # noqa: A004, F401
    from idinf.library.programs import decompile as decompile
    from idinf.library.programs import induction_head as induction_head
    from idinf.library.programs import program as program
    from idinf.library.programs import synthesize as synthesize
    from idinf.library.readings import readings as readings
    from idinf.library.reports import Report as Report
    from idinf.library.reports import caption as caption
    from idinf.library.reports import diff as diff
    from idinf.library.reports import plot as plot
    from idinf.library.reports import read_report as read_report
    from idinf.library.runs import Batch as Batch
    from idinf.library.runs import batch as batch
    from idinf.library.runs import identify as identify
    from idinf.library.sequences import compare_sequences as compare_sequences
    from idinf.library.sequences import sequence as sequence
    from idinf.library.site import site as site
    from idinf.library.sources import program_names as program_names
    from idinf.library.sources import read_target as target  # noqa: F401
    from idinf.library.sources import target_names as target_names
    from idinf.library.sweeps import SweepTable as SweepTable
    from idinf.library.sweeps import sweep as sweep
    from idinf.report.comparison import ReportComparison as ReportComparison
    from idinf.report.value import Outcome as Outcome
    from idinf.transformers.generation import Generation as Generation

#: The public names, by the modules they are in.
_MODULES = {
    "errors": "AlphabetMismatchError ArgumentError BudgetError CompositionError HypothesisFormatError "
    "IdinfError "
    "LimitReached MissingPackageError PlotError PrecisionError ProgramError ReportFormatError "
    "RunDirectoryError SpecError "
    "UndecidedError UnsupportedBoundError",
    "experiments.spec": "Spec",
    "files": "OutputError",
    "inference.procedure": "Progress",
    "library.classification": "Classification classify",
    "library.communication": "communicate",
    "library.composition": "Score SequentialComposition communicate_net composition_parameters "
    "composition_protocol composition_task compositions decompositions read_compositions "
    "read_decomposition run_protocol score_protocol",
    "library.continuity": "isolation learnability modulus predictor",
    "library.correlation": "Correlations correlate",
    "library.families": "Family family read_family",
    "library.languages": "Difference Language Program",
    "library.observed": "Observed observed",
    "library.pages": "report_page",
    "library.positions": "PositionFits bound_positions fit_positions initial_penalty",
    "library.ordinary": "OrdinaryTransformer curve largest_period ordinary_transformer translate",
    "library.hypotheses": "Hypothesis hypothesis",
    "library.programs": "compile decompile induction_head program synthesize",
    "library.readings": "readings",
    "library.reports": "Report caption diff plot read_report",
    "library.sequences": "compare_sequences sequence",
    "library.site": "site",
    "library.sweeps": "SweepTable sweep",
    "library.sources": "program_names target target_names",
    "library.runs": "Batch batch identify",
    "transformers.generation": "Generation",
    "report.comparison": "ReportComparison",
    "report.value": "Outcome",
}
_OTHERWISE = {"compile": "compile_source", "target": "read_target"}
_PLACES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = ["__version__", *_PLACES]


def __getattr__(name: str) -> object:
    """Load a public name when it is asked for first."""
    if name not in _PLACES:
        raise AttributeError(f"module 'idinf' has no attribute {name!r}")
    module = importlib.import_module(f"idinf.{_PLACES[name]}")
    value: object = getattr(module, _OTHERWISE.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
