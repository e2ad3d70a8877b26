#!/usr/bin/env python3
"""Pictures, a trained-looking network for ImageNet's classes, and what torchvision makes of both.

    python3 -m venv venv && venv/bin/pip install torch torchvision
    venv/bin/python tests/oracle/imagenet.py write FOLDER [--net resnet18|vgg16] [--pictures 200]
    weightlab run FOLDER/imagenet.ron --into FOLDER/runs
    venv/bin/python tests/oracle/imagenet.py check FOLDER
    venv/bin/python tests/oracle/imagenet.py compare FOLDER --weightlab BINARY [--pairs 3]

`write` makes pictures of different sizes and formats, random weights whose answers differ from picture to picture, an
experiment, and `expected.json` with torchvision's answers in float64. A third of the pictures has the class that the network
predicts, a third one of the next four, a third any class, so that top-1 and top-5 differ from class to class. `check`
compares loss, top-1, top-5 and the accuracy of every class. `compare` measures pictures per second, decoding included, one
side after the other; PyTorch is taken at its best of several settings.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import time

import numpy as np
import torch
from PIL import Image
from torch import nn
from torchvision import datasets, models, transforms

CLASSES = 1000
BATCH = 16
NETS = {
    "resnet18": (models.resnet18, "ResNet(depth: 18, classes: Some(1000))"),
    "vgg16": (models.vgg16, "Vgg(depth: 16, head: ImageNet, batch_norm: false, classes: Some(1000))"),
}
PREPARE = transforms.Compose(
    [
        transforms.Resize(256),
        transforms.CenterCrop(224),
        transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ]
)


def picture(rng):
    """Some waves, patches and noise, of a photograph's usual size."""
    width, height = (int(side) for side in rng.integers(230, 520, 2))
    y, x = np.mgrid[0:height, 0:width]
    tilt, wave = rng.normal(0, 1, 2), rng.uniform(10, 80, 3)
    planes = [127 + 110 * np.sin((x * tilt[0] + y * tilt[1]) / wave[c] + rng.uniform(0, 6)) for c in range(3)]
    pixels = np.stack(planes, axis=2)
    for _ in range(int(rng.integers(3, 12))):
        left, top = int(rng.integers(0, width - 20)), int(rng.integers(0, height - 20))
        pixels[top : top + int(rng.integers(20, 150)), left : left + int(rng.integers(20, 150))] = rng.integers(0, 256, 3)
    pixels += rng.normal(0, 10, pixels.shape)
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def save(image, number, folder):
    """Mostly JPEG, as ImageNet is."""
    folder.mkdir(parents=True, exist_ok=True)
    if number % 10 == 8:
        image.save(folder / f"{number:05}.png")
    elif number % 10 == 9:
        image.convert("L").save(folder / f"{number:05}.jpg", quality=85)
    else:
        image.save(folder / f"{number:05}.JPEG", quality=90, progressive=number % 10 == 7)


def random_network(build, batches):
    """Statistics of the pictures in its batch norms, and a last layer that spreads its answers over the classes."""
    torch.manual_seed(1)
    net = build(weights=None)
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.momentum = None
    net.train()
    with torch.no_grad():
        for batch in batches:
            net(batch)
    net.eval()
    last = [module for module in net.modules() if isinstance(module, nn.Linear)][-1]
    with torch.no_grad():
        logits = torch.cat([net(batch) for batch in batches])
        last.bias -= logits.mean(0)
        scale = 4 / logits.std(0).mean()
        last.weight *= scale
        last.bias *= scale
    return net


def write(folder, name, count):
    build, setting = NETS[name]
    rng = np.random.default_rng(7)
    shutil.rmtree(folder, ignore_errors=True)
    flat = folder / "flat"
    for number in range(count):
        save(picture(rng), number, flat)
    files = sorted(flat.iterdir())
    tensors = [PREPARE(Image.open(file).convert("RGB")) for file in files]
    batches = [torch.stack(tensors[at : at + BATCH]) for at in range(0, count, BATCH)]
    net = random_network(build, batches)
    torch.save({"state_dict": net.state_dict()}, folder / f"{name}.pth")
    double = build(weights=None).double()
    double.load_state_dict(net.state_dict())
    double.eval()
    with torch.no_grad():
        logits = torch.cat([double(batch.double()) for batch in batches])
    order = logits.argsort(1, descending=True)
    ranks = [0 if number % 3 == 0 else int(rng.integers(1, 5)) if number % 3 == 1 else int(rng.integers(0, CLASSES))
             for number in range(count)]
    labels = torch.tensor([int(order[number, rank]) for number, rank in enumerate(ranks)])
    for file, label in zip(files, labels):
        to = folder / "pictures" / "val" / f"n{int(label):08}"
        to.mkdir(parents=True, exist_ok=True)
        file.rename(to / file.name)
    flat.rmdir()
    train = folder / "pictures" / "train" / "n00000000"
    save(picture(rng), 0, train)
    (folder / "synsets.txt").write_text("".join(f"n{label:08} {label} class {label}\n" for label in range(CLASSES)))
    (folder / "imagenet.ron").write_text(
        f"""(
    data: Images(dir: "pictures", label_map: Some("synsets.txt"), normalize: ImageNet),
    net: {setting},
    train: (evaluation_batch: {BATCH}, top: Some(5)),
    arms: [(name: "{name}", plan: [Do(Import(file: "{name}.pth")), Test])],
)
"""
    )
    top = order.argsort(1)[torch.arange(count), labels]
    classes = {}
    for label, place in zip(labels.tolist(), top.tolist()):
        classes.setdefault(label, []).append(place == 0)
    margins = logits.sort(1, descending=True).values
    expected = {
        "test_loss": nn.functional.cross_entropy(logits, labels).item(),
        "test_accuracy": (top == 0).double().mean().item(),
        "test_top5_accuracy": (top < 5).double().mean().item(),
        "classes": {label: sum(right) / len(right) for label, right in sorted(classes.items())},
        "predicted_classes": len(set(order[:, 0].tolist())),
        "smallest_margin": (margins[:, 0] - margins[:, 1]).min().item(),
    }
    (folder / "expected.json").write_text(json.dumps(expected, indent=1))
    print(json.dumps({key: value for key, value in expected.items() if key != "classes"}))


def points(runs):
    found = {}
    for log in pathlib.Path(runs).glob("*/events.jsonl"):
        for line in log.read_text().splitlines():
            event = json.loads(line)
            if event.get("event") == "point":
                found[event["series"]] = event
    return found


def check(folder, runs):
    expected = json.loads((folder / "expected.json").read_text())
    found = points(runs)
    for series, within in [("test_loss", 1e-4), ("test_accuracy", 0), ("test_top5_accuracy", 0)]:
        difference = abs(found[series]["value"] - expected[series])
        print(f"{series}: {found[series]['value']:.6f}, torchvision {expected[series]:.6f}")
        assert difference <= within + 1e-12, f"{series} differs by {difference}"
    classes = found["test_accuracy"]["classes"]
    wrong = [label for label in range(CLASSES) if classes[label] != expected["classes"].get(str(label))]
    assert not wrong, f"the accuracy of classes {wrong} differs"
    print(f"{len(expected['classes'])} classes have torchvision's accuracy")


def seconds_of_weightlab(binary, folder):
    """Of a run that tests fresh weights, to its point; a checkpoint comes after it. Hardly any pixels are kept."""
    runs = folder / "speed"
    shutil.rmtree(runs, ignore_errors=True)
    text = (folder / "imagenet.ron").read_text()
    (folder / "speed.ron").write_text(re.sub(r"Do\(Import\(.*?\)\), ", "", text))
    command = [binary, "run", folder / "speed.ron", "--into", runs, "--set", "data.memory=0.001"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    [log] = runs.glob("*/events.jsonl")
    events = map(json.loads, log.read_text().splitlines())
    [seconds] = [event["secs"] for event in events if event.get("series") == "test_accuracy"]
    return seconds


def seconds_of_torch(folder, net, is_last, workers):
    """A pass over the folder, with the channels last or not, and so many processes that decode."""
    data = datasets.ImageFolder(folder / "pictures" / "val", PREPARE)
    loader = torch.utils.data.DataLoader(data, BATCH, num_workers=workers)
    began = time.perf_counter()
    with torch.inference_mode():
        for images, _ in loader:
            if is_last:
                images = images.to(memory_format=torch.channels_last)
            net(images).argmax(1)
    return time.perf_counter() - began


def compare(folder, binary, pairs):
    [weights] = folder.glob("*.pth")
    count = sum(1 for _ in (folder / "pictures" / "val").glob("*/*"))
    torch.set_num_threads(os.cpu_count())
    build, _ = NETS[weights.stem]
    nets = []
    for is_last in [False, True]:
        net = build(weights=None)
        net.load_state_dict(torch.load(weights)["state_dict"])
        net.eval()
        nets.append(net.to(memory_format=torch.channels_last) if is_last else net)
    settings = [(is_last, workers) for is_last in [False, True] for workers in [0, 1, 2]]
    tried = {setting: seconds_of_torch(folder, nets[setting[0]], *setting) for setting in settings}
    best = min(tried, key=tried.get)
    print("PyTorch, pictures/s by (channels last, workers):", {key: round(count / tried[key], 1) for key in tried})
    ratios = []
    for _ in range(pairs):
        own, other = seconds_of_weightlab(binary, folder), seconds_of_torch(folder, nets[best[0]], *best)
        ratios.append(other / own)
        print(f"Weightlab {count / own:.1f}, PyTorch {count / other:.1f} pictures/s, {ratios[-1]:.2f} times")
    print(f"median {statistics.median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["write", "check", "compare"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--net", default="resnet18", choices=list(NETS))
    parser.add_argument("--pictures", type=int, default=200)
    parser.add_argument("--runs", type=pathlib.Path)
    parser.add_argument("--weightlab")
    parser.add_argument("--pairs", type=int, default=3)
    given = parser.parse_args()
    if given.what == "write":
        write(given.folder, given.net, given.pictures)
    elif given.what == "check":
        check(given.folder, given.runs or given.folder / "runs")
    else:
        compare(given.folder, given.weightlab, given.pairs)
