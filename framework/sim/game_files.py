"""Find the game class in a Python file, by running the file until it calls `fw.run`."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import framework

from ..errors import FrameworkError
from ..game.game import Game


class NoGameStarted(FrameworkError):
    """Raised if a Python file ends without calling `fw.run`."""


class _Started(Exception):
    """The exception that stops a Python file when it calls `fw.run`. It contains the game class and
    the options that the file passed to `fw.run`.
    """

    def __init__(self, game_class: type[Game], options: dict[str, Any]) -> None:
        super().__init__(game_class, options)
        self.game_class = game_class
        self.options = options


def game_class_of(file: str) -> tuple[type[Game], dict[str, Any]]:
    """Run a Python file until it calls `fw.run`, and return the game class and the options that it
    passed. The file becomes the module ``__main__``, as if you had run it with Python.
    """

    def run(
        game_class: type[Game],
        *,
        frames: object = None,
        screenshot: object = None,
        session: object = None,
        **options: Any,
    ) -> None:
        raise _Started(game_class, options)

    # The module must stay loaded, because the framework searches for assets beside its file.
    main = ModuleType("__main__")
    main.__file__ = str(Path(file).absolute())
    before = framework.run
    framework.run = run
    sys.modules["__main__"] = main
    sys.argv = [file]
    sys.path.insert(0, str(Path(file).absolute().parent))
    try:
        exec(
            compile(Path(file).read_bytes(), main.__file__, "exec", dont_inherit=True),
            main.__dict__,
        )
    except _Started as started:
        return started.game_class, started.options
    finally:
        framework.run = before
    raise NoGameStarted(f"{file} has run and started no game; its last line should be fw.run(…)")
