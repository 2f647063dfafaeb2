"""The pytest fixture ``sync_test``, which tests whether a game is deterministic.

``def test_game_repeats(sync_test): sync_test(MyGame)`` is a complete test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .report import SyncReport


@pytest.fixture(name="sync_test")
def _sync_test() -> Callable[..., SyncReport]:
    """Return a function with the same arguments as `framework.sync_test`. The test fails if a
    repeated tick ends in another state.
    """
    # Imported on first use, because pytest loads this file for every project.
    from .synctest import sync_test

    def checked(*arguments: Any, **options: Any) -> SyncReport:
        return sync_test(*arguments, **options).check()

    return checked
