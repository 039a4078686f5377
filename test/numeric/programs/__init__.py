#===- programs - what stands around attention in models -------------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Small programs with a numpy version of each: PROGRAMS[name] = (text, arrays of the arguments, results).

The order of the modules is that of the random data.
"""

from . import gathers  # noqa: F401
from . import shapes  # noqa: F401
from . import reductions  # noqa: F401
from . import elementwise  # noqa: F401
from . import products  # noqa: F401
from . import control_flow  # noqa: F401
from .table import PROGRAMS  # noqa: F401
