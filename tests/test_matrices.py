"""pyrr is imported without warnings about its escape sequences."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from framework.geometry import matrices


def test_the_first_import_of_pyrr_raises_no_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyrr.py").write_text('def normal():\n    """A \\ b."""\nclass Matrix44: ...\n')
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pyrr", raising=False)
    spec = importlib.util.spec_from_file_location("fresh_matrices", matrices.__file__)
    assert spec is not None
    assert spec.loader is not None
    fresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fresh)  # all tests run with -W error
    assert fresh.Matrix44 is sys.modules["pyrr"].Matrix44
    assert Path(sys.modules["pyrr"].__file__ or "").parent == tmp_path
