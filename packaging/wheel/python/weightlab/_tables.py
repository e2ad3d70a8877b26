"""Tables of runs: ``trials.csv``, ``faults.csv``, ``histograms.jsonl``."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ._directory import Run
from ._events import text, whole
from ._frames import Varied, array, identity
from ._warnings import skipped, warn

_TRIALS = {
    **{"campaign": "category", "round": "Int64", "trial": "int64", "cell": "int64"},
    **dict.fromkeys(("faults", "images", "masked", "benign", "sdc1", "sdc5", "due", "corrected", "lost"), "int64"),
    "accuracy": "float64",
}
_FAULTS = {
    **{"campaign": "category", "round": "Int64", "trial": "int64", "image": "Int64"},
    **{"parameter": "category", "index": "Int64", "bit": "UInt8", "before": "bits", "after": "bits"},
}
_HISTOGRAMS = [
    "parameter",
    "stage",
    "branch",
    "round",
    "member",
    "iteration",
    "trained",
    "remaining",
    "low",
    "high",
    "pruned",
    "counts",
]
_WRONG = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)


def trials(runs: Sequence[Run], file: str, varied: Varied) -> pd.DataFrame:
    """Rows of ``trials.csv`` or ``trials_unprotected.csv``, with what their cells vary."""
    of_run, frame = _csv(runs, file, _TRIALS)
    rows = {name: np.full(len(frame), None, object) for name in ("rate", "bit", "layer")}
    keys = frame[["campaign", "round", "cell"]].assign(run=of_run)
    groups: Any = keys.groupby(["run", "campaign", "round", "cell"], observed=True, dropna=False).indices
    for (run, campaign, number, cell), places in groups.items():
        cells = varied[run].get((campaign, None if pd.isna(number) else int(number)), [])
        for name in rows if 0 <= cell < len(cells) else []:
            rows[name][places] = cells[cell][name]
    columns = _columns(frame)
    return pd.DataFrame(
        {
            **identity(runs, of_run),
            **{name: columns.pop(name) for name in ("campaign", "round", "trial", "cell")},
            "rate": rows["rate"].astype(np.float64),
            "bit": array(rows["bit"], dtype="UInt8"),
            "layer": pd.Categorical(rows["layer"]),
            **columns,
        }
    )


def faults(runs: Sequence[Run]) -> pd.DataFrame:
    """Rows of ``faults.csv``; what is stored before and after as numbers."""
    of_run, frame = _csv(runs, "faults.csv", _FAULTS)
    found: dict[str, Any] = {**identity(runs, of_run), **_columns(frame)}
    # A draw that is too long to list is one line: its stream, and how many faults it has.
    draws = [name for name in frame["parameter"].cat.categories if name.startswith("stream")]
    is_draw = frame["parameter"].isin(draws)
    found["faults"] = frame["index"].where(is_draw, 1)
    streams: Any = frame["parameter"].where(is_draw).cat
    found["stream"] = streams.set_categories(draws).cat.rename_categories(lambda name: name[len("stream ") :])
    found["parameter"] = frame["parameter"].where(~is_draw).cat.remove_categories(draws)
    found["index"] = frame["index"].where(~is_draw)
    return pd.DataFrame(found)


def _columns(frame: pd.DataFrame) -> dict[str, Any]:
    return {str(name): column for name, column in frame.items()}


def histograms(runs: Sequence[Run]) -> pd.DataFrame:
    """Lines of ``histograms.jsonl``."""
    rows: list[dict[str, Any]] = []
    of_run: list[int] = []
    for number, run in enumerate(runs):
        path = run.path / "histograms.jsonl"
        for line, data, is_cut in _lines(path):
            try:
                row = _histogram(json.loads(data.decode("utf-8")))
            except _WRONG as error:
                if not is_cut:
                    skipped(path, line, f"it is damaged ({error!r})")
                continue
            rows.append(row)
            of_run.append(number)
    found: dict[str, Any] = identity(runs, np.array(of_run, np.intp))
    kinds = {"round": "Int64", "member": "Int64", "iteration": "int64", "pruned": "int64", "counts": "object"}
    for name in _HISTOGRAMS:
        values: Any = np.empty(len(rows), object)
        values[:] = [row[name] for row in rows]
        kind = kinds.get(name, "category" if name in ("parameter", "stage", "branch") else "float64")
        found[name] = array(values, dtype=kind)
    return pd.DataFrame(found)


def _histogram(line: dict[str, Any]) -> dict[str, Any]:
    row = {name: line.get(name) for name in _HISTOGRAMS}
    row["branch"], row["stage"] = text(row["branch"] or ""), text(line["stage"])
    row["parameter"] = text(line["parameter"])
    row["counts"] = np.array([whole(count) for count in line["counts"]], np.int64)
    for name in ("low", "high", "trained", "remaining"):
        row[name] = float(line[name])
    for name in ("iteration", "pruned"):
        row[name] = whole(line.get(name, 0))
    for name in ("round", "member"):
        row[name] = None if row[name] is None else whole(row[name])
    return row


def _lines(path: Path) -> list[tuple[int, bytes, bool]]:
    """Lines that are not empty with their number, and whether a line is the last one without a line break."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        warn(f"{path} cannot be read ({error}); it is left out")
        return []
    lines = data.split(b"\n")
    return [(number, line, number == len(lines)) for number, line in enumerate(lines, 1) if line]


def _csv(runs: Sequence[Run], file: str, types: dict[str, str]) -> tuple[Any, pd.DataFrame]:
    """The rows of a table of all runs, and the number of the run of each."""
    kept: list[bytes] = []
    counts = []
    for run in runs:
        before = len(kept)
        path = run.path / file
        lines = _lines(path)
        if lines and lines[0][1].strip().decode("utf-8", "replace") != ",".join(types):
            if not lines[0][2]:
                warn(f"{path}: its first line does not name the columns {', '.join(types)}; it is left out")
            lines = []
        for number, line, is_cut in lines[1:]:
            if is_cut or line.startswith(b"#"):
                continue
            if line.count(b",") == len(types) - 1 and b"\0" not in line:
                kept.append(line)
            else:
                skipped(path, number, f"it has {line.count(b',') + 1} cells, not {len(types)}")
        counts.append(len(kept) - before)
    try:
        frame = _read(kept, types)
    except _WRONG:
        counts, kept = _without_damaged(runs, file, kept, counts, types)
        frame = _read(kept, types)
    return np.repeat(np.arange(len(runs)), counts), frame


def _read(lines: list[bytes], types: dict[str, str]) -> pd.DataFrame:
    # Texts stay texts, also where all are numbers, and Python reads numbers with a fraction to the last bit.
    later = {name: kind for name, kind in types.items() if kind in ("category", "float64", "bits")}
    kinds: Any = {**types, **dict.fromkeys(later, "object")}
    narrow = [name for name, kind in types.items() if kind == "UInt8"]
    kinds.update(dict.fromkeys(narrow, "Int64"))  # pandas would read 300 as 44
    if not lines:
        return pd.DataFrame(
            {name: array([], dtype="UInt32" if kind == "bits" else kind) for name, kind in types.items()}
        )
    columns: dict[str, Any] = {"names": list(types), "dtype": kinds, "header": None, "index_col": False}
    joined = io.BytesIO(b"\n".join(lines))
    frame: pd.DataFrame = pd.read_csv(joined, **columns, quoting=3, na_values=[""], keep_default_na=False)
    for name, kind in later.items():
        frame[name] = frame[name].map(float) if kind == "float64" else frame[name].astype("category")
        if kind == "bits":
            values: dict[Any, int] = {digits: int(digits, 16) for digits in frame[name].cat.categories}
            if any(not 0 <= value < 1 << 32 for value in values.values()):
                raise ValueError(f"{name} has more than 32 bits")
            frame[name] = array(frame[name].map(values).astype("Int64"), dtype="UInt32")
    for name in narrow:
        if not frame[name].dropna().between(0, 255).all():
            raise ValueError(f"{name} is not below 256")
        frame[name] = frame[name].astype("UInt8")
    return frame


def _without_damaged(
    runs: Sequence[Run], file: str, lines: list[bytes], counts: list[int], types: dict[str, str]
) -> tuple[list[int], list[bytes]]:
    """Leaves out the lines with a cell that is not what its column holds, with a warning."""
    kept: list[bytes] = []
    left = []
    place = 0
    for run, count in zip(runs, counts):
        before = len(kept)
        for line in lines[place : place + count]:
            if _problem(line, types) is None:
                kept.append(line)
            else:
                shown = line.decode("utf-8", "replace")
                warn(f"{run.path / file}: {_problem(line, types)} in the line {shown!r}; the line is left out")
        place += count
        left.append(len(kept) - before)
    return left, kept


def _problem(line: bytes, types: dict[str, str]) -> str | None:
    try:
        _read([line], types)
    except _WRONG as error:
        return str(error)
    return None
