"""`fw.Rollback` and `fw.play_match`: machines that predict input stay equal to lockstep."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.errors import FrameworkError
from framework.game.driven_game import driven
from framework.game.session import session_numbers
from framework.input import tick_input
from framework.net import desync_reports
from framework.net.dropped_message import DroppedMessage
from framework.net.match_input import (
    MAX_TICKS,
    LocalEvents,
    PlayerInput,
    canonical,
    held_at_start,
    read_ticks,
)
from framework.net.pacing import InputDelay, TimeDifference, pace_for
from framework.net.saved_ticks import SavedTicks

DOT = np.full((4, 4, 4), 255, np.uint8)
TICK = 1 / 60


class Ships(fw.Game):
    """Ships that shoot: added and removed rows, effects, random numbers and a schedule."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"size": (320, 180), "players": 2} | options)

    def setup(self) -> None:
        self.ships = self.add(fw.SpriteBatch(DOT, len(self.players), columns=("velocity",)))
        self.ships.position[:, 0] = np.arange(len(self.players)) * 60 + 60
        self.shots = self.add(fw.SpriteBatch(DOT, columns={"owner": "i2"}))
        self.heat = [0] * len(self.players)
        self.score = [0] * len(self.players)
        self.schedule.interval(self.blow, 0.7)

    def blow(self, dt: float) -> None:
        self.ships.velocity[int(self.random.integers(len(self.players)))] += (0, 5)

    def update(self, dt: float) -> None:
        ships = self.ships
        shots = self.shots
        for player in self.players:
            row = player.number
            keys = player.keys
            ships.velocity[row] += (keys.axis("left", "right") * 9, keys.axis("down", "up") * 9)
            self.heat[row] = max(0, self.heat[row] - 1)
            if keys["space"] and not self.heat[row]:
                self.heat[row] = 9
                shots.add(position=tuple(ships.position[row]), owner=row)
                self.emit("shot", row)
        ships.position += ships.velocity * np.float32(dt)
        ships.position %= np.float32((320, 180))
        if len(shots):
            shots.position[:, 0] += 3
            gone = shots.position[:, 0] > 320
            for row in shots.owner[gone].tolist():
                self.score[row] += 1
                self.emit("score", row, self.score[row], when="confirmed")
            shots.remove(gone)


class Menu(fw.Game):
    """Scenes, tweens and a routine that the keys of the players change."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"size": (320, 180), "players": 3} | options)

    def setup(self) -> None:
        self.box = self.sprites.add(DOT, position=(9.0, 9.0))
        self.count = 0
        self.start(self.walk())

    async def walk(self) -> None:
        while True:
            await self.ticks(7)
            self.count += 1
            self.emit("step", self.count)

    def update(self, dt: float) -> None:
        for player in self.players:
            if player.keys.just_pressed("space"):
                self.tween(self.box, x=20.0 * player.number + self.count, duration=0.3)
            if player.keys.just_pressed("up") and self.scene is self:
                self.push(Pause(player.number))


class Pause(fw.Scene):
    pauses_below = True

    def __init__(self, player: int) -> None:
        super().__init__()
        self.left = 10 + player

    def update(self, dt: float) -> None:
        self.left -= 1
        if not self.left:
            self.game.count += 100
            self.game.pop()


class Points(fw.Game):
    """Text, mouse clicks and dictionaries."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"players": 4, "size": (320, 180)} | options)

    def setup(self) -> None:
        self.words = {player.number: "" for player in self.players}
        self.marks: list[tuple[float, float]] = []
        self.label = self.labels.add("", (9, 9))

    def update(self, dt: float) -> None:
        for player in self.players:
            self.words[player.number] += player.keys.text
            for key in ("left", "right", "up"):
                if player.keys.just_pressed(key):
                    self.words[player.number] += key[0]
            if player.mouse.just_pressed("left"):
                self.marks.append(player.mouse.position)
        self.label.text = " ".join(self.words.values())[-30:]


SLOW = fw.Conditions(latency=0.1, jitter=0.025, loss=0.15, duplicate=0.1, seed=3)
ROUGH = fw.Conditions(latency=0.2, jitter=0.05, loss=0.3, burst=(0.004, 30), seed=4)
NEAR = fw.Conditions(latency=(0.01, 0.04), jitter=0.01, loss=0.02, reorder=0.05, seed=5)
STOPS = fw.Conditions(latency=0.03, stop=(0.7, 2), clock=1.001, seed=6)


@pytest.mark.parametrize(
    ("game", "delay", "conditions", "ticks"),
    [
        (Ships, 0, SLOW, 100),
        (Ships, 1, ROUGH, 60),
        (Ships, 2, STOPS, 100),
        (Ships, "auto", NEAR, 100),
        (Menu, 0, NEAR, 60),
        (Menu, 2, SLOW, 60),
        (Points, 1, SLOW, 40),
    ],
)
def test_a_match_equals_lockstep(
    game: type[fw.Game], delay: Any, conditions: fw.Conditions, ticks: int
) -> None:
    match = fw.play_match(game, ticks, conditions=conditions, input_delay=delay, seed=ticks)
    match.check()
    assert sum(stats.corrections for stats in match.stats) > 3
    others = len(match.stats) - 1
    assert all(stats.sent < 40 * others for stats in match.stats)  # in kbit/s, with a handshake
    assert set(match.hashes) == {match.expected}
    assert not any(match.desyncs)


@pytest.mark.parametrize(
    ("conditions", "delay"),
    [
        (fw.Conditions(latency=0.1, jitter=0.025, loss=0.15, duplicate=0.1, seed=11), 0),
        (fw.Conditions(latency=0.2, jitter=0.05, loss=0.3, duplicate=0.2, seed=11), 2),
    ],
)
def test_a_player_sends_at_most_30_kbit_a_second(conditions: fw.Conditions, delay: int) -> None:
    match = fw.play_match(Ships, 130, conditions=conditions, input_delay=delay, seed=5)
    match.check()
    assert all(20 < stats.sent < 30 for stats in match.stats)


def test_input_after_a_lost_packet_is_kept_until_the_lost_ticks_arrive() -> None:
    press = (("on_key_press", 97, 0),)
    with Pair() as pair:
        pair.frames(20)
        session = pair.sessions[0]
        remote = session._remotes[1]
        known = remote.input.known
        assert session._exchange.add_ticks(remote, known + 3, [press, ()])
        assert remote.input.known == known
        with pytest.raises(DroppedMessage, match="changed"):
            session._exchange.add_ticks(remote, known + 2, [(), ()])  # tick 3 has other events now
        assert session._exchange.add_ticks(remote, known + 1, [(), ()])
        assert remote.input.known == known + 4
        assert remote.input.at(known + 3) == press
        assert remote.early == {}


def test_without_a_network_nothing_is_corrected() -> None:
    match = fw.play_match(Ships, 60, input_delay=2)
    match.check()
    assert [stats.corrections for stats in match.stats] == [0, 0]
    assert match.frames < 70


def test_hands_return_a_sequence_of_names() -> None:
    with pytest.raises(TypeError, match=r"hands: expected .*, got 'right'; return \['right'\]"):
        fw.play_match(Ships, 5, hands=lambda player, frame: "right")


def test_lockstep_predicts_nothing() -> None:
    match = fw.play_match(Ships, 30, conditions=NEAR, input_delay=3, max_prediction=0)
    match.check()
    assert [stats.corrections for stats in match.stats] == [0, 0]


class DiffersAt40(Ships):
    """A game whose machines differ from tick 40 on."""

    count = 0

    def setup(self) -> None:
        super().setup()
        DiffersAt40.count += 1
        self.__dict__["_which"] = DiffersAt40.count

    not_state = ("_which",)

    def update(self, dt: float) -> None:
        super().update(dt)
        if self.tick == 40 and self._which % 2:
            self.ships.position[1, 0] += 1


def test_a_difference_is_located() -> None:
    DiffersAt40.count = 0
    match = fw.play_match(DiffersAt40, 90, conditions=NEAR)
    for player, desync in enumerate(match.desyncs):
        assert desync is not None
        assert (desync.tick, desync.player) == (40, 1 - player)
        assert desync.path.endswith("[1, 0]")
        assert "position" in desync.path
        assert abs(float(desync.local) - float(desync.remote)) == pytest.approx(1)
    with pytest.raises(AssertionError, match=r"player 0: after tick 40 .* here, .* there"):
        match.check()


class ChangesStateInEffect(Ships):
    """A game with a mistake: the function for an effect changes the state."""

    def setup(self) -> None:
        super().setup()
        self.heard: list[int] = []
        self.subscribe("shot", self.heard.append)

    def update(self, dt: float) -> None:
        super().update(dt)
        for index, player in enumerate(self.players):
            if player.keys.presses("space"):
                self.emit("shot", index)


def test_state_changed_only_by_the_first_run_of_a_tick_is_located() -> None:
    match = fw.play_match(ChangesStateInEffect, 150, conditions=SLOW, input_delay=0, seed=3)
    with pytest.raises(AssertionError, match=r"player 0: after tick \d+ .* game\.heard"):
        match.check()


def test_a_difference_is_reported_once_with_replay_and_values(
    tmp_path: Path,
) -> None:
    DiffersAt40.count = 0
    desyncs: list[fw.Desync] = []
    with Pair(DiffersAt40) as pair:
        pair.sessions[0].on_desync = desyncs.append
        for session in pair.sessions:
            session.report_folder = tmp_path
        pair.games[1].testing.press("right")
        with pytest.warns(
            RuntimeWarning, match="Rollback: after tick 40 the game differs"
        ) as warned:
            pair.frames(160)
        assert len(warned) == 1
        assert desyncs == [pair.sessions[0].desync]
        reports = [session.desync.report for session in pair.sessions if session.desync]
        hashes = [game.state_hash() for game in pair.games]
    assert f"here: {reports[1]}" in str(warned[0].message)
    assert len({*reports}) == 2
    for player, report in enumerate(reports):
        replay = fw.Replay(Path(report) / "match.replay")
        assert 60 <= replay.ticks <= 160
        assert [event for _, tick in replay.inputs() for event in tick.events] == [
            ("player", 1),
            ("on_key_press", fw.key.RIGHT, 0),
        ]
        DiffersAt40.count = player
        assert replay.verify(DiffersAt40).ticks == replay.ticks
        values = json.loads((Path(report) / "values.json").read_text("utf-8"))
        assert (values["tick"], values["player"]) == (40, 1 - player)
        different = {path for path, row in values["values"].items() if not row["equal"]}
        assert len(different) == 1
        assert "position" in different.pop()
    assert hashes[0] != hashes[1]


def test_a_report_that_cannot_be_written_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warned: list[tuple[str, type[Warning]]] = []

    def warn(text: str, category: type[Warning], stacklevel: int) -> None:
        warned.append((text, category))

    # Python's filters of warnings belong to the whole process: a thread that another test has left
    # may change them during this test.
    monkeypatch.setattr(desync_reports, "warnings", SimpleNamespace(warn=warn))
    DiffersAt40.count = 0
    (tmp_path / "file").write_text("")
    with Pair(DiffersAt40) as pair:
        desyncs: list[fw.Desync] = []
        for session in pair.sessions:
            session.on_desync = desyncs.append
            session.report_folder = tmp_path / "file"
        pair.frames(160)
        assert [desync.report for desync in desyncs] == ["", ""]
    start = "Rollback: the report of a difference cannot be written: "
    assert [text.startswith(start) for text, _ in warned] == [True, True]
    assert {category for _, category in warned} == {RuntimeWarning}


# -- two machines ----------------------------------------------------------------------------------


class Pair:
    """Two machines of a match on one network."""

    def __init__(self, game: type[fw.Game] = Ships, **options: Any) -> None:
        self.network = fw.MemoryNetwork(options.pop("conditions", None))
        self.links = [self.network.link(name) for name in ("first", "second")]
        self.sessions = [
            fw.Rollback(0, link=self.links[0], **options),
            fw.Rollback(1, peers=["first"], link=self.links[1], **options),
        ]
        self.games = [game(drawing=False, session=session) for session in self.sessions]

    def __enter__(self) -> Pair:
        return self

    def __exit__(self, *error: object) -> None:
        for game in self.games:
            game.close()

    def frames(self, count: int, sides: tuple[int, ...] = (0, 1)) -> None:
        for _ in range(count):
            self.network.advance(TICK)
            for side in sides:
                self.games[side].advance(TICK)


def test_a_match_is_a_recording(tmp_path: Path) -> None:
    with Pair(conditions=SLOW, input_delay=1) as pair:
        for side, game in enumerate(pair.games):
            game.recording.start(tmp_path / f"{side}.replay", hash_every=20)
        for frame in range(120):
            for game in pair.games:
                if frame % 11 == 4:
                    game.testing.press("right")
                    game.testing.press("space")
                elif frame % 11 == 8:
                    game.testing.release("space")
                    game.testing.release("right")
            pair.frames(1)
        confirmed = [session.confirmed_tick for session in pair.sessions]
        assert pair.sessions[0].stats.corrections
    for side in range(2):
        replay = fw.Replay(tmp_path / f"{side}.replay")
        assert replay.ticks == confirmed[side]
        assert len([*replay.hashes()]) == confirmed[side] // 20
        assert replay.verify(Ships).ok
        assert {
            event[1] for _, tick in replay.inputs() for event in tick.events if event[0] == "player"
        } == {1}


def test_a_player_who_leaves_releases_the_keys() -> None:
    with Pair() as pair:
        pair.frames(30)
        pair.games[1].testing.press("right")
        pair.frames(20)
        assert pair.games[0].players[1].keys["right"]
        pair.games[1].close()
        pair.frames(30, (0,))
        assert not pair.games[0].players[1].keys["right"]
        assert pair.sessions[0].waiting_for == (1,)
        before = pair.games[0].tick
        pair.frames(20, (0,))
        assert pair.games[0].tick == before + 20  # the other player plays on


def test_the_remaining_players_agree_on_the_input_of_a_player_who_has_left() -> None:
    network = fw.MemoryNetwork(SLOW)
    links = [network.link(str(index)) for index in range(4)]
    peers = [link.name for link in links]
    sessions = [
        fw.Rollback(index, peers=peers[:index], link=link, input_delay=0)
        for index, link in enumerate(links)
    ]
    games = [Ships(drawing=False, players=4, session=session) for session in sessions]

    def play(frames: int, sides: list[int]) -> None:
        for frame in range(frames):
            network.advance(TICK)
            for side in sides:
                keys = (fw.key.RIGHT, fw.key.SPACE)
                event = "on_key_press" if frame % 5 == side else "on_key_release"
                if frame % 5 in (side, (side + 2) % 5):
                    games[side].testing.feed([(event, key, 0) for key in keys])
                games[side].advance(TICK)

    play(80, [0, 1, 2, 3])  # the match begins when all four machines are connected
    # players 1 and 3 receive more than player 2
    network.set_conditions(fw.Conditions(loss=1), "0", "2")
    play(4, [0, 1, 2, 3])
    games[0].close()
    play(40, [1, 2, 3])
    games[1].close()  # the first of the remaining players leaves too
    play(80, [2, 3])
    assert [session.waiting_for for session in sessions[2:]] == [(0, 1), (0, 1)]
    assert not any(session.reason for session in sessions[2:])
    assert min(game.tick for game in games[2:]) > 45
    last = max(game.tick for game in games[2:])
    for session in sessions[2:]:
        session.last_tick = last
    play(60, [2, 3])
    assert [session.confirmed_tick for session in sessions[2:]] == [last, last]
    assert games[2].state_hash() == games[3].state_hash()
    assert not games[2].players[0].keys.down
    for game in games[2:]:
        game.close()


def test_early_and_late_spectators_play_the_same_match() -> None:
    conditions = replace(SLOW, seed=7)  # with seed 3, all farewell packets of a spectator are lost
    with Pair(conditions=conditions, spectators=1) as pair:
        links = [pair.network.link(name) for name in ("early", "late")]
        sessions = [fw.Spectator("first", link=link) for link in links]
        early = Ships(drawing=False, session=sessions[0])
        for frame in range(70):
            for game in pair.games:
                game.testing.press("right" if frame % 9 else "space")
                game.testing.release("space" if frame % 9 else "right")
            pair.frames(1)
            early.advance(TICK)
        late = Ships(drawing=False, session=sessions[1])
        for _ in range(60):
            pair.frames(1)
            early.advance(TICK)
            late.advance(TICK)
        assert sessions[1].status == "The match has ended: all 1 places for spectators are taken"
        early.close()
        pair.frames(30)
        late.close()
        link = pair.network.link("later")
        with Ships(drawing=False, session=fw.Spectator("first", link=link)) as late:
            for game in pair.games:
                game.session.last_tick = 150
            for _ in range(110):
                pair.frames(1)
                late.advance(TICK)
            assert (late.tick, pair.games[0].tick) == (150, 150)
            assert late.state_hash() == pair.games[0].state_hash()
            assert not late.session.dropped


def test_a_game_waits_for_the_other_players() -> None:
    with Pair() as pair:
        pair.frames(30, (0,))
        assert pair.games[0].tick == 0
        assert (pair.sessions[0].playing, pair.sessions[0].waiting_for) == (False, (1,))
        driven(pair.games[0]).events._receive("on_close")
        pair.frames(20)
        assert pair.games[0].tick > 5


def test_two_different_games_do_not_play() -> None:
    network = fw.MemoryNetwork()
    first = network.link("first")
    second = network.link("second")
    sessions = fw.Rollback(0, link=first), fw.Rollback(1, peers=["first"], link=second)
    with (
        Ships(drawing=False, session=sessions[0]) as first_game,
        Ships(drawing=False, seed=5, session=sessions[1]) as second_game,
    ):
        for _ in range(30):
            network.advance(TICK)
            first_game.advance(TICK)
            second_game.advance(TICK)
        assert (first_game.tick, second_game.tick) == (0, 0)
        assert "seed" in sessions[1].reason


def test_a_pause_in_a_tick_is_ignored_with_a_warning() -> None:
    class Pauses(Ships):
        def on_key_press(self, symbol: int, modifiers: int) -> None:
            self.timestep.paused = not self.timestep.paused
            self.score[0] += self.timestep.paused

    with pytest.warns(
        RuntimeWarning, match=r"tick \d+ set timestep\.paused, which a match ignores"
    ):
        fw.play_match(Pauses, 40, conditions=NEAR, input_delay=0).check()


def test_a_paused_machine_makes_the_others_wait() -> None:
    with Pair() as pair:
        pair.frames(30)
        pair.games[0].timestep.paused = True
        pair.frames(60)
        before = [game.tick for game in pair.games]
        assert before[1] - before[0] < 12
        pair.games[0].timestep.paused = False
        pair.frames(20)
        assert pair.games[0].tick > before[0] + 10


def test_exit_in_a_predicted_tick_waits_until_the_input_is_known() -> None:
    class Ends(Ships):
        def update(self, dt: float) -> None:
            super().update(dt)
            if self.tick > 20 and not self.players[1].keys["right"]:
                self.exit()

    with Pair(Ends, conditions=fw.Conditions(latency=0.05), input_delay=0) as pair:
        pair.games[1].testing.press("right")
        pair.frames(60)
        assert [driven(game).stage.exiting for game in pair.games] == [False, False]
        pair.games[1].testing.release("right")
        pair.frames(30)
        assert [driven(game).stage.exiting for game in pair.games] == [True, True]


def test_invalid_messages_change_nothing() -> None:
    with Pair() as pair, Pair() as control:
        for tested_pair in (pair, control):
            tested_pair.frames(20)
        connection = pair.sessions[1]._remotes[0].connection
        assert connection is not None
        own_input = pair.sessions[1]._ticks.own
        chance = np.random.default_rng(1)
        good = struct.pack("<BBBb", 0, (own_input.known + 1) & 255, 8, 0) + own_input.packed(1)
        for number in range(500):
            data = bytearray(good if number % 2 else chance.bytes(int(chance.integers(1, 60))))
            if number % 2:
                data[int(chance.integers(len(data)))] = int(chance.integers(256))
            pair.sessions[0]._handle(pair.sessions[0]._remotes[1], "unreliable", bytes(data))
        remote = pair.sessions[0]._remotes[1]
        known = remote.input.known
        assert known <= pair.games[0].tick + 2 * MAX_TICKS + 1
        assert len(remote.input._events) < 1000
        assert pair.sessions[0].dropped["malformed"]
        for reason, first, events in (
            ("changed", known, (("on_key_press", 97, 0),)),
            ("far ahead", pair.games[0].tick + 300, ()),
            ("another player", known + 1, (("on_pad_press", 0, "a"),)),
        ):
            with pytest.raises(DroppedMessage, match=reason):
                pair.sessions[0]._exchange.add_ticks(remote, first, [events])


def test_a_position_that_would_be_infinite_does_not_end_the_match(tmp_path: Path) -> None:
    data = bytearray([1, tick_input._SCALE])
    data += struct.pack("<5d", 1.0, 1e308, 0.0, 2e-6, 1.0)
    motion = tick_input._FORMS["on_mouse_motion"][0] | tick_input._AS_MOVED
    data += bytes([motion, 2, 2, tick_input._END])
    with Pair() as pair:
        pair.games[0].recording.start(str(tmp_path / "match.replay"))
        pair.frames(20)
        session = pair.sessions[0]
        remote = session._remotes[1]
        known = remote.input.known + 1
        head = struct.pack("<BBBb", 0, known & 255, 255, 0)
        session._handle(remote, "unreliable", head + bytes([1]) + data)
        assert session.dropped == {"malformed": 1}
        pair.frames(20)
        assert session.confirmed_tick > 30


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"player": 4}, "player: expected"),
        ({"player": 1}, r"peers: expected the addresses of the 1 player\(s\) before"),
        ({"input_delay": -1}, "input_delay: expected"),
        ({"input_delay": "fast"}, "input_delay: expected"),
        ({"max_prediction": 31}, "max_prediction: expected"),
        ({"max_prediction": 0}, "max_prediction: expected at least 1"),
        ({"port": 70000}, "port: expected"),
        ({"link": 3}, "link: expected"),
    ],
)
def test_wrong_options_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        fw.Rollback(**options)


def test_games_that_cannot_play_a_match_are_refused() -> None:
    link = fw.MemoryNetwork().link("first")
    with pytest.raises(FrameworkError, match=r"Rollback: expected a game of 2 to 4 players, got 1"):
        Ships(drawing=False, players=1, session=fw.Rollback(0, link=link))
    session = fw.Rollback(0, link=link)
    with (
        Ships(drawing=False, session=session),
        pytest.raises(FrameworkError, match="belongs to another game"),
    ):
        Ships(drawing=False, session=session)

    class Reads(Ships):
        def setup(self) -> None:
            super().setup()
            self.file = (number for number in range(3))

    with pytest.raises(
        FrameworkError, match=r"Rollback: the state of Reads cannot be restored: .*file"
    ):
        Reads(drawing=False, session=fw.Rollback(0, link=fw.MemoryNetwork().link("a")))


# -- parts -----------------------------------------------------------------------------------------


def test_local_events_become_events_of_the_player() -> None:
    local = LocalEvents(1)
    local.add(
        fw.TickInput(
            (
                ("on_resize", 9.0, 9.0),
                ("on_key_press", 97, 0),
                ("on_mouse_motion", 1.01, 2.0, 1.01, 2.0),
                ("on_mouse_motion", 2.02, 2.0, 1.01, 0.0),
                ("on_pad_press", 0, "a"),
                ("on_pad_press", 1, "a"),
                ("player", 1),
                ("on_key_press", 98, 0),
            )
        )
    )
    assert local.take() == (
        ("on_key_press", 97, 0),
        ("on_mouse_motion", 2.0, 2.0, 2.0, 2.0),
        ("on_pad_press", 1, "a"),
    )
    local.add(fw.TickInput((("on_deactivate",),)))
    assert set(local.take()) == {("on_key_release", 97, 0), ("on_pad_release", 1, "a")}


def test_keys_that_are_pressed_and_released_before_the_match_do_not_count() -> None:
    waited = fw.TickInput(
        (
            ("on_pad_connect", 0, "Pad", "xbox"),
            ("on_key_press", 97, 0),
            ("on_key_release", 97, 0),
            ("on_text", "a"),
            ("on_key_press", 98, 0),
        )
    )
    assert held_at_start(waited).events == (
        ("on_pad_connect", 0, "Pad", "xbox"),
        ("on_key_press", 98, 0),
    )


def test_a_replay_of_a_game_starts_no_session(tmp_path: Path) -> None:
    class Own(Ships):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options, session=fw.Rollback(0, link=fw.MemoryNetwork().link("a")))

    with Pair() as pair:
        pair.games[0].recording.start(tmp_path / "a.replay")
        pair.frames(80)
    with Own(drawing=False) as game:
        assert game.session is not None
    Own.__qualname__ = "Ships"
    assert fw.Replay(tmp_path / "a.replay").verify(Own).ok


def test_too_much_input_waits_for_later_ticks() -> None:
    local = LocalEvents(0)
    text = "x" * 3000 + "ü" * 500
    local.add(fw.TickInput((("on_text", text),)))
    typed = ""
    for _ in range(40):
        events = local.take()
        assert len(fw.TickInput(events).encode()) < 600
        typed += "".join(event[1] for event in events)
    assert typed == text


def test_the_ticks_of_a_datagram_are_read_again() -> None:
    own_input = PlayerInput()
    chance = np.random.default_rng(2)
    for tick in range(1, 300):
        events = [("on_key_press", int(chance.integers(97, 120)), 0)] * int(chance.integers(0, 3))
        if chance.random() < 0.1:
            events.append(("on_mouse_motion", 3.5, float(tick), 0.0, 1.0))
        own_input.add(tick, canonical(events))
    for first in (1, 7, 250, 299, 300):
        ticks = read_ticks(own_input.packed(first))
        assert ticks is not None
        assert len(ticks) == min(MAX_TICKS, 300 - first)
        assert ticks == [own_input.at(first + index) for index in range(len(ticks))]
    assert read_ticks(b"") is None
    assert read_ticks(bytes([128 | 3, 7])) is None
    assert read_ticks(bytes([3, 7])) is None
    for event in (
        ("on_mouse_motion", 1e300, 0.0, 1.0, 1.0),
        ("on_mouse_scroll", 0.0, 0.0, 0.0, -1e13),
    ):
        other = PlayerInput()
        other.add(1, (event,))
        assert read_ticks(other.packed(1)) is None
    own_input.forget(290)
    assert not own_input.at(20)
    assert not own_input.differs(20, (("on_key_press", 1, 0),))


def test_the_pace_synchronizes_two_machines() -> None:
    times = [0.0, 7.0]
    differences = [TimeDifference(), TimeDifference()]
    for _ in range(400):
        for machine in (0, 1):
            other_machine = 1 - machine
            theirs = differences[other_machine].estimate or 0.0
            # half of the ping is 4 ticks, and packets wait 2 ticks for a frame
            arrived = times[other_machine] - 6
            differences[machine].note(times[machine], arrived, 4, theirs)
        for machine in (0, 1):
            times[machine] += pace_for(differences[machine].ahead)
    assert abs(times[0] - times[1]) < 0.5
    assert pace_for(50) == 0.9
    assert pace_for(-50) == 1.1


def test_the_delay_follows_the_ping_slowly() -> None:
    delay = InputDelay("auto")
    for _ in range(59):
        delay.note_tick(6.0)
    assert delay.ticks == 2
    for _ in range(2):
        delay.note_tick(6.0)
    assert delay.ticks == 3
    for _ in range(100):
        delay.note_tick(30.0)
    assert delay.ticks == 4
    fixed = InputDelay(1)
    for _ in range(100):
        fixed.note_tick(30.0)
    assert fixed.ticks == 1


def test_snapshots_are_rarer_if_they_take_long() -> None:
    class Cheap:
        def snapshot(self) -> object:
            return object()

    saved = SavedTicks(8)
    for tick in range(30):
        saved.save_if_due(Cheap(), tick, False)
        saved.note_tick()
    assert saved.before(17)[0] < 17
    saved._save_time = 10.0
    saved._tick_time = 1.0
    saved.note_tick()
    assert saved.distance == 8
    saved._save_time = 0.001
    saved._tick_time = 1.0
    saved._rate = 0.5
    saved.note_tick()
    assert saved.distance == 1
    saved.confirm(16)
    assert saved.before(100)[0] == saved.before(17)[0]


def test_the_overlay_shows_the_numbers_of_the_session() -> None:
    class DrawnShips(Ships):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options | {"drawing": True, "headless": True})

    with Pair(DrawnShips) as pair:
        game = pair.games[0]
        pair.frames(20)
        game.debug.overlay = True
        pair.frames(1)
        overlay = driven(game).painter.panels.overlay
        assert overlay is not None
        assert overlay._names[-7:] == [*session_numbers(game.session)]
        assert overlay._said["ping"] == session_numbers(game.session)["ping"] == "17 ms"
        assert session_numbers(None) == {}
