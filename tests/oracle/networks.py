#!/usr/bin/env python3
"""What PyTorch computes with the architectures: logits, and parameters after two steps of training.

    python3 -m venv venv && venv/bin/pip install torch
    venv/bin/python tests/oracle/networks.py > tests/oracle/networks.json

Both sides fill the parameters by the same formula from their names, so the file holds results only. Every network is
written here a second time, with torch's modules. tests/it/networks.rs computes the same and compares.

logits      evaluation mode, in float64.
parameters  after two steps of SGD in float64: for each parameter and running statistic the values at ENTRIES places and
            PROJECTIONS sums with random signs, divided by the root of the number of entries; and `error`, the root mean
            square over all entries of the difference between PyTorch's float32 and its float64.
"""
import json
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

ENTRIES, PROJECTIONS = 4, 8
RATE, MOMENTUM, DECAY = 0.05, 0.9, 5e-4
U64 = (1 << 64) - 1


def stream(name, count):
    """SplitMix64 (Steele et al. 2014), from the FNV-1a hash of a name."""
    state = 0xCBF29CE484222325
    for byte in name.encode():
        state = (state ^ byte) * 0x100000001B3 & U64
    z = np.uint64(state) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def uniform(name, count):
    """In [-1, 1)."""
    return (stream(name, count) >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0


def fill(net):
    """float32 values, which float64 holds exactly."""
    for prefix, module in net.named_modules():
        norm = isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d))
        for name, value in list(module.named_parameters(recurse=False)) + list(module.named_buffers(recurse=False)):
            if name == "num_batches_tracked":
                continue
            x = uniform(f"{prefix}.{name}", value.numel())
            if name == "running_mean":
                x = 0.3 * x
            elif name == "running_var":
                x = 1.0 + 0.5 * x
            elif name == "bias":
                x = 0.1 * x
            elif norm:
                x = 1.0 + 0.2 * x
            else:
                x = np.sqrt(6.0 / (value.numel() // value.shape[0])) * x
            value.data.copy_(torch.tensor(x.astype(np.float32).reshape(value.shape)))
    return net


def samples(shape, count, classes):
    x = uniform("inputs", count * int(np.prod(shape))).astype(np.float32).reshape(count, *shape)
    return torch.tensor(x), torch.arange(count) * 7 % classes


def mlp(classes):
    layers = [nn.Flatten(), ("fc1", nn.Linear(30, 20)), nn.Softsign(), ("fc2", nn.Linear(20, 10)), nn.Softsign()]
    return numbered(nn.Sequential(), [*layers, ("fc3", nn.Linear(10, classes))])


class LeNet5(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


class Features(nn.Module):
    """`features`, then `classifier`, as torchvision's VGG."""

    def __init__(self, features, classifier):
        super().__init__()
        self.features, self.classifier = nn.Sequential(*features), nn.Sequential(*classifier)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def conv_net(pairs, shape, classes):
    features, inputs = [], 3
    for width in (64, 128, 256)[:pairs]:
        features += [nn.Conv2d(inputs, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1), nn.ReLU()]
        features.append(nn.MaxPool2d(2))
        inputs = width
    flat = inputs * (shape[1] >> pairs) * (shape[2] >> pairs)
    return Features(features, [nn.Linear(flat, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, classes)])


def vgg11(width, hidden, classes):
    features, inputs = [], 3
    for step in (1, "M", 2, "M", 4, 4, "M", 8, 8, "M", 8, 8, "M"):
        if step == "M":
            features.append(nn.MaxPool2d(2))
        else:
            outputs = step * width
            features += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU()]
            inputs = outputs
    features.append(nn.AdaptiveAvgPool2d(1))
    classifier = []
    for units in hidden:
        classifier += [nn.Linear(inputs, units), nn.ReLU(), nn.Identity()]  # dropout
        inputs = units
    return Features(features, classifier + [nn.Linear(inputs, classes)])


class Basic(nn.Module):
    """Two 3×3 convolutions; the shortcut is akamaster's option A, or torchvision's `downsample`."""

    expansion = 1

    def __init__(self, inputs, channels, stride, option_a):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, channels, 3, stride, 1, bias=False), nn.BatchNorm2d(channels)
        self.conv2, self.bn2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        shortcut(self, inputs, channels, stride, option_a)

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.shortcut(x))


class Bottleneck(nn.Module):
    """1×1, 3×3 with the stride, 1×1 with four times as many channels."""

    expansion = 4

    def __init__(self, inputs, channels, stride, option_a):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, channels, 1, bias=False), nn.BatchNorm2d(channels)
        self.conv2, self.bn2 = nn.Conv2d(channels, channels, 3, stride, 1, bias=False), nn.BatchNorm2d(channels)
        self.conv3, self.bn3 = nn.Conv2d(channels, 4 * channels, 1, bias=False), nn.BatchNorm2d(4 * channels)
        shortcut(self, inputs, 4 * channels, stride, option_a)

    def forward(self, x):
        y = F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))))
        return F.relu(self.bn3(self.conv3(y)) + self.shortcut(x))


def shortcut(block, inputs, outputs, stride, option_a):
    if stride == 1 and inputs == outputs:
        block.shortcut = lambda x: x
    elif option_a:
        pad = outputs // 4
        block.shortcut = lambda x: F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, pad, pad))
    else:
        block.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
        block.shortcut = lambda x: block.downsample(x)


class ResNet(nn.Module):
    def __init__(self, widths, blocks, block, is_cifar, classes):
        super().__init__()
        self.is_cifar, self.stages, inputs = is_cifar, len(widths), widths[0]
        geometry = (3, 1, 1) if is_cifar else (7, 2, 3)
        self.conv1, self.bn1 = nn.Conv2d(3, inputs, *geometry, bias=False), nn.BatchNorm2d(inputs)
        for stage, (width, count) in enumerate(zip(widths, blocks)):
            layer = []
            for number in range(count):
                layer.append(block(inputs, width, 2 if stage and not number else 1, is_cifar))
                inputs = block.expansion * width
            setattr(self, f"layer{stage + 1}", nn.Sequential(*layer))
        setattr(self, "linear" if is_cifar else "fc", nn.Linear(inputs, classes))

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        if not self.is_cifar:
            x = F.max_pool2d(x, 3, 2, 1)
        for stage in range(self.stages):
            x = getattr(self, f"layer{stage + 1}")(x)
        last = self.linear if self.is_cifar else self.fc
        return last(x.mean((2, 3)))


def numbered(parent, modules):
    """Adds modules named by their positions; a pair has a name of its own."""
    for number, module in enumerate(modules):
        name, module = module if isinstance(module, tuple) else (str(number), module)
        parent.add_module(name, module)
    return parent


class Residual(nn.Module):
    """A body of numbered modules; `add` is what becomes of the input, by a projection that may have a name."""

    def __init__(self, *body, add=lambda x: x, **projection):
        super().__init__()
        numbered(self, body)
        self.body, self.add = list(self.children()), add
        for name, module in projection.items():
            self.add_module(name, module)
            self.add = lambda x, module=module: module(x)

    def forward(self, x):
        y = x
        for module in self.body:
            y = module(y)
        return y + self.add(x)


EVERYTHING = """Sequential(layers: [
    Conv(channels: 12, kernel: 7, stride: 2, padding: 2, bias: false), BatchNorm(name: "norm"), Softsign,
    MaxPool(window: 3, stride: 2, padding: 1),
    Residual(body: [Conv(channels: 12, kernel: 1), Tanh, Conv(channels: 12, kernel: 5, bias: false), BatchNorm()]), Relu,
    Residual(body: [
        Conv(channels: 17, stride: 2, bias: false), BatchNorm(), Relu,
        Residual(body: [Conv(channels: 17), Sigmoid], name: "inner"),
    ], shortcut: PadSubsample),
    AveragePool(window: 3, stride: 1, padding: 1),
    Residual(body: [Relu, Conv(channels: 24, kernel: 5, stride: 3)], shortcut: Project(name: "down")), Tanh,
    AdaptiveAveragePool(side: 2), Conv(channels: 24, kernel: 2, padding: 1), AveragePool(), GlobalAveragePool, Flatten,
    Linear(units: 30, bias: false), BatchNorm(), Sigmoid, Dropout(0.4), Linear(name: "last"),
])"""


def everything(classes):
    add = lambda x: F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, 2, 3))
    inner = Residual(nn.Conv2d(17, 17, 3, padding=1), nn.Sigmoid())
    outer = [nn.Conv2d(12, 17, 3, 2, 1, bias=False), nn.BatchNorm2d(17), nn.ReLU(), ("inner", inner)]
    down = nn.Sequential(nn.Conv2d(17, 24, 1, 3, bias=False), nn.BatchNorm2d(24))
    return numbered(nn.Sequential(), [
        nn.Conv2d(3, 12, 7, 2, 2, bias=False), ("norm", nn.BatchNorm2d(12)), nn.Softsign(), nn.MaxPool2d(3, 2, 1),
        Residual(nn.Conv2d(12, 12, 1), nn.Tanh(), nn.Conv2d(12, 12, 5, padding=2, bias=False), nn.BatchNorm2d(12)),
        nn.ReLU(), Residual(*outer, add=add), nn.AvgPool2d(3, 1, 1),
        Residual(nn.ReLU(), nn.Conv2d(17, 24, 5, 3, 2), down=down), nn.Tanh(),
        nn.AdaptiveAvgPool2d(2), nn.Conv2d(24, 24, 2, padding=1), nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(24, 30, bias=False), nn.BatchNorm1d(30), nn.Sigmoid(), nn.Identity(), ("last", nn.Linear(30, classes)),
    ])  # fmt: skip


# Blocks of torchvision's ResNet-18 and ResNet-50, narrow.
OPTION_B = """Sequential(layers: [
    Conv(channels: 8, kernel: 7, stride: 2, bias: false), BatchNorm(), Relu, MaxPool(window: 3, stride: 2, padding: 1),
    Residual(body: [
        Conv(channels: 8, kernel: 3, bias: false, name: "conv1"), BatchNorm(name: "bn1"), Relu,
        Conv(channels: 8, kernel: 3, bias: false, name: "conv2"), BatchNorm(name: "bn2"),
    ]), Relu,
    Residual(body: [
        Conv(channels: 12, kernel: 1, bias: false, name: "conv1"), BatchNorm(name: "bn1"), Relu,
        Conv(channels: 12, kernel: 3, stride: 2, bias: false, name: "conv2"), BatchNorm(name: "bn2"), Relu,
        Conv(channels: 48, kernel: 1, bias: false, name: "conv3"), BatchNorm(name: "bn3"),
    ], shortcut: Project(name: "downsample")), Relu,
    GlobalAveragePool, Flatten, Linear(),
])"""


def option_b(classes):
    return numbered(nn.Sequential(), [
        nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
        Basic(8, 8, 1, False), nn.ReLU(), Bottleneck(8, 12, 2, False), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(48, classes),
    ])  # fmt: skip


CIFAR, IMAGE_NET = (16, 32, 64), (64, 128, 256, 512)
# In the file format, in torch, the shape of the images, and whether it is trained: what the others are made of is in those.
# ResNet-50 from random weights multiplies a rounding by a million within two steps, in PyTorch too.
CASES = [
    ("Mlp(hidden: [20, 10], activation: Softsign)", mlp, (1, 6, 5), True),
    ("LeNet5()", LeNet5, (1, 28, 28), True),
    ("ConvNet(depth: 2)", lambda classes: conv_net(1, (3, 12, 8), classes), (3, 12, 8), True),
    ("ConvNet(depth: 4)", lambda classes: conv_net(2, (3, 12, 8), classes), (3, 12, 8), False),
    ("ConvNet(depth: 6)", lambda classes: conv_net(3, (3, 8, 8), classes), (3, 8, 8), False),
    ("ResNet(depth: 20)", lambda classes: ResNet(CIFAR, [3] * 3, Basic, True, classes), (3, 10, 9), True),
    ("ResNet(depth: 32)", lambda classes: ResNet(CIFAR, [5] * 3, Basic, True, classes), (3, 10, 9), False),
    ("ResNet(depth: 18)", lambda classes: ResNet(IMAGE_NET, [2] * 4, Basic, False, classes), (3, 18, 20), False),
    ("ResNet(depth: 50)", lambda classes: ResNet(IMAGE_NET, [3, 4, 6, 3], Bottleneck, False, classes), (3, 18, 20), False),
    ("Vgg(depth: 11, width: 8, dropout: 0.0, head: Hidden(widths: [24, 20], pool: 1))",
     lambda classes: vgg11(8, (24, 20), classes), (3, 36, 32), True),
    (OPTION_B, option_b, (3, 30, 26), True),
    (EVERYTHING, everything, (3, 61, 57), True),
]  # fmt: skip
CLASSES, IMAGES, BATCH = 7, 2, 4


def summary(name, value):
    """Some entries, and projections of all."""
    flat = value.detach().numpy().ravel().astype(np.float64)
    places = stream(f"{name} places", ENTRIES) % np.uint64(flat.size)
    signs = stream(f"{name} signs", flat.size)
    found = list(flat[places.astype(np.int64)])
    for bit in range(PROJECTIONS):
        sign = 1.0 - 2.0 * ((signs >> np.uint64(bit)) & np.uint64(1)).astype(np.float64)
        found.append(float(sign @ flat) / np.sqrt(flat.size))
    return [float(f"{value:.9g}") for value in found]


def trained(make, shape, dtype):
    net = fill(make(CLASSES)).to(dtype).train()
    optimizer = torch.optim.SGD(net.parameters(), RATE, momentum=MOMENTUM, weight_decay=DECAY)
    x, labels = samples(shape, 2 * BATCH, CLASSES)
    for step in range(2):
        part = slice(step * BATCH, (step + 1) * BATCH)
        optimizer.zero_grad()
        F.cross_entropy(net(x[part].to(dtype)), labels[part]).backward()
        optimizer.step()
    return {name: value for name, value in net.state_dict().items() if not name.endswith("num_batches_tracked")}


def case(text, make, shape, is_trained):
    with torch.no_grad():
        net = fill(make(CLASSES)).eval()
        x, _ = samples(shape, IMAGES, CLASSES)
        single, logits = net(x).double(), net.double()(x.double())
    off = float((single - logits).abs().max() / logits.abs().max())
    parameters, largest = {}, 0.0
    if is_trained:
        exact, single = (trained(make, shape, dtype) for dtype in (torch.float64, torch.float32))
        for name, value in exact.items():
            error = float((single[name].double() - value).square().mean().sqrt())
            largest = max(largest, error / float(value.square().mean().sqrt()))
            parameters[name] = {"error": float(f"{error:.3g}"), "values": summary(name, value)}
    count = sum(value.numel() for value in net.parameters())
    print(f"{text[:24]!r}: {count} parameters; float32 is off by {off:.1e} of the logits, {largest:.1e} of a parameter",
          file=sys.stderr)
    logits = [[float(f"{value:.9g}") for value in row] for row in logits.tolist()]
    return {"net": " ".join(text.split()), "shape": shape, "logits": logits, "parameters": parameters}


def main():
    lines = [json.dumps(case(*entry)) for entry in CASES]
    print("[\n" + ",\n".join(lines) + "\n]")


if __name__ == "__main__":
    main()
