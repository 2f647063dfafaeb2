"""Upgrade: programs of earlier versions are rewritten with the names of this one."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import framework as fw
from framework.tools.cli import main
from framework.tools.upgrade import moved_names, upgrade_page, upgrade_program

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
    fragment = "```python\nself.view_at(1, …\n```\n"
    assert upgrade_page(fragment).text == fragment


def test_every_moved_name_is_rewritten() -> None:
    found = {(cls.__name__, moved.old) for cls, moved in moved_names()}
    assert {("Game", "press"), ("Scene", "add_view"), ("SpriteBatch", "add_image")} <= found
    for cls, moved in moved_names():
        if getattr(fw, cls.__name__, None) is cls:
            source = f"import framework as fw\nfw.{cls.__name__}().{moved.old}\n"
            assert upgrade_program(source).text != source, moved.old


def test_the_command_changes_files_and_shows_the_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, other = tmp_path / "game.py", tmp_path / "other.py"
    program.write_text(PROGRAM, encoding="utf-8")
    other.write_text("x = 1\n")
    hidden = tmp_path / ".venv" / "a.py"
    hidden.parent.mkdir()
    hidden.write_text("x = (\n")
    assert main(["upgrade", str(tmp_path), "--dry-run"]) == 0
    assert program.read_text(encoding="utf-8") == PROGRAM
    assert "1 of 2 files would change" in capsys.readouterr().out
    assert main(["upgrade", str(program), str(other)]) == 0
    shown = capsys.readouterr().out
    assert "-        self.schedule_once" in shown
    assert "+        self.schedule.once" in shown
    assert "1 of 2 files changed, 0 lines to look at" in shown
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
    good, bad = tmp_path / "good.py", tmp_path / name
    good.write_text(PROGRAM, encoding="utf-8")
    if content is not None:
        bad.write_bytes(content)
    assert main(["upgrade", str(good), str(bad)]) == 2
    assert message in capsys.readouterr().err
    assert good.read_text(encoding="utf-8") == PROGRAM
