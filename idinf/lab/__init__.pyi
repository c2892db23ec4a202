# The public names, each with the module that it is loaded from when it is asked for first.
from idinf.api.lab import Subject as Subject
from idinf.api.lab import bound_positions as bound_positions
from idinf.api.lab import communicate_net as communicate_net
from idinf.api.lab import compare_sequences as compare_sequences
from idinf.api.lab import fit_positions as fit_positions
from idinf.api.lab import isolation as isolation
from idinf.api.lab import learnability as learnability
from idinf.api.lab import modulus as modulus
from idinf.api.lab import predictor as predictor
from idinf.api.lab import sequence as sequence
from idinf.api.lab import subject as subject
from idinf.lab.composition.protocol import ship as ship
from idinf.lab.composition.protocol import study_protocol as study_protocol
from idinf.lab.composition.task import Parameters as Parameters
from idinf.lab.composition.task import Sizes as Sizes
from idinf.lab.composition.task import draw as draw
from idinf.lab.positions import initial_penalty as initial_penalty
