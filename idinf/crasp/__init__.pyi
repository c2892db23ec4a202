# The public names, each with the module that it is loaded from when it is asked for first.
from idinf.api.programs import compile_source as compile
from idinf.api.programs import decompile as decompile
from idinf.api.programs import induction_head as induction_head
from idinf.api.programs import program as program
from idinf.api.programs import synthesize as synthesize
