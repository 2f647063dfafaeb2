"""Import the optional packages Gymnasium and PettingZoo, if they are installed.

If a package is missing or too old, this module defines empty classes instead of the package's
classes. `check_installed` then raises an error that names the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import FrameworkError
from ..optional_packages import check_version

_failed: dict[str, ImportError] = {}
"""The import errors of packages that could not be imported, by package name."""


class _Missing:
    """An empty class in place of a class from a missing or old package."""

    def __class_getitem__(cls, kinds: object) -> Any:
        return cls


def check_installed(feature: str, base: type, package: str = "Gymnasium") -> None:
    """Raise `FrameworkError` if ``package`` is missing or too old. ``base`` is one of the package's
    classes, which this module has imported.
    """
    check_version(package.lower(), feature)
    if issubclass(base, _Missing):
        raise FrameworkError(
            f"{feature} needs {package}: pip install 'subtick[gym]'"
        ) from _failed.get(package)


def as_space(value: Any) -> Any:
    """If ``value`` is an integer above 0, return Gymnasium's space `Discrete(value)`. All other
    values are returned unchanged.

    This lets a game use a number as its action space without importing Gymnasium.
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
    except ImportError as error:  # old versions of Gymnasium lack some of these names
        _failed["Gymnasium"] = error
        Env = VectorEnv = _Missing
        spaces = AutoresetMode = EnvSpec = batch_space = None
    try:
        from pettingzoo import ParallelEnv
    except ImportError as error:
        _failed["PettingZoo"] = error
        ParallelEnv = _Missing
