"""`framework freeze`: pack a game, Python and all libraries into a zip file for players.

First, the command plays the game for some frames, and packs it with PyInstaller. Then it plays the
packed game in another folder, without access to an installed Python. If both runs end with the same
state and the same image, the command writes the zip file.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from PIL import Image

from .. import resources
from ..assets.palettes import TEXT_ENDINGS as PALETTE_ENDINGS
from ..bench.progress import progress_bar
from ..errors import FrameworkError
from ..models.model import ENDINGS as MODEL_ENDINGS
from ..optional_packages import check_version
from ..text.fonts import ENDINGS as FONT_ENDINGS
from ..tiles import map_loading
from .frozen import CHECK
from .gamefiles import CommandError, compiled, find_game
from .new_game import DEVICES, slug_of, title_of
from .project import Project, game_here, project_folder, read_project

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGE = _ROOT / "framework"
_FRAMES = 120  # the number of frames that a check plays
_TIMEOUT = 300.0  # the time limit of a check in seconds
_MAX_FILES = 20_000  # the maximum number of files that are packed with a game
_MAX_BYTES = 2 << 30
# The maximum fraction of pixels that may differ between the two images of a check.
_MAX_DIFFERENT = 1e-3
_VISIBLE = 3  # players cannot see smaller differences of a color channel
_MAX_LINES = 12  # how many lines of a failed game's output are shown, at most
_OUTPUT = "dist"  # the default folder for the results
_PACKAGE_FOLDERS = ("site-packages", "dist-packages")
# If a folder contains one of these files or folders, it is a Python environment.
_ENVIRONMENT = ("pyvenv.cfg", "conda-meta")

EXCLUDED = (
    *("tkinter", "matplotlib", "tqdm", "IPython", "pytest", "_pytest", "hypothesis", "mypy"),
    *("trimesh", "av", "gymnasium", "pettingzoo", "dask", "distributed", "cloudpickle", "scipy"),
    *("slimgui", "zstandard", "PyInstaller", "setuptools", "pip", "lib2to3", "pydoc_data"),
)
"""Modules that the framework imports only during development or for special features. They are
packed only if the game's code imports them, or if they were imported during the check.
"""

_PACKAGES = (
    *("uharfbuzz", "xxhash", "miniaudio", "platformdirs", "pyrr"),
    *("rapier3d", "pymunk", "websockets", "subtick_sound"),
)
"""Packages that are packed with every game if they are installed."""

_DATA = frozenset({"shaders", "examples", "templates", "hooks", "__pycache__"})
# A packed game does not need the modules in these folders of the framework.
_OUTSIDE = _DATA | {"bench", "learn", "__main__"}
_TOOLS = frozenset({"__init__", "frozen", "gamefiles"})
_UNUSED = ("framework.bench", "framework.learn", "framework.tools.cli", "framework.sim.fixtures")

_ENDINGS = frozenset(
    [
        *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tga", ".avif", ".hdr", ".svg"),
        *(".wav", ".ogg", ".mp3", ".flac", ".opus"),
        *(*map_loading.ENDINGS, ".tsx", ".tsj", ".tx", ".tj", ".ldtkl", ".aseprite", ".ase"),
        *(*MODEL_ENDINGS, ".bin", ".mtl"),
        *(*FONT_ENDINGS, *PALETTE_ENDINGS, ".frag", ".vert", ".glsl", ".cube"),
        *(".json", ".txt", ".csv", ".toml", ".yaml", ".yml", ".xml", ".npy", ".npz", ".ini"),
    ]
)
_LEFT_OUT = frozenset(
    [
        *("dist", "build", "tests", "docs", "recordings", "venv", "env", "node_modules"),
        *("pyproject.toml", "requirements.txt", "setup.cfg", "tox.ini", "LICENSE.txt"),
    ]
)
"""Folders and files in a game's folder that are not packed, unless the settings of the game list
them.
"""


class FreezeArguments(Protocol):
    """The arguments of `framework freeze`."""

    game: str | None
    name: str | None
    version: str | None
    icon: str | None
    files: list[str]
    modules: list[str]
    output: str
    frames: int
    debug: bool
    progress: bool


class Plan(NamedTuple):
    """All settings for packing a game."""

    game: Path
    """The absolute path of the game's Python file."""
    folder: Path
    """The folder of the game's files: the folder of its pyproject.toml, or of its Python file."""
    title: str
    version: str
    icon: Path | None
    files: tuple[Path, ...]
    """The absolute paths of all files of the game except its Python files."""
    modules: tuple[str, ...]
    """The names of modules that the game imports, but that PyInstaller cannot find itself."""
    saves_folder: str
    debug: bool

    @property
    def slug(self) -> str:
        """The name of the program and of its folder."""
        slug = slug_of(self.title) or "game"
        return f"{slug}-game" if slug in DEVICES else slug

    @property
    def archive(self) -> str:
        """The name of the zip file without ``.zip``: the title, the version and the operating
        system.
        """
        system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
        version = re.sub(r"[^\w.+-]+", "-", self.version)
        return f"{self.slug}-{version}-{system}-{platform.machine().lower()}"


# -- for PyInstaller's hook ------------------------------------------------------------------------


def hook_folders() -> list[str]:
    """Return the folders that contain the framework's hooks for PyInstaller. PyInstaller finds this
    function as an entry point of the package.
    """
    return [str(resources.folder("hooks"))]


def modules_of_framework() -> list[str]:
    """Return the names of all framework modules that a packed game may use, and of the installed
    packages that these modules need. PyInstaller cannot find these modules itself, because the
    framework imports most modules only when a game uses one of their names.
    """
    names = [name for name in _PACKAGES if importlib.util.find_spec(name) is not None]
    for path in sorted(_PACKAGE.rglob("*.py")):
        parts = path.relative_to(_PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        room = parts[1] if len(parts) > 1 else ""
        if room not in _OUTSIDE and (room != "tools" or parts[-1] in _TOOLS):
            names.append(name)
    return names


def files_of_framework() -> list[tuple[str, str]]:
    """Return the files that the framework reads, such as shaders, fonts and lists of names, but no
    examples. Each file is a pair: its path, and its folder in the packed program.
    """
    pairs = []
    shaders = resources.folder("shaders")
    for path in sorted(shaders.rglob("*")):
        if path.is_file():
            pairs.append((path, Path("framework", "shaders") / path.relative_to(shaders).parent))
    for path in sorted(_PACKAGE.rglob("*")):
        part = path.relative_to(_PACKAGE)
        if path.is_file() and path.suffix not in (".py", ".pyc") and not _DATA & {*part.parts}:
            pairs.append((path, Path("framework") / part.parent))
    return [(str(path), str(folder)) for path, folder in pairs]


# -- the command -----------------------------------------------------------------------------------


def freeze(arguments: FreezeArguments) -> Path:
    """Pack a game, check the packed game, and write the zip file. Return the path of the zip file.

    Raises `CommandError` if the game fails, if files are missing, or if the packed game behaves
    differently. If an error is raised, no zip file is written.
    """
    game, folder = _game_and_folder(arguments.game)
    compiled(game)
    project = read_project(folder)
    _check_library()
    output = Path(arguments.output).absolute()
    steps = _Steps()
    with _work_folder(output) as work:
        steps.begin("The game runs for a moment, to find its files")
        before = _check_run(_python_command(game), work / "before", arguments.frames, game)
        plan = planned(game, project, arguments, before.report, folder)
        steps.note(_describe(plan))
        steps.begin("PyInstaller packs the game; this takes about a minute")
        packed = _pack(plan, work, before.report, arguments.progress)
        steps.begin("The packed game runs, without Python and in another folder")
        program = packed / _program_name(plan)
        after = _check_run([str(program)], work / "after", arguments.frames, game, hidden=True)
        compare(before, after)
        steps.note(
            f"state {after.report['hash']} and image are equal after {after.report['ticks']} "
            f"ticks; first image after {after.report['first_picture']:.1f} s"
        )
        steps.begin("The zip file is written")
        archive = output / f"{plan.archive}.zip"
        folder = output / plan.slug
        _check_replaceable(folder)
        _zip(packed, work / "game.zip", arguments.progress)
        _replace(packed, folder)
        os.replace(work / "game.zip", archive)
        if arguments.debug:
            _replace(work / "pyinstaller", output / f"{plan.slug}-build")
    print(
        f"\n{archive}: {_megabytes(archive.stat().st_size)}\n"
        f"{folder}: {_megabytes(_size_of(folder))}\n"
        f"Players unpack the zip file and start {_program_name(plan)!r} in it. On another system, "
        "run this command there."
    )
    return archive


def _game_and_folder(name: str | None) -> tuple[Path, Path]:
    """Return two absolute paths: a game's Python file, and the folder with the game's settings. If
    ``name`` is None, use the game in the working directory.
    """
    if name is not None:
        game = find_game(name)[0].resolve()
        return game, project_folder(game)
    game = game_here().resolve()
    folder = Path().resolve()
    if not game.is_relative_to(folder):
        raise CommandError(
            f"The game {str(game)!r} is not in the folder {str(folder)!r}. Run the command in the "
            "folder of the game."
        )
    return game, folder


def _check_library() -> None:
    if importlib.util.find_spec("PyInstaller") is None:
        raise FrameworkError("freeze: PyInstaller is not installed: pip install 'subtick[freeze]'")
    check_version("pyinstaller", "framework freeze")


class _Steps:
    """Prints the steps of the command, and how long each step takes."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def begin(self, text: str) -> None:
        print(f"[{time.monotonic() - self._start:4.0f} s] {text} …", flush=True)

    def note(self, text: str) -> None:
        for line in text.splitlines():
            print(f"         {line}", flush=True)


@contextlib.contextmanager
def _work_folder(output: Path) -> Iterator[Path]:
    """Return a context manager that yields a temporary folder inside the folder ``output``. The
    temporary folder is removed at the end. If ``output`` did not exist before and is empty at the
    end, ``output`` is removed, too.
    """
    existed = output.exists()
    try:
        output.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=".freeze-", dir=output))
    except OSError as error:
        raise CommandError(
            f"--output: {str(output)!r} cannot be written: {error.strerror}"
        ) from None
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        if not existed:
            with contextlib.suppress(OSError):
                output.rmdir()


def planned(
    game: Path,
    project: Project,
    arguments: FreezeArguments,
    report: dict[str, Any],
    folder: Path | None = None,
) -> Plan:
    """Return the settings for packing a game. Command-line options override the settings in
    pyproject.toml. The settings in pyproject.toml override the options that the game passes to
    `fw.run`. ``report`` is the report from the first check of the game. ``folder`` is the folder
    that contains pyproject.toml. By default, ``folder`` is the folder of the game's Python file.

    Raises `CommandError` if a file or an option is not valid.
    """
    folder = game.parent if folder is None else folder
    title = arguments.name or project.title or _title(game, report)
    version = arguments.version or project.version or "1.0"
    if not slug_of(title):
        raise CommandError(f"--name: expected at least one letter a to z or digit, got {title!r}")
    icon_path = _icon(arguments.icon, project.icon, report["icon"], folder, game)
    saves_folder = report["saves_folder"]
    plan = Plan(game, folder, title, version, icon_path, (), (), saves_folder, arguments.debug)
    own = GameFolder(folder, _results(plan, Path(arguments.output).resolve()))
    chosen = (*arguments.files, *project.files)
    chosen_files = _named_files(own, chosen) if chosen else files_beside(own, game.parent)
    files = [*chosen_files, *_opened_files(own, report["opened"])]
    if icon_path is not None and icon_path.is_relative_to(folder):
        files.append(icon_path)
    local = _local_modules(own, report["modules"])
    modules = (*arguments.modules, *project.modules, *local, *_optional(report["modules"]))
    return plan._replace(files=tuple(dict.fromkeys(files)), modules=tuple(dict.fromkeys(modules)))


def _opened_files(own: GameFolder, opened: Iterable[str]) -> list[Path]:
    """Return the files of the game's folder that the game has read, except its code. Raises
    `CommandError` if the game has read a file that other computers do not have.
    """
    files = []
    outside = []
    for name in opened:
        path = Path(name)
        if path.suffix in (".py", ".pyc") or not path.is_file() or own.has_installed(path):
            continue
        if path.is_relative_to(own.path):
            files.append(path)
        elif _is_strange(path):
            outside.append(name)
    if outside:
        raise CommandError(
            f"The game reads {outside[0]!r}, which is not in the folder {str(own.path)!r}. Other "
            "computers do not have this file: put it into the folder of the game."
        )
    return files


def _local_modules(own: GameFolder, modules: dict[str, str]) -> list[str]:
    """Return the modules in the game's folder that the game has imported. ``modules`` is a dict
    from names to files.
    """
    return [
        name
        for name, file in modules.items()
        if name != "__main__"
        and Path(file).is_relative_to(own.path)
        and not own.has_installed(Path(file))
    ]


def _title(game: Path, report: dict[str, Any]) -> str:
    stem = re.sub(r"^\d+_", "", game.stem)
    title: str = report["title"]
    return title or title_of(stem)


def _optional(modules: Iterable[str]) -> list[str]:
    """Return the modules of optional packages that the game has used, for example rapier3d."""
    names = {name.partition(".")[0] for name in modules}
    return sorted(names & {*EXCLUDED, *_PACKAGES})


def _is_strange(path: Path) -> bool:
    """Return whether a file that the game has opened belongs to neither the operating system nor
    Python.
    """
    if path.suffix.lower() not in _ENDINGS or path.name.startswith("."):
        return False
    packages = [name for name in sys.path if name.endswith(_PACKAGE_FOLDERS)]
    folders = [sys.prefix, sys.base_prefix, *packages, str(_PACKAGE), str(_ROOT / "shaders")]
    folders += [str(Path.home() / ".cache"), str(Path.home() / ".config"), tempfile.gettempdir()]
    folders += ["/usr", "/etc", "/lib", "/proc", "/sys", "/dev", "/opt", "/System", "/Library"]
    return not any(path.is_relative_to(folder) for folder in folders)


class GameFolder:
    """The folder of a game's files, without files in it that are not part of the game: hidden
    files, virtual environments, installed packages, Python's standard library, and packed games.
    """

    def __init__(self, path: Path, results: Iterable[Path] = ()) -> None:
        self.path = path
        self._results = frozenset(results)
        packages = [name for name in sys.path if name.endswith(_PACKAGE_FOLDERS)]
        names = [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), *packages]
        names.append(str(_PACKAGE))
        folders = {path for name in names for path in (Path(name), Path(name).resolve())}
        # Accept a game in /usr/src, although /usr is one of Python's folders.
        self.installed = sorted(folder for folder in folders if path in folder.parents)

    def has_installed(self, path: Path) -> bool:
        """Return whether a file in this folder belongs to Python or to an installed package."""
        if not path.is_relative_to(self.path):
            return False
        parts = path.relative_to(self.path).parts
        return not {*parts}.isdisjoint(_PACKAGE_FOLDERS) or any(
            path.is_relative_to(folder) for folder in self.installed
        )

    def walk(self, start: Path, left_out: frozenset[str]) -> Iterator[os.DirEntry[str]]:
        """Iterate over the game's files and folders inside the folder ``start``, including
        subfolders. ``left_out`` contains the names of additional files and folders to leave out.
        Links to folders are not followed.
        """
        waiting = [start]
        while waiting:
            try:
                entries = sorted(os.scandir(waiting.pop()), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                if entry.name in left_out or self._is_foreign(entry):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                yield entry

    def _is_foreign(self, entry: os.DirEntry[str]) -> bool:
        """Return whether a file or folder is not part of the game, such as a hidden file."""
        if entry.name.startswith(".") or entry.name == "__pycache__":
            return True
        path = Path(entry.path)
        if path in self._results or self.has_installed(path):
            return True
        is_folder = entry.is_dir(follow_symlinks=False)
        return is_folder and any((path / name).exists() for name in _ENVIRONMENT)


def _results(plan: Plan, output: Path) -> list[Path]:
    """Return the paths of the files and folders that the command creates for a game, in the folder
    ``output`` and in the default folder.
    """
    if plan.game.is_relative_to(output):  # `output` also contains the game's own files
        written = [output / name for name in (plan.slug, f"{plan.slug}-build")]
        written.append(output / f"{plan.archive}.zip")
    else:
        written = [output]
    return [*written, plan.folder / _OUTPUT, plan.game.parent / _OUTPUT]


def files_beside(own: GameFolder, folder: Path) -> list[Path]:
    """Return all images, sounds, maps, models, shaders, fonts and text files in a game's folder and
    its subfolders. Hidden files, tests and build outputs are left out.

    Raises `CommandError` if there are too many files.
    """
    files: list[Path] = []
    size = 0
    for count, entry in enumerate(own.walk(folder, _LEFT_OUT), 1):
        path = Path(entry.path)
        if (
            path.suffix.lower() in _ENDINGS
            and entry.is_file(follow_symlinks=False)
            and not any(part.startswith("__") for part in path.relative_to(folder).parts)
        ):
            files.append(path)
            size += entry.stat().st_size
        if count > _MAX_FILES or size > _MAX_BYTES:
            raise CommandError(
                f"{str(folder)!r} has more than {_MAX_FILES:,} files, or more than "
                f"{_megabytes(_MAX_BYTES)} of files. Name the files and folders of the game: "
                "--files art levels"
            )
    return sorted(files)


def _named_files(own: GameFolder, names: Iterable[str]) -> list[Path]:
    folder = own.path
    files: list[Path] = []
    for name in names:
        path = Path(os.path.normpath(folder / name))
        if not path.resolve().is_relative_to(folder):
            raise CommandError(f"--files: expected a path in {str(folder)!r}, got {name!r}")
        if path.is_dir():
            entries = own.walk(path, frozenset())
            paths = [Path(entry.path) for entry in entries if entry.is_file()]
            files += sorted(file for file in paths if file.suffix != ".pyc")
        elif path.is_file():
            files.append(path)
        else:
            raise CommandError(f"--files: there is no file or folder {name!r} in {str(folder)!r}")
    return files


def _icon(
    option: str | None, setting: str | None, argument: str | None, folder: Path, game: Path
) -> Path | None:
    """Return the path of a game's icon, or None. ``option`` is relative to the working directory.
    ``setting`` is relative to the folder of pyproject.toml. ``argument`` (from `fw.run`) is
    relative to the game's folder.
    """
    candidates = (
        ("--icon", option, Path.cwd()),
        ("pyproject.toml: icon", setting, folder),
        ("fw.run: icon", argument, game.parent),
    )
    for origin, name, start in candidates:
        if not name:
            continue
        path = start / name
        if not path.is_file():
            raise CommandError(f"{origin}: there is no file {name!r} in {str(start)!r}")
        try:
            with Image.open(path) as image:
                image.verify()
        except (OSError, SyntaxError, ValueError) as error:
            raise CommandError(f"{origin}: {name!r} is not an image: {error}") from None
        return path.resolve()
    return None


def _describe(plan: Plan) -> str:
    """Return text that lists the settings of a packed game and the folders of its files."""
    sizes: dict[str, list[int]] = {}
    for path in plan.files:
        part = path.relative_to(plan.folder)
        name = part.parts[0] + "/" if len(part.parts) > 1 else part.name
        sizes.setdefault(name, []).append(path.stat().st_size)
    lines = [f"{plan.title} {plan.version}, from {plan.game.name}"]
    lines += [
        f"  {name:<24} {len(entries):>4} files  {sum(entries) / 1e6:7.2f} MB"
        if name.endswith("/")
        else f"  {name:<24} {'':>10}  {sum(entries) / 1e6:7.2f} MB"
        for name, entries in sizes.items()
    ]
    return "\n".join(lines)


# -- checks ----------------------------------------------------------------------------------------


class Checked(NamedTuple):
    """The result of a check: the report about the game, and the path of an image that shows its
    last frame.
    """

    report: dict[str, Any]
    picture: Path


def _python_command(game: Path) -> list[str]:
    code = "import sys; from framework.tools.frozen import check_file; sys.exit(check_file(*sys.argv[1:]))"
    return [sys.executable, "-c", code, str(game)]


def _run_silently(
    command: list[str], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, and collect its output instead of printing it."""
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=_TIMEOUT,
        check=False,
    )


def _check_run(
    command: list[str], folder: Path, frames: int, game: Path, hidden: bool = False
) -> Checked:
    """Play a game in a new process, in an empty folder. If ``hidden`` is True, the environment
    variables of the process do not lead to any installed Python.
    """
    folder.mkdir()
    report = folder / "report.json"
    picture = folder / "picture.png"
    order = json.dumps(
        {
            "report": str(report),
            "picture": str(picture),
            "frames": frames,
            "start": time.time(),
        }
    )
    if hidden:
        environment = {**_environment_without_python(), CHECK: order}
    else:
        environment = _environment_with_framework()
        command = [*command, order]
    try:
        done = _run_silently(command, folder, environment)
    except subprocess.TimeoutExpired:
        raise CommandError(
            f"{game.name}: {frames} frames have taken more than {_TIMEOUT:.0f} s; pass fewer: "
            "--frames 30"
        ) from None
    except OSError as error:
        raise CommandError(f"{command[0]!r} cannot be started: {error.strerror}") from None
    if done.returncode or not report.is_file():
        subject = f"The packed game of {game.name}" if hidden else f"{game.name}"
        hint = (
            "A file or module may be missing: add it with --files or --modules."
            if hidden
            else "Repair the game first: framework run shows the error, too."
        )
        last = _last_lines(done.stdout.splitlines())
        raise CommandError(f"{subject} has failed, and nothing was packed.\n{last}\n{hint}")
    result: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return Checked(result, picture)


def _environment_with_framework() -> dict[str, str]:
    """Return environment variables with which Python finds this copy of the framework."""
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def _environment_without_python() -> dict[str, str]:
    """Return environment variables with which no installed Python can be found."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTHON") and name not in ("PATH", "VIRTUAL_ENV")
    }


def _last_lines(lines: list[str]) -> str:
    return "\n".join(f"    {line}" for line in lines[-_MAX_LINES:])


def compare(before: Checked, after: Checked) -> None:
    """Raise `CommandError` if the state or the image of the packed game differs from that of the
    game.
    """
    for name, what in (("ticks", "number of ticks"), ("hash", "state")):
        first = before.report[name]
        second = after.report[name]
        if first != second:
            raise CommandError(
                f"The {what} of the packed game is {second}, and that of the game is {first}. A "
                "game must give the same result in each run: `framework synctest` finds the "
                "reason, such as the time of the day or random numbers without self.random."
            )
    if not before.report["drawing"]:
        return
    first_image, second_image = (_pixels(check.picture) for check in (before, after))
    if first_image.shape != second_image.shape:
        raise CommandError(
            f"The image of the packed game has the size {second_image.shape[1::-1]}, and that of "
            f"the game {first_image.shape[1::-1]}."
        )
    off = np.abs(first_image.astype(int) - second_image).max(axis=-1) > _VISIBLE
    if off.mean() > _MAX_DIFFERENT:
        raise CommandError(
            f"{100 * off.mean():.1f} % of the pixels of the packed game differ from the game. A "
            "file may be missing: add it with --files."
        )


def _pixels(path: Path) -> Any:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"))


# -- PyInstaller -----------------------------------------------------------------------------------


def _program_name(plan: Plan) -> str:
    return f"{plan.slug}.exe" if sys.platform == "win32" else plan.slug


def _pack(plan: Plan, work: Path, report: dict[str, Any], progress: bool) -> Path:
    """Run PyInstaller, and return the folder that contains the packed game."""
    build = work / "pyinstaller"
    build.mkdir()
    (build / "start_game.py").write_text(start_file(plan), encoding="utf-8")
    spec = build / "game.spec"
    spec.write_text(spec_file(plan, build), encoding="utf-8")
    command = [sys.executable, "-m", "PyInstaller", str(spec), "--noconfirm"]
    command += ["--distpath", str(work / "packed"), "--workpath", str(build / "work")]
    status, lines = _run_with_progress(command, build, progress)
    (build / "log.txt").write_text("\n".join(lines), encoding="utf-8")
    packed = work / "packed" / plan.slug
    if status or not (packed / _program_name(plan)).is_file():
        raise CommandError(f"PyInstaller has failed, and nothing was packed.\n{_last_lines(lines)}")
    _strip_python(packed)
    return packed


def _run_with_progress(command: list[str], folder: Path, progress: bool) -> tuple[int, list[str]]:
    """Run PyInstaller in ``folder``. Return its exit status, and the lines that it prints."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=_environment_with_framework(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    lines: list[str] = []
    try:
        assert process.stdout is not None
        with progress_bar(_EXPECTED_LINES, "line", progress, "packing") as bar:
            for line in process.stdout:
                lines.append(line.rstrip())
                bar.update()
        return process.wait(), lines
    except BaseException:  # for example after Ctrl-C
        process.kill()
        process.wait()
        raise


def _strip_python(packed: Path) -> None:
    """Remove the debugging symbols from Python's library: they are two thirds of its size. NumPy's
    libraries are not changed, because the program `strip` would damage them.
    """
    program = shutil.which("strip")
    if program is None or not sys.platform.startswith("linux"):
        return
    for library in (packed / "_internal").glob("libpython*.so*"):
        if not library.is_symlink():
            command = [program, "--strip-unneeded", str(library)]
            subprocess.run(command, stderr=subprocess.DEVNULL, check=False)


_EXPECTED_LINES = 90  # PyInstaller prints about this many lines for a small game


def start_file(plan: Plan) -> str:
    """Return the text of the Python file that starts a packed game."""
    icon = None
    if plan.icon is not None:
        inside = plan.icon.is_relative_to(plan.folder)
        icon = plan.icon.relative_to(plan.folder).as_posix() if inside else plan.icon.name
    game = plan.game.relative_to(plan.folder).as_posix()
    arguments = (game, plan.title, plan.version, plan.saves_folder, icon, plan.debug)
    return f"import sys\n\nfrom framework.tools.frozen import main\n\nsys.exit(main{arguments!r})\n"


def spec_file(plan: Plan, build: Path) -> str:
    """Return the text of the spec file with which PyInstaller packs a game."""
    datas = [
        (str(path), str(Path("game") / path.relative_to(plan.folder).parent))
        for path in (*plan.files, plan.game)
    ]
    if plan.icon is not None and not plan.icon.is_relative_to(plan.folder):
        datas.append((str(plan.icon), "game"))
    values = {
        "SLUG": plan.slug,
        "TITLE": plan.title,
        "VERSION": plan.version,
        "NUMBERS": _four_numbers(plan.version),
        "ICON": None if plan.icon is None else str(plan.icon),
        "DEBUG": plan.debug,
        "GAME": str(plan.game),
        "FOLDER": str(plan.folder),
        "INSTALLED": [str(path) for path in GameFolder(plan.folder).installed],
        "START": str(build / "start_game.py"),
        "DATAS": datas,
        "MODULES": list(plan.modules),
        "EXCLUDED": sorted({*EXCLUDED, *_UNUSED, *_unused_parts(plan)} - {*plan.modules}),
        "HOOKS": hook_folders(),
    }
    head = "\n".join(f"{name} = {value!r}" for name, value in values.items())
    return f"{head}\n\n{(resources.folder('hooks') / 'game.spec').read_text(encoding='utf-8')}"


def _unused_parts(plan: Plan) -> set[str]:
    """Return large modules that this game does not need. The AVIF decoder is not needed if the game
    has no AVIF image. The physics libraries are not needed if the game's files do not mention
    physics.
    """
    has_avif = any(path.suffix.lower() == ".avif" for path in plan.files)
    unused = set() if has_avif else {"PIL.AvifImagePlugin", "PIL._avif"}
    for entry in GameFolder(plan.folder).walk(plan.folder, frozenset()):
        if entry.name.endswith(".py") and entry.is_file():
            with contextlib.suppress(OSError):
                if b"Physics" in Path(entry.path).read_bytes():
                    return unused
    return unused | {"rapier3d", "pymunk"}


def _four_numbers(version: str) -> tuple[int, ...]:
    """Convert a version to four numbers, as Windows stores versions."""
    numbers = [min(int(text), 65535) for text in re.findall(r"\d+", version)][:4]
    return (*numbers, *(0,) * (4 - len(numbers)))


# -- the result ------------------------------------------------------------------------------------


def _zip(folder: Path, archive: Path, progress: bool) -> None:
    """Write a folder into a zip file. Links are stored as links, and programs are still executable
    after unpacking.
    """
    paths = sorted(path for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    with (
        zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target,
        progress_bar(len(paths), "file", progress, "zipping") as bar,
    ):
        for path in paths:
            name = (Path(folder.name) / path.relative_to(folder)).as_posix()
            if path.is_symlink():
                info = zipfile.ZipInfo(name)
                info.create_system = 3  # 3 means Unix, which has symbolic links
                info.external_attr = 0o120777 << 16
                target.writestr(info, os.readlink(path))
            else:
                target.write(path, name)
            bar.update()


def _check_replaceable(folder: Path) -> None:
    """Raise `CommandError` if ``folder`` exists but was not created by this command."""
    if folder.exists() and not (folder / "_internal" / "framework").is_dir():
        raise CommandError(
            f"{str(folder)!r} exists, and is not a packed game; move it, or choose another folder: "
            "--output DIR"
        )


def _replace(source: Path, target: Path) -> None:
    if target.is_dir():
        shutil.rmtree(target)
    os.replace(source, target)


def _size_of(folder: Path) -> int:
    return sum(
        path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    )


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB"
