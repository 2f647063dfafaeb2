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
from matches import Machines

import framework as fw
from framework.net import desync
from framework.net.desync import INTERVAL, StateChecks, remove_old_reports
from framework.net.dropped_message import DroppedMessage
from framework.record.hashes import digest_of

SNAPSHOT: Any = None
LOCAL = {"game.luck": 0.5, "game.array": np.zeros(4)}


def hash_message(tick: int, state_hash: int) -> bytes:
    return b"h" + tick.to_bytes(8, "little") + state_hash.to_bytes(8, "little")


def trace_message(first: int, *hashes: int) -> bytes:
    return b"t" + b"".join(number.to_bytes(8, "little") for number in (first, *hashes))


def values_message(values: object) -> bytes:
    return b"v" + zlib.compress(json.dumps(values).encode(), 9)


def drop_reason(checks: StateChecks, player: int, message: bytes) -> str | None:
    """Return the reason for which a message was dropped, or None if it was accepted."""
    try:
        checks.receive(player, message)
    except DroppedMessage as dropped:
        return dropped.reason
    return None


def rerun(_: Any, first: int, last: int, each: Callable[[Any, int], object]) -> None:
    debug = SimpleNamespace(state_values=lambda: dict(LOCAL))
    for tick in range(first, last + 1):
        each(SimpleNamespace(debug=debug, state_hash=lambda: 5), tick)


def checks_with_a_difference() -> StateChecks:
    """Return the checks of a machine whose state differs from that of player 1."""
    snapshot = SNAPSHOT
    checks = StateChecks([1, 2], snapshot, rerun, player=0)
    checks.note(INTERVAL, 5, snapshot)
    checks.confirm(INTERVAL)
    for player, state_hash in ((1, 6), (2, 5)):
        checks.receive(player, hash_message(INTERVAL, state_hash))
    return checks


def compared(checks: StateChecks, values: object) -> None:
    """Search for the difference. Player 1 sends ``values``."""
    checks.compare(0)
    checks.receive(1, trace_message(1, *[6] * INTERVAL))
    checks.compare(0)
    checks.receive(1, values_message(values))
    checks.compare(0)


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
    assert (
        drop_reason(checks, 1, bomb) == "late"
    )  # the machine does not search for a difference yet
    checks.compare(0)
    assert drop_reason(checks, 2, bomb) == "late"
    assert drop_reason(checks, 1, bomb) == "malformed"  # and no second message is read
    for _ in range(1000):
        assert drop_reason(checks, 1, bomb) == "late"
    assert time.process_time() - start < 0.5
    checks.receive(1, trace_message(1, 6, 6))
    assert drop_reason(checks, 1, trace_message(1, 6, 6)) == "late"
    assert drop_reason(checks, 1, trace_message(1, 5, 5)) == "changed"


def test_values_that_only_another_machine_has_do_not_fill_the_disk() -> None:
    checks = checks_with_a_difference()
    compared(checks, {f"forged {number}": ["1", "a"] for number in range(20_000)})
    assert checks.desync is not None
    ((found, values),) = checks.found
    assert len(values.to_json(found)) < 200_000


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


# -- wrong hashes ----------------------------------------------------------------------------------


def test_a_second_hash_that_contradicts_the_first_is_dropped() -> None:
    checks = StateChecks([1, 2], SNAPSHOT, lambda *_: None, player=0)
    for tick in (INTERVAL, 2 * INTERVAL):
        checks.note(tick, 5, SNAPSHOT)
    checks.confirm(2 * INTERVAL)
    checks.receive(1, hash_message(INTERVAL, 5))
    assert drop_reason(checks, 1, hash_message(INTERVAL, 6)) == "changed"
    assert drop_reason(checks, 1, hash_message(INTERVAL, 5)) == "late"
    assert drop_reason(checks, 1, hash_message(INTERVAL + 1, 5)) == "malformed"
    assert drop_reason(checks, 1, b"h" + bytes(15)) == "malformed"
    assert drop_reason(checks, 3, hash_message(INTERVAL, 5)) == "late"
    checks.receive(2, hash_message(INTERVAL, 5))
    assert checks.compare(0) == []
    assert (checks.agreed, checks.desync) == (INTERVAL, None)
    assert drop_reason(checks, 2, hash_message(INTERVAL, 5)) == "late"
    for number in range(2, 10):
        checks.receive(1, hash_message(number * INTERVAL, 5))
    assert drop_reason(checks, 1, hash_message(10 * INTERVAL, 5)) == "far ahead"


@pytest.mark.parametrize(
    ("hashes", "alone"),
    [
        ([5, 6], None),
        ([5, 6, 5], 1),
        ([5, 6, 6], 0),
        ([5, 6, 7], None),
        ([5, 6, 5, 5], 1),
        ([5, 6, 6, 6], 0),
        ([5, 6, 5, 6], None),
        ([5, 6, 7, 5], None),
    ],
)
def test_the_player_whose_hash_differs_from_all_others_is_named(
    hashes: list[int], alone: int | None
) -> None:
    checks = StateChecks([*range(1, len(hashes))], SNAPSHOT, rerun, player=0)
    checks.note(INTERVAL, 5, SNAPSHOT)
    checks.confirm(INTERVAL)
    checks.receive(1, hash_message(INTERVAL, 6))
    checks.compare(0)
    compared(checks, {"game.luck": ["1", "0.25"]})
    # The search waits for the hashes of the other players.
    assert (checks.desync is None) == (len(hashes) > 2)
    for player in range(2, len(hashes)):
        checks.receive(player, hash_message(INTERVAL, hashes[player]))
    checks.compare(0)
    assert checks.desync is not None
    assert (checks.desync.player, checks.desync.path) == (1, "game.luck")
    assert checks.desync.alone == alone
    text = {
        None: "player 1; game",
        1: "agree, only player 1 differs",
        0: "only this machine differs",
    }
    assert text[alone] in str(checks.desync)


def test_a_player_who_sends_wrong_hashes_does_not_end_the_checks() -> None:
    """Player 1 sends a wrong hash and then nothing. Later, the state of player 2 really differs."""
    checks = StateChecks([1, 2], SNAPSHOT, rerun, player=0)
    for number in range(1, 30):
        tick = number * INTERVAL
        now_ns = number * 500_000_000
        checks.note(tick, 5, SNAPSHOT)
        checks.confirm(tick)
        if number == 1:
            checks.receive(1, hash_message(tick, 6))
        checks.receive(2, hash_message(tick, 5))
        checks.compare(now_ns)
        assert checks.agreed == tick
        assert bool(checks.found) == (number > 20)  # ten seconds after the search began
    ((found, _),) = checks.found
    assert (found.tick, found.player, found.alone) == (INTERVAL, 1, 1)
    assert "the other machine has sent no values" in str(found)
    checks.note(30 * INTERVAL, 5, SNAPSHOT)
    checks.confirm(30 * INTERVAL)
    checks.receive(2, hash_message(30 * INTERVAL, 7))
    ((player, message),) = checks.compare(15_000_000_000)
    assert (player, message[:1]) == (2, b"t")


def test_a_false_hash_in_a_match_names_its_sender(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desync, "_MAX_SEARCH", 1_500_000_000)
    with Machines(3, conditions=fw.Conditions(latency=0.02)) as match:
        reports: list[list[fw.Desync]] = [[], [], []]
        for session, own in zip(match.sessions, reports, strict=True):
            session.on_desync = own.append
            session.report_folder = tmp_path
        match.play(40)
        hostile = match.sessions[2]
        confirm = hostile._ticks.states.confirm

        def lie(tick: int) -> list[bytes]:
            messages: list[bytes] = confirm(tick)
            return [message[:9] + bytes(8) for message in messages]

        hostile._ticks.states.confirm = lie
        match.play(200)
        assert [[report.alone for report in own] for own in reports[:2]] == [[2], [2]]
        assert [report.player for own in reports[:2] for report in own] == [2, 2]
        assert not any(session.reason for session in match.sessions)
        assert min(game.tick for game in match.games) > 200
        agreed = [session._ticks.states.agreed for session in match.sessions[:2]]
        assert min(agreed) > 150
        for session in match.sessions:
            session._ticks.states.desync = None
        match.finish()
