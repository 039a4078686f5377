#!/usr/bin/env python3
"""Warp-specialised kernels whose warps sleep for random times before every hand-over: do they compute the same bits?

    python bench/gpu/stress.py [--runs 200] [--seeds 8] [--json OUT]
    python bench/gpu/stress.py --compile-only --jobs 2            # no GPU needed: does every kernel compile?

Every problem is compiled once as it is and once per seed with `stress=SEED`; the clock makes each run sleep otherwise. A difference in
one bit of out or lse, a wrong result (against float64 on some rows) or a hang (a time limit around this script) is a failure.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench" / "gpu")]

import report  # noqa: E402

TEXT = """
!t = memref<?x?x?x{d}xbf16>
!i = memref<?xi32>
!l = memref<?x?x?xf32>
func.func @attention(%query: !t, %key: !t, %value: !t, {parameters}%out: !t, %lse: !l) {{
  fa.attention {{{attributes}indexing_maps = [affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>,
                                 affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>,
                                 affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>,
                                 affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>,
                                 affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>]}}
    ins(%query, %key, %value : !t, !t, !t) {lengths} outs(%out, %lse : !t, !l) {region}
  return
}}
"""

PREFIX = """keep {
    %m = fa.index q
    %n = fa.index k
    %p = arith.constant 300 : index
    %x = arith.cmpi slt, %n, %p : index
    %y = arith.cmpi sge, %m, %n : index
    %keep = arith.ori %x, %y : i1
    fa.yield %keep : i1
  }"""

#: name -> head dim, queries, keys, features, schedule
PROBLEMS = {
    "full d128": (128, 1100, 1300, (), ""),
    "full d128, short": (128, 700, 700, (), ""),
    "full d128, static tiles": (128, 1100, 1300, (), "consumers=2 key-tile=128 stages=2 dynamic=false"),
    "full d64": (64, 1500, 1300, (), ""),
    "full d256, outputs in queries": (256, 900, 1100, (), ""),
    "full d128, three in turns": (128, 1100, 1300, (), "consumers=3 key-tile=64 stages=2 turns=true"),
    "causal d128": (128, 2500, 2500, ("causal", ), ""),
    "causal d128, short": (128, 1700, 1700, ("causal", ), ""),
    "causal d192, short": (192, 1100, 1100, ("causal", ), ""),
    "causal d64": (64, 1700, 1700, ("causal", ), ""),
    "causal d256": (256, 1200, 1200, ("causal", ), ""),
    "window d128": (128, 1500, 1500, ("causal", "window_left = 200 : i64"), ""),
    "lengths d128": (128, 1100, 1300, ("lengths", ), ""),
    "causal lengths d64": (64, 1500, 1500, ("causal", "lengths"), ""),
    "prefix d128": (128, 1300, 1300, ("prefix", ), ""),
    "without overlap": (128, 1100, 1300, ("causal", ), "overlap=false"),
}


def get_text(problem):
    head_dim, _, _, features, _ = problem
    attributes = "".join(f"{f}, " for f in features if f not in ("lengths", "prefix"))
    return TEXT.format(d=head_dim, attributes=attributes,
                       parameters="%lengths: !i, " if "lengths" in features else "",
                       lengths="key_lengths(%lengths : !i)" if "lengths" in features else "",
                       region=PREFIX if "prefix" in features else "")


def compile_all(args):
    """(name, seed) -> kernel; seed 0 sleeps never."""
    import fa_mlir

    def compile_one(key):
        name, seed = key
        schedule = " ".join(w for w in (PROBLEMS[name][4], f"stress={seed}" if seed else "") if w)
        options = {"ptxas": "none"} if args.compile_only else {}
        return key, fa_mlir.compile(get_text(PROBLEMS[name]), "sm_90a", schedule=schedule or None, **options)

    keys = [(name, seed) for name in PROBLEMS for seed in range(args.seeds + 1)]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        return dict(pool.map(compile_one, keys))


class Case:
    """One problem on the GPU: its arrays and its right results."""

    def __init__(self, name):
        import torch

        self.torch, self.name = torch, name
        self.head_dim, self.rows, self.keys, self.features, _ = PROBLEMS[name]
        generator = torch.Generator("cuda").manual_seed(0)
        shape = lambda length: (2, 16, length, self.head_dim)  # noqa: E731
        draw = lambda length: torch.randn(shape(length), generator=generator, device="cuda").bfloat16()  # noqa: E731
        self.query, self.key, self.value = draw(self.rows), draw(self.keys), draw(self.keys)
        self.lengths = torch.tensor([self.keys - 333, 77], dtype=torch.int32, device="cuda")
        if "lengths" in self.features:
            for batch, length in enumerate(self.lengths.tolist()):
                self.value[batch, :, length:] = float("nan")

    def run(self, kernel):
        torch = self.torch
        out = torch.full_like(self.query, 7.0)
        lse = torch.full(self.query.shape[:3], 7.0, device="cuda")
        lengths = [self.lengths] if "lengths" in self.features else []
        kernel(self.query, self.key, self.value, *lengths, out, lse)
        return out, lse

    def keep(self, batch, rows):
        torch = self.torch
        i = torch.tensor(rows, device="cuda").view(-1, 1)
        j = torch.arange(self.keys, device="cuda").view(1, -1)
        keep = (j >= 0) & (i >= 0)
        if "causal" in self.features:
            keep = keep & (j <= i)
        if any(f.startswith("window_left") for f in self.features):
            keep = keep & (j >= i - 200)
        if "prefix" in self.features:
            keep = keep & ((j < 300) | (j <= i))
        if "lengths" in self.features:
            keep = keep & (j < self.lengths[batch])
        return keep

    def error(self, out):
        """Of some rows, against float64."""
        torch = self.torch
        rows, worst = [0, 63, 64, self.rows // 2, self.rows - 1], 0.0
        for batch, head in ((0, 0), (1, 15)):
            q, k = self.query[batch, head, rows].double(), self.key[batch, head].double()
            scores = (q @ k.T) / self.head_dim**0.5
            p = torch.softmax(scores.masked_fill(~self.keep(batch, rows), float("-inf")), -1)
            expected = p @ self.value[batch, head].double().nan_to_num(0.0)
            worst = max(worst, (out[batch, head, rows].double() - expected).abs().max().item())
        return worst


def check(name, kernels, args):
    import torch

    case = Case(name)
    out, lse = case.run(kernels[name, 0])
    reasons = [] if case.error(out) < 2e-2 else [f"wrong without stress: {case.error(out):.2e}"]
    start = time.time()
    different = 0
    for run in range(args.runs):
        again, again_lse = case.run(kernels[name, 1 + run % args.seeds])
        different += not (torch.equal(out, again) and torch.equal(lse, again_lse))
    if different:
        reasons.append(f"{different} of {args.runs} runs gave other bits")
    print(f"{'FAIL' if reasons else 'ok'} {name}: {args.runs} runs in {time.time() - start:.1f} s {'; '.join(reasons)}", flush=True)
    return {"problem": name, "runs": args.runs, "different": different, "reasons": reasons}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=8, help="kernels that differ in where they sleep")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--json")
    args = parser.parse_args()
    kernels = compile_all(args)
    print(f"{len(kernels)} kernels", flush=True)
    if args.compile_only:
        return 0
    rows = [check(name, kernels, args) for name in PROBLEMS]
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps({"command": report.command(), "rows": rows}, indent=1))
    failed = sum(bool(row["reasons"]) for row in rows)
    print(f"{len(rows) - failed} passed, 0 refused, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
