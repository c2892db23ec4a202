# The public names, each with the module that it is loaded from when it is asked for first.
from idinf.lab.nets import Curve as Curve
from idinf.lab.nets import OrdinaryTransformer as OrdinaryTransformer
from idinf.lab.nets import curve as curve
from idinf.lab.nets import net as net
from idinf.lab.nets import ordinary_transformer as ordinary_transformer
from idinf.lab.nets import translate as translate
from idinf.nets.ordinary.lifting import find_largest_period as find_largest_period
