"""The MLIR of attention kernels: one function over strided memrefs, in the dialect's fixed dimension order."""

import struct
from typing import NamedTuple, Optional

_DIMENSIONS = "(b, h, g, m, n, d, e)"


class Operand(NamedTuple):
    """An array operand of the kernel: its role, element type, dimensions as letters, and which have a static size."""

    role: str
    dtype: str
    dims: str
    static: tuple  # per dimension a number or None
    unit: bool  # the last dimension has stride 1

    def memref(self):
        shape = "".join(f"{'?' if size is None else size}x" for size in self.static)
        if not self.dims:
            return f"memref<{self.dtype}>"
        strides = ["?"] * len(self.dims)
        if self.unit:
            strides[-1] = "1"
        return f"memref<{shape}{self.dtype}, strided<[{', '.join(strides)}]>>"

    def map(self):
        return f"affine_map<{_DIMENSIONS} -> ({', '.join(self.dims)})>"


class Spec(NamedTuple):
    """All that a kernel is compiled for."""

    target: str
    operands: tuple  # inputs in the op's order, then outputs
    number: str  # type of scale
    scale: object  # None: the default; a number; "argument"
    causal: bool
    alignment: Optional[str]
    window: tuple
    softcap: Optional[float]
    deterministic: bool = False  # of gradients


# The op's syntax for optional operands.
CLAUSES = {
    "bias": "bias",
    "mask": "mask",
    "alibi_slopes": "alibi",
    "sinks": "sinks",
    "query_lengths": "query_lengths",
    "key_lengths": "key_lengths",
}
_UNMAPPED = ("query_lengths", "key_lengths")


_FORWARD = "query", "key", "value"
_BACKWARD = "query", "key", "value", "out", "lse", "d_out"
_GRADIENTS = "d_query", "d_key", "d_value", "d_bias", "d_sinks"


def get_name(spec):
    """The function of a kernel."""
    return "attention_backward" if _is_backward(spec) else "attention"


def _is_backward(spec):
    return any(operand.role == "d_out" for operand in spec.operands)


def build_text(spec):
    """The MLIR of a kernel: one function over memrefs, its arguments in the order of the operands, then scale."""
    by_role = {operand.role: operand for operand in spec.operands}
    arguments = [f"%{operand.role}: {operand.memref()}" for operand in spec.operands]
    lines, number = [], spec.number
    if spec.scale == "argument":
        arguments.append(f"%scale: {number}")
    elif spec.scale is not None:
        lines.append(f"  %scale = arith.constant {_float_literal(spec.scale, number)} : {number}")
    maps = [operand.map() for operand in spec.operands if operand.role not in _UNMAPPED]
    inputs, outputs = (_BACKWARD, _GRADIENTS) if _is_backward(spec) else (_FORWARD, ("out", "lse"))
    attributes = [f"indexing_maps = [{', '.join(maps)}]"] + _attributes(spec)
    lines += [
        f"  fa.{get_name(spec)} {{{', '.join(attributes)}}}",
        f"    ins({_list_operands(by_role, inputs)})",
        *(f"    {clause}" for clause in _clauses(spec, by_role)),
        f"    outs({_list_operands(by_role, outputs)})",
        "  return",
    ]
    return "\n".join([f"func.func @{get_name(spec)}({', '.join(arguments)}) {{", *lines, "}", ""])


def _list_operands(by_role, roles):
    present = [by_role[role] for role in roles if role in by_role]
    return ", ".join("%" + o.role for o in present) + " : " + ", ".join(o.memref() for o in present)


def _clauses(spec, by_role):
    clauses = [f"d_lse(%d_lse : {by_role['d_lse'].memref()})"] if "d_lse" in by_role else []
    if spec.scale is not None:
        clauses.append(f"scale(%scale : {spec.number})")
    for role, clause in CLAUSES.items():
        if role in by_role:
            clauses.append(f"{clause}(%{role} : {by_role[role].memref()})")
    return clauses


def _attributes(spec):
    attributes = []
    if spec.causal:
        attributes.append("causal")
    left, right = spec.window
    if left is not None:
        attributes.append(f"window_left = {left}")
    if right is not None:
        attributes.append(f"window_right = {right}")
    if spec.alignment:
        attributes.append(f"alignment = #fa.alignment<{spec.alignment}>")
    for operand in spec.operands:
        if operand.role in ("d_bias", "d_sinks"):
            attributes.append(f"{operand.role[2:]}_gradient")
    if spec.deterministic:
        attributes.append("deterministic")
    if spec.softcap is not None:
        attributes.append(f"softcap = {_float_literal(spec.softcap, 'f64')} : f64")
    return attributes


def _float_literal(value, dtype):
    """Exactly, as bits."""
    code, width = ("<d", 16) if dtype == "f64" else ("<f", 8)
    return f"0x{int.from_bytes(struct.pack(code, value), 'little'):0{width}X}"
