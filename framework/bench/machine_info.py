"""Describe the computer that runs a benchmark, and make the measured times vary less."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from .. import __version__
from ..game.game import Game
from . import cpu_time

NOOP = "GALLIUM_NOOP"
"""The environment variable that makes Mesa's drivers draw nothing."""

_LIBRARIES = ("pyglet", "moderngl", "numpy", "pyrr", "Pillow")
_MALLOC = {
    "MALLOC_TRIM_THRESHOLD_": "1000000000",
    "MALLOC_TOP_PAD_": "67108864",
    "MALLOC_MMAP_THRESHOLD_": "33554432",
}
_STEADY = "SUBTICK_BENCH_STEADY"


@dataclass
class Machine:
    """The machine that ran a benchmark: its processor, its graphics driver, and the versions of the
    software.
    """

    system: str
    processor: str
    cores: int
    versions: dict[str, str]
    renderer: str
    gl: str
    noop: bool
    clock: str
    """The name of the clock that the benchmarks use: see `cpu_time`."""
    malloc_settings: dict[str, str]
    measured_at: str
    load: float | None
    """The load of the machine: how many programs, including the benchmark, needed a processor core
    on average during the last minute. None if the system does not measure the load.
    """


def this_machine(game: Game) -> Machine:
    """Return a description of the machine on which ``game`` runs."""
    info = game.picture.ctx.info
    return Machine(
        system=platform.platform(),
        processor=_processor(),
        cores=os.cpu_count() or 1,
        versions={
            "subtick": __version__,
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in _LIBRARIES},
        },
        renderer=info["GL_RENDERER"],
        gl=info["GL_VERSION"],
        clock=cpu_time.CLOCK_NAME,
        noop=os.environ.get(NOOP, "").lower() in ("1", "true", "yes", "y"),
        malloc_settings={name: os.environ[name] for name in _MALLOC if name in os.environ},
        measured_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        load=os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def steady_malloc() -> None:
    """Restart this process with other settings for the memory allocator, so that measured times
    vary less. On systems other than Linux, do nothing.

    Mesa's software drivers allocate and free large blocks in every frame. By default, glibc returns
    some of the freed blocks to the kernel, so the same program sometimes takes twice as long.
    `steady_malloc` sets environment variables that make glibc keep the freed blocks. glibc reads
    these variables only when a process starts, so the process must be restarted.
    """
    if not sys.platform.startswith("linux") or os.environ.get(_STEADY):
        return
    sys.stdout.flush()
    sys.stderr.flush()
    environment = {**_MALLOC, **os.environ, _STEADY: "1"}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)
