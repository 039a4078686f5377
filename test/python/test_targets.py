"""Which target is chosen, and what says so; on a stand-in for the CUDA driver."""

import math

import pytest

import fa_mlir
from fa_mlir import _attention, _kernel, _targets
from fa_mlir._arrays import View


def tensor(*shape, dtype="bf16", device=0):
    strides = tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))
    return View(0x10000, dtype, shape, strides, device, None)


ARRAYS = tensor(1, 2, 64, 64), tensor(1, 2, 64, 64), tensor(1, 2, 64, 64)


class Compiler:
    """Records what is compiled; refuses some targets."""

    def __init__(self, refused=(), diagnostics=""):
        self.refused, self.targets, self.diagnostics = refused, [], diagnostics

    def __call__(self, text, target, **options):
        self.targets.append((target, options.get("assemble_for"), options.get("ptxas")))
        if target in self.refused:
            raise fa_mlir.Error(f"source:1:1: remark: something\nsource:9:3: error: {target} has no such feature")
        return type("Kernel", (), {"target": target, "diagnostics": self.diagnostics})()


def use(monkeypatch, *refused):
    compiler = Compiler(refused)
    monkeypatch.setattr(_kernel, "compile", compiler)
    return compiler


def test_own_target_first(monkeypatch):
    compiler = use(monkeypatch)
    kernel = _targets.compile_for("text", "auto", 90)
    assert kernel.target == "sm_90a" and kernel.choice == "sm_90a on a device of capability 9.0"
    assert compiler.targets == [("sm_90a", None, None)]


def test_fallback_says_why(monkeypatch):
    compiler = use(monkeypatch, "sm_90a")
    kernel = _targets.compile_for("text", "auto", 90)
    assert kernel.target == "sm_80"
    assert kernel.choice == (
        "sm_80 on a device of capability 9.0; sm_90a refused the program: source:9:3: error: sm_90a has no such feature"
    )
    assert compiler.targets == [("sm_90a", None, None), ("sm_80", "sm_90", None)]


def test_others_take_sm_80(monkeypatch):
    for capability in (80, 86, 89, 100, 120):
        compiler = use(monkeypatch)
        assert _targets.compile_for("text", "auto", capability).target == "sm_80"
        assert compiler.targets == [("sm_80", f"sm_{capability}", None)]


def test_forced(monkeypatch):
    use(monkeypatch, "sm_90a")
    assert _targets.compile_for("text", "sm_80", 90).choice == "sm_80 as asked for"
    with pytest.raises(fa_mlir.Error, match="no such feature"):
        _targets.compile_for("text", "sm_90a", 90)


def test_remarks(monkeypatch):
    said = "source:2:3: remark: this kernel stays with mma.sync: why\n"
    monkeypatch.setattr(_kernel, "compile", Compiler(diagnostics=said + "source:1:1: remark: attention found\n" + said))
    kernel = _targets.compile_for("text", "auto", 90)
    assert kernel.choice == "sm_90a on a device of capability 9.0; this kernel stays with mma.sync: why"


def test_all_refuse(monkeypatch):
    use(monkeypatch, "sm_90a", "sm_80")
    with pytest.raises(fa_mlir.Error, match="sm_80 has no such feature"):
        _targets.compile_for("text", "auto", 90)


def test_kernel_of_attention():
    kernel = fa_mlir.attention_kernel(*ARRAYS, causal=True)
    assert kernel.choice == "sm_80 on a device of capability 8.0"
    assert ".target sm_80" in kernel.ptx
    assert "fa.attention {" in fa_mlir.attention_text(*ARRAYS, causal=True)
    assert fa_mlir.compile(fa_mlir.attention_text(*ARRAYS), "auto").target == "sm_80"


def test_choice_is_remembered(monkeypatch):
    compiler = Compiler()
    monkeypatch.setattr(_attention, "_kernels", {})
    monkeypatch.setattr(_kernel, "compile", compiler)
    spec = _attention._prepare(*ARRAYS, *_attention._get_options({}))[1]
    assert _attention._get_kernel(spec, 0) is _attention._get_kernel(spec, 0)
    assert len(compiler.targets) == 1


@pytest.mark.parametrize(
    "arrays, target, error, message",
    [
        (ARRAYS, "cpu", ValueError, "target is 'cpu', but the arrays are on a GPU"),
        ([a._replace(device=-1) for a in ARRAYS], "sm_80", ValueError, "target is 'sm_80', but the arrays are in host memory"),
        (ARRAYS, 80, TypeError, "target must be a name such as 'sm_80', not int"),
        (ARRAYS, "sm_1", ValueError, "unknown processor 'sm_1'"),
        (ARRAYS, "H100", fa_mlir.Error, "unknown processor 'H100'"),
        (ARRAYS, "sm_999", fa_mlir.Error, "unknown processor 'sm_999'"),
    ],
)
def test_bad_target(arrays, target, error, message):
    with pytest.raises(error, match=message):
        fa_mlir.attention_kernel(*arrays, target=target)


def test_unknown_option():
    with pytest.raises(TypeError, match="attention has no argument 'colour'"):
        fa_mlir.attention_text(*ARRAYS, colour="red")
