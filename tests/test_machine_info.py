"""Machine info: benchmarks run in a process with a fixed malloc configuration."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

from framework.bench import machine_info


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's settings")
def test_the_process_starts_again_with_fixed_malloc_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[tuple[Any, ...]] = []
    monkeypatch.setattr(os, "execve", lambda *arguments: started.append(arguments))
    monkeypatch.delenv(machine_info._STEADY, raising=False)
    monkeypatch.setenv("MALLOC_TOP_PAD_", "5")
    machine_info.steady_malloc()
    [(program, command, environment)] = started
    assert program == command[0] == sys.executable
    assert command[1:] == sys.orig_argv[1:]
    assert environment["MALLOC_TRIM_THRESHOLD_"] == "1000000000"
    assert environment["MALLOC_TOP_PAD_"] == "5"  # the user's setting stays
    monkeypatch.setenv(machine_info._STEADY, environment[machine_info._STEADY])
    machine_info.steady_malloc()
    assert len(started) == 1
