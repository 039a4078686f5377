#!/usr/bin/env python3
"""compute-sanitizer's memcheck and racecheck over a small set of kernels of target sm_80.

    python bench/gpu/sanitize.py [--tools memcheck racecheck] [--count 8]

The set: fa_mlir.attention with masks, odd strides, one and two stages; random programs with regions, captures and packed
sequences; standard attention; the gradients of all of these, also by atomic additions. Every tensor is an allocation of its own, so that a step outside shows. Exits with 1 if a tool
finds something.
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


def run_problem(problem, options, schedule):
    import torch

    import fa_mlir
    from fa_mlir import _attention

    batch, heads, queries, keys, head_dim, is_odd = problem

    def tensor(length):
        made = torch.randn(batch, heads, length, head_dim + 3 * is_odd, device="cuda").to(torch.bfloat16)
        return made[..., 3:] if is_odd else made

    made = {
        "sinks": lambda: torch.zeros(heads, device="cuda"),
        "bias": lambda: torch.randn(batch, 1, queries, keys, device="cuda").to(torch.bfloat16),
        "mask": lambda: torch.rand(batch, heads, queries, keys, device="cuda") < 0.6,
    }
    options = {name: made[name]() if name in made else value for name, value in options.items()}
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


def run_programs(count):
    import check_programs
    import torch

    for seed in range(count):
        for schedule in (None, "standard") if seed % 4 == 0 else (None, ):
            arguments = argparse.Namespace(device="cuda", target="sm_80", schedule=schedule)
            config = check_programs.draw(seed)
            kernel = check_programs.compile_program(config, "memref", arguments)
            check_programs.run(kernel, config, "memref", "cuda")
            torch.cuda.synchronize()
        arguments = argparse.Namespace(device="cuda", target="sm_80", schedule=None)
        config = check_programs.draw(seed, backward=True)
        check_programs.run(check_programs.compile_program(config, "memref", arguments), config, "memref", "cuda")
        torch.cuda.synchronize()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", nargs="+", default=["memcheck", "racecheck"])
    parser.add_argument("--count", type=int, default=8, help="random programs")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        here = os.path.dirname(os.path.abspath(__file__))
        sys.path[:0] = [here, os.path.join(here, "..", "..", "python")]
        for problem in PROBLEMS:
            run_problem(*problem)
        run_programs(args.count)
        print(f"{len(PROBLEMS)} problems and {args.count} programs ran")
        return 0
    processes = []
    for tool in args.tools:
        command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "1", sys.executable, __file__, "--inside"]
        command += ["--count", str(args.count)]
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
