"""The options of attention, of whatever types a caller has, in one type each."""

import math

from . import _scalars


def _to_finite(name, value):
    if type(value) is not float:
        value = _to_number(name, value)
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, not {value}")
    return value


def _to_number(name, value):
    if _scalars.is_bool(value):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    try:
        return _scalars.to_float(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def _to_causal(causal):
    if causal is None or _scalars.is_bool(causal):
        return bool(causal)
    if isinstance(causal, str) and causal in ("top_left", "bottom_right"):
        return causal
    raise ValueError(f"causal must be False, True, 'top_left' or 'bottom_right', not {causal!r}")


def _to_window(window):
    if not isinstance(window, (tuple, list)) or len(window) != 2:
        raise TypeError("window must be a pair (left, right), each a number or None")
    return tuple(_to_side(side) for side in window)


def _to_side(side):
    if side is None:
        return None
    if type(side) is not int:
        if _scalars.is_bool(side) or not hasattr(side, "__index__"):
            raise TypeError("window must be a pair (left, right), each a number or None")
        side = _scalars.to_int(side)
    if side < 0:
        raise ValueError(f"a window side must not be negative: {side}; None is unbounded")
    if side >= 1 << 63:
        raise ValueError("a window side must be below 2**63; None is unbounded")
    return side


def _check_name(name, value, example):
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a name such as {example!r}, not {type(value).__name__}")


def normalise(scale, causal, window, softcap, layout, return_lse, target):
    """Plans are found by the result: what compares equal means the same, so that 1 is not taken for True."""
    if scale is not None:
        scale = _to_finite("scale", scale)
    if causal is not True and causal is not False:
        causal = _to_causal(causal)
    if window is not None:
        window = _to_window(window)
    if softcap is not None:
        softcap = _to_finite("softcap", softcap)
    _check_name("layout", layout, "bhsd")
    if target is not None:
        _check_name("target", target, "sm_80")
    return scale, causal, window, softcap, layout, bool(return_lse), target


def split_causal(causal):
    """(causal, alignment) of a normalised option."""
    if isinstance(causal, bool):
        return causal, "bottom_right"
    return True, causal
