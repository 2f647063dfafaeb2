"""Upgrade: programs of earlier versions are rewritten with the names of this one."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path
from typing import Any

import pytest
from programs import run_python

import framework as fw
from framework.moved_names import CLASSES, FUNCTIONS, OPTIONS, Moved, MovedHook
from framework.tools.cli import main
from framework.tools.program_types import framework_classes
from framework.tools.upgrade import Upgrade, moved_names, upgrade_page, upgrade_program

PROGRAM = '''\
import framework as fw
from framework import Scene


class Level(Scene):
    """A level.""";  x = "é" * 3

    def setup(self):
        self.schedule_once(self.spawn, 2)  # spawn is our own
        self.ships = self.add(fw.SpriteBatch("ship.png"))
        for sprite in self.ships:
            print(sprite.x)
        if self.game.headless:
            print(self.ships.image_count, "images", self.ships.add_image("other.png"))

    def spawn(self, dt):
        self.waves = [fw.Transforms2D() for _ in range(3)]
        self.waves[0].spawn(2)


class Play(fw.Game):
    def setup(self):
        self.display = "own"
        self.bar_color = "#123"
        self.push(Level())

    def show(self):
        return self.display

    def press(self):
        return self.show()

    def update(self, dt):
        self.press()
        monitor = self.monitor
        monitor.begin_frame()


def test_play():
    with Play(headless=True) as game:
        game.release("space")
        game.click(1, 2)


def helper(thing: "Play"):
    thing.window.set_size(1, 2)
'''


def changed_lines(before: str, after: str) -> list[str]:
    pairs = zip(before.splitlines(), after.splitlines(), strict=True)
    return [new.strip() for old, new in pairs if old != new]


def test_names_are_rewritten_by_the_types_of_their_objects() -> None:
    result = upgrade_program(PROGRAM)
    assert changed_lines(PROGRAM, result.text) == [
        "self.schedule.once(self.spawn, 2)  # spawn is our own",
        "if self.game.display.headless:",
        'print(len(self.ships.images), "images", self.ships.images.add("other.png"))',
        "self.waves[0].extend(2)",
        'self.my_display = "own"',
        'self.picture.letterbox_color = "#123"',
        "def my_show(self):",
        "return self.my_display",
        "return self.my_show()",
        "monitor = self.debug.frame_stats",
        "monitor.recorder.begin_frame()",
        'game.testing.release("space")',
        "game.testing.click(1, 2)",
        "thing.display.window.set_size(1, 2)",
    ]
    assert result.notes == []


def test_an_upgraded_program_stays_as_it_is() -> None:
    once = upgrade_program(PROGRAM).text
    assert upgrade_program(once).text == once
    ast.parse(once)


ROOT = Path(__file__).parent.parent
CURRENT = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.py")]
CURRENT.remove(ROOT / "docs" / "migrating.md")  # a class of the program may have the old names, too


@pytest.mark.parametrize("path", sorted(CURRENT), ids=lambda path: path.name)
def test_programs_of_this_version_stay_as_they_are(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    upgrade = upgrade_page if path.suffix == ".md" else upgrade_program
    assert upgrade(text) == Upgrade(text)


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_line_ends_stay(end: str) -> None:
    source = end.join(["import framework as fw", "class G(fw.Game):", "    def update(self, dt):"])
    source += end + "        self.view_at(1, 2)"
    assert upgrade_program(source).text == source.replace("view_at", "views.at")


def test_tiles_go_into_a_tile_set() -> None:
    source = (
        "import framework as fw\n"
        "layer = fw.TileLayer(image, (8, 8), tiles, solid=[1], parallax=(1, 0.5), margin=2)\n"
    )
    assert upgrade_program(source).text == (
        "import framework as fw\n"
        "layer = fw.TileLayer(fw.TileSet(image, (8, 8), solid=[1], margin=2), tiles, "
        "parallax=(1, 0.5))\n"
    )


def test_the_walking_figure_is_no_longer_named_hero() -> None:
    indexed = "import framework as fw\nimage = fw.art.hero[0]\nlast = fw.art.hero[-1]\n"
    assert upgrade_program(indexed).text == indexed.replace("hero", "walker")
    current = "import framework as fw\nheroes = fw.SpriteBatch(fw.art.hero)\n"
    assert upgrade_program(current).text == current
    earlier = current + "label = fw.Monitor()\n"
    expected = earlier.replace("art.hero", "art.walker").replace("Monitor", "FrameStats")
    assert upgrade_program(earlier).text == expected


def test_meshes_transformed_by_a_matrix() -> None:
    source = "import framework as fw\nmesh = fw.Mesh.cube().transformed(matrix)\n"
    assert upgrade_program(source).text == source  # may be a position
    source += "mesh.transformed((1, 2, 3)).placed(rotation=q).placed(position)\n"
    new = source.replace("transformed(matrix)", "transformed_by(matrix)")
    assert upgrade_program(source).text == new.replace("placed", "transformed")


SAVES = """\
import os
from pathlib import Path
import framework as fw
FOLDER = Path("saves")
NAME = "slot 3"
class Level(fw.Game):
    def setup(self):
        self.file = FOLDER / "a.save"
    def update(self, dt):
        {}
def note(game, path: Path, other):
    {}
"""


@pytest.mark.parametrize(
    "argument",
    [
        '"saves/one.sav"',
        '"C:\\\\saves"',
        'FOLDER / "a.save"',
        '(FOLDER / "a.save")',
        "self.file",
        'f"{FOLDER}/a.save"',
        'f"saves/{self.tick}"',
        'os.path.join("a", NAME)',
        'str(FOLDER / "c")',
        'FOLDER.with_name("d")',
        'Path("a/b.save")',
        '"saves/%d.save" % self.tick',
        '"saves/{}".format(1)',
        'FOLDER / "a" if self.tick else "a/b"',
        '"a" + os.sep + "/b"',
        "path",
    ],
)
@pytest.mark.parametrize("method", ["save", "load"])
def test_a_file_is_an_option_of_save_and_load(method: str, argument: str) -> None:
    lines = f"self.{method}({argument})", f"game.{method}(\n        {argument})"
    source = SAVES.format(*lines)
    result = upgrade_program(source)
    assert result.text == source.replace(argument + ")\n", f"path={argument})\n")
    assert result.notes == []
    assert upgrade_program(result.text) == result


@pytest.mark.parametrize(
    "argument",
    ['"one"', '"one.sav"', "NAME", 'f"slot {self.tick}"', '"slot %d" % 3', "*self.files", ""],
)
def test_the_name_of_a_slot_stays(argument: str) -> None:
    source = SAVES.format(f"self.save({argument})", 'image.save("a/b.png")')
    assert upgrade_program(source) == Upgrade(source)


def test_a_file_or_slot_of_an_unknown_name_is_noted_in_earlier_programs() -> None:
    source = SAVES.format('self.save(Path("a.save"))', "game.load(other)")
    assert upgrade_program(source).notes == []  # this version allows such a program
    result = upgrade_program(source.replace("import os", "from framework import FullScreen"))
    assert [note.line for note in result.notes] == [10, 12]
    assert "game.load: the first argument is a slot" in result.notes[1].message


def test_an_object_of_unknown_type_is_noted() -> None:
    result = upgrade_program("def f(thing):\n    thing.view_at(1, 2)\n    thing.press('a')\n")
    assert result.text.count("thing.view_at") == 1
    assert [note.line for note in result.notes] == [2]
    assert "scene.views.at" in result.notes[0].message


def test_blocks_of_a_page_are_rewritten() -> None:
    page = (
        "Call `self.view_at`.\n\n```python\nself.view_at(1, 2)\n```\n\n```sh\nself.view_at\n```\n"
    )
    assert upgrade_page(page).text == page.replace("self.view_at(", "self.views.at(")
    page = (
        "```python\nself.a = fw.Game()\nb = fw.Scene()\n```\n"
        "```python\nself.a.press('x')\nb.view_at(1, 2)\n```\n"
    )
    page += (
        "```python\nclass G(fw.Scene):\n    def setup(self):\n        self.c = fw.Scene()\n```\n"
    )
    page += "```python\ndef update(self, dt):\n    self.c.view_at(1, 2)\n```\n"
    new = page.replace("a.press", "a.testing.press").replace("view_at", "views.at")
    assert upgrade_page(page).text == new
    fragment = "```python\nself.view_at(1, …\n```\n"
    assert upgrade_page(fragment).text == fragment


# -- every declaration -----------------------------------------------------------------------------


def used(cls: type, expression: str) -> str:
    """Return a program that uses an object `x` of a class."""
    return f"from {cls.__module__} import {cls.__name__}\ndef f(x: {cls.__name__}):\n    {expression}\n"


def option_program(function: str, option: str) -> str:
    """Return a program that passes an option by name to a function, as `OPTIONS` lists it."""
    owner, _, name = function.rpartition(".")
    classes = framework_classes()
    if function in classes:
        cls = classes[function]
        return f"from {cls.__module__} import {function}\n{function}({option}=1)\n"
    if owner in classes:
        return used(classes[owner], f"x.{name}({option}=1)")
    if not owner:
        return f"import framework as fw\nfw.{name}({option}=1)\n"
    module = f"fw.{owner}" if hasattr(fw, owner) else owner
    return f"import framework as fw\n{module}.{name}({option}=1)\n"


def test_renamed_names_do_not_depend_on_imported_modules() -> None:
    code = """
        import sys
        {}
        from framework.moved_names import FUNCTIONS
        from framework.tools.upgrade import moved_names
        print(sorted(f"{cls.__name__}.{moved.old}" for cls, moved in moved_names()))
        print(sorted(FUNCTIONS.items()))
    """
    outputs = [
        run_python(textwrap.dedent(code).replace("{}", first)).stdout
        for first in ("", "import framework.ui.widgets, framework.space.picking, framework.physics")
    ]
    assert outputs[0].count("RayHit.what") == 1
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("cls", "moved"),
    sorted(
        (pytest.param(*pair, id=f"{pair[0].__name__}.{pair[1].old}") for pair in moved_names()),
        key=lambda parameters: str(parameters.id),  # the same order in each process of the tests
    ),
)
def test_every_moved_attribute_is_rewritten(cls: type, moved: Moved) -> None:
    result = upgrade_program(used(cls, f"x.{moved.old}")).text
    assert moved.is_call or f"x.{moved.new}\n" in result
    assert f"x.{moved.old}\n" not in result
    assert upgrade_program(result).text == result, "the new place has moved as well"
    if isinstance(moved, MovedHook):
        hook = f"    def {moved.old}(self):\n        super().{moved.old}()\n"
        head = f"from {cls.__module__} import {cls.__name__}\nclass A({cls.__name__}):\n"
        new = hook.replace(moved.old, moved.new)
        assert upgrade_program(head + hook).text == head + new


@pytest.mark.parametrize(
    ("function", "old", "new"),
    sorted((function, *pair) for function, names in OPTIONS.items() for pair in names.items()),
)
def test_every_renamed_option_is_rewritten(function: str, old: str, new: str) -> None:
    result = upgrade_program(option_program(function, old))
    assert result.text == option_program(function, new)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    sorted((module, *pair) for module, names in FUNCTIONS.items() for pair in names.items()),
)
def test_every_renamed_function_is_rewritten(module: str, old: str, new: str) -> None:
    source = f"from framework import {module}\n{module}.{old}(1)\n"
    assert upgrade_program(source).text == source.replace(f".{old}", f".{new}")


@pytest.mark.parametrize(("old", "new"), sorted(CLASSES.items()))
def test_every_renamed_class_is_rewritten(old: str, new: str) -> None:
    source = f"""\
import framework as fw
from framework import {old}
class A(fw.{old}): "{old}"
def f(x: {old}, y: "list[fw.{old}]") -> '{old} | None':
    z: "{old}" = fw.{old}(1), {old}(2), isinstance(x, {old})
"""
    expected = source.replace(old, new).replace(f': "{new}"\n', f': "{old}"\n', 1)
    assert upgrade_program(source).text == expected


NEW_NAMES = """\
import framework as fw
from framework import Pad, Old as Mine

class Level(fw.Scene):
    hides_below = True

    def enter(self) -> None:
        super().enter()
        self.ships = self.add(fw.SpriteBatch("a.png", radius=2))
        self.ships.add("a.png", spin=3)
        sprite = self.ships.add("a.png")
        rocks = fw.SpriteBatch("spin", columns=("velocity", "spin"))
        angles = fw.Transforms2D().column("spin")
        self.tween(sprite, 3, spin=2, x=1, span=5)
        self.tween([sprite], 3, spin=2)
        options = {"radius": 3}
        options["radius"] = 3
        fw.SpriteBatch("a.png", **options, **{"radius": 2})
        fw.SpriteBatch("a.png", **wide(radius=2), **KINDS["small"], **dict(radius=1))
        unknown.cast(1, reach=2)
        if fw.collide.cast(1, reach=2):
            sprite.spin += 1

    def ship(self):
        return self.ships.add("a.png")

class Deep(Level):
    def enter(self) -> None:
        Level.enter(self)
        self.hides_below = False

def f(pad: Pad | None, other: "fw.Pad", spin: float) -> "Pad":
    match pad:
        case Pad():
            level.enter()
    Level().enter()
    sheet(spin=3)
    Level().ship().spin = made().spin

def made() -> fw.Sprite:
    ...

def wide(radius):
    result = {"x": 1} | {"radius": radius}
    return result

KINDS = {"small": {"radius": 1}, "radius": {}}
"""


def test_options_hooks_functions_and_classes(monkeypatch: Any) -> None:
    monkeypatch.setitem(CLASSES, "Pad", "Vignette")
    monkeypatch.setitem(CLASSES, "Old", "Sprite")
    monkeypatch.setitem(OPTIONS, "Scene.tween", {"span": "duration"})
    monkeypatch.setitem(OPTIONS, "SpriteBatch", {"radius": "spread"})
    monkeypatch.setitem(OPTIONS, "collide.ray_hits", {"reach": "max_distance"})
    monkeypatch.setitem(FUNCTIONS, "collide", {"cast": "overlaps"})
    monkeypatch.setitem(OPTIONS, "collide.overlaps", {"reach": "max_distance"})
    for cls in (fw.Sprite, fw.SpriteBatch, fw.Transforms2D):
        monkeypatch.setattr(cls, "spin", Moved("sprite", "spin", "turning"), raising=False)
    result = upgrade_program(NEW_NAMES)
    assert changed_lines(NEW_NAMES, result.text) == [
        "from framework import Vignette, Sprite as Mine",
        "opaque = True",
        "def on_enter(self) -> None:",
        "super().on_enter()",
        'self.ships = self.add(fw.SpriteBatch("a.png", spread=2))',
        'self.ships.add("a.png", turning=3)',
        'rocks = fw.SpriteBatch("spin", columns=("velocity", "turning"))',
        'angles = fw.Transforms2D().column("turning")',
        "self.tween(sprite, 3, turning=2, x=1, duration=5)",
        "self.tween([sprite], 3, turning=2)",
        'options = {"spread": 3}',
        'options["spread"] = 3',
        'fw.SpriteBatch("a.png", **options, **{"spread": 2})',
        'fw.SpriteBatch("a.png", **wide(radius=2), **KINDS["small"], **dict(spread=1))',
        "if fw.collide.overlaps(1, max_distance=2):",
        "sprite.turning += 1",
        "def on_enter(self) -> None:",
        "Level.on_enter(self)",
        "self.opaque = False",
        'def f(pad: Vignette | None, other: "fw.Vignette", spin: float) -> "Vignette":',
        "case Vignette():",
        "Level().on_enter()",
        "Level().ship().turning = made().turning",
        'result = {"x": 1} | {"spread": radius}',
        'KINDS = {"small": {"spread": 1}, "radius": {}}',
    ]
    assert upgrade_program(result.text) == result


def test_a_new_name_already_used_by_the_program(monkeypatch: Any) -> None:
    monkeypatch.setitem(CLASSES, "Pad", "Gamepad")
    source = "from framework import Pad\nclass Gamepad: ...\nPad()\n"
    expected = source.replace("import Pad", "import Gamepad as Pad")
    assert upgrade_program(source).text == expected
    source = """\
import framework as fw
class Level(fw.Scene):
    def enter(self): self.on_enter()
    def on_enter(self): ...
"""
    result = upgrade_program(source)
    assert result.text == source
    assert [note.line for note in result.notes] == [3]


def test_the_command_changes_files_and_shows_the_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "game.py"
    second = tmp_path / "other.py"
    program.write_text(PROGRAM, encoding="utf-8")
    second.write_text("x = 1\n")
    hidden = tmp_path / ".venv" / "a.py"
    hidden.parent.mkdir()
    hidden.write_text("x = (\n")
    assert main(["upgrade", str(tmp_path), "--dry-run"]) == 0
    assert program.read_text(encoding="utf-8") == PROGRAM
    assert "1 of 2 files would change" in capsys.readouterr().out
    assert main(["upgrade", str(program), str(second)]) == 0
    printed = capsys.readouterr().out
    assert "-        self.schedule_once" in printed
    assert "+        self.schedule.once" in printed
    assert "1 of 2 files changed, 0 lines to look at" in printed
    assert program.read_text(encoding="utf-8") == upgrade_program(PROGRAM).text
    assert sorted(path.name for path in tmp_path.iterdir()) == [".venv", "game.py", "other.py"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.py", None, "there is no such file or folder"),
        ("a.txt", b"x", "expected a .py or .md file, or a folder of them"),
        ("a.py", b"x = (\n", "line 1: expected valid Python"),
        ("a.py", b"\xff\xfe", "expected a text in UTF-8"),
        ("a.py", b"x = '\0'", "expected valid Python"),
    ],
)
def test_bad_files_change_nothing(
    name: str, content: bytes | None, message: str, tmp_path: Path, capsys: Any
) -> None:
    good = tmp_path / "good.py"
    bad = tmp_path / name
    good.write_text(PROGRAM, encoding="utf-8")
    if content is not None:
        bad.write_bytes(content)
    assert main(["upgrade", str(good), str(bad)]) == 2
    assert message in capsys.readouterr().err
    assert good.read_text(encoding="utf-8") == PROGRAM
