"""fa-tune: search schedules on the device that runs them.

    python -m fa_mlir.tune --out tuned                                    # head dims 64, 128, 256; full and causal; 512 ... 16384
    python -m fa_mlir.tune --out tuned --head-dims 128 --masks causal --lengths 4096
    python -m fa_mlir.tune --out tuned --candidate "consumers=2 key-tile=128 stages=2" --rounds 9
    python -m fa_mlir.tune --out tuned --target cpu --dtype f32 --tokens 512 --lengths 256 --head-dims 64

Candidates that fit the target are compiled in parallel on the CPU, then run in rounds, in an order drawn anew each round, beside the
default schedule: all of them first, the best again for longer. Every measurement goes to OUT/measured.jsonl at once; a search that was
stopped goes on from there. OUT/table.md is the tuned table, OUT/plot.svg the gain over the default by length. A candidate
whose result differs from the default's is reported and never chosen. `choose` reads a table.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import statistics
import sys
import time

DEFAULT = ""
#: Bytes of shared memory that a block of sm_90a has.
_MOST_SHARED = 232448

# ---------------------------------------------------------------------------------------------------------------------
# Candidates
# ---------------------------------------------------------------------------------------------------------------------


#: How blocks and consumers share the work: words of a schedule, slots for queries, whether outputs need memory of their own.
_WAYS = [
    ("dynamic=true", 1, False),
    ("dynamic=false", 1, False),
    ("dynamic=true query-slots=2", 2, False),
    ("dynamic=true query-slots=2 ahead=true", 2, True),
    ("dynamic=false query-slots=2 ahead=true", 2, True),
]
_WAYS_OF_TWO = [("dynamic=false query-slots=2 ahead=true turns=true", 2, True)]


def _fits_hopper(head_dim, consumers, key_tile, stages, query_slots=1, own_outputs=False):
    """Shared memory, and accumulators in registers."""
    row = -(-head_dim // 64) * 128
    shared = 64 * consumers * row * (query_slots + own_outputs) + 2 * stages * key_tile * row + 256
    return shared <= _MOST_SHARED and head_dim / 2 + 0.75 * key_tile <= (128 if consumers == 3 else 216)


def _list_hopper(head_dim):
    least = {2: 96 if head_dim <= 128 else 48, 3: 64 if head_dim <= 128 else 48}
    schedules = []
    for consumers in (2, 3):
        for key_tile in (48, 64, 80, 96, 112, 128, 160, 176, 192, 256):
            if key_tile < least[consumers]:
                continue
            for words, slots, own in _WAYS + (_WAYS_OF_TWO if consumers == 2 else []):
                fitting = [n for n in (2, 3, 4) if _fits_hopper(head_dim, consumers, key_tile, n, slots, own)]
                # As few stages as will do, and as many as there is room for.
                for stages in sorted({*fitting[:1], *fitting[-1:]}):
                    schedules.append(f"consumers={consumers} key-tile={key_tile} stages={stages} {words}")
    return schedules


def list_schedules(target, head_dim):
    """What is worth a try on a target."""
    if target == "sm_90a":
        return _list_hopper(head_dim)
    if target == "cpu":
        return [f"query-tile={q} key-tile={k}" for q in (16, 32, 64, 128) for k in (32, 64, 128)]
    stages = (1, 2) if head_dim <= 128 else (1,)
    tiles = [(q, k) for q in (64, 128) for k in (32, 64, 128)]
    return [f"query-tile={q} key-tile={k} stages={n}" for q, k in tiles for n in stages]


# ---------------------------------------------------------------------------------------------------------------------
# Problems and clocks
# ---------------------------------------------------------------------------------------------------------------------


class _Problem:
    """Self-attention of one size: its arrays, and how a kernel is called and timed."""

    def __init__(self, options, head_dim, mask, length):
        self.name = f"{options.dtype} d{head_dim} {mask} s{length}"
        self.is_causal = mask == "causal"
        heads = options.heads or max(1, 2048 // head_dim)
        shape = (max(1, options.tokens // length), heads, length, head_dim)
        self.flops = 4 * shape[0] * heads * length * length * head_dim / (2 if self.is_causal else 1)
        self.on_cpu = options.target == "cpu"
        if self.on_cpu:
            self._draw_numpy(shape, options.dtype)
        else:
            self._draw_torch(shape, options.dtype)

    def _draw_numpy(self, shape, dtype):
        import numpy as np

        generator = np.random.default_rng(0)
        self.inputs = [generator.standard_normal(shape).astype({"f32": "f4", "f64": "f8", "f16": "f2"}[dtype]) for _ in range(3)]
        self.out = np.empty(shape, self.inputs[0].dtype)
        self.repeats = 1

    def _draw_torch(self, shape, dtype):
        import torch

        self.torch = torch
        kind = {"bf16": torch.bfloat16, "f16": torch.float16}[dtype]
        self.inputs = [torch.randn(shape, device="cuda").to(kind) for _ in range(3)]
        self.out = torch.empty(shape, device="cuda", dtype=kind)
        self.repeats = max(3, min(100, int(0.012 / (self.flops / 400e12))))

    def text(self):
        import fa_mlir

        return fa_mlir.attention_text(*self.inputs, causal=self.is_causal)

    def call(self, kernel):
        query, key, value = self.inputs
        kernel(query[:, :, None], key, value, self.out[:, :, None])

    def result(self, kernel):
        """In f64, on the host."""
        self.out[...] = float("nan")
        self.call(kernel)
        if self.on_cpu:
            return self.out.astype("f8")
        return self.out.float().cpu().numpy().astype("f8")

    def milliseconds(self, kernel):
        """Of one call, after a warm-up of its own: the median of a few."""
        self.call(kernel)
        if self.on_cpu:
            start = time.perf_counter()
            self.call(kernel)
            return (time.perf_counter() - start) * 1e3
        for _ in range(self.repeats // 2):
            self.call(kernel)
        events = [self.torch.cuda.Event(enable_timing=True) for _ in range(self.repeats + 1)]
        events[0].record()
        for event in events[1:]:
            self.call(kernel)
            event.record()
        self.torch.cuda.synchronize()
        return statistics.median(a.elapsed_time(b) for a, b in zip(events, events[1:]))


# ---------------------------------------------------------------------------------------------------------------------
# What is kept
# ---------------------------------------------------------------------------------------------------------------------


class _Progress:
    """One line on a terminal, none elsewhere."""

    def __init__(self, what, total):
        self.what, self.total, self.done = what, total, 0

    def step(self):
        self.done += 1
        if sys.stderr.isatty():
            filled = 30 * self.done // max(1, self.total)
            end = "\n" if self.done == self.total else ""
            print(f"\r{self.what} [{'#' * filled}{'.' * (30 - filled)}] {self.done}/{self.total}", end=end, file=sys.stderr, flush=True)


class _Record:
    """OUT/measured.jsonl: one finished problem a line. A line that was cut off counts as not there."""

    def __init__(self, folder, target):
        self.path = folder / "measured.jsonl"
        self.target = target
        self.rows = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                try:
                    row = json.loads(line)
                    self.rows[row["target"], row["problem"]] = row
                except (ValueError, KeyError):
                    continue

    def get(self, name, candidates):
        """The problem's row, if it was searched among at least these."""
        row = self.rows.get((self.target, name))
        return row if row and set(candidates) <= {*row["milliseconds"], *row["refused"]} else None

    def add(self, row):
        self.rows[row["target"], row["problem"]] = row
        with open(self.path, "a") as file:
            file.write(json.dumps(row) + "\n")


def _best(row):
    right = {name: ms for name, ms in row["milliseconds"].items() if name not in row["wrong"]}
    finals = {name: right[name] for name in row["finalists"] if name in right} or right
    return min(finals, key=finals.get)


def write_table(path, rows):
    """The tuned table as Markdown; `choose` reads it."""
    lines = ["| target | type | head dim | mask | length | schedule | TFLOP/s | default / this |", "|---" * 8 + "|"]
    for row in rows:
        best = _best(row)
        dtype, head_dim, mask, length = row["problem"].split()
        ms = row["milliseconds"]
        lines.append(
            f"| {row['target']} | {dtype} | {head_dim[1:]} | {mask} | {length[1:]} | {best or 'default'} "
            f"| {row['flops'] / ms[best] / 1e9:.3g} | {ms[DEFAULT] / ms[best]:.3f} |"
        )
    path.write_text("\n".join(lines) + "\n")


def choose(path, target, dtype, head_dim, mask, length):
    """The schedule that a table has for the nearest length of this kind, None for the default; KeyError if there is none."""
    best = None
    for line in pathlib.Path(path).read_text().splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[:4] == [target, dtype, str(head_dim), mask]:
            distance = abs(int(cells[4]).bit_length() - int(length).bit_length()), abs(int(cells[4]) - length)
            if best is None or distance < best[0]:
                best = distance, cells[5]
    if best is None:
        raise KeyError(f"{path} has no row for {target} {dtype} {head_dim} {mask}")
    return None if best[1] == "default" else best[1]


def write_plot(path, rows):
    """Gain over the default by length, a line for each head dimension and mask."""
    series = {}
    for row in rows:
        dtype, head_dim, mask, length = row["problem"].split()
        gain = row["milliseconds"][DEFAULT] / row["milliseconds"][_best(row)]
        series.setdefault(f"{row['target']} {dtype} {head_dim} {mask}", []).append((int(length[1:]), gain))
    lengths = sorted({length for points in series.values() for length, _ in points})
    most = max([1.1] + [gain for points in series.values() for _, gain in points])
    width, height, left, top = 560, 300, 60, 20
    x = lambda length: left + (width - 240) * lengths.index(length) / max(1, len(lengths) - 1)  # noqa: E731
    y = lambda gain: top + (height - 70) * (most - gain) / (most - 0.95)  # noqa: E731
    colours = ("#1b6ca8", "#c0392b", "#2d8a4e", "#8e44ad", "#d4a017", "#555555", "#16a3a3", "#e67e22")
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">']
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for step in range(6):
        gain = 0.95 + (most - 0.95) * step / 5
        parts.append(f'<line x1="{left}" x2="{width - 175}" y1="{y(gain):.1f}" y2="{y(gain):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{y(gain) + 4:.1f}" text-anchor="end">{gain:.2f}</text>')
    for length in lengths:
        parts.append(f'<text x="{x(length):.1f}" y="{height - 32}" text-anchor="middle">{length}</text>')
    parts.append(f'<text x="{left}" y="{height - 10}">time of the default / time of the best, by length</text>')
    for i, (name, points) in enumerate(series.items()):
        colour = colours[i % len(colours)]
        line = " ".join(f"{x(length):.1f},{y(gain):.1f}" for length, gain in sorted(points))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(n):.1f}" cy="{y(g):.1f}" r="3" fill="{colour}"/>' for n, g in points]
        parts.append(f'<text x="{width - 165}" y="{top + 14 * i + 8}" fill="{colour}">{name}</text>')
    path.write_text("\n".join([*parts, "</svg>"]) + "\n")


# ---------------------------------------------------------------------------------------------------------------------
# The search
# ---------------------------------------------------------------------------------------------------------------------


def _compile_all(problem, target, schedules, jobs):
    """schedule -> kernel, and schedule -> why there is none."""
    import fa_mlir

    text, progress = problem.text(), _Progress(f"{problem.name}: compiling", len(schedules))
    kernels, refused = {}, {}

    def compile_one(schedule):
        return fa_mlir.compile(text, target, schedule=schedule or None)

    # Threads: the compiler is outside Python, ptxas a process of its own.
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(compile_one, schedule): schedule for schedule in schedules}
        for future in concurrent.futures.as_completed(futures):
            schedule = futures[future]
            try:
                kernels[schedule] = future.result()
            except Exception as error:  # a candidate that does not compile is not one
                refused[schedule] = str(error).strip().splitlines()[-1][:160]
            progress.step()
    if DEFAULT not in kernels:
        raise RuntimeError(f"{problem.name}: the default schedule does not compile: {refused[DEFAULT]}")
    return kernels, refused


def _measure(problem, kernels, rounds, what):
    """schedule -> median of the rounds, in milliseconds."""
    times, generator = {schedule: [] for schedule in kernels}, random.Random(0)
    progress = _Progress(f"{problem.name}: {what}", rounds * len(kernels))
    for _ in range(rounds):
        order = list(kernels)
        generator.shuffle(order)
        for schedule in order:
            times[schedule].append(problem.milliseconds(kernels[schedule]))
            progress.step()
    return {schedule: statistics.median(values) for schedule, values in times.items()}


def _wrong(problem, kernels):
    """Schedules whose result differs from the default's by more than rounding does."""
    import numpy as np

    expected = problem.result(kernels[DEFAULT])
    size = np.linalg.norm(expected)
    return [s for s in kernels if not np.linalg.norm(problem.result(kernels[s]) - expected) <= 1e-2 * size]


def tune(problem, kernels, refused, options):
    """One problem: a row of the record."""
    wrong = _wrong(problem, kernels)
    right = {schedule: kernel for schedule, kernel in kernels.items() if schedule not in wrong}
    milliseconds = _measure(problem, right, options.rounds, "all")
    finalists = sorted(milliseconds, key=milliseconds.get)[: options.keep]
    finalists = list(dict.fromkeys([*finalists, DEFAULT]))
    milliseconds.update(_measure(problem, {s: right[s] for s in finalists}, 2 * options.rounds + 1, "best"))
    return {
        "target": options.target,
        "problem": problem.name,
        "flops": problem.flops,
        "milliseconds": milliseconds,
        "finalists": finalists,
        "wrong": wrong,
        "refused": refused,
    }


def _parse(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m fa_mlir.tune", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder of the record, the table and the plot")
    parser.add_argument("--target", default="sm_90a", help="sm_90a (default), sm_80 or cpu")
    parser.add_argument("--dtype", default="bf16", choices=["bf16", "f16", "f32", "f64"])
    parser.add_argument("--head-dims", type=int, nargs="+", default=[64, 128, 256])
    parser.add_argument("--masks", nargs="+", default=["full", "causal"], choices=["full", "causal"])
    parser.add_argument("--lengths", type=int, nargs="+", default=[512, 1024, 2048, 4096, 8192, 16384])
    parser.add_argument("--tokens", type=int, default=16384, help="batch * length")
    parser.add_argument("--heads", type=int, help="by default 2048 / head dimension")
    parser.add_argument("--candidate", action="append", help="a schedule instead of the search's; may be repeated")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=int, default=4, help="schedules that are measured for longer")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    if options.target == "cpu" and options.dtype == "bf16":
        parser.error("--target cpu draws numpy arrays, which have no bf16: say --dtype f32, f64 or f16")
    if options.target != "cpu" and options.dtype not in ("bf16", "f16"):
        parser.error(f"--target {options.target} takes --dtype bf16 or f16")
    return options


def _missing(target):
    """What a search on a target needs and is not there; None if all is."""
    if target == "cpu":
        return None
    try:
        import torch
    except ImportError:
        return "torch"
    return None if torch.cuda.is_available() else "GPU that torch can use"


def main(arguments=None):
    options = _parse(arguments)
    missing = _missing(options.target)
    if missing:
        why = f"--target {options.target} needs torch and an NVIDIA GPU; there is no {missing} here"
        print(f"fa_mlir.tune: {why}. Without a GPU: --target cpu --dtype f32", file=sys.stderr)
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    record, rows = _Record(options.out, options.target), []
    for head_dim in options.head_dims:
        schedules = [DEFAULT, *(options.candidate or list_schedules(options.target, head_dim))]
        for mask in options.masks:
            kernels = None  # one set for all lengths
            for length in options.lengths:
                name = f"{options.dtype} d{head_dim} {mask} s{length}"
                row = record.get(name, schedules)
                if row is None:
                    problem = _Problem(options, head_dim, mask, length)
                    if kernels is None:
                        kernels, refused = _compile_all(problem, options.target, schedules, options.jobs)
                    row = tune(problem, kernels, refused, options)
                    record.add(row)
                rows.append(row)
                best = _best(row)
                gain = row["milliseconds"][DEFAULT] / row["milliseconds"][best]
                print(f"{name}: {best or 'default'}, {row['flops'] / row['milliseconds'][best] / 1e9:.3g} TFLOP/s, {gain:.3f} of the default")
                for schedule in row["wrong"]:
                    print(f"  WRONG RESULT: {schedule or 'default'}")
                write_table(options.out / "table.md", rows)
                write_plot(options.out / "plot.svg", rows)
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
