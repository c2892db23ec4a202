# The public names, each with the module that it is loaded from when it is asked for first.
from idinf.api.nets import Curve as Curve
from idinf.api.nets import OrdinaryTransformer as OrdinaryTransformer
from idinf.api.nets import curve as curve
from idinf.api.nets import net as net
from idinf.api.nets import ordinary_transformer as ordinary_transformer
from idinf.api.nets import translate as translate
from idinf.nets.ordinary.lifting import find_largest_period as find_largest_period
