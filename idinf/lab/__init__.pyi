# The public names, each with the module that it is loaded from when it is asked for first.
from idinf.lab.calls import bound_positions as bound_positions
from idinf.lab.calls import communicate_net as communicate_net
from idinf.lab.calls import fit_positions as fit_positions
from idinf.lab.calls import subject as subject
from idinf.lab.communication.study import Subject as Subject
from idinf.lab.composition.protocol import ship as ship
from idinf.lab.composition.protocol import study_protocol as study_protocol
from idinf.lab.composition.task import Parameters as Parameters
from idinf.lab.composition.task import Sizes as Sizes
from idinf.lab.composition.task import draw as draw
from idinf.lab.continuity.learning import isolation as isolation
from idinf.lab.continuity.learning import learnability as learnability
from idinf.lab.continuity.learning import modulus as modulus
from idinf.lab.continuity.predictors import predictor as predictor
from idinf.lab.continuity.sequences import compare_sequences as compare_sequences
from idinf.lab.continuity.sequences import sequence as sequence
from idinf.lab.positions import initial_penalty as initial_penalty
