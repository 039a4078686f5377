"""What a caller may give: arrays that are written, numbers of other libraries, options of the wrong type."""

import ctypes
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import fa_mlir
from fa_mlir import _arrays, _attention, _library, _scalars

ROOT = pathlib.Path(__file__).parents[2]

#===----------------------------------------------------------------------===#
# Arrays that are written
#===----------------------------------------------------------------------===#

# Through views, a loop, a branch, a call, and a tensor; `x` is only read.
WRITERS = {
    "store": "memref.store %c, %y[%i, %i] : memref<?x?xf32, strided<[?, ?]>>",
    "view": """
        %v = memref.subview %y[1, 0] [1, 2] [1, 1] : memref<?x?xf32, strided<[?, ?]>> to memref<1x2xf32, strided<[?, ?], offset: ?>>
        linalg.fill ins(%c : f32) outs(%v : memref<1x2xf32, strided<[?, ?], offset: ?>>)""",
    "loop": """
        %r = scf.for %j = %i to %one step %one iter_args(%a = %y) -> memref<?x?xf32, strided<[?, ?]>> {
          scf.yield %a : memref<?x?xf32, strided<[?, ?]>>
        }
        memref.store %c, %r[%i, %i] : memref<?x?xf32, strided<[?, ?]>>""",
    "call": "func.call @helper(%x, %y) : (memref<?x?xf32, strided<[?, ?]>>, memref<?x?xf32, strided<[?, ?]>>) -> ()",
    "copy": "memref.copy %x, %y : memref<?x?xf32, strided<[?, ?]>> to memref<?x?xf32, strided<[?, ?]>>",
}
WRITER = """
func.func @f(%x: memref<?x?xf32, strided<[?, ?]>>, %y: memref<?x?xf32, strided<[?, ?]>>) {{
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = arith.constant 3.0 : f32
  {body}
  return
}}
func.func private @helper(%x: memref<?x?xf32, strided<[?, ?]>>, %y: memref<?x?xf32, strided<[?, ?]>>) {{
  memref.copy %x, %y : memref<?x?xf32, strided<[?, ?]>> to memref<?x?xf32, strided<[?, ?]>>
  return
}}
"""


@pytest.mark.parametrize("name", WRITERS)
def test_access_is_known(name):
    kernel = fa_mlir.compile(WRITER.format(body=WRITERS[name]), "reference", entry="f")
    (function,) = json.loads(kernel.manifest)["functions"]
    assert [argument["access"] for argument in function["arguments"]] == ["read", "write"]


ATTENTION = """
#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @attention(%q: memref<?x8xf32, strided<[?, ?]>>, %k: memref<?x8xf32, strided<[?, ?]>>,
                     %v: memref<?x8xf32, strided<[?, ?]>>, %o: memref<?x8xf32, strided<[?, ?]>>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : memref<?x8xf32, strided<[?, ?]>>, memref<?x8xf32, strided<[?, ?]>>, memref<?x8xf32, strided<[?, ?]>>)
    outs(%o : memref<?x8xf32, strided<[?, ?]>>)
  return
}
"""


@pytest.fixture(scope="module", params=["cpu", "reference"])
def attention(request):
    return fa_mlir.compile(ATTENTION, request.param)


def make_arrays():
    return [np.random.default_rng(i).standard_normal((6, 8)).astype(np.float32) for i in range(3)]


def freeze(array):
    array.flags.writeable = False
    return array


def test_read_only_inputs(attention):
    out = np.zeros((6, 8), np.float32)
    q, k, v = map(freeze, make_arrays())
    attention(q, k, v, out)
    # Broadcast inputs are read only, too.
    attention(np.broadcast_to(q[:1], q.shape), k, v, out)
    assert out.any()


def test_read_only_output(attention, tmp_path):
    arrays = make_arrays()
    out = np.zeros((6, 8), np.float32)
    attention(*arrays, out)
    # Known shapes do not hide it.
    with pytest.raises(ValueError, match=r"argument 3 \('out'\): .*read-only"):
        attention(*arrays, freeze(np.zeros((6, 8), np.float32)))
    np.save(tmp_path / "out.npy", np.zeros((6, 8), np.float32))
    with pytest.raises(ValueError, match="read-only"):
        attention(*arrays, np.load(tmp_path / "out.npy", mmap_mode="r"))


@pytest.mark.parametrize(
    "strides, is_allowed",
    [
        ((0, 4), False),
        ((32, 0), False),
        ((4, 4), False),
        ((28, 4), False),
        ((32, 4), True),
        ((64, 8), True),
        ((4, 24), True),
        ((-32, 4), True),
        ((32, -4), True),
    ],
)
def test_output_strides(attention, strides, is_allowed):
    memory = np.zeros(400, np.float32)
    out = np.lib.stride_tricks.as_strided(memory[200:], (6, 8), strides)
    arrays = make_arrays()
    if not is_allowed:
        with pytest.raises(ValueError, match=r"'out'\): .*share memory"):
            attention(*arrays, out)
        assert not memory.any()
        return
    expected = np.zeros((6, 8), np.float32)
    attention(*arrays, expected)
    attention(*arrays, out)
    np.testing.assert_allclose(out, expected, atol=1e-6)


def test_tensors_are_values():
    """What a tensor program is given as a destination it does not write."""
    text = ATTENTION.replace("memref<?x8xf32, strided<[?, ?]>>", "tensor<?x8xf32>").replace(
        "tensor<?x8xf32>) {\n", "tensor<?x8xf32>) -> tensor<?x8xf32> {\n"
    )
    text = text.replace("  fa.attention", "  %r = fa.attention").replace("outs(%o : tensor<?x8xf32>)", "outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>")
    text = text.replace("return\n", "return %r : tensor<?x8xf32>\n")
    out = freeze(np.zeros((6, 8), np.float32))
    assert fa_mlir.compile(text, "cpu")(*make_arrays(), out).any()
    assert not out.any()


class Foreign:
    """An array of another library."""

    def __init__(self, array, old=False):
        self.array, self.old = array, old

    def __dlpack__(self, **options):
        if self.old and options:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("old", [False, True])
def test_dlpack(attention, old):
    arrays = make_arrays()
    expected, out = np.zeros((6, 8), np.float32), np.zeros((6, 8), np.float32)
    attention(*arrays, expected)
    attention(*(Foreign(x, old) for x in arrays), Foreign(out, old))
    np.testing.assert_array_equal(out, expected)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="numpy has no read-only DLPack arrays")
def test_dlpack_read_only(attention):
    arrays = make_arrays()
    out = np.zeros((6, 8), np.float32)
    attention(Foreign(freeze(arrays[0])), *arrays[1:], out)
    with pytest.raises(ValueError, match="read-only"):
        attention(*arrays, Foreign(freeze(out)))
    with pytest.raises(ValueError, match="argument 3.*cannot be used"):
        attention(*arrays, Foreign(out, old=True))


def test_masked():
    arrays = [np.zeros((1, 1, 4, 8), np.float32)] * 3
    with pytest.raises(TypeError, match="key: masked arrays"):
        fa_mlir.attention(arrays[0], np.ma.masked_array(arrays[1], mask=True), arrays[2])


#===----------------------------------------------------------------------===#
# Numbers
#===----------------------------------------------------------------------===#

FIRST = "func.func @f(%a: tensor<1x{type}>, %x: {type}) -> tensor<1x{type}> {{\n{body}\n  return %r : tensor<1x{type}>\n}}\n"
INSERT = "  %c = arith.constant 0 : index\n  %r = tensor.insert %x into %a[%c] : tensor<1x{type}>"
DTYPES = {"i1": "bool", "i8": "int8", "i32": "int32", "i64": "int64", "f16": "float16", "f32": "float32", "f64": "float64"}


@pytest.fixture(scope="module")
def echo():
    """The kernel's idea of a number."""
    kernels = {}

    def run(dtype, value):
        if dtype not in kernels:
            kernels[dtype] = fa_mlir.compile(FIRST.format(type=dtype, body=INSERT.format(type=dtype)), "reference")
        return kernels[dtype](np.zeros(1, DTYPES[dtype]), value)[0]

    return run


@pytest.mark.parametrize(
    "dtype, value",
    [
        ("i1", True),
        ("i1", np.True_),
        ("i1", 1),
        ("i8", np.int64(-128)),
        ("i32", np.int8(-3)),
        ("i32", np.array(7)),
        ("i64", np.uint32(2**32 - 1)),
        ("f16", np.float64(0.5)),
        ("f32", np.float32(0.1)),
        ("f32", np.int32(3)),
        ("f32", 2**60),
        ("f64", np.float16(0.25)),
        ("f64", np.array(0.5)),
    ],
)
def test_numbers(echo, dtype, value):
    assert echo(dtype, value) == np.asarray(value, DTYPES[dtype])


@pytest.mark.parametrize(
    "dtype, value, error, message",
    [
        ("i32", 1.5, TypeError, r"argument 1 \('arg1'\): an integer is expected, not float"),
        ("i32", np.float32(1), TypeError, "an integer is expected, not float32"),
        ("i32", 2**31, ValueError, "does not fit i32"),
        ("i8", -129, ValueError, "does not fit i8"),
        ("i1", 2, ValueError, "does not fit i1"),
        ("i1", 0.0, TypeError, "an integer is expected"),
        ("f32", "1", TypeError, "a number is expected, not str"),
        ("f32", None, TypeError, "a number is expected, not NoneType"),
        ("f32", 1j, TypeError, "a number is expected, not complex"),
        ("f32", np.complex64(1), TypeError, "a number is expected, not complex64"),
        ("f32", np.ones(1), TypeError, "a number is expected, not ndarray"),
        ("f32", np.ma.masked, TypeError, "a number is expected, not MaskedConstant"),
        ("f32", 1e39, ValueError, "does not fit f32"),
        ("f32", 2**2000, ValueError, "too large"),
        ("f16", 1e6, ValueError, "does not fit f16"),
    ],
)
def test_bad_numbers(echo, dtype, value, error, message):
    with pytest.raises(error, match=message):
        echo(dtype, value)


def test_numbers_that_compare_equal(echo):
    """Found again by their bits."""
    assert not np.signbit(echo("f32", 0.0)) and np.signbit(echo("f32", -0.0))
    assert np.isnan(echo("f32", float("nan")))


@pytest.mark.parametrize("value, bits", [(1.0, 0x3F80), (-0.0, 0x8000), (3.3895e38, 0x7F7F), (float("inf"), 0x7F80), (1e-45, 0)])
def test_bf16(value, bits):
    assert _scalars.to_scalar("bf16", value).bits == bits
    assert _scalars.to_scalar("bf16", float("nan")).bits & 0x7FFF > 0x7F80


@pytest.mark.parametrize("value", [1e39, -1e39, 3.4e38])
def test_bf16_too_large(value):
    with pytest.raises(ValueError, match="does not fit bf16"):
        _scalars.to_scalar("bf16", value)


#===----------------------------------------------------------------------===#
# Options
#===----------------------------------------------------------------------===#


@pytest.fixture
def inputs():
    return [np.random.default_rng(i).standard_normal((1, 1, 5, 8)).astype(np.float32) for i in range(3)]


@pytest.mark.parametrize(
    "given, meant",
    [
        (dict(scale=np.float32(0.5)), dict(scale=0.5)),
        (dict(scale=2), dict(scale=2.0)),
        (dict(scale=np.array(0.5)), dict(scale=0.5)),
        (dict(softcap=np.int64(3)), dict(softcap=3.0)),
        (dict(causal=np.True_), dict(causal=True)),
        (dict(causal=np.False_), dict(causal=None)),
        (dict(window=[np.int64(1), None]), dict(window=(1, None))),
        (dict(window=(2**63 - 1, 2**63 - 1)), dict()),
        (dict(return_lse=0), dict()),
    ],
)
def test_options_of_other_types(inputs, given, meant):
    expected = fa_mlir.attention(*inputs, **meant)
    for _ in range(2):
        np.testing.assert_array_equal(fa_mlir.attention(*inputs, **given), expected)


@pytest.mark.parametrize(
    "options, known, error, message",
    [
        (dict(causal=1), dict(causal=True), ValueError, "causal must be"),
        (dict(causal=0.0), dict(causal=False), ValueError, "causal must be"),
        (dict(causal=np.ones(2)), {}, ValueError, "causal must be"),
        (dict(window=(1.0, 2.0)), dict(window=(1, 2)), TypeError, "pair"),
        (dict(window=(True, 2)), dict(window=(1, 2)), TypeError, "pair"),
        (dict(window=(2**63, 0)), {}, ValueError, r"below 2\*\*63"),
        (dict(scale=True), dict(scale=1.0), TypeError, "scale must be a number, not bool"),
        (dict(scale=np.True_), dict(scale=1.0), TypeError, "scale must be a number"),
        (dict(scale=2**2000), {}, ValueError, "scale: the number is too large"),
        (dict(scale=1e300), {}, ValueError, "does not fit f32"),
        (dict(scale=1j), {}, TypeError, "scale: a number is expected"),
        (dict(softcap=np.ones(3)), {}, TypeError, "softcap: a number is expected"),
        (dict(layout=b"bhsd"), {}, TypeError, "layout must be a name such as 'bhsd', not bytes"),
        (dict(layout=["bhsd"]), {}, TypeError, "layout must be a name such as 'bhsd', not list"),
        (dict(target=1), {}, TypeError, "target must be a name such as 'sm_80', not int"),
    ],
)
def test_options_of_wrong_types(inputs, options, known, error, message):
    """Also once a plan is known whose options compare equal."""
    _attention._plans.clear()
    for _ in range(2):
        with pytest.raises(error, match=message):
            fa_mlir.attention(*inputs, **options)
        fa_mlir.attention(*inputs, **known)


@pytest.mark.parametrize(
    "options, error, message",
    [
        (dict(target=None), TypeError, "target must be a name, not NoneType"),
        (dict(target=80), TypeError, "target must be a name, not int"),
        (dict(entry=1), TypeError, "entry must be a name, not int"),
        (dict(schedule=["fa1"]), TypeError, "schedule must be text"),
        (dict(schedule="fa1\nentry=f"), ValueError, "schedule has a line break"),
        (dict(entry="f\0g"), ValueError, "entry has .* zero byte"),
    ],
)
def test_bad_compile_options(options, error, message):
    with pytest.raises(error, match=message):
        fa_mlir.compile(ATTENTION, **{"target": "cpu", **options})


def test_options_that_are_zero():
    text = (ROOT / "test" / "Target" / "Manifest" / "add.mlir").read_text()
    fast = fa_mlir.compile(text, "sm_80", lowered=True, ptxas="none")
    slow = fa_mlir.compile(text, "sm_80", lowered=True, ptxas="none", opt_level=0, codegen_level=0)
    assert slow.ptx != fast.ptx


def test_bad_names(attention, tmp_path):
    with pytest.raises(TypeError, match="stage must be a name, not NoneType"):
        attention.ir(None)
    with pytest.raises(TypeError, match="entry must be a name, not int"):
        fa_mlir.load(tmp_path, 1)
    with pytest.raises(fa_mlir.Error, match="cannot read"):
        fa_mlir.load(bytes(tmp_path))


#===----------------------------------------------------------------------===#
# The library
#===----------------------------------------------------------------------===#


def test_abi_version():
    header = (ROOT / "include" / "fa-c" / "fa.h").read_text()
    assert int(re.search(r"define FA_ABI_VERSION (\d+)", header)[1]) == _library.ABI_VERSION
    # No word of the struct is padding that an older caller may have left unset.
    assert ctypes.sizeof(_library.Argument) == 4 * 8 + 4 * 4


IMPORT = "import sys; sys.path[:0] = {path!r}\ntry:\n  import fa_mlir\nexcept ImportError as error:\n  print(error)"
LIBRARIES = {
    "old": 'const char *fa_version(void) { return "0.0.1"; }',
    "other": "int fa_abi_version(void) { return 1; } const char *fa_version(void) { return 0; }",
    "incomplete": f"int fa_abi_version(void) {{ return {_library.ABI_VERSION}; }} const char *fa_version(void) {{ return 0; }}",
    "foreign": "int nothing;",
}


@pytest.mark.parametrize("name", [*LIBRARIES, "text", "missing"])
def test_wrong_library(tmp_path, name):
    path = tmp_path / f"lib{name}.so"
    if name in LIBRARIES:
        subprocess.run(["clang", "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=LIBRARIES[name].encode(), check=True)
    elif name == "text":
        path.write_text("no library")
    program = IMPORT.format(path=[str(ROOT / "python"), *sys.path])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={"FA_MLIR_LIBRARY": str(path)})
    assert done.returncode == 0, done.stderr
    kind = {"text": "cannot load", "missing": "cannot load", "foreign": "no library of FA"}.get(name, "another version of FA")
    assert kind in done.stdout and str(path) in done.stdout


#===----------------------------------------------------------------------===#
# Stacks
#===----------------------------------------------------------------------===#

THREAD = """
import sys, threading
sys.path[:0] = {path!r}
import numpy as np, fa_mlir
x = np.random.default_rng(0).standard_normal((1, 1, 70, {head_dim})).astype(np.float32)
def run():
    results.append(fa_mlir.attention(x, x, x, causal=True))
results = []
threading.stack_size({stack} << 10)
for _ in range(2):
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
threading.stack_size(64 << 20)
fa_mlir._attention._plans.clear()
results.append(fa_mlir.attention(x, x, x, causal=True))
print(len(results), all(np.array_equal(result, results[0]) for result in results))
"""


@pytest.mark.parametrize("stack, head_dim", [(64, 64), (256, 256), (512, 1024)])
def test_small_stack(stack, head_dim):
    """Compiling and calling needs more stack than some threads have."""
    program = THREAD.format(path=[str(ROOT / "python"), *sys.path], stack=stack, head_dim=head_dim)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["3", "True"], done.stderr


def test_errors_from_small_stack():
    """An error of another thread's stack is this thread's."""
    program = "import sys, threading; sys.path[:0] = {path!r}\nimport fa_mlir\n{code}".format(
        path=[str(ROOT / "python"), *sys.path],
        code="""
def run():
    for text in ("junk", "func.func @f() { return }"):
        try:
            fa_mlir.compile(text, "cpu").ir("nothing")
        except fa_mlir.Error as error:
            print(error)
threading.stack_size(256 << 10)
thread = threading.Thread(target=run)
thread.start()
thread.join()
""",
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "custom op 'junk'" in done.stdout and "nothing" in done.stdout, done.stderr
