"""Where files are: the project's own shaders and examples, and those that a game asks for by
name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence, Set
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from .checks import items, wrong_type
from .checks import path as checked_path
from .errors import AssetError

Folder = str | os.PathLike[str]

_LONGEST = 255  # characters of a path in an error

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """The folder ``shaders`` or ``examples``, inside the wheel or beside the package in a checkout,
    absolute.
    """
    inside, beside = _PACKAGE / name, _PACKAGE.parent / name
    if not (inside.is_dir() or beside.is_dir()) and _zipped():
        raise AssetError(
            f"The framework is in the archive {str(_zipped())!r}, where its {name} "
            "cannot be read as files. "
            "Unpack it, or install it: pip install subtick"
        )
    return inside if inside.is_dir() else beside


def _zipped() -> Path | None:
    """The archive that the package was imported from, if it was."""
    return next((parent for parent in _PACKAGE.parents if parent.is_file()), None)


def checked_folders(name: str, folders: object) -> list[Folder]:
    """Folders that a game names, in a list of the caller's own."""
    return [
        checked_path(f"{name}[{place}]", folder)
        for place, folder in enumerate(items(name, folders))
    ]


def find(name: str | os.PathLike[str], folders: Sequence[Folder] = ()) -> Path:
    """The file that ``name`` means.

    An absolute path is taken as it is. A relative one is looked up in each of ``folders`` in order,
    then in the current working directory. AssetError when there is no such file; it names the
    nearest ones there are.
    """
    if not isinstance(name, str | os.PathLike):
        raise wrong_type("path", "a path", name)
    asked = os.fspath(name)
    bases = list(dict.fromkeys([*(Path(folder) for folder in folders), Path.cwd()]))
    if os.path.isabs(asked):
        bases = [Path(Path(asked).anchor)]
    places = [base / asked for base in bases]
    for place in places:
        # os.path and not Path.is_file: it answers False where Path raises (a name too long, no
        # permission).
        if os.path.isfile(place):
            return place
    for place in places:
        if os.path.isdir(place):
            raise AssetError(
                f"{asked!r} is a folder ({place}), and a file is needed. Name a file in it."
            )
    where = "" if os.path.isabs(asked) else " in " + " or ".join(str(base) for base in bases)
    words = repr(asked) if len(asked) <= _LONGEST else f"{asked[:_LONGEST]!r}…"
    raise AssetError(f"There is no file {words}{where}. {_suggestion(asked, bases)}")


def is_among(name: object, files: Set[str], folders: Sequence[Folder]) -> bool:
    """Whether a path, as `find` takes it, means one of these files (real paths)."""
    if not isinstance(name, str | os.PathLike) or os.path.basename(name) not in {
        os.path.basename(one) for one in files
    }:
        return False
    try:
        return os.path.realpath(find(name, folders)) in files
    except AssetError:
        return False


class RealPaths:
    """`os.path.realpath` of many files: it asks for each folder on the way, which is done here once
    for a folder.
    """

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def path(self, path: str) -> str:
        """Of a file."""
        beside = self.beside(path)
        return os.path.realpath(beside) if os.path.islink(beside) else beside

    def beside(self, path: str) -> str:
        """Of the folder that a file, or a link to it, is in, and its name there."""
        folder, name = os.path.split(path)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder)
        return os.path.join(self._folders[folder], name)


class Renewed:
    """What is made of files and is drawn in no scene: a sound, a map. Kept only while a game is
    watched for changes.
    """

    known: ClassVar[Any] = None
    """A set that refers to them weakly; None while nobody asks. Each has ``renew(files)``, as a
    drawable.
    """


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise `AssetError` where no file could be written: before minutes are spent on what is to be
    in it.
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


def _suggestion(asked: str, bases: Sequence[Path]) -> str:
    import difflib  # for errors only

    parts = Path(asked).parts or ("",)
    near: dict[str, float] = {}
    for base in bases:
        depth, names = _first_gap(base, parts)
        matcher = difflib.SequenceMatcher(b=parts[depth])
        for name in names:
            there = Path(*parts[:depth], name)
            if name.lower() == parts[depth].lower():
                return (
                    f"There is {str(base / there)!r}: only upper and lower case differ, "
                    "and they count."
                )
            matcher.set_seq1(name)
            if matcher.quick_ratio() > 0.7:
                near[str(there)] = matcher.ratio()
    nearest = sorted((name for name in near if near[name] > 0.7), key=lambda name: -near[name])[:3]
    if nearest:
        return f"The nearest there is: {', '.join(map(repr, nearest))}."
    return "Put the file there, or give its absolute path."


def _first_gap(base: Path, parts: Sequence[str]) -> tuple[int, list[str]]:
    """The number of the first part that is not in ``base``, and the names that are there in its
    place.
    """
    folder, depth = base, 0
    while depth < len(parts) - 1 and os.path.isdir(folder / parts[depth]):
        folder /= parts[depth]
        depth += 1
    last = depth == len(parts) - 1
    names: list[str] = []
    with suppress(OSError, ValueError), os.scandir(folder) as entries:
        # Comparing names is slow; of a folder with more than these, only a part is compared.
        names = sorted(entry.name for entry in islice(entries, 2000) if entry.is_file() == last)
    return depth, names
