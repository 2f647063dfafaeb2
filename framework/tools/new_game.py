"""`framework new`: create the folder of a new game from a template."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import os
import re
import shutil
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from .. import resources
from .gamefiles import KINDS, CommandError
from .package_source import NEWEST, pip_command, requirement_end

__all__ = ["DEVICES", "KINDS", "announce", "make_project", "slug_of", "title_of"]

_COMMON = "common"  # the folder with the files that every new game contains
_TITLE = "Untitled Game"
_SLUG = "untitled-game"
_SUMMARY = "The first paragraph of game.py."
_TEXTS = {".py", ".md", ".toml", ".yml", ".json", ".txt", ""}
_MAX_NAME = 60
DEVICES = frozenset(
    [
        *("con", "prn", "aux", "nul"),
        *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)),
    ]
)
"""Device names on Windows. A file cannot have such a name."""

# The names of this package, and device names on Windows.
_RESERVED = DEVICES | {"framework", "subtick"}
_CACHES = ("__pycache__", "recordings", "dist", ".pytest_cache")


def title_of(name: str) -> str:
    """Convert the name of a game to a title. For example, "cave-of_ticks" becomes "Cave Of Ticks".
    A name that contains capital letters or spaces is returned unchanged.
    """
    words = [word for word in re.split(r"[-_ ]+", name) if word]
    if name != name.lower() or " " in name:
        return " ".join(words)
    return " ".join(word[:1].upper() + word[1:] for word in words)


def slug_of(name: str) -> str:
    """Convert a title to a valid name for packages and files. The result contains only the letters
    a to z, digits and hyphens. If the title contains neither ASCII letters nor digits, the result
    is "".
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def make_project(folder: str, kind: str) -> list[Path]:
    """Create a folder with a new game, and return the paths of the new files.

    Raises `CommandError` if the name is not valid, or if the folder already exists or cannot be
    written. If an error is raised, no new files are left on the disk.
    """
    target = _target(folder)
    name = target.name
    _check_name(name, folder)
    if os.path.lexists(target):
        raise CommandError(
            f"{folder!r} exists already; choose another name, or remove the folder first."
        )
    parent = target.absolute().parent
    if not parent.is_dir():
        raise CommandError(f"{folder!r}: there is no folder {str(parent)!r}; make it first.")
    templates = _templates(kind)
    try:
        with _beside(parent, name) as unfinished:
            _fill(unfinished, templates, kind, name)
            os.rename(unfinished, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(f"{folder!r} cannot be made: {reason}.") from None
    return sorted(path.relative_to(target) for path in target.rglob("*") if path.is_file())


def _templates(kind: str) -> Path:
    """Return the folder of the templates. Raises `CommandError` if it lacks files for ``kind``."""
    templates = resources.folder("templates")
    for part in (_COMMON, kind):
        if not (templates / part).is_dir():
            raise CommandError(
                f"The templates are missing ({templates / part}); install the framework again: "
                f"{pip_command('--force-reinstall')}"
            )
    return templates


def _target(folder: str) -> Path:
    """Return the path of a new folder. In the path, a letter with an accent is one character
    (Unicode NFC). Some systems use two characters for such a letter.
    """
    path = Path(folder)
    return path.parent / unicodedata.normalize("NFC", path.name)


def _check_name(name: str, folder: str) -> None:
    expected = "expected letters, digits, spaces, '-' or '_', beginning with a letter or digit"
    if not re.fullmatch(r"[^\W_][\w -]*", name) or name != name.strip():
        raise CommandError(f"NAME: {expected}; got {folder!r}. For example: cave-of-ticks")
    if len(name) > _MAX_NAME:
        raise CommandError(f"NAME: expected at most {_MAX_NAME} characters, got {len(name)}.")
    if not slug_of(name):
        raise CommandError(
            f"NAME: expected at least one letter a to z or digit, got {folder!r}; you can change "
            "the title of the game later, in game.py and pyproject.toml."
        )
    if slug_of(name) in _RESERVED:
        raise CommandError(f"NAME: {name!r} is the name of a package or a device; choose another.")


@contextlib.contextmanager
def _beside(parent: Path, name: str) -> Iterator[Path]:
    """Return a context manager that yields a new folder in ``parent``, and removes the folder at
    the end if it still exists.
    """
    unfinished = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=parent))
    try:
        umask = os.umask(0)
        os.umask(umask)
        unfinished.chmod(0o777 & ~umask)  # `mkdtemp` creates folders that only one user can read
        yield unfinished
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _fill(folder: Path, templates: Path, kind: str, name: str) -> None:
    for part in (_COMMON, kind):
        shutil.copytree(
            templates / part,
            folder,
            ignore=shutil.ignore_patterns(*_CACHES),
            copy_function=shutil.copyfile,  # the files of an installed package may be read-only
            dirs_exist_ok=True,
        )
    source = (templates / kind / "game.py").read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(source)) or ""
    summary = " ".join(docstring.split("\n\n")[0].split())
    replaced = {
        _TITLE: title_of(name),
        _SLUG: slug_of(name),
        _SUMMARY: summary,
        NEWEST: requirement_end(),
    }
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix in _TEXTS:
            text = path.read_text(encoding="utf-8")
            for old, new in replaced.items():
                text = text.replace(old, new)
            path.write_text(text, encoding="utf-8", newline="\n")


def announce(folder: str, kind: str, count: int) -> None:
    """Print the commands that the user can run after creating a new game."""
    folder = str(_target(folder))
    quoted = f'"{folder}"' if " " in folder else folder
    print(f"{folder}: a new game of the kind {kind!r}, {count} files. Play and test it:\n")
    print(f"    cd {quoted}")
    print("    framework run")
    if importlib.util.find_spec("pytest") is None:
        print(f"    {Path(sys.executable).name} -m pip install pytest")
    print("    pytest")
