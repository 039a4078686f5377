"""Checking the result of a big problem: float64 on a sample of its rows."""

import math

import torch

ROWS = 32


def _sample_rows(length, generator):
    """The first and last rows, and some between."""
    if length <= ROWS:
        return torch.arange(length)
    ends = torch.tensor([0, 1, length // 2, length - 1])
    return torch.cat([ends, torch.randint(0, length, (ROWS - 4,), generator=generator)]).unique()


class Truth:
    """The right values of a sample of (batch, head, row), and how far a result may be from them."""

    def __init__(self, problem, seed=1):
        self.problem = problem
        cell = problem.cell
        self.is_backward = cell.backward
        if self.is_backward:
            self._set_gradients()
            return
        generator = torch.Generator().manual_seed(seed)
        rows = _sample_rows(cell.query_length, generator)
        places = {(0, 0), (cell.batch - 1, cell.heads - 1), (cell.batch // 2, cell.heads // 2)}
        self.samples = [(batch, head, rows, *self._evaluate(batch, head, rows)) for batch, head in sorted(places)]

    def _evaluate(self, batch, head, rows):
        """Values in float64, and in the problem's own type the naive way."""
        cell, problem = self.problem.cell, self.problem
        kv_head = head // (cell.heads // cell.kv_heads)
        q = problem.query[batch, head, rows.to(problem.query.device)]
        k, v = problem.key[batch, kv_head], problem.value[batch, kv_head]
        return tuple(self._attention(q, k, v, rows, head, dtype) for dtype in (torch.float64, q.dtype))

    def _attention(self, q, k, v, rows, head, dtype):
        cell = self.problem.cell
        soft = torch.promote_types(dtype, torch.float32)
        s = (q.to(dtype) @ k.to(dtype).T).to(soft) / math.sqrt(cell.head_dim)
        if cell.softcap:
            s = cell.softcap * torch.tanh(s / cell.softcap)
        i = rows.to(q.device).view(-1, 1)
        j = torch.arange(cell.key_length, device=q.device).view(1, -1)
        offset = 0 if cell.causal == "top_left" else cell.key_length - cell.query_length
        if cell.alibi:
            s = s - self.problem.slopes[head].to(soft) * (i + offset - j).abs().to(soft)
        keep = torch.ones_like(s, dtype=torch.bool)
        if cell.causal:
            keep &= j <= i + offset
        if cell.window:
            left, right = cell.window
            keep &= (j >= i + offset - left) if left is not None else keep
            keep &= (j <= i + offset + right) if right is not None else keep
        p = torch.softmax(s.masked_fill(~keep, float("-inf")), -1).nan_to_num(0.0)
        return p.to(dtype) @ v.to(dtype)

    def _set_gradients(self):
        """All gradients of the first batch entry's first key head: [queries of its group, key, value]."""
        own = self.problem.query.dtype
        self.gradients = list(zip(self._gradients(torch.float64), self._gradients(own)))

    def _gradients(self, dtype):
        cell, problem = self.problem.cell, self.problem
        rows = torch.arange(cell.query_length)
        k, v = (t[0, 0].detach().to(dtype).requires_grad_() for t in (problem.key, problem.value))
        d_query, d_key, d_value = [], torch.zeros_like(k), torch.zeros_like(v)
        for head in range(cell.heads // cell.kv_heads):
            q = problem.query[0, head].detach().to(dtype).requires_grad_()
            out = self._attention(q, k, v, rows, head, dtype)
            dq, dk, dv = torch.autograd.grad(out, (q, k, v), problem.d_out[0, head].to(dtype))
            d_query.append(dq)
            d_key += dk
            d_value += dv
        return torch.stack(d_query), d_key, d_value

    def violations(self, result):
        """Reasons why an output, or a tuple of gradients, is wrong; none is a pass."""
        if self.is_backward:
            group = self.problem.cell.heads // self.problem.cell.kv_heads
            got = result[0][0, :group], result[1][0, 0], result[2][0, 0]
            places = zip(got, self.gradients, ("d_query", "d_key", "d_value"))
            reasons = [compare(gradient, *expected, name) for gradient, expected, name in places]
        else:
            reasons = [
                compare(result[batch, head, rows.to(result.device)].detach(), truth, naive, f"out of batch {batch}, head {head}")
                for batch, head, rows, truth, naive in self.samples
            ]
        return [reason for reason in reasons if reason]


def compare(got, truth, naive, name):
    """None, or why `got` is farther from the truth than the naive computation allows."""
    if not torch.isfinite(got).all():
        return f"{name} is not finite"
    error = (got.double() - truth).abs().max().item()
    ulp = torch.finfo(got.dtype).eps
    bar = 2 * (naive.double() - truth).abs().max().item() + 2 * ulp * truth.abs().max().item()
    return None if error <= bar else f"{name}: error {error:.3e} > {bar:.3e}"
