"""Checking the arguments of attention, and seeing them in the kernel's dimension order."""

from . import _arrays
from ._arrays import View
from ._text import Operand

# Kernels count positions in 32 bits, with room for what is added to them.
_MAX_POSITIONS = 1 << 29


def view_as(role, array):
    try:
        return _arrays.view(array)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{role}: {error}") from None


FLOATS = ("f16", "bf16", "f32", "f64")


class Call:
    """A call as views in the kernel's dimension order."""

    def __init__(self, query, key, value, layout):
        if layout not in ("bhsd", "bshd"):
            raise ValueError(f"layout must be 'bhsd' or 'bshd', not {layout!r}")
        self.layout = layout
        q, k, v = view_as("query", query), view_as("key", key), view_as("value", value)
        for role, array in (("query", q), ("key", k), ("value", v)):
            if len(array.shape) != 4:
                raise ValueError(f"{role} must have 4 dimensions ({layout}), not {len(array.shape)}")
            if array.dtype not in FLOATS:
                raise TypeError(f"{role} must be of f16, bf16, f32 or f64, not {array.dtype}")
            if array.dtype != q.dtype:
                raise TypeError(f"query is {q.dtype}, but {role} is {array.dtype}")
            if array.device != q.device:
                raise ValueError(f"query and {role} are on different devices")
        self.dtype, self.device = q.dtype, q.device
        self.number = "f64" if q.dtype == "f64" else "f32"
        order = (0, 1, 2, 3) if layout == "bhsd" else (0, 2, 1, 3)
        q, k, v = (permute(array, order) for array in (q, k, v))
        self.batch, self.heads, self.queries, self.head_dim = q.shape
        _, self.kv_heads, self.keys, _ = k.shape
        self.value_dim = v.shape[3]
        self._check_shapes(q, k, v)
        self.group = self.heads // self.kv_heads if self.kv_heads else 1
        self.extents = dict(b=self.batch, h=self.kv_heads, g=self.group, m=self.queries, n=self.keys)
        self.operands, self.views = [], []
        self._add("query", "bhgmd", self._split_heads(q, 1), (None,) * 4 + (self.head_dim,))
        self._add("key", "bhnd", k, (None,) * 3 + (self.head_dim,))
        self._add("value", "bhne", v, (None,) * 3 + (self.value_dim,))

    def _check_shapes(self, q, k, v):
        if k.shape[0] != self.batch or v.shape[0] != self.batch:
            raise ValueError(f"batch sizes differ: query {self.batch}, key {k.shape[0]}, value {v.shape[0]}")
        if k.shape[1] != v.shape[1]:
            raise ValueError(f"key has {k.shape[1]} heads, value {v.shape[1]}")
        if k.shape[2] != v.shape[2]:
            raise ValueError(f"key has {k.shape[2]} positions, value {v.shape[2]}")
        if q.shape[3] != k.shape[3]:
            raise ValueError(f"the head dimension of query is {q.shape[3]}, of key {k.shape[3]}")
        if not self.head_dim or not self.value_dim:
            raise ValueError("a head dimension is 0")
        if max(self.queries, self.keys) > _MAX_POSITIONS:
            raise ValueError(f"{max(self.queries, self.keys)} positions are more than 2^29, which kernels can count to")
        if self.kv_heads == 0 and self.heads or self.kv_heads and self.heads % self.kv_heads:
            raise ValueError(f"{self.heads} query heads are not a multiple of {self.kv_heads} key/value heads")

    def _split_heads(self, view, at):
        """Heads as (h, g): the group is the fast one."""
        shape, strides = list(view.shape), list(view.strides)
        stride = strides[at]
        shape[at : at + 1] = [self.kv_heads, self.group]
        strides[at : at + 1] = [stride * self.group, stride]
        return view._replace(shape=tuple(shape), strides=tuple(strides))

    def _add(self, role, dims, view, static=None):
        static = static or (None,) * len(dims)
        unit = bool(dims) and (view.strides[-1] == 1 or view.shape[-1] == 1)
        if unit:
            view = view._replace(strides=view.strides[:-1] + (1,))
        if view.device != self.device:
            raise ValueError(f"query and {role} are on different devices")
        self.operands.append(Operand(role, view.dtype, dims, static, unit))
        self.views.append(view)

    def add_broadcast(self, role, array, dtypes):
        """A [B, H, Sq, Sk] array, or what broadcasts to it: dimensions of size 1 are left out."""
        view = view_as(role, array)
        if view.dtype not in dtypes:
            raise TypeError(f"{role} must be of {' or '.join(dtypes)}, not {view.dtype}")
        full = (self.batch, self.heads, self.queries, self.keys)
        if len(view.shape) > 4:
            raise ValueError(f"{role} has {len(view.shape)} dimensions, at most 4 are allowed")
        start = 4 - len(view.shape)
        dims, shape, strides = "", [], []
        for letters, size, extent, stride in zip(("b", "hg", "m", "n")[start:], view.shape, full[start:], view.strides):
            if size != extent and size != 1:
                raise ValueError(f"{role} of shape {tuple(view.shape)} does not broadcast to {full}")
            if size == 1 and letters != "n":
                continue
            if size == 1 and extent != 1:
                continue
            dims += letters
            shape += [self.kv_heads, self.group] if letters == "hg" else [size]
            strides += [stride * self.group, stride] if letters == "hg" else [stride]
        self._add(role, dims, view._replace(shape=tuple(shape), strides=tuple(strides)))

    def add_per_head(self, role, array, with_batch):
        """[H], or also [B, H]."""
        view = view_as(role, array)
        if view.dtype not in FLOATS:
            raise TypeError(f"{role} must be of a float type, not {view.dtype}")
        allowed = [(self.heads,)] + ([(self.batch, self.heads)] if with_batch else [])
        if tuple(view.shape) not in allowed:
            raise ValueError(f"{role} must have shape {' or '.join(map(str, allowed))}, not {tuple(view.shape)}")
        dims = "hg" if len(view.shape) == 1 else "bhg"
        self._add(role, dims, self._split_heads(view, len(view.shape) - 1))

    def add_lengths(self, role, array):
        view = view_as(role, array)
        if view.dtype != "i32":
            raise TypeError(f"{role} must be of i32, not {view.dtype}")
        if tuple(view.shape) != (self.batch,):
            raise ValueError(f"{role} must have shape {(self.batch,)}, not {tuple(view.shape)}")
        self._add(role, "b", view)

    def fix_group_of_one(self):
        """Kernels for as many query heads as key heads have no loop over groups; gradients have no registers left for one."""
        if self.group != 1:
            return
        for i, operand in enumerate(self.operands):
            static = tuple(1 if letter == "g" else size for letter, size in zip(operand.dims, operand.static))
            self.operands[i] = operand._replace(static=static)

    def add_output(self, role, dtype, last):
        """A new array: contiguous in the caller's layout. Returns its shape."""
        if role == "lse":
            shape = (self.batch, self.heads, self.queries)
            self.add_rows(role, self._new(shape, dtype))
        else:
            shape = self._in_layout(self.heads, self.queries, last)
            self.add_values(role, self._new(shape, dtype), last, "e")
        return shape

    def _new(self, shape, dtype):
        return View(0, dtype, shape, _arrays._row_major(shape), self.device, None)

    def _in_layout(self, heads, positions, last):
        return (self.batch, positions, heads, last) if self.layout == "bshd" else (self.batch, heads, positions, last)

    def add_rows(self, role, array):
        """One number per row, [B, H, Sq]."""
        view = view_as(role, array)
        self._check_same(role, view, (self.batch, self.heads, self.queries), self.number)
        self._add(role, "bhgm", self._split_heads(view, 1))

    def add_values(self, role, array, last, letter):
        """What has the shape of the query or of out."""
        view = view_as(role, array)
        self._check_same(role, view, self._in_layout(self.heads, self.queries, last), self.dtype)
        view = permute(view, (0, 2, 1, 3) if self.layout == "bshd" else (0, 1, 2, 3))
        self._add(role, "bhgm" + letter, self._split_heads(view, 1), (None,) * 4 + (last,))

    def add_gradients(self, bias, sinks):
        """New arrays for the gradients of query, key and value, and of a bias or sinks that are given. Returns their shapes."""
        shapes = []
        for role, heads, positions, last, dims in (
            ("d_query", self.heads, self.queries, self.head_dim, "bhgmd"),
            ("d_key", self.kv_heads, self.keys, self.head_dim, "bhnd"),
            ("d_value", self.kv_heads, self.keys, self.value_dim, "bhne"),
        ):
            shapes.append(self._in_layout(heads, positions, last))
            view = permute(self._new(shapes[-1], self.dtype), (0, 2, 1, 3) if self.layout == "bshd" else (0, 1, 2, 3))
            view = self._split_heads(view, 1) if "g" in dims else view
            self._add(role, dims, view, (None,) * (len(dims) - 1) + (last,))
        if bias is not None:
            view = view_as("bias", bias)
            shapes.append(tuple(view.shape))
            self.add_broadcast("d_bias", self._new(shapes[-1], view.dtype), FLOATS)
        if sinks is not None:
            view = view_as("sinks", sinks)
            shapes.append(tuple(view.shape))
            self.add_per_head("d_sinks", self._new(shapes[-1], view.dtype), with_batch=False)
        return shapes

    def _check_same(self, role, view, shape, dtype):
        if tuple(view.shape) != shape or view.dtype != dtype:
            raise ValueError(f"{role} must be {dtype} of shape {shape}, not {view.dtype} of shape {tuple(view.shape)}")


def permute(view, order):
    return view._replace(shape=tuple(view.shape[i] for i in order), strides=tuple(view.strides[i] for i in order))
