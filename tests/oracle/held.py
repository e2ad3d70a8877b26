#!/usr/bin/env python3
"""Reads two weight files as another program would and says which entries have other bits.

usage: held.py BEFORE.safetensors AFTER.safetensors TENSOR SHARE

Exits with 0 when at least SHARE of the tensor's entries, the largest by magnitude in BEFORE, have the same bits in
both files, and some other entry does not.
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
    }


def main():
    before, after = tensors(sys.argv[1]), tensors(sys.argv[2])
    name, share = sys.argv[3], float(sys.argv[4])
    assert before.keys() == after.keys(), "the files hold the same tensors"
    old, new = before[name].ravel(), after[name].ravel()
    count = int(np.rint(share * old.size))
    # Largest first, the lower index first among equals.
    largest = np.lexsort((np.arange(old.size), -np.abs(old)))[:count]
    same = old.view(np.uint32) == new.view(np.uint32)
    print(f"{name}: {count} of {old.size} entries held, {int((~same[largest]).sum())} of them changed, "
          f"{int((~same).sum())} entries changed in all")
    assert same[largest].all(), "a held entry changed"
    assert not same.all(), "nothing was trained"


main()
