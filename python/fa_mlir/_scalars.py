"""Numbers that a caller gives: Python's own, and those of other libraries through `operator.index` and `float`."""

import math
import numbers
import operator
import struct
import sys
from typing import NamedTuple


class Scalar(NamedTuple):
    """A number as an element type has it: equal ones are the same argument, also -0.0 and NaN."""

    dtype: str
    bits: int


def is_bool(value):
    numpy = sys.modules.get("numpy")
    return isinstance(value, bool) or numpy is not None and isinstance(value, numpy.bool_)


def is_masked(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ma.MaskedArray)


def to_float(value):
    """TypeError if it is no number, ValueError if it is too large for a double."""
    is_real = not isinstance(value, numbers.Complex) or isinstance(value, numbers.Real)
    has_protocol = hasattr(value, "__float__") or hasattr(value, "__index__")
    if not is_real or not has_protocol or getattr(value, "ndim", 0) or is_masked(value):
        raise TypeError(f"a number is expected, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError("the number is too large") from None


def to_int(value):
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"an integer is expected, not {type(value).__name__}") from None


def to_scalar(dtype, value):
    """The number as a scalar of that type. Floats are rounded; integers that do not fit are an error."""
    if dtype == "i1":
        number = int(value) if is_bool(value) else to_int(value)
        if number not in (0, 1):
            raise ValueError(f"{number} does not fit {dtype}")
        return Scalar(dtype, number)
    if dtype[0] == "i":
        number, width = to_int(value), int(dtype[1:])
        if not -(1 << width - 1) <= number < 1 << width - 1:
            raise ValueError(f"the number does not fit {dtype}")
        return Scalar(dtype, number & (1 << 64) - 1)
    if dtype not in _FLOAT_BITS:
        raise TypeError(f"scalars of {dtype} are not supported")
    number = to_float(value)
    try:
        return Scalar(dtype, _FLOAT_BITS[dtype](number))
    except OverflowError:
        raise ValueError(f"{number} does not fit {dtype}") from None


def _pack(code):
    return lambda number: int.from_bytes(struct.pack("<" + code, number), "little")


def _pack_bf16(number):
    bits = _pack("f")(number)
    if math.isnan(number):
        return bits >> 16 | 0x40
    rounded = bits + 0x7FFF + (bits >> 16 & 1) >> 16 if math.isfinite(number) else bits >> 16
    if math.isfinite(number) and rounded & 0x7F80 == 0x7F80:
        raise OverflowError
    return rounded


_FLOAT_BITS = {"f16": _pack("e"), "bf16": _pack_bf16, "f32": _pack("f"), "f64": _pack("d")}
