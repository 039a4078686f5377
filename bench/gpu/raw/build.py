#!/usr/bin/env python3
"""Compiles attention kernels with several schedules into folders that run.py takes to a GPU machine.

    python bench/gpu/raw/build.py --tool build/release/bin/fa-compile -o build/gpu-raw [--only NAME ...]

One folder per variant: kernel.ptx, manifest.json, and variant.json, which says what it computes.
"""

import argparse
import json
import pathlib
import subprocess

MAPS = """
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
"""


def source(head_dim, value_dim, dtype, causal):
    """fa.attention [B, H, S, D] with lse, any strides but the innermost."""

    def memref(d):
        return f"memref<?x?x?x{d}x{dtype}, strided<[?, ?, ?, 1], offset: ?>>"

    q, v, lse = memref(head_dim), memref(value_dim), "memref<?x?x?xf32>"
    mask = "causal, alignment = #fa.alignment<bottom_right>, " if causal else ""
    return f"""{MAPS}
func.func @attention(%query: {q}, %key: {q}, %value: {v}, %out: {v}, %lse: {lse}) {{
  fa.attention {{{mask}indexing_maps = [#q, #k, #v, #o, #l]}}
    ins(%query, %key, %value : {q}, {q}, {v}) outs(%out, %lse : {v}, {lse})
  return
}}
"""


def variants():
    """name -> (head_dim, value_dim, dtype, causal, schedule, (opt level, codegen level))"""
    table = {}
    tiles = {
        64: ["", "stages=2", "query-tile=128 key-tile=128", "min-blocks=3"],
        128: ["", "early-keys=true", "key-tile=32 stages=2"],
        256: ["", "key-tile=64", "stages=2"],
    }
    for head_dim, schedules in tiles.items():
        for schedule in schedules:
            for causal in (False, True):
                short = schedule.replace("query-tile=", "m").replace("key-tile=", "n").replace(" ", "")
                short = short.replace("stages=", "s").replace("min-blocks=", "b").replace("early-keys=true", "early")
                name = f"hd{head_dim}{'c' if causal else ''}{'_' + short if short else ''}"
                table[name] = (head_dim, head_dim, "bf16", causal, schedule, (0, 3))
    table["hd128_O3"] = (128, 128, "bf16", False, "", (3, 3))
    table["hd128_f16"] = (128, 128, "f16", False, "", (0, 3))
    table["hd80"] = (80, 80, "bf16", False, "", (0, 3))
    table["hd96c"] = (96, 96, "f16", True, "", (0, 3))
    table["hd192_128c"] = (192, 128, "bf16", True, "", (0, 3))
    table["hd40"] = (40, 40, "bf16", False, "", (0, 3))
    table["hd31c"] = (31, 17, "bf16", True, "", (0, 3))
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/release/bin/fa-compile")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("build/gpu-raw"))
    parser.add_argument("--only", nargs="*")
    args = parser.parse_args()
    for name, (d, e, dtype, causal, schedule, levels) in variants().items():
        if args.only and name not in args.only:
            continue
        folder = args.output / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "attention.mlir").write_text(source(d, e, dtype, causal))
        command = [args.tool, folder / "attention.mlir", "-o", folder, "--ptxas", "none", "--schedule", schedule]
        command += ["--opt-level", str(levels[0]), "--codegen-level", str(levels[1])]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            (folder / "manifest.json").unlink(missing_ok=True)
            print(f"{name}: {done.stderr.strip().splitlines()[0]}")
            continue
        description = {"head_dim": d, "value_dim": e, "dtype": dtype, "causal": causal, "schedule": schedule}
        (folder / "variant.json").write_text(json.dumps(description))
        print(f"{name}: ok", flush=True)


if __name__ == "__main__":
    main()
