"""Small GLSL files, found by name, with includes and true line numbers.

Includes are expanded here, so the driver sees one long text. It counts that text's own lines, and
``Source`` says which line of which file each of them was. ``#line`` cannot do that: Mesa forgets
its file number in most errors (all but those of syntax), and its line number is off by one in GLSL
before 3.30.
"""

from __future__ import annotations

import functools
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from .. import resources
from ..checks import shown, text, wrong_type, wrong_value
from ..errors import ShaderError
from .gl import moderngl

VERSION = "#version 330 core"

_DEEPEST = 100  # files that include each other
_IS_SOURCE = re.compile(r"[\n{};]")  # of no file's name
_COMMENT = re.compile(r"//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_DIRECTIVE = re.compile(r"\s*#\s*(include|version|line)\b")
_INCLUDE = re.compile(r'#\s*include\s*(?:"([^"]+)"|<([^>]+)>|([A-Za-z_]\w*)(?![\w.]))')
_MACRO = re.compile(r"(?!gl_|GL_|\w*__)[A-Za-z_]\w*", re.ASCII)

# moderngl's banner; then a driver's line: Mesa's `0:12(5): error: …`, NVIDIA's `0(12) : error
# C1008: …`, and AMD's, Intel's and Apple's `ERROR: 0:12: …`.
_BANNER = re.compile(r"GLSL (Compiler|Linker) failed\s+(\w+)\s+=+\n(.*)", re.DOTALL)
_PLACE = re.compile(r"(?:(ERROR|WARNING): *)?(\d+(?::(\d+)|\((\d+)\)))(?:\(\d+\))?\s*:\s*(.*)")
_ERROR = re.compile(r"(?:\w+ )?error\b(?: C\d+| ?\(#\d+\))?:? *", re.IGNORECASE)
_STAGE = re.compile(r"(vertex|fragment|geometry)\b", re.IGNORECASE)

# By the last letter of moderngl's format for a uniform.
_DTYPES: dict[str, np.dtype[Any]] = {
    "f": np.dtype("f4"),
    "d": np.dtype("f8"),
    "i": np.dtype("i4"),
    "I": np.dtype("u4"),
}


@dataclass(frozen=True, slots=True)
class Source:
    """GLSL that is ready to compile, and where each of its lines came from.

    ``text`` has its includes expanded. ``files`` are the paths it came from, the shader's own first
    ("<source>" for GLSL that was given as a string). ``lines[i]`` is the (index in ``files``, line
    from 1) that line i of ``text``, i from 0, came from.
    """

    text: str
    files: tuple[str, ...]
    lines: tuple[tuple[int, int], ...]

    @property
    def name(self) -> str:
        """The shader's own file name, without folders."""
        return os.path.basename(self.files[0])

    def place(self, line: int) -> tuple[str, int]:
        """The path and the line in it (from 1) that line ``line`` (from 1) of ``text`` came
        from.
        """
        file, number = self.lines[min(max(line, 1), len(self.lines)) - 1]
        return self.files[file], number


def is_source(name: str) -> bool:
    """Whether this is GLSL itself, and no file's name."""
    return _IS_SOURCE.search(name) is not None


def given(name: str, value: object) -> str:
    """A game's own shader: GLSL, or a file's name. Raises `TypeError` or `ValueError` for what is
    neither.
    """
    source = text(name, value)
    if not source.strip():
        raise wrong_value(name, "a file's name, or GLSL", value)
    return source


def load(
    name: str,
    folders: Sequence[resources.Folder] = (),
    defines: Mapping[str, str | int | float] | None = None,
) -> Source:
    """Find the shader ``name``, such as "sprite.vert", and expand its ``#include "file"`` lines.

    Shaders are looked for in ``folders``, in order, and then among the framework's own; includes
    next to the including file, then in those folders and the folder ``include`` of each. A file is
    included once, at the first place that asks for it, even inside an ``#if``. ``#include NAME``
    includes the file that ``defines`` has under NAME. A ``name`` with a line break, a brace or a
    semicolon in it is GLSL itself.

    The text begins with its own ``#version``, or ``#version 330 core``; then a ``#define`` for each
    of the other ``defines``.

    Raises ShaderError if a file is missing or unreadable, or for a ``#version`` that does not come
    first; ValueError or TypeError for a bad define.
    """
    defines = defines or {}
    own = resources.folder("shaders")
    if folders or is_source(name):
        return _expanded(name, [*folders, own], defines)
    key = own, name, repr(defines)  # in their order, and 1 is not 1.0
    source, stamps = _kept.get(key, (None, []))
    if source is None or stamps != _stamps(source.files):
        source = _expanded(name, [own], defines)
        if len(_kept) == _MOST_KEPT:
            _kept.clear()
        _kept[key] = source, _stamps(source.files)
    return source


# The framework's own shaders, of which every game has the same few, with their files' stamps.
_kept: dict[tuple[object, ...], tuple[Source, list[tuple[int, int]]]] = {}
_MOST_KEPT = 200


def _stamps(files: Iterable[str]) -> list[tuple[int, int]]:
    """What changes when a file is written; nothing, where one of them is gone."""
    try:
        return [(found.st_mtime_ns, found.st_size) for found in map(os.stat, files)]
    except OSError:
        return []


def _expanded(
    name: str, folders: Sequence[resources.Folder], defines: Mapping[str, str | int | float]
) -> Source:
    expansion = _Expansion(folders, defines)
    if is_source(name):
        expansion.add("<source>", name)
    else:
        expansion.add_file(_find(name, expansion.folders, ""))
    return expansion.source(
        _define(key, value) for key, value in defines.items() if key not in expansion.chosen
    )


def files_of(
    name: str,
    folders: Sequence[resources.Folder] = (),
    defines: Mapping[str, str | int | float] | None = None,
) -> tuple[str, ...]:
    """The files that a shader is in, real paths, its includes too: as far as they can be read."""
    try:
        return load(name, folders, defines).files
    except ShaderError:
        found = [os.path.join(folder, name) for folder in folders]
        return tuple(
            os.path.realpath(path)
            for path in found
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
    """Load, compile and link the shaders ``vertex`` and ``fragment``: names or GLSL, as in
    ``load``.

    ``varyings`` are the vertex shader's outputs that transform feedback writes to a buffer, in
    order. ``more`` are the shaders ``geometry``, ``tess_control`` and ``tess_evaluation``.

    Raises what ``load`` does, and ShaderError for what the driver refuses: ``glow.frag:12: 'colour'
    undeclared``, then the line itself and the driver's own words. Its ``file`` is the file's name,
    ``line`` the line in it, and ``log`` the driver's words with files and their lines in place of
    the driver's numbers. A program that does not link has no ``line``, unless the driver gives one.
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
    """Set a uniform, if the program has it: a shader of the game's own may do without."""
    member = program.get(name, None)
    if isinstance(member, moderngl.Uniform):
        member.value = value


def set_uniform(program: moderngl.Program, name: str, value: npt.ArrayLike) -> None:
    """Set the uniform ``name`` from a number, a sequence or an array of any shape that has the
    right length.

    Numbers become float32, or int32 / uint32 for int, bool, uint and sampler uniforms, which take
    no floats. They are written row by row: row i of a matrix is column i in GLSL, as pyrr has it.

    Raises ShaderError if the shader has no such uniform, ValueError for a wrong length or an int
    out of range, and TypeError for what is no number of the right kind.
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
        raise wrong_value(argument, f"what {dtype.name} holds", value)
    uniform.write(written.tobytes())


def set_uniforms(program: moderngl.Program, values: Mapping[str, npt.ArrayLike]) -> None:
    """Set a game's own uniforms, as `set_uniform` does; those that were set so before, and are not
    among these, have again what the shader gives them."""
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
    """Lines of a file up to one with a directive, as the driver is to see them; the first is line
    ``number``.
    """

    number: int
    lines: list[str]
    directive: str = ""
    """"include" or "version"; "" at the end of a file, and of a version that comes too late
    "late".
    """
    line: str = ""
    code: str = ""
    """The directive's line without comments, in the same columns."""

    @property
    def end(self) -> int:
        """The directive's line in the file."""
        return self.number + len(self.lines)


@functools.lru_cache(128)  # every game has the same few
def _read(text: str) -> list[_Piece]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    bare = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
    pieces: list[_Piece] = []
    lines: list[str] = []
    start, blank_so_far = 1, True
    for number, (line, code) in enumerate(zip(text.split("\n"), bare.split("\n"), strict=True), 1):
        found = _DIRECTIVE.match(code)
        word = found[1] if found else ""
        if word in ("include", "version"):
            directive = word if blank_so_far or word == "include" else "late"
            pieces.append(_Piece(start, lines, directive, line, code))
            start, lines = number + 1, []
        else:
            # `place` alone knows the lines, so a #line would only mislead it.
            lines.append("" if word == "line" else _seen(line))
        blank_so_far = blank_so_far and not code.strip()
    return [*pieces, _Piece(start, lines)]


def _seen(line: str) -> str:
    """moderngl looks for includes of its own, in comments too, but not with a space behind the
    #.
    """
    return line.replace("#include", "# include")


class _Expansion:
    """A text being put together from a file and what it includes."""

    def __init__(
        self, folders: Sequence[resources.Folder], defines: Mapping[str, str | int | float]
    ) -> None:
        self.folders = [os.fspath(folder) for folder in folders]
        self.places = [
            place for folder in self.folders for place in (folder, os.path.join(folder, "include"))
        ]
        self.defines = defines
        self.chosen: set[str] = set()  # those of the defines that named a file
        self.files: list[str] = []
        self.within: list[str] = []  # the file that is read, and those that it was included from
        self.real = resources.RealPaths()
        self.lines: list[str] = []
        self.origins: list[tuple[int, int]] = []
        self.after_version = 0  # where the defines go; 0 while there is no #version

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

    def source(self, defines: Iterable[str]) -> Source:
        if not self.after_version:
            self._insert(VERSION)
        for define in defines:
            self._insert(define)
        return Source("\n".join(self.lines) + "\n", tuple(self.files), tuple(self.origins))

    def _emit(self, origin: tuple[int, int], lines: list[str]) -> None:
        file, number = origin
        if not self.lines:  # moderngl strips the text, so the first line must not be blank
            blank = next((index for index, line in enumerate(lines) if line.strip()), len(lines))
            lines, number = lines[blank:], number + blank
        self.lines += lines
        self.origins += [(file, one) for one in range(number, number + len(lines))]

    def _insert(self, line: str) -> None:
        self.lines.insert(self.after_version, line)
        self.origins.insert(self.after_version, (0, 1))
        self.after_version += 1

    def _include(self, origin: tuple[int, int], line: str, code: str) -> None:
        file, number = origin
        found = _INCLUDE.search(code)
        if not found:
            self._fail(origin, f'an include is written #include "name", not {line.strip()}')
        places = self.places
        if os.path.isabs(self.files[file]):
            places = list(dict.fromkeys([os.path.dirname(self.files[file]), *places]))
        if len(self.within) > _DEEPEST:
            self._fail(
                origin,
                f"more than {_DEEPEST} files include each other: does one of them write the next?",
            )
        path = _find(
            self._included(origin, found), places, os.path.basename(self.files[file]), number
        )
        # What stands beside it is kept: it may begin or end a comment.
        before, behind = line[: found.start()], line[found.end() :]
        if before.strip():
            self._emit(origin, [_seen(before)])
        self.add_file(path)
        if behind.strip():
            self._emit(origin, [_seen(behind)])

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
        self._emit(origin, [_seen(line)])
        self.after_version = len(self.lines)

    def _fail(self, origin: tuple[int, int], words: str) -> NoReturn:
        name = os.path.basename(self.files[origin[0]])
        raise ShaderError(f"{name}:{origin[1]}: {words}", file=name, line=origin[1])


def _find(name: str, places: Sequence[str], file: str, line: int | None = None) -> str:
    """The first ``name`` in ``places``. ``file`` and ``line`` say who asks: "" is the game."""
    for place in places:
        path = os.path.join(place, name)
        if os.path.isfile(path):
            return path
    folders = [Path(place) for place in places if os.path.isdir(place)]
    there = {entry.name for folder in folders for entry in folder.iterdir() if entry.is_file()}
    start = f"{file}:{line}: no file {name!r} to include" if file else f"no shader {name!r}"
    raise ShaderError(
        f"{start}; the nearest are {_nearest(name, there)} (looked in {', '.join(places)})",
        file=file or name,
        line=line,
    )


def _nearest(name: str, names: Iterable[str]) -> str:
    """Up to eight of ``names``, the most alike first."""
    from difflib import SequenceMatcher  # for errors only

    def unlike(other: str) -> tuple[float, str]:
        return -SequenceMatcher(None, name.lower(), other.lower()).ratio(), other

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


def _failure(message: str, sources: Mapping[str, Source]) -> ShaderError:
    """moderngl's error, in terms of the files."""
    names = " and ".join(source.name for source in sources.values())
    banner = _BANNER.match(message)
    if not banner:
        return ShaderError(f"{names}: {message}", log=message)
    stage = banner[2].removesuffix("_shader")
    log, first = _read_log(banner[3], stage, sources)
    said = f"The driver says:\n{log}"
    if first:
        path, line, words, code, stage = first
        name = os.path.basename(path)
        where = (
            f"{name}:{line}: {words}\n    {code}\nin the {stage} shader "
            f"{sources[stage].name} ({path})."
        )
        return ShaderError(f"{where} {said}", file=name, line=line, log=log)
    if stage in sources:
        name = sources[stage].name
        return ShaderError(
            f"{name}: the {stage} shader does not compile. {said}", file=name, log=log
        )
    hint = (
        "The ins of a fragment shader are outs of the vertex shader, of the same names and types."
    )
    return ShaderError(
        f"{names}: compiled, but cannot be linked as one program. {said}\n{hint}", log=log
    )


def _read_log(
    log: str, stage: str, sources: Mapping[str, Source]
) -> tuple[str, tuple[str, int, str, str, str] | None]:
    """The log with files in place of numbers, and its first error: (path, line, words, code,
    stage).
    """
    rows, first = [], None
    for row in log.strip().splitlines():
        if header := _STAGE.match(row):  # a link log has a part for each stage
            stage = header[1].lower()
        found = _PLACE.match(row)
        if found and stage in sources:
            number = int(found[3] or found[4])
            path, line = sources[stage].place(number)
            row = f"{row[: found.start(2)]}{os.path.basename(path)}:{line}{row[found.end(2) :]}"
            is_error = found[1] == "ERROR" or (not found[1] and _ERROR.match(found[5]))
            if is_error and not first:
                words = _ERROR.sub("", found[5], count=1) if _ERROR.match(found[5]) else found[5]
                code = sources[stage].text.split("\n")[number - 1 : number]
                first = path, line, words.replace("`", "'"), "".join(code).strip(), stage
        rows.append(row)
    return "\n".join(rows), first


def _no_uniform(program: moderngl.Program, name: str) -> str:
    uniforms = [other for other in program if isinstance(program[other], moderngl.Uniform)]
    return (
        f"the program has no uniform {name!r}; it has {_nearest(name, uniforms)}. "
        "Drivers remove a uniform that does not change what the shader puts out"
    )


def _numbers(argument: str, value: npt.ArrayLike, kinds: str) -> npt.NDArray[Any]:
    expected = "numbers" if "f" in kinds else "whole numbers (int or bool)"
    try:
        numbers = np.asarray(value)
    except ValueError:  # ragged
        raise wrong_value(argument, f"an array of {expected}", value) from None
    if numbers.dtype.kind not in kinds:
        raise wrong_type(argument, expected, value)
    return numbers


class Programs:
    """Programs that several things draw with: each is compiled when it is first asked for, and kept
    until `release`.
    """

    not_state = True

    def __init__(self, ctx: moderngl.Context, folders: Sequence[resources.Folder] = ()) -> None:
        self._ctx = ctx
        self._folders = folders
        self._made: dict[tuple[object, ...], moderngl.Program] = {}
        self._outdated_programs: list[moderngl.Program] = []

    def get(
        self, vertex: str, fragment: str, defines: Mapping[str, str | int | float] | None = None
    ) -> moderngl.Program:
        """As `program`."""
        key = (vertex, fragment, *sorted((defines or {}).items()))
        made = self._made.get(key)
        if made is None:
            made = program(self._ctx, vertex, fragment, folders=self._folders, defines=defines)
            self._made[key] = made
        return made

    @property
    def folders(self) -> Sequence[resources.Folder]:
        """Where shaders are looked for first."""
        return self._folders

    def compiled_anew(self, files: Set[str]) -> dict[tuple[object, ...], moderngl.Program]:
        """Those among them that are written in one of these files (real paths), as they are now;
        they are kept from `take_compiled` on. Raises `ShaderError`, and all stay as they are."""
        found: dict[tuple[object, ...], moderngl.Program] = {}
        for key in self._made:
            vertex, fragment, *pairs = key
            defines: dict[str, Any] = dict(pairs)  # type: ignore[arg-type]
            if not files.isdisjoint(files_of(str(fragment), self._folders, defines)):
                try:
                    found[key] = program(
                        self._ctx,
                        str(vertex),
                        str(fragment),
                        folders=self._folders,
                        defines=defines,
                    )
                except BaseException:
                    for made in found.values():
                        made.release()
                    raise
        return found

    def take_compiled(self, found: Mapping[tuple[object, ...], moderngl.Program]) -> None:
        """Have these in the places of the old ones, which are freed when the next ones come: they
        may be in use.
        """
        if found:
            for old in self._outdated_programs:
                old.release()
            self._outdated_programs = [self._made[key] for key in found]
            self._made |= found

    def release(self) -> None:
        """Free them all. What drew with them must not any more."""
        for made in [*self._made.values(), *self._outdated_programs]:
            made.release()
        self._made.clear()
        self._outdated_programs.clear()
