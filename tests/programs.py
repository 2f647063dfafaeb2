"""Programs in processes of their own, and what Python says in them.

A GL driver may have a word to say too, on the same stderr: which one, and what, is not ours to
test.
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
    """Run ``code``; the ``stderr`` of what is returned is Python's own. Keywords are those of
    `subprocess.run`.

    With ``shell``, a bash script runs instead, in which ``"$@"`` is the program.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as words:
        command = [
            sys.executable,
            *options,
            "-c",
            _OWN_STDERR + code,
            str(words.fileno()),
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
        done = subprocess.run(
            command, stderr=subprocess.PIPE, pass_fds=[words.fileno()], **keywords
        )
        words.seek(0)
        own = words.read()
    if done.returncode and not own and not shell:
        own = done.stderr  # it did not get as far as that
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout, own)
