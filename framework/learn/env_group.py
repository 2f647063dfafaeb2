"""Environment groups: some games of a vector environment, stepped in one process."""

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
from .gymnasium_imports import AutoresetMode

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.synchronize import Semaphore

    from ..game.game import Game

# The orders to a worker.
STEP = 1
RESET = 2
RENDER = 3
CLOSE = 4

# The replies of a worker: nothing, a result, or an error to receive.
NOTHING = 0
RESULT = 1
FAILED = 2

_PARENT_CHECK = 2.0  # seconds between two checks that the parent process is alive

Infos = list[tuple[int, dict[str, Any]]]
Memory = tuple[tuple[bytearray | ctypes.Array[ctypes.c_byte], str, tuple[int, ...]], ...]
"""The shared memory, dtype and shape of each array of a `SharedArrays`."""


class SharedArrays(NamedTuple):
    """The arrays that the games of a vector environment share, with a row for each game."""

    actions: NDArray[Any]
    observations: NDArray[Any]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]


class EnvGroup:
    """The environments of consecutive rows, from ``first`` on."""

    def __init__(
        self,
        game_class: type[Game],
        options: dict[str, Any],
        first: int,
        count: int,
        mode: AutoresetMode,
        board: SharedArrays,
    ) -> None:
        self._first = first
        self._mode = mode
        self._board = board
        self._envs = [GameEnv(game_class, **options) for _ in range(count)]

    def rows(self) -> Iterator[tuple[int, GameEnv]]:
        """Yield each environment with the index of its row."""
        return enumerate(self._envs, self._first)

    def reset(self, seeds: list[int | None], mask: NDArray[np.bool_]) -> Infos:
        """Reset the rows of the mask. ``seeds`` has an element for every row of the vector
        environment.
        """
        infos: Infos = []
        board = self._board
        for row, env in self.rows():
            if mask[row]:
                board.observations[row], info = env.reset(seed=seeds[row])
                board.terminated[row] = board.truncated[row] = False
                infos.append((row, info))
        return [(row, info) for row, info in infos if info]

    def step(self) -> Infos:
        """Step each environment with the board's actions. Return the infos that are not empty."""
        infos: Infos = []
        board = self._board
        mode = self._mode
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
                observation, board.rewards[row], terminated, truncated, info = env.step(
                    board.actions[row]
                )
                board.terminated[row], board.truncated[row] = terminated, truncated
                if mode is AutoresetMode.SAME_STEP and (terminated or truncated):
                    infos.append((row, {"final_obs": observation, "final_info": info}))
                    observation, info = env.reset()
                board.observations[row] = observation
            if info:
                infos.append((row, info))
        return infos

    def render(self) -> list[Any]:
        """Return an image of each environment."""
        return [env.render() for env in self._envs]

    def close(self) -> None:
        """Close all environments."""
        for env in self._envs:
            env.close()


class WorkerConnections(NamedTuple):
    """The connections between a worker and its parent."""

    go: Semaphore
    """Released when the worker has an order to run."""
    gate: Semaphore
    """Lets all workers but one pass. The worker that finds it closed is the last."""
    done: Semaphore
    """Released when all workers are done."""
    words: ctypes.Array[ctypes.c_ubyte]
    """Two shared bytes: the order and the reply."""
    pipe: Connection[Any, Any]


def work(
    pickled: bytes, first: int, count: int, mode: str, memory: Memory, wires: WorkerConnections
) -> None:
    """Run the loop of a worker process."""
    import cloudpickle  # installed with Gymnasium

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
                board = SharedArrays(*(seen_as(*part) for part in memory))
                group = EnvGroup(game_class, options, first, count, AutoresetMode(mode), board)
                result: list[Any] | None = None
            elif words[0] == STEP:
                result = group.step()
            elif words[0] == RESET:
                seeds: list[int | None]
                mask: NDArray[np.bool_]
                seeds, mask = wires.pipe.recv()
                result = group.reset(seeds, mask)
            else:
                result = group.render()
            reply = pickle.dumps(result) if result else b""
            words[1] = RESULT if reply else NOTHING
        except BaseException:
            words[1], reply = FAILED, pickle.dumps(traceback.format_exc())
        if not wires.gate.acquire(False):
            wires.done.release()
        if reply:  # sent last: a full pipe blocks until the parent reads it
            with suppress(OSError):  # the parent is closing the pipe
                wires.pipe.send_bytes(reply)
        while not wires.go.acquire(timeout=_PARENT_CHECK):
            parent = parent_process()
            if parent is None or not parent.is_alive():
                return


def seen_as(
    memory: bytearray | ctypes.Array[ctypes.c_byte], dtype: str, shape: tuple[int, ...]
) -> NDArray[Any]:
    """Return an array that uses the shared memory."""
    buffer: Any = memory  # NumPy's stubs do not accept a ctypes array
    return np.frombuffer(buffer, dtype, int(np.prod(shape))).reshape(shape)
