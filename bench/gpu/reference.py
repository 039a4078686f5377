"""The meaning of attention in plain torch, in any precision; and the error rule.

`reference` follows the description of `fa.attention` line by line with the whole score matrix in memory. In
float64 it is the truth; in the inputs' own type it is the naive computation whose error sets the bar.
"""

import math
from dataclasses import dataclass, field

import torch


@dataclass
class Config:
    """One attention problem; shapes are torch's [B, H, S, D]."""

    batch: int = 1
    kv_heads: int = 1
    group: int = 1
    query_length: int = 64
    key_length: int = 64
    head_dim: int = 64
    value_dim: int = 64
    dtype: torch.dtype = torch.bfloat16
    options: dict = field(default_factory=dict)  # keyword arguments of fa_mlir.attention

    def __str__(self):
        options = ", ".join(
            f"{k}={tuple(v.shape) if isinstance(v, torch.Tensor) else v}" for k, v in self.options.items()
        )
        return (
            f"B{self.batch} H{self.kv_heads}x{self.group} S{self.query_length}x{self.key_length} "
            f"D{self.head_dim}/{self.value_dim} {str(self.dtype)[6:]} {options}"
        )


def keep_mask(config, device):
    """[B or 1, 1, Sq, Sk], true = keep, of causal, window and lengths; and the diagonal's offset [B or 1, 1, 1, 1]."""
    o = config.options
    sq, sk = config.query_length, config.key_length
    q_len, k_len = o.get("query_lengths"), o.get("key_lengths")
    q_len = torch.tensor([sq], device=device) if q_len is None else q_len.long()
    k_len = torch.tensor([sk], device=device) if k_len is None else k_len.long()
    causal, window = o.get("causal", False), o.get("window")
    # A window without causal uses the same default alignment as causal=True.
    alignment = causal if isinstance(causal, str) else "bottom_right"
    offset = (k_len - q_len if alignment == "bottom_right" else torch.zeros_like(k_len - q_len)).view(-1, 1, 1, 1)
    i = torch.arange(sq, device=device).view(1, 1, sq, 1)
    j = torch.arange(sk, device=device).view(1, 1, 1, sk)
    keep = (i < q_len.view(-1, 1, 1, 1)) & (j < k_len.view(-1, 1, 1, 1))
    if causal:
        keep = keep & (j <= i + offset)
    if window is not None:
        left, right = window
        if left is not None:
            keep = keep & (j >= i + offset - left)
        if right is not None:
            keep = keep & (j <= i + offset + right)
    return keep, offset


def reference(config, query, key, value, dtype):
    """out [B, H, Sq, Dv] in `dtype` and lse [B, H, Sq]; arithmetic in `dtype`, softmax in at least float32."""
    o = config.options
    soft = torch.promote_types(dtype, torch.float32)
    q, k, v = (t.to(dtype) for t in (query, key, value))
    k, v = (t.repeat_interleave(config.group, dim=1) for t in (k, v))
    scale = o.get("scale")
    scale = 1 / math.sqrt(config.head_dim) if scale is None else scale
    s = (q @ k.transpose(-1, -2)).to(soft) * scale
    if o.get("softcap") is not None:
        s = o["softcap"] * torch.tanh(s / o["softcap"])
    keep, offset = keep_mask(config, query.device)
    if o.get("alibi_slopes") is not None:
        i = torch.arange(config.query_length, device=q.device).view(1, 1, -1, 1)
        j = torch.arange(config.key_length, device=q.device).view(1, 1, 1, -1)
        s = s - o["alibi_slopes"].to(soft).view(1, -1, 1, 1) * (i + offset - j).abs().to(soft)
    if o.get("bias") is not None:
        s = s + o["bias"].to(soft)
    if o.get("mask") is not None:
        keep = keep & o["mask"]
    s = torch.where(keep, s, float("-inf"))
    peak = s.amax(-1, keepdim=True) if config.key_length else s.new_full((*s.shape[:-1], 1), float("-inf"))
    sinks = o.get("sinks")
    if sinks is not None:
        sinks = sinks.to(soft).view(1, -1, 1, 1).expand(s.shape[0], -1, s.shape[2], 1)
        peak = torch.maximum(peak, sinks)
    safe = torch.where(peak == float("-inf"), 0.0, peak)
    p = torch.exp(s - safe)
    total = p.sum(-1, keepdim=True)
    if sinks is not None:
        total = total + torch.exp(sinks - safe)
    p = torch.where(total == 0, 0.0, p / total)
    # A position excluded by length must not leak NaN through 0 * NaN.
    k_len = o.get("key_lengths")
    if k_len is not None:
        j = torch.arange(config.key_length, device=q.device).view(1, 1, -1, 1)
        v = torch.where(j < k_len.view(-1, 1, 1, 1), v, 0.0)
    out = p.to(dtype) @ v
    return out, (safe + torch.log(total)).squeeze(-1)


def violations(config, query, key, value, out, lse):
    """Reasons why (out, lse) breaks the error rule; an empty list is a pass."""
    truth, true_lse = reference(config, query, key, value, torch.float64)
    naive, _ = reference(config, query, key, value, config.dtype)
    _, naive_lse = reference(config, query.float(), key.float(), value.float(), torch.float32)
    ulp = torch.finfo(config.dtype).eps
    reasons = []
    largest = truth.abs().max().item() if truth.numel() else 0.0
    if not torch.isfinite(out).equal(torch.isfinite(truth)):
        reasons.append("out is not finite where the reference is")
    elif truth.numel():
        error = (out.double() - truth).abs().max().item()
        bar = 2 * (naive.double() - truth).abs().max().item() + 2 * ulp * largest
        if not error <= bar:
            reasons.append(f"out: error {error:.3e} > {bar:.3e}")
    if lse is not None and true_lse.numel():
        empty = true_lse == float("-inf")
        if not torch.equal(lse == float("-inf"), empty):
            reasons.append("lse: -inf exactly at empty rows expected")
        if out[empty].ne(0).any():
            reasons.append("out: empty rows must be exactly 0")
        full = ~empty
        error = (lse.double() - true_lse)[full].abs()
        bar = 2 * (naive_lse.double() - true_lse)[full].abs().max().item() if full.any() else 0.0
        # Twice the floor of the CPU: tensor cores add in float32 without rounding to nearest, and an error of truncation is
        # up to twice that of rounding, and of one sign.
        bar = bar + 2e-6 * true_lse[full].abs().clamp(min=1)
        if full.any() and not (error <= bar).all():
            reasons.append(f"lse: error {error.max().item():.3e} > {bar.max().item():.3e}")
    return reasons
