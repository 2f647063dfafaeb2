"""Test a multiplayer game with a rollback match in one process, over a simulated network."""

from __future__ import annotations

__all__ = ["Match", "play_match"]

import random
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from .. import checks
from ..errors import FrameworkError
from ..game.driven_game import driven, observe_effects
from ..game.game import Game, make_game
from ..game.game_options import Overrides
from ..game.launch import check_game
from ..game.save_files import SeparateRun
from ..game.session import SessionStats
from ..input.buttons import symbols_of
from ..input.tick_input import HeldInput, TickInput
from ..record.hashes import Difference, Listing, first_difference
from ..timing.timestep import NANOSECONDS
from .conditions import Conditions
from .desync import Desync
from .memory_network import MemoryLink, MemoryNetwork
from .rollback import MAX_PLAYERS, MIN_PLAYERS, Rollback

KEYS = ("left", "right", "up", "down", "space")
"""The keys that `play_match` presses at random if you do not pass ``hands``."""

_MAX_FRAMES = 20  # the maximum number of frames per tick; a match that takes more frames has failed
_MIN_FRAMES = 2000
_FRAME = 1 / 60

Hands = Callable[[int, int], Iterable[int | str]]
"""A function ``hands(player, frame)`` that returns the keys that a player holds in a frame."""


@dataclass(frozen=True)
class Match:
    """The result of `play_match`."""

    ticks: int
    """The number of ticks in the match."""
    hashes: tuple[int, ...]
    """The state hash of each player's game after the last tick."""
    expected: int
    """The state hash of a single game that has run with the same input, without a network."""
    differences: tuple[Difference | None, ...]
    """For each player's game, the first value that differs from the single game, or None."""
    desyncs: tuple[Desync | None, ...]
    """For each player's game, the difference that its session has found, or None."""
    missing_effects: tuple[int, ...]
    """For each player's game, the number of effects that have never run (see `Game.emit`)."""
    false_effects: tuple[int, ...]
    """For each player's game, the number of effects that have run by mistake and were never
    withdrawn.
    """
    stats: tuple[SessionStats, ...]
    """The values that each player's session had measured at the end of the match."""
    frames: int
    """The number of frames that the match took."""

    def check(self) -> None:
        """Raise `AssertionError` if a player's game differs from the game without a network, in its
        state or its effects.
        """
        for player, (state_hash, difference, desync) in enumerate(
            zip(self.hashes, self.differences, self.desyncs, strict=True)
        ):
            if desync is not None:
                raise AssertionError(f"player {player}: {desync}")
            if state_hash != self.expected:
                detail = "the hash differs, and no value does" if difference is None else difference
                raise AssertionError(
                    f"player {player}: after {self.ticks} ticks the state differs from the game "
                    f"without a network; {detail}"
                )
        for player, (missing, false) in enumerate(
            zip(self.missing_effects, self.false_effects, strict=True)
        ):
            if missing or false:
                raise AssertionError(
                    f"player {player}: {missing} effects were never delivered, and {false} false "
                    "effects were not withdrawn; emit effects only with values of the game's state"
                )


def play_match(
    game_class: type[Game],
    ticks: int = 1000,
    *,
    conditions: Conditions | None = None,
    players: int | None = None,
    seed: int = 0,
    hands: Hands | None = None,
    input_delay: int | str = 2,
    max_prediction: int = 8,
    **options: Any,
) -> Match:
    """Play a match between several copies of a game in this process, each with a `Rollback`
    session. Then run a single game with the same input, without a network. `Match.check` raises an
    error if a player's game differs from the game without a network:

        fw.play_match(Duel, 1000, conditions=fw.Conditions(latency=0.1, loss=0.1)).check()

    The network and the clocks are simulated, so the match runs faster than real time, and the same
    call always plays the same match. The games do not draw anything.

    Parameters
    ----------
    ticks
        The number of ticks in the match.
    conditions
        The delay and the faults of the simulated network. By default, there is no delay and there
        are no faults.
    players
        The number of players, from 2 to 4. The default is the game's option ``players``.
    seed
        The seed of the random key presses.
    hands
        A function ``hands(player, frame)`` that returns the names of the keys that a player holds
        in a frame. By default, each player holds arrow keys and Space at random.
    input_delay, max_prediction
        The same parameters as in `Rollback`.
    options
        Options of the game.
    """
    check_game(game_class)
    ticks = checks.whole("ticks", ticks, 1)
    overrides: Overrides = {"drawing": False, "separate_run": SeparateRun(None)}
    if players is not None:
        overrides["players"] = checks.whole("players", players, MIN_PLAYERS, MAX_PLAYERS)
    seed = checks.whole("seed", seed)
    if conditions is not None:
        checks.instance("conditions", conditions, Conditions)
    if hands is not None:
        checks.function("hands", hands)
    network = MemoryNetwork(conditions)
    with ExitStack() as stack:
        alone: Game = stack.enter_context(make_game(game_class, overrides, **options))
        players = len(alone.players)
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise ValueError(
                f"players: expected {MIN_PLAYERS} to {MAX_PLAYERS} players, got a game of {players}; "
                "write play_match(…, players=2)"
            )
        links = [network.link(f"player {player}") for player in range(players)]
        sides = []
        for player, link in enumerate(links):
            session = Rollback(
                player,
                peers=[earlier.name for earlier in links[:player]],
                link=link,
                input_delay=input_delay,
                max_prediction=max_prediction,
            )
            session.last_tick = ticks
            side_overrides: Overrides = {**overrides, "session": session}
            game: Game = stack.enter_context(make_game(game_class, side_overrides, **options))
            sides.append(_Side(game, session, link, hands or RandomHands(seed)))
        frames = _play(network, sides, ticks)
        return _result(alone, sides, ticks, frames)


class _Recorded:
    """Runs the ticks of a finished match again, with the recorded input."""

    def __init__(self, game: Game, inputs: dict[int, TickInput]) -> None:
        self._game = game
        self._inputs = inputs

    def tick(self, number: int, local: TickInput) -> TickInput:
        """Return the input of the tick ``number``. If the game is paused, end the pause first,
        because a `Rollback` session also ends each pause that the game's code starts.
        """
        self._game.timestep.paused = False
        return self._inputs[number]


def _count_effects(game: Game, effects: Counter[Any]) -> None:
    """Count how often a game runs each effect. If an effect is withdrawn, subtract 1 from its
    count.
    """

    def count(identity: Any, change: int) -> None:
        effects[identity] += change

    observe_effects(game, count)


class RandomHands:
    """A function that presses random keys for a player. The chosen keys change every few frames."""

    not_state = True

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, player: int, frame: int) -> list[str]:
        """Return the names of the keys that a player holds in a frame."""
        chance = random.Random(f"{self._seed} {player} {frame // (4 + player)}")
        if chance.random() < 0.2:
            return []
        return chance.sample(KEYS, chance.randint(1, 2))


class _Side:
    """One player's part of the match: the game, its session and its clock."""

    def __init__(self, game: Game, session: Rollback, link: MemoryLink, hands: Hands) -> None:
        self.game = game
        self.session = session
        self.player = session.player
        self.link = link
        self.inputs: dict[int, TickInput] = {}
        self.effects: Counter[Any] = Counter()
        self._hands = hands
        self._held = HeldInput()
        self._last_ns = 0
        session.on_confirmed = self._note
        # Do not warn, because `Match.check` raises an error.
        session.on_desync = lambda desync: None
        _count_effects(game, self.effects)

    def _note(self, tick: int, tick_input: TickInput) -> None:
        self.inputs[tick] = tick_input

    def frame(self, number: int) -> None:
        """Run one frame of this player's game. Do nothing while the player's simulated computer is
        in sleep mode.
        """
        if self.link.stopped:
            self._last_ns = self.link.now_ns
            return
        names = self._hands(self.player, number)
        hands = HeldInput(keys=symbols_of("hands", self.game.keys, names))
        self.game.testing.feed(hands.since(self._held))
        self._held = hands
        now_ns = self.link.now_ns
        self.game.advance((now_ns - self._last_ns) / NANOSECONDS)
        self._last_ns = now_ns


def _play(network: MemoryNetwork, sides: list[_Side], ticks: int) -> int:
    """Run frames until the last tick is confirmed in all games, and return the number of frames."""
    limit = max(_MIN_FRAMES, _MAX_FRAMES * ticks)
    for frame in range(limit):
        network.advance(_FRAME)
        for side in sides:
            side.frame(frame)
        for side in sides:
            if side.session.reason:
                raise FrameworkError(f"play_match: player {side.player}: {side.session.reason}")
        if all(side.session.confirmed_tick >= ticks for side in sides):
            return frame + 1
    confirmed = [side.session.confirmed_tick for side in sides]
    raise FrameworkError(
        f"play_match: after {limit} frames, the ticks {confirmed} of {ticks} are confirmed; the "
        "conditions let too few packets through, or max_prediction is too small"
    )


def _result(alone: Game, sides: list[_Side], ticks: int, frames: int) -> Match:
    """Run a single game with the input of the match, without a network, and compare the players'
    games with it.
    """
    effects: Counter[Any] = Counter()
    _count_effects(alone, effects)
    alone.input = _Recorded(alone, sides[0].inputs)
    driven(alone).stage.freeze_size()
    alone.run_ticks(ticks)
    expected = alone.state_hash()
    values: Listing = alone.debug.state_values()
    hashes = tuple([side.game.state_hash() for side in sides])
    differences = tuple(
        [
            None
            if state_hash == expected
            else first_difference(values, side.game.debug.state_values())
            for side, state_hash in zip(sides, hashes, strict=True)
        ]
    )
    return Match(
        ticks=ticks,
        hashes=hashes,
        expected=expected,
        differences=differences,
        desyncs=tuple([side.session.desync for side in sides]),
        missing_effects=tuple([(effects - side.effects).total() for side in sides]),
        false_effects=tuple([(side.effects - effects).total() for side in sides]),
        stats=tuple([side.session.stats for side in sides]),
        frames=frames,
    )
