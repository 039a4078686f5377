"""Attention compiled by FA.

    out = fa_mlir.attention(q, k, v, causal=True)            # torch (CUDA or CPU) or numpy
    kernel = fa_mlir.compile(mlir_text, target="sm_80")      # any function in MLIR
    kernel(q, k, v, out)
"""

import sys

from ._attention import attention, attention_kernel, attention_text
from ._kernel import Kernel, compile, last_launched, load
from ._library import ArgumentError, Error, version

if "torch" in sys.modules:
    # torch.compile must find the operators registered.
    from . import _torch  # noqa: F401

__version__ = version()
__all__ = [
    "ArgumentError", "Error", "Kernel", "attention", "attention_kernel", "attention_text", "compile", "last_launched", "load", "version",
]  # fmt: skip
