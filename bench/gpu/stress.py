#!/usr/bin/env python3
"""Warp-specialised kernels whose warps sleep for random times before every hand-over: do they compute the same bits?

    python bench/gpu/stress.py [--runs 200] [--seeds 8] [--gradients] [--json OUT]
    python bench/gpu/stress.py --compile-only --jobs 2            # no GPU needed: does every kernel compile?

Every problem is compiled once as it is and once per seed with `stress=SEED`; the clock makes each run sleep otherwise. A difference in
one bit of out or lse, a wrong result (against float64 on some rows) or a hang (a time limit around this script) is a failure. With
--gradients the same for kernels with roles that compute gradients; where d_query is a sum in any order, for d_key and d_value.
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


GRADIENT_TEXT = """
!q = memref<?x?x?x?x{d}xbf16>
!o = memref<?x?x?x?x{e}xbf16>
!k = memref<?x?x?x{d}xbf16>
!v = memref<?x?x?x{e}xbf16>
!l = memref<?x?x?x?xf32>
func.func @gradients(%query: !q, %key: !k, %value: !v, %out: !o, %lse: !l, %d_out: !o, %d_query: !q, %d_key: !k, %d_value: !v) {{
  fa.attention_backward {{{attributes}indexing_maps = [{maps}]}}
    ins(%query, %key, %value, %out, %lse, %d_out : !q, !k, !v, !o, !l, !o) outs(%d_query, %d_key, %d_value : !q, !k, !v)
  return
}}
"""
GRADIENT_MAPS = ("b, h, g, m, d", "b, h, n, d", "b, h, n, e", "b, h, g, m, e", "b, h, g, m", "b, h, g, m, e", "b, h, g, m, d", "b, h, n, d",
                 "b, h, n, e")

#: name -> head dims, queries, keys, group, features, schedule
GRADIENTS = {
    "full d128, in order": (128, 128, 1100, 1300, 1, ("deterministic", ), ""),
    "full d128, group, in order": (128, 128, 700, 900, 4, ("deterministic", ), ""),
    "full d64, in order": (64, 64, 1500, 1300, 1, ("deterministic", ), ""),
    "causal d128, in order": (128, 128, 2500, 2500, 1, ("causal", "deterministic"), ""),
    "causal d64, in order": (64, 64, 1700, 1700, 1, ("causal", "deterministic"), ""),
    "causal d64, one slot, in order": (64, 64, 1700, 1700, 1, ("causal", "deterministic"), "gradient-score-stages=1"),
    "causal d96, in order": (96, 96, 1100, 1100, 1, ("causal", "deterministic"), ""),
    "full d128": (128, 128, 1100, 1300, 1, (), ""),
    "causal d64": (64, 64, 1700, 1700, 1, ("causal", ), ""),
    "causal d128, at once": (128, 128, 1100, 1300, 1, ("causal", ), "gradient-late-scores=0"),
    "full d256": (256, 256, 900, 1100, 1, (), ""),
    "causal d192/128": (192, 128, 1100, 1100, 1, ("causal", ), ""),
}


def get_gradient_text(problem):
    d, e, _, _, _, features, _ = problem
    maps = ", ".join(f"affine_map<(b, h, g, m, n, d, e) -> ({dims})>" for dims in GRADIENT_MAPS)
    return GRADIENT_TEXT.format(d=d, e=e, maps=maps, attributes="".join(f"{f}, " for f in features))


def get_text(problem):
    head_dim, _, _, features, _ = problem
    attributes = "".join(f"{f}, " for f in features if f not in ("lengths", "prefix"))
    return TEXT.format(d=head_dim, attributes=attributes,
                       parameters="%lengths: !i, " if "lengths" in features else "",
                       lengths="key_lengths(%lengths : !i)" if "lengths" in features else "",
                       region=PREFIX if "prefix" in features else "")


def compile_all(problems, args):
    """(name, seed) -> kernel; seed 0 sleeps never."""
    import fa_mlir

    def compile_one(key):
        name, seed = key
        roles = "gradients=roles" if args.gradients else ""
        schedule = " ".join(w for w in (roles, problems[name][-1], f"stress={seed}" if seed else "") if w)
        options = {"ptxas": "none"} if args.compile_only else {}
        text = (get_gradient_text if args.gradients else get_text)(problems[name])
        return key, fa_mlir.compile(text, "sm_90a", schedule=schedule or None, **options)

    keys = [(name, seed) for name in problems for seed in range(args.seeds + 1)]
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

    def same(self, results, others):
        return all(self.torch.equal(x, y) for x, y in zip(results, others))

    def error(self, results):
        """Of some rows, against float64."""
        torch, out = self.torch, results[0]
        rows, worst = [0, 63, 64, self.rows // 2, self.rows - 1], 0.0
        for batch, head in ((0, 0), (1, 15)):
            q, k = self.query[batch, head, rows].double(), self.key[batch, head].double()
            scores = (q @ k.T) / self.head_dim**0.5
            p = torch.softmax(scores.masked_fill(~self.keep(batch, rows), float("-inf")), -1)
            expected = p @ self.value[batch, head].double().nan_to_num(0.0)
            worst = max(worst, (out[batch, head, rows].double() - expected).abs().max().item())
        return worst


class GradientCase:
    """As Case; errors are relative, in the Frobenius norm."""

    def __init__(self, name):
        import gradients
        import torch

        self.torch, self.gradients = torch, gradients
        d, e, rows, keys, group, features, _ = GRADIENTS[name]
        self.ordered = "deterministic" in features
        generator = torch.Generator("cuda").manual_seed(0)
        draw = lambda heads, rows, dim: torch.randn((2, heads, rows, dim), generator=generator, device="cuda").bfloat16()  # noqa: E731
        heads = 8
        query, key, value = draw(heads * group, rows, d), draw(heads, keys, d), draw(heads, keys, e)
        d_out = draw(heads * group, rows, e)
        out, lse, self.expected = gradients.reference(query, key, value, d_out, "causal" in features)
        grouped = lambda t: t.unflatten(1, (heads, group)).contiguous()  # noqa: E731
        self.arguments = [grouped(query), key, value, grouped(out.bfloat16()), grouped(lse.float()), grouped(d_out)]

    def run(self, kernel):
        results = [self.torch.full_like(t, 7.0) for t in self.arguments[:3]]
        kernel(*self.arguments, *results)
        return results

    def same(self, results, others):
        first = 0 if self.ordered else 1
        return all(self.torch.equal(x, y) for x, y in zip(results[first:], others[first:])) and (
            self.gradients.relative(results[0], others[0]) < 1e-3
        )

    def error(self, results):
        return max(self.gradients.relative(x.reshape(y.shape), y) for x, y in zip(results, self.expected))


def check(name, kernels, args):
    case = (GradientCase if args.gradients else Case)(name)
    results = case.run(kernels[name, 0])
    reasons = [] if case.error(results) < 2e-2 else [f"wrong without stress: {case.error(results):.2e}"]
    start = time.time()
    different = 0
    for run in range(args.runs):
        different += not case.same(results, case.run(kernels[name, 1 + run % args.seeds]))
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
    parser.add_argument("--gradients", action="store_true", help="of these, not of attention")
    parser.add_argument("--json")
    args = parser.parse_args()
    problems = GRADIENTS if args.gradients else PROBLEMS
    kernels = compile_all(problems, args)
    print(f"{len(kernels)} kernels", flush=True)
    if args.compile_only:
        return 0
    rows = [check(name, kernels, args) for name in problems]
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps({"command": report.command(), "rows": rows}, indent=1))
    failed = sum(bool(row["reasons"]) for row in rows)
    print(f"{len(rows) - failed} passed, 0 refused, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
