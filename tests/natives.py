"""The native sound library for tests: built once, where a C compiler is installed."""

from __future__ import annotations

import functools
import importlib.util
import tempfile
from pathlib import Path
from typing import Any

import pytest

from framework.audio.native import NativeLibrary

SCRIPT = Path(__file__).parents[1] / "native" / "build.py"


@functools.cache
def script() -> Any:
    """Return the module ``native/build.py``."""
    if not SCRIPT.exists():
        pytest.skip("the folder native is only in a checkout")
    spec = importlib.util.spec_from_file_location("native_build", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def _built() -> NativeLibrary | None:
    if script().compiler() is None:
        return None
    return NativeLibrary(str(script().build_here(Path(tempfile.mkdtemp()))))


def library_or_skip() -> NativeLibrary:
    """Return the library. Skip the test if this computer has no C compiler."""
    library = _built()
    if library is None:
        pytest.skip("there is no C compiler, and no package ziglang")
    return library
