#!/usr/bin/env python3
"""How far training is from the truth: Weightlab's kernels and PyTorch's float32 against PyTorch's float64.

    python3 -m venv venv && venv/bin/pip install torch
    venv/bin/python tests/oracle/kernels.py FOLDER --weightlab BINARY [--nets vgg11,vgg16,resnet20] [--batches 8,32,128] [--draws 5]

Every network takes two steps of SGD with momentum on a mini-batch, from the same weights on all sides. A difference is the root
mean square over all trained parameters, divided by that of what the steps changed; a row has those of several random
mini-batches, sorted. They are of two kinds: roundings of 10⁻⁶ to 10⁻⁵, and, where a rounding moves a value across 0 in a ReLU
or lets a max pooling take another pixel, gradients of another branch, up to a tenth. The script fails where a difference
reaches a quarter of the change; a wrong gradient would be off by the whole of it.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import torch
import torch.nn.functional as F
from networks import CIFAR, DECAY, MOMENTUM, RATE, Basic, ResNet, fill, uniform
from safetensors.torch import load_file
from torch import nn

CLASSES, SHAPE, STEPS = 10, (3, 32, 32), 2
PLANS = {
    "vgg11": (1, "M", 2, "M", 4, 4, "M", 8, 8, "M", 8, 8, "M"),
    "vgg16": (1, 1, "M", 2, 2, "M", 4, 4, 4, "M", 8, 8, 8, "M", 8, 8, 8, "M"),
}


class Vgg(nn.Module):
    def __init__(self, plan):
        super().__init__()
        features, inputs = [], 3
        for step in plan:
            if step == "M":
                features.append(nn.MaxPool2d(2))
            else:
                features += [nn.Conv2d(inputs, 64 * step, 3, padding=1), nn.BatchNorm2d(64 * step), nn.ReLU()]
                inputs = 64 * step
        self.features, self.classifier = nn.Sequential(*features), nn.Linear(inputs, CLASSES)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


NETS = {
    "vgg11": (lambda: Vgg(PLANS["vgg11"]), "Vgg(depth: 11)"),
    "vgg16": (lambda: Vgg(PLANS["vgg16"]), "Vgg(depth: 16)"),
    "resnet20": (lambda: ResNet(CIFAR, [3] * 3, Basic, True, CLASSES), "ResNet(depth: 20)"),
}


def batch_of(draw, batch):
    x = uniform(f"inputs {draw}", batch * int(np.prod(SHAPE))).astype(np.float32).reshape(batch, *SHAPE)
    return torch.tensor(x), torch.arange(batch) * 7 % CLASSES


def of_pytorch(make, x, labels, dtype):
    net = fill(make()).to(dtype).train()
    optimizer = torch.optim.SGD(net.parameters(), RATE, momentum=MOMENTUM, weight_decay=DECAY)
    for _ in range(STEPS):
        optimizer.zero_grad()
        F.cross_entropy(net(x.to(dtype)), labels).backward()
        optimizer.step()
    return {name: value.detach().double() for name, value in net.named_parameters()}


def of_weightlab(folder, binary, name, x, labels, kernels):
    """Runs an experiment on the same weights and samples; the weights that it exports."""
    make, setting = NETS[name]
    torch.save(fill(make()).state_dict(), folder / "before.pth")
    np.savez(folder / "samples.npz", x_train=x, y_train=labels, x_test=x[:2], y_test=labels[:2])
    shutil.rmtree(folder / "after.runs", ignore_errors=True)
    file, out = folder / "after.ron", folder / "after.safetensors"
    file.write_text(f"""Experiment(
    version: 1,
    data: Numpy(file: "samples.npz"),
    net: {setting},
    train: (optimizer: Sgd(rate: {RATE}, momentum: {MOMENTUM}, weight_decay: {DECAY}), batch: {len(x)}, kernels: {kernels}),
    arms: [(plan: [Do(Import(file: "before.pth")), Train("{STEPS}it")])],
)
""")
    for command in ["run", file], ["export", file, "--to", out]:
        done = subprocess.run([binary, *command], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{binary} {' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
    return load_file(out)


def difference(found, truth):
    """Root mean square over all parameters."""
    squares = sum(float((found[name].double().reshape(value.shape) - value).square().sum()) for name, value in truth.items())
    return (squares / sum(value.numel() for value in truth.values())) ** 0.5


def main():
    args = argparse.ArgumentParser()
    args.add_argument("folder", type=pathlib.Path)
    args.add_argument("--weightlab", required=True)
    args.add_argument("--nets", default=",".join(NETS))
    args.add_argument("--batches", default="8,32,128")
    args.add_argument("--draws", type=int, default=5)
    a = args.parse_args()
    a.folder.mkdir(parents=True, exist_ok=True)
    wrong = []
    for name in a.nets.split(","):
        make = NETS[name][0]
        before = {parameter: value.detach().double() for parameter, value in fill(make()).named_parameters()}
        for batch in map(int, a.batches.split(",")):
            rows = {"PyTorch": [], "Exact": [], "Fast": []}
            for draw in range(a.draws):
                x, labels = batch_of(draw, batch)
                truth = of_pytorch(make, x, labels, torch.float64)
                change = difference(before, truth)
                rows["PyTorch"].append(difference(of_pytorch(make, x, labels, torch.float32), truth) / change)
                for kernels in "Exact", "Fast":
                    rows[kernels].append(difference(of_weightlab(a.folder, a.weightlab, name, x, labels, kernels), truth) / change)
            rows = {side: sorted(float(f"{value:.2g}") for value in values) for side, values in rows.items()}
            print(json.dumps({"net": name, "batch": batch, **rows}), flush=True)
            if max(rows["Exact"][-1], rows["Fast"][-1]) > 0.25:
                wrong.append(f"{name}, batch {batch}")
    sys.exit(f"too far from float64: {'; '.join(wrong)}" if wrong else 0)


main()
