#!/usr/bin/env python3
#===- backward.py - memory traffic of gradients: P stored, or computed again ===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Counts the elements that compiled backward programs move between memory and tiles, as io.py does for the forward pass.

One head, N queries and keys, head dimension d, T tiles of keys (and of queries).

  stored     the naive program: scores, probabilities and their gradients are N x N matrices in memory
  owned      --fa-tile-backward: one block, key tiles one after another, d_query added to memory
  recompute  --fa-tile-backward: a block per key tile, then a block per query tile

    bench/io/backward.py [--max 16384] [--head-dim 64] [--tile 64] [--causal]
"""

import argparse
import pathlib
import sys

import io_tools


def counting_module(kind, d, tile, causal):
    text = (pathlib.Path(__file__).parent / "backward.mlir.in").read_text()
    text = text.replace("@D@", str(d)).replace("@MASK@", "causal, " if causal else "")
    if kind == "stored":
        return io_tools.fa_opt(
            "--pass-pipeline=builtin.module(fa-decompose,canonicalize,cse,one-shot-bufferize{bufferize-function-boundaries "
            "function-boundary-type-conversion=identity-layout-map},canonicalize,cse,func.func(fa-count-io),"
            "canonicalize,cse)", text=text)
    return io_tools.fa_opt(
        f"--pass-pipeline=builtin.module(fa-tile-backward{{query-tile={tile} key-tile={tile} d-query={kind}}},"
        "canonicalize,cse,func.func(fa-count-io),canonicalize,cse,canonicalize)", text=text)


def formula(kind, n, d, tile):
    """(loaded, stored, extra memory) of the tile programs, without a mask."""
    t = -(-n // tile)
    # delta = rowsum(out * d_out): both and lse are read.
    loaded, stored = 2 * n * d + n, n
    if kind == "recompute":
        # Keys and values once, queries with d_out, lse and delta once per key tile; then the other way round.
        loaded += 2 * n * d + t * (2 * n * d + 2 * n) + 2 * n * d + 2 * n + t * 2 * n * d
        return loaded, stored + 3 * n * d, n
    # d_query is set to 0, updated once per key tile, and scaled into the output.
    loaded += 2 * n * d + t * (2 * n * d + 2 * n) + t * n * d + n * d
    return loaded, stored + n * d + 2 * n * d + t * n * d + n * d, n + n * d


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max", type=int, default=16384)
    parser.add_argument("--head-dim", type=int, default=64)
    parser.add_argument("--tile", type=int, default=64)
    parser.add_argument("--causal", action="store_true", help="count only: the formulas are for no mask")
    options = parser.parse_args()
    d, wrong, stored = options.head_dim, 0, {}
    print(f"head_dim {d}, tiles of {options.tile} queries and {options.tile} keys, elements; one head"
          f"{', causal' if options.causal else ''}\n")
    print(f"{'N':>7} {'program':>9} {'loaded':>14} {'stored':>13} {'extra memory':>14}   vs stored P   formula")
    for kind in ("stored", "owned", "recompute"):
        module = counting_module(kind, d, options.tile, options.causal)
        n = 1024
        while n <= options.max:
            shapes = [(n, d)] * 4 + [(n, )] + [(n, d)] * 4
            counted = io_tools.count(module, shapes)
            stored.setdefault(n, counted)
            verdict = ""
            if kind != "stored" and not options.causal:
                expected = formula(kind, n, d, options.tile)
                verdict = "equal" if counted == expected else f"DIFFERS: {expected}"
                wrong += counted != expected
            ratio = sum(stored[n][:2]) / sum(counted[:2])
            print(f"{n:>7} {kind:>9} {counted[0]:>14} {counted[1]:>13} {counted[2]:>14} {ratio:>8.1f}x less   {verdict}")
            n *= 4
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
