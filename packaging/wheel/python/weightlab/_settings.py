"""Settings of a run, as ``run.json`` has them, by their paths."""

from __future__ import annotations

import json
from typing import Any, Union

Scalar = Union[bool, int, float, str, None]
"""The value of one setting."""

_STEPS = ("plan", "body", "layers", "augment", "what")
"""Settings whose items have settings of their own, also where all of them are names alone."""


def settings(spec: dict[str, Any]) -> dict[str, Scalar]:
    """Single settings by path, such as ``train.batch``: the paths of ``--set``, as ``weightlab show`` has them.

    A choice is its name, and its settings are below: ``train.optimizer`` is ``Adam``, ``train.optimizer.rate`` a number.
    A choice with one plain value, and a list of plain values, are text: ``Fraction(0.8)``, ``[300, 100]``.
    """
    found: dict[str, Scalar] = {}
    for name, value in spec.items():
        _collect(value, name, found, name in _STEPS)
    return found


def _collect(value: Any, path: str, found: dict[str, Scalar], is_steps: bool = False) -> None:
    name, payload = choice(value)
    if path == "inputs.files":
        found[path] = text(value)
    elif name:
        found[path] = name
        if isinstance(payload, (dict, list)):
            _collect(payload, path, found)
        else:
            found[path] = f"{name}({payload if isinstance(payload, str) else json.dumps(payload)})"
    elif isinstance(value, dict):
        for key, item in value.items():
            _collect(item, f"{path}.{key}", found, key in _STEPS)
    elif isinstance(value, list) and (is_steps or any(isinstance(item, (dict, list)) for item in value)):
        for index, item in enumerate(value):
            _collect(item, f"{path}.{index}", found)
    else:
        found[path] = text(value) if isinstance(value, list) else value


def choice(value: Any) -> tuple[str, Any]:
    """The name and the settings of an alternative such as ``{"Adam": {"rate": 0.1}}``; no name for anything else."""
    if isinstance(value, dict) and len(value) == 1:
        ((name, payload),) = value.items()
        if name[:1].isupper() and name.isalnum():
            return name, payload
    return "", None


def below(spec: Any, path: str) -> str | None:
    """Everything at a path in one line of JSON; ``None`` where nothing is there."""
    for step in path.split("."):
        named = choice(spec)[1]
        inner = spec if named is None else named
        spec = inner.get(step) if isinstance(inner, dict) else None
    return None if spec is None else text(spec)


def text(value: Any) -> str:
    """A value in one line of JSON."""
    return json.dumps(value, ensure_ascii=False)
