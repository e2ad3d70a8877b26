"""Results of Weightlab as pandas frames and numpy arrays.

>>> import weightlab
>>> results = weightlab.read("first.runs")
>>> results.runs.groupby("arm")["test_accuracy"].agg(["mean", "std"])
>>> weights = results.weights(arm="dense", seed=1)

Reading needs pandas, and of Weightlab the files alone, not the program. ``python -m weightlab`` is the program.
"""

from __future__ import annotations

import os
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any

from ._warnings import ResultWarning

if TYPE_CHECKING:
    from ._results import Results
    from ._tensors import read_tensors

__all__ = ["ResultWarning", "Results", "read", "read_tensors"]

try:
    __version__: str = metadata.version("weightlab")
except metadata.PackageNotFoundError:  # the folder of the sources
    __version__ = "unknown"


def read(path: str | os.PathLike[str]) -> Results:
    """Opens results: a folder of runs (``first.runs``), the experiment file beside it (``first.ron``), or the directory of
    one run.

    Nothing is needed but the files: neither the program nor the data. Damaged files and lines are left out with a
    `ResultWarning` that names them.

    Raises ``FileNotFoundError`` where there is no such folder, and ``ImportError`` where pandas is not installed.
    """
    found: Results = _needing_pandas("_results").read(path)
    return found


def __getattr__(name: str) -> Any:
    homes = {"Results": "_results", "read_tensors": "_tensors"}
    if name in homes:
        return getattr(_needing_pandas(homes[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _needing_pandas(module: str) -> Any:
    try:
        return import_module(f".{module}", __name__)
    except ModuleNotFoundError as error:
        if error.name not in ("pandas", "numpy"):
            raise
        raise ImportError(f"reading results needs {error.name}: pip install pandas") from error
