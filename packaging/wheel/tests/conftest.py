"""Results of the program for the tests. ``WEIGHTLAB`` names the program, unless it is installed beside the module."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest
import weightlab
from weightlab._program import find_program

EXPERIMENT = """Experiment(
    data: Digits(limit_train: 200, limit_test: 60, validation: 20),
    net: Mlp(hidden: [16, 8]),
    train: (batch: 50),
    seeds: [1, 2],
    arms: [
        (name: "dense", plan: [Train("2ep"), Test]),
        (name: "pruned, \\"small\\"", train: (batch: 25, record: (weights: Histograms, rounds: true)), plan: [
            Repeat(times: 2, body: [Train("1ep"), Do(Prune(amount: Fraction(0.5)))]), Train("1ep"), Test]),
        (name: "diverges", train: (loss: SquaredError, non_finite: Continue, optimizer: Sgd(rate: 1000.0), record: (weights: Layers)), plan: [Train("12ep")]),
        (name: "members", plan: [Ensemble(members: 2, share: First(1), steps: "1ep"), Test]),
        (name: "branches", plan: [Train("1ep"),
            Branch(name: "one", init: Copy, order: Own, plan: [Train("1ep"), Test]),
            Branch(name: "two", init: Copy, order: Own, plan: [Train("1ep"), Test]),
            Connect(a: "one", b: "two", points: 5), Test]),
        (name: "frozen", plan: [Train("1ep"), Do(Freeze(target: (layers: Only(["fc1"])))), Train("1ep")]),
        (name: "by bit", plan: [Train("1ep"),
            Campaign(trials: Fixed(6), images: 20, protect: Clip, fault: (amount: Count(2)), vary: Bit([0, 30]))]),
        (name: "by rate", plan: [Train("1ep"),
            Repeat(times: 2, body: [Campaign(trials: Fixed(4), images: 20, vary: Rate([1e-4, 1e-2])), Train("1ep")])]),
        (name: "by layer", plan: [Train("1ep"),
            Campaign(trials: Fixed(4), images: 20, fault: (target: (params: Activations), amount: Count(1)), vary: Layer)]),
    ],
)
"""


class Program:
    """The program, in a folder."""

    def __init__(self, path: str, folder: Path) -> None:
        self.path, self.folder = path, folder

    def __call__(self, *arguments: str) -> str:
        """Its output; stops the test where it fails."""
        environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        ended = subprocess.run(
            [self.path, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, encoding="utf-8"
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def show(self, *arguments: str) -> list[dict[str, Any]]:
        """Its table of runs."""
        shown: list[dict[str, Any]] = json.loads(self("show", *arguments, "--json"))
        return shown


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program in a folder with ``first.ron`` and its results."""
    folder = tmp_path_factory.mktemp("results")
    (folder / "first.ron").write_text(EXPERIMENT, encoding="utf-8")
    program = Program(os.environ.get("WEIGHTLAB") or find_program(), folder)
    program("run", "first.ron")
    program("export", "first.ron", "--to", "points.csv")
    return program


@pytest.fixture(scope="session")
def results(program: Program) -> weightlab.Results:
    """Its results, for tests that change nothing."""
    return weightlab.read(program.folder / "first.ron")


@pytest.fixture
def copied(results: weightlab.Results, tmp_path: Path) -> Callable[[str], Path]:
    """Copies the run of an arm with seed 1 into a folder of its own, for tests that damage it; returns its directory."""

    def copy(arm: str) -> Path:
        path = results.path(arm=arm, seed=1)
        return Path(shutil.copytree(path, tmp_path / "copied.runs" / path.name))

    return copy
