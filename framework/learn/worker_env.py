"""Run the games of a Gymnasium vector environment in worker processes."""

from __future__ import annotations

import ctypes
import itertools
import multiprocessing
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..errors import FrameworkError
from ..game.game import Game
from .array_env import reset_mask, seeds_of, still_over
from .env_group import (
    CLOSE,
    FAILED,
    NOTHING,
    RENDER,
    RESET,
    STEP,
    EnvGroup,
    Infos,
    Memory,
    SharedArrays,
    WorkerConnections,
    seen_as,
    work,
)
from .gym_env import GameEnv
from .gymnasium_imports import AutoresetMode, VectorEnv, batch_space

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnContext
    from multiprocessing.synchronize import Semaphore

_WORKER_CHECK = 0.2  # seconds between two checks that the workers are alive
_CLOSE_TIMEOUT = 5.0


class WorkerEnv(VectorEnv[Any, Any, Any]):
    """The vector environment that `vector_env` returns for all game classes except subclasses of
    `ArrayGame`.
    """

    def __init__(
        self,
        game_class: type[Game],
        num_envs: int,
        workers: int,
        *,
        autoreset_mode: AutoresetMode,
        **options: Any,
    ) -> None:
        # Set first, because Gymnasium also closes an environment whose `__init__` has failed.
        self._group: EnvGroup | None = None
        self._workers: list[_Worker] = []
        self._gate: Semaphore
        self._done: Semaphore
        self.num_envs = num_envs
        self.autoreset_mode = autoreset_mode
        with_spaces = GameEnv(game_class, **options)
        self.metadata = with_spaces.metadata | {"autoreset_mode": autoreset_mode}
        self.render_mode = with_spaces.render_mode
        self.single_action_space = with_spaces.action_space
        self.single_observation_space = with_spaces.observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        context = multiprocessing.get_context("spawn")  # a forked process could not use OpenGL
        memory = self._memory(context if workers else None)
        self._arrays = SharedArrays(*(seen_as(*part) for part in memory))
        if not workers:
            self._group = EnvGroup(game_class, options, 0, num_envs, autoreset_mode, self._arrays)
            return
        import cloudpickle  # Gymnasium installs cloudpickle

        pickled: bytes = cloudpickle.dumps((game_class, options))
        shares = itertools.pairwise(num_envs * index // workers for index in range(workers + 1))
        self._gate = context.Semaphore(workers - 1)
        self._done = context.Semaphore(0)
        try:
            for number, (first, end) in enumerate(shares):
                order = pickled, first, end - first, autoreset_mode.value, memory
                self._workers.append(_Worker(context, number, order, self._gate, self._done))
            self._gather()
        except BaseException:
            self.close()
            raise

    def _memory(self, context: SpawnContext | None) -> Memory:
        """Allocate the shared memory for the arrays of all worker processes. For each array, return
        the shared memory, the dtype and the shape.
        """
        parts: list[tuple[str, tuple[int, ...]]] = []
        for name, space in (
            ("actions", self.action_space),
            ("observations", self.observation_space),
        ):
            if not isinstance(space.dtype, np.dtype) or space.shape is None:
                raise FrameworkError(
                    f"{name}: a vector environment needs a space of arrays, got {space}"
                )
            parts.append((str(space.dtype), space.shape))
        n = self.num_envs
        parts += [("float64", (n,)), ("bool", (n,)), ("bool", (n,))]
        return tuple([(_allocated(context, *part), *part) for part in parts])

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Restart all games. If you pass ``options["reset_mask"]``, only the games for which the
        mask is True restart.

        If ``seed`` is a number, game i gets the seed ``seed + i``.
        """
        self._check_open()
        mask = reset_mask(options, self.num_envs)
        seeds = seeds_of(seed, self.num_envs)
        infos = (
            self._all(RESET, seeds, mask) if self._group is None else self._group.reset(seeds, mask)
        )
        return self._arrays.observations.copy(), self._infos(infos)

    def step(
        self, actions: Any
    ) -> tuple[Any, Any, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Run one step in every game.

        Return five values: the observations, the rewards, the terminated flags, the truncated
        flags, and the infos. The rewards are a float64 array, and the flags are bool arrays, with
        one element per game.
        """
        self._check_open()
        arrays = self._arrays
        array = self._checked(actions)
        if (
            self.autoreset_mode is AutoresetMode.DISABLED
            and (finished := arrays.terminated | arrays.truncated).any()
        ):
            raise still_over(finished)
        arrays.actions[...] = array
        infos = self._infos(self._all(STEP) if self._group is None else self._group.step())
        return (
            arrays.observations.copy(),
            arrays.rewards.copy(),
            arrays.terminated.copy(),
            arrays.truncated.copy(),
            infos,
        )

    def _checked(self, actions: Any) -> NDArray[Any]:
        """Return the actions of an agent as an array. Raise `ValueError` if its shape or its dtype
        is wrong.
        """
        array: NDArray[Any] = np.asarray(actions)
        expected = self._arrays.actions
        if array.shape != expected.shape or not (
            array.dtype == expected.dtype or np.can_cast(array.dtype, expected.dtype, "same_kind")
        ):
            raise checks.wrong_value(
                "actions", f"{self.num_envs} of {self.single_action_space}", actions
            )
        return array

    def render(self) -> tuple[Any, ...] | None:
        """Return a tuple with one image per game. If the environment has no render mode, return
        None.
        """
        if self.render_mode is None:
            return None
        self._check_open()
        return tuple(self._all(RENDER) if self._group is None else self._group.render())

    def close_extras(self, **keywords: Any) -> None:
        """Close all games and end the worker processes."""
        if self._group is not None:
            self._group.close()
        workers = self._workers
        self._workers = []
        for worker in workers:
            worker.send(CLOSE)
        for worker in workers:
            worker.end()

    def _check_open(self) -> None:
        if self._group is None and not self._workers:
            raise FrameworkError("this vector environment was closed; make a new one")

    def _infos(self, rows: Infos) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        for row, info in rows:
            infos = self._add_info(infos, info, row)
        return infos

    def _all(self, order: int, *words: object) -> list[Any]:
        """Send a command to all workers, and wait until all workers have executed it. Return one
        list with the results of all workers.
        """
        for _ in range(len(self._workers) - 1):
            self._gate.release()
        for worker in self._workers:
            worker.send(order, *words)
        return self._gather()

    def _gather(self) -> list[Any]:
        """Wait until all workers have executed their command. Return one list with the results of
        all workers. Waiting uses no CPU time.
        """
        results: list[Any] = []
        try:
            while not self._done.acquire(timeout=_WORKER_CHECK):
                for worker in self._workers:
                    worker.check_alive()
            for worker in self._workers:
                results += worker.receive()
        except BaseException:
            self.close()  # close all workers, because the state of the other workers is unknown
            raise
        return results


def _allocated(
    context: SpawnContext | None, dtype: str, shape: tuple[int, ...]
) -> bytearray | ctypes.Array[ctypes.c_byte]:
    """Allocate memory for an array. The memory is shared with the processes of ``context``."""
    size = max(int(np.prod(shape)) * np.dtype(dtype).itemsize, 1)
    return bytearray(size) if context is None else context.RawArray(ctypes.c_byte, size)


class _Worker:
    """A worker process that runs some of the games."""

    def __init__(
        self,
        context: SpawnContext,
        number: int,
        order: tuple[object, ...],
        gate: Semaphore,
        done: Semaphore,
    ) -> None:
        self._number = number
        self._pipe: Connection[Any, Any]
        theirs: Connection[Any, Any]
        self._pipe, theirs = context.Pipe()
        connections = WorkerConnections(
            context.Semaphore(0), gate, done, context.RawArray(ctypes.c_ubyte, 2), theirs
        )
        self._go = connections.go
        self._words = connections.words
        self._process = context.Process(target=work, args=(*order, connections), daemon=True)
        self._process.start()
        theirs.close()

    def send(self, order: int, *words: object) -> None:
        """Send a command to the worker."""
        self._words[0] = order
        self._go.release()
        # Send the words after the command, so that the worker is reading the pipe even if it is
        # full.
        if words:
            with suppress(OSError):  # the worker has died: `check_alive` raises the error
                self._pipe.send(words)

    def check_alive(self) -> None:
        """Raise `FrameworkError` if the worker process has died."""
        if not self._process.is_alive():
            raise self._died()

    def _died(self) -> FrameworkError:
        return FrameworkError(
            f"worker {self._number} has died, with exit code {self._process.exitcode}"
        )

    def receive(self) -> list[Any]:
        """Return the results of the last command that the worker has executed. If the command
        failed, raise `FrameworkError` with the traceback from the worker.
        """
        if self._words[1] == NOTHING:
            return []
        try:
            reply: str | list[Any] = self._pipe.recv()
        except EOFError:
            self._process.join(_CLOSE_TIMEOUT)
            raise self._died() from None
        if self._words[1] == FAILED:
            raise FrameworkError(f"worker {self._number} has failed:\n{reply}")
        return list(reply)

    def end(self) -> None:
        """Wait until the worker process has ended. If the process has not ended after five seconds,
        kill it.
        """
        self._pipe.close()
        self._process.join(_CLOSE_TIMEOUT)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
