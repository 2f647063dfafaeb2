"""Gymnasium imports: the classes of the optional packages Gymnasium and PettingZoo (extra ``gym``).

If a package is missing or too old, this module contains replacements for the package's classes.
`check_installed` then raises an error with the name of the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import FrameworkError
from ..optional_packages import check_version

_failed: dict[str, ImportError] = {}
"""The error of the import, by the name of the package that could not be imported."""


class _Missing:
    """A replacement for a class of a package that is not installed, or too old."""

    def __class_getitem__(cls, kinds: object) -> Any:
        return cls


def check_installed(feature: str, base: type, package: str = "Gymnasium") -> None:
    """Raise `FrameworkError` if ``package`` is not installed, or too old. If the package is not
    installed, ``base`` is only a replacement for a class of the package.
    """
    check_version(package.lower(), feature)
    if issubclass(base, _Missing):
        raise FrameworkError(
            f"{feature} needs {package}: pip install 'subtick[gym]'"
        ) from _failed.get(package)


def as_space(value: Any) -> Any:
    """Return a space for ``value``: `Discrete` for a whole number above 0, otherwise ``value``
    itself.

    A game can therefore declare a number of actions without importing Gymnasium.
    """
    return (
        spaces.Discrete(value)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0
        else value
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
    except ImportError as error:  # old versions do not have all names
        _failed["Gymnasium"] = error
        Env = VectorEnv = _Missing
        spaces = AutoresetMode = EnvSpec = batch_space = None
    try:
        from pettingzoo import ParallelEnv
    except ImportError as error:
        _failed["PettingZoo"] = error
        ParallelEnv = _Missing
