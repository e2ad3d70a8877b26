"""The directory of one run: what it is, its files, and whether a process writes there."""

from __future__ import annotations

import json
import os
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _settings
from ._warnings import warn

ABOUT = "run.json"
OLD_ABOUT = "run.ron"
LOG = "events.jsonl"
_DEAD_AFTER = 120.0  # seconds without a heartbeat


@dataclass(frozen=True)
class Run:
    """One run under the name of an arm."""

    path: Path
    arm: str
    seed: int
    program: str
    data: str | None
    spec: dict[str, Any] = field(compare=False, repr=False)

    @property
    def id(self) -> str:
        """Its identity: the name of its directory."""
        return self.path.name

    def settings(self) -> dict[str, _settings.Scalar]:
        """Its settings that are not the default, by path, without the seed."""
        found = _settings.settings(self.spec)
        found.pop("seed", None)
        return found

    def describe(self) -> str:
        """The run in words, for messages."""
        return f"run {self.id} (arm {self.arm!r}, seed {self.seed})"


def read_runs(folder: Path) -> list[Run]:
    """All runs in a folder, or the only one if it is the directory of a run; by arm, seed and identity.

    A run whose ``run.json`` is damaged, or that a version before 0.2 has written, is left out with a warning. Files beside the
    runs, ``.trash`` and directories without ``run.json`` are no runs.
    """
    if (folder / ABOUT).is_file() or (folder / OLD_ABOUT).is_file():
        paths = [folder]
    else:
        paths = [path for path in folder.iterdir() if not path.name.startswith(".")]
    found = [run for run in map(_read_run, paths) if run is not None]
    return sorted(found, key=lambda run: (run.arm, run.seed, run.id))


def _read_run(path: Path) -> Run | None:
    file = path / ABOUT
    try:
        text = file.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        if (path / OLD_ABOUT).is_file():
            warn(
                f"{path} was written by a version before 0.2; `weightlab run` with its experiment file brings it up to date, "
                "and runs only what is not done; the run is left out"
            )
        return None
    except (OSError, ValueError) as error:
        warn(f"{file} cannot be read ({error}); the run is left out")
        return None
    try:
        about = json.loads(text)
        arm, seed, spec = about["arm"], about["seed"], about["spec"]
        if not (isinstance(arm, str) and type(seed) is int and isinstance(spec, dict)):
            raise ValueError("arm, seed or spec is not what it should be")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        warn(f"{file} is damaged ({why}); the run is left out")
        return None
    program, data = about.get("program"), about.get("data")
    return Run(path, arm, seed, str(program or ""), data if isinstance(data, str) else None, spec)


def is_done(run: Path) -> bool:
    """Whether the run is marked as done."""
    return (run / "DONE").exists()


def failure(run: Path) -> str | None:
    """Why the run is marked as failed."""
    try:
        return (run / "FAILED").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def is_alive(run: Path) -> bool:
    """Whether a process writes there: it is seen on this host, or its heartbeat is younger than two minutes.

    A process that is not seen is dead only where it would be seen: in the same container since the same start of the
    system, without ``hidepid``.
    """
    claim = run / "claim"
    try:
        age = time.time() - claim.stat().st_mtime
        text = claim.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return False
    except OSError:
        text, age = "", 0.0
    host, process, birth, realm = [*text.splitlines(), "", "", "", ""][:4]
    if (realm == _realm()) if realm else (host == socket.gethostname()):
        found = _birth(process)
        if found and found == birth:
            return True
        if realm and found is not None and _shows_everybody():
            return False
    return age < _DEAD_AFTER


def _realm() -> str | None:
    """Where process numbers mean what they mean here: the start of the system, and the namespaces of this process."""
    try:
        if os.readlink("/proc/self") != str(os.getpid()):
            return None
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
        processes = os.readlink("/proc/self/ns/pid")
    except OSError:
        return None
    try:
        times = os.readlink("/proc/self/ns/time")
    except OSError:
        times = ""
    return f"{boot} {processes} {times}"


def _shows_everybody() -> bool:
    """Whether ``/proc`` lists the processes of all users."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    fields = [mount.split(" ") for mount in mounts]
    return not any(each[1:2] == ["/proc"] and ",hidepid=" in "," + ",".join(each[3:4]) for each in fields)


def _birth(process: str) -> str | None:
    """When a process of this host began, in the system's ticks: empty where it is dead, ``None`` where it is not known."""
    if not process.isdigit():
        return None
    try:
        about = (Path("/proc") / process / "stat").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError:
        return None
    # The name in brackets may hold blanks; the state follows, and the time is the 20th field behind it.
    fields = about.rpartition(")")[2].split()
    return "" if fields[:1] in (["Z"], ["X"]) else dict(enumerate(fields)).get(19)
