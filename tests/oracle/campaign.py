#!/usr/bin/env python3
"""A second implementation of fault campaigns, in numpy: reproduces every fault with its bits, and trials.csv.

    weightlab replay RUN_DIRECTORY --data DATA.safetensors
    python3 tests/oracle/campaign.py RUN_DIRECTORY DATA.safetensors

It reads what a run directory holds (campaign-*.safetensors, faults.csv, trials.csv, run.ron) and the images, and computes
every trial from the images on: linear layers, 3x3 convolutions (im2col), batch norm with running statistics, in float32.
All counts must be equal, but for images whose golden margin between the first and the second logit is below 1e-4 of the
largest, where the order of a sum decides; those are counted and printed. Exits with 1 on a difference.
"""
import csv, json, pathlib, re, struct, sys
import numpy as np

np.seterr(all="ignore")
FORMATS = {"Float32": 32, "Float16": 16, "Bfloat16": 16, "Int8": 8}


def tensors(path):
    raw = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8 : 8 + length])
    body = raw[8 + length :]
    found = {}
    for name, about in head.items():
        if name != "__metadata__":
            begin, end = about["data_offsets"]
            found[name] = np.frombuffer(body[begin:end], "<f4").reshape(about["shape"]).copy()
    return found


class Stored:
    """One parameter in its format: bits and back."""

    def __init__(self, values, format):
        self.format, self.shape = format, values.shape
        self.values = values.astype(np.float32).ravel()
        if format == "Int8":
            rows = self.values.reshape(values.shape[0], -1)
            self.scale = np.abs(rows).max(1) / np.float32(127)
            self.scale[self.scale == 0] = 1
            self.scale = np.repeat(self.scale.astype(np.float32), rows.shape[1])

    def bits(self):
        v = self.values
        if self.format == "Float32":
            return v.view(np.uint32).copy()
        if self.format == "Float16":
            return v.astype(np.float16).view(np.uint16).astype(np.uint32)
        if self.format == "Bfloat16":
            b = v.view(np.uint32).astype(np.uint64)
            return ((b + 0x7FFF + ((b >> 16) & 1)) >> 16).astype(np.uint32)
        steps = np.clip(np.round(v / self.scale), -127, 127)  # numpy rounds halves to even
        return steps.astype(np.int8).view(np.uint8).astype(np.uint32)

    def read(self, bits):
        if self.format == "Float32":
            out = bits.astype(np.uint32).view(np.float32)
        elif self.format == "Float16":
            out = bits.astype(np.uint16).view(np.float16).astype(np.float32)
        elif self.format == "Bfloat16":
            out = (bits.astype(np.uint32) << 16).view(np.float32)
        else:
            out = bits.astype(np.uint8).view(np.int8).astype(np.float32) * self.scale
        return out.reshape(self.shape)


def convolution(x, weight, bias):
    n, c, h, w = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    columns = np.stack([padded[:, :, i : i + h, j : j + w] for i in range(3) for j in range(3)], 2)
    columns = columns.transpose(0, 3, 4, 1, 2).reshape(n * h * w, c * 9)
    flat = columns @ weight.reshape(weight.shape[0], -1).T + bias
    return flat.reshape(n, h, w, -1).transpose(0, 3, 1, 2)


def batch_norm(x, weights, name):
    part = lambda key: weights[f"{name}.{key}"][None, :, None, None]
    scale = part("weight") / np.sqrt(part("running_var") + np.float32(1e-5))
    return (x - part("running_mean")) * scale + part("bias")


def pool(x):
    n, c, h, w = x.shape
    return x[:, :, : h // 2 * 2, : w // 2 * 2].reshape(n, c, h // 2, 2, w // 2, 2).max((3, 5))


ACTIVATIONS = {
    "Relu": lambda x: np.maximum(x, np.float32(0)),
    "Softsign": lambda x: x / (1 + np.abs(x)),
    "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}


def forward(weights, x, activation):
    if "fc1.weight" in weights:
        x = x.reshape(len(x), -1)
        last = max(int(re.match(r"fc(\d+)", name)[1]) for name in weights)
        for layer in range(1, last + 1):
            x = x @ weights[f"fc{layer}.weight"].T + weights[f"fc{layer}.bias"]
            if layer < last:
                x = ACTIVATIONS[activation](x)
        return x
    numbers = sorted(
        int(name.split(".")[1]) for name, value in weights.items() if name.startswith("features.") and value.ndim == 4
    )
    for at, number in enumerate(numbers):
        x = convolution(x, weights[f"features.{number}.weight"], weights[f"features.{number}.bias"])
        behind = number + 1
        if f"features.{behind}.running_mean" in weights:
            x = batch_norm(x, weights, f"features.{behind}")
            behind += 1
        x = np.maximum(x, np.float32(0))
        if at + 1 == len(numbers) or numbers[at + 1] > behind + 1:
            x = pool(x)
    x = x.mean((2, 3), dtype=np.float32)
    return x @ weights["classifier.weight"].T + weights["classifier.bias"]


def top1(logits):
    if logits.shape[1] == 1:
        return (logits[:, 0] > 0).astype(int)
    return logits.argmax(1)


def counts(golden, faulty, labels):
    """The classes of outcomes of every image."""
    due = ~np.isfinite(faulty).all(1)
    before, after = top1(golden), top1(np.where(np.isfinite(faulty), faulty, -np.inf))
    sdc1 = ~due & (before != after)
    if golden.shape[1] > 1:
        own = np.take_along_axis(faulty, before[:, None], 1)
        lower = np.arange(golden.shape[1])[None, :] < before[:, None]
        ahead = ((faulty > own) | ((faulty == own) & lower)).sum(1)
    else:
        ahead = np.zeros(len(faulty), int)
    return {
        "masked+benign": ~due & ~sdc1,
        "sdc1": sdc1,
        "sdc5": sdc1 & (ahead >= 5),
        "due": due,
        "corrected": sdc1 & (before != labels) & (after == labels),
        "lost": sdc1 & (before == labels) & (after != labels),
        "correct": ~due & (after == labels),
    }


def setting(text, name, default):
    found = re.search(rf"\b{name}: *(\w+)", text)
    return found[1] if found else default


def expected_bits(model, before, bit, width):
    flips = {"Flip": 1 << bit, "DoubleFlip": 3 << bit} if bit is not None else {}
    if model in flips:
        return before ^ flips[model]
    return {
        "StuckAt0": lambda: before & ~(1 << bit),
        "StuckAt1": lambda: before | 1 << bit,
        "Sign": lambda: before ^ 1 << (width - 1) if width > 8 else -before & 0xFF,
        "Zero": lambda: 0,
    }.get(model, lambda: None)()


def campaign(folder, name, round_, run, data, rows, trials):
    suffix = f"-round-{round_}" if round_ else ""
    raw = tensors(folder / f"campaign-{name}{suffix}.safetensors")
    block = run[run.index("Campaign(") :]
    format, model = setting(block, "format", "Float32"), setting(block, "model", "Flip")
    width = FORMATS[format]
    stored, is_weight = {}, lambda key: raw[key].ndim > 1
    for key, values in raw.items():
        stored[key] = Stored(values, "Float32" if format == "Int8" and not is_weight(key) else format)
    activation = setting(run, "activation", "Relu")
    bits = {key: value.bits() for key, value in stored.items()}
    golden_weights = {key: stored[key].read(bits[key]) for key in raw}
    images = int(trials[0]["images"])
    x, labels = data["images"][:images], data["labels"][:images].astype(int)
    golden = forward(golden_weights, x, activation)
    first_two = np.sort(golden, 1)[:, -2:] if golden.shape[1] > 1 else np.hstack([-abs(golden), abs(golden)])
    close = first_two[:, 1] - first_two[:, 0] < 1e-4 * np.abs(golden).max(1)
    faults = {}
    for row in rows:
        faults.setdefault(row["trial"], []).append(row)
    wrong = checked = 0
    for trial in trials:
        struck, weights = {}, dict(golden_weights)
        listed = faults.get(trial["trial"], [])
        changed = sum(int(row["before"], 16) != int(row["after"], 16) for row in listed)
        if changed != int(trial["faults"]):
            print(f"trial {trial['trial']}: {trial['faults']} faults, and {changed} of the log change a bit")
            wrong += 1
        for row in listed:
            assert not row["image"], "faults of single images and of activations are replayed by weightlab alone"
            key, index = row["parameter"], int(row["index"])
            before, after = int(row["before"], 16), int(row["after"], 16)
            held = struck.setdefault(key, bits[key].copy())
            bit = int(row["bit"]) if row["bit"] else None
            expected = expected_bits(model, before, bit, FORMATS[stored[key].format])
            if held[index] != before or (expected is not None and expected != after):
                print(f"trial {trial['trial']}: {row} does not fit {held[index]:08x}")
                wrong += 1
            held[index] = after
            checked += 1
        for key, held in struck.items():
            weights[key] = stored[key].read(held)
        found = counts(golden, forward(weights, x, activation), labels)
        said = {key: int(trial[key]) for key in ("sdc1", "sdc5", "due", "corrected", "lost")}
        said["masked+benign"] = int(trial["masked"]) + int(trial["benign"])
        said["correct"] = round(float(trial["accuracy"]) * images)
        for key, value in said.items():
            sure = int((found[key] & ~close).sum())
            if not sure <= value <= sure + int(close.sum()):
                print(f"trial {trial['trial']}: {key} is {value}, and {sure} here")
                wrong += 1
    print(
        f"campaign {name}: {len(trials)} trials, {checked} faults on {images} images, "
        f"{int(close.sum())} images too close to tell, {wrong} differences"
    )
    return wrong


def lines(path):
    kept = path.read_text().splitlines()
    rows = list(csv.DictReader(kept))
    # A draw too long to list names its stream in the column `parameter`; logs of 2026-11-22 and before have a remark.
    remarks = [line for line in kept if line.startswith("#")]
    long = remarks + [str(row) for row in rows if (row.get("parameter") or "").startswith("stream")]
    if long:
        sys.exit(f"{path}: faults that are not listed cannot be computed here: {long[0]}")
    return rows


def main():
    folder, data = pathlib.Path(sys.argv[1]), tensors(sys.argv[2])
    run = (folder / "run.ron").read_text()
    # With a protection, the same trials without it are in a file of their own, and those are computed here.
    table = next(path for path in (folder / "trials_unprotected.csv", folder / "trials.csv") if path.exists())
    trials, faults = lines(table), lines(folder / "faults.csv")
    print(f"{table.name}: ", end="")
    if run.count("Campaign(") > 1:
        sys.exit("this oracle reads the settings of one campaign; give it a run that has one")
    wrong = 0
    for name, round_ in dict.fromkeys((trial["campaign"], trial["round"]) for trial in trials):
        own = lambda row: (row["campaign"], row["round"]) == (name, round_)
        wrong += campaign(folder, name, round_, run, data, filter(own, faults), list(filter(own, trials)))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
