"""ONNX -> torch-mlir's or IREE's importer -> linalg on tensors.

An Attention node is replaced with its function body, the meaning that the ONNX
standard gives: no importer lowers the node with grouped heads or a softcap.

usage: onnx_export.py [name ...]
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import onnx
import onnx.inliner
import torch
from onnx import TensorProto, helper
from torch_models import functional

import common

F32, F16, BOOL = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BOOL


def attention(name, inputs, output, opset, **attributes):
    """A model of one Attention node with (name, type, shape) as its inputs."""
    values = [helper.make_tensor_value_info(*value) for value in inputs]
    result = helper.make_tensor_value_info(*output)
    node = helper.make_node(
        "Attention", [v.name for v in values], [result.name], **attributes
    )
    graph = helper.make_graph([node], name, values, [result])
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=11)


def attention23_gqa_mask_f32():
    return attention(
        "attention23_gqa_mask_f32",
        [
            ("q", F32, [2, 4, 12, 8]),
            ("k", F32, [2, 2, 24, 8]),
            ("v", F32, [2, 2, 24, 8]),
            ("mask", BOOL, [12, 24]),
        ],
        ("y", F32, [2, 4, 12, 8]),
        23,
    )


def attention23_causal_softcap_f16():
    return attention(
        "attention23_causal_softcap_f16",
        [
            ("q", F16, [2, 2, 16, 8]),
            ("k", F16, [2, 2, 16, 8]),
            ("v", F16, [2, 2, 16, 8]),
        ],
        ("y", F16, [2, 2, 16, 8]),
        23,
        is_causal=1,
        softcap=20.0,
        scale=0.25,
        softmax_precision=F32,
    )


def attention24_merged_heads_f32():
    # Heads merged into the last dimension: the node splits them itself.
    return attention(
        "attention24_merged_heads_f32",
        [
            ("q", F32, [2, 12, 32]),
            ("k", F32, [2, 20, 32]),
            ("v", F32, [2, 20, 32]),
            ("bias", F32, [2, 1, 1, 20]),
        ],
        ("y", F32, [2, 12, 32]),
        24,
        q_num_heads=4,
        kv_num_heads=4,
    )


def encoder_layer_f32_dynamic():
    layer = torch.nn.TransformerEncoderLayer(
        32, 4, dim_feedforward=64, batch_first=True
    )
    # A dynamic batch as well would meet the error in lowering a view that
    # torch_mlir_export.py describes.
    axes = ({1: torch.export.Dim("seq")},)
    module, args, dynamic = functional(
        layer.eval(), (torch.zeros(2, 12, 32),), axes
    )
    program = torch.onnx.export(
        module, args, dynamo=True, dynamic_shapes=dynamic, opset_version=18
    )
    model = program.model_proto
    model.graph.name = "encoder_layer_f32_dynamic"
    return model


MODELS = {
    attention23_gqa_mask_f32: "torch-mlir",
    attention23_causal_softcap_f16: "torch-mlir",
    attention24_merged_heads_f32: "iree",
    encoder_layer_f32_dynamic: "iree",
}

PIPELINE = (
    "builtin.module(torch-onnx-to-torch-backend-pipeline,"
    "torch-backend-to-linalg-on-tensors-backend-pipeline)"
)


def tool(command, *args):
    done = subprocess.run([command, *args], text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(f"{command}: {done.stderr[:2000]}")
    return done.stdout


def make(fn):
    name, importer = fn.__name__, MODELS[fn]
    bins = pathlib.Path(sys.executable).parent
    model = onnx.inliner.inline_selected_functions(
        fn(), [("", "Attention")], False, True
    )
    model = onnx.shape_inference.infer_shapes(
        model, strict_mode=True, data_prop=True
    )
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "model.onnx")
        out = os.path.join(folder, "model.mlir")
        onnx.save(model, file)
        if importer == "iree":
            tool(bins / "iree-import-onnx", file, "-o", out)
            opt = bins / "iree-opt"
        else:
            tool(bins / "torch-mlir-import-onnx", "--data-prop", file, "-o", out)
            opt = bins / "torch-mlir-opt"
        text = tool(opt, f"--pass-pipeline={PIPELINE}", out)
    common.write(
        f"onnx_{name}",
        text,
        [
            f"onnx {onnx.__version__}, imported by {importer}"
            " (torch-mlir 20261001, IREE 3.13.0)",
            f"made by: export/onnx_export.py {name}",
        ],
    )


if __name__ == "__main__":
    for fn in MODELS:
        if fn.__name__ in sys.argv[1:] or not sys.argv[1:]:
            make(fn)
