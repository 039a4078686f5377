"""PyTorch -> torch-mlir (FX importer) -> linalg on tensors.

usage: torch_mlir_export.py [name ...]    (all of MODELS without a name)
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


def export(name):
    module, args, dynamic = getattr(torch_models, name)()
    # torch.export takes arguments that are one object for one argument.
    args = tuple(arg.clone() for arg in args)
    with torch.no_grad():
        program = torch.export.export(module, args, dynamic_shapes=dynamic)
    out = fx.export_and_import(
        program,
        func_name=name,
        output_type="raw",
        decomposition_table=decompositions(dynamic),
    )
    if name not in LOOSE:
        with out.context:
            for op in out.body.operations:
                op.operation.attributes[STRICT] = UnitAttr.get()
    run_pipeline_with_repro_report(
        out,
        "builtin.module(torchdynamo-export-to-torch-backend-pipeline)",
        "TorchFX -> Torch backend",
    )
    lower_mlir_module(False, OutputType.LINALG_ON_TENSORS, out)
    if name not in LOOSE:
        with out.context:
            for op in out.body.operations:
                if STRICT in op.operation.attributes:
                    del op.operation.attributes[STRICT]
    common.write(
        f"torch_{name}",
        str(out),
        [
            f"torch {torch.__version__.split('+')[0]}, torch-mlir 20261001"
            f" (transformers {transformers.__version__} where it has the layer)",
            f"made by: export/torch_mlir_export.py {name}",
        ],
    )


if __name__ == "__main__":
    for name in sys.argv[1:] or MODELS:
        export(name)
