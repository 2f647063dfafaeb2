"""Play a rollback match on a single computer, in several windows or against bots."""

from __future__ import annotations

__all__ = ["LocalMatch"]

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .. import checks
from ..game.driven_game import driven
from ..game.game import make_game
from ..game.game_options import Overrides
from ..game.save_files import SeparateRun
from ..game.session import SessionStats
from ..input.buttons import symbols_of
from ..input.tick_input import HeldInput, TickInput
from .conditions import Conditions
from .match import RandomHands
from .memory_network import MemoryNetwork
from .rollback import Rollback

if TYPE_CHECKING:
    from ..game.game import Game

_ENVIRONMENT = "SUBTICK_LOCAL_MATCH"
"""The name of an environment variable that is set for the other windows. Its value contains the
player index of the window and the ports of all players.
"""

_FILES = ("--screenshot", "--record")
_ATTO = 10**18
_MAX_FRAME = 0.25  # seconds; in a longer frame, the simulated network advances by only this time

Bot = Callable[["Game", int], Iterable[int | str]]
"""A function ``bot(game, player)`` that returns the keys that a player holds."""


class LocalMatch:
    """A session for trying out a multiplayer game on one computer:

        fw.run(Duel, session=fw.LocalMatch())

    The program starts another copy of itself for each other player, so that each player has a
    window. The windows use `Rollback`, and send real UDP datagrams. With ``windows=1``, bots take
    the place of the other players, and the network is simulated. In a game without a window, bots
    take the place of all players.

    Parameters
    ----------
    windows
        The number of windows. By default (None), one window is opened for each player. With 1, bots
        take the place of the other players.
    bot
        A function ``bot(game, player)`` that returns the names of the keys that this player holds.
        The function can read the state of the game, but must not change it. The default bot holds
        arrow keys and Space at random.
    conditions
        The delay and the faults of the simulated network to the bots. This option has no effect if
        the other players have their own windows. By default, the latency is 40 ms and 2 % of the
        datagrams get lost.
    input_delay, max_prediction
        The same parameters as in `Rollback`.
    """

    not_state = True

    def __init__(
        self,
        *,
        windows: int | None = None,
        bot: Bot | None = None,
        conditions: Conditions | None = None,
        input_delay: int | str = "auto",
        max_prediction: int = 8,
    ) -> None:
        self._windows = None if windows is None else checks.whole("windows", windows, 1, 4)
        self._bot = None if bot is None else checks.function("bot", bot)
        if conditions is not None:
            checks.instance("conditions", conditions, Conditions)
        self._conditions = conditions or Conditions(latency=0.04, jitter=0.01, loss=0.02, seed=1)
        self._options: dict[str, Any] = {
            "input_delay": input_delay,
            "max_prediction": max_prediction,
        }
        # Raises an error if an option is wrong.
        Rollback(link=MemoryNetwork().link("check"), **self._options)
        self._rollback: Rollback | None = None
        self._bots: _Bots | None = None
        self._processes: list[subprocess.Popen[bytes]] = []

    # -- for games ---------------------------------------------------------------------------------

    @property
    def stats(self) -> SessionStats:
        """Network statistics, such as the ping."""
        return SessionStats() if self._rollback is None else self._rollback.stats

    @property
    def status(self) -> str:
        """A sentence for the player while the match is waiting, or after it has ended, otherwise
        "". See `Rollback.status`.
        """
        return "" if self._rollback is None else self._rollback.status

    @property
    def player(self) -> int:
        """The index of the player who uses this window."""
        return 0 if self._rollback is None else self._rollback.player

    @property
    def rollback(self) -> Rollback | None:
        """The `Rollback` session of this window. It is None until the game has started."""
        return self._rollback

    # -- the session -------------------------------------------------------------------------------

    def start(self, game: Game) -> None:
        """Open the windows of the other players, or start the bots."""
        players = len(game.players)
        headless = game.display.headless
        setting = os.environ.get(_ENVIRONMENT, "")
        if headless or self._windows == 1:
            self._bots = _Bots(game, self._bot, self._conditions, self._options, headless)
            self._rollback = self._bots.session
        elif setting:
            player, ports = _parsed(setting)
            peers = [f"127.0.0.1:{port}" for port in ports[:player]]
            self._rollback = Rollback(player, port=ports[player], peers=peers, **self._options)
        else:
            ports = _free_ports(players)
            self._rollback = Rollback(0, port=ports[0], **self._options)
            self._start_windows(ports)
        self._rollback.start(game)
        if not headless:
            _place_window(game, self._rollback.player)

    def before_tick(self, game: Game, number: int) -> None:
        """Run earlier ticks again if their predicted input was wrong."""
        if self._rollback is not None:
            self._rollback.before_tick(game, number)

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return the input of all players for a tick, or None if the tick must wait for input."""
        return None if self._rollback is None else self._rollback.tick(number, local)

    def frame(self, game: Game) -> None:
        """Advance the bots by one frame, and send the input of this player."""
        if self._bots is not None:
            self._bots.frame()
        if self._rollback is not None:
            self._rollback.frame(game)

    def code_reloaded(self) -> str:
        """Called when ``framework run --reload`` has replaced code of the game. Return a message
        for the developer. See `Rollback.code_reloaded`.

        Each window reloads its own code. The bots use the code of this window.
        """
        if self._bots is not None:
            self._bots.code_reloaded()
        return "" if self._rollback is None else self._rollback.code_reloaded()

    def close(self) -> None:
        """Close the windows of the other players and the games of the bots."""
        if self._rollback is not None:
            self._rollback.close()
        if self._bots is not None:
            self._bots.close()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(2)
        self._processes.clear()

    def _start_windows(self, ports: list[int]) -> None:
        """Start this program again for each other player."""
        numbers = ",".join(map(str, ports))
        arguments = [sys.executable, *_without_files(sys.orig_argv[1:])]
        for player in range(1, len(ports)):
            environment = {**os.environ, _ENVIRONMENT: f"{player}:{numbers}"}
            self._processes.append(subprocess.Popen(arguments, env=environment))


class _Bots:
    """The games of the bots, and the simulated network that connects them."""

    not_state = True

    def __init__(
        self,
        game: Game,
        bot: Bot | None,
        conditions: Conditions,
        options: dict[str, Any],
        plays_first: bool,
    ) -> None:
        self._game = game
        self._bot = _random_bot() if bot is None else bot
        self._plays_first = plays_first
        self._clock = driven(game).clock
        self._network = MemoryNetwork(conditions)
        players = len(game.players)
        links = [self._network.link(f"player {player + 1}") for player in range(players)]
        names = [link.name for link in links]
        self.session = Rollback(0, link=links[0], **options)
        self._held = [HeldInput() for _ in range(players)]
        self._last = self._now()
        self._games = [
            _copy_of(game, Rollback(player, peers=names[:player], link=link, **options))
            for player, link in enumerate(links)
            if player
        ]

    def _now(self) -> float:
        if self._plays_first:  # without a window, the game uses a virtual clock
            return self._clock.attoseconds / _ATTO
        return time.monotonic()

    def frame(self) -> None:
        """Advance the game of each bot by one frame."""
        now = self._now()
        elapsed = min(max(0.0, now - self._last), _MAX_FRAME)
        self._last = now
        self._network.advance(elapsed)
        if self._plays_first:
            self._hold(self._game, 0)
        for player, game in enumerate(self._games, 1):
            self._hold(game, player)
            game.advance(elapsed)

    def _hold(self, game: Any, player: int) -> None:
        keys = symbols_of("bot", game.keys, self._bot(game, player))
        holding = HeldInput(keys=keys)
        game.testing.feed(holding.since(self._held[player]))
        self._held[player] = holding

    def code_reloaded(self) -> None:
        """Stop comparing the states of the bots' games."""
        for game in self._games:
            game.session.code_reloaded()

    def close(self) -> None:
        """Close the games of the bots."""
        for game in self._games:
            game.close()


def _copy_of(game: Game, session: Rollback) -> Any:
    """Create a game with the same class, options and size as ``game``, but without drawing."""
    stage = driven(game).stage
    arguments, options = stage.made_with
    overrides: Overrides = {
        "drawing": False,
        "size": stage.surface.size,
        "session": session,
        "separate_run": SeparateRun(None),
    }
    return make_game(type(game), overrides, *arguments, **options)


def _random_bot() -> Bot:
    hands = RandomHands(1)
    return lambda game, player: hands(player, game.tick)


def _parsed(setting: str) -> tuple[int, list[int]]:
    """Read the value of the environment variable `_ENVIRONMENT`. Return the player index for this
    window, and the ports of all players.
    """
    player, _, ports = setting.partition(":")
    try:
        numbers = [int(port) for port in ports.split(",")]
        index = int(player)
        if not 0 < index < len(numbers):
            raise ValueError
    except ValueError:
        raise ValueError(
            f"{_ENVIRONMENT}: expected a player and ports such as '1:7000,7001', got {setting!r}"
        ) from None
    return index, numbers


def _without_files(arguments: list[str]) -> list[str]:
    """Remove the command-line options that write a file, because only the first window can write
    files.
    """
    kept_arguments: list[str] = []
    skipped = False
    for argument in arguments:
        name = argument.partition("=")[0]
        if not skipped and name not in _FILES:
            kept_arguments.append(argument)
        skipped = name in _FILES and "=" not in argument
    return kept_arguments


def _free_ports(count: int) -> list[int]:
    """Return ``count`` free UDP ports on this computer."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("", 0))
        return [int(each.getsockname()[1]) for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _place_window(game: Game, player: int) -> None:
    """Place this window beside the windows of the other players."""
    window = driven(game).stage.surface.window
    if window is None or game.display.fullscreen:
        return
    # Some window systems do not let programs choose the positions of windows.
    with suppress(Exception):
        width, height = window.get_size()
        screen = window.screen
        columns = max(1, screen.width // width)
        column = player % columns
        row = player // columns
        left = max(0, (screen.width - columns * width) // 2) + column * width
        top = max(0, (screen.height - height) // 2) + row * 40
        if columns == 1:  # the windows overlap, but a part of each window stays visible
            left = 40 + 60 * player
            top = 40 + 60 * player
        window.set_location(screen.x + left, screen.y + top)
