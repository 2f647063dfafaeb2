"""Players of the other parts: widgets, scenes, effects, views, physics, sound, tasks, files."""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import framework as fw
from framework.ui.containers import served_by
from framework.ui.interface import interface_of
from framework.ui.widget import node_of

from .player import Player

_IMAGE = np.full((5, 5, 4), 220, np.uint8)


class Widgets(Player):
    parts = (fw.Widget, fw.Theme, fw.NinePatch)

    def setup(self) -> None:
        self.level, self.volume, self.sound = "low", 0.5, True
        self.add_root()

    def check(self) -> None:
        """Focused, hovered and held widgets are in the tree. Popups close with their widgets."""
        ui = self.game.ui
        for widget in (ui.focus, interface_of(ui).held, interface_of(ui).hovered):
            assert widget is None or widget.ui is ui
        assert ui.focus is None or focusable(ui.focus)
        assert all(served is None or served.ui is ui for served in map(served_by, ui.roots))
        assert len(ui.roots) == len({id(root) for root in ui.roots})

    def roots(self) -> list[Any]:
        return list(self.game.ui.roots)

    def all(self) -> list[Any]:
        widgets, waiting = [], self.roots()
        while waiting:
            widget = waiting.pop()
            widgets.append(widget)
            waiting += getattr(widget, "children", ())
        return widgets

    def add_root(self) -> None:
        if len(self.roots()) > 3:
            return
        ui, dice = self.game.ui, self.dice
        hud, modal = dice.chance(0.3), dice.chance(0.2)
        kind = dice.below(4)
        if kind == 0:
            root: Any = ui.window(dice.text() or "Title", hud=hud)
        elif kind == 1:
            root = ui.row(hud=hud, modal=modal, anchor=dice.choice(("top", "left")))
        elif kind == 2:
            root = ui.grid(2, hud=hud, modal=modal, anchor="center")
        else:
            root = ui.column(hud=hud, modal=modal, anchor=dice.choice(("top", "center")))
        for _ in range(dice.below(5)):
            dice.choice(self.makers())(root)

    def makers(self) -> list[Callable[[Any], object]]:
        text = self.dice.text()
        return [
            lambda root: root.button(text or "OK", self.clicked),
            lambda root: root.button("Back", self.clicked, action="cancel"),
            lambda root: root.dropdown("Quality", ["low", "high", "best"], self, "level"),
            lambda root: root.text_field(text.replace("\n", ""), self.submitted),
            lambda root: root.text_field("ab\ncd", lines=3),
            lambda root: root.slider("Volume", self, "volume", min_value=0, max_value=1),
            lambda root: root.toggle("Sound", self, "sound"),
            lambda root: root.choice("Choice", [1, 2, 3], self.submitted),
            lambda root: root.label(text),
            lambda root: root.progress_bar(0.4),
            lambda root: root.image(_IMAGE),
            lambda root: root.scroll(height=20).label("long\ntext\nof four\nlines"),
            lambda root: root.row().button("In a row", self.clicked, tooltip=text or None),
        ]

    def clicked(self) -> None:
        self.level = self.dice.choice(("low", "high", "best"))
        if self.dice.chance(0.3):
            self.do_remove()

    def submitted(self, value: object) -> None:
        self.clicked()

    def do_add_root(self) -> None:
        self.add_root()

    def do_add(self) -> None:
        groups = [widget for widget in self.all() if isinstance(widget, fw.widgets.Group)]
        if groups and len(self.all()) < 25:
            self.dice.choice(self.makers())(self.dice.choice(groups))

    def do_remove(self) -> None:
        widgets = self.all()
        if widgets:
            self.dice.choice(widgets).remove()

    def do_toggle(self) -> None:
        widgets = self.all()
        if widgets:
            widget, name = self.dice.choice(widgets), self.dice.choice(("enabled", "visible"))
            setattr(widget, name, not getattr(widget, name))

    def do_focus(self) -> None:
        widgets = [widget for widget in self.all() if focusable(widget)]
        self.game.ui.set_focus(self.dice.choice((None, *widgets)))

    def do_open(self) -> None:
        for widget in self.all():
            if isinstance(widget, fw.widgets.Dropdown) and focusable(widget):
                widget.open()
                return

    def do_keyboard(self) -> None:
        for widget in self.all():
            if isinstance(widget, fw.widgets.TextField) and focusable(widget):
                self.game.ui.open_keyboard(widget)
                return

    def do_value(self) -> None:
        self.volume, self.sound = self.dice.between(0, 1), self.dice.chance(0.5)

    def do_scale(self) -> None:
        self.game.ui.scale = self.dice.choice((1.0, 0.5, 1.5))

    def do_theme(self) -> None:
        skin = fw.NinePatch(_IMAGE, 1) if self.dice.chance(0.3) else None
        self.game.ui.theme = fw.Theme(
            font_size=self.dice.choice((10, 20)), accent=self.dice.rgb(), control_skin=skin
        )

    def do_style(self) -> None:
        groups = [widget for widget in self.all() if isinstance(widget, fw.widgets.Group)]
        if groups:
            self.dice.choice(groups).style(gap=self.dice.choice((0, 8)), padding=3)


def focusable(widget: Any) -> bool:
    """Whether the game may set the focus on a widget now."""
    return bool(widget.ui is not None and widget.focusable and node_of(widget).interactive)


class Questions(Player):
    """Dialogs of routines."""

    parts = (fw.Routine,)

    def setup(self) -> None:
        self.answers: list[str] = []
        self.game.ui.column().button("Ask", self.do_ask)

    def do_ask(self) -> None:
        if len(self.game.ui.roots) < 3:
            self.game.start(self.ask())

    async def ask(self) -> None:
        answer = await self.game.ui.ask("Quit?", self.dice.text() or "Yes", "No")
        self.answers = [*self.answers, answer]


class Scenes(Player):
    parts = (fw.Scene,)

    def transition(self) -> Any:
        return None

    def do_push(self) -> None:
        if not isinstance(self.game.scene, Above) or self.dice.chance(0.2):
            self.game.push(Above(self.dice.chance(0.5)), transition=self.transition())

    def do_pop(self) -> None:
        scene = self.game.scene
        if isinstance(scene, Above) and scene.ticks_left > 1:  # the scene does not pop itself now
            self.game.pop(transition=self.transition())


class Transitions(Scenes):
    """A restored game has no image of the old scenes, see docs/effects.md."""

    parts = (fw.Fade, fw.Wipe, fw.Iris, fw.Transition)
    remembers_images = True

    def transition(self) -> Any:
        return self.dice.choice(
            (None, fw.Fade(0.1), fw.Wipe(0.2, angle=1), fw.Iris(0.1), fw.Fade(0.2, color="red"))
        )


class Above(fw.Scene):
    """A scene over the game, which goes on below or pauses."""

    def __init__(self, pauses: bool) -> None:
        super().__init__()
        self.pauses_below = pauses
        self.ticks_left = 6

    def setup(self) -> None:
        self.sprite = self.sprites.add(_IMAGE, position=(20, 20))
        self.labels.add("Paused", (5, 40))

    def update(self, dt: float) -> None:
        self.sprite.x += 2
        self.ticks_left -= 1
        if not self.ticks_left and self.game.scene is self:
            self.game.pop()


class Effects(Player):
    parts = (
        *(fw.Effect, fw.EffectList, fw.CRT, fw.LUT, fw.Bloom, fw.Blur),
        *(fw.ChromaticAberration, fw.HeatHaze, fw.Outline, fw.PaletteEffect, fw.Pixelate),
        fw.Vignette,
        fw.Palette,
    )

    def setup(self) -> None:
        self.effects = self.game.effects
        self.batch = self.game.add(fw.SpriteBatch(_IMAGE, 4))
        self.batch.position[:] = [self.dice.point() for _ in range(4)]

    def update(self, dt: float) -> None:
        self.batch.position += 0.5

    def made(self) -> fw.Effect:
        kinds: tuple[Callable[[], fw.Effect], ...] = (
            fw.CRT,
            lambda: fw.LUT(np.zeros((2, 4, 3), np.uint8)),
            fw.Bloom,
            lambda: fw.Blur(3),
            fw.ChromaticAberration,
            fw.HeatHaze,
            fw.Outline,
            lambda: fw.PaletteEffect(fw.Palette(["red", "blue", "#fff"])),
            fw.Pixelate,
            fw.Vignette,
            lambda: fw.Effect("vec4 effect(vec2 place) { return picture(place).bgra; }"),
        )
        return self.dice.choice(kinds)()

    def do_append(self) -> None:
        if len(self.effects) < 3:
            self.effects.append(self.made())

    def do_insert(self) -> None:
        if len(self.effects) < 3:
            self.effects.insert(0, self.made())

    def do_remove(self) -> None:
        if self.effects:
            self.effects.pop(self.dice.below(len(self.effects)))

    def do_enable(self) -> None:
        if self.effects:
            effect = self.dice.choice(list(self.effects))
            effect.enabled = not effect.enabled

    def do_strength(self) -> None:
        for effect in self.effects:
            if hasattr(effect, "strength"):
                effect.strength = self.dice.between(0, 1)


class Afterimages(Player):
    """A restored game has no afterimage, see docs/effects.md."""

    parts = (fw.Afterimage,)
    remembers_images = True

    def setup(self) -> None:
        self.batch = self.game.add(fw.SpriteBatch(_IMAGE, 1))

    def update(self, dt: float) -> None:
        self.batch.position += 1

    def do_toggle(self) -> None:
        self.game.effects[:] = [] if self.game.effects else [fw.Afterimage(0.8)]


class Settings(Player):
    """Settings of the machine: they are not part of the state, so `restore` leaves them."""

    parts = (fw.Game,)
    remembers_images = True

    def setup(self) -> None:
        self.batch = self.game.add(fw.SpriteBatch(_IMAGE, 2))

    def do_background(self) -> None:
        self.game.background = self.dice.rgb()

    def do_letterbox(self) -> None:
        self.game.picture.letterbox_color = self.dice.rgb()

    def do_scale(self) -> None:
        self.game.picture.render_scale = self.dice.choice((1.0, 0.5))


class Views(Player):
    parts = (fw.View, fw.RenderTexture)

    def setup(self) -> None:
        self.batch = self.game.add(fw.SpriteBatch(_IMAGE, 4))
        self.batch.position[:] = [self.dice.point() for _ in range(4)]
        self.texture = fw.RenderTexture((32, 24))
        self.shown = self.game.add(fw.SpriteBatch(self.texture, 1), layer=5)
        self.shown.position[:] = 70, 40
        camera = fw.Camera2D((32, 24))
        self.game.views.add(camera, texture=self.texture, layers=range(5))

    def update(self, dt: float) -> None:
        self.batch.position += 0.4

    def do_add(self) -> None:
        if len(self.game.views) < 4:
            camera = fw.Camera2D((48, 64))
            camera.position = self.dice.point()
            self.game.views.add(
                camera, self.dice.choice(((0, 0, 0.5, 1), (0.5, 0, 0.5, 1), (0.2, 0.2, 0.3, 0.3)))
            )

    def plain(self) -> list[Any]:
        """Return the views on the screen. A texture keeps its last image without its view."""
        return [view for view in self.game.views if view.texture is None]

    def do_remove(self) -> None:
        if views := self.plain():
            self.game.views.remove(self.dice.choice(views))

    def do_change(self) -> None:
        for view in self.plain()[:1]:
            view.visible = self.dice.chance(0.7)
            view.background = self.dice.choice((None, "#203040"))
            view.area = self.dice.choice(((0, 0, 1, 0.5), (0.5, 0, 0.5, 1)))

    def do_effects(self) -> None:
        for view in list(self.game.views)[:1]:
            view.effects[:] = [fw.Blur(2)] if self.dice.chance(0.5) else []

    def do_camera(self) -> None:
        for view in self.game.views:
            view.camera.x += 1
            view.camera.zoom = self.dice.choice((1.0, 1.2))


class Quads(Player):
    parts = (fw.FullscreenQuad, fw.Drawable)

    def setup(self) -> None:
        source = """
        uniform float strength;
        vec4 fill(vec2 uv) { return vec4(uv, fract(time + strength), 0.5); }
        """
        self.source = source
        self.quad: Any = self.game.add(fw.FullscreenQuad(source, strength=0.5), layer=-2)
        self.own = self.game.add(OwnDrawing())

    def do_strength(self) -> None:
        self.quad.strength = self.dice.between(0, 1)

    def do_teleport(self) -> None:
        self.quad.teleport()

    def do_replace(self) -> None:
        self.game.remove(self.quad)
        self.quad = self.game.add(fw.FullscreenQuad(self.source, strength=0.1), layer=-2)

    def do_own(self) -> None:
        self.own.shade = self.dice.between(0, 1)

    def do_replace_own(self) -> None:
        self.game.remove(self.own)
        self.own = self.game.add(OwnDrawing())


class OwnDrawing(fw.Drawable):
    """A drawable of the game's own: a triangle."""

    not_state = ("program", "array")

    def __init__(self) -> None:
        self.shade = 0.5

    def attach(self, graphics: fw.Graphics) -> None:
        vertex = """
        #version 330
        void main() { gl_Position = vec4(gl_VertexID % 2, gl_VertexID / 2, 0.0, 1.0); }
        """
        fragment = """
        #version 330
        uniform float shade;
        out vec4 color;
        void main() { color = vec4(shade, 1.0, 0.0, 1.0); }
        """
        self.program: Any = graphics.program(vertex, fragment)
        self.array: Any = graphics.ctx.vertex_array(self.program, [])

    def draw(self) -> None:
        self.program["shade"] = self.shade
        self.array.render(vertices=3)

    def release(self) -> None:
        self.array.release()
        self.program.release()


class Bodies(Player):
    parts = (fw.Physics2D,)

    def setup(self) -> None:
        self.physics = fw.Physics2D(self.game, gravity=(0, -200))
        self.batch = self.game.add(
            fw.SpriteBatch(_IMAGE, 3, columns=("velocity", "angular_velocity"))
        )
        self.batch.position[:] = [self.dice.point() for _ in range(3)]
        self.bodies = self.physics.add(self.batch, layer="ball")
        self.wall = self.physics.add_line([(-50, 5), (150, 5)], layer="floor")
        self.joints: list[Any] = []

    def do_add(self) -> None:
        if len(self.batch) < 8:
            self.batch.add(position=self.dice.point())

    def do_remove(self) -> None:
        if len(self.batch) > 1:
            self.batch.remove([self.dice.below(len(self.batch))])

    def do_velocity(self) -> None:
        self.bodies.velocity[:, 0] = self.dice.between(-80, 80)

    def do_spin(self) -> None:
        self.bodies.angular_velocity[:] = self.dice.between(-5, 5)

    def do_force(self) -> None:
        self.bodies.force[:] = self.dice.between(-50, 50), 0

    def do_impulse(self) -> None:
        rows = self.dice.rows(len(self.batch))
        self.bodies.impulse((self.dice.between(-50, 50), 50), rows)

    def do_teleport(self) -> None:
        self.batch.position[0] = self.dice.point()
        self.batch.teleport([0])

    def do_gravity(self) -> None:
        self.physics.gravity = 0, self.dice.between(-300, 100)

    def do_join(self) -> None:
        joints = [joint for joint in self.joints if not joint.removed]
        if len(self.batch) > 1 and len(joints) < 3:
            first, second = self.batch[0], self.batch[len(self.batch) - 1]
            made = self.dice.choice(
                (
                    lambda: self.physics.pin(first, second),
                    lambda: self.physics.spring(first, second, length=20, stiffness=50),
                    lambda: self.physics.pivot(first, None, (40, 60)),
                    lambda: self.physics.motor(first, second, 3),
                )
            )()
            joints.append(made)
        elif joints:
            joints.pop().remove()
        self.joints = joints

    def do_query(self) -> None:
        hits = self.physics.query_area((0, 0), (60, 60))
        self.physics.raycast((0, 30), (90, 0))
        self.hit_count = len(hits) + len(self.physics.entered("ball", "floor"))

    def do_wall(self) -> None:
        self.wall.remove()
        self.wall = self.physics.add_line(
            [(-50, self.dice.between(0, 20)), (150, 5)], layer="floor"
        )

    def do_wake(self) -> None:
        self.bodies.wake()


class Bodies3D(Player):
    parts = (fw.Physics3D, fw.Heightfield)

    def setup(self) -> None:
        self.game.world.camera.position = (0, 2, 9)
        self.physics = fw.Physics3D(self.game)
        self.physics.add_floor(-2)
        self.batch = self.game.add(fw.MeshBatch(fw.Mesh.sphere(0.5), 3))
        self.batch.position[:] = [self.dice.point3() for _ in range(3)]
        self.bodies = self.physics.add(self.batch, shape="ball", elasticity=0.5)

    def do_add(self) -> None:
        if len(self.batch) < 7:
            self.batch.add(position=self.dice.point3())

    def do_remove(self) -> None:
        if len(self.batch) > 1:
            self.batch.remove([self.dice.below(len(self.batch))])

    def do_velocity(self) -> None:
        self.bodies.velocity[:, 1] = self.dice.between(-2, 5)

    def do_impulse(self) -> None:
        self.bodies.impulse((self.dice.between(-1, 1), 2, 0), self.dice.rows(len(self.batch)))

    def do_teleport(self) -> None:
        self.batch.position[0] = self.dice.point3()
        self.batch.teleport([0])

    def do_gravity(self) -> None:
        self.physics.gravity = 0, self.dice.between(-12, 1), 0

    def do_query(self) -> None:
        self.hit_count = len(self.physics.query_area((-3, -3, -3), (3, 3, 3)))
        self.physics.raycast((-3, 0, 0), (6, 0, 0))


@functools.cache
def map_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder with a map and its tile image, which is deleted when the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="company")
    sheet = np.zeros((8, 16, 4), np.uint8)
    sheet[:, :8], sheet[:, 8:] = (200, 80, 60, 255), (60, 160, 220, 255)
    Image.fromarray(sheet).save(Path(folder.name, "sheet.png"))
    tileset = {
        "firstgid": 1,
        "name": "sheet",
        "image": "sheet.png",
        "imagewidth": 16,
        "imageheight": 8,
        "tilewidth": 8,
        "tileheight": 8,
        "tilecount": 2,
        "columns": 2,
        "tiles": [{"id": 1, "animation": [{"tileid": 1, "duration": 90}] * 2}],
    }
    size = {"width": 4, "height": 3}
    ground = {"type": "tilelayer", "name": "ground", "data": [1, 2, 0, 1] * 3, **size}
    coin = {"id": 1, "name": "coin", "x": 8, "y": 16, "gid": 2, "width": 8, "height": 8}
    objects = {"type": "objectgroup", "name": "things", "objects": [coin]}
    map_ = {
        "type": "map",
        "orientation": "orthogonal",
        "tilewidth": 8,
        "tileheight": 8,
        **size,
        "tilesets": [tileset],
        "layers": [ground, objects],
        "renderorder": "right-down",
    }
    Path(folder.name, "map.tmj").write_text(json.dumps(map_), encoding="utf-8")
    return folder


class Maps(Player):
    parts = (fw.TileMap,)
    copies = True

    def made(self) -> fw.TileMap:
        return fw.TileMap(Path(map_folder().name, "map.tmj"))

    def setup(self) -> None:
        self.map = self.game.add(self.made())
        self.layer = self.map.tile_layers[0]

    def do_tile(self) -> None:
        self.layer.tiles[self.dice.below(3), self.dice.below(4)] = self.dice.below(3)

    def do_look(self) -> None:
        self.layer.color = self.dice.color()
        self.layer.visible = self.dice.chance(0.8)

    def copy(self, other: Any) -> None:
        layer = other.add(self.made()).tile_layers[0]
        layer.tiles[:] = self.layer.tiles
        layer.color, layer.visible = self.layer.color, self.layer.visible


class Sounds(Player):
    parts = (fw.Audio, fw.Sound, fw.Voice)

    def setup(self) -> None:
        self.sound = fw.Sound.tone(300, 0.2)
        self.voices: list[Any] = []

    def do_play(self) -> None:
        dice = self.dice
        voice = self.sound.play(
            volume=dice.between(0, 1),
            pitch=dice.between(0.5, 2),
            loop=dice.chance(0.3),
            fade=dice.choice((0.0, 0.1)),
            position=dice.choice((None, dice.point())),
        )
        self.voices = [*self.voices[-4:], voice]

    def do_voice(self) -> None:
        if self.voices:
            voice = self.dice.choice(self.voices)
            match self.dice.below(4):
                case 0:
                    voice.stop(self.dice.choice((0.0, 0.1)))
                case 1:
                    voice.volume = self.dice.between(0, 1)
                case 2:
                    voice.pitch = self.dice.between(0.5, 2)
                case _:
                    voice.pan = self.dice.between(-1, 1)

    def do_volume(self) -> None:
        self.game.audio.volume = self.dice.between(0, 1)
        self.game.audio.buses["effects"].volume = self.dice.between(0, 1)

    def do_stop(self) -> None:
        self.game.audio.stop(self.dice.choice((0.0, 0.2)))


class Tasks(Player):
    parts = (fw.Schedule, fw.Task, fw.Tween, fw.Bezier, fw.Spring)

    def setup(self) -> None:
        self.batch = self.game.add(fw.SpriteBatch(_IMAGE, 3))
        self.group = self.game.schedule.group()
        self.calls = 0
        self.waiting: list[Any] = []
        self.tween: Any = None

    def count(self, *_: object) -> None:
        self.calls += 1
        self.batch.position += 0.5

    def keep(self, value: Any) -> None:
        self.waiting = [*self.waiting[-5:], value]

    def do_once(self) -> None:
        self.keep(self.group.once(self.count, self.dice.choice((0, 0.1, 0.33))))

    def do_interval(self) -> None:
        self.keep(self.group.interval(self.count, self.dice.choice((0.05, 0.1))))

    def do_cancel(self) -> None:
        if self.waiting:
            self.dice.choice(self.waiting).cancel()

    def do_tween(self) -> None:
        ease = self.dice.choice(("linear", "out_cubic", fw.Bezier(0.2, 0, 0.5, 1), fw.Spring()))
        if len(self.batch):
            self.tween = self.game.tween(
                self.batch,
                rows=self.dice.rows(len(self.batch)),
                duration=None if isinstance(ease, fw.Spring) else 0.2,
                ease=ease,
                delay=self.dice.choice((0, 0.1)),
                position=self.dice.point(),
            )

    def do_tween_a_row(self) -> None:
        if len(self.batch):
            first = self.game.tween(
                self.batch[0], duration=0.1, ping_pong=True, repeat=2, angle=1.0
            )
            first.then(self.batch[0], duration=0.1, alpha=0.2)

    def do_cancel_tween(self) -> None:
        if self.tween is not None:
            self.tween.cancel()

    def do_remove(self) -> None:
        if len(self.batch) > 1:
            self.batch.remove([self.dice.below(len(self.batch))])
        else:
            self.batch.extend(2, position=self.dice.point())

    def do_time_scale(self) -> None:
        self.group.time_scale = self.dice.choice((0.0, 0.5, 1.0, 2.0))

    def do_cancel_group(self) -> None:
        if self.dice.chance(0.2):
            self.group.cancel()
            self.group = self.game.schedule.group()


class Routines(Player):
    """Coroutines that wait for times, conditions, presses, tweens, each other and groups."""

    parts = (fw.Routine, fw.TaskGroup)

    def setup(self) -> None:
        self.batch = self.game.add(fw.SpriteBatch(_IMAGE, 3))
        self.group = self.game.schedule.group()
        self.waiting: list[Any] = []

    def count(self) -> None:
        self.batch.position += 0.5

    def keep(self, value: Any) -> None:
        self.waiting = [*self.waiting[-5:], value]

    def do_routine(self) -> None:
        self.keep(self.game.start(self.walk(), group=self.dice.choice((None, self.group))))

    async def walk(self) -> None:
        await self.game.seconds(0.1)
        self.count()
        await self.game.ticks(2)
        async with self.game.tasks() as tasks:
            tasks.start(self.wait())
            tasks.start(self.wait())
        self.count()

    async def wait(self) -> None:
        await self.game.ticks(3)

    def do_conditions(self) -> None:
        limit = self.dice.between(0, 60)

        async def wander() -> float:
            steps = 0

            def is_far() -> bool:
                nonlocal steps
                steps += 1
                return steps > 5 or float(self.batch.position[0, 0]) > limit

            for row, _ in enumerate(("a", "b")):
                try:
                    await self.game.until(is_far)
                    await self.game.tween(self.batch[row], x=limit, duration=0.1)
                    await self.walk()
                finally:
                    self.count()
            return limit

        self.keep(self.game.start(wander()))

    def do_press(self) -> None:
        self.keep(self.game.start(self.press(self.dice.choice(("space", "mouse:left", "pad:a")))))

    async def press(self, what: str) -> None:
        async with self.game.tasks() as tasks:
            waiting = tasks.start(self.event())
            with self.game.labels.add("press", (4, 4)):
                await self.game.next(what)
            waiting.cancel()
        self.count()

    async def event(self) -> None:
        x, y, *_ = await self.game.next("on_mouse_press")
        self.batch.position[1] = x, y

    def do_join(self) -> None:
        over = [each for each in self.waiting if not each.over]
        if over:
            self.keep(self.game.start(self.join(self.dice.choice(over))))

    async def join(self, other: Any) -> None:
        await other
        self.count()

    def do_cancel(self) -> None:
        if self.waiting:
            self.dice.choice(self.waiting).cancel()

    def do_time_scale(self) -> None:
        self.group.time_scale = self.dice.choice((0.0, 0.5, 1.0, 2.0))


class States(Player):
    parts = (fw.StateMachine, fw.StateColumns)

    def setup(self) -> None:
        self.batch = self.game.add(fw.SpriteBatch(_IMAGE, 4))
        self.columns = fw.StateColumns(self.batch, "idle", "run", "rest")
        self.machine = fw.StateMachine("idle", "run")
        self.machine.add_transition("idle", "run", after=0.1)
        self.machine.on("run", enter=self.entered)
        self.entries = 0

    def entered(self) -> None:
        self.entries += 1

    def update(self, dt: float) -> None:
        self.machine.update(dt)
        self.columns.update(dt)
        self.columns.change("run", "rest", after=0.1)
        self.batch.position[self.columns.rows("run")] += 1

    def do_put(self) -> None:
        self.columns.put(self.dice.rows(len(self.batch)), self.dice.choice(("idle", "run", "rest")))

    def do_change(self) -> None:
        self.machine.change_to(self.dice.choice(("idle", "run")))

    def do_remove(self) -> None:
        self.batch.remove(self.columns.exited("run"))

    def do_add(self) -> None:
        if len(self.batch) < 9:
            self.batch.add(position=self.dice.point())


class Controls(Player):
    parts = (
        *(fw.Actions, fw.Axis, fw.Stick, fw.Keys, fw.Mouse, fw.Gamepad, fw.Gamepads, fw.Player),
    )

    def setup(self) -> None:
        self.actions = fw.Actions(
            jump=["space", "pad:a"], walk=fw.Axis("left", "right"), quit="escape"
        )
        self.actions.context("menu", "quit")
        self.sprite = self.game.sprites.add(_IMAGE, position=(40, 40))

    def update(self, dt: float) -> None:
        self.sprite.x += 3 * self.game.keys.axis("left", "right")
        self.sprite.y += self.actions.presses("jump")
        if self.game.mouse.just_pressed("left"):
            self.sprite.position = self.game.mouse.position

    def do_rebind(self) -> None:
        self.actions.rebind("jump", self.dice.choice(("space", "w", "pad:b", "enter")))

    def do_reset(self) -> None:
        self.actions.reset()

    def do_context(self) -> None:
        self.dice.choice((self.actions.enable, self.actions.disable))("menu")

    def do_press(self) -> None:
        name = self.dice.choice(("space", "left", "a"))
        self.dice.choice((self.game.keys.press, self.game.keys.release))(name)
