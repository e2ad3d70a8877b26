"""`Results`: a folder of runs as pandas frames and numpy arrays."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Union

import pandas as pd

from . import _frames, _tables
from ._directory import Run, read_runs
from ._program import find_program
from ._tensors import Tensors, read_tensors
from ._warnings import warn

Pathlike = Union[str, "os.PathLike[str]"]


def read(path: Pathlike) -> Results:
    """Opens a folder of runs, the experiment file that they belong to, or the directory of one run."""
    given = Path(path)
    folder = given if given.is_dir() else given.with_suffix(".runs")
    if not folder.is_dir():
        if given.suffix == ".runs" or not given.exists():
            raise FileNotFoundError(
                f"{given}: there is no such folder; `weightlab run` makes it beside the experiment file"
            )
        raise FileNotFoundError(
            f"{folder}: there is no such folder; `weightlab run {given}` makes it, or name the folder of --into"
        )
    results = Results(folder, read_runs(folder))
    results._warn_of_earlier_settings()
    return results


class Results:
    """Runs and what they reported, from `weightlab.read`.

    Frames are read from disk when you first ask for them, and kept. ``run``, ``arm`` and ``seed`` are in all of them:
    the identity of a run (the name of its directory), its arm with swept values, and its seed. Texts that repeat are
    categorical: pass ``observed=True`` to ``groupby`` and ``pivot_table`` in pandas before version 3. A run that goes on
    while you read has what it had written by then.
    """

    def __init__(self, folder: Path, runs: list[Run]) -> None:
        """Use `weightlab.read`."""
        self.folder: Path = folder
        """The folder of the runs."""
        self._list = runs

    def __repr__(self) -> str:
        return f"<weightlab.Results: {len(self)} runs of {len({run.arm for run in self._list})} arms in {self.folder}>"

    def __len__(self) -> int:
        """The number of runs."""
        return len(self._list)

    @cached_property
    def _logged(self) -> _frames.Logged:
        return _frames.read_logs(self._list)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row for each run.

        ``state`` (queued, running, stopped, done, failed) and ``message`` (why it failed); ``test_accuracy`` (the last
        one), ``best_test_accuracy`` and, where nothing was tested, ``validation_accuracy``, all in [0, 1]; ``vote``, if
        they are those of an ensemble's vote; ``remaining``, the share of the prunable weights that remain; ``epochs``
        trained in all; ``secs`` of work; ``began`` (UTC); ``program``, its version; ``digest``, that of the samples.
        Then a column for each setting in which the runs differ, by its path, empty for the default: see `settings`.
        """
        return self._logged.runs.join(_frames.settings_frame(self._list, differing=True))

    @cached_property
    def settings(self) -> pd.DataFrame:
        """One row for each run, a column for each setting that any run has: its path, such as ``train.batch``.

        A setting at its default is not in the files: it is empty here.
        """
        head = self._logged.runs[["run", "arm", "seed"]]
        return head.join(_frames.settings_frame(self._list, differing=False))

    @property
    def points(self) -> pd.DataFrame:
        """One row for each value of each series, in the order in which they came.

        The columns are those of ``weightlab export --to points.csv``, then ``trained`` (epochs trained in all, never
        goes back), ``secs`` (seconds of work since the run began), and ``utc`` (the time of day, if the log has it).
        ``value`` of an accuracy is in [0, 1]; it may be NaN or infinite. ``rate`` is the fault rate of a campaign's cell,
        or the place on a line in [0, 1].
        """
        return self._logged.points

    @cached_property
    def classes(self) -> pd.DataFrame:
        """The accuracy of each class: one row for each class (``class``, its label) of each test or validation."""
        return _frames.classes_frame(self._logged)

    @property
    def reports(self) -> pd.DataFrame:
        """What stages did: one row for each report.

        ``stage``, ``branch``, ``round``, ``kind``, ``summary`` (one sentence), ``level`` (Detail, Info, Warning),
        ``passed`` (the verdict of a check), and ``table``: a list with a dict of texts for each line.
        """
        return self._logged.reports

    @property
    def campaigns(self) -> pd.DataFrame:
        """One row for each campaign of faults: its format, protection, images, and the accuracies without faults.

        ``golden_accuracy`` is in the format and with the protection, ``unprotected_accuracy`` without the protection,
        ``float32_accuracy`` that of the network as it was trained.
        """
        return self._logged.campaigns

    @property
    def cells(self) -> pd.DataFrame:
        """The results of campaigns: one row for each cell, and one more without the protection (``unprotected``).

        ``rate``, ``bit`` or ``layer`` is what the campaign varies. ``sdc1``, ``due``, ``masked`` (shares of images) and
        ``accuracy`` are means over trials, with the ends of their intervals as ``_low`` and ``_high``.
        """
        return self._logged.cells

    @cached_property
    def trials(self) -> pd.DataFrame:
        """One row for each trial of a campaign, from ``trials.csv``, with what its cell varies (rate, bit, layer).

        ``faults`` changed a bit; ``masked``, ``benign``, ``sdc1``, ``sdc5``, ``due``, ``corrected`` and ``lost`` count
        images of ``images``; ``accuracy`` is in [0, 1].
        """
        return _tables.trials(self._list, "trials.csv", self._logged.varied)

    @cached_property
    def trials_unprotected(self) -> pd.DataFrame:
        """The same trials without the protection, where a campaign has one."""
        return _tables.trials(self._list, "trials_unprotected.csv", self._logged.varied)

    @cached_property
    def faults(self) -> pd.DataFrame:
        """One row for each line of ``faults.csv``: a fault, or a draw that is too long to list.

        ``parameter`` and ``index`` (in PyTorch's layout) say where, ``bit`` is from the least significant, ``image`` the
        only one that sees it. ``before`` and ``after`` are the stored bits as numbers: for float32,
        ``after.to_numpy("uint32").view("float32")`` are the values. ``faults`` is 1, or of a draw how many there are;
        its ``stream`` has the counters of the random stream.
        """
        return _tables.faults(self._list)

    @cached_property
    def histograms(self) -> pd.DataFrame:
        """One row for each recorded histogram: its ends ``low`` and ``high``, and ``counts``, an array of the bins."""
        return _tables.histograms(self._list)

    def select(self, run: str | None = None, *, arm: str | None = None, seed: int | None = None) -> Results:
        """Only these runs, which are read anew: quick for some runs of thousands.

        Raises ``ValueError`` if there are none.
        """
        wanted = {"run": run, "arm": arm, "seed": seed}
        found = [
            one
            for one in self._list
            if (run is None or one.id == run) and (arm is None or one.arm == arm) and (seed is None or one.seed == seed)
        ]
        if not found:
            words = ", ".join(f"{name} {value!r}" for name, value in wanted.items() if value is not None)
            arms = ", ".join(dict.fromkeys(repr(one.arm) for one in self._list)) or "none"
            raise ValueError(f"{self.folder} has no run with {words or 'anything'}; its arms are {arms}")
        return Results(self.folder, found)

    def current(self, experiment: Pathlike | None = None, program: Pathlike | None = None) -> Results:
        """Only the runs of the experiment file as it is now, in its order and with its names of arms.

        The folder also keeps runs of earlier settings, and a run that several arms share only once; here, each of these
        arms has it. Asks the program (the one that is installed with this module, unless you name another), which reads
        ``experiment`` (the file beside the folder, unless you name another).
        """
        file = Path(experiment) if experiment is not None else self.folder.with_suffix(".ron")
        command = [os.fspath(program or find_program()), "show", str(file), "--json", "--from", str(self.folder)]
        shown = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
        if shown.returncode != 0:
            raise ValueError(f"{file} cannot be read: {shown.stderr.strip()}")
        by_id = {run.id: run for run in self._list}
        rows = [row for row in json.loads(shown.stdout) if row["run"] in by_id]
        return Results(self.folder, [replace(by_id[row["run"]], arm=row["arm"]) for row in rows])

    def path(self, run: str | None = None, *, arm: str | None = None, seed: int | None = None) -> Path:
        """The directory of a run."""
        return self._one(run, arm, seed).path

    def weights(
        self,
        run: str | None = None,
        *,
        arm: str | None = None,
        seed: int | None = None,
        step: int | None = None,
    ) -> Tensors:
        """The parameters of a run at its end: arrays by name, with PyTorch's names and layouts.

        Name the run by its identity, or by arm and seed. ``step`` takes instead the network after the training with this
        number in ``rounds/step-N.safetensors``, if the run has recorded it (``train.record.rounds``); see `steps`.
        """
        return read_tensors(self._network(self._one(run, arm, seed), step))

    def masks(
        self,
        run: str | None = None,
        *,
        arm: str | None = None,
        seed: int | None = None,
        step: int | None = None,
    ) -> Tensors:
        """What holds the entries of a run's parameters: arrays of uint8, 0 free, 1 pruned, 2 frozen.

        Only parameters with held entries are there. The arguments are those of `weights`, and so is the error where there
        is no such network.
        """
        network = self._network(self._one(run, arm, seed), step)
        path = network.with_name("pins.safetensors" if step is None else f"step-{step}.pins.safetensors")
        return read_tensors(path) if path.exists() else {}

    def steps(self, run: str | None = None, *, arm: str | None = None, seed: int | None = None) -> list[int]:
        """The numbers of the trainings after which a run has recorded its network."""
        files = (self._one(run, arm, seed).path / "rounds").glob("step-*.safetensors")
        numbers = [file.name[len("step-") : -len(".safetensors")] for file in files]
        return sorted(int(number) for number in numbers if number.isdigit())

    def _network(self, one: Run, step: int | None) -> Path:
        """The file with a network of a run."""
        path = one.path / ("weights.safetensors" if step is None else f"rounds/step-{step}.safetensors")
        if path.exists():
            return path
        if step is None:
            raise FileNotFoundError(f"{path}: {one.describe()} has no weights; a run writes them when it is done")
        steps = ", ".join(map(str, self.steps(one.id))) or "none"
        raise FileNotFoundError(f"{path}: {one.describe()} has no such step; it has recorded {steps}")

    def _one(self, run: str | None, arm: str | None, seed: int | None) -> Run:
        found = {one.id: one for one in self.select(run, arm=arm, seed=seed)._list}
        if len(found) > 1:
            some = ", ".join(one.describe() for one in list(found.values())[:3])
            raise ValueError(f"{len(found)} runs are meant; name one by its identity, or by arm and seed: {some}, …")
        return next(iter(found.values()))

    def _warn_of_earlier_settings(self) -> None:
        runs: dict[object, int] = {}
        for run in self._list:
            runs[run.arm, run.seed] = runs.get((run.arm, run.seed), 0) + 1
        several = [key for key, count in runs.items() if count > 1]
        if several:
            warn(
                f"{self.folder} has several runs of the same arm and seed, such as {several[0]}: some are of earlier "
                "settings. `.current()` has only those of the experiment file as it is now"
            )
