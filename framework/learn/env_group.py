"""Some of the games of a vector environment, stepped one after the other; in a process of their
own, or in this one.
"""

from __future__ import annotations

import ctypes
import pickle
import traceback
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import parent_process
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .gym_env import GameEnv
from .gymnasiums import AutoresetMode

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.synchronize import Semaphore

    from ..game.game import Game

STEP, RESET, RENDER, CLOSE = 1, 2, 3, 4
"""What a worker is told to do."""
NOTHING, TOLD, FAILED = 0, 1, 2
"""What it answers: that there is nothing, or something, or an error to be received."""

_PATIENCE = 2.0  # seconds after which is looked whether anybody is still there

Infos = list[tuple[int, dict[str, Any]]]
Memory = tuple[tuple[bytearray | ctypes.Array[ctypes.c_byte], str, tuple[int, ...]], ...]
"""For each part of a `Board` its memory, dtype and shape."""


class Board(NamedTuple):
    """What the games of a vector environment write to and read from: arrays with a row for each."""

    actions: NDArray[Any]
    observations: NDArray[Any]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]


class EnvGroup:
    """The environments of the rows from ``first`` on."""

    def __init__(
        self,
        game_class: type[Game],
        options: dict[str, Any],
        first: int,
        count: int,
        mode: AutoresetMode,
        board: Board,
    ) -> None:
        self._first, self._mode, self._board = first, mode, board
        self._envs = [GameEnv(game_class, **options) for _ in range(count)]

    def rows(self) -> Iterator[tuple[int, GameEnv]]:
        """Each environment with the number of its row."""
        return enumerate(self._envs, self._first)

    def reset(self, seeds: list[int | None], mask: NDArray[np.bool_]) -> Infos:
        """Begin anew where the mask says so; ``seeds`` are those of all rows."""
        infos: Infos = []
        board = self._board
        for row, env in self.rows():
            if mask[row]:
                board.observations[row], info = env.reset(seed=seeds[row])
                board.terminated[row] = board.truncated[row] = False
                infos.append((row, info))
        return [(row, info) for row, info in infos if info]

    def step(self) -> Infos:
        """A step of each, by the board's actions. Returns the infos that have anything in them."""
        infos: Infos = []
        board, mode = self._board, self._mode
        ended = (
            (board.terminated | board.truncated).tolist()
            if mode is AutoresetMode.NEXT_STEP
            else None
        )
        for row, env in self.rows():
            if ended is not None and ended[row]:
                board.observations[row], info = env.reset()
                board.rewards[row], board.terminated[row], board.truncated[row] = 0.0, False, False
            else:
                seen, board.rewards[row], over, cut, info = env.step(board.actions[row])
                board.terminated[row], board.truncated[row] = over, cut
                if mode is AutoresetMode.SAME_STEP and (over or cut):
                    infos.append((row, {"final_obs": seen, "final_info": info}))
                    seen, info = env.reset()
                board.observations[row] = seen
            if info:
                infos.append((row, info))
        return infos

    def render(self) -> list[Any]:
        """A picture of each."""
        return [env.render() for env in self._envs]

    def close(self) -> None:
        """Close them all."""
        for env in self._envs:
            env.close()


class Wires(NamedTuple):
    """What a worker hears by, and is heard."""

    go: Semaphore
    """A semaphore: there is something to be done."""
    gate: Semaphore
    """A semaphore that lets all workers but one pass: who finds it shut is the last."""
    done: Semaphore
    """A semaphore: all are through."""
    words: ctypes.Array[ctypes.c_ubyte]
    """Two shared bytes: what is to be done, what came of it."""
    pipe: Connection[Any, Any]


def work(pickled: bytes, first: int, count: int, mode: str, memory: Memory, wires: Wires) -> None:
    """The program of a worker process."""
    import cloudpickle  # which Gymnasium needs

    words = wires.words
    group: EnvGroup | None = None
    while True:
        try:
            if words[0] == CLOSE:
                if group is not None:
                    group.close()
                return
            if group is None:
                game_class: type[Game]
                options: dict[str, Any]
                game_class, options = cloudpickle.loads(pickled)
                board = Board(*(seen_as(*part) for part in memory))
                group = EnvGroup(game_class, options, first, count, AutoresetMode(mode), board)
                answer: list[Any] | None = None
            elif words[0] == STEP:
                answer = group.step()
            elif words[0] == RESET:
                seeds: list[int | None]
                mask: NDArray[np.bool_]
                seeds, mask = wires.pipe.recv()
                answer = group.reset(seeds, mask)
            else:
                answer = group.render()
            said = pickle.dumps(answer) if answer else b""
            words[1] = TOLD if said else NOTHING
        except BaseException:
            words[1], said = FAILED, pickle.dumps(traceback.format_exc())
        if not wires.gate.acquire(False):
            wires.done.release()
        if said:  # when somebody reads it: a pipe holds only so much
            with suppress(OSError):  # nobody will: it is being closed
                wires.pipe.send_bytes(said)
        while not wires.go.acquire(timeout=_PATIENCE):
            parent = parent_process()
            if parent is None or not parent.is_alive():
                return


def seen_as(
    memory: bytearray | ctypes.Array[ctypes.c_byte], dtype: str, shape: tuple[int, ...]
) -> NDArray[Any]:
    """Shared memory as an array."""
    buffer: Any = memory  # numpy's stubs take no ctypes array
    return np.frombuffer(buffer, dtype, int(np.prod(shape))).reshape(shape)
