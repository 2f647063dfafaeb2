"""Explain to the player why a match is waiting."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from .lost_players import LostPlayers
from .match_phase import MatchPhase
from .match_players import Remotes, names_of
from .match_start import MatchStart
from .predicted_ticks import PredictedTicks
from .returning_players import ReturningPlayers
from .silent_players import SilentPlayers

_PATIENCE = 500_000_000  # nanoseconds; a player who has waited this long sees a message
_FAREWELL = 5_000_000_000  # for how many nanoseconds the players see that another player has left


class MatchStatus:
    """Creates a sentence for the player, which explains why the match is waiting, or says which
    players have just left or are coming back. `MatchStatus` reads other parts of the session, but
    does not change them.
    """

    not_state = True

    def __init__(
        self,
        remotes: Remotes,
        phase: MatchPhase,
        ticks: PredictedTicks,
        start: MatchStart,
        returning: ReturningPlayers,
        lost: LostPlayers,
        silent: SilentPlayers,
    ) -> None:
        self._remotes = remotes
        self._phase = phase
        self._ticks = ticks
        self._start = start
        self._returning = returning
        self._lost = lost
        self._silent = silent

    def sentence(self, now_ns: int) -> str:
        """Return the sentence for the player, or "" if the match is running normally."""
        phase = self._phase
        if phase.reason:
            return f"The match cannot go on: {phase.reason}"
        if phase.catch_up is not None:
            percent = phase.catch_up.progress(self._ticks.tick)
            return f"Coming back into the match: {percent} %"
        if not phase.begun:
            return self._before_the_match()
        if self._lost.departures.is_cut_off:
            return self._return() or self._cut_off()
        return self._pause() or self._wait(now_ns) or self._return() or self._farewell(now_ns)

    def _before_the_match(self) -> str:
        too_long = [player for player, remote in self._remotes.items() if remote.is_too_long]
        if too_long:
            verb = "plays" if len(too_long) == 1 else "play"
            return (
                f"{_waiting_for(too_long)}, who still {verb} a match that is too long to come back. "
                "Start a new match on all machines"
            )
        separated = sorted(self._start.separated())
        if self._start.missing() or not separated:
            return _waiting_for(sorted(self._start.missing()))
        return f"Waiting for a connection between {names_of(separated[0])}"

    def _pause(self) -> str:
        paused = self._silent.paused_players
        return f"Paused by {names_of(paused)}" if paused else ""

    def _wait(self, now_ns: int) -> str:
        waits_ns = self._ticks.waits_ns
        if waits_ns is None or now_ns - waits_ns < _PATIENCE:
            return ""
        last_ticks = {player: remote.input.known for player, remote in self._remotes.items()}
        behind = min(last_ticks.values())
        players = [player for player, last in last_ticks.items() if last == behind]
        times = [self._silent.seconds_left(player) for player in players]
        seconds = min([each for each in times if each is not None], default=None)
        if seconds is None:
            return _waiting_for(players)
        without = "this player" if len(players) == 1 else "them"
        return (
            f"{_waiting_for(players)}. The match continues without {without} in {ceil(seconds)} s"
        )

    def _return(self) -> str:
        players = self._returning.players
        verb = "is" if len(players) == 1 else "are"
        return f"{names_of(players).capitalize()} {verb} coming back" if players else ""

    def _cut_off(self) -> str:
        names = names_of(self._lost.departures.missed)
        return f"No connection to {names}. The match may go on without this player"

    def _farewell(self, now_ns: int) -> str:
        left = [
            player
            for player, remote in self._remotes.items()
            if remote.gone and now_ns - remote.gone_ns < _FAREWELL
        ]
        return f"{names_of(left).capitalize()} left the match" if left else ""


def _waiting_for(players: Sequence[int]) -> str:
    return f"Waiting for {names_of(players)}" if players else ""
