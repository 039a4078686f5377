#===- table.py - the table of programs ------------------------------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Where programs are gathered, and data for them."""

import numpy as np

PROGRAMS = {}
RNG = np.random.default_rng(7)


def program(text, arrays=(), results=()):
    """Adds the program whose entry function is named first in the text."""
    name = text.split("@", 1)[1].split("(", 1)[0]
    PROGRAMS[name] = (text, list(arrays), list(results))


def real(*shape, dtype=np.float32):
    return RNG.normal(size=shape).astype(dtype)


def integer(*shape, low=0, high=8, dtype=np.int64):
    return RNG.integers(low, high, size=shape, dtype=dtype)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
