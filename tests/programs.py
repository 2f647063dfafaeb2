"""Run programs in new processes, with Python's own stderr.

A GL driver may also write to stderr. Its messages are not part of the tests.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from typing import Any

_OWN_STDERR = (
    "import sys; sys.stderr = sys.__stderr__ = open(int(sys.argv.pop(1)), 'w', "
    "buffering=1, closefd=False)\n"
)


def run_python(
    code: str, *arguments: str, options: tuple[str, ...] = (), shell: str = "", **keywords: Any
) -> subprocess.CompletedProcess[str]:
    """Run ``code`` and return the completed process, whose ``stderr`` has only Python's output.

    Keywords are passed to `subprocess.run`. With ``shell``, a bash script runs instead, in which
    ``"$@"`` is the program.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stderr_file:
        command = [
            sys.executable,
            *options,
            "-c",
            _OWN_STDERR + code,
            str(stderr_file.fileno()),
            *arguments,
        ]
        if shell:
            command = ["bash", "-c", shell, "bash", *command]
        keywords = {
            "stdout": subprocess.PIPE,
            "text": True,
            "timeout": 60,
            "check": False,
            **keywords,
        }
        completed = subprocess.run(
            command, stderr=subprocess.PIPE, pass_fds=[stderr_file.fileno()], **keywords
        )
        stderr_file.seek(0)
        stderr = stderr_file.read()
    if completed.returncode and not stderr and not shell:
        stderr = completed.stderr  # Python failed before it redirected stderr
    return subprocess.CompletedProcess(
        completed.args, completed.returncode, completed.stdout, stderr
    )
