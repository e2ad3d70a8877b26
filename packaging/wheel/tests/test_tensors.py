"""Weights and masks as numpy arrays."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import weightlab
from conftest import Program


def write(path: Path, header: Any, body: bytes) -> Path:
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)
    return path


def one(dtype: str, shape: Any, offsets: Any) -> dict[str, Any]:
    return {"a": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}


def test_weights_have_the_shapes_of_pytorch(results: weightlab.Results) -> None:
    weights = results.weights(arm="dense", seed=1)
    shapes = {name: array.shape for name, array in weights.items()}
    assert shapes == {
        **{"fc1.weight": (16, 64), "fc1.bias": (16,), "fc2.weight": (8, 16), "fc2.bias": (8,)},
        **{"fc3.weight": (10, 8), "fc3.bias": (10,)},
    }
    assert all(array.dtype == np.float32 and array.flags.writeable for array in weights.values())
    assert results.masks(arm="dense", seed=1) == {}


def test_weights_are_those_that_the_program_exports(program: Program, results: weightlab.Results) -> None:
    program("export", "first.ron", "--arm", "dense", "--seed", "1", "--to", "dense.safetensors")
    exported = weightlab.read_tensors(program.folder / "dense.safetensors")
    for name, array in results.weights(arm="dense", seed=1).items():
        assert (array.view(np.uint32) == exported[name].view(np.uint32)).all()


def test_masks_say_what_is_pruned_and_what_is_frozen(results: weightlab.Results) -> None:
    arm = 'pruned, "small"'
    weights, masks = results.weights(arm=arm, seed=2), results.masks(arm=arm, seed=2)
    prunable = [name for name in weights if name.endswith("weight")]
    pruned = sum(int((masks[name] == 1).sum()) for name in prunable)
    total = sum(weights[name].size for name in prunable)
    assert all((weights[name][masks[name] == 1] == 0).all() for name in prunable)
    remaining = results.runs.set_index(["arm", "seed"]).loc[(arm, 2), "remaining"]
    assert 1 - pruned / total == pytest.approx(float(str(remaining)))
    frozen = results.masks(arm="frozen", seed=1)
    assert all((mask == 2).all() for mask in frozen.values()) and "fc1.weight" in frozen


def test_the_network_after_each_training_is_there(results: weightlab.Results) -> None:
    arm = 'pruned, "small"'
    steps = results.steps(arm=arm, seed=1)
    assert len(steps) == 3
    final = results.weights(arm=arm, seed=1)
    last = results.weights(arm=arm, seed=1, step=steps[-1])
    first = results.weights(arm=arm, seed=1, step=steps[0])
    assert (last["fc1.weight"] == final["fc1.weight"]).all() and (first["fc1.weight"] != final["fc1.weight"]).any()
    assert (results.masks(arm=arm, seed=1, step=steps[1])["fc1.weight"] == 1).sum() == 512
    for read in (results.weights, results.masks):
        with pytest.raises(FileNotFoundError, match="it has recorded "):
            read(arm=arm, seed=1, step=99)


def test_a_run_that_is_not_clear_or_not_done_is_named(results: weightlab.Results, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 runs are meant"):
        results.weights(arm="dense")
    run = tmp_path / "ab"
    run.mkdir()
    (run / "run.json").write_text('{"arm": "a", "seed": 3, "program": "weightlab", "spec": {}}', encoding="utf-8")
    for read in (weightlab.read(run).weights, weightlab.read(run).masks):
        with pytest.raises(FileNotFoundError, match=r"run ab \(arm 'a', seed 3\) has no weights"):
            read()


def test_every_type_is_read(tmp_path: Path) -> None:
    values = np.array([0.0, 1.5, -2.0, np.inf], np.float32)
    header = {
        "half": {"dtype": "F16", "shape": [2, 2], "data_offsets": [0, 8]},
        "brain": {"dtype": "BF16", "shape": [4], "data_offsets": [8, 16]},
        "count": {"dtype": "I64", "shape": [], "data_offsets": [16, 24]},
        "none": {"dtype": "F32", "shape": [0, 3], "data_offsets": [24, 24]},
        "__metadata__": {"run": "ab"},
    }
    body = (
        values.astype("<f2").tobytes() + (values.view(np.uint32) >> 16).astype("<u2").tobytes() + struct.pack("<q", 7)
    )
    found = weightlab.read_tensors(write(tmp_path / "a.safetensors", header, body))
    assert list(found) == ["half", "brain", "count", "none"]
    assert (found["half"].ravel() == values).all() and found["half"].dtype == np.float16
    assert (found["brain"] == values).all() and found["brain"].dtype == np.float32
    assert found["count"] == 7 and found["none"].shape == (0, 3)


def test_the_library_reads_the_same(results: weightlab.Results) -> None:
    library = pytest.importorskip("safetensors.numpy")
    path = results.path(arm="dense", seed=1) / "weights.safetensors"
    theirs, ours = library.load_file(path), weightlab.read_tensors(path)
    assert theirs.keys() == ours.keys() and all((theirs[name] == ours[name]).all() for name in ours)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"1234567",
        struct.pack("<Q", 2**63) + b"{}",
        struct.pack("<Q", 10) + b"{}",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 2) + b"\xff\xff",
        *(
            struct.pack("<Q", len(json.dumps(header))) + json.dumps(header).encode() + bytes(8)
            for header in (
                *(one("F32", [3], [0, 8]), one("F32", [2], [0, 80]), one("F32", [2], [-8, 0]), one("F8", [8], [0, 8])),
                *(one("F32", ["2"], [0, 8]), one("F32", [2], [0]), one("F32", [2], None), {"a": 7}),
                one("F32", [-2, -1], [0, 8]),
            )
        ),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.safetensors").write_bytes(content)
    with pytest.raises(ValueError, match="a.safetensors is (no safetensors file, or )?damaged"):
        weightlab.read_tensors(tmp_path / "a.safetensors")
