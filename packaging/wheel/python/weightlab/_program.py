"""The program that the wheel brings."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path


def find_program() -> str:
    """The path of the program ``weightlab`` that is installed beside this module.

    Raises ``FileNotFoundError`` where it is not.
    """
    name = "weightlab" + (sysconfig.get_config_var("EXE") or "")
    for folder in _folders():
        if (folder / name).is_file():
            return str(folder / name)
    places = ", ".join(map(str, _folders()))
    raise FileNotFoundError(f"the program {name} is not beside the module weightlab; looked in {places}")


def _folders() -> Iterator[Path]:
    yield Path(sysconfig.get_path("scripts"))
    # `pip install --user`, then `--target` and `--prefix`.
    yield Path(
        sysconfig.get_path(
            "scripts",
            scheme=sysconfig.get_preferred_scheme("user") if sys.version_info >= (3, 10) else f"{os.name}_user",
        )
    )
    packages = Path(__file__).resolve().parent.parent
    yield packages / "bin"
    yield packages.parent.parent.parent / "bin"


def run_program(arguments: list[str]) -> int:
    """Runs the program in the place of this process, or on Windows beside it, and returns its exit status."""
    program = find_program()
    if os.name == "posix":
        os.execv(program, [program, *arguments])
    return subprocess.call([program, *arguments])
