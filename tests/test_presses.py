"""Presses by a program: recordings, replays and `Rewind` contain every kind of press."""

from __future__ import annotations

import base64
import random
import zlib
from pathlib import Path
from typing import Any

import pytest

import framework as fw
from framework.input.buttons import new_presses, pending_down
from framework.input.tick_input import STILL


class SumsInput(fw.Game):
    """A game that adds up all input that a tick can read, and all calls of its event methods."""

    rewound = False

    def setup(self) -> None:
        self.seen: list[Any] = []
        self.called = 0
        if self.rewound:
            self.recording.rewind = fw.Rewind(duration=60)

    def update(self, dt: float) -> None:
        for player in self.players:
            keys = player.keys
            mouse = player.mouse
            self.seen += [
                *new_presses(keys),
                keys.text,
                keys["space"],
                keys.releases("a"),
                *new_presses(mouse),
                *mouse.position,
            ]
            self.seen += [
                mouse.dx,
                mouse.dy,
                mouse.scroll_x,
                mouse.scroll_y,
                mouse.inside,
                mouse.releases("left"),
            ]
        for pad in self.pads:
            self.seen += [
                pad.connected,
                *pad.leftstick,
                pad.righttrigger,
                *new_presses(pad),
                pad["a"],
                pad.releases("b"),
            ]
        self.seen = [hash(tuple(self.seen))]

    def _called(self, *event: Any) -> None:
        self.called = hash((self.called, self.tick, *event))


METHODS = (
    "key_press",
    "key_release",
    "text",
    "mouse_press",
    "mouse_drag",
    "mouse_scroll",
    "pad_press",
    "pad_stick",
)
for _name in METHODS:
    setattr(SumsInput, f"on_{_name}", lambda self, *event, _name=_name: self._called(_name, *event))


class PressesItself(SumsInput):
    """A game that presses keys too: in setup, in ticks, and in methods that are called during a
    pause."""

    def setup(self) -> None:
        super().setup()
        self.keys.press("z")
        self.testing.press("x")

    def update(self, dt: float) -> None:
        super().update(dt)
        press_at_random(self, random.Random(self.tick), 1)
        if self.tick % 11 == 0:
            self.timestep.paused = True

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        self._called("key_press", symbol)
        self.timestep.paused = False
        if symbol == fw.key.S:
            self.testing.type("ok")
            self.mouse.move(7, 8, 1, 1)


Press = Any
KEYS = ("space", "a", "s", "return")


def press_at_random(game: Any, chance: random.Random, count: int) -> None:
    """Press or release ``count`` times in random ways."""
    for _ in range(count):
        player = chance.choice(game.players)
        keys = player.keys
        mouse = player.mouse
        pad = game.pads[chance.randrange(2)]
        key = chance.choice(KEYS)
        number = player.number
        x = chance.uniform(0, 60)
        y = chance.uniform(0, 40)
        actions: list[Press] = [
            lambda keys=keys, key=key: keys.press(key),
            lambda keys=keys, key=key: keys.release(key),
            lambda keys=keys, key=key: keys.press(key),
            lambda keys=keys, key=key: keys.release(key),
            lambda keys=keys: keys.write("é"),
            keys.release_all,
            lambda mouse=mouse, x=x, y=y: mouse.move(x, y, x - 30, 20 - y),
            lambda mouse=mouse: mouse.press("left"),
            lambda mouse=mouse: mouse.release("left"),
            lambda mouse=mouse: mouse.scroll(0, 1),
            mouse.enter,
            mouse.leave,
            mouse.release_all,
            lambda pad=pad: pad.connect("Pad", "xbox"),
            lambda pad=pad: pad.disconnect(),
            lambda pad=pad, x=x, y=y: pad.move_stick("leftstick", x / 60, -y / 40),
            lambda pad=pad, x=x: pad.pull_trigger("righttrigger", x / 60),
            lambda pad=pad: pad.press("a"),
            lambda pad=pad: pad.release("b"),
            lambda pad=pad: pad.press("lefttrigger"),
            pad.release_all,
            lambda key=key, number=number: game.testing.press(key, player=number),
            lambda key=key, number=number: game.testing.release(key, player=number),
            lambda number=number: game.testing.press("pad:b", player=number),
            lambda x=x, y=y, number=number: game.testing.click(x, y, player=number),
            lambda number=number: game.testing.type("hi s", player=number),
            lambda x=x, number=number: game.testing.move_stick(
                "leftstick", x / 60, 0, player=number
            ),
            lambda x=x, number=number: game.testing.pull_trigger(
                "righttrigger", x / 60, player=number
            ),
            lambda x=x, y=y: game.testing.feed(
                [("on_mouse_scroll", x, y, 0.0, 2.0), ("on_activate",)]
            ),
            lambda: game.testing.feed([("on_deactivate",)]),
        ]
        chance.choice(actions)()


def play(game: Any, seed: int, ticks: int) -> dict[int, int]:
    """Play at random by ticks and frames, also during pauses. Return the hash after each tick."""
    chance = random.Random(seed)
    robot = fw.RandomPlayer(seed, ("a", "pad:a"), sticks=("leftstick",))
    hashes = {}
    while game.tick < ticks:
        press_at_random(game, chance, chance.randrange(4))
        if chance.random() < 0.3:
            robot(game, game.tick + 1)
        if chance.random() < 0.3:  # as pyglet does
            game._engine.events.on_key_press(chance.choice((fw.key.S, fw.key.SPACE)), 0)
            game._engine.events.on_mouse_motion(chance.uniform(0, 60), 3, 1, 1)
        if game.timestep.paused and chance.random() < 0.3:
            game.testing.press("space")
        game.advance(1 / 60)
        hashes.setdefault(
            game.tick, game.state_hash()
        )  # the first hash of the tick, because methods may be called later
    game.timestep.paused = False
    return hashes


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [SumsInput, PressesItself])
def test_a_recording_contains_every_kind_of_press(
    kind: type[SumsInput], seed: int, tmp_path: Path
) -> None:
    path = tmp_path / "recording"
    with kind(drawing=False, players=2, size=(64, 48)) as game:
        game.recording.start(path, hash_every=1)
        play(game, seed, 80)
    report = fw.Replay(path).verify(kind)
    assert (report.ok, report.compared) == (True, report.ticks), str(report)
    assert report.ticks >= 80


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [SumsInput, PressesItself])
def test_rewind_restores_the_state_of_each_tick(
    kind: type[SumsInput], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind, "rewound", True)
    with kind(drawing=False, players=2, size=(64, 48)) as game:
        hashes = play(game, seed, 80)
        assert game.recording.rewind is not None
        ticks = [*game.recording.rewind.ticks][1:]
        for tick in random.Random(seed).sample(ticks, len(ticks)):
            game.recording.rewind.seek(tick)
            if tick in hashes and tick != ticks[-1]:
                assert game.state_hash() == hashes[tick], tick


@pytest.mark.parametrize("kind", [SumsInput, PressesItself])
def test_the_sync_test_passes(kind: type[SumsInput]) -> None:
    def player(game: Any, tick: int) -> None:
        press_at_random(game, random.Random(tick), 3)

    report = fw.sync_test(kind, 120, player=player, players=2, stride=3)
    assert report.ok, str(report)


@pytest.mark.parametrize("seed", range(3))
def test_a_recording_with_immediate_events_verifies(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "recording"
    with PressesItself(drawing=False, players=2, size=(64, 48), immediate_events=True) as game:
        game.recording.start(path, hash_every=1)
        play(game, seed, 80)
    report = fw.Replay(path).verify(PressesItself)
    assert (report.ok, report.compared) == (True, report.ticks), str(report)


class Echo(fw.Game):
    """A game whose ticks press other keys when `a` is pressed."""

    def setup(self) -> None:
        self.recording.rewind = fw.Rewind(duration=60)
        self.presses: list[tuple[int, int]] = []
        self.clicks = 0

    def update(self, dt: float) -> None:
        if self.keys.just_pressed("a"):
            self.keys.press("b")
            self.testing.press("c")
            self.testing.click(3, 4)
        self.presses += [(self.tick, symbol) for symbol in new_presses(self.keys)]

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self.clicks += 1


def test_a_press_by_a_rule_counts_once_after_a_rewind(
    tmp_path: Path,
) -> None:
    path = tmp_path / "recording"
    with Echo(drawing=False) as game:
        game.recording.start(path, hash_every=1)
        game.keys.press("a")
        game.run_ticks(3)
        expected = [(1, fw.key.A), (2, fw.key.B), (2, fw.key.C)]
        assert (game.presses, game.clicks) == (expected, 1)
        assert game.recording.rewind is not None
        game.recording.rewind.seek(1)
        game.recording.rewind.resume()  # between the press of the rule and its result
        game.run_ticks(5)
        assert (game.presses, game.clicks) == (expected, 1)
    replay = fw.Replay(path)
    assert [tick_input.events for _, tick_input in replay.inputs() if tick_input.events] == [
        (("on_key_press", fw.key.A, 0),)
    ]
    assert replay.verify(Echo).ok


def test_a_snapshot_contains_presses_by_rules_but_not_from_outside() -> None:
    with Echo(drawing=False) as game:
        game.keys.press("a")
        game.run_ticks()
        snapshot = game.snapshot()
        game.run_ticks(2)
        game.keys.press("d")
        for _ in range(2):
            game.restore(snapshot)
            game.run_ticks(2)
            assert game.presses[:3] == [(1, fw.key.A), (2, fw.key.B), (2, fw.key.C)]
        assert game.clicks == 1


def test_a_press_while_a_recording_is_played_is_ignored(tmp_path: Path) -> None:
    class Drawn(SumsInput):
        def draw(self, alpha: float) -> None:
            self.keys.press("space" if self.debug.frames % 2 else "a")
            self.keys.release_all()
            self.testing.type("x")

    path = tmp_path / "recording"
    with Drawn(headless=True, size=(64, 48)) as game:
        game.recording.start(path, hash_every=1)
        for _ in range(10):
            game.advance(1 / 60)
    with fw.Replay(path).playing(Drawn, headless=True) as (game, playback):
        for _ in range(40):
            game.advance(1 / 50)
        assert playback.finished
        assert (playback.diverged, playback.compared) == (None, playback.tick)


def test_the_methods_are_called_once_for_each_press() -> None:
    with SumsInput(drawing=False) as game:
        calls: list[Any] = []
        game._called = lambda *event: calls.append(event)  # type: ignore[method-assign]
        for _ in range(2):
            game.keys.press("a")
            game.mouse.press("left")
        game.mouse.move(5, 6, 5, 6)
        game.keys.release("b")
        game.run_ticks()
        game.keys.press("a")
        game.keys.release("a")
        game.keys.release("a")
        game.run_ticks()
    a = fw.key.A
    assert calls == [
        ("key_press", a, 0),
        ("mouse_press", 0.0, 0.0, 1, 0),
        ("mouse_drag", 5.0, 6.0, 5.0, 6.0, 1, 0),
        ("key_release", a, 0),
    ]


def test_a_widget_that_handled_a_press_receives_the_release() -> None:
    class Menu(fw.Game):
        def setup(self) -> None:
            self.count = 0
            self.ui.column(anchor="center").button("Go", self.go)

        def go(self) -> None:
            self.count += 1

    with Menu(drawing=False, size=(200, 100)) as game:
        for count in (1, 2):
            game.mouse.move(100, 50, 0, 0)
            game.mouse.press("left")
            game.run_ticks()
            game.mouse.release("left")
            game.run_ticks()
            assert game.count == count
            assert not game.mouse["left"]


def test_input_that_cannot_be_recorded_is_refused_at_once() -> None:
    with SumsInput(drawing=False) as game:
        with pytest.raises(
            ValueError, match="symbol: expected a whole number of at least 0, got -3"
        ):
            game.keys.press(-3)
        with pytest.raises(ValueError, match="text: expected at most 65,536 bytes, got 65,538"):
            game.keys.write("é" * 32769)
        with pytest.raises(ValueError, match="symbol: "):
            game.pads[0].press(99)
        with pytest.raises(TypeError, match="name: expected a string"):
            game.pads[0].connect(3, "xbox")  # type: ignore[arg-type]
        assert not game._engine.stage.inbox.events


def test_devices_without_a_game_count_presses_at_once() -> None:
    keys = fw.Keys({"a": 97})
    mouse = fw.Mouse()
    keys.press("a")
    keys.write("A")
    mouse.move(3, 4, 1, 1)
    mouse.press("left")
    keys.begin_tick()
    mouse.begin_tick()
    assert (keys["a"], keys.text, mouse.position, mouse["left"]) == (True, "A", (3, 4), True)
    assert (pending_down(keys), pending_down(mouse)) == ({97}, {1})


def test_a_press_in_the_tick_that_pauses_calls_the_method_during_the_pause(tmp_path: Path) -> None:
    class Paused(SumsInput):
        def update(self, dt: float) -> None:
            super().update(dt)
            if self.tick == 2:
                self.timestep.paused = True
                self.keys.press("space")

        def on_key_press(self, symbol: int, modifiers: int) -> None:
            self._called("key_press", symbol)
            self.timestep.paused = False

    path = tmp_path / "recording"
    with Paused(drawing=False) as game:
        game.recording.start(path, hash_every=1)
        for _ in range(10):
            game.advance(1 / 60)
        assert game.tick > 5
    replay = fw.Replay(path)
    assert [(tick, tick_input.events) for tick, tick_input in replay.inputs()] == [
        (3, (("on_key_press", fw.key.SPACE, 0), STILL))
    ]
    assert replay.verify(Paused).ok


class Rules(fw.Game):
    """A game that presses keys in setup, in ticks, and during a pause."""

    def setup(self) -> None:
        self.presses: list[tuple[int, int]] = []
        self.words = ""
        self.testing.press("x")

    def update(self, dt: float) -> None:
        self.presses += [(self.tick, symbol) for symbol in new_presses(self.keys)]
        if self.keys.just_pressed("a"):
            self.testing.press("b")
            self.testing.type("hi")
        if self.keys.just_pressed("d"):
            self.keys.press("e")
        if self.tick == 9:
            self.timestep.paused = True
            self.testing.press("f")

    def on_text(self, text: str) -> None:
        self.words += text

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        if symbol == fw.key.G:
            self.timestep.paused = False
            self.testing.press("h")


# A recording of `Rules` by an old version, which recorded `Game.press` calls of rules, but not
# calls of device methods.
OLD_RECORDING = (
    "eNotkF9IFFEUxmeEMIktyYhUhPFGPsg67Pzd2UUi/7f5EOgayRbD7MzddXB2Z5md1dkVK9QgfCjYFCRXCZFCSMzAiqDSB1cSegkKgvClhxCEXj"
    "cktzPSw4Fzv/Pd73fu7R9oD4c6eutIYp4kiDE0rCc1FEQWVk1L05Nx5EVxJYFBkuWEoidlOdiXMXAa9LSZsVSYjKGYbrgO09Dg3rGNTmVdx5DC"
    "CiJMNIZlBdYnMSLDCoGAXwrwqqDFOIkTeRZLAY5TGJirmqgEOCaAhagP+/wCyFGs+lUejXuRmbJ1M5kGHhwMHLNlM2OjYOQ2cDB2l/YB0jDNFL"
    "TduoO1sJ7AaRunQLZ1dVi2FNtdU3R9aT0HfUTkvbwECSnwG65BN1GQoX2gGEoWW4BjvGgEmv9slM5E3TAXR4MRolJZe8hMgsDRDEP7QUlmEvD+"
    "IGJpnhZdOnZsdykL43A2hSmWZnia81JXFSvWnsnlKEagfZA1foy1Y6aVALuhJzMO5UiiLMIHkBJBEDegllvM2vz29qJTuL+77tmkqjevHPbunv"
    "t+Zipf9rCXtYpgb5z+Sx10VjbM8dzZ4Z6uhsFf5daSZcbJhY2qNxULEJKHepVrFDpiW7+dApknEmWSLF77oMzsLVU+5Vrq1kpPXrzvmVt8/Xah"
    "T5p06KXS/nR19OdyaMUzP3Lr6OuB83lspu3c7B1UGnjc39q4Y9eO1nfVl6kH3M7E3emN8+Hml2vFLxcOvx1eb9vcH1Xt7plPaxNkMcSFJh+NNk"
    "WOHt70rA7+ufj8UlOxq7OFrtU/LinB2RUp8gztmdR4c9XpqfVO9cQp2PQklL3KFnJb7344hZroPTjPETX/AEU88Mw="
)


def test_an_old_recording_with_presses_of_rules_verifies(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_bytes(zlib.decompress(base64.b64decode(OLD_RECORDING)))
    replay = fw.Replay(path)
    assert next((tick, tick_input.events) for tick, tick_input in replay.inputs()) == (
        1,
        (("on_key_press", fw.key.X, 0),),
    )
    report = replay.verify(Rules)
    assert (report.ok, report.compared, report.scheme) == (True, 0, 1), str(report)
    assert "the states were not compared, because the recording has hashes of scheme 1" in str(
        report
    )
    with replay.playing(Rules, headless=True) as (game, playback):
        for _ in playback.run():
            pass
        assert game.words == "hihi"
        assert (9, fw.key.E) in game.presses
        playback.end()
        game.testing.press("a")  # from here on rules press keys again
        game.run_ticks(2)
        assert game.words == "hihihi"


def test_a_new_recording_does_not_contain_presses_of_rules(tmp_path: Path) -> None:
    path = tmp_path / "new"
    with Rules(drawing=False, size=(64, 48)) as game:
        game.recording.start(path, hash_every=1)
        for frame in range(24):
            if frame in (2, 5):
                game.testing.press("a")
                game.testing.release("a")
            if frame in (7, 14):
                game.testing.press("d" if frame == 7 else "g")
            game.advance(1 / 60)
    replay = fw.Replay(path)
    assert [tick for tick, tick_input in replay.inputs() if tick_input.events] == [3, 6, 8, 10]
    assert replay.verify(Rules).ok
