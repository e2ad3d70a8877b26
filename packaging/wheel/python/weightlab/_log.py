"""``events.jsonl`` of one run: its points as columns, and all other events."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _directory, _events
from ._warnings import skipped, warn

Codes = dict[str, int]
Column = NDArray[Any]
Campaign = tuple[str, Optional[int]]
"""The name of a campaign as in ``trials.csv``, and its round."""

TEXTS = ("stage", "branch", "series", "layer")
WHOLE = ("member", "round", "bit")
_ALWAYS = ("series", "stage", "iteration", "value", "epoch", "trained", "remaining", "secs")
NONE = -1
"""In columns of whole numbers and of codes: nothing."""
_WRONG = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What reading a damaged line raises."""


class Texts(Codes):
    """Codes of texts, given out as they come."""

    def __missing__(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"{text!r} is no text")
        self[text] = len(self)
        return self[text]


@dataclass
class Log:
    """What the log of a run holds."""

    points: dict[str, Column]
    """Columns of equal length; texts as codes. Whoever makes a frame of them takes them out."""
    count: int
    """How many points there are."""
    classes: tuple[Column, Column, Column]
    """The number of the point, the class, and its accuracy (NaN for a class without samples)."""
    reports: list[_events.Row] = field(default_factory=list)
    campaigns: dict[Campaign, _events.Row] = field(default_factory=dict)
    varied: dict[Campaign, list[_events.Row]] = field(default_factory=dict)
    """What the cells of a campaign vary."""
    cells: dict[tuple[Campaign, bool, int], _events.Row] = field(default_factory=dict)
    """The last results of each cell, with the protection and without."""
    campaign: Campaign | None = None
    """The campaign that began last."""
    clocks: list[tuple[float, float]] = field(default_factory=list)
    """Seconds of the run, and the time of day then."""
    state: str = "queued"
    message: str = ""
    secs: float = 0.0


def read_log(run: Path, texts: dict[str, Texts]) -> Log:
    """Reads a log. Lines that are damaged are left out with a warning, a half-written last line without one."""
    path = run / _directory.LOG
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        data = b""
    except OSError as error:
        warn(f"{path} cannot be read ({error}); the run has no points")
        data = b""
    lines = data.split(b"\n")
    try:
        # One call for all lines is much faster than one for each.
        events = json.loads(b"[" + b",".join(lines[:-1] if lines[-1] == b"" else lines) + b"]")
        log = _log(_since_start(events), texts)
    except _WRONG:
        log = _log(_since_start(_line_by_line(path, lines)), texts)
    _settle(log, run)
    log.points["utc"] = _utc(log.clocks, log.points["secs"])
    return log


def _log(events: list[_events.Event], texts: dict[str, Texts]) -> Log:
    points = [event for event in events if event["event"] == "point"]
    log = Log(_columns(points, texts), len(points), _classes(points))
    for event in events:
        if event["event"] != "point":
            _take(log, event)
    return log


def _line_by_line(path: Path, lines: list[bytes]) -> list[_events.Event]:
    events = []
    for number, line in enumerate(lines, 1):
        try:
            event = json.loads(line.decode("utf-8"))
            if not isinstance(event["event"], str):
                raise TypeError("it has no name of an event")
            _log([event], {name: Texts() for name in TEXTS})
            events.append(event)
        except _WRONG as error:
            if number < len(lines):  # else the line is cut, since a process writes it or was killed
                skipped(path, number, f"it is damaged ({error!r})")
    return events


def _since_start(events: list[_events.Event]) -> list[_events.Event]:
    """What holds: a run that started over forgets what it said."""
    starts = [at for at, event in enumerate(events) if event["event"] == "started" and not event.get("resumed")]
    return events[starts[-1] :] if starts else events


def _columns(points: list[_events.Event], texts: dict[str, Texts]) -> dict[str, Column]:
    count = len(points)
    found: dict[str, Column] = {}
    kept = set().union(*points)  # most logs lack most of the columns that may be empty
    for name, values in zip(_ALWAYS, zip(*map(itemgetter(*_ALWAYS), points)) if points else [()] * len(_ALWAYS)):
        if name in TEXTS:
            found[name] = np.fromiter(map(texts[name].__getitem__, values), np.int32, count)
        else:
            found[name] = np.array(values, np.int64 if name == "iteration" else np.float64)
    branches = [point.get("branch", "") for point in points] if "branch" in kept else [""] * count
    found["branch"] = np.fromiter(map(texts["branch"].__getitem__, branches), np.int32, count)
    codes = texts["layer"]
    layers = (point.get("layer") for point in points)
    found["layer"] = np.fromiter((NONE if name is None else codes[name] for name in layers), np.int32, count)
    for name in WHOLE:
        found[name] = np.full(count, NONE, np.int64)
        if name in kept:
            found[name] = np.array([point.get(name, NONE) for point in points], np.int64)
    # A place on a line has the column of the rate, as in points.csv.
    found["rate"] = np.full(count, np.nan)
    if "rate" in kept or "along" in kept:
        found["rate"] = np.array([point.get("rate", point.get("along")) for point in points], np.float64)
    return found


def _classes(points: list[_events.Event]) -> tuple[Column, Column, Column]:
    given = [(at, point["classes"]) for at, point in enumerate(points) if "classes" in point]
    numbers = [at for at, shares in given for _ in shares]
    classes = [number for _, shares in given for number in range(len(shares))]
    values = [share for _, shares in given for share in shares]
    return np.array(numbers, np.intp), np.array(classes, np.int64), np.array(values, np.float64)


def _take(log: Log, event: _events.Event) -> None:
    kind = event["event"]
    if kind == "started":
        log.state = "running"
    elif kind == "clock":
        clock = _events.clock(event)
        log.clocks = [known for known in log.clocks if known[0] < clock[0]] + [clock]
    elif kind == "report":
        log.reports.append(_events.report(event))
    elif kind == "campaign_began":
        row, varied = _events.campaign(event)
        log.campaign = (row["campaign"], row["round"])
        log.campaigns[log.campaign], log.varied[log.campaign] = row, varied
    elif kind == "campaign_cell":
        cell = _events.cell(event)
        if log.campaign is not None:
            log.cells[log.campaign, cell["unprotected"], cell["cell"]] = cell
    elif kind == "campaign_ended":
        intact = bool(event["intact"])
        if log.campaign is not None:
            log.campaigns[log.campaign]["intact"] = intact
    elif kind in ("finished", "stopped"):
        log.state, log.secs = ("done" if kind == "finished" else "stopped"), float(event["secs"])
    elif kind == "failed":
        log.state, log.message = "failed", str(event.get("message", ""))


def _settle(log: Log, run: Path) -> None:
    """The state, by what else is in the directory: a run is done when it is marked so."""
    secs = log.points["secs"]
    last = float(secs[-1]) if len(secs) else 0.0
    if log.state == "running" and not _directory.is_alive(run):
        log.state, log.secs = "stopped", last
    elif log.state == "done":
        is_alive = _directory.is_alive(run)  # before the look for the mark, which is written first
        if not _directory.is_done(run):
            message = _directory.failure(run)
            if is_alive:
                log.state = "running"
            elif message is not None:
                log.state, log.message = "failed", message
            else:
                log.state, log.secs = "stopped", last


def _utc(clocks: list[tuple[float, float]], secs: Column) -> Column:
    """The time of day at seconds of the run, in seconds since 1970; NaN where the log has no clock before."""
    if not clocks:
        return np.full(len(secs), np.nan)
    begins, utcs = (np.array(column) for column in zip(*clocks))
    at = np.searchsorted(begins, secs, side="right") - 1
    times: Column = np.where(at < 0, np.nan, utcs[at] + (secs - begins[at]))
    return times
