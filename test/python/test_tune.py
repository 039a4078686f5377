"""fa_mlir.tune, the search of schedules, on the CPU."""

import json
import sys
import types

import pytest
from fa_mlir import tune

ARGUMENTS = "--target cpu --dtype f32 --tokens 64 --heads 1 --head-dims 16 --masks causal --rounds 1 --jobs 1".split()


def run(folder, *more):
    return tune.main(["--out", str(folder), *ARGUMENTS, *more])


def test_search_and_resume(tmp_path, monkeypatch, capsys):
    candidates = ["--candidate", "query-tile=16 key-tile=16", "--candidate", "query-tile=32 key-tile=0"]
    assert run(tmp_path, "--lengths", "32", *candidates) == 0
    (line,) = (tmp_path / "measured.jsonl").read_text().splitlines()
    row = json.loads(line)
    assert row["problem"] == "f32 d16 causal s32" and set(row["milliseconds"]) == {"", "query-tile=16 key-tile=16"}
    assert "query-tile=32 key-tile=0" in row["refused"] and row["wrong"] == []

    # A line cut off, and another length: what is there is not measured again.
    with open(tmp_path / "measured.jsonl", "a") as file:
        file.write('{"target": "cpu", "prob\n')
    measured = []
    original = tune.tune
    monkeypatch.setattr(tune, "tune", lambda problem, *rest: measured.append(problem.name) or original(problem, *rest))
    assert run(tmp_path, "--lengths", "32", "64", *candidates) == 0
    assert measured == ["f32 d16 causal s64"]
    assert "f32 d16 causal s32: " in capsys.readouterr().out

    table = (tmp_path / "table.md").read_text().splitlines()
    assert len(table) == 4 and table[2].startswith("| cpu | f32 | 16 | causal | 32 | ")
    assert (tmp_path / "plot.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("missing", ["torch", "GPU"])
def test_without_gpu(missing, tmp_path, monkeypatch, capsys):
    torch = types.SimpleNamespace(cuda=types.SimpleNamespace(is_available=lambda: False))
    monkeypatch.setitem(sys.modules, "torch", None if missing == "torch" else torch)
    assert tune.main(["--out", str(tmp_path / "out")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f"needs torch and an NVIDIA GPU; there is no {missing}" in line and "--target cpu --dtype f32" in line
    assert not (tmp_path / "out").exists()


def test_choose(tmp_path):
    row = {"target": "sm_90a", "flops": 1e9, "finalists": ["x=1", ""], "wrong": [], "refused": {}}
    rows = [
        {**row, "problem": "bf16 d128 full s512", "milliseconds": {"": 2.0, "x=1": 1.0}},
        {**row, "problem": "bf16 d128 full s4096", "milliseconds": {"": 1.0, "x=1": 2.0}},
    ]
    tune.write_table(tmp_path / "table.md", rows)
    assert tune.choose(tmp_path / "table.md", "sm_90a", "bf16", 128, "full", 600) == "x=1"
    assert tune.choose(tmp_path / "table.md", "sm_90a", "bf16", 128, "full", 16384) is None
    with pytest.raises(KeyError):
        tune.choose(tmp_path / "table.md", "sm_90a", "bf16", 64, "full", 512)


def test_wrong_results_are_never_chosen(tmp_path):
    row = {"target": "cpu", "problem": "f32 d16 full s32", "flops": 1e9, "finalists": ["", "x=1"], "refused": {}}
    row |= {"wrong": ["x=1"], "milliseconds": {"": 2.0, "x=1": 1.0}}
    tune.write_table(tmp_path / "table.md", [row])
    assert "| default |" in (tmp_path / "table.md").read_text()


@pytest.mark.parametrize("head_dim", [64, 96, 128, 192, 256])
def test_candidates_fit(head_dim):
    schedules = tune.list_schedules("sm_90a", head_dim)
    assert schedules and len(set(schedules)) == len(schedules)


def test_bad_type(tmp_path, capsys):
    with pytest.raises(SystemExit):
        tune.main(["--out", str(tmp_path), "--target", "cpu"])
    assert "say --dtype f32" in capsys.readouterr().err
