#!/usr/bin/env python3
"""Small checkpoints as torch.save writes them, and the check of an exported file.

    python3 -m venv venv && venv/bin/pip install torch safetensors
    venv/bin/python tests/oracle/checkpoints.py write tests/oracle/checkpoints
    venv/bin/python tests/oracle/checkpoints.py load NET EXPORTED.safetensors

`write` makes the files that src/net/weights_file/tests/files.rs reads. Both sides compute the values from the names of the
tensors. `load` loads an exported file into a torch.nn.Module of the same names with load_state_dict(strict=True).
"""
import argparse
import collections
import datetime
import os
import pathlib
import struct
import sys
import zipfile
from pathlib import Path

import torch
from torch import nn
from torch.nn.utils import parametrizations, prune


def values(name, *shape):
    """Quarters from -1.5 to 1.5, which every floating-point type holds."""
    count = torch.Size(shape).numel()
    return ((torch.arange(count) * 7 + len(name)) % 13 - 6).to(torch.float32).reshape(shape) / 4


def state(**changes):
    shapes = {"fc1.weight": (3, 4), "fc1.bias": (3,), "fc2.weight": (2, 3), "fc2.bias": (2,)}
    return {name: changes.get("to", lambda x: x)(values(name, *shape)) for name, shape in shapes.items()}


def norm():
    net = nn.Sequential()
    net.add_module("conv1", nn.Conv2d(1, 2, 3))
    net.add_module("bn1", nn.BatchNorm2d(2))
    for name, value in net.state_dict().items():
        if name.endswith("num_batches_tracked"):
            value.fill_(5)
        else:
            value.copy_(values(name, *value.shape))
    return net.state_dict()


def optimizer():
    weights = [nn.Parameter(value) for value in state().values()]
    adam = torch.optim.Adam(weights)
    for weight in weights:
        weight.grad = torch.ones_like(weight)
    adam.step()
    return adam.state_dict()


def strided():
    """A transposed weight, a window of another, a scalar repeated, and two names for one storage."""
    wide = torch.zeros(5, 7)
    wide[1:4, 2:6] = values("fc1.weight", 3, 4)
    shared = values("fc1.bias", 3)
    return {
        "fc1.weight": wide[1:4, 2:6],
        "fc1.bias": shared,
        "tied.bias": shared,
        "fc2.weight": values("fc2.weight", 2, 3).t().contiguous().t(),
        "fc2.bias": torch.tensor(0.25).expand(2),
    }


def pruned():
    """As torch.nn.utils.prune keeps weights: values and masks."""
    net = perceptron()
    for layer, kept in ((net.fc1, 5), (net.fc2, 2)):
        mask = torch.zeros(layer.weight.numel())
        mask[::kept] = 1
        prune.custom_from_mask(layer, "weight", mask.reshape(layer.weight.shape))
    prune.custom_from_mask(net.fc1, "bias", torch.tensor([1.0, 0.0, 1.0]))
    return net.state_dict()


def perceptron():
    net = nn.Sequential()
    net.add_module("fc1", nn.Linear(4, 3))
    net.add_module("fc2", nn.Linear(3, 2))
    net.load_state_dict(state())
    return net


def normed(old, dim=0):
    """Weight norm in both forms; the lengths are not those of the directions."""
    net = perceptron()
    for layer in net:
        (nn.utils.weight_norm if old else parametrizations.weight_norm)(layer, dim=dim)
    names = state()
    found = net.state_dict()
    for name in found:
        if name.endswith(("_g", "original0")):
            found[name] = values(name, *found[name].shape) + 2
    net.load_state_dict(found)
    with torch.no_grad():
        wanted = [module.weight.clone() for module in net.eval()]  # parametrised: computed at each access
        if old:
            net(torch.zeros(1, 4))  # computes the weights of the old form
            wanted = [module.weight.clone() for module in net]
    for name, weight in zip(("fc1.weight", "fc2.weight"), wanted):
        names[name] = weight
    return found, names


def parametrised(how):
    net = perceptron()
    how(net.fc1)
    return net.state_dict()


def others():
    """Tensors that are not read, of every kind; those beside them are."""
    quantised = torch.quantize_per_tensor(torch.ones(2), 0.5, 0, torch.quint8)
    channels = torch.quantize_per_channel(torch.ones(2, 2), torch.ones(2), torch.zeros(2), 0, torch.qint8)
    return {
        "sparse": torch.eye(2).to_sparse(),
        "csr": torch.eye(2).to_sparse_csr(),
        "freqs": torch.ones(2, dtype=torch.complex64),
        "wide": torch.ones(2, dtype=torch.complex128),
        "eighth": torch.ones(2).to(torch.float8_e5m2),
        "q": quantised,
        "channels": nn.Parameter(channels, requires_grad=False),
        "meta": torch.ones(2, device="meta"),
    }


class Command:
    """What a hostile file would run."""

    def __reduce__(self):
        return os.system, ("touch weightlab-was-here",)


def tar_header(name, size, kind, real=None):
    """The 512 bytes before an entry; GNU's sparse entries have `real` bytes, of which `size` are stored."""
    header = bytearray(512)
    header[: len(name)] = name
    header[124:136] = b"%011o\0" % size
    header[156:157] = kind
    header[257:265] = b"ustar  \0"
    if real:
        header[386:398], header[398:410], header[483:495] = (b"%011o\0" % n for n in (real, 0, real))
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def tar_bomb():
    """Begins like a legacy file, whose pickles are harmless, and is a tar archive with an entry of two gigabytes."""
    number = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
    start = number + b"\x80\x02M\xe9\x03." + b"\x80\x02T"
    start += struct.pack("<I", 522 - len(start) - 4)
    pickles = bytearray(512)
    pickles[10:15] = b".N.N."
    rest = tar_header(b"storages", 0, b"S", 2 << 30) + tar_header(b"tensors", 0, b"0") + tar_header(b"pickle", 0, b"0")
    return tar_header(start, 512, b"0") + bytes(pickles) + rest + bytes(1024)


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    module = {f"module.{name}": value for name, value in state().items()}
    rest = {"epoch": 3, "best": 93.25, "args": None}
    files = {
        "zip": state(),
        "wrapped": {"state_dict": module, "optimizer": optimizer(), **rest},
        "nested": {"model": {"state_dict": state()}, "ema": state(), **rest},
        "half": state(to=lambda x: x.half()),
        "bfloat16": state(to=lambda x: x.bfloat16()),
        "double": state(to=lambda x: x.double()),
        "strided": strided(),
        "parameters": {name: nn.Parameter(value) for name, value in state().items()},
        "norm": norm(),
        "foreign": {"state_dict": state(), "hook": Command()},
        # Names in the archive then have 30 bytes, and its records for large archives are taken for the first of them.
        "twenty-one-characters": state(),
        "ordered": {name: values(name, *shape) for layer in ("input", "hid", "output")
                    for name, shape in ((f"{layer}.weight", (4, 4)), (f"{layer}.bias", (4,)))},
        "list": list(state().values()),
        "default": collections.defaultdict(dict, state_dict=state()),
        "others": {**others(), **state()},
        "others-beside": {"state_dict": state(), "optimizer": {"state": list(others().values())},
                          "when": datetime.datetime(2024, 5, 1), "span": datetime.timedelta(1),
                          "args": argparse.Namespace(dir=pathlib.PurePosixPath("runs"), best=torch.float8_e4m3fn)},
        "lightning": {"state_dict": {**{f"net.body.{name}": value for name, value in state().items()},
                                     "criterion.weight": torch.ones(2), "0.mean": torch.ones(3)}},
        "twins": {f"{part}.{name}": value + at for at, part in enumerate(("online", "ema"))
                  for name, value in state().items()},
        "inner": {name.replace("fc1.", "fc1.module."): value for name, value in state().items()},
        "pruned": pruned(),
        "spectral": parametrised(nn.utils.spectral_norm),
        "orthogonal": parametrised(parametrizations.orthogonal),
    }
    for name, (found, wanted) in {"norm-old": normed(True), "norm-new": normed(False), "norm-all": normed(False, None)}.items():
        files[name], files[f"{name}-weights"] = found, wanted
    for name, content in files.items():
        torch.save(content, folder / f"{name}.pth")
    legacy = {"legacy": state(), "legacy-wrapped": {"net": module, **rest}, "legacy-strided": strided(),
              "legacy-foreign": files["foreign"], "legacy-sparse": {"mask": torch.eye(2).to_sparse(), **state()},
              "legacy-complex": {"freqs": torch.ones(2, dtype=torch.complex64), **state()}}
    for name, content in legacy.items():
        torch.save(content, folder / f"{name}.pth", _use_new_zipfile_serialization=False)
    torch.save(state(), folder / "protocol4.pth", pickle_protocol=4)
    (folder / "tar-bomb.pth").write_bytes(tar_bomb())
    with zipfile.ZipFile(folder / "zip.pth") as plain:
        with zipfile.ZipFile(folder / "compressed.pth", "w", zipfile.ZIP_DEFLATED) as compressed:
            for name in plain.namelist():
                compressed.writestr(name, plain.read(name))


def load(net, file):
    from safetensors.numpy import load_file

    found = {name: torch.tensor(value) for name, value in load_file(file).items()}
    module = NETS[net]()
    module.load_state_dict(found, strict=True)
    counted = [name for name in found if name.endswith("num_batches_tracked")]
    norms = [m for m in module.modules() if isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d))]
    assert len(counted) == len(norms), (len(counted), len(norms))
    assert all(found[name].dtype == torch.int64 and found[name].shape == () for name in counted)
    print(f"{file}: load_state_dict took {len(found)} tensors, {len(counted)} of them counts")


class Block(nn.Module):
    def __init__(self, inputs, planes):
        super().__init__()
        stride = 1 if inputs == planes else 2
        self.conv1, self.bn1 = nn.Conv2d(inputs, planes, 3, stride, 1, bias=False), nn.BatchNorm2d(planes)
        self.conv2, self.bn2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False), nn.BatchNorm2d(planes)


class ResNet20(nn.Module):
    def __init__(self, channels=1, classes=10):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16)
        inputs = 16
        for stage, planes in enumerate([16, 32, 64], 1):
            blocks = []
            for _ in range(3):
                blocks.append(Block(inputs, planes))
                inputs = planes
            setattr(self, f"layer{stage}", nn.Sequential(*blocks))
        self.linear = nn.Linear(64, classes)


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(64, 8), nn.Linear(8, 10)


NETS = {"resnet20": ResNet20, "mlp": Perceptron}

if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(Path(sys.argv[2]))
    else:
        load(sys.argv[2], sys.argv[3])
