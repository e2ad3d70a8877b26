"""Warnings about results that cannot be read, or may not be what they seem."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path


class ResultWarning(UserWarning):
    """Something in a folder of runs is damaged and left out, or may mislead; the text names the file and the line."""


def warn(message: str) -> None:
    """Warns where the caller's own code called the module."""
    warnings.warn(message, ResultWarning, stacklevel=_depth())


def skipped(path: Path, line: int, why: str) -> None:
    """Warns of one damaged line."""
    warn(f"{path}, line {line}: {why}; the line is left out")


def _depth() -> int:
    """Where the first frame outside of this package is, seen from `warn`, as ``stacklevel`` counts."""
    own, depth, frame = Path(__file__).parent, 2, sys._getframe(2)
    while frame.f_back is not None and (
        Path(frame.f_code.co_filename).parent == own or Path(frame.f_code.co_filename).name == "functools.py"
    ):
        depth, frame = depth + 1, frame.f_back
    return depth
