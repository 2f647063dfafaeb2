"""Processes: run code in a new Python process, for drivers that may crash and for timed starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_ROOT = str(Path(__file__).resolve().parents[2])


def run_python(code: str, timeout: float | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``code`` in a new Python process, and return its exit status and its output as text.

    The process imports the same package. Raises `subprocess.TimeoutExpired` after ``timeout``
    seconds.
    """
    path = os.pathsep.join([_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
