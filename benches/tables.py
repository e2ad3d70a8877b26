#!/usr/bin/env python3
"""The tables of docs/performance.md, measured again and printed as Markdown.

    python3 benches/tables.py [TABLE ...] [--peer 'venv/bin/python peer.py'] [--device NAME] [--pairs 5] [--threads 2]

TABLE is one of machine, pairs, tuned, cost, pruned, threads, device; all but tuned and device when none is named. `--peer` is a
command that, given the name of a scenario and `--threads N`, does the same work with PyTorch and prints a line of JSON with
`median_s`; pairs and tuned need it. The table device needs `--device`, such as Cuda or Wgpu, for which it builds with the feature
of that name (unless `--ours` says what to call). Both sides are measured in turn, so that a busy machine is equally busy for both; peak memory
is that of the whole process, libraries included. Needs nothing but Python.
"""
import argparse, json, os, shlex, statistics, subprocess, sys

GOALS = {"vgg16-train-b32": 2.5, "vgg16-train-b128": 3, "vgg16-infer-b256": 1.9, "vgg16-campaign": 20,
         "lenet-train-b60": 3, "lenet-epoch": 3.5, "lenet5-train-b60": 2, "conv6-train-b60": 1.6,
         "resnet20-train-b128": 1.3, "resnet20-infer-b256": 1.4, "resnet20-campaign": 10, "resnet18-infer-b16": 1.1}
# glibc keeps what was freed instead of giving it back to the system.
KEEP = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(1 << 28)}
COST = [("batch", [f"vgg16-train-b{n}" for n in (8, 32, 128)] + [f"lenet-train-b{n}" for n in (1, 15, 60, 240)]),
        ("width", [f"vgg16w{n}-train-b32" for n in (16, 32, 64)] + [f"mlp{n}x2-train-b60" for n in (100, 300, 1000)]),
        ("depth", [f"vgg{n}-train-b32" for n in (11, 13, 16, 19)] + [f"mlp300x{n}-train-b60" for n in (1, 2, 4, 8)]),
        ("images of a trial", [f"vgg16-campaign-i{n}" for n in (16, 64, 256)])]
# Devices that a build needs a feature for.
FEATURES = ("cuda", "wgpu")
ON_DEVICE = ["vgg16-train-b128", "vgg16-infer-b256", "resnet20-train-b128", "lenet-train-b60", "vgg16-campaign-i256"]
# Shares of the weights that are pruned at random in every layer, and of the channels or units, in per cent.
PRUNED = [(net, ["-s50", "-s80", "-s90", "-s95", "-s98", "-c50", "-c75"])
          for net in ("lenet-train-b60", "lenet-infer-b256", "vgg16-train-b32", "vgg16-infer-b256")]


def run(command, env=None):
    """Median seconds, peak bytes and multiply-adds of one scenario, and all that was printed of it."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    lines = [line for line in out.splitlines() if line.startswith("{")]
    if status or not lines:
        sys.exit(f"{shlex.join(command)} failed:\n{out}")
    result = json.loads(lines[-1])
    return result["median_s"], result.get("peak_bytes") or usage.ru_maxrss * 1024, result.get("multiply_adds"), result


def seconds(value):
    return f"{value:.3g} s" if value >= 0.1 else f"{value * 1e3:.3g} ms"


def pairs(a, env):
    print("| scenario | Weightlab | PyTorch | ratio (smallest to largest) | goal | peak, Weightlab | peak, PyTorch |")
    print("|---|---|---|---|---|---|---|")
    for name, goal in GOALS.items():
        ours, peers = [], []
        for _ in range(a.pairs):
            ours.append(run([*a.ours, name, "--threads", str(a.threads)]))
            peers.append(run([*a.peer, name, "--threads", str(a.threads), "--runs", "3"], env))
        ratios = [peer[0] / mine[0] for mine, peer in zip(ours, peers)]
        middle = [statistics.median(side[0] for side in both) for both in (ours, peers)]
        peak = [max(side[1] for side in both) / 1e6 for both in (ours, peers)]
        print(f"| `{name}` | {seconds(middle[0])} | {seconds(middle[1])} | {statistics.median(ratios):.2f} "
              f"({min(ratios):.2f} to {max(ratios):.2f}) | {goal} | {peak[0]:.0f} MB | {peak[1]:.0f} MB |", flush=True)


def middle(a, name, threads):
    return statistics.median(run([*a.ours, name, "--threads", str(threads)])[0] for _ in range(a.pairs))


def peak(a):
    """Operations a second of a loop that does nothing else; a multiply-add is two."""
    return 2e9 / middle(a, "machine-multiply-adds", a.threads)


def machine(a):
    print("A byte that is copied counts once, although it is read and written.\n")
    print("| limit | one thread | all threads |\n|---|---|---|")
    for name, unit in [("multiply-adds", "GF/s"), ("read", "GB/s"), ("copy", "GB/s")]:
        times = 2 if unit == "GF/s" else 1
        rates = [times / middle(a, f"machine-{name}", threads) for threads in (1, a.threads)]
        print(f"| {name} | {rates[0]:.0f} {unit} | {rates[1]:.0f} {unit} |", flush=True)


def cost(a):
    """The limit is the time of all products of a dense network by direct sums at the peak, three passes for a step of training."""
    limit = peak(a)
    print("| what grows | scenario | one step or trial | at the machine's peak |\n|---|---|---|---|")
    for what, names in COST:
        for name in names:
            found = [run([*a.ours, name, "--threads", str(a.threads)]) for _ in range(a.pairs)]
            least = seconds(2 * found[0][2] / limit)
            print(f"| {what} | `{name}` | {seconds(statistics.median(one[0] for one in found))} | {least} |", flush=True)


def pruned(a):
    """Each beside the dense network of the same minute."""
    print("| scenario | dense | pruned | dense / pruned |\n|---|---|---|---|")
    for net, ends in PRUNED:
        for end in ends:
            both = [[run([*a.ours, name, "--threads", str(a.threads)])[0] for name in (net, net + end)] for _ in range(a.pairs)]
            dense, ours = (statistics.median(one[side] for one in both) for side in (0, 1))
            ratio = statistics.median(dense / ours for dense, ours in both)
            print(f"| `{net}{end}` | {seconds(dense)} | {seconds(ours)} | {ratio:.2f} |", flush=True)


def threads(a):
    print("| scenario | threads | seconds |\n|---|---|---|")
    for name in ["vgg16-train-b32", "vgg16-infer-b256", "lenet-train-b60"]:
        for count in range(1, a.threads + 1):
            print(f"| `{name}` | {count} | {seconds(middle(a, name, count))} |", flush=True)
    print("\n| runs side by side | threads of each | epochs of LeNet-300-100 in an hour | times one |\n|---|---|---|---|")
    one = None
    for jobs, count in [(1, 1), (1, a.threads), (a.threads, 1)]:
        rate = 3600 / middle(a, f"lenet-epoch-j{jobs}", count)
        one = one or rate
        print(f"| {jobs} | {count} | {rate:.0f} | {rate / one:.2f} |", flush=True)


def device(a):
    """The transfer is measured alone; in a step it overlaps with computing, so its share is at most this."""
    probe = [*a.ours, "lenet-infer-b1", "--runs", "1", "--device", a.device]
    tried = subprocess.run(probe, capture_output=True, text=True)
    if tried.returncode:
        sys.exit(f"There is no table: the device {a.device} cannot be used here.\n\n{tried.stderr.strip()}")
    about = json.loads(tried.stdout.splitlines()[-1])
    if "hardware" not in about:
        sys.exit(f"There is no table: {about['device']} computes on the processor, as Cpu does. Name a GPU's device.")
    print(f"{about['device']} is {about['hardware']}; Cpu has {a.threads} threads.\n")
    print("| scenario | on the device | at most in transfer | on Cpu | Cpu / device |\n|---|---|---|---|---|")
    for name in ON_DEVICE:
        command = [*a.ours, name, "--threads", str(a.threads), "--device"]
        both = [[run([*command, where]) for where in (a.device, "Cpu")] for _ in range(a.pairs)]
        there, cpu = (statistics.median(pair[side][0] for pair in both) for side in (0, 1))
        ratio = statistics.median(pair[1][0] / pair[0][0] for pair in both)
        moved = [pair[0][3]["transfer_s"] / pair[0][0] for pair in both if "transfer_s" in pair[0][3]]
        share = f"{100 * statistics.median(moved):.0f} %" if moved else "–"
        print(f"| `{name}` | {seconds(there)} | {share} | {seconds(cpu)} | {ratio:.2f} |", flush=True)


TABLES = {"machine": machine, "pairs": lambda a: pairs(a, None), "tuned": lambda a: pairs(a, KEEP),
          "cost": cost, "pruned": pruned, "threads": threads, "device": device}
args = argparse.ArgumentParser()
args.add_argument("tables", nargs="*", choices=[*TABLES, []])
args.add_argument("--ours"); args.add_argument("--device")
args.add_argument("--peer"); args.add_argument("--pairs", type=int, default=5)
args.add_argument("--threads", type=int, default=2)
a = args.parse_args()
name = (a.device or "").lower()
features = f"--features {name} " if name in FEATURES else ""
a.ours = shlex.split(a.ours or f"cargo bench -q {features}--bench speed --")
a.peer = a.peer and shlex.split(a.peer)
names = a.tables or [name for name in TABLES if name not in ("tuned", "device")]
if "device" in names and not a.device:
    sys.exit("device needs --device, such as --device Cuda")
missing = [name for name in names if name in ("pairs", "tuned")]
if missing and not a.peer:
    sys.exit(f"{' and '.join(missing)} need --peer; or name other tables")
for name in names:
    print(f"\n## {name}\n")
    TABLES[name](a)
