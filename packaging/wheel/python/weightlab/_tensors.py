"""Files of weights: safetensors, with numpy alone."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Tensors = dict[str, NDArray[Any]]
"""Arrays by name."""

_TYPES = {
    "BOOL": "?",
    "U8": "<u1",
    "I8": "<i1",
    "U16": "<u2",
    "I16": "<i2",
    "F16": "<f2",
    "BF16": "<u2",
    "U32": "<u4",
    "I32": "<i4",
    "F32": "<f4",
    "U64": "<u8",
    "I64": "<i8",
    "F64": "<f8",
}
_LONGEST_HEADER = 100_000_000


def read_tensors(path: str | os.PathLike[str]) -> Tensors:
    """Reads a ``.safetensors`` file, such as one that ``Export`` or ``weightlab export`` wrote.

    Returns arrays by name in the order of the file, each with its shape and its type. ``bfloat16``, which numpy lacks,
    becomes float32 without loss. The arrays are copies that you may change.

    Raises ``ValueError`` with the file and the reason if it is damaged.
    """
    path = Path(path)
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, _LONGEST_HEADER):
            raise ValueError(f"{path} is no safetensors file, or damaged: its header claims {length} bytes of {size}")
        try:
            header = json.loads(file.read(length).decode("utf-8"))
            entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
            ordered = sorted(entries.items(), key=lambda item: item[1]["data_offsets"])
            return {name: _tensor(file, 8 + length, entry, size) for name, entry in ordered}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{path} is damaged: {error}") from error


def _tensor(file: Any, start: int, entry: dict[str, Any], size: int) -> NDArray[Any]:
    kind, shape = entry["dtype"], entry["shape"]
    if kind not in _TYPES:
        raise ValueError(f"numpy has no type {kind}; known are {', '.join(_TYPES)}")
    dtype = np.dtype(_TYPES[kind])
    begin, end = entry["data_offsets"]
    count = 1
    for length in shape:
        count *= length
    if not 0 <= begin <= end <= size - start or count * dtype.itemsize != end - begin:
        raise ValueError(f"a tensor of shape {shape} does not fit its {end - begin} bytes")
    file.seek(start + begin)
    values: NDArray[Any] = np.frombuffer(bytearray(file.read(end - begin)), dtype).reshape(shape)
    if kind == "BF16":
        return (values.astype("<u4") << 16).view("<f4")
    return values
