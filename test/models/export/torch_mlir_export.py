"""PyTorch -> torch-mlir (FX importer) -> linalg on tensors, or TOSA -> linalg.

The TOSA that torch-mlir makes is lowered with stock mlir-opt.

usage: torch_mlir_export.py [name ...]    (all of both lists without a name)
"""

import sys

import torch
import torch_models
import transformers
from torch_mlir import fx
from torch_mlir.compiler_utils import OutputType, lower_mlir_module
from torch_mlir.compiler_utils import run_pipeline_with_repro_report
from torch_mlir.extras.fx_decomp_util import get_decomposition_table
from torch_mlir.ir import UnitAttr

import common

MODELS = [
    "sdpa_causal_f16_dynamic",
    "sdpa_gqa_bf16",
    "sdpa_bool_mask_f32",
    "decode_step_f16_dynamic",
    "decoder_layer_f32",
    "mha_padding_f32",
    "mha_weights_f32",
    "bert_layer_f32_dynamic",
    "llama_layer_bf16",
    "gemma2_attention_f32_dynamic",
    "gpt_oss_sink_bf16",
    "t5_attention_f32",
    "classifier_f32_dynamic",
    "moe_router_f32",
    "efficient_attention_f32",
]

TOSA_MODELS = ["mha_padding_f32", "sdpa_gqa_bf16"]
TOSA_PASSES = "tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor"

# Without this promise torch-mlir guards every dynamic dimension against
# broadcasting from 1 with a tensor.extract and an assertion. torch.export has
# proved that its symbols are no such sizes; IREE sets the attribute as well.
STRICT = "torch.assume_strict_symbolic_shapes"
# One file stays without it, as code that a plain fx.export_and_import gives.
LOOSE = {"sdpa_causal_f16_dynamic"}


def decompositions(dynamic):
    table = dict(get_decomposition_table())
    if dynamic is not None:
        # aten.linear decomposes to a view that joins two dynamic dimensions.
        # torch-mlir lowers that view to a tensor.cast of one of them to 1,
        # which is right for sequences of one element only.
        del table[torch.ops.aten.linear.default]
    return table


def program_of(name):
    module, args, dynamic = getattr(torch_models, name)()
    # torch.export takes arguments that are one object for one argument.
    args = tuple(arg.clone() for arg in args)
    with torch.no_grad():
        return torch.export.export(module, args, dynamic_shapes=dynamic), dynamic


def header(name):
    return [
        f"torch {torch.__version__.split('+')[0]}, torch-mlir 20261001"
        f" (transformers {transformers.__version__} where it has the layer)",
        f"made by: export/torch_mlir_export.py {name}",
    ]


def mark(module, strict):
    with module.context:
        for op in module.body.operations:
            if strict:
                op.operation.attributes[STRICT] = UnitAttr.get()
            elif STRICT in op.operation.attributes:
                del op.operation.attributes[STRICT]


def export(name):
    program, dynamic = program_of(name)
    out = fx.export_and_import(
        program,
        func_name=name,
        output_type="raw",
        decomposition_table=decompositions(dynamic),
    )
    mark(out, name not in LOOSE)
    run_pipeline_with_repro_report(
        out,
        "builtin.module(torchdynamo-export-to-torch-backend-pipeline)",
        "TorchFX -> Torch backend",
    )
    lower_mlir_module(False, OutputType.LINALG_ON_TENSORS, out)
    mark(out, False)
    common.write(f"torch_{name}", str(out), header(name))


def export_tosa(name):
    program, _ = program_of(name)
    out = fx.export_and_import(program, func_name=name, output_type="tosa")
    # cse erases the constant shapes that are left without a use.
    passes = f"builtin.module(func.func({TOSA_PASSES},cse))"
    common.write(
        f"tosa_{name}", str(out), header(name), [f"--pass-pipeline={passes}"]
    )


if __name__ == "__main__":
    chosen = sys.argv[1:] or MODELS
    for name in MODELS:
        if name in chosen:
            export(name)
    for name in TOSA_MODELS:
        if name in chosen:
            export_tosa(name)
