"""Settings by their paths."""

from __future__ import annotations

import json

from weightlab._settings import below, settings

SPEC = json.loads(
    """{"net": {"Mlp": {"hidden": [300, 100]}}, "train": {"optimizer": {"Adam": {"rate": 0.01}}, "batch": 60},
    "seed": 3, "inputs": {"sets": ["00ff"], "files": {"W": "11ff"}},
    "plan": [{"Train": "20ep"}, "Test", {"Repeat": {"times": 2, "body": ["Test", {"Do": {"Prune": {
        "amount": {"Fraction": 0.8}, "target": {"layers": {"Only": ["fc1"]}}}}}]}}]}"""
)


def test_settings_have_paths() -> None:
    assert settings(SPEC) == {
        **{"net": "Mlp", "net.hidden": "[300, 100]", "train.optimizer": "Adam", "train.optimizer.rate": 0.01},
        **{"train.batch": 60, "seed": 3, "plan.0": "Train(20ep)", "plan.1": "Test", "plan.2": "Repeat"},
        **{"plan.2.times": 2, "plan.2.body.0": "Test", "plan.2.body.1": "Prune"},
        **{"plan.2.body.1.amount": "Fraction(0.8)", "plan.2.body.1.target.layers": '["fc1"]'},
        **{"inputs.sets": '["00ff"]', "inputs.files": '{"W": "11ff"}'},
    }


def test_a_plan_of_names_has_a_path_for_each() -> None:
    assert settings({"plan": ["Test"], "train": {"augment": ["Flip"]}}) == {"plan.0": "Test", "train.augment.0": "Flip"}


def test_a_part_is_json() -> None:
    assert below(SPEC, "net.hidden") == "[300, 100]" and below(SPEC, "net.layers") is None
    assert str(below(SPEC, "plan")).startswith('[{"Train": "20ep"}, "Test", ')
