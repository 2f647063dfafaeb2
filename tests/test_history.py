"""Arrays that stand for others give back the same bits, and take less where that is so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from framework.state import history
from framework.state.history import Blend, Patch, blended, patched

FLOATS = arrays(np.float32, 40, elements=st.floats(width=32, allow_nan=True, allow_infinity=True))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small arrays are worth it, too."""
    monkeypatch.setattr(history, "_LARGE", 1)


def whole(held: Any) -> Any:
    return held.whole() if isinstance(held, Patch | Blend) else held


@settings(max_examples=60)
@given(first=FLOATS, array=FLOATS, second=FLOATS, share=st.floats(0, 1))
def test_any_array_comes_back_to_the_bit(first: Any, array: Any, second: Any, share: float) -> None:
    mixed = first.copy()
    mixed[5:9] = array[5:9]
    for other in (array, mixed, first.copy()):
        before = other.tobytes()
        assert whole(patched(other, first)).tobytes() == before
        assert whole(blended(other, first, second, share)).tobytes() == before
        assert other.tobytes() == before


def moving(seconds: float, bend: float = 0.0) -> Any:
    chance = np.random.default_rng(3)
    start, speed = chance.uniform(0, 1000, (5000, 2)), chance.normal(0, 100, (5000, 2))
    return (start + speed * seconds + bend * seconds**2).astype("f4")


def size(held: Any) -> int:
    return sum(array.nbytes for array in held.parts()[2:])


@pytest.mark.parametrize(("bend", "share"), [(0.0, 0.35), (2.0, 0.6)])
def test_what_moves_evenly_takes_a_part_of_its_bytes(bend: float, share: float) -> None:
    first, array, second = (moving(seconds, bend) for seconds in (0, 0.2, 0.4))
    array[::100] += 50  # some bounced
    held = blended(array, first, second, 0.5)
    assert isinstance(held, Blend)
    assert size(held) < share * array.nbytes
    assert held.whole().tobytes() == array.tobytes()


def test_what_jumps_stays_whole() -> None:
    chance = np.random.default_rng(1)
    first, array, second = (chance.random((5000, 2), np.float32) for _ in range(3))
    assert blended(array, first, second, 0.5) is array
    assert patched(array, first) is array
    for other in (first[:100].copy(), first.astype("f8"), None):
        assert blended(array, other, second, 0.5) is array
        assert patched(array, other) is array or other is None


def test_what_changed_a_little_is_a_patch_and_what_did_not_is_the_same_array() -> None:
    first = np.arange(5000)
    assert patched(first.copy(), first) is first
    array = first.copy()
    array[7:900:3] = -1
    held = patched(array, first)
    assert held.base is first
    assert held.places.nbytes + held.values.nbytes < 0.1 * array.nbytes
    assert held.whole().tobytes() == array.tobytes()
    assert patched(array.copy(), held) is held
    again = array.copy()
    again[3] = 9
    assert patched(again, held).base is first
