#!/usr/bin/env python3
"""compute-sanitizer's memcheck and racecheck over a small set of kernels of target sm_80.

    python bench/gpu/sanitize.py [--tools memcheck racecheck] [--count 8]

The set: fa_mlir.attention with masks, odd strides, one and two stages; random programs with regions, captures and packed
sequences; standard attention; the gradients of all of these, also by atomic additions. --gradients: gradients only, of more
problems. Every tensor is an allocation of its own, so that a step outside shows. Exits with 1 if a tool finds something.
"""

import argparse
import os
import subprocess
import sys

#: B, H, Sq, Sk, D, and whether rows start at odd elements; arguments of fa_mlir.attention; schedule.
PROBLEMS = [
    ((1, 2, 100, 77, 64, False), dict(causal=True), None),
    ((1, 2, 65, 130, 128, False), dict(softcap=5.0), None),
    ((1, 1, 33, 40, 40, True), dict(window=(7, 3)), None),
    ((2, 2, 64, 64, 96, False), dict(sinks="per head"), None),
    ((1, 2, 129, 150, 128, False), dict(causal="top_left", bias="full"), None),
    ((1, 2, 90, 200, 64, False), dict(mask="full"), None),
    ((1, 1, 70, 65, 256, False), dict(), None),
    ((1, 2, 130, 190, 128, False), dict(), "early-keys=false"),
    ((1, 2, 60, 70, 64, False), dict(causal=True), "standard"),
]


#: B, H, Hkv, Sq, Sk, D, E; arguments; schedules. Gradients of each are asked for, with d_out in strides of 0 for the last.
GRADIENTS = [
    ((1, 2, 2, 100, 77, 64, 64), dict(causal=True), (None, "d-query=atomic", "d-query=owned")),
    ((1, 4, 2, 65, 130, 128, 128), dict(softcap=5.0, sinks="per head"), (None, "d-query=atomic")),
    ((1, 2, 1, 129, 150, 128, 64), dict(causal="top_left", bias="full"), (None, )),
    ((2, 2, 2, 90, 200, 64, 64), dict(mask="full", window=(30, 9)), (None, )),
    ((2, 2, 1, 64, 100, 96, 96), dict(bias="per key", sinks="per head", softcap=20.0), (None, "d-query=atomic")),
    ((2, 3, 3, 70, 90, 40, 40), dict(bias="one"), (None, )),
    ((2, 2, 2, 130, 140, 64, 64), dict(bias="per row", query_lengths="some", key_lengths="some"), (None, )),
    ((1, 1, 1, 70, 65, 256, 256), dict(), (None, )),
    ((1, 1, 1, 33, 40, 200, 160), dict(causal=True), (None, )),
    ((1, 2, 2, 5, 0, 64, 64), dict(sinks="per head"), (None, )),
    ((1, 2, 2, 130, 190, 33, 33), dict(), (None, )),
]


def make_options(torch, options, shape):
    batch, heads, _, queries, keys, *_ = shape
    bf16 = lambda *sizes: torch.randn(*sizes, device="cuda").to(torch.bfloat16)
    some = lambda length: torch.randint(0, length + 1, (batch, ), device="cuda", dtype=torch.int32)
    made = {
        ("sinks", "per head"): lambda: torch.zeros(heads, device="cuda"),
        ("bias", "full"): lambda: bf16(batch, 1, queries, keys),
        ("bias", "per key"): lambda: bf16(1, heads, 1, keys),
        ("bias", "per row"): lambda: bf16(batch, 1, queries, 1),
        ("bias", "one"): lambda: bf16(1, heads, 1, 1),
        ("mask", "full"): lambda: torch.rand(batch, heads, queries, keys, device="cuda") < 0.6,
        ("query_lengths", "some"): lambda: some(queries),
        ("key_lengths", "some"): lambda: some(keys),
    }
    return {name: made[name, value]() if isinstance(value, str) and (name, value) in made else value for name, value in options.items()}


def run_gradients(shape, options, schedules):
    import torch

    import fa_mlir
    from fa_mlir import _attention

    batch, heads, kv_heads, queries, keys, head_dim, value_dim = shape
    options = make_options(torch, options, shape)
    bf16 = lambda *sizes: torch.randn(*sizes, device="cuda").to(torch.bfloat16)
    inputs = [bf16(batch, heads, queries, head_dim), bf16(batch, kv_heads, keys, head_dim), bf16(batch, kv_heads, keys, value_dim)]
    wanted = [t.requires_grad_() for t in inputs + [options[name] for name in ("bias", "sinks") if name in options]]
    for _attention.GPU_SCHEDULE in schedules:
        _attention._plans.clear()
        out, lse = fa_mlir.attention(*inputs, return_lse=True, target="sm_80", **options)
        d_out = torch.ones(1, device="cuda", dtype=out.dtype).expand_as(out) if shape is GRADIENTS[-1][0] else torch.randn_like(out)
        torch.autograd.grad((out, lse), wanted, (d_out, torch.randn_like(lse)))
        torch.cuda.synchronize()
    _attention.GPU_SCHEDULE = None


def run_problem(problem, options, schedule):
    import torch

    import fa_mlir
    from fa_mlir import _attention

    batch, heads, queries, keys, head_dim, is_odd = problem

    def tensor(length):
        made = torch.randn(batch, heads, length, head_dim + 3 * is_odd, device="cuda").to(torch.bfloat16)
        return made[..., 3:] if is_odd else made

    options = make_options(torch, options, (batch, heads, heads, queries, keys))
    _attention.GPU_SCHEDULE = schedule
    q, k, v = tensor(queries), tensor(keys), tensor(keys)
    out, lse = fa_mlir.attention(q, k, v, return_lse=True, target="sm_80", **options)
    torch.cuda.synchronize()
    for name in ("bias", "sinks"):
        if name in options:
            options[name].requires_grad_()
    wanted = [q.requires_grad_(), k.requires_grad_(), v.requires_grad_()]
    wanted += [options[name] for name in ("bias", "sinks") if name in options]
    schedules = [schedule] + (["d-query=atomic"] if head_dim <= 128 and schedule is None else [])
    for _attention.GPU_SCHEDULE in schedules:
        _attention._plans.clear()
        out, lse = fa_mlir.attention(q, k, v, return_lse=True, target="sm_80", **options)
        torch.autograd.grad((out, lse), wanted, (torch.randn_like(out), torch.randn_like(lse)))
        torch.cuda.synchronize()


def run_program(seed, schedule=None, backward=False):
    import check_programs
    import torch

    arguments = argparse.Namespace(device="cuda", target="sm_80", schedule=schedule)
    config = check_programs.draw(seed, backward=backward)
    check_programs.run(check_programs.compile_program(config, "memref", arguments), config, "memref", "cuda")
    torch.cuda.synchronize()
    return config


def run_programs(count):
    for seed in range(count):
        for schedule in (None, "standard") if seed % 4 == 0 else (None, ):
            run_program(seed, schedule)
        run_program(seed, backward=True)


def run_all(args):
    problems, run = (GRADIENTS, run_gradients) if args.gradients else (PROBLEMS, run_problem)
    for problem in problems:
        run(*problem)
    if args.gradients:
        # Some of the first eight have captures that are taken whole: additions at computed places.
        for seed in range(args.count):
            run_program(seed, backward=True)
    else:
        run_programs(args.count)
    print(f"{len(problems)} problems and {args.count} programs ran")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", nargs="+", default=["memcheck", "racecheck"])
    parser.add_argument("--count", type=int, default=8, help="random programs")
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        here = os.path.dirname(os.path.abspath(__file__))
        sys.path[:0] = [here, os.path.join(here, "..", "..", "python")]
        run_all(args)
        return 0
    processes = []
    for tool in args.tools:
        command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "1", sys.executable, __file__, "--inside"]
        command += ["--count", str(args.count)] + ["--gradients"] * args.gradients
        environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
        pipe = subprocess.PIPE
        processes.append((tool, subprocess.Popen(command, env=environment, stdout=pipe, stderr=subprocess.STDOUT, text=True)))
    failed = False
    for tool, process in processes:
        output, _ = process.communicate()
        failed |= process.returncode != 0
        print(f"{tool}: {'FAILED' if process.returncode else 'clean'}")
        print("\n".join(output.splitlines()[-(25 if process.returncode else 2):]), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
