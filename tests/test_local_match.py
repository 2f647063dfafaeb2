"""Matches on one machine: with bots off screen or in one window, and with more windows as
processes.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import Any

import pytest

import framework as fw
from framework.game.development_run import DevelopmentSession
from framework.net import local_match
from framework.net.online_room import Room
from framework.sim.game_files import game_class_of


class Race(fw.Game):
    def __init__(self, goal: int = 50, **options: Any) -> None:
        super().__init__(**{"players": 2, **options})
        self.goal = goal

    def setup(self) -> None:
        self.x = [0, 0]

    def update(self, dt: float) -> None:
        for index, player in enumerate(self.players[:2]):
            self.x[index] += player.keys["right"]


def keys(game: Any, player: int) -> list[str]:
    return ["right"] if player or game.tick % 2 else []


def other_games(session: Any) -> list[Any]:
    return session._bots._games


def test_off_screen_bots_play_all_players() -> None:
    session = fw.LocalMatch(bot=keys)
    with Race(9, drawing=False, session=session) as game:
        assert session.player == 0
        for _ in range(150):
            game.advance(1 / 60)
        (other_game,) = other_games(session)
        assert other_game.goal == 9  # the other game has the same arguments
        assert game.tick > 100
        assert abs(game.tick - other_game.tick) < 12
        assert min(game.x) > 30
        assert session.stats.ping > 0.05
        assert session.status == ""
        assert session.rollback.playing
        confirmed = session.rollback.confirmed_tick
    assert confirmed > 80
    with pytest.raises(fw.FrameworkError, match="closed"):
        other_game.run_ticks(1)


def test_without_a_bot_random_keys_are_held_and_the_match_is_reproducible() -> None:
    states = []
    for _ in range(2):
        with Race(drawing=False, session=fw.LocalMatch(), players=3) as game:
            for _ in range(70):
                game.advance(1 / 60)
            states.append((game.tick, game.state_hash(), game.session.stats.corrections))
    assert states[0] == states[1]
    assert states[0][0] > 30


def test_one_window_plays_against_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(type(Race(drawing=False).display), "headless", False)
    monkeypatch.setattr(local_match, "_place_window", lambda game, player: None)
    session = fw.LocalMatch(windows=1, bot=keys)
    with Race(drawing=False, session=session) as game:
        for _ in range(150):
            now[0] += 1 / 60
            game.advance(1 / 60)
        assert game.tick > 100
        assert (game.x[0], game.x[1] > 60) == (0, True)  # no bot holds keys of the first player


def test_a_second_window_joins_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []

    def popen(arguments: list[str], env: dict[str, str]) -> Any:
        process = SimpleNamespace(ended=[], arguments=arguments, env=env)
        process.terminate = lambda: process.ended.append("terminated")
        process.wait = lambda seconds: process.ended.append("waited")
        started.append(process)
        return process

    monkeypatch.setattr(subprocess, "Popen", popen)
    monkeypatch.setattr(
        sys, "orig_argv", ["python", "-m", "framework", "run", "duel", "--screenshot", "a.png"]
    )
    monkeypatch.setattr(type(Race(drawing=False).display), "headless", False)
    monkeypatch.setattr(local_match, "_place_window", lambda game, player: None)
    monkeypatch.delenv("SUBTICK_LOCAL_MATCH", raising=False)
    first = Race(drawing=False, session=fw.LocalMatch(input_delay=1))
    (process,) = started
    assert process.arguments == [sys.executable, "-m", "framework", "run", "duel"]
    monkeypatch.setenv("SUBTICK_LOCAL_MATCH", process.env["SUBTICK_LOCAL_MATCH"])
    with Race(drawing=False, session=fw.LocalMatch(input_delay=1)) as second:
        assert len(started) == 1
        assert (first.session.player, second.session.player) == (0, 1)
        end = time.perf_counter() + 20
        while min(first.tick, second.tick) < 30 and time.perf_counter() < end:
            first.advance(1 / 60)
            second.advance(1 / 60)
        assert min(first.tick, second.tick) >= 30  # over UDP, in one process
        first.close()
        assert process.ended == ["terminated", "waited"]


def test_a_window_that_does_not_end_is_left_to_the_system() -> None:
    session = fw.LocalMatch()

    def wait(seconds: float) -> None:
        raise subprocess.TimeoutExpired("game", seconds)

    session._processes.append(SimpleNamespace(terminate=lambda: None, wait=wait))  # type: ignore[arg-type]
    session.close()
    assert session._processes == []


@pytest.mark.parametrize("setting", ["", ":", "x:1,2", "0:1,2", "2:1,2", "1:1,x", "1"])
def test_an_invalid_environment_variable_is_one_error(setting: str) -> None:
    with pytest.raises(ValueError, match=r"^SUBTICK_LOCAL_MATCH: expected a player and ports"):
        local_match._parsed(setting)


def test_ports_are_free_and_options_that_write_files_are_removed() -> None:
    ports = local_match._free_ports(4)
    assert len(set(ports)) == 4
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("", ports[0]))
    arguments = ["run", "--record=a", "x", "--record", "b", "--screenshot", "c", "-f"]
    assert local_match._without_files(arguments) == ["run", "x", "-f"]
    assert "SUBTICK_LOCAL_MATCH" not in os.environ


def test_windows_are_placed_side_by_side_or_overlap() -> None:
    def positions_on(screen_width: int) -> list[tuple[int, int]]:
        positions: list[tuple[int, int]] = []
        window = SimpleNamespace(
            get_size=lambda: (900, 500),
            screen=SimpleNamespace(width=screen_width, height=1000, x=0, y=0),
            set_location=lambda x, y: positions.append((x, y)),
        )
        surface = SimpleNamespace(window=window)
        stage = SimpleNamespace(surface=surface)
        game: Any = SimpleNamespace(
            display=SimpleNamespace(fullscreen=False),
            _engine=SimpleNamespace(driven=SimpleNamespace(stage=stage)),
        )
        for player in range(3):
            local_match._place_window(game, player)
        return positions

    wide = positions_on(2000)
    narrow = positions_on(1000)
    assert wide[0][0] + 900 <= wide[1][0]
    assert wide[1][0] + 900 <= 2000
    assert len(set(wide)) == len(set(narrow)) == 3


def test_invalid_options_are_one_clear_error() -> None:
    with pytest.raises(ValueError, match=r"^windows: expected"):
        fw.LocalMatch(windows=0)
    with pytest.raises(TypeError, match=r"^bot: expected a function"):
        fw.LocalMatch(bot=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^conditions: expected"):
        fw.LocalMatch(conditions=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^max_prediction: expected"):
        fw.LocalMatch(max_prediction=-1)
    with pytest.raises(fw.FrameworkError, match=r"^Rollback: expected a game of 2 to 4 players"):
        Race(drawing=False, players=1, session=fw.LocalMatch())


def test_the_duel_example_agrees_on_all_machines_with_any_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    duel, options = game_class_of(str(fw.resources.folder("examples") / "23_duel.py"))
    assert "session" not in options
    names = duel.setup.__globals__
    monkeypatch.setitem(names, "COUNTDOWN", 0.05)
    conditions = fw.Conditions(latency=0.08, jitter=0.03, loss=0.1, seed=3)
    match = fw.play_match(duel, 45, conditions=conditions, **options)
    match.check()
    assert sum(stats.corrections for stats in match.stats) > 0
    with duel(drawing=False, session=fw.LocalMatch(bot=names["bot"]), **options) as game:
        for _ in range(60):
            game.advance(1 / 60)
        assert len(game.shots) > 0


def test_arguments_of_the_duel_example_select_the_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    duel, _ = game_class_of(str(fw.resources.folder("examples") / "23_duel.py"))
    names = duel.setup.__globals__

    def session(*arguments: str) -> Any:
        monkeypatch.setattr(sys, "argv", ["duel", *arguments])
        return names["session"]()

    assert isinstance(session(), fw.LocalMatch)
    assert session("bot")._windows == 1
    assert session("host", "7000").player == 0
    assert session("join", "127.0.0.1:7000").player == 1

    relay = fw.MemoryRelay()
    ben = fw.Room(relay, game="duel", name="Ben")

    def run(game_class: Any, **options: Any) -> None:
        with game_class(drawing=False) as game:
            game.run_ticks(1)
            lobby = game.scene
            lobby._create()
            for _ in range(60):
                if game._engine.stage.exiting:
                    break
                relay.advance(1 / 60)
                game.run_ticks(1)
                if not ben.me and lobby.room.code:
                    ben.join(lobby.room.code)
                ben.poll()
                if ben.me and not any(member.ready for member in ben.members):
                    ben.set_ready()
                    lobby.room.set_ready()
                lobby._start()

    monkeypatch.setattr(fw, "run", run)
    monkeypatch.setattr(fw, "Room", lambda address, **options: Room(relay, **options))
    joined = session("lobby", "ws://relay:7000")
    assert isinstance(joined, fw.Rollback)
    assert joined.player == 0

    def go_back(game_class: Any, **options: Any) -> None:
        with game_class(drawing=False) as game:
            game.run_ticks(1)
            assert not game._engine.stage.exiting
            game.pop()
            game.run_ticks(1)
            assert game._engine.stage.exiting

    monkeypatch.setattr(fw, "run", go_back)
    with pytest.raises(SystemExit):
        session("lobby", "ws://relay:7000")


def test_a_reload_of_code_prints_its_effect_on_the_match(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Race(drawing=False, session=fw.LocalMatch()) as game:
        session = DevelopmentSession("replay")
        developing = session.attach(game)
        stderr = capsys.readouterr().err
        assert "--reload=replay: the ticks of a game with a session cannot run" in stderr
        for _ in range(20):
            game.advance(1 / 60)
        frame: Any = SimpleNamespace(start=0)
        for expected in (1, 0):  # only the first reload prints the note
            reloading: Any = SimpleNamespace(poll=lambda now: True, errors={}, code_changed=True)
            developing._reloading = session.reloading = reloading
            developing.frame(frame)
            stderr = capsys.readouterr().err
            assert stderr.count("differences are no longer reported") == expected
        assert not session.again
        sessions = [game.session.rollback, *[bot.session for bot in game.session._bots._games]]
        for _ in range(100):
            game.advance(1 / 60)
        assert game.tick > 70
        assert not any(each.desync for each in sessions)
        assert all(each._ticks.states.agreed == 0 for each in sessions)
