"""What is measured: one attention problem per cell, and the sets of cells that results are reported for."""

import dataclasses
from dataclasses import dataclass
from typing import Optional

LENGTHS = (512, 1024, 2048, 4096, 8192, 16384)

_ALIGNMENTS = {"causal": "top_left", "top_left": "top_left", "bottom_right": "bottom_right"}


@dataclass(frozen=True)
class Cell:
    """One problem, forward or backward. `causal` is an alignment or None."""

    batch: int = 1
    heads: int = 16
    kv_heads: int = 16
    query_length: int = 1024
    key_length: int = 1024
    head_dim: int = 128
    value_dim: int = 128
    dtype: str = "bf16"
    causal: Optional[str] = None
    causal_by_region: bool = False
    window: Optional[tuple] = None
    softcap: Optional[float] = None
    alibi: bool = False
    backward: bool = False

    def __str__(self):
        """What `parse` reads."""

        def pair(a, b):
            return str(a) if a == b else f"{a}/{b}"

        words = [
            f"b{self.batch}",
            f"h{pair(self.heads, self.kv_heads)}",
            f"s{pair(self.query_length, self.key_length)}",
            f"d{pair(self.head_dim, self.value_dim)}",
            self.dtype,
        ]
        if self.causal:
            words.append({"top_left": "causal"}.get(self.causal, self.causal))
        if self.causal_by_region:
            words.append("region")
        if self.window:
            words.append("w" + "/".join("inf" if side is None else str(side) for side in self.window))
        if self.softcap:
            words.append(f"softcap{self.softcap:g}")
        if self.alibi:
            words.append("alibi")
        if self.backward:
            words.append("backward")
        return " ".join(words)

    def pairs(self):
        """(query, key) pairs that are not masked, per head."""
        if not self.causal and not self.window:
            return self.query_length * self.key_length
        offset = self.key_length - self.query_length if self.causal != "top_left" else 0
        left, right = self.window or (None, None)
        if self.causal:
            right = 0 if right is None else min(right, 0)
        total = 0
        for i in range(self.query_length):
            first = 0 if left is None else max(0, i + offset - left)
            last = self.key_length if right is None else min(self.key_length, i + offset + right + 1)
            total += max(0, last - first)
        return total

    def flops(self):
        """2 per multiplication and addition of the two matrix products; five products in the backward pass.

        Square causal problems count half of the full problem, as is usual.
        """
        square = self.query_length == self.key_length and self.causal and not self.window
        pairs = self.query_length * self.key_length / 2 if square else self.pairs()
        per_pair = 2 * (self.head_dim + self.value_dim)
        if self.backward:
            per_pair = 2 * (3 * self.head_dim + 2 * self.value_dim)
        return self.batch * self.heads * pairs * per_pair


def _parse_pair(word, text, number=int):
    first, _, second = text.partition("/")
    try:
        return number(first), number(second or first)
    except ValueError:
        raise ValueError(f"'{word}' in a cell: a number, or two with '/' between, is expected") from None


def _parse_side(text):
    return None if text == "inf" else int(text)


def _parse_word(word):
    if word in ("bf16", "f16", "f32", "f64"):
        return {"dtype": word}
    if word in _ALIGNMENTS:
        return {"causal": _ALIGNMENTS[word]}
    if word == "region":
        return {"causal_by_region": True}
    if word in ("alibi", "backward"):
        return {word: True}
    if word.startswith("softcap"):
        return {"softcap": _parse_pair(word, word[7:], float)[0]}
    fields = {
        "b": ("batch", None),
        "h": ("heads", "kv_heads"),
        "s": ("query_length", "key_length"),
        "d": ("head_dim", "value_dim"),
        "w": ("window", None),
    }.get(word[:1])
    if not fields:
        raise ValueError(f"'{word}' in a cell is not known")
    if word[0] == "w":
        return {"window": _parse_pair(word, word[1:], _parse_side)}
    first, second = _parse_pair(word, word[1:])
    return {fields[0]: first, **({fields[1]: second} if fields[1] else {})}


def parse(text):
    """A cell from "b1 h32/8 s512/16384 d128 bf16 bottom_right": b batch, h query/key heads, s query/key length, d head
    dimensions of key/value, w left/right of a window (inf: unbounded), causal | bottom_right, region (causal written as a mask
    region), softcapX, alibi, backward."""
    values = {}
    for word in text.split():
        values.update(_parse_word(word))
    cell = Cell(**values)
    if cell.heads % cell.kv_heads:
        raise ValueError(f"cell '{text}': {cell.heads} heads are not a multiple of {cell.kv_heads}")
    return cell


def table(head_dims=(64, 128, 256), lengths=LENGTHS, masks=("full", "causal"), dtype="bf16", backward=False):
    """H*D = 2048 and B*S = 16384, as in the literature."""
    cells = []
    for head_dim in head_dims:
        for mask in masks:
            for length in lengths:
                heads = max(1, 2048 // head_dim)
                cells.append(
                    Cell(
                        batch=max(1, 16384 // length), heads=heads, kv_heads=heads, query_length=length, key_length=length,
                        head_dim=head_dim, value_dim=head_dim, dtype=dtype, causal="top_left" if mask == "causal" else None,
                        backward=backward,
                    )
                )  # fmt: skip
    return cells


def _mla(lengths=LENGTHS):
    return [parse(f"b{max(1, 16384 // length)} h16 s{length} d192/128 causal") for length in lengths]


NAMED = {
    "llama-gqa": "b2 h32/8 s8192 d128 causal",
    "long-causal": "b1 h8 s131072 d128 causal",
    "chunked-prefill": "b1 h32/8 s512/16384 d128 bottom_right",
    "bert": "b128 h16 s128 d64",
    "clip": "b64 h16 s77 d64 causal",
    "short-300": "b32 h16 s300 d64",
    "ragged-4097": "b4 h16 s4097 d128",
    "ragged-1000": "b16 h16 s1000 d128",
    "causal-region": "b4 h16 s4096 d128 causal region",
    "softcap": "b4 h16 s4096 d128 causal softcap30",
    "alibi": "b4 h16 s4096 d128 causal alibi",
    "window": "b1 h16 s16384 d128 causal w1024/0",
}


def sets():
    """Name -> cells; a cell of NAMED is a set of its own."""
    result = {
        "table": table() + table((96,)) + _mla(),
        "d64": table((64,)),
        "d96": table((96,)),
        "d128": table((128,)),
        "d256": table((256,)),
        "mla": _mla(),
        "quick": table(lengths=(1024, 4096, 16384)),
        "named": [parse(text) for text in NAMED.values()],
    }
    result.update({name: [parse(text)] for name, text in NAMED.items()})
    result["backward"] = [dataclasses.replace(cell, backward=True) for cell in table()]
    return result
