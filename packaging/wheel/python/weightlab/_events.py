"""Events of a log as rows of frames. A function raises ``KeyError``, ``TypeError`` or ``ValueError`` at a damaged event."""

from __future__ import annotations

from typing import Any

Event = dict[str, Any]
Row = dict[str, Any]

LATEST = 9e9
"""Seconds since 1970 that pandas can hold as a time (until 2255)."""
_ESTIMATES = ("sdc1", "due", "masked", "accuracy")


def report(event: Event) -> Row:
    """A row of ``reports``."""
    columns, lines = event.get("columns", []), event.get("rows", [])
    return {
        **_place(event),
        "kind": text(event["kind"]),
        "summary": text(event["summary"]),
        "level": text(event.get("level", "Detail")),
        "passed": _verdict(event.get("passed")),
        "table": [dict(zip(map(text, columns), map(text, line))) for line in lines],
    }


def campaign(event: Event) -> tuple[Row, list[Row]]:
    """A row of ``campaigns``, and what each of its cells varies."""
    row = {
        "campaign": text(event["campaign"]),
        **_place(event),
        "label": text(event["label"]),
        "format": text(event["format"]),
        "protect": text(event["protect"]),
        "images": whole(event["images"]),
    }
    for name in ("confidence", "golden_accuracy", "unprotected_accuracy", "float32_accuracy"):
        row[name] = float(event[name])
    row["intact"] = None
    kinds: dict[str, Any] = {"rate": float, "bit": whole, "layer": text}
    cells = [
        {name: None if cell.get(name) is None else kind(cell[name]) for name, kind in kinds.items()}
        for cell in event["cells"]
    ]
    return row, cells


def cell(event: Event) -> Row:
    """A row of ``cells``, without the campaign and what the cell varies."""
    row: Row = {
        "cell": whole(event["cell"]),
        "unprotected": bool(event.get("unprotected", False)),
        "trials": whole(event["trials"]),
        "done": bool(event["done"]),
        "faults": whole(event["faults"]),
        "images": whole(event["tally"]["images"]),
    }
    for name in _ESTIMATES:
        estimate = event[name]
        row[name] = float(estimate["value"])
        row[f"{name}_low"], row[f"{name}_high"] = float(estimate["low"]), float(estimate["high"])
    row["accuracy_median"], row["accuracy_p5"], row["accuracy_p95"] = map(
        float, (event["median"], event["p5"], event["p95"])
    )
    return row


def clock(event: Event) -> tuple[float, float]:
    """Seconds of the run, and the time of day then in seconds since 1970."""
    secs, utc = float(event["secs"]), float(event["utc"])
    if not (0 <= secs and abs(utc) < LATEST):
        raise ValueError(f"{utc} is no time of day")
    return secs, utc


def _place(event: Event) -> Row:
    number = event.get("round")
    return {
        "stage": text(event["stage"]),
        "branch": text(event.get("branch", "")),
        "round": None if number is None else whole(number),
    }


def _verdict(value: Any) -> bool | None:
    if not (value is None or isinstance(value, bool)):
        raise TypeError(f"{value!r} is no verdict")
    return value


def text(value: Any) -> str:
    """The value, which must be a text."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def whole(value: Any) -> int:
    """The value as a whole number, which frames can hold."""
    number = int(value)
    if number != value or abs(number) >= 1 << 63:
        raise ValueError(f"{value!r} is no whole number of 64 bits")
    return number
