"""Run code in a new Python process, for benchmarks.

If the graphics driver crashes, only the new process ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_ROOT = str(Path(__file__).resolve().parents[2])


def framework_environment() -> dict[str, str]:
    """Return a dict with the environment variable that makes another Python process import the
    framework from the same folder as this process.
    """
    return {"PYTHONPATH": os.pathsep.join([_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])])}


def run_python(code: str, timeout: float | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``code`` in a new Python process. Return the exit status and the output of the process.

    The new process imports the framework from the same folder as this process. Raises
    `subprocess.TimeoutExpired` after ``timeout`` seconds.
    """
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **framework_environment()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
