"""Results of the benchmark as a table, JSON and a plot."""

import json
import math
import pathlib
import statistics
import sys


def command():
    """What was called, without the folders of one machine: where the output went says nothing about the result."""
    words = [pathlib.Path(word).name if word.startswith("/") else word for word in sys.argv[1:]]
    return " ".join(["bench/gpu/" + pathlib.Path(sys.argv[0]).name, *words])


def make_row(cell, times, baseline, ours, errors=None):
    """One cell's result: TFLOP/s by candidate, and how many times faster we are than each."""
    medians = {name: statistics.median(values) for name, values in times.items()}
    row = {
        "cell": str(cell),
        "milliseconds": medians,
        "rounds": times,
        "tflops": {name: cell.flops() / value / 1e9 for name, value in medians.items()},
        "absent": errors or {},
    }
    if ours in medians:
        row["ratio"] = {name: value / medians[ours] for name, value in medians.items() if name != ours}
        row["baseline"] = baseline if baseline in row["ratio"] else None
    return row


def _figure(value):
    return f"{value:.1f}" if value >= 10 else f"{value:.3g}"


def format_row(row, ours):
    parts = [f"{name} {_figure(value)}" for name, value in row["tflops"].items()]
    ratios = row.get("ratio", {})
    if ratios:
        best = min(ratios, key=ratios.get)
        parts.append(f"{ours}/{best} {ratios[best]:.3f}")
        if row["baseline"] and row["baseline"] != best:
            parts.append(f"{ours}/{row['baseline']} {ratios[row['baseline']]:.3f}")
    return f"{row['cell']}: " + "  ".join(parts)


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def format_table(rows, ours):
    """Markdown: TFLOP/s, then the ratios."""
    names = []
    for row in rows:
        names += [name for name in row["tflops"] if name not in names]
    others = [name for name in names if name != ours]
    lines = ["| cell | " + " | ".join(names) + " | " + " | ".join(f"{ours} / {name}" for name in others) + " |"]
    lines.append("|---" * (1 + len(names) + len(others)) + "|")
    for row in rows:
        figures = [_figure(row["tflops"][name]) if name in row["tflops"] else "" for name in names]
        ratios = row.get("ratio", {})
        figures += [f"{ratios[name]:.3f}" if name in ratios else "" for name in others]
        lines.append(f"| {row['cell']} | " + " | ".join(figures) + " |")
    means = []
    for name in others:
        values = [row["ratio"][name] for row in rows if name in row.get("ratio", {})]
        means.append(f"{geometric_mean(values):.3f}" if values else "")
    lines.append("| geometric mean |" + " |" * len(names) + " " + " | ".join(means) + " |")
    return "\n".join(lines)


def write_json(path, info, rows):
    pathlib.Path(path).write_text(json.dumps({**info, "rows": rows}, indent=1) + "\n")


def read_json(path):
    return json.loads(pathlib.Path(path).read_text())


def _split_cell(text):
    """(what a plot is of, key length)."""
    words = text.split()
    length = next(word for word in words if word[0] == "s" and word[1].isdigit())
    rest = [word for word in words if word != length and not (word[0] == "b" and word[1:].isdigit())]
    return " ".join(rest), int(length[1:].split("/")[-1])


def group_series(rows):
    """Title -> [(key length, row)], of the problems that were run at more than one length."""
    groups = {}
    for row in rows:
        title, length = _split_cell(row["cell"])
        groups.setdefault(title, []).append((length, row))
    return {title: sorted(points, key=lambda p: p[0]) for title, points in groups.items() if len(points) > 1}


def plot(path, rows, ours, title):
    """TFLOP/s above, ratio below, against the length. False where matplotlib is not installed."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot

    groups = group_series(rows)
    if not groups:
        return False
    figure, axes = pyplot.subplots(2, len(groups), figsize=(4 * len(groups), 6), squeeze=False, sharex="col")
    for (name, points), upper, lower in zip(groups.items(), axes[0], axes[1]):
        candidates = sorted({candidate for _, row in points for candidate in row["tflops"]})
        for candidate in candidates:
            width = 2.5 if candidate == ours else 1
            shown = [(s, row["tflops"][candidate]) for s, row in points if candidate in row["tflops"]]
            upper.plot(*zip(*shown), marker="o", markersize=3, linewidth=width, label=candidate)
            ratios = [(s, row["ratio"][candidate]) for s, row in points if candidate in row.get("ratio", {})]
            if ratios:
                lower.plot(*zip(*ratios), marker="o", markersize=3, label=candidate)
        upper.set_title(name, fontsize=8)
        upper.set_ylabel("TFLOP/s")
        lower.axhline(1, color="grey", linewidth=0.5)
        lower.set_ylabel(f"times faster: {ours}")
        lower.set_xscale("log", base=2)
        lower.set_xlabel("S")
    axes[0][0].legend(fontsize=7)
    figure.suptitle(title, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return True
