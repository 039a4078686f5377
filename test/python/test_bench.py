"""The benchmark of GPU attention, as far as it needs no GPU and no torch; test_torch.py runs it on the CPU."""

import json
import pathlib
import random
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench" / "gpu"))

import bench
import cells
import clock
import report


@pytest.mark.parametrize("text", [*cells.NAMED.values(), "b2 h4 s8/16 d32/16 f16 bottom_right w3/inf softcap2.5 alibi backward"])
def test_cells_print_as_they_are_read(text):
    cell = cells.parse(text)
    assert cells.parse(str(cell)) == cell


def test_sets():
    sets = cells.sets()
    assert len(sets["table"]) == (3 + 1) * 2 * 6 + 6
    assert all(cell.batch * cell.query_length == 16384 for cell in sets["table"])
    assert all(cell.backward for cell in sets["backward"])
    assert set(cells.NAMED) <= set(sets)


@pytest.mark.parametrize(
    "text, flops",
    [
        ("b2 h4/2 s10/20 d8/16", 2 * 4 * 200 * 2 * 24),
        ("b1 h1 s10 d8 causal", 4 * 50 * 8),
        ("b1 h1 s2/10 d8 bottom_right", 4 * (9 + 10) * 8),
        ("b1 h1 s10/2 d8 causal", 4 * (1 + 2 * 9) * 8),
        ("b1 h1 s4 d8 causal w1/0", 4 * (1 + 2 + 2 + 2) * 8),
        ("b1 h1 s10 d8 backward", 10 * 100 * 8),
    ],
)
def test_flops(text, flops):
    assert cells.parse(text).flops() == flops


@pytest.mark.parametrize(
    "text, message",
    [("b1 x3", "'x3' in a cell is not known"), ("hmany", "'hmany' in a cell: a number"), ("h4/3", "4 heads are not a multiple of 3")],
)
def test_bad_cells(text, message):
    with pytest.raises(ValueError, match=message):
        cells.parse(text)


class StepClock:
    """Every call takes what its candidate says."""

    def median(self, call, repeats):
        return call()


def test_rounds_are_in_random_order():
    calls = []
    candidates = {name: (lambda name=name: calls.append(name) or 1.0, StepClock()) for name in "abcd"}
    times = clock.measure(candidates, 20, 1, random.Random(0))
    assert all(len(values) == 20 for values in times.values())
    rounds = ["".join(calls[i : i + 4]) for i in range(0, 80, 4)]
    assert all(sorted(order) == list("abcd") for order in rounds) and len(set(rounds)) > 5


def test_host_clock():
    waits = []
    count = []
    assert clock.HostClock().median(lambda: count.append(1), 5) >= 0 and len(count) == 6
    assert clock.HostClock(lambda: waits.append(1)).median(lambda: None, 5) >= 0 and len(waits) == 6
    assert clock.host_time(lambda: None, lambda: None, 100) < 100


def make_rows():
    rows = []
    for length, ours, theirs in ((1024, 1.0, 1.1), (2048, 2.0, 1.8)):
        cell = cells.parse(f"b1 h16 s{length} d128 causal")
        rows.append(report.make_row(cell, {"fa": [9.0, ours, 0.1], "cuDNN": [theirs] * 3}, "cuDNN", "fa", {"Pallas": "no jax"}))
    return rows


def test_report(tmp_path):
    rows = make_rows()
    assert rows[0]["ratio"] == {"cuDNN": 1.1} and rows[0]["milliseconds"]["fa"] == 1.0
    assert "fa/cuDNN 0.900" in report.format_row(rows[1], "fa")
    table = report.format_table(rows, "fa")
    assert "| cell | fa | cuDNN | fa / cuDNN |" in table
    assert "0.995 |" in table.splitlines()[-1]
    report.write_json(tmp_path / "out.json", {"device": "none"}, rows)
    assert report.read_json(tmp_path / "out.json")["rows"] == json.loads(json.dumps(rows))
    assert list(report.group_series(rows)) == ["h16 d128 bf16 causal"]


def test_plot(tmp_path):
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        assert not report.plot(tmp_path / "out.png", make_rows(), "fa", "title")
    else:
        assert report.plot(tmp_path / "out.png", make_rows(), "fa", "title") and (tmp_path / "out.png").stat().st_size


def test_arguments(capsys):
    options = bench.parse_arguments(["--set", "bert", "--cell", "b1 h2 s8 d16"])
    assert [str(cell) for cell in options.cells] == ["b128 h16 s128 d64 bf16", "b1 h2 s8 d16 bf16"]
    with pytest.raises(SystemExit):
        bench.parse_arguments(["--cell", "nonsense"])
    assert "'nonsense' in a cell is not known" in capsys.readouterr().err


def test_counts(capsys):
    """A refusal of the compiler is no failure; what goes wrong later is."""
    import fa_mlir
    from counts import Counts

    def fail(error):
        def run():
            raise error

        return run

    def refuse():
        fa_mlir.compile("func.func @f(%x: tensor<4xcomplex<f32>>) { return }", "sm_80")

    counts = Counts()
    assert counts.add("right", list) == []
    assert counts.add("refused", refuse) == []
    assert counts.add("wrong", lambda: ["error 3 > 1"]) == ["error 3 > 1"]
    for error in (
        fa_mlir.Error("cannot launch the kernel: CUDA_ERROR_UNKNOWN"),
        fa_mlir.Error("source: error: ptxas failed"),
        ValueError("source:1:2: error: not ours"),
        KeyError("x"),
    ):
        assert counts.add("broken", fail(error))
    assert str(counts) == "1 passed, 1 refused, 5 failed"
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("refused refused: ") and said[1] == "FAIL wrong: error 3 > 1" and said[-1].startswith("FAIL broken: KeyError")


def test_cycles():
    """Kernels of one call, with what ncu says of each."""
    import cycles

    text = """==PROF== Profiling
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","attention_kernel_tma(CUtensorMap_st, int)","sm__cycles_elapsed.max","cycle","1,234,567"
"0","attention_kernel_tma(CUtensorMap_st, int)","sm__inst_issued.avg.pct_of_peak_sustained_elapsed","%","38.5"
"1","convert","sm__cycles_elapsed.max","cycle","1,000"
"""
    first, second = cycles.read_metrics(text)
    assert first["name"] == "attention_kernel_tma" and first[cycles.CYCLES] == 1234567 and first[cycles.ISSUED] == 38.5
    assert second == {"name": "convert", cycles.CYCLES: 1000}
    assert cycles.read_metrics("==ERROR== no permission") == []
