"""Mistakes of beginners: each raises a clear error at the call with the mistake."""

from __future__ import annotations

import abc
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pyglet
import pytest
from pictures import solid

import framework as fw
from framework.game import window
from framework.moved_names import CLASSES, FUNCTIONS, OPTIONS, Moved, MovedHook
from framework.state.rows import table_of
from framework.tools.program_types import framework_classes
from framework.tools.upgrade import moved_names

pytestmark = pytest.mark.usefixtures("no_open_game")


@pytest.fixture
def game() -> Iterator[Any]:
    with fw.Game(size=(64, 48), headless=True) as game:
        yield game


class WithoutInit(fw.Scene):
    def __init__(self) -> None:
        self.speed = 3


@pytest.mark.parametrize("use", ["add", "push", "sprites", "labels", "camera", "world", "schedule"])
def test_a_scene_without_super_init_is_an_error(game: Any, use: str) -> None:
    scene = WithoutInit()
    message = r"^WithoutInit\.__init__ must call super\(\)\.__init__\(\) first$"
    uses = {"push": lambda: game.push(scene), "add": lambda: scene.add(fw.SpriteBatch(solid(2, 2)))}
    with pytest.raises(TypeError, match=message):
        uses.get(use, lambda: getattr(scene, use))()
    assert game.scene is game
    game.advance(1 / 60)


def test_the_anchor_of_an_image_is_two_numbers(game: Any) -> None:
    message = (
        r"^anchor: expected two numbers, pixels from the bottom left corner \(None: the "
        r"center\), got 'center'$"
    )
    for make in (
        lambda: fw.SpriteBatch(solid(2, 2), anchor="center"),  # type: ignore[arg-type]
        lambda: fw.Region("a.png", anchor="center"),  # type: ignore[arg-type]
        lambda: fw.sheet("a.png", (8, 8), columns=2, anchor="center"),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match=message):
            make()
    with pytest.raises(
        ValueError,
        match=r"^anchor: expected two words, such as \('center', 'top'\), or one of 'top",
    ):
        game.labels.add("x", anchor="middle")
    assert game.labels.add("x", anchor="center").anchor == ("center", "center")
    assert game.labels.add("x", anchor="bottom right").anchor == ("right", "bottom")


def test_3d_objects_need_the_world_camera(game: Any) -> None:
    cubes = fw.MeshBatch(fw.Mesh.cube(), 1)
    for camera in (game.hud, game.camera, fw.Camera3D()):
        with pytest.raises(
            TypeError,
            match=r"^camera: MeshBatch is 3D and seen through its world's camera; omit",
        ):
            game.add(cubes, camera=camera)
    game.add(cubes)
    game.advance(1 / 60)


def test_a_sprite_without_an_image_is_an_error(game: Any) -> None:
    with pytest.raises(ValueError, match=r"^image: the batch has no images yet; pass one"):
        game.sprites.add(position=(3, 3))
    assert len(game.sprites) == 0


def test_a_shader_of_one_line_is_source_code(game: Any) -> None:
    batch = fw.SpriteBatch(
        solid(8, 8), 1, shader='#include "sprite.glsl"\nvoid main() { color = vec4(0, 1, 0, 1); }'
    )
    game.add(batch)
    with pytest.raises(fw.ShaderError, match=r"<source>"):
        game.add(fw.SpriteBatch(solid(2, 2), shader="void main() { colr = vec4(1); }"))


@pytest.mark.parametrize("color", [(255, 128, 0), (255, 128, 0, 255), (40.0, 0, 0)])
def test_colors_up_to_255_are_refused(game: Any, color: Any) -> None:
    message = r"^color: expected numbers from 0 to 1, got .*; divide numbers up to 255 by 255$"
    sprite = game.sprites.add(solid(2, 2))
    label = game.labels.add("x")
    before = sprite.color, label.color
    for use in (
        lambda: game.sprites.add(0, color=color),
        lambda: setattr(sprite, "color", color),
        lambda: setattr(label, "color", color),
        lambda: game.labels.add("y", color=color),
    ):
        with pytest.raises(ValueError, match=message):
            use()
    assert (sprite.color, label.color, len(game.sprites)) == (*before, 1)
    with pytest.raises(ValueError, match="background: expected numbers from 0 to 1"):
        game.background = color
    sprite.color = (2, 2, 2)  # brighter than the image


# -- mistakes that were errors only a frame later, or no errors ------------------------------------


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        (
            "layer",
            2**32 + 7,
            r"^layer: expected whole numbers from -2,147,483,648 to 2,147,483,647, got "
            r"4,294,967,303",
        ),
        (
            "layer",
            np.array([0, -(2**31) - 1]),
            r"^layer: expected whole numbers from .*, got -2,147,483,649",
        ),
        ("image", 2**32, r"^image: the batch has 1 images, got index 4294967296"),
        ("image", 7, r"^image: the batch has 1 images, got index 7"),
        ("image", [0, -1], r"^image: the batch has 1 images, got index -1"),
        ("position", 1e300, r"^position: expected numbers of at most 3\.4e38, got larger ones"),
        ("angle", [0.0, -1e39], r"^angle: expected numbers of at most 3\.4e38, got larger ones"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_numbers_outside_the_range_of_a_column_are_refused(
    game: Any, column: str, value: Any, message: str
) -> None:
    batch = game.add(fw.SpriteBatch(solid(2, 2), 2))
    before = getattr(batch, column).copy()
    with pytest.raises(ValueError, match=message):
        setattr(batch, column, value)
    if column != "image":
        with pytest.raises(ValueError, match=message):
            batch.extend(2, **{column: value})
    np.testing.assert_array_equal(getattr(batch, column), before)
    batch.position = [(np.nan, np.inf)] * 2  # rows with these positions are not drawn


@pytest.mark.parametrize("samples", [3, 5, 100])
def test_samples_are_a_power_of_two(game: Any, samples: int) -> None:
    for use in (
        lambda: fw.Game(size=(8, 8), headless=True, samples=samples),
        lambda: setattr(game.picture, "samples", samples),
        lambda: fw.Quality([{"samples": samples}]),
    ):
        with pytest.raises(ValueError, match=rf"samples: expected 0, 2, 4, 8 or 16, got {samples}"):
            use()
    game.picture.samples = 4
    game.advance(1 / 60)


@pytest.mark.parametrize("value", [None, 3, "x", [1]])
def test_uniforms_are_values_by_name(game: Any, value: Any) -> None:
    batch = game.add(fw.SpriteBatch(solid(2, 2), 1, uniforms={"wind": 1.0}))
    with pytest.raises(
        TypeError, match="uniforms: expected values by the names of the shader's uniforms, got "
    ):
        batch.uniforms = value
    assert batch.uniforms == {"wind": 1.0}


@pytest.mark.parametrize(
    ("target", "name", "value", "message"),
    [
        (
            lambda game: game.camera,
            "zoom",
            1e39,
            "zoom: expected a finite number above 0 and of at most 1e",
        ),
        (lambda game: game.world, "camera", None, "camera: expected a Camera3D, got None"),
        (
            lambda game: game.add(fw.MeshBatch(fw.Mesh.cube())),
            "material",
            None,
            "material: expected a Material",
        ),
        (
            lambda game: game.add(fw.MeshBatch(fw.Mesh.cube())),
            "cull",
            None,
            "cull: expected True or False",
        ),
        (
            lambda game: game.add(fw.SpriteBatch(solid(2, 2))),
            "y_sort",
            "y",
            "y_sort: expected True or False",
        ),
    ],
)
def test_invalid_attributes_are_refused_at_once(
    game: Any, target: Any, name: str, value: Any, message: str
) -> None:
    owner = target(game)
    before = getattr(owner, name)
    with pytest.raises((TypeError, ValueError), match=message):
        setattr(owner, name, value)
    assert getattr(owner, name) is before or getattr(owner, name) == before
    game.advance(1 / 60)


def test_invalid_arguments_are_refused_at_once(game: Any) -> None:
    with pytest.raises(TypeError, match="offset: expected two finite numbers, got 5"):
        game.camera.follow(game.sprites.add(solid(2, 2)), offset=5)
    assert game.camera.controller is None
    with pytest.raises(TypeError, match="function: expected a function, got 5"):
        game.world.lines.each_frame(5)
    game.advance(1 / 60)


@pytest.mark.skipif(
    not sys.platform.startswith("linux"),
    reason="elsewhere a run off screen has an invisible window",
)
@pytest.mark.parametrize("devices", [True, False])
def test_gamepads_of_pyglet_are_refused_off_screen_and_without_devices(
    game: Any, monkeypatch: Any, devices: bool
) -> None:
    """Do what `prepare` does when it loads pyglet, because here pyglet already draws off screen."""
    monkeypatch.delitem(sys.modules, "pyglet.input", raising=False)
    monkeypatch.setattr(pyglet, "input", pyglet._ModuleProxy("input"))
    message = (
        r"^pyglet\.input: off screen there are no gamepads and tablets; use them after `if not "
        r"self\.headless:`"
    )
    monkeypatch.setitem(pyglet.options, "headless", devices)
    if not devices:
        monkeypatch.setattr("os.path.isdir", lambda path: path != "/dev/input")
        message = r"^pyglet\.input: this machine has no /dev/input, where Linux lists gamepads"
    window._explain_missing_devices()
    for name in (
        "get_controllers",
        "get_joysticks",
        "get_devices",
        "get_tablets",
        "ControllerManager",
    ):
        with pytest.raises(fw.FrameworkError, match=message):
            getattr(pyglet.input, name)
    with pytest.raises(fw.FrameworkError, match=message):
        from pyglet.input import get_controllers  # noqa: F401
    before = sys.modules["pyglet.input"]
    window._explain_missing_devices()
    assert sys.modules["pyglet.input"] is before


@pytest.mark.skipif(
    not sys.platform.startswith("linux"),
    reason="elsewhere a run off screen has an invisible window",
)
def test_gamepads_of_pyglet_are_refused_in_a_game_off_screen() -> None:
    program = (
        "import pyglet\nimport framework as fw\n"
        "with fw.Game(size=(8, 8), headless=True):\n"
        "    try: pyglet.input.get_controllers()\n"
        "    except fw.FrameworkError as error: print(error)\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert process.stdout.startswith("pyglet.input: off screen there are no gamepads"), (
        process.stderr
    )


class PartlyAdded(fw.Game):
    """A game that adds only some of its batches, some of them later."""

    def setup(self) -> None:
        self.stars = fw.SpriteBatch(solid(2, 2), count=30)
        self.cubes = fw.MeshBatch(fw.Mesh.cube(), 1)
        self.empty = fw.SpriteBatch(solid(2, 2))
        self.ship = self.add(fw.SpriteBatch(solid(2, 2), count=1))
        self.rocks = fw.MeshBatch(fw.Mesh.cube(), 2)
        self.late = fw.SpriteBatch(solid(2, 2), count=1)
        self.gone = self.add(fw.SpriteBatch(solid(2, 2), count=1))

    def update(self, dt: float) -> None:
        if self.tick == 3:
            self.add(self.late)
            self.world.add(self.rocks)
            self.remove(self.gone)


def test_a_batch_that_was_never_added_is_a_warning_at_the_end_of_the_run() -> None:
    with PartlyAdded(size=(16, 16), headless=True) as game:
        game.run(5)  # no warning after so short a run
        with pytest.warns(RuntimeWarning, match="was never added") as warnings_caught:
            game.run(600)
        game.run(1)
    message = "was never added, so it was not drawn; write self."
    assert [str(each.message) for each in warnings_caught] == [
        f"PartlyAdded.stars: a SpriteBatch with 30 rows {message}stars = self.add(fw.SpriteBatch(…)). "
        "If the name is your own, declare it in the class: own_names = ('stars',)",
        f"PartlyAdded.cubes: a MeshBatch with 1 row {message}cubes = self.add(fw.MeshBatch(…)). "
        "If the name is your own, declare it in the class: own_names = ('cubes',)",
    ]


@pytest.mark.parametrize(
    "name", ["views", "sprites", "scene", "tick", "random", "audio", "players", "recording"]
)
def test_reserved_names_cannot_be_set(game: Any, name: str) -> None:
    before = getattr(game, name)
    message = (
        rf"^Game\.{name}: the framework reserves this name, so it cannot be set\. .*another "
        rf"name for your own attribute, such as my_{name}$"
    )
    with pytest.raises(AttributeError, match=message):
        setattr(game, name, [])
    assert getattr(game, name) == before


def test_no_read_only_property_raises_pythons_own_error(game: Any) -> None:
    parts = (game.testing, game.saves, game.recording, game.display, game.picture, game.debug)
    classes = {*fw.Game.__mro__, *map(type, parts)}
    properties = {
        name: member
        for class_ in classes
        for name, member in vars(class_).items()
        if isinstance(member, property)
    }
    assert not [
        name for name, member in properties.items() if member.fset is None and name[0] != "_"
    ]
    assert len(properties) > 40


@pytest.mark.parametrize("use", ["once", "interval", "add"])
def test_a_scheduled_function_without_dt_is_refused(game: Any, use: str) -> None:
    def blink() -> None: ...

    class Blinker:
        def blink(self) -> None: ...

        def __call__(self, dt: float, other: int) -> None: ...

    def schedule(function: Any) -> None:
        if use == "add":
            game.systems.add("ai", function)
        else:
            getattr(game.schedule, use)(function, 1)

    message = r"(callback|function): expected a function of dt: it is called with the seconds "
    for function in (blink, Blinker().blink, Blinker(), lambda: None, Blinker.__call__):
        with pytest.raises(TypeError, match=message):
            schedule(function)
    for function in (
        lambda dt: None,
        lambda *_: None,
        lambda dt, more=3: None,
        [].append,
        Blinker.blink,
    ):
        schedule(function)
    game.run_ticks(1)


def test_a_single_flip_flag_and_a_named_anchor_are_explained() -> None:
    batch = fw.SpriteBatch(solid(2, 2), 1)
    message = r"^flip: expected two flags, mirrored in x and in y, as in \(True, False\), got True"
    for set_to in (lambda: setattr(batch[0], "flip", True), lambda: batch.add(flip=True)):  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=message):
            set_to()
    assert batch.flip.tolist() == [[False, False]]
    batch[0].flip = np.array([True, False])  # type: ignore[assignment]
    assert batch[0].flip == (True, False)
    with pytest.raises(
        TypeError, match=r"^anchor: expected two numbers, pixels from the bottom left corner"
    ):
        fw.SpriteBatch(solid(2, 2), anchor=("center", "center"))  # type: ignore[arg-type]


# -- names that moved, and reserved names in a game's class ----------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("press", "testing.press"),
        ("unplug", "testing.disconnect"),
        ("headless", "display.headless"),
        ("view", "picture.screen_mapping"),
    ],
)
def test_a_moved_name_raises_the_new_name(game: Any, old: str, new: str) -> None:
    message = (
        rf"^game\.{old}: moved to game\.{new} \(docs/migrating\.md lists all names that moved\)$"
    )
    with pytest.raises(AttributeError, match=message):
        getattr(game, old)
    with pytest.raises(AttributeError, match=message):
        getattr(fw.Game, old)
    assert old not in {*dir(fw.Game), *dir(game)}


@pytest.mark.parametrize("scene_class", [fw.Scene, fw.Game])
@pytest.mark.parametrize(
    ("old", "new"),
    [("schedule_once", "schedule.once"), ("system", "systems.add"), ("view_at", "views.at")],
)
def test_a_moved_name_of_a_scene_raises_the_new_name(
    game: Any, scene_class: type[fw.Scene], old: str, new: str
) -> None:
    scene = game if scene_class is fw.Game else scene_class()
    for owner in (scene, scene_class):
        with pytest.raises(AttributeError, match=rf"^scene\.{old}: moved to scene\.{new} "):
            getattr(owner, old)
        assert old not in dir(owner)


def test_a_moved_name_of_a_schedule_raises_the_new_name(game: Any) -> None:
    for schedule in (game.schedule, game.schedule.group()):
        with pytest.raises(
            AttributeError, match=r"^schedule\.schedule_once: renamed to schedule\.once "
        ):
            schedule.schedule_once(print, 1)
        assert "schedule_once" not in {*dir(schedule), *dir(fw.Schedule)}


OLD_NAMES: dict[str, Callable[[Any], object]] = {
    "scene.discard: renamed to scene.remove": lambda game: game.discard(game.sprites),
    "scene.enter: renamed to scene.on_enter": lambda game: game.enter(),
    "scene.hides_below: renamed to scene.opaque": lambda game: setattr(game, "hides_below", True),
    "scene.ear: renamed to scene.default_listener": lambda game: game.ear(2),
    "world.discard: renamed to world.remove": lambda game: game.world.discard(None),
    "picture.bar_color: renamed to picture.letterbox_color": lambda game: setattr(
        game.picture, "bar_color", "red"
    ),
    "debug.monitor: renamed to debug.frame_stats": lambda game: game.debug.monitor,
    "game.monitor: moved to game.debug.frame_stats": lambda game: game.monitor,
    "view.listener: renamed to view.mouse_handler": lambda game: setattr(
        game.views.add(fw.Camera2D((64, 48))), "listener", None
    ),
    "rewind.standing: renamed to rewind.paused": lambda game: fw.Rewind().standing,  # type: ignore[attr-defined]
    "transition.length: renamed to transition.duration": lambda game: fw.Fade(1).length,
    "Fade(length=…): renamed to duration=": lambda game: fw.Fade(length=1),  # type: ignore[call-arg]
    "Transition(length=…): renamed to duration=": lambda game: fw.Transition("", length=1),
    "Game(monitor=…): renamed to frame_stats=": lambda game: fw.Game(monitor=False),  # type: ignore[call-arg]
    "Rewind(seconds=…): renamed to duration=": lambda game: fw.Rewind(seconds=1),  # type: ignore[call-arg]
    "View(listener=…): renamed to mouse_handler=": lambda game: game.views.add(
        fw.Camera2D((64, 48)), listener=None
    ),
    "Scene.tween(length=…): renamed to duration=": lambda game: game.tween(
        game.camera, zoom=2, length=1
    ),
    "Tween.then(length=…): renamed to duration=": lambda game: game.tween(
        game.camera, zoom=2, duration=1
    ).then(game.camera, zoom=1, length=1),
    "Monitor: renamed to FrameStats": lambda game: fw.Monitor,  # type: ignore[attr-defined]
    "Level.enter: renamed to on_enter": lambda game: type(
        "Level", (fw.Scene,), {"enter": lambda self: None}
    ),
    "Level.hides_below: renamed to opaque": lambda game: type(
        "Level", (fw.Scene,), {"hides_below": True}
    ),
}


@pytest.mark.parametrize("message", OLD_NAMES)
def test_an_old_name_of_games_and_scenes_raises_the_new_name(game: Any, message: str) -> None:
    pattern = rf"^(module 'framework'.*)?{re.escape(message)} \(docs/migrating"
    with pytest.raises((AttributeError, TypeError), match=pattern):
        OLD_NAMES[message](game)


def test_a_scene_may_have_abstract_methods() -> None:
    class Level(fw.Scene, abc.ABC):
        @abc.abstractmethod
        def wave(self) -> int: ...

    with pytest.raises(TypeError, match="abstract"):
        Level()  # type: ignore[abstract]


def test_an_invalid_system_is_refused_before_its_function(game: Any) -> None:
    before = game.state_hash()
    with pytest.raises(ValueError, match=r"^rate: expected"):
        game.systems.add("ai", rate=-1)
    with pytest.raises(ValueError, match=r"^phase: expected"):
        game.systems.add("thinking")
    assert game.state_hash() == before


def test_views_can_be_removed_in_a_loop_over_them(game: Any) -> None:
    for _ in range(2):
        game.views.add(fw.Camera2D((64, 48)))
    for view in game.views:
        game.views.remove(view)
    assert (len(game.views), [*game.views], game.views.at(1, 1)) == (0, [], None)


@pytest.mark.parametrize(("old", "new"), [("fullscreen", "display"), ("rewind", "recording")])
def test_a_moved_setting_cannot_be_set_at_its_old_place(game: Any, old: str, new: str) -> None:
    with pytest.raises(AttributeError, match=rf"^game\.{old}: moved to game\.{new}\.{old} "):
        setattr(game, old, True)
    assert old not in vars(game)


@pytest.mark.parametrize(
    "name",
    ["testing", "saves", "recording", "display", "picture", "debug", "systems", "views"],
)
def test_a_part_of_a_game_is_read_only_and_no_state(game: Any, name: str) -> None:
    part = getattr(game, name)
    before = game.state_hash()
    with pytest.raises(AttributeError, match=rf"^Game\.{name}: the framework reserves this name"):
        setattr(game, name, 3)
    with pytest.raises(AttributeError, match=rf"^{type(part).__name__} has no attribute 'nothing'"):
        part.nothing = 3
    game.restore(game.snapshot())
    assert getattr(game, name) is part
    assert game.state_hash() == before
    assert not [path for path in game.debug.state_values() if f"game.{name}" in path]


def listed_names() -> dict[str, str]:
    """Return the rows of docs/migrating.md: old names with new names."""
    page = Path(__file__).parent.parent / "docs" / "migrating.md"
    return dict(re.findall(r"^\| `([^`]+)` \| `([^`]+)`", page.read_text("utf-8"), re.MULTILINE))


def test_the_migration_page_lists_every_attribute_and_hook() -> None:
    """The page uses the names of the error messages."""
    listed = listed_names()
    messages = {
        re.fullmatch(r"(\S+): (?:moved|renamed) to (.+?) \(docs.*", moved.message)
        for _, moved in moved_names()
    }
    expected = {match[1]: match[2] for match in messages if match is not None}
    assert {old: new for old, new in expected.items() if listed.get(old) != new} == {}
    kinds = {name.lower(): getattr(fw, name) for name in fw.__all__ if name[0].isupper()}
    for old in listed.keys() - expected.keys():  # names without their own error must not exist
        owner, _, name = old.partition("(")[0].partition(".")
        assert not hasattr(kinds.get(owner), name)


def test_the_migration_page_lists_every_class_function_and_option() -> None:
    expected = {f"fw.{old}": f"fw.{new}" for old, new in CLASSES.items()}
    for module, names in FUNCTIONS.items():
        expected |= {f"{module}.{old}": f"{module}.{new}" for old, new in names.items()}
    for function, names in OPTIONS.items():
        expected |= {f"{function}({old}=…)": f"{function}({new}=…)" for old, new in names.items()}
    listed = listed_names()
    assert {old: new for old, new in expected.items() if listed.get(old) != new} == {}


framework_classes()  # Load every module: each adds its names to FUNCTIONS and OPTIONS.


@pytest.mark.parametrize(("old", "new"), [*CLASSES.items()])
def test_a_renamed_class_raises_the_new_name(old: str, new: str) -> None:
    message = rf"^{old}: renamed to {new} \(docs/migrating\.md lists all names that moved\)$"
    assert new in fw.__all__
    assert old not in dir(fw)
    with pytest.raises(AttributeError, match=message):
        getattr(fw, old)
    with pytest.raises(ImportError, match=message):
        exec(f"from framework import {old}")


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [(module, *pair) for module, names in FUNCTIONS.items() for pair in names.items()],
)
def test_a_renamed_function_raises_the_new_name(module: str, old: str, new: str) -> None:
    message = rf"^{module}\.{old}: renamed to {module}\.{new} \(docs"
    owner = getattr(fw, module)
    assert callable(getattr(owner, new))
    assert old not in dir(owner)
    with pytest.raises(AttributeError, match=message):
        getattr(owner, old)
    with pytest.raises(AttributeError, match=rf"^module '{module}' has no attribute 'nothing'"):
        owner.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("cls", "hook"),
    [
        pytest.param(cls, moved, id=f"{cls.__name__}.{moved.old}")
        for cls, moved in moved_names()
        if isinstance(moved, MovedHook)
    ],
)
def test_a_renamed_hook_raises_the_new_name(cls: type, hook: MovedHook) -> None:
    message = rf"^Own\.{hook.old}: renamed to {hook.new} \(docs"
    with pytest.raises(TypeError, match=message):
        type("Own", (cls,), {hook.old: lambda self: None, "__module__": __name__})


@pytest.mark.parametrize(
    ("function", "old", "new"),
    [(function, *pair) for function, names in OPTIONS.items() for pair in names.items()],
)
def test_a_renamed_option_raises_the_new_name(function: str, old: str, new: str) -> None:
    """The old option is an error before other arguments are checked."""
    owner, _, name = function.rpartition(".")
    classes = framework_classes()
    if function in classes:
        call: Any = classes[function]
    else:
        call = getattr(classes[owner] if owner in classes else getattr(fw, owner, fw), name)
    parameters = [*inspect.signature(call).parameters.values()]
    needed = [
        part for part in parameters if part.default is part.empty and "VAR" not in part.kind.name
    ]
    positional = [MagicMock() for part in needed if part.kind is not part.KEYWORD_ONLY]
    options = {part.name: MagicMock() for part in needed if part.kind is part.KEYWORD_ONLY}
    message = rf"^{re.escape(function)}\({old}=…\): renamed to {new}= \(docs"
    with pytest.raises(TypeError, match=message):
        call(*positional, **{**options, old: 1})


def test_moved_names_of_a_batch_raise_its_parts() -> None:
    clips = fw.Clips([solid(3, 4)], walk=fw.Clip([0], rate=12))
    batch = fw.SpriteBatch(clips, 2)
    transforms = fw.Transforms2D()
    for owner in (batch, fw.NodeSprites(clips, fw.Nodes2D()), transforms, fw.Nodes3D()):
        old = [n for kind in type(owner).__mro__ for n, v in vars(kind).items() if type(v) is Moved]
        assert old
        assert not {*old} & {*dir(owner), *dir(type(owner))}
        for name in old:
            with pytest.raises(AttributeError, match=rf"\.{name}: (moved|renamed) to "):
                getattr(owner, name)
    with pytest.raises(AttributeError, match=r"^batch\.clip_group: moved to batch\.clips\.group "):
        batch.clip_group = None  # type: ignore[misc, method-assign, assignment]
    assert (len(batch.images), batch.images.add(solid(2, 2)), len(batch.images)) == (1, 1, 2)
    assert batch.images.boxes()[0].tolist() == [-1.5, -2, 1.5, 2]
    assert [len(piece) for piece in batch.images.pieces(1)] == [4]
    assert batch.clips.names == ("walk",)
    assert batch.clips.speeds.tolist() == [1, 1]
    with pytest.raises(AttributeError, match=r"^BatchImages has no attribute 'count'"):
        batch.images.count = 3  # type: ignore[attr-defined]


def test_reading_a_column_of_transforms_writes_nothing() -> None:
    transforms = fw.Transforms2D()
    transforms.extend(3, position=(1, 2))
    transforms.begin_tick(1 / 60)
    angle = transforms.column("angle")
    assert angle.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="read-only"):
        angle[0] = 1
    assert not table_of(transforms).column("angle").touched
    with pytest.raises(
        ValueError, match=r"^name: tint: there is no such column; there are position"
    ):
        transforms.column("tint")


def test_a_game_may_define_moved_names(make: Callable[..., Any]) -> None:
    class Lanterns(fw.Game):
        def release(self, x: float, y: float) -> tuple[float, float]:
            return x, y

        def setup(self) -> None:
            self.press = 3

    game = make(Lanterns)
    assert (game.release(1, 2), game.press) == ((1, 2), 3)
    assert {"release", "press"} <= {*dir(game)}
    game.testing.press("space")
    game.advance(1 / 60)
    assert game.keys["space"]


@pytest.mark.parametrize("base", [fw.Game, fw.Scene])
@pytest.mark.parametrize("value", [lambda self: 3, property(lambda self: 3), 3])
def test_a_class_that_defines_a_reserved_name_is_refused(base: type, value: Any) -> None:
    message = r"^Level\.sprites: expected a free name, got one that the framework uses; "
    with pytest.raises(TypeError, match=message):
        type("Level", (base,), {"sprites": value, "__module__": __name__})

    class Mixin:
        sprites = value

    with pytest.raises(TypeError, match=message):
        type("Level", (Mixin, base), {"__module__": __name__})


def test_a_class_may_define_hooks_and_extend_methods(make: Callable[..., Any]) -> None:
    class Level(fw.Game):
        saved = ("score",)
        saves_folder = "Level"
        score = 0

        def setup(self) -> None: ...

        def default_listener(self, dimensions: int) -> Any:
            return self.camera

        def on_key_press(self, symbol: int, modifiers: int) -> None: ...

        def exit(self) -> None:
            self.score += 1
            super().exit()

    game = make(Level)
    game.exit()
    assert game.score == 1
