"""Tiny PyTorch and transformers models, their example inputs and dynamic axes.

Each entry of MODELS is a function that returns (module, args, dynamic_shapes).
No weights are loaded: a configuration of a few hidden units makes the module.
"""

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim


def state(module):
    return dict(module.named_parameters()) | dict(module.named_buffers())


class Functional(nn.Module):
    """Calls `module` with its parameters and buffers as trailing arguments.

    Exported weights then are function arguments and not literals in the file.
    """

    def __init__(self, module, arity):
        super().__init__()
        # In a list, so that the parameters are not registered here as well.
        self.hidden = [module]
        self.names = list(state(module))
        self.arity = arity

    def forward(self, *args):
        weights = dict(zip(self.names, args[self.arity :]))
        return torch.func.functional_call(
            self.hidden[0], weights, args[: self.arity]
        )


def functional(module, args, dynamic=None):
    weights = tuple(t.detach() for t in state(module).values())
    shapes = None
    if dynamic is not None:
        shapes = (tuple(dynamic) + (None,) * len(weights),)
    return Functional(module, len(args)), (*args, *weights), shapes


class Apply(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, *args):
        return self.fn(*args)


def sdpa_causal_f16_dynamic():
    q = torch.zeros(2, 2, 12, 16, dtype=torch.float16)
    axes = {0: Dim("batch"), 2: Dim("seq")}
    fn = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return Apply(fn), (q, q, q), ((axes, axes, axes),)


def sdpa_gqa_bf16():
    q = torch.zeros(2, 4, 12, 16, dtype=torch.bfloat16)
    kv = torch.zeros(2, 2, 24, 16, dtype=torch.bfloat16)
    fn = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    return Apply(fn), (q, kv, kv), None


def sdpa_bool_mask_f32():
    q = torch.zeros(2, 2, 12, 8)
    kv = torch.zeros(2, 2, 24, 8)
    mask = torch.ones(2, 1, 1, 24, dtype=torch.bool)
    fn = lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m)
    return Apply(fn), (q, kv, kv, mask), None


def decode_step_f16_dynamic():
    """One query against a cache of dynamic length that grows by one."""

    def fn(q, k, v, past_k, past_v):
        k = torch.cat([past_k, k], dim=2)
        v = torch.cat([past_v, v], dim=2)
        return F.scaled_dot_product_attention(q, k, v), k, v

    one = torch.zeros(2, 2, 1, 16, dtype=torch.float16)
    past = torch.zeros(2, 2, 12, 16, dtype=torch.float16)
    axes = {2: Dim("seq")}
    return Apply(fn), (one, one, one, past, past), ((None,) * 3 + (axes,) * 2,)


def decoder_layer_f32():
    """Two attentions in a function: causal self and unmasked cross attention."""

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.TransformerDecoderLayer(
                32, 2, dim_feedforward=64, batch_first=True
            )

        def forward(self, x, memory):
            mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
            return self.layer(x, memory, tgt_mask=mask)

    return functional(
        Layer().eval(), (torch.zeros(2, 12, 32), torch.zeros(2, 20, 32))
    )


def mha_padding_f32():
    mha = nn.MultiheadAttention(32, 4, batch_first=True).eval()
    x = torch.zeros(2, 16, 32)
    pad = torch.zeros(2, 16, dtype=torch.bool)

    class Self(nn.Module):
        def __init__(self):
            super().__init__()
            self.mha = mha

        def forward(self, x, pad):
            return self.mha(x, x, x, key_padding_mask=pad, need_weights=False)[0]

    return functional(Self().eval(), (x, pad))


def mha_weights_f32():
    mha = nn.MultiheadAttention(32, 2, batch_first=True).eval()
    x = torch.zeros(2, 8, 32)

    class Self(nn.Module):
        def __init__(self):
            super().__init__()
            self.mha = mha

        def forward(self, x):
            return self.mha(x, x, x, need_weights=True)

    return functional(Self().eval(), (x,))


def bert_layer_f32_dynamic():
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertLayer

    config = BertConfig(
        hidden_size=32,
        num_attention_heads=4,
        intermediate_size=64,
        attn_implementation="eager",
    )

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = BertLayer(config)

        def forward(self, x, mask):
            # The extended mask as BertModel makes it from a 0/1 padding mask.
            lowest = torch.finfo(x.dtype).min
            bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * lowest
            out = self.layer(x, bias)
            return out[0] if isinstance(out, tuple) else out

    batch, seq = Dim("batch"), Dim("seq")
    return functional(
        Layer().eval(),
        (torch.zeros(2, 12, 32), torch.ones(2, 12, dtype=torch.int64)),
        ({0: batch, 1: seq}, {0: batch, 1: seq}),
    )


def llama_layer_bf16():
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import (
        LlamaDecoderLayer,
        LlamaRotaryEmbedding,
    )

    config = LlamaConfig(
        hidden_size=32,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        intermediate_size=64,
        attn_implementation="eager",
    )

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = LlamaDecoderLayer(config, layer_idx=0).bfloat16()
            self.rotary = LlamaRotaryEmbedding(config)

        def forward(self, x):
            seq = x.shape[1]
            positions = torch.arange(seq)[None]
            # The additive causal mask of the eager path.
            lowest = torch.finfo(x.dtype).min
            keep = positions[0][None, :] <= positions[0][:, None]
            mask = torch.where(keep, 0.0, lowest).to(x.dtype)[None, None]
            out = self.layer(
                x,
                attention_mask=mask,
                position_ids=positions,
                position_embeddings=self.rotary(x, positions),
            )
            return out[0] if isinstance(out, tuple) else out

    x = torch.zeros(2, 16, 32, dtype=torch.bfloat16)
    return functional(Layer().eval(), (x,))


def gemma2_attention_f32_dynamic():
    from transformers import Gemma2Config
    from transformers.models.gemma2.modeling_gemma2 import eager_attention_forward

    class Heads(nn.Module):
        num_key_value_groups = 2

    # The eager function itself: softcap, then an additive mask, then softmax.
    heads = Heads().eval()
    fn = lambda q, k, v, mask: eager_attention_forward(
        heads, q, k, v, mask, scaling=0.25, softcap=50.0
    )[0]
    q = torch.zeros(2, 4, 12, 16)
    kv = torch.zeros(2, 2, 12, 16)
    mask = torch.zeros(2, 1, 12, 12)
    batch, seq = Dim("batch"), Dim("seq")
    axes = {0: batch, 2: seq}
    return (
        Apply(fn),
        (q, kv, kv, mask),
        ((axes, axes, axes, {0: batch, 2: seq, 3: seq}),),
    )


def gpt_oss_sink_bf16():
    from transformers.models.gpt_oss.modeling_gpt_oss import (
        eager_attention_forward,
    )

    class Heads(nn.Module):
        num_key_value_groups = 2

    def fn(q, k, v, mask, sinks):
        heads = Heads().eval()
        heads.sinks = sinks
        return eager_attention_forward(heads, q, k, v, mask, scaling=0.25)[0]

    kind = dict(dtype=torch.bfloat16)
    q = torch.zeros(2, 4, 12, 16, **kind)
    kv = torch.zeros(2, 2, 12, 16, **kind)
    mask = torch.zeros(2, 1, 12, 12, **kind)
    return Apply(fn), (q, kv, kv, mask, torch.zeros(4, **kind)), None


def t5_attention_f32():
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    config = T5Config(
        d_model=32, d_kv=8, num_heads=4, attn_implementation="eager"
    )

    class Self(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = T5Attention(config, layer_idx=0)

        def forward(self, x, bias):
            return self.attention(x, position_bias=bias)[0]

    return functional(
        Self().eval(), (torch.zeros(2, 12, 32), torch.zeros(1, 4, 12, 12))
    )


def classifier_f32_dynamic():
    head = nn.Sequential(
        nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 10), nn.Softmax(dim=-1)
    )
    return functional(
        head.eval(), (torch.zeros(4, 32),), ({0: Dim("batch")},)
    )


def moe_router_f32():
    """A dense mixture: softmax over experts weighs the experts' outputs.

    matmul, softmax, batch matmul, but over experts of one token: no attention.
    """

    class Mixture(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = nn.Linear(16, 4, bias=False)
            self.up = nn.Parameter(torch.zeros(4, 16, 32))
            self.down = nn.Parameter(torch.zeros(4, 32, 16))

        def forward(self, x):
            probs = torch.softmax(self.gate(x), dim=-1)
            hidden = F.silu(torch.einsum("td,edf->tef", x, self.up))
            out = torch.einsum("tef,efd->ted", hidden, self.down)
            return torch.einsum("te,ted->td", probs, out)

    return functional(Mixture().eval(), (torch.zeros(24, 16),))


def efficient_attention_f32():
    """Efficient attention (Shen et al.): softmax(q) (softmax(k)^T v).

    Two softmaxes and two matmuls, none of which is softmax(q k^T) v.
    """

    def fn(q, k, v):
        context = torch.softmax(k, dim=-2).transpose(-1, -2) @ v
        return torch.softmax(q, dim=-1) @ context

    q = torch.zeros(2, 2, 16, 8)
    return Apply(fn), (q, q, q), None
