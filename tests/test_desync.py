"""Reports of different states in a match: messages from other machines that must do no harm."""

from __future__ import annotations

import base64
import json
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from framework.net.desync import INTERVAL, StateChecks, remove_old_reports
from framework.record.hashes import digest_of

LOCAL = {"game.luck": 0.5, "game.array": np.zeros(4)}


def hash_message(tick: int, state_hash: int) -> bytes:
    return b"h" + tick.to_bytes(8, "little") + state_hash.to_bytes(8, "little")


def trace_message(first: int, *hashes: int) -> bytes:
    return b"t" + b"".join(number.to_bytes(8, "little") for number in (first, *hashes))


def values_message(values: object) -> bytes:
    return b"v" + zlib.compress(json.dumps(values).encode(), 9)


def checks_with_a_difference() -> StateChecks:
    """Return the checks of a machine whose state differs from that of player 1."""

    def rerun(_: Any, first: int, last: int, each: Callable[[Any, int], object]) -> None:
        debug = SimpleNamespace(state_values=lambda: dict(LOCAL))
        for tick in range(first, last + 1):
            each(SimpleNamespace(debug=debug, state_hash=lambda: 5), tick)

    snapshot: Any = None
    checks = StateChecks([1, 2], snapshot, rerun)
    checks.note(INTERVAL, 5, snapshot)
    checks.confirm(INTERVAL)
    for player, state_hash in ((1, 6), (2, 5)):
        assert checks.receive(player, hash_message(INTERVAL, state_hash))
    return checks


def compared(checks: StateChecks, values: object) -> None:
    """Search for the difference. Player 1 sends ``values``."""
    checks.compare()
    assert checks.receive(1, trace_message(1, *[6] * INTERVAL))
    checks.compare()
    assert checks.receive(1, values_message(values))
    checks.compare()


@pytest.mark.parametrize("data", ["abc", "AAAA", "\u00e9", "AAA="])
def test_an_invalid_array_from_another_machine_does_not_end_the_game(data: str) -> None:
    checks = checks_with_a_difference()
    luck = [f"{digest_of(0.5):x}", "0.5"]
    text = "\x1b[2J\n" * 50
    compared(checks, {"game.luck": luck, "game.array": ["0", text, "<f8", "4", data]})
    assert checks.desync is not None
    assert checks.desync.path == "game.array"
    assert len(checks.desync.remote) <= 80
    assert checks.desync.remote.isprintable()


def test_the_element_that_differs_is_found() -> None:
    checks = checks_with_a_difference()
    data = base64.b64encode(np.array([0.0, 0, 1, 0]).tobytes()).decode()
    luck = [f"{digest_of(0.5):x}", "0.5"]
    compared(checks, {"game.luck": luck, "game.array": ["0", "array", "<f8", "4", data]})
    assert checks.desync is not None
    assert (checks.desync.path, checks.desync.remote) == ("game.array[2]", "1.0")


def test_values_are_read_once_and_only_from_the_player_whose_state_differs() -> None:
    checks = checks_with_a_difference()
    bomb = b"v" + zlib.compress(b"[" + b"0," * 2_000_000 + b"0]", 9)
    start = time.process_time()
    assert not checks.receive(1, bomb)  # the machine does not search for a difference yet
    checks.compare()
    assert not checks.receive(2, bomb)
    assert not checks.receive(1, bomb)  # an invalid message, and no second one is read
    for _ in range(1000):
        assert not checks.receive(1, bomb)
    assert time.process_time() - start < 0.5
    assert checks.receive(1, trace_message(1, 6, 6))
    assert not checks.receive(1, trace_message(1, 5, 5))


def test_values_that_only_another_machine_has_do_not_fill_the_disk() -> None:
    checks = checks_with_a_difference()
    compared(checks, {f"forged {number}": ["1", "a"] for number in range(20_000)})
    assert checks.desync is not None
    assert checks.values is not None
    assert len(checks.values.to_json(checks.desync)) < 200_000


def test_the_newest_reports_are_kept_and_other_files_stay(tmp_path: Path) -> None:
    remove_old_reports(str(tmp_path / "missing"))
    for day in range(1, 13):
        folder = tmp_path / f"2026-01-{day:02} 10.00.00 player 1"
        folder.mkdir()
        (folder / "values.json").write_text("{}")
    (tmp_path / "2026-01-01 10.00.00 player 1" / "mine.txt").write_text("a note")
    (tmp_path / "other").mkdir()
    remove_old_reports(str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "2026-01-01 10.00.00 player 1",
        *[f"2026-01-{day:02} 10.00.00 player 1" for day in range(4, 13)],
        "other",
    ]
    assert (tmp_path / "2026-01-01 10.00.00 player 1" / "mine.txt").exists()
