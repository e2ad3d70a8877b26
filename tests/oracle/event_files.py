#!/usr/bin/env python3
"""Reads an export for TensorBoard with TensorBoard's own reader and compares it with the results.

usage: event_files.py EVENTS POINTS.csv RUNS

EVENTS is the folder of `weightlab export --tensorboard`, POINTS.csv the file of `--to`, RUNS the folder of the runs. Every
value must be there as the float32 next to it, in order, with the step and the time of day of its point; every recorded
histogram with its bins; those of the final weights as numpy counts them; every run as a session of the hparams plugin.
"""
import collections
import csv
import json
import math
import pathlib
import sys

import numpy as np
from safetensors.numpy import load_file
from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.context import RequestContext
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import api_pb2, backend_context, list_session_groups

EVERYTHING = {"scalars": 0, "histograms": 0, "tensors": 0}


def tag_of(row, campaigns):
    """The tag that a row of points.csv has, from the words of the guide."""
    series, cell = row["series"], ""
    part, _, metric = series.partition("_")
    if " " in series:
        parameter, measure = series.split(" ", 1)
        tag = f"weights {measure}/{parameter}"
    elif metric in ("accuracy", "loss") and part in ("train", "validation", "test", "vote"):
        tag = f"{metric}/{part}"
    else:
        tag = f"{part}/{metric}"
    stage = "/stage " + ".".join(str(int(number) + 1) for number in row["stage"].split("."))
    if part == "line":
        cell = stage + (f"/round {row['round']}" if row["round"] else "")
    elif part == "campaign":
        cell = stage if campaigns > 1 else ""
        cell += f"/rate {scientific(row['rate'])}" if row["rate"] else ""
        cell += f"/bit {row['bit']}" if row["bit"] else ""
        cell += f"/{row['layer']}" if row["layer"] else ""
    branch = f"/{row['branch']}" if row["branch"] else ""
    member = f"/member {row['member']}" if row["member"] else ""
    return tag + cell + branch + member


def scientific(text):
    mantissa, exponent = f"{float(text):e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def same(found, wanted):
    return math.isnan(found) and math.isnan(wanted) or found == wanted


def events_of(run):
    lines = (run / "events.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def check_scalars(reader, rows, events):
    """Returns the number of values."""
    campaigns = len({row["stage"] for row in rows if row["series"].startswith("campaign_")})
    points = [event for event in events if event["event"] == "point"]
    assert len(points) == len(rows), "points.csv is of other runs"
    clocks = [event for event in events if event["event"] == "clock"]
    wanted = collections.defaultdict(list)
    for row, point in zip(rows, points):
        with np.errstate(over="ignore"):
            value = float(np.float32(float(row["value"])))
        clock = [clock for clock in clocks if clock["secs"] <= point["secs"]][-1]
        wanted[tag_of(row, campaigns)].append((value, clock["utc"] + point["secs"] - clock["secs"], point))
    tags = {tag for tag in reader.Tags()["scalars"] if not tag.startswith("position/")}
    assert tags == set(wanted), tags ^ set(wanted)
    for tag, values in wanted.items():
        found = reader.Scalars(tag)
        assert len(found) == len(values), (tag, len(found), len(values))
        steps = [event.step for event in found]
        assert steps == sorted(steps) or "/" not in tag, f"{tag} goes back: {steps}"
        for event, (value, time, point) in zip(found, values):
            assert same(event.value, value), (tag, event, value)
            assert abs(event.wall_time - time) < 1e-3, (tag, event, time)
            is_plain = point["trained"] == point["epoch"] and "along" not in point
            assert not is_plain or event.step == point["iteration"], (tag, event, point)
    return sum(map(len, wanted.values()))


def check_histograms(reader, run):
    """Returns the number of histograms."""
    recorded = run / "histograms.jsonl"
    lines = recorded.read_text().splitlines() if recorded.exists() else []
    wanted = collections.defaultdict(list)
    for histogram in map(json.loads, lines):
        branch = f"/{histogram['branch']}" if histogram.get("branch") else ""
        member = f"/member {histogram['member']}" if histogram.get("member") else ""
        wanted[f"weights/{histogram['parameter']}{branch}{member}"].append(histogram)
    for tag, histograms in wanted.items():
        found = [event.histogram_value for event in reader.Histograms(tag)]
        found = [(value.min, value.max, list(value.bucket)) for value in found]
        for histogram in histograms:
            own = histogram["low"], histogram["high"], histogram["counts"]
            own = float(np.float32(own[0])), float(np.float32(own[1])), own[2]
            assert own in found, f"{tag} lacks {own}"
    check_final(reader, run)
    return sum(len(reader.Histograms(tag)) for tag in reader.Tags()["histograms"])


def check_final(reader, run):
    masks = run / "pins.safetensors"
    masks = load_file(masks) if masks.exists() else {}
    for name, values in load_file(run / "weights.safetensors").items():
        values = values.astype(np.float64).ravel()
        if name in masks:
            values = values[masks[name].ravel() != 1]
        value = reader.Histograms(f"weights/{name}")[-1].histogram_value
        assert (value.num, value.min, value.max) == (values.size, values.min(), values.max()), name
        assert np.isclose(value.sum, values.sum()) and np.isclose(value.sum_squares, (values**2).sum()), name
        counts, _ = np.histogram(values, bins=len(value.bucket))
        # At most the values on an edge are in the bin beside.
        assert np.abs(counts - value.bucket).sum() <= 2 + 0.01 * values.size, name


def check_sessions(folder, arms):
    """Returns the number of sessions that the hparams plugin reads."""
    multiplexer = plugin_event_multiplexer.EventMultiplexer(tensor_size_guidance={"tensors": 0})
    multiplexer.AddRunsFromDirectory(str(folder))
    multiplexer.Reload()
    provider = data_provider.MultiplexerDataProvider(multiplexer, str(folder))
    context = backend_context.Context(base_plugin.TBContext(data_provider=provider))
    request = api_pb2.ListSessionGroupsRequest(
        start_index=0,
        slice_size=10_000,
        allowed_statuses=[api_pb2.STATUS_SUCCESS, api_pb2.STATUS_FAILURE, api_pb2.STATUS_RUNNING, api_pb2.STATUS_UNKNOWN],
        aggregation_type=api_pb2.AGGREGATION_AVG,
    )
    groups = list_session_groups.Handler(RequestContext(), context, str(folder), request).run().session_groups
    found = {group.name: len(group.sessions) for group in groups}
    assert found == arms, (found, arms)
    for group in groups:
        assert group.hparams["arm"].string_value == group.name, group
        assert all(session.status == api_pb2.STATUS_SUCCESS for session in group.sessions), group
        assert group.metric_values, f"{group.name} has no metrics"
    return sum(found.values())


def main(folder, points, runs):
    folder, runs = pathlib.Path(folder), pathlib.Path(runs)
    rows = collections.defaultdict(list)
    arms = collections.defaultdict(set)
    for row in csv.DictReader(open(points, newline="")):
        rows[row["run"]].append(row)
        arms[row["arm"]].add(row["seed"])
    folders = json.loads((folder / "weightlab-export.json").read_text())["runs"]
    assert set(folders.values()) == set(rows), "other runs"
    values = histograms = 0
    for path, run in folders.items():
        reader = EventAccumulator(str(folder / path), size_guidance=EVERYTHING)
        reader.Reload()
        values += check_scalars(reader, rows[run], events_of(runs / run))
        histograms += check_histograms(reader, runs / run)
    reader = EventAccumulator(str(folder), size_guidance=EVERYTHING)
    reader.Reload()
    [methods] = reader.Tensors("methods")
    assert b"was trained on" in methods.tensor_proto.string_val[0]
    sessions = check_sessions(folder, {arm: len(seeds) for arm, seeds in arms.items()})
    print(f"TensorBoard reads {values} equal values, {histograms} histograms and {sessions} sessions")


if __name__ == "__main__":
    main(*sys.argv[1:])
