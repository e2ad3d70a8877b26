#!/usr/bin/env python3
"""Makes digits.bin.gz and iris.bin.gz from the copies that scikit-learn ships.

    python3 -m pip install scikit-learn==1.9.1
    python3 assets/data/make.py

Each file is a gzip stream of records, one per sample and in scikit-learn's order: one byte with the
label, then one byte per value. A digit has 64 values in 0..16 (8 rows of 8 pixels); an iris has 4,
in tenths of a centimetre. The time stamp of the stream is 0, so the same input gives the same file.
"""

import gzip
import pathlib

import numpy as np
from sklearn.datasets import load_digits, load_iris


def write(name, values, labels):
    records = np.column_stack([labels, values]).astype(np.uint8)
    assert (records[:, 0] == labels).all() and (records[:, 1:] == values).all(), "values must be whole and fit a byte"
    path = pathlib.Path(__file__).with_name(name)
    path.write_bytes(gzip.compress(records.tobytes(), compresslevel=9, mtime=0))
    print(f"{path.name}: {len(records)} records of {records.shape[1]} bytes, {path.stat().st_size} compressed")


def main():
    digits = load_digits()
    write("digits.bin.gz", digits.data, digits.target)

    iris = load_iris()
    tenths = np.round(iris.data * 10)
    assert (np.float32(tenths) / np.float32(10) == iris.data.astype(np.float32)).all(), "tenths must be exact"
    write("iris.bin.gz", tenths, iris.target)


if __name__ == "__main__":
    main()
