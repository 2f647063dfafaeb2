"""Shaders: search by name, includes, compilation, and errors with file and line."""

from __future__ import annotations

import re
from pathlib import Path

import moderngl
import numpy as np
import pytest

from framework import resources
from framework.errors import ShaderError
from framework.gpu import shaders

VERT = """in vec2 corner;
out vec2 uv;
void main() {
    uv = corner;
    gl_Position = vec4(corner, 0.0, 1.0);
}
"""
FRAG = """#include "tint.glsl"
in vec2 uv;
out vec4 pixel;
void main() {
    pixel = tint(vec4(uv, 0.0, 1.0));
}
"""
TINT = "uniform vec4 tone;\n\nvec4 tint(vec4 color) {\n    return color * tone;\n}\n"


def write(folder: Path, **files: str) -> list[Path]:
    """Write files and return [folder]. In the names, `__` stands for `.`, and `___` for `/`."""
    for name, text in files.items():
        path = folder / name.replace("___", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [folder]


def code(source: shaders.ShaderSource) -> list[str]:
    return [line for line in source.text.splitlines() if line.strip()]


# Loading


def test_a_version_and_the_defines_come_first(tmp_path: Path) -> None:
    folders = write(tmp_path, glow__vert=VERT)
    defines: dict[str, str | int | float] = {
        "COUNT": 3,
        "SCALE": 2.0,
        "LOW": -1,
        "WHERE": "uv.x",
        "ON": True,
    }
    source = shaders.load("glow.vert", folders, defines)
    assert source.text.splitlines()[:6] == [
        "#version 330 core",
        "#define COUNT 3",
        "#define SCALE 2.0",
        "#define LOW (-1)",
        "#define WHERE uv.x",
        "#define ON 1",
    ]
    assert source.text.endswith(VERT + "\n")
    assert source.files == (str((tmp_path / "glow.vert").resolve()),)
    assert source.place(7) == (source.files[0], 1)
    assert source.place(10) == (source.files[0], 4)


def test_the_version_of_a_shader_is_kept_and_defines_follow_it() -> None:
    source = shaders.load("\n  // first\n#version 150\nvoid main() {}\n", defines={"N": 2})
    assert code(source) == ["  // first", "#version 150", "#define N 2", "void main() {}"]
    assert source.files == ("<source>",)
    assert source.place(4) == ("<source>", 4)


def test_a_late_or_included_version_is_an_error(tmp_path: Path) -> None:
    folders = write(
        tmp_path, old__glsl="// old\n#version 330\n", late__vert="in vec2 a;\n#version 330\n"
    )
    with pytest.raises(ShaderError, match=r"^late\.vert:2: #version must come before") as late:
        shaders.load("late.vert", folders)
    assert (late.value.file, late.value.line) == ("late.vert", 2)
    with pytest.raises(ShaderError, match=r"^old\.glsl:2: an included file cannot have a #version"):
        shaders.load('#include "old.glsl"\n', folders)


def test_folders_of_the_game_are_searched_before_those_of_the_framework(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, own___a__vert="// framework a\n", own___b__vert='#include "c.glsl"\n')
    write(tmp_path, own___include___c__glsl="// framework c\n", game___a__vert="// game a\n")
    monkeypatch.setattr(resources, "folder", lambda name: tmp_path / "own")
    assert "// game a" in shaders.load("a.vert", [tmp_path / "game"]).text
    assert "// framework a" in shaders.load("a.vert").text
    assert "// framework c" in shaders.load("b.vert", [tmp_path / "game"]).text
    write(tmp_path, game___include___c__glsl="// game c\n")
    assert "// game c" in shaders.load("b.vert", [tmp_path / "game"]).text


def test_built_in_shaders_are_cached_until_a_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, a__vert='#include "b.glsl"\n', b__glsl="// one\n")
    monkeypatch.setattr(resources, "folder", lambda name: tmp_path)
    source = shaders.load("a.vert")
    assert shaders.load("a.vert") is source
    assert "#define N 1.0" in shaders.load("a.vert", (), {"N": 1.0}).text
    assert "#define N 1\n" in shaders.load("a.vert", (), {"N": 1}).text
    write(tmp_path, b__glsl="// the other\n")
    assert "// the other" in shaders.load("a.vert").text
    (tmp_path / "b.glsl").unlink()
    with pytest.raises(ShaderError, match=r"no file 'b\.glsl'"):
        shaders.load("a.vert")


def test_built_in_shaders_are_cached_for_a_game_until_its_files_replace_them(
    tmp_path: Path,
) -> None:
    own = shaders.load("backdrop.vert", [tmp_path])
    assert shaders.load("backdrop.vert", [tmp_path]) is own
    include = tmp_path / "include" / "frame.glsl"
    include.parent.mkdir()
    for name in ("before", "behind"):  # files of the same size, written shortly one after another
        include.write_text(f"float {name};")
        assert f"float {name};" in shaders.load("backdrop.vert", [tmp_path]).text
    include.unlink()
    assert shaders.load("backdrop.vert", [tmp_path]) is own


def test_every_line_has_its_file_and_number(tmp_path: Path) -> None:
    folders = write(
        tmp_path,
        include___deep__glsl="// deep 1\n",
        mid__glsl='// mid 1\n#include "deep.glsl"\n// mid 3',
        main__frag="\n".join(["// 1", '#include "mid.glsl"', "#include <deep.glsl> // 3", "// 4"]),
    )
    source = shaders.load("main.frag", folders)
    names = [Path(file).name for file in source.files]
    assert names == ["main.frag", "mid.glsl", "deep.glsl"]
    placed = {
        line.strip(): (names[file], number)
        for line, (file, number) in zip(source.text.splitlines(), source.lines, strict=True)
        if line.strip().startswith("//")
    }
    assert placed == {
        "// 1": ("main.frag", 1),
        "// mid 1": ("mid.glsl", 1),
        "// deep 1": ("deep.glsl", 1),
        "// mid 3": ("mid.glsl", 3),
        "// 3": ("main.frag", 3),
        "// 4": ("main.frag", 4),
    }


def test_an_include_may_be_chosen_by_a_define(tmp_path: Path) -> None:
    folders = write(tmp_path, red__glsl="float red;", blue__glsl="float blue;")
    for name in ("red", "blue"):
        source = shaders.load(
            "\n#include COLOUR // one of two\n", folders, {"COLOUR": f"{name}.glsl", "MORE": 1}
        )
        assert code(source) == [
            "#version 330 core",
            "#define MORE 1",
            f"float {name};",
            " // one of two",
        ]
    for defines in ({}, {"COLOUR": 1}):
        with pytest.raises(
            ShaderError, match=r"^<source>:2: defines\['COLOUR'\]: expected the name of the file"
        ):
            shaders.load("\n#include COLOUR\n", folders, defines)
    with pytest.raises(
        ShaderError, match=r"^<source>:2: no file 'rde\.glsl' to include; the nearest are red\.glsl"
    ):
        shaders.load("\n#include COLOUR\n", folders, {"COLOUR": "rde.glsl"})


def test_diamonds_and_cycles_are_included_once(tmp_path: Path) -> None:
    folders = write(
        tmp_path,
        a__glsl='#include "b.glsl"\n#include "c.glsl"\nfloat a;\n',
        b__glsl='#include "c.glsl"\n#include "a.glsl"\nfloat b;\n',
        c__glsl='#include "c.glsl"\nfloat c;\n',
    )
    assert code(shaders.load("a.glsl", folders))[1:] == ["float c;", "float b;", "float a;"]


def test_comments_are_not_read_as_directives() -> None:
    text = (
        '// #include "a"\n/* \n#include "b"\n#version 120 */\n// so is \\\n#include  '
        '"c"\nfloat y;\n'
    )
    source = shaders.load(text)
    assert code(source)[-1] == "float y;"
    assert "#include" not in source.text  # moderngl would search for directives


def test_a_comment_around_an_include_is_kept(tmp_path: Path) -> None:
    folders = write(tmp_path, t__glsl="float t;\n")
    assert code(shaders.load('/* a\n*/ #include "t.glsl" /* b\n*/ float u;\n', folders)) == [
        "#version 330 core",
        "/* a",
        "*/ ",
        "float t;",
        " /* b",
        "*/ float u;",
    ]


def test_windows_line_ends_and_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "w.vert").write_bytes(b"\xef\xbb\xbf#version 330 core\r\nin vec2 a;\r\n")
    assert shaders.load("w.vert", [tmp_path]).text == "#version 330 core\nin vec2 a;\n\n"


def test_a_missing_shader_is_an_error_with_the_nearest_names(tmp_path: Path) -> None:
    folders = write(tmp_path, glow__vert=VERT, other__txt="")
    with pytest.raises(
        ShaderError, match=r"no shader 'glwo\.vert'; the nearest are glow\.vert"
    ) as error:
        shaders.load("glwo.vert", folders)
    assert str(tmp_path) in str(error.value)
    with pytest.raises(ShaderError, match="no shader"):
        shaders.load("x" * 5000, [tmp_path / "nowhere"])


def test_a_missing_include_is_an_error_with_the_including_file(tmp_path: Path) -> None:
    folders = write(tmp_path, glow__frag='\n\n#include "nosie.glsl"\n', include___noise__glsl="")
    words = r"^glow\.frag:3: no file 'nosie\.glsl' to include; the nearest are noise\.glsl"
    with pytest.raises(ShaderError, match=words) as error:
        shaders.load("glow.frag", folders)
    assert (error.value.file, error.value.line) == ("glow.frag", 3)
    with pytest.raises(ShaderError, match=r'^<source>:2: an include is written #include "name"'):
        shaders.load("\n#include nosie.glsl\n")


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "bad.vert").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ShaderError, match=r"bad\.vert: cannot be read as UTF-8"):
        shaders.load("bad.vert", [tmp_path])


@pytest.mark.parametrize("name", ["2D", "a b", "", "GL_X", "gl_x", "a__b", "N\n"])
def test_a_bad_define_name(name: str) -> None:
    with pytest.raises(ValueError, match="expected macro names"):
        shaders.load("void main() {}\n", defines={name: 1})


def test_a_bad_define_value() -> None:
    for value in (float("nan"), float("inf"), "1\n2"):
        with pytest.raises(
            ValueError, match=r"^defines\['N'\]: expected (a string, a whole|one line)"
        ):
            shaders.load("void main() {}\n", defines={"N": value})
    with pytest.raises(TypeError, match=r"^defines\['N'\]: expected a string, a whole"):
        shaders.load("void main() {}\n", defines={"N": [1]})  # type: ignore[dict-item]


# Compiling


def test_a_program_draws(ctx: moderngl.Context, tmp_path: Path) -> None:
    folders = write(tmp_path, glow__vert=VERT, glow__frag=FRAG, include___tint__glsl=TINT)
    program = shaders.program(ctx, "glow.vert", "glow.frag", folders=folders)
    shaders.set_uniform(program, "tone", np.array([1.0, 1.0, 1.0, 1.0]))
    target = ctx.simple_framebuffer((1, 1), components=4)
    target.use()
    corners = ctx.buffer(np.array([[1, -3], [1, 1], [-3, 1]], "f4").tobytes())
    vertices = ctx.vertex_array(program, [(corners, "2f", "corner")])
    target.clear()
    vertices.render(moderngl.TRIANGLES)
    assert target.read(components=4) == bytes([0, 0, 0, 255])
    shaders.set_uniform(program, "tone", (0, 0, 0, 0.2))
    vertices.render(moderngl.TRIANGLES)
    assert target.read(components=4)[3] == 51


def test_varyings_and_defines(ctx: moderngl.Context) -> None:
    vertex = "in float a;\nout float b;\nvoid main() { b = a * FACTOR; }\n"
    program = shaders.program(ctx, vertex, defines={"FACTOR": 2.5}, varyings=("b",))
    ctx.simple_framebuffer((1, 1)).use()  # OpenGL requires this although nothing is drawn
    buffer = ctx.buffer(np.array([1, 2], "f4").tobytes())
    out = ctx.buffer(reserve=8)
    ctx.vertex_array(program, [(buffer, "1f", "a")]).transform(out, moderngl.POINTS, 2)
    assert np.frombuffer(out.read(), "f4").tolist() == [2.5, 5.0]


BROKEN = {
    "undeclared": "vec4 tint(vec4 color) {\n\n    return colour; // here\n}\n",
    "syntax": "vec4 tint(vec4 color) {\n\n    return color, ); // here\n}\n",
    "#error": "vec4 tint(vec4 color) {\n\n#error no // here\n}\n",
    "type": "vec4 tint(vec4 color) {\n#line 90 7\n    return color.xyz; // here\n}\n",
}


@pytest.mark.parametrize("tint", BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.parametrize("version", ["", "\n#version 330 core\n", "#version 130\n"])
def test_an_error_names_the_included_file_and_its_line(
    ctx: moderngl.Context, tmp_path: Path, tint: str, version: str
) -> None:
    folders = write(tmp_path, glow__vert=VERT, glow__frag=version + FRAG, tint__glsl=tint)
    with pytest.raises(ShaderError, match=r"^tint\.glsl:3: ") as error:
        shaders.program(ctx, "glow.vert", "glow.frag", folders=folders, defines={"A": 1, "B": 2})
    assert (error.value.file, error.value.line) == ("tint.glsl", 3)
    assert "// here\n" in str(error.value)
    assert f"fragment shader glow.frag ({tmp_path.resolve() / 'tint.glsl'})" in str(error.value)
    assert "tint.glsl:3" in error.value.log


def test_an_error_after_an_include_has_the_right_line(
    ctx: moderngl.Context, tmp_path: Path
) -> None:
    frag = FRAG.replace("uv, 0", "vu, 0")
    folders = write(tmp_path, glow__vert=VERT, glow__frag=frag, tint__glsl=TINT)
    with pytest.raises(ShaderError) as error:
        shaders.program(ctx, "glow.vert", "glow.frag", folders=folders)
    message = "glow.frag:5: 'vu' undeclared\n    pixel = tint(vec4(vu, 0.0, 1.0));\n"
    assert str(error.value).startswith(message)


def test_an_error_in_the_vertex_shader(ctx: moderngl.Context) -> None:
    with pytest.raises(
        ShaderError, match=r"^<source>:2: .*\n.*\nin the vertex shader <source>"
    ) as error:
        shaders.program(ctx, VERT.replace("vec2 uv", "vec9 uv"), "void main() {}\n")
    assert error.value.line == 2


def test_a_link_error_names_both_files(ctx: moderngl.Context, tmp_path: Path) -> None:
    fragment = "in vec3 uv;\nout vec4 pixel;\nvoid main() { pixel = vec4(uv, 1.0); }\n"
    folders = write(tmp_path, glow__vert=VERT, other__frag=fragment)
    with pytest.raises(
        ShaderError, match=r"^glow\.vert and other\.frag: compiled, but cannot be"
    ) as error:
        shaders.program(ctx, "glow.vert", "other.frag", folders=folders)
    assert error.value.line is None
    assert "uv" in error.value.log
    with pytest.raises(
        ShaderError, match=r"^glow\.vert: compiled, but cannot be linked(.|\n)*nope"
    ):
        shaders.program(ctx, "glow.vert", folders=folders, varyings=("nope",))


# Error messages of several drivers. Line 3 of the text is line 2 of the file.
LOGS = {
    "Mesa": ("0:3(20): error: `colour' undeclared\n0:3(15): error: more", "'colour' undeclared"),
    "Mesa preprocessor": ("0:3(1): preprocessor error: #error no", "#error no"),
    "NVIDIA": (
        '0(2) : warning C7050: "x" might be used\n0(3) : error C1503: undefined variable "colour"',
        'undefined variable "colour"',
    ),
    "AMD": (
        "Fragment shader failed to compile with the following errors:\n"
        "ERROR: 0:3: error(#143) Undeclared identifier: colour\n"
        "ERROR: error(#273) 1 compilation errors.  No code generated",
        "Undeclared identifier: colour",
    ),
    "Intel": (
        "WARNING: 0:2: '' : all default precisions are highp\nERROR: 0:3: 'colour' : "
        "undeclared identifier",
        "'colour' : undeclared identifier",
    ),
    "Apple": (
        "ERROR: 0:3: Use of undeclared identifier 'colour'",
        "Use of undeclared identifier 'colour'",
    ),
}


class Driver:
    """A context whose driver refuses every program with a given message."""

    def __init__(self, kind: str, title: str, log: str) -> None:
        self.message = f"GLSL {kind} failed\n\n{title}\n{'=' * len(title)}\n{log}\n\n"

    def program(self, **shaders: object) -> moderngl.Program:
        raise moderngl.Error(self.message)


def refuse(driver: Driver) -> ShaderError:
    fragment = "out vec4 pixel;\nvoid main() { pixel = colour; }\n"
    with pytest.raises(ShaderError) as error:
        shaders.program(driver, VERT, fragment)  # type: ignore[arg-type]
    return error.value


@pytest.mark.parametrize(("log", "words"), LOGS.values(), ids=LOGS.keys())
def test_messages_of_every_driver_are_read(log: str, words: str) -> None:
    error = refuse(Driver("Compiler", "fragment_shader", log))
    assert str(error).startswith(
        f"<source>:2: {words}\n    void main() {{ pixel = colour; }}\nin the frag"
    )
    assert (error.file, error.line) == ("<source>", 2)
    assert re.search(r"<source>:2\b", error.log)
    assert len(error.log.splitlines()) == len(log.splitlines())


def test_messages_of_an_unknown_driver_are_passed_on() -> None:
    error = refuse(Driver("Compiler", "vertex_shader", "something is wrong"))
    assert str(error).startswith(
        "<source>: the vertex shader does not compile. The driver says:\nsomething"
    )
    assert (error.file, error.line, error.log) == ("<source>", None, "something is wrong")
    driver = Driver("Compiler", "", "")
    driver.message = "out of memory"
    assert str(refuse(driver)) == "<source> and <source>: out of memory"


def test_a_line_number_beyond_the_text_means_the_last_line() -> None:
    error = refuse(Driver("Compiler", "fragment_shader", "0:99(1): error: unexpected end of file"))
    assert str(error).startswith("<source>:3: unexpected end of file\n")


def test_a_link_log_with_line_numbers_in_parts() -> None:
    log = (
        "Vertex info\n-----------\nFragment info\n-------------\n0(3) : error C5145: must "
        'write to "x"'
    )
    error = refuse(Driver("Linker", "Program", log))
    message = (
        '<source>:2: must write to "x"\n    void main() { pixel = colour; }\nin the fragment shader'
    )
    assert str(error).startswith(message)


# Uniforms

UNIFORMS = """
uniform float f;
uniform vec2 v;
uniform mat4 m;
uniform mat2x3 r;
uniform float list[3];
uniform vec2 pairs[2];
uniform int i;
uniform uint u;
uniform bool b;
uniform ivec2 iv;
uniform sampler2D picture;
uniform float unused;
out vec4 sum;
void main() {
    sum = m * vec4(v, f, r[1].z) + list[2] + pairs[1].x + float(i) + float(u) + float(b) + float(iv.y)
        + texture(picture, v);
}
"""


@pytest.fixture
def program(ctx: moderngl.Context) -> moderngl.Program:
    return shaders.program(ctx, UNIFORMS, varyings=("sum",))


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("f", 0.5, 0.5),
        ("f", 3, 3.0),
        ("f", np.float64(0.25), 0.25),
        ("f", [2], 2.0),
        ("v", (1, 2.5), (1.0, 2.5)),
        ("v", np.arange(4.0)[::2], (0.0, 2.0)),
        ("m", np.arange(16.0).reshape(4, 4), tuple(range(16))),
        (
            "m",
            np.arange(16.0).reshape(4, 4).T,
            tuple(float(4 * (n % 4) + n // 4) for n in range(16)),
        ),
        ("r", np.arange(6).reshape(2, 3), tuple(range(6))),
        ("list", [1, 2, 3], [1.0, 2.0, 3.0]),
        ("pairs", np.array([[1, 2], [3, 4]], "f8"), [(1.0, 2.0), (3.0, 4.0)]),
        ("i", -7, -7),
        ("i", np.int64(7), 7),
        ("u", 2**32 - 1, 2**32 - 1),
        ("b", True, 1),
        ("iv", np.array([1, 2]), (1, 2)),
        ("picture", 3, 3),
    ],
)
def test_set_uniform(program: moderngl.Program, name: str, value: object, read: object) -> None:
    shaders.set_uniform(program, name, value)  # type: ignore[arg-type]
    assert program[name].value == read  # type: ignore[union-attr]


def test_nan_is_accepted_as_a_number(program: moderngl.Program) -> None:
    shaders.set_uniform(program, "f", float("nan"))
    assert np.isnan(program["f"].value)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        ("v", (1, 2, 3), ValueError, r"'v': expected 2 numbers, got 3, of shape \(3,\)"),
        ("f", (), ValueError, r"'f': expected 1 number, got 0"),
        ("list", [1, 2], ValueError, "'list': expected 3 numbers, got 2.*drivers cut"),
        ("m", np.eye(3), ValueError, r"'m': expected 16 numbers, got 9, of shape \(3, 3\)"),
        ("pairs", [[1, 2], [3]], ValueError, "'pairs': expected an array of numbers"),
        ("i", 2**40, ValueError, "'i': expected numbers that int32 can hold, got 1099511627776"),
        ("u", -1, ValueError, "'u': expected numbers that uint32 can hold"),
        ("i", 1.0, TypeError, "'i': expected whole numbers"),
        ("picture", "a.png", TypeError, "'picture': expected whole numbers"),
        ("f", "1", TypeError, "'f': expected numbers, got '1'"),
        ("f", None, TypeError, "'f': expected numbers, got None"),
    ],
)
def test_a_bad_value(
    program: moderngl.Program, name: str, value: object, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        shaders.set_uniform(program, name, value)  # type: ignore[arg-type]


def test_an_unknown_uniform_is_an_error_with_the_nearest_name(program: moderngl.Program) -> None:
    with pytest.raises(
        ShaderError, match=r"no uniform 'pictuer'; it has picture, .*Drivers remove"
    ):
        shaders.set_uniform(program, "pictuer", 0)
    with pytest.raises(ShaderError, match="no uniform 'unused'"):
        shaders.set_uniform(program, "unused", 0)
    with pytest.raises(ShaderError, match="no uniform 'sum'"):  # a varying
        shaders.set_uniform(program, "sum", 0)


def test_endless_includes_are_an_error(tmp_path: Path) -> None:
    for number in range(1500):
        (tmp_path / f"{number}.glsl").write_text(f'#include "{number + 1}.glsl"\n')
    with pytest.raises(
        shaders.ShaderError, match=r"^100\.glsl:1: more than 100 files include each other"
    ):
        shaders.load("0.glsl", [tmp_path])
