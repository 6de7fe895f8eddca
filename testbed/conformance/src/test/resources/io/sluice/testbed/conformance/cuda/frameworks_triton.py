"""A kernel of Triton, which reads its source from a file."""
import torch
import triton
import triton.language as tl


@triton.jit
def exponential(x, y, count, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    within = at < count
    tl.store(y + at, tl.exp(tl.load(x + at, mask=within)) + 1, mask=within)


def exponentials(x):
    y = torch.empty_like(x)
    exponential[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), block=256)
    return y
