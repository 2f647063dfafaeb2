"""Find the game in a folder, and read the game's settings from pyproject.toml."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from .gamefiles import CommandError

_NAMES = ("game.py", "main.py")
_MAX_LISTED = 8


class Project(NamedTuple):
    """The settings of a game, from the file pyproject.toml in the game's folder. A setting that is
    not in the file is None or an empty tuple.
    """

    game: str | None = None
    """The path of the game's Python file, relative to the folder."""
    title: str | None = None
    """The title of the game."""
    version: str | None = None
    """The version of the game."""
    icon: str | None = None
    """The path of the icon, relative to the folder."""
    files: tuple[str, ...] = ()
    """The files and folders that `framework freeze` packs, relative to the folder."""
    modules: tuple[str, ...] = ()
    """The names of additional modules that `framework freeze` packs."""


def read_project(folder: Path) -> Project:
    """Read the table ``[tool.subtick]`` and the version of the project from the file pyproject.toml
    in a folder. If the folder has no pyproject.toml, return empty settings. Raises `CommandError`
    if the file is not valid.
    """
    path = folder / "pyproject.toml"
    if not path.is_file():
        return Project()
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None
    tool = content.get("tool")
    settings = tool.get("subtick", {}) if isinstance(tool, dict) else {}
    project = content.get("project")
    version = project.get("version") if isinstance(project, dict) else None
    if not isinstance(settings, dict):
        raise CommandError(f"{path}: tool.subtick: expected a table, got {settings!r}")
    unknown = sorted(settings.keys() - set(Project._fields))
    if unknown:
        raise CommandError(
            f"{path}: tool.subtick: unknown name {unknown[0]!r}; "
            f"the names are {', '.join(Project._fields)}"
        )
    values = {"version": version, **settings}
    return Project(**{name: _checked_value(path, name, value) for name, value in values.items()})


def _checked_value(path: Path, name: str, value: object) -> Any:
    if name in ("files", "modules"):
        if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            raise CommandError(f"{path}: {name}: expected a list of strings, got {value!r}")
        return tuple(value)
    if not (value is None or isinstance(value, str)):
        raise CommandError(f"{path}: {name}: expected a string, got {value!r}")
    return value


def game_here(folder: Path | None = None) -> Path:
    """Return the Python file of the game in a folder. By default, the folder is the working
    directory.

    The setting ``game`` in pyproject.toml names the game's file. Without this setting, the game's
    file is game.py, main.py, or the only Python file that calls ``fw.run``. Raises `CommandError`
    if the folder has no such file.
    """
    folder = Path() if folder is None else folder
    chosen = read_project(folder).game
    if chosen is not None:
        if not (folder / chosen).is_file():
            raise CommandError(
                f"pyproject.toml: tool.subtick.game: expected a file, got {chosen!r}, which is "
                "not there"
            )
        return folder / chosen
    for name in _NAMES:
        if (folder / name).is_file():
            return folder / name
    starters = [path for path in sorted(folder.glob("*.py")) if _starts_game(path)]
    if len(starters) == 1:
        return starters[0]
    if starters:
        listed = ", ".join(path.name for path in starters[:_MAX_LISTED])
        raise CommandError(f"This folder has several games; name the file of one: {listed}")
    raise CommandError(
        "This folder has no game (game.py, main.py, or a file that calls fw.run). Name a file or "
        "an example, or make a game: framework new NAME"
    )


def project_folder(game: Path) -> Path:
    """Return the folder that contains the settings of a game. The settings are in the folder of the
    game's Python file, or in a parent folder whose pyproject.toml names that file.
    """
    folder = game.parent
    for candidate in (folder, *folder.parents):
        if (candidate / "pyproject.toml").is_file():
            chosen = None if candidate == folder else read_project(candidate).game
            named = chosen is not None and (candidate / chosen).resolve() == game.resolve()
            return candidate if named else folder
    return folder


def _starts_game(path: Path) -> bool:
    """Return whether a Python file calls a function or method named ``run``, as in
    ``fw.run(MyGame)``.
    """
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return False
    return any(
        isinstance(node, ast.Call) and ast.unparse(node.func) in ("fw.run", "framework.run", "run")
        for node in ast.walk(tree)
    )
