#!/usr/bin/env python3
"""Reads two weight files as another program would and says which entries have other bits.

usage: held.py BEFORE.safetensors AFTER.safetensors TENSOR SELECTION

SELECTION is what was held: largest:SHARE or smallest:SHARE by magnitude in BEFORE, indices:I,J,… in the file's layout,
rows:I,J,… (output channels), all, or zeros (what was pruned: every entry that is +0.0 in BEFORE).

Exits with 0 when all of these have the same bits in both files, and every other entry that is not 0 has others (with
weight decay it has a gradient).
"""
import json
import struct
import sys

import numpy as np


def tensors(path):
    raw = open(path, "rb").read()
    (size,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8 : 8 + size])
    body = raw[8 + size :]
    head.pop("__metadata__", None)
    return {
        name: np.frombuffer(body[slice(*about["data_offsets"])], "<f4").reshape(about["shape"])
        for name, about in head.items()
        if about["dtype"] == "F32"  # counts of batches are whole numbers
    }


def selected(tensor, selection):
    """Positions of the held entries in the flat layout."""
    kind, _, what = selection.partition(":")
    flat = tensor.ravel()
    positions = np.arange(flat.size)
    if kind in ("largest", "smallest"):
        sign = -1 if kind == "largest" else 1
        # The lower index first among equals.
        return np.lexsort((positions, sign * np.abs(flat)))[: int(np.rint(float(what) * flat.size))]
    if kind == "indices":
        return np.array([int(index) for index in what.split(",")])
    if kind == "rows":
        rows = [int(row) for row in what.split(",")]
        return positions.reshape(tensor.shape)[rows].ravel()
    if kind == "zeros":
        return positions[flat.view(np.uint32) == 0]
    assert kind == "all", f"no such selection: {selection}"
    return positions


def main():
    before, after = tensors(sys.argv[1]), tensors(sys.argv[2])
    name, selection = sys.argv[3], sys.argv[4]
    assert before.keys() == after.keys(), "the files hold the same tensors"
    held = selected(before[name], selection)
    old, new = before[name].ravel(), after[name].ravel()
    same = old.view(np.uint32) == new.view(np.uint32)
    is_held = np.zeros(old.size, bool)
    is_held[held] = True
    print(f"{name}, {selection}: {held.size} of {old.size} entries held, {int((~same[held]).sum())} of them changed, "
          f"{int((~same).sum())} entries changed in all")
    assert held.size > 0, "nothing was held"
    assert same[held].all(), "a held entry changed"
    assert not same[~is_held & (old != 0)].any(), "a free entry stood still"


main()
