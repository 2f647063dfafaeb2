"""Tweens of audio settings: exact in ticks that run again, and not part of the hash."""

from __future__ import annotations

from collections.abc import Callable

import framework as fw

FADE = 5  # the tick that begins the fade
LATER = 20  # a tick in the middle of the fade


class Fading(fw.Game):
    """A game that fades its music to a fifth."""

    def update(self, dt: float) -> None:
        if self.tick == FADE:
            self.tween(self.audio.buses["music"], volume=0.2, duration=0.5)


class Humming(fw.Game):
    """A game with a voice, the pitch of which rises after the voice has begun."""

    def update(self, dt: float) -> None:
        if self.tick == 2:
            self.voice = fw.Sound.tone(220, 2.0).play(loop=True)
        if self.tick == FADE:
            self.tween(self.voice, pitch=2.0, duration=0.5)


class Quieter(fw.Game):
    """A game that lowers the volume of all sounds."""

    def update(self, dt: float) -> None:
        if self.tick == FADE:
            self.tween(self.audio, volume=0.0, duration=0.5)


class Rising(fw.Game):
    """A game that changes two settings of a voice in one tick."""

    def update(self, dt: float) -> None:
        if self.tick == 2:
            self.voice = fw.Sound.tone(220, 2.0).play(loop=True, volume=0.25)
        if self.tick == FADE:
            self.tween(self.voice, pitch=2.0, duration=0.5)
            self.tween(self.voice, volume=0.75, duration=0.5)


def music_volume(game: fw.Game) -> float:
    return float(game.audio.buses["music"].volume)


def ticks_again(game: fw.Game, read: Callable[[], float]) -> None:
    """Run the fade, go back to the tick before it, and run it again: compare each tick."""
    game.run_ticks(FADE - 1)
    before = game.snapshot()
    runs = []
    for _ in range(3):
        values = []
        for _ in range(LATER):
            game.run_ticks(1)
            values.append((game.state_hash(), read()))
        runs.append(values)
        game.restore(before)
    assert runs[0][0][1] != runs[0][-1][1]
    assert runs[0] == runs[1] == runs[2]


def test_a_fade_that_runs_again_begins_at_its_first_volume() -> None:
    with Fading(headless=True) as game:
        ticks_again(game, lambda: music_volume(game))


def test_the_pitch_of_a_voice_and_the_master_volume_too() -> None:
    with Humming(headless=True) as humming:
        ticks_again(humming, lambda: float(humming.voice.pitch))
    with Rising(headless=True) as rising:
        ticks_again(rising, lambda: float(rising.voice.pitch))
    with Rising(headless=True) as rising:
        ticks_again(rising, lambda: float(rising.voice.volume))
    with Quieter(headless=True) as quieter:
        ticks_again(quieter, lambda: float(quieter.audio.volume))


def test_volumes_that_players_have_set_do_not_change_the_hash() -> None:
    """Two machines of a network match, on which the music has different volumes."""
    hashes = []
    for volume in (1.0, 0.35):
        with Fading(headless=True) as game:
            game.audio.buses["music"].volume = volume
            game.run_ticks(LATER)
            assert 0.2 < music_volume(game) < volume
            hashes.append(game.state_hash())
    assert hashes[0] == hashes[1]


def test_a_restored_fade_continues_from_its_values() -> None:
    with Fading(headless=True) as game:
        game.run_ticks(LATER)
        middle = game.snapshot()
        game.run_ticks(5)
        volume = music_volume(game)
        game.run_ticks(40)
        assert music_volume(game) == 0.2
        game.restore(middle)
        game.run_ticks(5)
        assert music_volume(game) == volume


def test_a_tween_that_the_first_run_did_not_begin_begins_at_the_current_volume() -> None:
    class Corrected(fw.Game):
        fades = False

        def update(self, dt: float) -> None:
            if self.tick == FADE and self.fades:
                self.tween(self.audio.buses["music"], volume=0.0, duration=1 / 60)

    with Corrected(headless=True) as game:
        game.audio.buses["music"].volume = 0.5
        game.run_ticks(FADE - 1)
        before = game.snapshot()
        game.run_ticks(3)
        game.restore(before)
        game.fades = True
        game.run_ticks(1)
        assert music_volume(game) == 0.5
        game.run_ticks(1)
        assert music_volume(game) == 0.0


def test_other_objects_outside_the_state_have_no_values_in_the_hash() -> None:
    class Lamp:
        not_state = True

        def __init__(self, power: float) -> None:
            self.power = power

    class Lit(fw.Game):
        def __init__(self, power: float) -> None:
            super().__init__(headless=True)
            self.lamp = Lamp(power)

        def update(self, dt: float) -> None:
            if self.tick == 1:
                self.tween(self.lamp, power=9.0, duration=1)

    hashes = []
    for power in (1.0, 2.0):
        with Lit(power) as game:
            game.run_ticks(10)
            hashes.append(game.state_hash())
    assert hashes[0] == hashes[1]
