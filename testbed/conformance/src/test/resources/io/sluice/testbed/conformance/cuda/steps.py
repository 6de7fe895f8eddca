"""Trains two models for so many steps: one whose time is the processor's, one whose time is the GPU's."""
import time

import torch


def train(name, net, batch, width, steps):
    net = net.cuda()
    optimizer = torch.optim.AdamW(net.parameters())
    x = torch.randn(batch, width, device="cuda")
    for i in range(steps):
        if i == steps // 3:
            torch.cuda.synchronize()
            start = time.time()
        loss = net(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()
    print(f"{name}: {(steps - steps // 3) / (time.time() - start):.1f} steps/s")


linear, gelu = torch.nn.Linear, torch.nn.GELU
train("MLP of width 128", torch.nn.Sequential(linear(64, 128), gelu(), linear(128, 128), gelu(), linear(128, 10)), 64, 64, 1500)
train("MLP of width 4096", torch.nn.Sequential(linear(4096, 4096), gelu(), linear(4096, 4096)), 4096, 4096, 120)
