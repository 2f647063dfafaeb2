"""Run several games of a Gymnasium vector environment in one process."""

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

# The commands to a worker.
STEP = 1
RESET = 2
RENDER = 3
CLOSE = 4

# The replies of a worker: no result, a result in the pipe, or an error in the pipe.
NOTHING = 0
RESULT = 1
FAILED = 2

_PARENT_CHECK = 2.0  # seconds between two checks that the parent process is alive

Infos = list[tuple[int, dict[str, Any]]]
Memory = tuple[tuple[bytearray | ctypes.Array[ctypes.c_byte], str, tuple[int, ...]], ...]
"""Three values for each array of `SharedArrays`: the shared memory, the dtype and the shape."""


class SharedArrays(NamedTuple):
    """Arrays in memory that all processes of a vector environment share. Each array contains one
    row per game.
    """

    actions: NDArray[Any]
    observations: NDArray[Any]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]


class EnvGroup:
    """The environments of a vector environment that run in one process. ``first`` is the row of the
    first environment in this process. ``count`` is the number of environments in this process.
    """

    def __init__(
        self,
        game_class: type[Game],
        options: dict[str, Any],
        first: int,
        count: int,
        mode: AutoresetMode,
        arrays: SharedArrays,
    ) -> None:
        self._first = first
        self._mode = mode
        self._arrays = arrays
        self._envs = [GameEnv(game_class, **options) for _ in range(count)]

    def rows(self) -> Iterator[tuple[int, GameEnv]]:
        """Yield the row and the object of each environment."""
        return enumerate(self._envs, self._first)

    def reset(self, seeds: list[int | None], mask: NDArray[np.bool_]) -> Infos:
        """Reset each environment for which ``mask`` is True. ``mask`` and ``seeds`` have one
        element for every row of the whole vector environment.
        """
        infos: Infos = []
        arrays = self._arrays
        for row, env in self.rows():
            if mask[row]:
                arrays.observations[row], info = env.reset(seed=seeds[row])
                arrays.terminated[row] = arrays.truncated[row] = False
                infos.append((row, info))
        return [(row, info) for row, info in infos if info]

    def step(self) -> Infos:
        """Run one step in each environment of this process, with the actions in the shared arrays.
        Return the infos that are not empty.
        """
        infos: Infos = []
        arrays = self._arrays
        mode = self._mode
        ended = arrays.terminated | arrays.truncated
        restarting = (ended & (mode is AutoresetMode.NEXT_STEP)).tolist()
        for row, env in self.rows():
            if restarting[row]:
                arrays.observations[row], info = env.reset()
                arrays.rewards[row] = 0.0
                arrays.terminated[row] = arrays.truncated[row] = False
            else:
                observation, arrays.rewards[row], terminated, truncated, info = env.step(
                    arrays.actions[row]
                )
                arrays.terminated[row] = terminated
                arrays.truncated[row] = truncated
                if mode is AutoresetMode.SAME_STEP and (terminated or truncated):
                    infos.append((row, {"final_obs": observation, "final_info": info}))
                    observation, info = env.reset()
                arrays.observations[row] = observation
            if info:
                infos.append((row, info))
        return infos

    def render(self) -> list[Any]:
        """Return one image of each environment."""
        return [env.render() for env in self._envs]

    def close(self) -> None:
        """Close all environments of this process."""
        for env in self._envs:
            env.close()


class WorkerConnections(NamedTuple):
    """The semaphores and pipes that connect a worker process and its parent process."""

    go: Semaphore
    """A semaphore that the parent process releases when the worker must execute a command."""
    gate: Semaphore
    """A semaphore that all workers except one can acquire when they finish. The worker that cannot
    acquire it is the last one.
    """
    done: Semaphore
    """A semaphore that the last worker to finish releases. The parent process waits for it."""
    words: ctypes.Array[ctypes.c_ubyte]
    """Two bytes in shared memory: the command to the worker, and the worker's reply."""
    pipe: Connection[Any, Any]


def _new_group(
    game: tuple[type[Game], dict[str, Any]], first: int, count: int, mode: str, memory: Memory
) -> EnvGroup:
    """Create the environments of a worker process. ``game`` is a pair: the class of the game, and
    the options of the environments.
    """
    game_class, options = game
    arrays = SharedArrays(*(seen_as(*part) for part in memory))
    return EnvGroup(game_class, options, first, count, AutoresetMode(mode), arrays)


def work(
    pickled: bytes,
    first: int,
    count: int,
    mode: str,
    memory: Memory,
    connections: WorkerConnections,
) -> None:
    """Run a worker process. It executes the commands of its parent process until it receives the
    command `CLOSE`.
    """
    import cloudpickle  # Gymnasium installs cloudpickle

    words = connections.words
    group: EnvGroup | None = None
    while True:
        try:
            if words[0] == CLOSE:
                if group is not None:
                    group.close()
                return
            result: list[Any] = []
            if group is None:
                group = _new_group(cloudpickle.loads(pickled), first, count, mode, memory)
            else:
                result = _executed(group, words[0], connections.pipe)
            reply = pickle.dumps(result) if result else b""
            words[1] = RESULT if reply else NOTHING
        except BaseException:
            words[1] = FAILED
            reply = pickle.dumps(traceback.format_exc())
        if not connections.gate.acquire(False):
            connections.done.release()
        if reply:  # send the reply last, because a full pipe blocks until the parent process reads
            with suppress(OSError):  # the parent process has closed the pipe
                connections.pipe.send_bytes(reply)
        if not _has_next_command(connections.go):
            return


def _executed(group: EnvGroup, command: int, pipe: Connection[Any, Any]) -> list[Any]:
    """Execute a command of the parent process, and return its results."""
    if command == STEP:
        return group.step()
    if command == RESET:
        seeds: list[int | None]
        mask: NDArray[np.bool_]
        seeds, mask = pipe.recv()
        return group.reset(seeds, mask)
    return group.render()


def _has_next_command(go: Semaphore) -> bool:
    """Wait for the next command of the parent process. Return False if that process has ended."""
    while not go.acquire(timeout=_PARENT_CHECK):
        parent = parent_process()
        if parent is None or not parent.is_alive():
            return False
    return True


def seen_as(
    memory: bytearray | ctypes.Array[ctypes.c_byte], dtype: str, shape: tuple[int, ...]
) -> NDArray[Any]:
    """Return a NumPy array that uses the shared memory ``memory`` without a copy."""
    buffer: Any = memory  # NumPy's stubs do not accept a ctypes array
    return np.frombuffer(buffer, dtype, int(np.prod(shape))).reshape(shape)
