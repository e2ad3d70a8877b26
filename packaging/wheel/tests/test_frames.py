"""The frames have what the program itself shows and exports."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pandas as pd
import pytest
import weightlab
from conftest import Program

COLUMNS = ["run", "arm", "seed", "stage", "branch", "member", "series", "round", "epoch", "iteration", "remaining"]


def exported(path: Path) -> pd.DataFrame:
    """An export, all cells as text."""
    kinds: Any = str
    return pd.read_csv(path, dtype=kinds, keep_default_na=False)


def same_points(ours: pd.DataFrame, theirs: pd.DataFrame) -> None:
    """Compares all columns of an export bit by bit, whatever the order of the runs."""
    assert list(ours.columns[: len(theirs.columns)]) == list(theirs.columns)
    assert len(ours) == len(theirs) > 0
    keys = {"run": str, "arm": str}
    frames = [frame.astype(keys).reset_index().sort_values(["run", "arm", "index"]) for frame in (ours, theirs)]
    for name in theirs.columns:
        found, expected = (frame[name].astype(object).to_list() for frame in frames)
        if name in ("run", "arm", "stage", "branch", "series", "layer"):
            assert ["" if pd.isna(text) else text for text in found] == expected, name
        elif name == "value":
            # The text of a float tells NaN, infinities and the last bit.
            assert list(map(repr, found)) == [repr(float(text)) for text in expected]
        else:
            assert [None if pd.isna(number) else number for number in found] == [
                float(text) if text else None for text in expected
            ], name


def test_points_are_those_that_the_program_exports(program: Program, results: weightlab.Results) -> None:
    same_points(results.points, exported(program.folder / "points.csv"))
    assert {"train_loss", "vote_accuracy", "line_loss", "campaign_sdc1_unprotected"} <= set(results.points["series"])
    assert not np.isfinite(results.points["value"]).all(), "the diverging arm has a NaN or an infinity"
    assert results.points["branch"].isin(["one", "two"]).any() and results.points["member"].notna().any()


def test_runs_are_those_that_the_program_shows(program: Program, results: weightlab.Results) -> None:
    shown = {row["run"]: row for row in program.show("first.ron")}
    assert len(results.runs) == len(shown) == len(results) == 18
    for row in results.runs.to_dict("records"):
        expected = shown[row["run"]]
        for name in ("arm", "seed", "state"):
            assert row[name] == expected[name]
        for name in ("test_accuracy", "best_test_accuracy", "validation_accuracy", "remaining", "epochs", "secs"):
            value = expected.get(name)
            assert np.isnan(row[name]) if value is None else row[name] == value, (row["arm"], name)
        assert row["vote"] == expected.get("vote", False)
    assert results.runs["vote"].sum() == 2


def test_a_run_that_was_never_tested_has_a_validation_accuracy(copied: Callable[[str], Path]) -> None:
    run = copied("dense")
    log = run / "events.jsonl"
    lines = [line for line in log.read_text(encoding="utf-8").splitlines(keepends=True) if '"test_' not in line]
    log.write_text("".join(lines), encoding="utf-8")
    row = weightlab.read(run).runs.iloc[0]
    assert np.isnan(row["test_accuracy"]) and 0 <= row["validation_accuracy"] <= 1


@pytest.mark.parametrize("name", ["faults", "trials", "trials_unprotected"])
def test_tables_have_the_rows_of_their_files(results: weightlab.Results, name: str) -> None:
    frame: pd.DataFrame = getattr(results, name)
    count = 0
    for run, arm, seed in results.runs[["run", "arm", "seed"]].itertuples(index=False):
        path = results.path(run) / f"{name}.csv"
        lines: list[Any] = list(csv.DictReader(path.read_text("utf-8").splitlines())) if path.exists() else []
        own = frame[frame["run"] == run]
        assert len(own) == len(lines) and (own["arm"] == arm).all() and (own["seed"] == seed).all()
        for line, (_, row) in zip(lines, own.iterrows()):
            for column, text in line.items():
                value = row[column]
                if column in ("before", "after"):
                    assert value == int(text, 16)
                elif text == "":
                    assert pd.isna(value)
                else:
                    assert value == (text if column in ("campaign", "parameter") else float(text))
        count += len(lines)
    assert len(frame) == count > 0


def test_trials_know_what_their_cell_varies(results: weightlab.Results) -> None:
    trials = results.trials
    assert set(trials.loc[trials["arm"] == "by bit", "bit"]) == {0, 30}
    assert set(trials.loc[trials["arm"] == "by rate", "rate"]) == {1e-4, 1e-2}
    assert set(trials.loc[trials["arm"] == "by rate", "round"]) == {1, 2}
    assert {"fc1", "fc2"} <= set(trials.loc[trials["arm"] == "by layer", "layer"])


def test_cells_have_the_means_of_their_trials_and_of_the_points(results: weightlab.Results) -> None:
    keys = ["run", "campaign", "round", "cell"]
    for unprotected, trials in ((False, results.trials), (True, results.trials_unprotected)):
        cells = results.cells[results.cells["unprotected"] == unprotected]
        means = trials.groupby(keys, observed=True, dropna=False)["accuracy"].mean()
        found = cells.set_index(keys)["accuracy"]
        assert len(found) == len(means) > 0
        assert np.allclose(found.sort_index().to_numpy(), means.sort_index().to_numpy())
        assert (cells["accuracy_low"] <= cells["accuracy"]).all() and (cells["sdc1"] <= cells["sdc1_high"]).all()
    points = results.points[results.points["series"] == "campaign_accuracy"]
    cells = results.cells[~results.cells["unprotected"]]
    assert sorted(points["value"]) == sorted(cells["accuracy"])


def test_campaigns_and_reports_are_those_of_the_log(results: weightlab.Results) -> None:
    assert len(results.campaigns) == 2 + 2 * 2 + 2
    assert results.campaigns["intact"].all() and (results.campaigns["images"] == 20).all()
    reports = 0
    for run in results.runs["run"]:
        log = (results.path(run) / "events.jsonl").read_text(encoding="utf-8")
        reports += sum(json.loads(line)["event"] == "report" for line in log.splitlines())
    assert len(results.reports) == reports > 0
    pruned = results.reports[results.reports["kind"] == "prune"]
    assert pruned["table"].iloc[0][0]["parameter"] == "fc1.weight" and (pruned["round"] > 0).all()
    assert results.reports.loc[results.reports["kind"] == "held", "passed"].all()


def test_accuracies_of_classes_belong_to_their_points(results: weightlab.Results) -> None:
    classes = results.classes
    keys = ["run", "stage", "branch", "member", "series", "round", "iteration"]
    counted = classes.groupby(keys, observed=True, dropna=False)
    assert (counted["class"].apply(list).map(lambda numbers: numbers == list(range(10)))).all()
    assert classes["value"].dropna().between(0, 1).all()
    assert set(classes["series"]) == {"test_accuracy", "validation_accuracy"}


def test_histograms_count_every_weight(results: weightlab.Results) -> None:
    histograms = results.histograms
    first = histograms[histograms["parameter"] == "fc1.weight"]
    assert ((first["counts"].map(np.sum) + first["pruned"]) == 64 * 16).all() and len(first) > 0
    assert set(histograms["arm"]) == {'pruned, "small"'} and (histograms["low"] <= histograms["high"]).all()


def test_settings_have_the_paths_of_the_program(results: weightlab.Results) -> None:
    settings = results.settings.set_index(["arm", "seed"])
    assert settings.loc[("dense", 1), "train.batch"] == 50
    assert settings.loc[('pruned, "small"', 2), "train.record.weights"] == "Histograms"
    assert settings.loc[("diverges", 1), "train.optimizer"] == "Sgd"
    assert settings.loc[("diverges", 1), "train.optimizer.rate"] == 1000
    assert settings.loc[('pruned, "small"', 1), "plan.0.body.1"] == "Prune"
    assert settings.loc[('pruned, "small"', 1), "plan.0.body.1.amount"] == "Fraction(0.5)"
    assert settings.loc[("dense", 1), "net.hidden"] == "[16, 8]"
    runs = results.runs.set_index(["arm", "seed"])
    assert "net.hidden" not in runs and "data" not in runs.columns[runs.columns.str.startswith("net")]
    assert runs.loc[("diverges", 1), "train.optimizer.rate"] == 1000
    assert pd.isna(runs.loc[("dense", 1), "train.optimizer.rate"]), "the default is not in the files"
    assert runs.loc[("dense", 1), "plan"] == '[{"Train": "2ep"}, "Test"]'


def test_the_time_of_day_goes_on_with_the_seconds(results: weightlab.Results) -> None:
    points = results.points
    assert points["utc"].notna().all()
    for _, own in points.groupby("run", observed=True):
        assert own["utc"].is_monotonic_increasing and own["secs"].is_monotonic_increasing
    began = results.runs.set_index("run")["began"]
    assert (points["utc"] >= points["run"].astype(str).map(began)).all()


def test_texts_that_repeat_are_categories(results: weightlab.Results) -> None:
    kinds = results.points.dtypes.map(str)
    assert (kinds[["run", "arm", "stage", "branch", "series", "layer"]] == "category").all()
    assert (kinds[["member", "round", "bit"]] == "Int64").all()
    assert str(kinds["seed"]) == "int64"
