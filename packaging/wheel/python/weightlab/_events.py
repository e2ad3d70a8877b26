"""Events of a log as rows of frames. A function raises ``KeyError``, ``TypeError`` or ``ValueError`` at a damaged event."""

from __future__ import annotations

from typing import Any

Event = dict[str, Any]
Row = dict[str, Any]

_ESTIMATES = ("sdc1", "due", "masked", "accuracy")


def report(event: Event) -> Row:
    """A row of ``reports``."""
    columns, lines = event.get("columns", []), event.get("rows", [])
    return {
        **_place(event),
        "kind": _text(event["kind"]),
        "summary": _text(event["summary"]),
        "level": _text(event.get("level", "Detail")),
        "passed": event.get("passed"),
        "table": [dict(zip(map(_text, columns), map(_text, line))) for line in lines],
    }


def campaign(event: Event) -> tuple[Row, list[Row]]:
    """A row of ``campaigns``, and what each of its cells varies."""
    row = {
        "campaign": _text(event["campaign"]),
        **_place(event),
        "label": _text(event["label"]),
        "format": _text(event["format"]),
        "protect": _text(event["protect"]),
        "images": int(event["images"]),
    }
    for name in ("confidence", "golden_accuracy", "unprotected_accuracy", "float32_accuracy"):
        row[name] = float(event[name])
    row["intact"] = None
    cells = [{name: cell.get(name) for name in ("rate", "bit", "layer")} for cell in event["cells"]]
    return row, cells


def cell(event: Event) -> Row:
    """A row of ``cells``, without the campaign and what the cell varies."""
    row: Row = {
        "cell": int(event["cell"]),
        "unprotected": bool(event.get("unprotected", False)),
        "trials": int(event["trials"]),
        "done": bool(event["done"]),
        "faults": int(event["faults"]),
        "images": int(event["tally"]["images"]),
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
    return float(event["secs"]), float(event["utc"])


def _place(event: Event) -> Row:
    number = event.get("round")
    return {
        "stage": _text(event["stage"]),
        "branch": _text(event.get("branch", "")),
        "round": None if number is None else int(number),
    }


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
