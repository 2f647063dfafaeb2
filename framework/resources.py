"""Find the shaders and examples of the framework, and the files of a game."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

from .checks import items, wrong_type
from .checks import path as checked_path
from .errors import AssetError

Folder = str | os.PathLike[str]
T = TypeVar("T")

_MAX_TEXT = 255  # the maximum length of a path in an error message

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """Return the absolute path of a folder of the framework: ``shaders``, ``examples`` or
    ``templates``.

    If the package is installed, the folder is inside the package. In a copy of the repository, the
    folder is beside the package.
    """
    inside = _PACKAGE / name
    beside = _PACKAGE.parent / name
    if not (inside.is_dir() or beside.is_dir()) and _zipped():
        raise AssetError(
            f"The framework is in the archive {str(_zipped())!r}, where its {name} "
            "cannot be read as files. "
            "Unpack the archive, or install it with pip."
        )
    return inside if inside.is_dir() else beside


def _zipped() -> Path | None:
    """Return the zip archive from which Python imported the framework, or None."""
    return next((parent for parent in _PACKAGE.parents if parent.is_file()), None)


def checked_folders(name: str, folders: object) -> list[Folder]:
    """Check folder paths, and return them as a new list. If a path is not valid, an error is raised
    that contains the name of the argument.
    """
    return [
        checked_path(f"{name}[{index}]", folder)
        for index, folder in enumerate(items(name, folders))
    ]


def find(name: str | os.PathLike[str], folders: Sequence[Folder] = ()) -> Path:
    """Return the path of an existing file ``name``.

    An absolute path is returned unchanged. A relative path is searched for in each of ``folders``,
    then in the current working directory. Raises `AssetError` if the file does not exist. The
    message suggests similar file names.
    """
    if not isinstance(name, str | os.PathLike):
        raise wrong_type("path", "a path", name)
    path = os.fspath(name)
    bases = list(dict.fromkeys([*(Path(folder) for folder in folders), Path.cwd()]))
    if os.path.isabs(path):
        bases = [Path(Path(path).anchor)]
    for candidate in [base / path for base in bases]:
        # os.path.isfile returns False if a name is too long or a folder must not be read.
        # Path.is_file raises an error for such paths.
        if os.path.isfile(candidate):
            return candidate
    raise _no_file(path, bases)


def _no_file(path: str, bases: Sequence[Path]) -> AssetError:
    """Return the error for a file that is in none of the folders ``bases``."""
    for candidate in [base / path for base in bases]:
        if os.path.isdir(candidate):
            return AssetError(
                f"{path!r} is a folder ({candidate}), and a file is needed. Name a file in it."
            )
    where = "" if os.path.isabs(path) else " in " + " or ".join(str(base) for base in bases)
    words = repr(path) if len(path) <= _MAX_TEXT else f"{path[:_MAX_TEXT]!r}…"
    return AssetError(f"There is no file {words}{where}. {_suggestion(path, bases)}")


def is_among(name: object, files: Set[str], folders: Sequence[Folder]) -> bool:
    """Return whether ``files`` contains the file that `find` returns for ``name``. ``files`` is a
    set of real paths (all links in the paths are resolved).
    """
    if not isinstance(name, str | os.PathLike) or os.path.basename(name) not in {
        os.path.basename(file) for file in files
    }:
        return False
    try:
        return os.path.realpath(find(name, folders)) in files
    except AssetError:
        return False


class RealPaths:
    """A cache for the real paths of many files. Each folder is resolved only once."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def path(self, path: str) -> str:
        """Return the real path of a file, in which all links are resolved."""
        beside = self.beside(path)
        return os.path.realpath(beside) if os.path.islink(beside) else beside

    def beside(self, path: str) -> str:
        """Return the path of a file or link, with the real path of its folder. If the file itself
        is a link, the link is not resolved.
        """
        folder, name = os.path.split(path)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder)
        return os.path.join(self._folders[folder], name)


class Reloadable:
    """The objects that are reloaded when their files change: sounds, models, maps, textures
    and effects.

    Drawables are not registered, because each scene reloads its own drawables.
    """

    objects: ClassVar[Any] = None
    """A dict from weak references to the objects, to the function that reloads each of them. None
    if no game is watching its files for changes.
    """

    @classmethod
    def start(cls) -> None:
        """Register all objects that are added from now on."""
        if cls.objects is None:
            cls.objects = WeakKeyDictionary()

    @classmethod
    def add(cls, loaded: T, renew: Callable[[T, Set[str]], bool]) -> None:
        """Call ``renew(loaded, files)`` when files change. ``files`` contains the paths of the
        changed files, and ``renew`` returns whether it has reloaded the object.

        `add` does nothing if no game is watching its files.
        """
        if cls.objects is not None:
            cls.objects[loaded] = renew

    @classmethod
    def functions(cls) -> list[Callable[[Set[str]], bool]]:
        """Return the functions that reload the registered objects, one per object."""
        return [partial(renew, loaded) for loaded, renew in (cls.objects or {}).items()]

    @classmethod
    def discard(cls, released: object) -> None:
        """Remove an object, because its GPU memory was released."""
        if cls.objects is not None:
            cls.objects.pop(released, None)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise `AssetError` if no file can be written at ``path``.

    Call this function before a long computation whose result will be written to a file.
    """
    where = os.path.abspath(path)
    folder = os.path.dirname(where)
    if os.path.isdir(where):
        reason = "it is a folder"
    elif not os.path.isdir(folder):
        reason = f"there is no folder {folder!r}"
    elif not os.access(where if os.path.exists(where) else folder, os.W_OK):
        reason = "there is no permission to"
    else:
        return
    raise AssetError(f"{os.fspath(path)!r} cannot be written: {reason}.")


def _suggestion(path: str, bases: Sequence[Path]) -> str:
    import difflib  # for errors only

    parts = Path(path).parts or ("",)
    ratios: dict[str, float] = {}
    for base in bases:
        depth, names = _first_gap(base, parts)
        matcher = difflib.SequenceMatcher(b=parts[depth])
        for name in names:
            candidate = Path(*parts[:depth], name)
            if name.lower() == parts[depth].lower():
                return (
                    f"There is {str(base / candidate)!r}: only upper and lower case differ, "
                    "and they count."
                )
            matcher.set_seq1(name)
            if matcher.quick_ratio() > 0.7:
                ratios[str(candidate)] = matcher.ratio()
    nearest = sorted(
        (name for name in ratios if ratios[name] > 0.7), key=lambda name: -ratios[name]
    )[:3]
    if nearest:
        return f"The nearest there is: {', '.join(map(repr, nearest))}."
    return "Put the file there, or give its absolute path."


def _first_gap(base: Path, parts: Sequence[str]) -> tuple[int, list[str]]:
    """Return how many of the folders in ``parts`` exist below ``base``, and the names in the last
    existing folder: those of its files if only the file is missing, otherwise those of its folders.
    """
    folder = base
    depth = 0
    while depth < len(parts) - 1 and os.path.isdir(folder / parts[depth]):
        folder /= parts[depth]
        depth += 1
    last = depth == len(parts) - 1
    names: list[str] = []
    with suppress(OSError, ValueError), os.scandir(folder) as entries:
        # Comparing names is slow, so only the first 2,000 names are compared.
        names = sorted(entry.name for entry in islice(entries, 2000) if entry.is_file() == last)
    return depth, names
