"""Frames of what the logs of runs hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from . import _settings
from ._directory import Run
from ._events import LATEST
from ._log import NONE, TEXTS, WHOLE, Campaign, Log, Texts, read_log

POINTS = [
    *("run", "arm", "seed", "stage", "branch", "member", "series", "round", "epoch", "iteration", "remaining", "rate"),
    *("bit", "layer", "value", "trained", "secs", "utc"),
]
"""Columns of ``points``: those of ``points.csv`` first."""
_PLACE = ["stage", "branch", "round"]
_REPORTS = [*_PLACE, "kind", "summary", "level", "passed", "table"]
_CAMPAIGN = ["confidence", "golden_accuracy", "unprotected_accuracy", "float32_accuracy"]
_CAMPAIGNS = ["campaign", *_PLACE, "label", "format", "protect", "images", *_CAMPAIGN, "intact"]
_ESTIMATES = [f"{name}{end}" for name in ("sdc1", "due", "masked", "accuracy") for end in ("", "_low", "_high")]
_CELLS = [
    *("campaign", "round", "cell", "rate", "bit", "layer", "unprotected", "trials", "done", "faults", "images"),
    *(*_ESTIMATES, "accuracy_median", "accuracy_p5", "accuracy_p95"),
]
_DTYPES = {
    **dict.fromkeys(("round", "bit", "member"), "Int64"),
    **dict.fromkeys(("cell", "trials", "faults", "images"), "int64"),
    **dict.fromkeys(("passed", "intact"), "boolean"),
    **dict.fromkeys(("unprotected", "done"), "bool"),
    **dict.fromkeys(("rate", *_CAMPAIGN, *_ESTIMATES, "accuracy_median", "accuracy_p5", "accuracy_p95"), "float64"),
}

# pandas takes more than its stubs know.
array: Any = pd.array
_from_codes: Any = pd.Categorical.from_codes

Varied = list[dict[Campaign, list[dict[str, Any]]]]


@dataclass
class Logged:
    """What the logs of some runs hold, as frames."""

    runs: pd.DataFrame
    points: pd.DataFrame
    classes: tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
    """The number of the point, the class and its accuracy."""
    reports: pd.DataFrame
    campaigns: pd.DataFrame
    cells: pd.DataFrame
    varied: Varied
    """What the cells of the campaigns of each run vary."""


def read_logs(runs: Sequence[Run]) -> Logged:
    """Reads the logs of runs."""
    texts = {name: Texts() for name in TEXTS}
    logs = [read_log(run.path, texts) for run in runs]
    of_run = np.repeat(np.arange(len(runs)), [log.count for log in logs])
    points = _points(runs, logs, of_run, texts)
    rows = [
        {"campaign": key[0], "round": key[1], **_varied(log, key, cell), **row}
        for log in logs
        for (key, _, cell), row in log.cells.items()
    ]
    return Logged(
        runs=_runs(runs, logs, points, of_run),
        points=points,
        classes=_classes(logs),
        reports=_rows(runs, [log.reports for log in logs], _REPORTS),
        campaigns=_rows(runs, [list(log.campaigns.values()) for log in logs], _CAMPAIGNS),
        cells=_frame(runs, np.repeat(np.arange(len(runs)), [len(log.cells) for log in logs]), rows, _CELLS),
        varied=[log.varied for log in logs],
    )


def _varied(log: Log, key: Campaign, cell: int) -> dict[str, Any]:
    varied = log.varied[key]
    return varied[cell] if 0 <= cell < len(varied) else {}


def identity(runs: Sequence[Run], of_run: NDArray[np.intp]) -> dict[str, Any]:
    """The columns ``run``, ``arm`` and ``seed`` of rows, from the number of the run of each row."""
    return {
        "run": _categories([run.id for run in runs], of_run),
        "arm": _categories([run.arm for run in runs], of_run),
        "seed": _seeds(runs)[of_run],
    }


def _seeds(runs: Sequence[Run]) -> NDArray[Any]:
    seeds = [run.seed for run in runs]
    return np.array(seeds, np.uint64 if max(seeds, default=0) >= 1 << 63 else np.int64)


def _categories(names: Sequence[str], at: NDArray[Any]) -> pd.Categorical:
    """Texts by their numbers, as categories in the order of their first appearance."""
    codes = Texts()
    of_name = np.array([codes[name] for name in names], np.int32)
    found: pd.Categorical = _from_codes(of_name[at], categories=list(codes))
    return found


def _points(runs: Sequence[Run], logs: list[Log], of_run: NDArray[np.intp], texts: dict[str, Texts]) -> pd.DataFrame:
    found = identity(runs, of_run)
    for name in POINTS[3:]:
        kind = np.int32 if name in TEXTS else np.int64 if name in WHOLE or name == "iteration" else np.float64
        values = _joined([log.points.pop(name) for log in logs], kind)
        if name in TEXTS:
            found[name] = _from_codes(values, categories=list(texts[name]))
        elif name in WHOLE:
            found[name] = pd.arrays.IntegerArray(values, values == NONE)
        elif name == "utc":
            found[name] = _times(values)
        else:
            found[name] = values
    return pd.DataFrame(found, columns=POINTS)


def _times(utc: NDArray[Any]) -> pd.Series[Any]:
    utc = np.where(np.abs(utc) < LATEST, utc, np.nan)
    times: pd.Series[Any] = pd.Series(pd.to_datetime(np.round(utc * 1e6), unit="us", utc=True))
    return times


def _runs(runs: Sequence[Run], logs: list[Log], points: pd.DataFrame, of_run: NDArray[np.intp]) -> pd.DataFrame:
    found = pd.DataFrame({"run": [run.id for run in runs], "arm": [run.arm for run in runs], "seed": _seeds(runs)})
    found["state"] = pd.Categorical(
        [log.state for log in logs], categories=["queued", "running", "stopped", "done", "failed"]
    )
    found["message"] = [log.message for log in logs]
    of_main = points.loc[points["branch"] == "", ["series", "member", "value", "remaining", "trained", "secs"]]
    main = of_main.assign(of_run=of_run[(points["branch"] == "").to_numpy()])
    _accuracies(found, main)
    last = main.drop_duplicates("of_run", keep="last").set_index("of_run").reindex(found.index)
    found["remaining"], found["epochs"] = last["remaining"], last["trained"]
    found["secs"] = np.fmax([log.secs for log in logs], last["secs"].to_numpy()) if logs else np.empty(0)
    found["began"] = _times(np.array([_began(log) for log in logs], np.float64))
    found["program"], found["digest"] = [run.program for run in runs], [run.data for run in runs]
    return found


def _began(log: Log) -> float:
    """When the run began; NaN where the log does not tell, as of version 0.1.0."""
    return log.clocks[0][1] if log.clocks and log.clocks[0][0] < 1 else np.nan


def _accuracies(found: pd.DataFrame, main: pd.DataFrame) -> None:
    """The last and best accuracy, as ``weightlab show`` has them: of an ensemble the vote, else on the test part, else on
    the validation part."""

    def last(rows: pd.DataFrame, column: str = "value") -> pd.Series[Any]:
        values: pd.Series[Any] = rows.drop_duplicates("of_run", keep="last").set_index("of_run")[column]
        return values.reindex(found.index)

    def best(rows: pd.DataFrame) -> pd.Series[Any]:
        values: pd.Series[Any] = rows[np.isfinite(rows["value"])].groupby("of_run")["value"].max()
        return values.reindex(found.index)

    # The first member of an ensemble is the network of the run.
    network = main[main["member"].fillna(1) == 1]
    of = {
        name: network[network["series"] == name] for name in ("vote_accuracy", "test_accuracy", "validation_accuracy")
    }
    alone = main[main["member"].isna() & main["series"].isin(["vote_accuracy", "test_accuracy"])]
    vote = (last(alone, "series") == "vote_accuracy").to_numpy(bool)
    every = {name: main[main["series"] == name] for name in of}
    found["test_accuracy"] = np.where(vote, last(of["vote_accuracy"]), last(of["test_accuracy"]))
    found["best_test_accuracy"] = np.where(vote, best(every["vote_accuracy"]), best(every["test_accuracy"]))
    found["vote"] = vote
    is_tested = np.isin(found.index, of["test_accuracy"]["of_run"].unique()) | vote
    found["validation_accuracy"] = last(of["validation_accuracy"]).where(~is_tested)


def _classes(logs: list[Log]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    begins = np.cumsum([0, *(log.count for log in logs)])
    rows = [begin + log.classes[0] for begin, log in zip(begins, logs)]
    classes, values = ([log.classes[part] for log in logs] for part in (1, 2))
    return _joined(rows, np.intp), _joined(classes, np.int64), _joined(values, np.float64)


def classes_frame(logged: Logged) -> pd.DataFrame:
    """A row for each class of the points that were counted by class."""
    rows, classes, values = logged.classes
    places = logged.points[[name for name in POINTS if name not in ("rate", "bit", "layer", "value", "secs", "utc")]]
    return places.take(rows).reset_index(drop=True).assign(**{"class": classes, "value": values})


def _joined(columns: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *columns])


def _rows(runs: Sequence[Run], rows: list[list[dict[str, Any]]], columns: list[str]) -> pd.DataFrame:
    of_run = np.repeat(np.arange(len(runs)), [len(of_one) for of_one in rows])
    return _frame(runs, of_run, [row for of_one in rows for row in of_one], columns)


def _frame(
    runs: Sequence[Run], of_run: NDArray[np.intp], rows: list[dict[str, Any]], columns: list[str]
) -> pd.DataFrame:
    found: dict[str, Any] = identity(runs, of_run)
    for name in columns:
        found[name] = array([row.get(name) for row in rows], dtype=_DTYPES.get(name, "object"))
    return pd.DataFrame(found)


def settings_frame(runs: Sequence[Run], differing: bool) -> pd.DataFrame:
    """Settings of runs, a column for each; only those in which they differ, if asked for.

    Plans that have other stages differ as a whole, as ``plan``, and so do lists of layers, as ``net.layers``.
    """
    all_settings = [run.settings() for run in runs]
    paths = list(dict.fromkeys(path for settings in all_settings for path in settings))
    columns: dict[str, list[_settings.Scalar | None]] = {}
    whole: dict[str, None] = {}
    for path in paths:
        values = [settings.get(path) for settings in all_settings]
        if differing and len(set(map(repr, values))) == 1:
            continue
        parent = next((name for name in ("plan", "net.layers") if path.startswith(f"{name}.")), None)
        if differing and parent and any(path not in settings for settings in all_settings):
            whole[parent] = None
        else:
            columns[path] = values
    for name in whole:
        columns = {path: values for path, values in columns.items() if not path.startswith(f"{name}.")}
        columns[name] = [_settings.below(run.spec, name) for run in runs]
    return pd.DataFrame({path: _inferred(values) for path, values in columns.items()}, index=range(len(runs)))


def _inferred(values: list[_settings.Scalar | None]) -> Any:
    """A column of the type that its values have."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return array(values, dtype="boolean")
    if kinds == {int} and all(abs(int(value or 0)) < 1 << 63 for value in values):
        return array(values, dtype="Int64" if None in values else "int64")
    if kinds and kinds <= {int, float}:
        return np.array([np.nan if value is None else float(value) for value in values])
    return array(
        [value if value is None or isinstance(value, str) else _settings.text(value) for value in values], dtype="object"
    )
