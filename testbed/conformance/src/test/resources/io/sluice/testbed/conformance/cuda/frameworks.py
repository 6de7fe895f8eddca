"""What frameworks compute on a GPU, one a run: jax, cupy, triton, resnet, transformer, loader, compile.

Prints a line that a second run prints alike. Exits with 77 where the framework is not installed.
"""
import os
import sys

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
os.environ["XLA_FLAGS"] = "--xla_gpu_deterministic_ops=true"


def jax_autodiff():
    import jax
    import jax.numpy as jnp

    x = jax.random.normal(jax.random.PRNGKey(0), (512, 512))
    f = jax.jit(lambda a: jnp.tanh(a @ a.T).sum())
    slope = jax.grad(lambda a: jnp.sin(a @ a).sum())
    return jax.devices()[0].platform, float(f(x)), float(slope(x)[3, 5])


def cupy_kernels():
    import cupy

    a = cupy.arange(1 << 20, dtype=cupy.float32)
    norm = cupy.linalg.norm(cupy.random.RandomState(1).rand(256, 256) @ cupy.eye(256))
    kernel = cupy.RawKernel('extern "C" __global__ void f(float *x) { x[threadIdx.x] *= 3; }', "f")
    b = cupy.ones(32, dtype=cupy.float32)
    kernel((1,), (32,), (b,))
    return float((a * 2 + 1).sum()), float(norm), float(b.sum())


def triton_kernel():
    import torch
    import frameworks_triton

    x = torch.linspace(0, 1, 10000, device="cuda")
    return frameworks_triton.exponentials(x).sum().item()


def trained(model, x, y, steps=8):
    import torch

    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(steps):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def labels(count):
    import torch

    return torch.randint(0, 10, (count,)).cuda()


def resnet():
    import torch
    import torchvision

    model = torchvision.models.resnet18(num_classes=10).cuda()
    return trained(model, torch.randn(16, 3, 64, 64).cuda(), labels(16))


def transformer():
    import torch
    from torch import nn

    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    model = nn.Sequential(nn.TransformerEncoder(layer, 2), nn.Flatten(), nn.Linear(64 * 32, 10)).cuda()
    return trained(model, torch.randn(16, 32, 64).cuda(), labels(16))


def loader():
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    data = TensorDataset(torch.randn(256, 32), torch.randint(0, 10, (256,)))
    model = torch.nn.Linear(32, 10).cuda()
    losses = []
    for x, y in DataLoader(data, batch_size=64, num_workers=3, pin_memory=True):
        losses.append(trained(model, x.cuda(non_blocking=True), y.cuda(non_blocking=True), 1))
    return losses


def compiled():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 10)).cuda()
    return trained(torch.compile(model), torch.randn(64, 64).cuda(), labels(64))


PARTS = {
    "jax": jax_autodiff,
    "cupy": cupy_kernels,
    "triton": triton_kernel,
    "resnet": resnet,
    "transformer": transformer,
    "loader": loader,
    "compile": compiled,
}


def main():
    part = sys.argv[1]
    try:
        if part not in ("jax", "cupy"):
            import torch

            torch.manual_seed(1)
            torch.use_deterministic_algorithms(True)
            torch.backends.cudnn.benchmark = False
        print(part, PARTS[part]())
    except ModuleNotFoundError as missing:
        print(missing)
        sys.exit(77)


if __name__ == "__main__":
    main()
