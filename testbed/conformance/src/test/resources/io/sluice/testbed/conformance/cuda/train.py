"""Trains two models, and prints their losses bit by bit: what a second run must print alike."""
import torch

torch.manual_seed(1)
torch.use_deterministic_algorithms(True)


def train(name, net, data, labels, steps):
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    losses = []
    for i in range(steps):
        a, b = data[i % len(data)].pin_memory().cuda(non_blocking=True), labels[i % len(data)].cuda()
        loss = torch.nn.functional.cross_entropy(net(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i % (steps // 10) == 0:
            losses.append(loss.item())
    losses.append(loss.item())
    print(name, *[float(loss).hex() for loss in losses], flush=True)


generator = torch.Generator().manual_seed(7)
data = torch.randn(50, 64, 64, generator=generator)
mlp = torch.nn.Sequential(
    torch.nn.Linear(64, 512), torch.nn.GELU(), torch.nn.Linear(512, 512), torch.nn.GELU(), torch.nn.Linear(512, 10))
train("mlp", mlp.cuda(), data, data[:, :, :10].argmax(-1), 400)


class Last(torch.nn.Module):
    def __init__(self):
        super().__init__()
        layer = torch.nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True)
        self.encoder = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = torch.nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.encoder(x)[:, -1])


with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
    sequences = torch.randn(20, 16, 32, 64, generator=generator)
    train("transformer", Last().cuda(), sequences, sequences[:, :, -1, :10].argmax(-1), 200)
