"""What is taken of Gymnasium and PettingZoo, the packages of the extra ``gym``; where they are not,
what says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import FrameworkError


class _Missing:
    """Stands for a class of a package that is not installed."""

    def __class_getitem__(cls, kinds: object) -> Any:
        return cls


def check_installed(asked: str, base: type, package: str = "Gymnasium") -> None:
    """Raise `FrameworkError` where ``base`` only stands for a class of a package."""
    if issubclass(base, _Missing):
        raise FrameworkError(f"{asked} needs {package}: pip install 'subtick[gym]'")


def as_space(given: Any) -> Any:
    """A space; of a whole number n, that of 0 to n - 1, so that a game that names it need not have
    Gymnasium.
    """
    return (
        spaces.Discrete(given)
        if isinstance(given, int) and not isinstance(given, bool) and given > 0
        else given
    )


if TYPE_CHECKING:
    from gymnasium import Env as Env
    from gymnasium import spaces as spaces
    from gymnasium.envs.registration import EnvSpec as EnvSpec
    from gymnasium.vector import AutoresetMode as AutoresetMode
    from gymnasium.vector import VectorEnv as VectorEnv
    from gymnasium.vector.utils import batch_space as batch_space
    from pettingzoo import ParallelEnv as ParallelEnv
else:
    try:
        from gymnasium import Env, spaces
        from gymnasium.envs.registration import EnvSpec
        from gymnasium.vector import AutoresetMode, VectorEnv
        from gymnasium.vector.utils import batch_space
    except ModuleNotFoundError:
        Env = VectorEnv = _Missing
        spaces = AutoresetMode = EnvSpec = batch_space = None
    try:
        from pettingzoo import ParallelEnv
    except ModuleNotFoundError:
        ParallelEnv = _Missing
