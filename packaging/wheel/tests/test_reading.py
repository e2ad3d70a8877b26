"""What is read, and what becomes of damaged, older and unfinished results."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Callable

import numpy as np
import pandas as pd
import pytest
import weightlab
from conftest import EXPERIMENT, Program
from test_frames import exported, same_points

Copied = Callable[[str], Path]


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def test_a_folder_an_experiment_and_a_run_can_be_named(program: Program, results: weightlab.Results) -> None:
    assert (
        len(weightlab.read(program.folder / "first.runs"))
        == len(weightlab.read(str(program.folder / "first.ron")))
        == 18
    )
    run = results.path(arm="dense", seed=2)
    one = weightlab.read(run)
    assert one.runs["run"].tolist() == [run.name] and len(one.points) > 0


@pytest.mark.parametrize("name", ["none.ron", "none.runs", "none"])
def test_what_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileNotFoundError, match="there is no such folder"):
        weightlab.read(tmp_path / name)
    (tmp_path / "none.ron").write_text(EXPERIMENT, encoding="utf-8")
    with pytest.raises(FileNotFoundError, match="weightlab run"):
        weightlab.read(tmp_path / "none.ron")


def test_an_empty_folder_has_empty_frames(tmp_path: Path) -> None:
    empty = weightlab.read(tmp_path)
    for name in (
        "runs",
        "settings",
        "points",
        "classes",
        "reports",
        "campaigns",
        "cells",
        "trials",
        "faults",
        "histograms",
    ):
        frame: pd.DataFrame = getattr(empty, name)
        assert len(frame) == 0 and {"run", "arm", "seed"} <= set(frame.columns), name
    with pytest.raises(ValueError, match="no run"):
        empty.weights()


def test_runs_are_selected_by_arm_and_seed(results: weightlab.Results) -> None:
    some = results.select(arm="dense")
    assert some.runs["seed"].tolist() == [1, 2]
    assert len(some.points) == (results.points["arm"] == "dense").sum()
    with pytest.raises(ValueError, match="its arms are .*'dense'"):
        results.select(arm="denser")


def test_files_beside_runs_and_what_a_run_leaves_are_passed_over(copied: Copied) -> None:
    run = copied("by bit")
    (run.parent / "view.json").write_text('{"notes": ""}', encoding="utf-8")
    (run.parent / "queue.json").write_text('{"order": []}', encoding="utf-8")
    (run.parent / "empty").mkdir()
    shutil.copytree(run, run.parent / ".trash" / run.name)
    (run / "checkpoint").mkdir()
    append(run / "events.jsonl", '{"event":"unheard_of","secs":2.0}\n')
    found = weightlab.read(run.parent)
    assert len(found) == 1 and len(found.trials) == 12 and found.runs["state"].tolist() == ["done"]


def test_a_run_that_goes_on_has_what_it_had_written(copied: Copied) -> None:
    run = copied("by bit")
    (run / "DONE").unlink()
    log = (run / "events.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    last = max(at for at, line in enumerate(log) if '"train_' in line)
    (run / "events.jsonl").write_text("".join(log[:last]) + log[last][:-9], encoding="utf-8")
    for name in ("trials.csv", "faults.csv"):
        text = (run / name).read_text(encoding="utf-8")
        (run / name).write_text(text[:-4], encoding="utf-8")
    found = weightlab.read(run.parent)
    assert found.runs["state"].tolist() == ["stopped"]
    assert len(found.points) == sum('"point"' in line for line in log[:last]) and len(found.trials) == 11
    assert found.runs["secs"][0] == found.points["secs"].max()
    birth = Path(f"/proc/{os.getpid()}/stat").read_text().rpartition(")")[2].split()[19]
    (run / "claim").write_text(f"{socket.gethostname()}\n{os.getpid()}\n{birth}\n", encoding="utf-8")

    def state() -> list[str]:
        return list(weightlab.read(run.parent).runs["state"])

    assert state() == ["running"]
    if realm := weightlab._directory._realm():
        gone = f"{socket.gethostname()}\n{os.getpid()}\n1\n{realm}\n5\n"
        (run / "claim").write_text(gone, encoding="utf-8")
        assert state() == ["stopped"], "the number of a process that is gone"
        (run / "claim").write_text(gone.replace(realm, "another container"), encoding="utf-8")
        assert state() == ["running"], "it would not be seen"
    (run / "claim").write_text(f"{socket.gethostname()}\n{os.getpid()}\n1\n", encoding="utf-8")
    assert state() == ["running"], "an earlier version does not say where it ran"
    os.utime(run / "claim", (0, 0))
    assert state() == ["stopped"]
    (run / "claim").write_text("elsewhere\n1\n1\n", encoding="utf-8")
    assert state() == ["running"]


def test_states_are_those_that_the_program_shows(program: Program, results: weightlab.Results, tmp_path: Path) -> None:
    (tmp_path / "first.ron").write_text(EXPERIMENT, encoding="utf-8")
    shutil.copytree(program.folder / "first.runs", tmp_path / "first.runs")
    of = {arm: weightlab.read(tmp_path / "first.ron").path(arm=arm, seed=1) for arm in results.runs["arm"]}
    (of["dense"] / "DONE").unlink()
    (of["diverges"] / "DONE").rename(of["diverges"] / "FAILED")
    (of["diverges"] / "FAILED").write_text("the disk is full", encoding="utf-8")
    (of["frozen"] / "events.jsonl").write_text('{"event":"started","resumed":false,"threads":1}\n', encoding="utf-8")
    log = of["members"] / "events.jsonl"
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    log.write_text("".join([*lines[:-1], '{"event":"failed","message":"it broke"}\n']), encoding="utf-8")
    (of["by bit"] / "events.jsonl").write_text("", encoding="utf-8")
    shown = {row["run"]: row for row in Program(program.path, tmp_path).show("first.ron")}
    found = weightlab.read(tmp_path / "first.runs").runs
    assert len(found) == len(shown)
    for row in found.to_dict("records"):
        expected = shown[row["run"]]
        assert (row["state"], row["message"]) == (expected["state"], expected.get("message", "")), row["arm"]
        assert row["secs"] == expected["secs"]
    assert set(found["state"]) == {"done", "stopped", "failed", "queued"}


@pytest.mark.parametrize(
    "line", ["{", "[]", "7", '{"event":"point","series":"a"}', '{"event":"clock"}', "\0\0\0", "\udcff"]
)
def test_a_damaged_line_of_a_log_is_left_out_and_named(copied: Copied, line: str) -> None:
    run = copied("by bit")
    before = weightlab.read(run.parent)
    assert len(before.points) > 0  # read before the damage
    lines = (run / "events.jsonl").read_bytes().split(b"\n")
    lines.insert(4, line.encode("utf-8", "surrogateescape"))
    (run / "events.jsonl").write_bytes(b"\n".join(lines))
    after = weightlab.read(run.parent)
    with pytest.warns(weightlab.ResultWarning, match="events.jsonl, line 5: "):
        points = after.points
    pd.testing.assert_frame_equal(points, before.points)
    pd.testing.assert_frame_equal(after.runs, before.runs)
    pd.testing.assert_frame_equal(after.cells, before.cells)


@pytest.mark.parametrize(
    "line",
    [
        '{"event":"point","series":7,"value":0.5,"stage":"0","epoch":1,"iteration":1,"trained":1,"remaining":1,"secs":1}',
        '{"event":"point","series":"a","value":"x","stage":"0","epoch":1,"iteration":1,"trained":1,"remaining":1,"secs":1}',
        '{"event":"point","series":"a","value":1,"stage":"0","epoch":1,"iteration":1e99,"trained":1,"remaining":1,"secs":1}',
        '{"event":"report","stage":"1","kind":"a","summary":5}',
        '{"event":"report","stage":"1","kind":"a","summary":"b","passed":"yes"}',
        '{"event":"report","stage":"1","kind":"a","summary":"b","round":99999999999999999999}',
        '{"event":"clock","secs":0,"utc":1e300}',
        '{"event":"campaign_began","campaign":"1","stage":"1","label":"a","format":"b","protect":"c","images":1e30,'
        '"confidence":1,"golden_accuracy":1,"unprotected_accuracy":1,"float32_accuracy":1,"cells":[]}',
        '{"event":"campaign_cell","cell":0}',
        "[" * 100_000,
    ],
)
def test_events_of_the_wrong_form_are_damaged_too(copied: Copied, line: str) -> None:
    run = copied("dense")
    append(run / "events.jsonl", line + "\n")
    with pytest.warns(weightlab.ResultWarning, match="the line is left out"):
        found = weightlab.read(run)
        assert len(found.points) > 0 and len(found.runs) == 1 and len(found.campaigns) == 0


def test_infinities_and_nan_are_values(copied: Copied) -> None:
    run = copied("dense")
    line = '{"event":"point","series":"odd","value":%s,"stage":"0","epoch":1.0,"iteration":1,"trained":1.0,"remaining":1.0,"secs":0.5}\n'
    for value in ('"NaN"', '"inf"', '"-inf"', "1", "-0.0", "5e-324"):
        append(run / "events.jsonl", line % value)
    points = weightlab.read(run).points
    odd = points.loc[points["series"] == "odd", "value"].to_list()
    assert np.isnan(odd[0]) and [repr(value) for value in odd[1:]] == ["inf", "-inf", "1.0", "-0.0", "5e-324"]


def test_a_log_that_began_anew_has_what_came_last(copied: Copied) -> None:
    run = copied("dense")
    before = weightlab.read(run).points
    log = run / "events.jsonl"
    log.write_bytes(log.read_bytes() * 2)
    pd.testing.assert_frame_equal(weightlab.read(run).points, before)


@pytest.mark.parametrize("line", ["1,,7,0,2", "1,,x,0,2,20,20,0,0,0,0,0,0,0.05", "\0"])
def test_a_damaged_line_of_a_table_is_left_out_and_named(copied: Copied, line: str) -> None:
    run = copied("by bit")
    lines = (run / "trials.csv").read_text(encoding="utf-8").splitlines()
    (run / "trials.csv").write_text("\n".join([*lines[:3], line, *lines[3:]]) + "\n", encoding="utf-8")
    with pytest.warns(weightlab.ResultWarning, match="trials.csv.*left out"):
        trials = weightlab.read(run).trials
    assert trials["trial"].tolist() == list(range(12))


@pytest.mark.parametrize(
    "line", ["1,,0,,fc1.weight,3,30,zz,0x1", "1,,0,,fc1.weight,3,300,0x0,0x1", "1,,0,,fc1.weight,3,3,0x1ffffffff,0x1"]
)
def test_a_fault_that_cannot_be_is_left_out_and_named(copied: Copied, line: str) -> None:
    run = copied("by bit")
    before = weightlab.read(run).faults
    append(run / "faults.csv", line + "\n")
    with pytest.warns(weightlab.ResultWarning, match="faults.csv.*left out"):
        pd.testing.assert_frame_equal(weightlab.read(run).faults, before)


@pytest.mark.parametrize(
    "line", ["[]", '{"parameter":"w","stage":"0","counts":[1e30],"low":0,"high":1,"trained":1,"remaining":1}', "{"]
)
def test_a_histogram_that_cannot_be_is_left_out_and_named(copied: Copied, line: str) -> None:
    run = copied('pruned, "small"')
    count = len(weightlab.read(run).histograms)
    append(run / "histograms.jsonl", line + "\n")
    with pytest.warns(weightlab.ResultWarning, match="histograms.jsonl, line .*left out"):
        assert len(weightlab.read(run).histograms) == count > 0


def test_a_trial_of_a_cell_that_is_not_there_varies_nothing(copied: Copied) -> None:
    run = copied("by bit")
    append(run / "trials.csv", "1,,99,-1,2,20,20,0,0,0,0,0,0,0.05\n")
    assert pd.isna(weightlab.read(run).trials["bit"].iloc[-1])


def test_a_table_with_other_columns_is_left_out_and_named(copied: Copied) -> None:
    run = copied("by bit")
    (run / "faults.csv").write_text("parameter,index\nfc1.weight,3\n", encoding="utf-8")
    with pytest.warns(weightlab.ResultWarning, match="does not name the columns"):
        assert len(weightlab.read(run).faults) == 0


def test_a_damaged_run_is_left_out_and_named(copied: Copied) -> None:
    run, other = copied("dense"), copied("by bit")
    for text in ["", '{"arm": "a", "seed": 1', '{"arm": 7, "seed": 1, "spec": {}}', '{"seed": 1, "spec": {}}', "[" * 9999, "7"]:
        (run / "run.json").write_text(text, encoding="utf-8")
        with pytest.warns(weightlab.ResultWarning, match="run.json is damaged"):
            assert weightlab.read(run.parent).runs["run"].tolist() == [other.name]


def test_a_run_of_an_earlier_version_is_left_out_until_the_program_has_converted_it(program: Program, copied: Copied) -> None:
    run = copied("dense")
    (run / "run.json").rename(run / "run.ron")
    with pytest.warns(weightlab.ResultWarning, match="written by a version before 0.2; `weightlab run`"):
        assert len(weightlab.read(run)) == 0
    (run / "run.ron").write_text('(arm: "dense", seed: 1, program: "weightlab 0.1.0", spec: (train: (batch: 50)))', encoding="utf-8")
    program("run", "first.ron", "--into", str(run.parent), "--arm", "dense", "--seed", "1")
    found = weightlab.read(run)
    assert found.runs["program"].tolist() == ["weightlab 0.1.0"] and found.settings["train.batch"].tolist() == [50]


def test_logs_of_version_0_1_0_are_read(copied: Copied) -> None:
    run = copied("by bit")
    log = (run / "events.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (run / "events.jsonl").write_text("".join(line for line in log if '"clock"' not in line), encoding="utf-8")
    (run / "run.json").write_text(
        '{"arm": "a", "seed": 18446744073709551615, "program": "weightlab", "spec": {}}', encoding="utf-8"
    )
    append(run / "faults.csv", "1,2,8,,stream 2 0 8,30000,,,\n# a remark of a person\n")
    found = weightlab.read(run)
    assert found.points["utc"].isna().all() and found.runs["began"].isna().all() and len(found.points) > 0
    assert found.runs["seed"].tolist() == [2**64 - 1]
    draws = found.faults[found.faults["stream"].notna()]
    assert draws["faults"].tolist() == [30_000] and draws["stream"].tolist() == ["2 0 8"]
    assert draws["trial"].tolist() == [8] and draws["parameter"].isna().all() and draws["index"].isna().all()
    assert (found.faults["faults"] == 1).sum() == 24


def test_only_current_runs_are_those_of_the_experiment_as_it_is(program: Program, tmp_path: Path) -> None:
    here = Program(program.path, tmp_path)
    shutil.copytree(program.folder / "first.runs", tmp_path / "first.runs")
    changed = EXPERIMENT.replace('Train("2ep"), Test', 'Train("1ep"), Test').replace(
        '(name: "diverges"', '(name: "twin", plan: [Train("1ep"), Test]), (name: "diverges"'
    )
    (tmp_path / "first.ron").write_text(changed, encoding="utf-8")
    here("run", "first.ron")
    here("export", "first.ron", "--to", "points.csv")
    with pytest.warns(weightlab.ResultWarning, match="several runs of the same arm and seed"):
        everything = weightlab.read(tmp_path / "first.ron")
    assert len(everything) == 20
    current = everything.current(program=program.path)
    shown = [(row["run"], row["arm"], row["seed"]) for row in here.show("first.ron")]
    assert list(current.runs[["run", "arm", "seed"]].itertuples(index=False, name=None)) == shown
    assert len(shown) == 20 and len({run for run, _, _ in shown}) == 18, "two arms share their runs"
    same_points(current.points, exported(tmp_path / "points.csv"))
    assert list(current.weights(arm="twin", seed=1)) == list(current.weights(arm="dense", seed=1))


def test_pandas_is_asked_for_where_it_is_missing() -> None:
    code = "import sys; sys.modules['pandas'] = None; import weightlab; weightlab.__version__; weightlab.read('.')"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ})
    assert "reading results needs pandas: pip install pandas" in ended.stderr


def test_a_warning_points_at_the_line_that_asked(copied: Copied) -> None:
    run = copied("dense")
    append(run / "events.jsonl", "{\n")
    with pytest.warns(weightlab.ResultWarning) as warned:
        weightlab.read(run).points
    assert warned[0].filename == __file__
