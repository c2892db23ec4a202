"""What units of work consist of: the classes whose values a journal keeps."""

from __future__ import annotations

from idinf.experiments.spec import Answer
from idinf.search.found import Counts, Found
from idinf.space.layers import LayerChoices
from idinf.space.structures import Cost, LayerShape, Structure
from idinf.space.units import Units
from idinf.transformers.attention import AttentionPattern

#: Classes of which values can be kept. A new class in a unit of work has to be added here.
STORED: tuple[type, ...] = (
    Answer,
    AttentionPattern,
    Cost,
    Counts,
    Found,
    LayerChoices,
    LayerShape,
    Structure,
    Units,
)
