#!/usr/bin/env python3
#===- io.py - memory traffic of standard attention, fa1 and fa2 -------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Counts the elements that the compiled programs move between memory and tiles, beside the papers' formulas.

The counts come from running the program's own loop nest (--fa-count-io); no formula of ours takes part. One head, N
queries and keys, head dimension d, key tiles of Bc, query tiles of Br, Tc = N/Bc, Tr = N/Br.

  standard  Dao et al. 2022, algorithm 0, with its softmax as the separate passes that linalg has
  fa1       algorithm 1: Tc passes over Q, O, l and m
  fa2       Dao 2023, algorithm 1: Tr passes over K and V

    bench/io/io.py [--max 131072] [--head-dim 64] [--tile 64] [--causal]
"""

import argparse
import pathlib
import sys

import io_tools


def counting_module(kind, d, tile, causal):
    text = (pathlib.Path(__file__).parent / "attention.mlir.in").read_text()
    text = text.replace("@D@", str(d)).replace("@MASK@", "causal, " if causal else "")
    if kind == "standard":
        return io_tools.fa_opt(
            "--pass-pipeline=builtin.module(fa-decompose,canonicalize,cse,one-shot-bufferize{bufferize-function-boundaries "
            "function-boundary-type-conversion=identity-layout-map},canonicalize,cse,func.func(fa-count-io),"
            "canonicalize,cse)", text=text)
    schedule = f"preset={kind} query-tile={tile} key-tile={tile}"
    text = io_tools.fa_opt(f"--fa-pipeline=target=cpu stop-after=tile schedule='{schedule}'", text=text)
    return io_tools.fa_opt("--pass-pipeline=builtin.module(func.func(fa-count-io),canonicalize,cse,canonicalize)", text=text)


def formula(kind, n, d, tile):
    """(loaded, stored, extra memory) of the papers' algorithms, without a mask."""
    if kind == "standard":
        # Product, scale, max, exp, sum, division, product, and log of the sums for lse; fills write only. Output and
        # lse are computed in buffers of their own and copied.
        loads = (2 * n * d + n * n) + n * n + (n * n + n) + (n * n + n) + (n * n + n) + (n * n + n) + \
            (n * n + 2 * n * d) + 2 * n + (n * d + n)
        stores = 2 * n * n + n * n + 2 * n + n * n + 2 * n + n * n + 2 * n * d + n + (n * d + n)
        return loads, stores, n * n + 2 * n + n * d
    blocks = -(-n // tile)
    if kind == "fa1":
        # K and V once; Q, O, l, m once per key tile. The state is set up before, and normalised into the output after.
        loads = 2 * n * d + blocks * (2 * n * d + 2 * n) + (n * d + 2 * n)
        stores = (n * d + 2 * n) + blocks * (n * d + 2 * n) + (n * d + n)
        return loads, stores, n * d + 2 * n
    return n * d + blocks * 2 * n * d, n * d + n, 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max", type=int, default=131072)
    parser.add_argument("--head-dim", type=int, default=64)
    parser.add_argument("--tile", type=int, default=64)
    parser.add_argument("--causal", action="store_true", help="count only: the formulas are for no mask")
    options = parser.parse_args()
    d, wrong = options.head_dim, 0
    print(f"head_dim {d}, tiles of {options.tile} queries and {options.tile} keys, elements; one head"
          f"{', causal' if options.causal else ''}\n")
    print(f"{'N':>7} {'program':>9} {'loaded':>16} {'stored':>15} {'extra memory':>14}   vs standard   paper's formula")
    for kind in ("standard", "fa1", "fa2"):
        module = counting_module(kind, d, options.tile, options.causal)
        n = 2048
        while n <= options.max:
            counted = io_tools.count(module, [(n, d)] * 4 + [(n, )])
            paper = formula(kind, n, d, options.tile)
            standard = formula("standard", n, d, options.tile)
            verdict = ""
            if not options.causal:
                verdict = "equal" if counted == paper else f"DIFFERS: {paper}"
                wrong += counted != paper
            ratio = sum(standard[:2]) / sum(counted[:2])
            print(f"{n:>7} {kind:>9} {counted[0]:>16} {counted[1]:>15} {counted[2]:>14} {ratio:>10.1f}x less   {verdict}")
            n *= 2
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
