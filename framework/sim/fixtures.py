"""The fixture ``sync_test`` for tests of games; pytest finds it by itself.

``def test_it_can_be_played_again(sync_test): sync_test(MyGame)`` is a whole test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .report import SyncReport


@pytest.fixture(name="sync_test")
def _sync_test() -> Callable[..., SyncReport]:
    """`framework.sync_test`, which fails the test where a tick that is run again ends
    differently.
    """
    from .synctest import sync_test  # when it is used: pytest loads this file for every project

    def checked(*arguments: Any, **options: Any) -> SyncReport:
        return sync_test(*arguments, **options).check()

    return checked
