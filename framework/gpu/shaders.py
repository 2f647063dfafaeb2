"""Load GLSL shaders with their includes, and report errors with file and line.

The loader replaces each include with the text of its file, so the driver compiles one long text.
The line numbers in the driver's error messages refer to this text. ``ShaderSource`` converts them
to the original file and line number. The GLSL directive ``#line`` cannot do this reliably: with
``#line``, Mesa reports the number of the file only for syntax errors, and in GLSL versions before
3.30, the line numbers are also off by one.
"""

from __future__ import annotations

import functools
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from .. import resources
from ..checks import shown, text, wrong_type, wrong_value
from ..errors import ShaderError
from .gl import moderngl

VERSION = "#version 330 core"

_MAX_INCLUDES = 100  # maximum depth of files that include each other
_IS_SOURCE = re.compile(r"[\n{};]")  # characters that are never part of a file name
_COMMENT = re.compile(r"//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_DIRECTIVE = re.compile(r"\s*#\s*(include|version|line)\b")
_INCLUDE = re.compile(r'#\s*include\s*(?:"([^"]+)"|<([^>]+)>|([A-Za-z_]\w*)(?![\w.]))')
_MACRO = re.compile(r"(?!gl_|GL_|\w*__)[A-Za-z_]\w*", re.ASCII)

# An error message begins with moderngl's banner, followed by the driver's lines. Mesa writes
# `0:12(5): error: …`, NVIDIA `0(12) : error C1008: …`, and AMD, Intel and Apple `ERROR: 0:12: …`.
_BANNER = re.compile(r"GLSL (Compiler|Linker) failed\s+(\w+)\s+=+\n(.*)", re.DOTALL)
_PLACE = re.compile(r"(?:(ERROR|WARNING): *)?(\d+(?::(\d+)|\((\d+)\)))(?:\(\d+\))?\s*:\s*(.*)")
_ERROR = re.compile(r"(?:\w+ )?error\b(?: C\d+| ?\(#\d+\))?:? *", re.IGNORECASE)
_STAGE = re.compile(r"(vertex|fragment|geometry)\b", re.IGNORECASE)

# The dtype of a uniform, by the last letter of moderngl's format.
_DTYPES: dict[str, np.dtype[Any]] = {
    "f": np.dtype("f4"),
    "d": np.dtype("f8"),
    "i": np.dtype("i4"),
    "I": np.dtype("u4"),
}


@dataclass(frozen=True, slots=True)
class ShaderSource:
    """GLSL code in which all includes are already inserted, so that the driver can compile it. A
    `ShaderSource` also contains the original file and line number of each line.

    ``text`` is the GLSL code. In ``text``, each include is replaced with the text of its file.
    ``files`` contains the path of the shader, followed by the paths of its includes. If the shader
    was passed as a string, the first path in ``files`` is "<source>". ``lines[i]`` is the origin of
    line i of ``text``: an index in ``files``, and a line number. The index ``i`` starts at 0, and
    line numbers start at 1.
    """

    text: str
    files: tuple[str, ...]
    lines: tuple[tuple[int, int], ...]

    @property
    def name(self) -> str:
        """The name of the shader file, without folders."""
        return os.path.basename(self.files[0])

    def place(self, line: int) -> tuple[str, int]:
        """Return the path of the file that a line comes from, and the line number in the file.
        ``line`` is a line number in ``text``.

        All line numbers start at 1.
        """
        file, number = self.lines[min(max(line, 1), len(self.lines)) - 1]
        return self.files[file], number


def is_source(name: str) -> bool:
    """Return whether ``name`` is GLSL code and not a file name."""
    return _IS_SOURCE.search(name) is not None


def checked_shader(name: str, value: object) -> str:
    """Check an argument that is a shader: GLSL code or a file name. Return it.

    Raises `TypeError` if the argument is not a string, and `ValueError` if it is empty.
    """
    source = text(name, value)
    if not source.strip():
        raise wrong_value(name, "a file's name, or GLSL", value)
    return source


def load(
    name: str,
    folders: Sequence[resources.Folder] = (),
    defines: Mapping[str, str | int | float] | None = None,
) -> ShaderSource:
    """Load a shader file, such as "sprite.vert". Replace each ``#include "file"`` in the shader
    with the text of the file.

    The function first searches ``folders`` for the shader, in the order of the list. If no folder
    contains the shader, the function searches the folder of the framework. For an include, the
    function first searches the folder of the including file. If the folder of the including file
    does not contain the include, the function searches the folders for shaders. In each folder, the
    function also searches the subfolder ``include``. The first ``#include`` of a file inserts the
    file's text, even inside an ``#if``. Including the same file again inserts nothing. ``#include
    NAME`` without quotes includes the file whose name is ``defines["NAME"]``. A ``name`` with a
    line break, a brace or a semicolon is treated as GLSL code, not as a file name.

    The loaded text begins with the ``#version`` line of the shader, or with ``#version 330 core``.
    After the ``#version`` line, the loaded text has a ``#define`` line for each remaining name in
    ``defines``.

    Raises `ShaderError` if a file is missing or unreadable, or if ``#version`` is not the first
    line. Raises `ValueError` or `TypeError` if an item of ``defines`` is invalid.
    """
    defines = defines or {}
    own = resources.folder("shaders")
    if is_source(name):
        return _expand(name, [*folders, own], defines)[0]
    # the `repr` of the defines, because their order matters and 1 differs from 1.0
    key = (own, *(os.fspath(folder) for folder in folders), name, repr(defines))
    cached = _cache.get(key)
    if cached is not None and cached.is_current():
        return cached.source
    source, missing = _expand(name, [*folders, own], defines)
    real = os.path.join(os.path.realpath(own), "")
    # A game's own shader is not cached, because the file may change twice within the resolution of
    # its modification time.
    if all(file.startswith(real) for file in source.files):
        if len(_cache) == _MAX_CACHED:
            _cache.clear()
        _cache[key] = _Cached(source, _stamps(source.files), tuple(dict.fromkeys(missing)))
    return source


@dataclass(frozen=True, slots=True)
class _Cached:
    """A shader in the cache of `load`. ``stamps`` contains the modification time and the size of
    each file of the shader. ``missing`` contains the paths where `load` did not find a file. If a
    file is created at a path in ``missing``, `load` must read the shader again.
    """

    source: ShaderSource
    stamps: list[tuple[int, int]]
    missing: tuple[str, ...]

    def is_current(self) -> bool:
        appeared = any(map(os.path.isfile, self.missing))
        return not appeared and self.stamps == _stamps(self.source.files)


# the cache is global, because all games use the same few shaders
_cache: dict[tuple[object, ...], _Cached] = {}
_MAX_CACHED = 200


def _stamps(files: Iterable[str]) -> list[tuple[int, int]]:
    """Return the modification time and the size of each file. If one of the files does not exist,
    return an empty list.
    """
    try:
        return [(status.st_mtime_ns, status.st_size) for status in map(os.stat, files)]
    except OSError:
        return []


def _expand(
    name: str, folders: Sequence[resources.Folder], defines: Mapping[str, str | int | float]
) -> tuple[ShaderSource, list[str]]:
    """Read a shader with its includes, and return the shader. Also return a list of all paths where
    `load` did not find a file.
    """
    expansion = _Expansion(folders, defines)
    if is_source(name):
        expansion.add("<source>", name)
    else:
        expansion.add_file(_find(name, expansion.folders, "", missing=expansion.missing))
    source = expansion.source(
        _define(key, value) for key, value in defines.items() if key not in expansion.chosen
    )
    return source, expansion.missing


def files_of(
    name: str,
    folders: Sequence[resources.Folder] = (),
    defines: Mapping[str, str | int | float] | None = None,
) -> tuple[str, ...]:
    """Return the real paths of a shader file and of all its includes. If a file is missing or
    unreadable, return only the path of the shader.
    """
    try:
        return load(name, folders, defines).files
    except ShaderError:
        paths = [os.path.join(folder, name) for folder in folders]
        return tuple(
            os.path.realpath(path)
            for path in paths
            if not _IS_SOURCE.search(name) and os.path.isfile(path)
        )


def program(
    ctx: moderngl.Context,
    vertex: str,
    fragment: str | None = None,
    *,
    folders: Sequence[resources.Folder] = (),
    defines: Mapping[str, str | int | float] | None = None,
    varyings: Sequence[str] = (),
    **more: str | None,
) -> moderngl.Program:
    """Load and compile shaders, and link them to a program. ``vertex`` and ``fragment`` are file
    names or GLSL code; see `load`.

    ``varyings`` are outputs of the vertex shader. Transform feedback (shader output into a buffer)
    writes the outputs in the order of ``varyings``. ``more`` may contain the shaders ``geometry``,
    ``tess_control`` and ``tess_evaluation``.

    Raises the same errors as `load`. Raises `ShaderError` if the driver reports an error. The
    message of a `ShaderError` begins like ``glow.frag:12: 'colour' undeclared``. The error message
    also contains the line of code with the error, and the log of the driver. The attribute ``file``
    of the error is the name of the file, and ``line`` is the line number. The attribute ``log`` is
    the driver's log, with the file names and line numbers of the original files. For a link error,
    ``line`` is None unless the driver reports a line.
    """
    names = {"vertex": vertex, "fragment": fragment, **more}
    sources = {
        stage: load(name, folders, defines) for stage, name in names.items() if name is not None
    }
    try:
        texts: Any = {f"{stage}_shader": source.text for stage, source in sources.items()}
        return ctx.program(**texts, varyings=tuple(varyings))
    except moderngl.Error as error:
        raise _failure(str(error), sources) from None


def set_known(program: moderngl.Program, name: str, value: Any) -> None:
    """Set a uniform of a shader program. If the program does not have the uniform, do nothing. For
    example, a uniform of the framework may be unused in the game's own shader.
    """
    member = program.get(name, None)
    if isinstance(member, moderngl.Uniform):
        member.value = value


class KnownUniforms:
    """A writer for uniforms of the framework's own shader programs. A `KnownUniforms` object writes
    only values that have changed.

    If a `KnownUniforms` object sets a uniform, no other code may set this uniform.
    """

    not_state = True

    def __init__(self) -> None:
        self._written: dict[moderngl.Program, dict[str, object]] = {}

    def write(self, program: moderngl.Program, values: Mapping[str, object]) -> None:
        """Set uniforms. ``values`` is a dict from the names of uniforms to their new values. The
        method ignores uniforms that the program does not have.
        """
        written = self._written.setdefault(program, {})
        if written == values:
            return
        for name, value in values.items():
            if written.get(name) != value:
                written[name] = value
                set_known(program, name, value)

    def forget(self) -> None:
        """Forget which values were written to the programs, for example because the programs were
        compiled again.
        """
        self._written.clear()


def set_uniform(program: moderngl.Program, name: str, value: npt.ArrayLike) -> None:
    """Set a uniform to a number, a sequence or an array. ``value`` must contain exactly as many
    numbers as the uniform has components.

    For float uniforms, the numbers are converted to float32. For int, bool, uint and sampler
    uniforms, the numbers are converted to int32 or uint32, and a float raises an error. A matrix is
    written row by row. As in pyrr, row i of the array becomes column i of the GLSL matrix.

    Raises `ShaderError` if the shader does not have the uniform. Raises `ValueError` if the number
    of values is wrong or an integer is out of range, and `TypeError` for other values.
    """
    uniform = program.get(name, None)
    if not isinstance(uniform, moderngl.Uniform):
        raise ShaderError(_no_uniform(program, name))
    dtype = _DTYPES[uniform.fmt[-1]]  # type: ignore[attr-defined]  # moderngl's stubs lack it
    argument = f"uniform {name!r}"
    numbers = _numbers(argument, value, "biuf" if dtype.kind == "f" else "biu")
    length = uniform.dimension * uniform.array_length
    if numbers.size != length:
        many = f"{length} numbers" if length > 1 else "1 number"
        cut = (
            "; drivers cut an array behind the last element in use"
            if uniform.array_length > 1
            else ""
        )
        raise ValueError(
            f"{argument}: expected {many}, got {numbers.size}, of shape {numbers.shape}{cut}"
        )
    written = numbers.astype(dtype)
    if dtype.kind != "f" and not np.array_equal(written, numbers):
        raise wrong_value(argument, f"numbers that {dtype.name} can hold", value)
    uniform.write(written.tobytes())


def set_uniforms(program: moderngl.Program, values: Mapping[str, npt.ArrayLike]) -> None:
    """Set several uniforms of the game's own shader; see `set_uniform`.

    A uniform that an earlier call has set, but that is missing in ``values``, gets the shader's
    default value again.
    """
    first: dict[str, bytes] = program.extra or {}
    program.extra = first
    for name in [name for name in first if name not in values]:
        program[name].write(first.pop(name))  # type: ignore[union-attr]  # it is a uniform, as it was set before
    for name, value in values.items():
        uniform = program.get(name, None) if name not in first else None
        if isinstance(uniform, moderngl.Uniform):
            first[name] = uniform.read()
        set_uniform(program, name, value)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of a shader file: the lines before the next ``#include`` or ``#version``. The
    framework changes some lines in a piece so that every driver accepts them.

    ``number`` is the line number of the first line in the piece.
    """

    number: int
    lines: list[str]
    directive: str = ""
    """The directive after these lines, such as "include" or "version". "late" is a ``#version``
    that is not the first line of code. "" is the end of the file.
    """
    line: str = ""
    code: str = ""
    """The line with the directive, in which spaces replace comments."""

    @property
    def end(self) -> int:
        """The number of the line with the directive ``#include`` or ``#version``."""
        return self.number + len(self.lines)


@functools.lru_cache(128)  # the cache is global, because all games use the same few shaders
def _read(text: str) -> list[_Piece]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    bare = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
    pieces: list[_Piece] = []
    lines: list[str] = []
    start = 1
    blank_so_far = True
    for number, (line, code) in enumerate(zip(text.split("\n"), bare.split("\n"), strict=True), 1):
        match = _DIRECTIVE.match(code)
        word = match[1] if match else ""
        if word in ("include", "version"):
            directive = word if blank_so_far or word == "include" else "late"
            pieces.append(_Piece(start, lines, directive, line, code))
            start = number + 1
            lines = []
        else:
            # Only `place` maps lines to files. A #line directive would make its line numbers wrong.
            lines.append("" if word == "line" else _hide_includes(line))
        blank_so_far = blank_so_far and not code.strip()
    return [*pieces, _Piece(start, lines)]


def _hide_includes(line: str) -> str:
    """Write "# include" instead of "#include". Otherwise, moderngl itself would replace "#include",
    even in comments.
    """
    return line.replace("#include", "# include")


class _Expansion:
    """The text of a shader, to which `load` adds the includes."""

    def __init__(
        self, folders: Sequence[resources.Folder], defines: Mapping[str, str | int | float]
    ) -> None:
        self.folders = [os.fspath(folder) for folder in folders]
        self.search_folders = [
            path for folder in self.folders for path in (folder, os.path.join(folder, "include"))
        ]
        self.defines = defines
        self.chosen: set[str] = set()  # the defines whose values are names of included files
        self.files: list[str] = []
        self.missing: list[str] = []
        self.within: list[str] = []  # the current file, and the files that include it
        self.real = resources.RealPaths()
        self.lines: list[str] = []
        self.origins: list[tuple[int, int]] = []
        # The index at which defines are inserted. 0 until a #version was added.
        self.after_version = 0

    def add_file(self, path: str) -> None:
        path = self.real.path(path)
        if path in self.files:
            return
        try:
            with open(path, "rb", buffering=0) as file:
                text = file.read().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise ShaderError(
                f"{path}: cannot be read as UTF-8 text: {error}", file=os.path.basename(path)
            ) from error
        self.within.append(path)
        self.add(path, text)
        self.within.pop()

    def add(self, path: str, text: str) -> None:
        file = len(self.files)
        self.files.append(path)
        for piece in _read(text):
            self._emit((file, piece.number), piece.lines)
            if piece.directive == "include":
                self._include((file, piece.end), piece.line, piece.code)
            elif piece.directive:
                self._version((file, piece.end), piece.line, piece.directive == "version")

    def source(self, defines: Iterable[str]) -> ShaderSource:
        if not self.after_version:
            self._insert(VERSION)
        for define in defines:
            self._insert(define)
        return ShaderSource("\n".join(self.lines) + "\n", tuple(self.files), tuple(self.origins))

    def _emit(self, origin: tuple[int, int], lines: list[str]) -> None:
        file, number = origin
        if not self.lines:  # moderngl strips the text, so the first line must not be blank
            blank = next((index for index, line in enumerate(lines) if line.strip()), len(lines))
            lines = lines[blank:]
            number = number + blank
        self.lines += lines
        self.origins += [(file, line_number) for line_number in range(number, number + len(lines))]

    def _insert(self, line: str) -> None:
        self.lines.insert(self.after_version, line)
        self.origins.insert(self.after_version, (0, 1))
        self.after_version += 1

    def _include(self, origin: tuple[int, int], line: str, code: str) -> None:
        file, number = origin
        match = _INCLUDE.search(code)
        if not match:
            self._fail(origin, f'an include is written #include "name", not {line.strip()}')
        if len(self.within) > _MAX_INCLUDES:
            self._fail(
                origin,
                f"more than {_MAX_INCLUDES} files include each other: "
                "does one of them write the next?",
            )
        path = _find(
            self._included(origin, match),
            self._folders_for(self.files[file]),
            os.path.basename(self.files[file]),
            number,
            missing=self.missing,
        )
        # Keep the code in the same line as the include, because it may begin or end a comment.
        before = line[: match.start()]
        behind = line[match.end() :]
        if before.strip():
            self._emit(origin, [_hide_includes(before)])
        self.add_file(path)
        if behind.strip():
            self._emit(origin, [_hide_includes(behind)])

    def _folders_for(self, path: str) -> list[str]:
        """Return the folders in which the includes of a file are searched: first its own folder."""
        if not os.path.isabs(path):
            return self.search_folders
        return list(dict.fromkeys([os.path.dirname(path), *self.search_folders]))

    def _included(self, origin: tuple[int, int], include: re.Match[str]) -> str:
        macro = include[3]
        if not macro:
            return include[1] or include[2]
        name = self.defines.get(macro)
        if not isinstance(name, str):
            self._fail(
                origin,
                f"defines[{macro!r}]: expected the name of the file to include, got {shown(name)}",
            )
        self.chosen.add(macro)
        return name

    def _version(self, origin: tuple[int, int], line: str, first: bool) -> None:
        if origin[0] != 0:
            self._fail(origin, "an included file cannot have a #version: leave it to the shader")
        if not first:
            self._fail(
                origin, f"#version must come before everything else; without one it is {VERSION}"
            )
        self._emit(origin, [_hide_includes(line)])
        self.after_version = len(self.lines)

    def _fail(self, origin: tuple[int, int], words: str) -> NoReturn:
        name = os.path.basename(self.files[origin[0]])
        raise ShaderError(f"{name}:{origin[1]}: {words}", file=name, line=origin[1])


def _find(
    name: str,
    folders: Sequence[str],
    file: str,
    line: int | None = None,
    *,
    missing: list[str],
) -> str:
    """Search ``folders`` for the file ``name``, and return the path in the first folder that
    contains the file. If no folder contains the file, raise `ShaderError`. Append each path where
    no file was found to ``missing``.

    ``file`` and ``line`` are the position of the ``#include``, for the error message. For a shader
    that is not included, ``file`` is "".
    """
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
        missing.append(path)
    paths = [Path(folder) for folder in folders if os.path.isdir(folder)]
    names = {entry.name for path in paths for entry in path.iterdir() if entry.is_file()}
    start = f"{file}:{line}: no file {name!r} to include" if file else f"no shader {name!r}"
    raise ShaderError(
        f"{start}; the nearest are {_nearest(name, names)} (looked in {', '.join(folders)})",
        file=file or name,
        line=line,
    )


def _nearest(name: str, names: Iterable[str]) -> str:
    """Return a string with up to eight of ``names``, the most similar to ``name`` first."""
    from difflib import SequenceMatcher  # only used for error messages

    def unlike(candidate: str) -> tuple[float, str]:
        return -SequenceMatcher(None, name.lower(), candidate.lower()).ratio(), candidate

    ordered = sorted(names, key=unlike)
    return ", ".join(ordered[:8]) or "none: there are no others"


def _define(name: str, value: str | int | float) -> str:
    if not _MACRO.fullmatch(text("defines", name)):
        raise wrong_value(
            "defines", "macro names (letters, digits, single _; no GL_ in front)", name
        )
    if isinstance(value, str):
        if "\n" in value or "\r" in value:
            raise wrong_value(f"defines[{name!r}]", "one line", value)
        return f"#define {name} {value}"
    if isinstance(value, int | np.integer | np.bool_):
        words = str(int(value))
    elif isinstance(value, float | np.floating) and math.isfinite(value):
        words = repr(float(value))
    else:
        error = wrong_value if isinstance(value, float | np.floating) else wrong_type
        raise error(f"defines[{name!r}]", "a string, a whole number or a finite number", value)
    return f"#define {name} ({words})" if value < 0 else f"#define {name} {words}"


class _FirstError(NamedTuple):
    """The first error in a driver's log."""

    path: str
    line: int
    message: str
    code: str
    """The line of GLSL code with the error."""
    stage: str


def _failure(message: str, sources: Mapping[str, ShaderSource]) -> ShaderError:
    """Convert an error message of moderngl to a `ShaderError` with file names and line numbers."""
    names = " and ".join(source.name for source in sources.values())
    banner = _BANNER.match(message)
    if not banner:
        return ShaderError(f"{names}: {message}", log=message)
    stage = banner[2].removesuffix("_shader")
    log, first = _read_log(banner[3], stage, sources)
    driver_log = f"The driver says:\n{log}"
    if first:
        name = os.path.basename(first.path)
        location = (
            f"{name}:{first.line}: {first.message}\n    {first.code}\nin the {first.stage} shader "
            f"{sources[first.stage].name} ({first.path})."
        )
        return ShaderError(f"{location} {driver_log}", file=name, line=first.line, log=log)
    if stage in sources:
        name = sources[stage].name
        return ShaderError(
            f"{name}: the {stage} shader does not compile. {driver_log}", file=name, log=log
        )
    hint = (
        "The ins of a fragment shader are outs of the vertex shader, of the same names and types."
    )
    return ShaderError(
        f"{names}: compiled, but cannot be linked as one program. {driver_log}\n{hint}", log=log
    )


def _read_log(
    log: str, stage: str, sources: Mapping[str, ShaderSource]
) -> tuple[str, _FirstError | None]:
    """Replace the numbers in the driver's log with file names and line numbers. Return the new log
    and the first error.
    """
    rows = []
    first = None
    for row in log.strip().splitlines():
        if header := _STAGE.match(row):  # the log of a failed link has a part for each shader stage
            stage = header[1].lower()
        match = _PLACE.match(row)
        if match and stage in sources:
            number = int(match[3] or match[4])
            path, line = sources[stage].place(number)
            row = f"{row[: match.start(2)]}{os.path.basename(path)}:{line}{row[match.end(2) :]}"
            severity = match[1]
            message = match[5]
            is_error = severity == "ERROR" or (not severity and _ERROR.match(message))
            if is_error and not first:
                if _ERROR.match(message):
                    message = _ERROR.sub("", message, count=1)
                code = "".join(sources[stage].text.split("\n")[number - 1 : number])
                first = _FirstError(path, line, message.replace("`", "'"), code.strip(), stage)
        rows.append(row)
    return "\n".join(rows), first


def _no_uniform(program: moderngl.Program, name: str) -> str:
    uniforms = [uniform for uniform in program if isinstance(program[uniform], moderngl.Uniform)]
    return (
        f"the program has no uniform {name!r}; it has {_nearest(name, uniforms)}. "
        "Drivers remove a uniform that does not affect the shader's output"
    )


def _numbers(argument: str, value: npt.ArrayLike, kinds: str) -> npt.NDArray[Any]:
    expected = "numbers" if "f" in kinds else "whole numbers (int or bool)"
    try:
        numbers = np.asarray(value)
    except ValueError:  # NumPy raises this error for lists of different lengths
        raise wrong_value(argument, f"an array of {expected}", value) from None
    if numbers.dtype.kind not in kinds:
        raise wrong_type(argument, expected, value)
    return numbers


class Programs:
    """The shader programs that the drawables of a game share. Each program is compiled when it is
    first used, and cached until `release`.
    """

    not_state = True

    def __init__(self, ctx: moderngl.Context, folders: Sequence[resources.Folder] = ()) -> None:
        self._ctx = ctx
        self._folders = folders
        self._programs: dict[tuple[object, ...], moderngl.Program] = {}
        self._outdated_programs: list[moderngl.Program] = []

    def get(
        self, vertex: str, fragment: str, defines: Mapping[str, str | int | float] | None = None
    ) -> moderngl.Program:
        """Return the program that is linked from the shaders ``vertex`` and ``fragment``; see
        `program`.
        """
        key = (vertex, fragment, *sorted((defines or {}).items()))
        compiled = self._programs.get(key)
        if compiled is None:
            compiled = program(self._ctx, vertex, fragment, folders=self._folders, defines=defines)
            self._programs[key] = compiled
        return compiled

    @property
    def folders(self) -> Sequence[resources.Folder]:
        """The folders of the game. If the game's folders contain a shader with the same name as a
        framework shader, the framework uses the game's shader.
        """
        return self._folders

    def recompiled(self, files: Set[str]) -> dict[tuple[object, ...], moderngl.Program]:
        """Compile a program again if its fragment shader uses at least one of ``files``. Return the
        new programs. ``files`` contains real paths, without symbolic links.

        Pass the new programs to `replace_programs`. If a program does not compile, raise
        `ShaderError` and release the new programs.
        """
        programs: dict[tuple[object, ...], moderngl.Program] = {}
        with ExitStack() as after_error:
            for key in self._programs:
                vertex, fragment, *pairs = key
                defines: dict[str, Any] = dict(pairs)  # type: ignore[arg-type]
                if not files.isdisjoint(files_of(str(fragment), self._folders, defines)):
                    programs[key] = program(
                        self._ctx,
                        str(vertex),
                        str(fragment),
                        folders=self._folders,
                        defines=defines,
                    )
                    after_error.callback(programs[key].release)
            after_error.pop_all()
        return programs

    def replace_programs(self, programs: Mapping[tuple[object, ...], moderngl.Program]) -> None:
        """Replace cached programs with the new programs that `recompiled` returned.

        The old programs are not released immediately, because drawables may still use them. The old
        programs are released when `replace_programs` is called again.
        """
        if programs:
            for old in self._outdated_programs:
                old.release()
            self._outdated_programs = [self._programs[key] for key in programs]
            self._programs |= programs

    def release(self) -> None:
        """Release all programs. You cannot use the programs after `release`."""
        for compiled in [*self._programs.values(), *self._outdated_programs]:
            compiled.release()
        self._programs.clear()
        self._outdated_programs.clear()
