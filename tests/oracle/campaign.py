#!/usr/bin/env python3
"""A second implementation of fault campaigns, in numpy: reproduces every fault with its bits, and trials.csv.

    weightlab replay RUN_DIRECTORY --data DATA.safetensors
    python3 tests/oracle/campaign.py RUN_DIRECTORY DATA.safetensors

It reads what a run directory holds (campaign-*.safetensors, faults.csv, trials.csv, run.json) and the images, and computes
every trial from the images on: linear layers, convolutions (im2col), poolings, batch norm with running statistics and
residual blocks, in float32. Faults in activations are those of float32; what was there before them must be nearly equal.
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


def choice(value):
    """An alternative as run.json has it: (name, settings)."""
    ((name, settings),) = value.items() if isinstance(value, dict) else [(value, {})]
    return name, settings if isinstance(settings, dict) else {}


def campaigns_in(value):
    """The settings of all campaigns in a plan."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from campaigns_in(inner)
    if isinstance(value, dict) and "Campaign" in value:
        yield value["Campaign"]


def modules_of(spec, weights):
    """The network as a list of modules, each (kind, settings); modules with weights have a name or are called by their place."""
    kind, named = choice(spec.get("net", "Mlp"))
    return {"Mlp": mlp, "Vgg": vgg, "ResNet": resnet, "Sequential": sequential}[kind](named, weights)


def mlp(named, weights):
    (activation, _) = choice(named.get("activation", "Relu"))
    names = sorted((key[:-7] for key in weights if key.endswith(".weight")), key=lambda name: int(name[2:]))
    modules = [("Flatten", {})]
    for name in names:
        modules += [("Linear", {"name": name}), (activation, {})]
    return modules[:-1]


def vgg(_, weights):
    part = lambda key: int(key.split(".")[1])
    numbers = sorted(part(key) for key, value in weights.items() if key.startswith("features.") and value.ndim == 4)
    modules = []
    for number, next_one in zip(numbers, numbers[1:] + [1 << 30]):
        modules.append(("Conv", {"name": f"features.{number}"}))
        after = number + 1
        if f"features.{after}.running_mean" in weights:
            modules.append(("BatchNorm", {"name": f"features.{after}"}))
            after += 1
        modules += [("Relu", {})] + [("MaxPool", {})] * (next_one > after + 1)
    return modules + [("GlobalAveragePool", {}), ("Flatten", {}), ("Linear", {"name": "classifier"})]


def resnet(_, weights):
    """The family for CIFAR: an addition of padded images where the number of channels changes."""
    pair = lambda number, stride: [
        ("Conv", {"name": f"conv{number}", "stride": stride}),
        ("BatchNorm", {"name": f"bn{number}"}),
    ]
    modules = pair(1, 1) + [("Relu", {})]
    blocks = {tuple(map(int, found)) for key in weights for found in re.findall(r"^layer(\d)\.(\d+)\.", key)}
    for stage, number in sorted(blocks):
        stride = 2 if stage > 1 and number == 0 else 1
        about = {
            "name": f"layer{stage}.{number}",
            "body": pair(1, stride) + [("Relu", {})] + pair(2, 1),
            "shortcut": "PadSubsample" if stride > 1 else "Identity",
        }
        modules += [("Residual", about), ("Relu", {})]
    return modules + [("GlobalAveragePool", {}), ("Flatten", {}), ("Linear", {"name": "linear"})]


def sequential(named, _):
    def module(value):
        kind, about = choice(value)
        if "body" in about:
            about = {**about, "body": [module(inner) for inner in about["body"]]}
        return kind, about

    return [module(value) for value in named["layers"]]


def windows(x, kernel, stride, padding, fill=0):
    """What each position of a window sees: [n, c, kernel * kernel, height, width]."""
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)), constant_values=fill)
    height, width = ((size - kernel) // stride + 1 for size in x.shape[2:])
    cut = lambda i, j: x[:, :, i : i + stride * height : stride, j : j + stride * width : stride]
    return np.stack([cut(i, j) for i in range(kernel) for j in range(kernel)], 2)


def convolution(x, weight, bias, stride, padding):
    seen = windows(x, weight.shape[2], stride, padding)
    n, c, taps, height, width = seen.shape
    columns = seen.transpose(0, 3, 4, 1, 2).reshape(n * height * width, c * taps)
    flat = columns @ weight.reshape(weight.shape[0], -1).T + bias
    return flat.reshape(n, height, width, -1).transpose(0, 3, 1, 2)


def batch_norm(x, weights, name):
    part = lambda key: weights[f"{name}.{key}"].reshape((1, -1) + (1,) * (x.ndim - 2))
    scale = part("weight") / np.sqrt(part("running_var") + np.float32(1e-5))
    return (x - part("running_mean")) * scale + part("bias")


def stride_of(modules):
    """By how much the modules divide the size of images."""
    product = 1
    for kind, about in modules:
        usual = about.get("window", 2) if kind in ("MaxPool", "AveragePool") else 1
        product *= stride_of(about["body"]) if kind == "Residual" else about.get("stride", usual)
    return product


def shortcut(how, body, x, y, weights, hook, name):
    """What is added to the `y` that a body yields."""
    kind, about = choice(how)
    if kind == "Identity":
        return x
    stride = next(s for s in (stride_of(body), -(-x.shape[2] // y.shape[2])) if x[:, :, ::s, ::s].shape[2:] == y.shape[2:])
    if kind == "PadSubsample":
        more = y.shape[1] - x.shape[1]
        return np.pad(x[:, :, ::stride, ::stride], ((0, 0), (more // 2, more - more // 2), (0, 0), (0, 0)))
    projection = [("Conv", {"stride": stride, "padding": 0}), ("BatchNorm", {})]
    return forward(projection, weights, x, hook, f"{name}.{about.get('name', 'shortcut')}.")


ACTIVATIONS = {
    "Relu": lambda x: np.maximum(x, np.float32(0)),
    "Softsign": lambda x: x / (1 + np.abs(x)),
    "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}
RESULTS = ("Conv", "Linear", "BatchNorm", "Residual")


def forward(modules, weights, x, hook=lambda _, x: x, prefix=""):
    """Logits; `hook` gets the name of every place with faults in activations, and what is there."""
    result = earlier = None  # the result that a batch norm right behind it belongs to, and the kind of the module before
    for at, (kind, about) in enumerate(modules):
        name = prefix + str(about.get("name", at))
        bias = weights.get(f"{name}.bias", np.float32(0))
        if kind == "Conv":
            weight = weights[f"{name}.weight"]
            side = weight.shape[2]
            x = convolution(x, weight, bias, about.get("stride", 1), about.get("padding", side // 2))
        elif kind == "Linear":
            x = x @ weights[f"{name}.weight"].T + bias
        elif kind == "BatchNorm":
            x = batch_norm(x, weights, name)
        elif kind == "Residual":
            y = forward(about["body"], weights, x, hook, name + ".")
            x = y + shortcut(about.get("shortcut", "Identity"), about["body"], x, y, weights, hook, name)
        elif kind in ACTIVATIONS:
            x = ACTIVATIONS[kind](x)
        elif kind in ("MaxPool", "AveragePool"):
            window, padding = about.get("window", 2), about.get("padding", 0)
            fill, over = (-np.inf, np.max) if kind == "MaxPool" else (0, np.mean)
            x = over(windows(x, window, about.get("stride", window), padding, fill), 2)
        elif kind == "GlobalAveragePool":
            x = x.mean((2, 3), keepdims=True, dtype=np.float32)
        elif kind == "Flatten":
            x = x.reshape(len(x), -1)
        else:
            assert kind == "Dropout", f"no such module: {kind}"
        follows = modules[at + 1][0] if at + 1 < len(modules) else None
        is_of_earlier = kind == "BatchNorm" and earlier in ("Conv", "Linear")
        before, result = result, result if is_of_earlier else name if kind in RESULTS else None
        is_result = kind in RESULTS and not (kind in ("Conv", "Linear") and follows == "BatchNorm")
        earlier = kind
        if is_result:
            x = hook(f"{result}.preactivation", x)
        if (is_result and follows not in ACTIVATIONS) or (kind in ACTIVATIONS and before):
            x = hook(f"{result or before}.output", x)
    return x


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


class Strike:
    """Faults in activations: for the name of each place (image, index, bits before, bits after)."""

    def __init__(self, faults):
        self.faults, self.problems = dict(faults), []

    def __call__(self, name, x):
        x = np.array(x, order="C")
        size = np.where(np.isfinite(x), np.abs(x), 0).max()
        for image, index, before, after in self.faults.pop(name, []):
            before, after = np.array([before, after], np.uint32).view(np.float32)
            here = x[image].reshape(-1)
            if not np.isclose(here[index], before, rtol=1e-4, atol=1e-5 * size, equal_nan=True):
                self.problems.append(f"{name}[{index}] of image {image} is {before}, and {here[index]} here")
            here[index] = after
        return x

    def report(self, trial):
        self.problems += [f"there is no place {name}" for name in self.faults]
        for problem in self.problems:
            print(f"trial {trial}: {problem}")
        return len(self.problems)


def campaign(folder, name, round_, spec, data, rows, trials):
    suffix = f"-round-{round_}" if round_ else ""
    raw = tensors(folder / f"campaign-{name}{suffix}.safetensors")
    (settings,) = campaigns_in(spec["plan"])
    fault = settings.get("fault", {})
    format, model = (choice(fault.get(name, usual))[0] for name, usual in (("format", "Float32"), ("model", "Flip")))
    stored, is_weight = {}, lambda key: raw[key].ndim > 1
    for key, values in raw.items():
        stored[key] = Stored(values, "Float32" if format == "Int8" and not is_weight(key) else format)
    modules = modules_of(spec, raw)
    in_activations = fault.get("target", {}).get("params") in ("Activations", "Preactivations")
    assert not in_activations or format == "Float32", "activations are in float32 here"
    bits = {key: value.bits() for key, value in stored.items()}
    golden_weights = {key: stored[key].read(bits[key]) for key in raw}
    images = int(trials[0]["images"])
    x, labels = data["images"][:images], data["labels"][:images].astype(int)
    golden = forward(modules, golden_weights, x)
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
        in_place = {}
        for row in listed:
            key, index = row["parameter"], int(row["index"])
            before, after = int(row["before"], 16), int(row["after"], 16)
            bit = int(row["bit"]) if row["bit"] else None
            expected = expected_bits(model, before, bit, 32 if in_activations else FORMATS[stored[key].format])
            is_wrong = expected is not None and expected != after
            if in_activations:
                in_place.setdefault(key, []).append((int(row["image"]), index, before, after))
            else:
                assert not row["image"], "faults of single images in parameters are replayed by weightlab alone"
                held = struck.setdefault(key, bits[key].copy())
                is_wrong |= bool(held[index] != before)
                held[index] = after
            if is_wrong:
                print(f"trial {trial['trial']}: {row} does not fit")
                wrong += 1
            checked += 1
        for key, held in struck.items():
            weights[key] = stored[key].read(held)
        strike = Strike(in_place)
        found = counts(golden, forward(modules, weights, x, strike), labels)
        wrong += strike.report(trial["trial"])
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
    rows = list(csv.DictReader(path.read_text().splitlines()))
    # A draw too long to list names its stream in the column `parameter`.
    long = [str(row) for row in rows if (row.get("parameter") or "").startswith("stream")]
    if long:
        sys.exit(f"{path}: faults that are not listed cannot be computed here: {long[0]}")
    return rows


def main():
    folder, data = pathlib.Path(sys.argv[1]), tensors(sys.argv[2])
    spec = json.loads((folder / "run.json").read_text())["spec"]
    # With a protection, the same trials without it are in a file of their own, and those are computed here.
    table = next(path for path in (folder / "trials_unprotected.csv", folder / "trials.csv") if path.exists())
    trials, faults = lines(table), lines(folder / "faults.csv")
    print(f"{table.name}: ", end="")
    if len(list(campaigns_in(spec["plan"]))) > 1:
        sys.exit("this oracle reads the settings of one campaign; give it a run that has one")
    wrong = 0
    for name, round_ in dict.fromkeys((trial["campaign"], trial["round"]) for trial in trials):
        own = lambda row: (row["campaign"], row["round"]) == (name, round_)
        wrong += campaign(folder, name, round_, spec, data, filter(own, faults), list(filter(own, trials)))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
