#!/usr/bin/env python3
"""What only a real driver can tell of launches: streams, graphs, which kernel runs, the host's time. Exits with 1 if one is wrong.

    python bench/gpu/launch.py [--targets sm_80 sm_90a]
"""

import argparse
import pathlib
import statistics
import sys
import threading

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench" / "gpu")]

import fa_mlir  # noqa: E402
from clock import host_time  # noqa: E402

failures = []


def check(name, is_good, detail=""):
    print(f"{'ok  ' if is_good else 'FAIL'} {name} {detail}", flush=True)
    if not is_good:
        failures.append(name)


def inputs(batch=2, heads=8, length=1000, dim=128, seed=0):
    generator = torch.Generator(device="cuda").manual_seed(seed)
    return [torch.randn(batch, heads, length, dim, generator=generator, device="cuda", dtype=torch.bfloat16) for _ in range(3)]


def check_graphs(target):
    """A graph replays what was captured, also while other streams run the same kernel."""
    q, k, v = inputs()
    call = lambda: fa_mlir.attention(q, k, v, causal=True, target=target)  # noqa: E731
    expected = call()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        first = call()
        second = call()
    others = [torch.cuda.Stream() for _ in range(4)]
    results = []
    for _ in range(50):
        first.zero_(), second.zero_()
        graph.replay()
        for stream in others:
            with torch.cuda.stream(stream):
                results.append(call())
    torch.cuda.synchronize()
    check(f"{target}: graph", torch.equal(first, expected) and torch.equal(second, expected))
    check(f"{target}: streams", all(torch.equal(result, expected) for result in results))


def check_threads(target):
    q, k, v = inputs()
    expected = fa_mlir.attention(q, k, v, target=target)
    results = []

    def work():
        with torch.cuda.stream(torch.cuda.Stream()):
            mine = [fa_mlir.attention(q, k, v, target=target) for _ in range(30)]
        torch.cuda.synchronize()
        results.append(all(torch.equal(out, expected) for out in mine))

    torch.cuda.synchronize()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(f"{target}: threads", len(results) == 4 and all(results))


def check_choice(target):
    """Arrays that TMA cannot address give the same result, with another kernel."""
    q, k, v = inputs()
    expected = fa_mlir.attention(q, k, v, target=target)
    usual = fa_mlir.last_launched()
    wide = torch.empty(*k.shape[:-1], k.shape[-1] + 1, device="cuda", dtype=k.dtype)
    odd = wide[..., 1:]
    odd.copy_(k)
    out = fa_mlir.attention(q, odd, v, target=target)
    other = fa_mlir.last_launched()
    error = (out.float() - expected.float()).abs().max().item()
    check(f"{target}: odd strides", error < 2e-2, f"{' '.join(usual)} -> {' '.join(other)}, difference {error:.1e}")
    empty = k[:, :, :0]
    out = fa_mlir.attention(q, empty, empty, target=target)
    check(f"{target}: no keys", out.eq(0).all().item())
    print(f"     {fa_mlir.attention_kernel(q, k, v, target=target).choice}")


def check_many(target):
    """More batches or heads than a grid has blocks along y and z."""
    for batch, heads in ((70000, 1), (1, 70000)):
        q, k, v = inputs(batch, heads, 5, 64)
        out = fa_mlir.attention(q, k, v, target=target)
        expected = torch.nn.functional.softmax(q.float() @ k.float().mT / 8, -1) @ v.float()
        error = (out.float() - expected).abs().max().item()
        names = " ".join(dict.fromkeys(fa_mlir.last_launched()))
        check(f"{target}: {batch} batches, {heads} heads", error < 2e-2, f"{names}, difference {error:.1e}")


def check_gradients():
    """Through autograd and through torch.compile, beside float64."""
    inputs_ = [t.requires_grad_() for t in inputs(2, 4, 300)]
    d_out = torch.randn_like(inputs_[0])

    def gradients(call):
        return torch.autograd.grad(call(*inputs_), inputs_, d_out)

    wide = [t.detach().double().requires_grad_() for t in inputs_]
    out = torch.nn.functional.scaled_dot_product_attention(*wide, is_causal=True)
    expected = torch.autograd.grad(out, wide, d_out.double())
    call = lambda q, k, v: fa_mlir.attention(q, k, v, causal="top_left")  # noqa: E731
    for name, found in (("autograd", gradients(call)), ("torch.compile", gradients(torch.compile(call, fullgraph=True)))):
        error = max(((f.double() - e).norm() / e.norm()).item() for f, e in zip(found, expected))
        check(f"gradients by {name}", error < 1e-2, f"relative error {error:.1e}")


def measure_host(targets):
    """In turns: what is measured first pays for a processor that was waiting and for memory that others left in pieces."""
    q, k, v = inputs(1, 4, 128)
    samples = {target: [] for target in targets}
    for _ in range(10):
        for target, times in samples.items():
            call = lambda: fa_mlir.attention(q, k, v, causal=True, target=target)  # noqa: B023, E731
            call()
            times.append(host_time(call, torch.cuda.synchronize))
    for target, times in samples.items():
        microseconds = statistics.median(times)
        check(f"{target}: host time", microseconds <= 20, f"{microseconds:.1f} us per call, {min(times):.1f} to {max(times):.1f} in ten rounds")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", nargs="+", default=["sm_80", "sm_90a"])
    targets = parser.parse_args().targets
    for target in targets:
        check_choice(target)
        check_graphs(target)
        check_threads(target)
        check_many(target)
    measure_host(targets)
    check_gradients()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
