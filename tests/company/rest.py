"""Players of the other parts: effects, views, physics, maps, sound, tasks, input, collisions."""

from __future__ import annotations

import atexit
import functools
import json
import shutil
import tempfile
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import framework as fw

from .copying import copy_attributes, copy_camera
from .plane import SPRITE_COLUMNS, ZOOMS, copy_rows
from .player import Order, Player

_IMAGE = np.full((5, 5, 4), 220, np.uint8)


EFFECTS: dict[type[fw.Effect], Callable[[], fw.Effect]] = {
    fw.CRT: fw.CRT,
    fw.LUT: lambda: fw.LUT(np.zeros((2, 4, 3), np.uint8)),
    fw.Bloom: fw.Bloom,
    fw.Blur: lambda: fw.Blur(3),
    fw.ChromaticAberration: fw.ChromaticAberration,
    fw.HeatHaze: fw.HeatHaze,
    fw.Outline: fw.Outline,
    fw.PaletteEffect: lambda: fw.PaletteEffect(fw.Palette(["red", "blue", "#fff"])),
    fw.Pixelate: fw.Pixelate,
    fw.Vignette: fw.Vignette,
    fw.Effect: lambda: fw.Effect("vec4 effect(vec2 place) { return picture(place).bgra; }"),
}


def copied_effect(effect: Any) -> Any:
    copied = EFFECTS[type(effect)]()
    copied.enabled = effect.enabled
    if hasattr(effect, "strength"):
        copied.strength = effect.strength
    return copied


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

    def copy(self, other: Any) -> None:
        copy_rows(self.batch, other.add(fw.SpriteBatch(_IMAGE)), SPRITE_COLUMNS)
        other.effects[:] = map(copied_effect, self.effects)

    def made(self) -> fw.Effect:
        return self.dice.choice(tuple(EFFECTS.values()))()

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
    """A restored game has no afterimage, see docs/effects.md. Nor has a copy."""

    parts = (fw.Afterimage,)
    copies = False
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

    def copy(self, other: Any) -> None:
        """`copy_scene` copies the settings."""
        copy_rows(self.batch, other.add(fw.SpriteBatch(_IMAGE)), SPRITE_COLUMNS)

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

    def copy(self, other: Any) -> None:
        copy_rows(self.batch, other.add(fw.SpriteBatch(_IMAGE)), SPRITE_COLUMNS)
        texture = fw.RenderTexture((32, 24))
        shown = other.add(fw.SpriteBatch(texture, 1), layer=5)
        shown.position[:] = self.shown.position
        last = self.number == max(
            player.number for player in self.game.company if isinstance(player, Views)
        )
        for view in self.game.views:
            if view.texture is self.texture or (last and view.texture is None):
                camera = fw.Camera2D((48, 64) if view.texture is None else (32, 24))
                copy_camera(view.camera, camera)
                if view.texture is None:
                    copied = other.views.add(camera, view.area)
                else:
                    copied = other.views.add(camera, texture=texture, layers=range(5))
                copy_attributes(view, copied, ("visible", "background"))
                copied.effects[:] = [fw.Blur(2) for _ in view.effects]

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
            view.camera.zoom = self.dice.choice(ZOOMS)


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
        self.quad_added = self.own_added = 0

    def pieces(self) -> list[tuple[Order, Callable[[Any], None]]]:
        return [
            (self.order(self.quad_added), self.copy_quad),
            (self.order(self.own_added), self.copy_own),
        ]

    def copy_quad(self, other: Any) -> None:
        other.add(fw.FullscreenQuad(self.source, strength=self.quad.strength), layer=-2)

    def copy_own(self, other: Any) -> None:
        other.add(OwnDrawing()).shade = self.own.shade

    def do_strength(self) -> None:
        self.quad.strength = self.dice.between(0, 1)

    def do_teleport(self) -> None:
        self.quad.teleport()

    def do_replace(self) -> None:
        self.game.remove(self.quad)
        self.quad = self.game.add(fw.FullscreenQuad(self.source, strength=0.1), layer=-2)
        self.quad_added = self.game.tick

    def do_own(self) -> None:
        self.own.shade = self.dice.between(0, 1)

    def do_replace_own(self) -> None:
        self.game.remove(self.own)
        self.own = self.game.add(OwnDrawing())
        self.own_added = self.game.tick


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

    def copy(self, other: Any) -> None:
        copy_rows(self.batch, other.add(fw.SpriteBatch(_IMAGE)), SPRITE_COLUMNS)

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
            first = self.batch[0]
            second = self.batch[len(self.batch) - 1]
            made = self.dice.choice(
                (
                    lambda: self.physics.pin(first, second, break_force=2000),
                    lambda: self.physics.spring(first, second, length=20, stiffness=50),
                    lambda: self.physics.pivot(first, None, (40, 60)),
                    lambda: self.physics.motor(first, second, 3, break_torque=5000),
                )
            )()
            joints.append(made)
        elif joints:
            joints.pop().remove()
        self.joints = joints

    def do_break(self) -> None:
        broken = self.physics.broken_joints
        self.load = sum(joint.force + joint.torque for joint in self.joints)
        self.broken_count = len(broken) + sum(joint.broken for joint in self.joints)

    def do_query(self) -> None:
        hits = self.physics.query_area((0, 0), (60, 60))
        self.physics.raycast((0, 30), (90, 0))
        self.physics.query_shape("capsule", (30, 30), size=(20, 50), angle=0.5)
        self.physics.shapecast("circle", (0, 30), (90, 0), radius=3)
        self.hit_count = len(hits) + len(self.physics.entered("ball", "floor"))
        contacts = self.physics.contacts("ball", "floor")
        self.impulse = float(contacts.impulses.sum() + contacts.points[contacts.entered].sum())

    def do_filter(self) -> None:
        function = self.dice.choice((None, self.collides))
        self.physics.filter_contacts("ball", "floor", function)

    def collides(self, contact: Any) -> bool:
        return bool(contact.first.row % 2 or contact.normal[1] < 0)

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
        self.lift, self.hero = self.game.add(fw.MeshBatch(fw.Mesh.cube(), 2))
        self.lift.position = (0, -2, 0)
        self.hero.position = (0, 1, 0)
        self.physics.add(self.lift, size=(4, 0.3, 4), kind="kinematic")
        self.physics.add(self.hero, shape="capsule", size=(0.5, 1, 0.5), kind="kinematic")
        self.walker = self.physics.character(self.hero)

    def do_lift(self) -> None:
        x, y, z = self.lift.position
        self.lift.position = x, max(-3, min(3, y + self.dice.between(-0.4, 0.4))), z

    def do_walk(self) -> None:
        step = self.dice.between(-0.3, 0.3), self.dice.between(-0.2, 0.1), 0
        self.moved = self.walker.move(step, 1 / 60)
        self.stands_on = self.walker.floor_body

    def copy(self, other: Any) -> None:
        for batch, mesh in (
            (self.batch, fw.Mesh.sphere(0.5)),
            (self.lift.batch, fw.Mesh.cube()),
        ):
            copied = other.add(fw.MeshBatch(mesh))
            copy_rows(batch, copied, ("position", "rotation", "scale", "color"))

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
        self.physics.query_shape("cylinder", (0, 0, 0), size=(2, 3, 2))
        self.physics.shapecast("box", (-3, 0, 0), (6, 0, 0), size=(1, 1, 1))
        self.impulse = float(self.physics.contacts("default", "default").impulses.sum())

    def do_filter(self) -> None:
        function = self.dice.choice((None, self.collides))
        self.physics.filter_contacts("default", "default", function)

    def collides(self, contact: Any) -> bool:
        return bool(contact.relative_velocity[1] > -3)


@functools.cache
def map_folder() -> Path:
    """Return a folder with a map and its tile image, which is deleted when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="company"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sheet = np.zeros((8, 16, 4), np.uint8)
    sheet[:, :8], sheet[:, 8:] = (200, 80, 60, 255), (60, 160, 220, 255)
    Image.fromarray(sheet).save(folder / "sheet.png")
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
    (folder / "map.tmj").write_text(json.dumps(map_), encoding="utf-8")
    return folder


class Maps(Player):
    parts = (fw.TileMap,)

    def made(self) -> fw.TileMap:
        return fw.TileMap(map_folder() / "map.tmj")

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
        layer.color = self.layer.color
        layer.visible = self.layer.visible


@functools.cache
def silent_file() -> str:
    """Return the path of a sound file of a tenth of a second."""
    path = Path(tempfile.mkdtemp()) / "silent.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48_000)
        file.writeframes(bytes(9600))
    return str(path)


class Sounds(Player):
    parts = (
        fw.Audio,
        fw.BitCrusher,
        fw.BeatClock,
        fw.Sound,
        fw.SoundStream,
        fw.Voice,
        fw.Compressor,
        fw.Ducking,
        fw.Echo,
        fw.HighPass,
        fw.LowPass,
        fw.MusicLayers,
        fw.Reverb,
    )

    def setup(self) -> None:
        self.sound = fw.Sound.tone(300, 0.2)
        buses = self.game.audio.buses
        self.filters = [buses["effects"].add_effect(kind()) for kind in (fw.LowPass, fw.HighPass)]
        self.echo = buses["effects"].add_effect(fw.Echo())
        self.reverb = buses["effects"].add_effect(fw.Reverb())
        buses["music"].add_effect(fw.Ducking(buses["effects"]))
        self.crusher = buses["effects"].add_effect(fw.BitCrusher())
        self.compressor = buses["effects"].add_effect(fw.Compressor())
        self.stream = fw.SoundStream(lambda first, count: np.zeros(count))
        self.voices: list[Any] = []
        self.clock = fw.BeatClock(150, beats_per_bar=3)

    def do_beats(self) -> None:
        dice = self.dice
        audio = self.game.audio
        audio.pan_law = dice.choice(("balance", "power"))
        if dice.chance(0.3):
            audio.music.start_clock(dice.between(60, 300))
        for beat in audio.music.every(0.25):
            self.sound.play(at=beat.time)
        later = audio.time + dice.between(0, 0.5)
        self.voices = [*self.voices[-4:], self.sound.play(at=later)]
        assert self.clock.beat_at(later) >= 0

    def do_layers(self) -> None:
        music = self.game.audio.music
        dice = self.dice
        layers = music.play_layers({"a": silent_file(), "b": silent_file()}, fade=0.1)
        layers.fade("b", dice.between(0, 1), dice.between(0, 0.5))
        layers.seek(dice.between(0, 0.1))

    def do_stream(self) -> None:
        self.voices = [*self.voices[-4:], self.stream.play(bus="music")]

    def do_play(self) -> None:
        dice = self.dice
        voice = self.sound.play(
            volume=dice.between(0, 1),
            pitch=dice.between(0.5, 2),
            loop=dice.chance(0.3),
            fade=dice.choice((0.0, 0.1)),
            position=dice.choice((None, dice.point())),
            occlusion=dice.choice((None, dice.between(0, 1))),
        )
        self.voices = [*self.voices[-4:], voice]

    def do_walls(self) -> None:
        walls = fw.collide.TileGrid(np.eye(9, dtype=bool), 20)
        self.game.audio.occlusion = self.dice.choice((None, 0.5, walls))
        for voice in self.voices:
            voice.occlusion = self.dice.choice((None, 1.0, walls))

    def do_voice(self) -> None:
        if self.voices:
            voice = self.dice.choice(self.voices)
            match self.dice.below(6):
                case 4:
                    voice.seek(self.dice.between(0, 0.2))
                case 5:
                    voice.paused = self.dice.chance(0.5)
                case 0:
                    voice.stop(self.dice.choice((0.0, 0.1)))
                case 1:
                    voice.volume = self.dice.between(0, 1)
                case 2:
                    voice.pitch = self.dice.between(0.5, 2)
                case _:
                    voice.pan = self.dice.between(-1, 1)

    def do_effects(self) -> None:
        dice = self.dice
        dice.choice(self.filters).frequency = dice.between(50, 9000)
        self.echo.delay = dice.between(0.01, 1)
        self.reverb.wet = dice.between(0, 1)
        self.crusher.bits = dice.between(1, 16)
        self.crusher.sample_rate = dice.between(100, 48_000)
        self.compressor.enabled = dice.chance(0.5)

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

    def copy(self, other: Any) -> None:
        copy_rows(self.batch, other.add(fw.SpriteBatch(_IMAGE)), SPRITE_COLUMNS)

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

    def copy(self, other: Any) -> None:
        copy_rows(self.batch, other.add(fw.SpriteBatch(_IMAGE)), SPRITE_COLUMNS)

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
            with self.batch.add(position=(4, 4)):
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

    def copy(self, other: Any) -> None:
        copy_rows(self.batch, other.add(fw.SpriteBatch(_IMAGE)), SPRITE_COLUMNS)

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

    def copy(self, other: Any) -> None:
        other.sprites.add(_IMAGE, position=self.sprite.position)

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


class Walkers(Player):
    """Bodies between solid tiles and a moving platform, which jump, overlap, and find their way."""

    collide = fw.collide
    paths = fw.paths
    parts = (
        *(collide.TileGrid, collide.Boxes, collide.ConvexShapes),
        *(collide.OverlapTracker, collide.JumpTimer, paths.FlowField),
    )

    def setup(self) -> None:
        solid = np.zeros((6, 9), bool)
        solid[-1], solid[3, 4:6], solid[:, -1] = True, True, True
        self.grid = fw.collide.TileGrid(solid, 10)
        self.batch = self.game.add(fw.SpriteBatch(_IMAGE, 3, columns=("velocity",)))
        self.batch.position[:] = (15, 30), (30, 40), (65, 30)
        self.platform = self.game.add(fw.SpriteBatch(_IMAGE, 1))
        self.platform.position[:] = 25, 25
        self.overlaps = fw.collide.OverlapTracker()
        self.jumps = fw.collide.JumpTimer()
        self.on_floor = np.zeros(3, bool)
        self.goal = (5.0, 15.0)
        self.entries = 0

    def update(self, dt: float) -> None:
        batch = self.batch
        platform = self.platform
        step = np.array([[0.0, 0.5 if self.game.tick % 40 < 20 else -0.5]], np.float32)
        platform.position += step
        boxes = fw.collide.Boxes(platform.position, (5, 5), step)
        batch.velocity[:, 1] -= 300 * dt
        jumping = self.jumps.update(dt, self.on_floor, self.game.keys.just_pressed("space"))
        batch.velocity[jumping, 1] = 120
        moved, flags = fw.collide.move(
            batch.position, (5, 5), batch.velocity * dt, self.grid, boxes
        )
        assert not self.buried(moved[~flags.crushed]), "a body is inside a solid tile"
        batch.position[:] = moved
        self.on_floor = flags.on_floor
        batch.velocity[flags.on_floor | flags.on_ceiling, 1] = 0
        self.overlaps.update(fw.collide.overlaps(batch), batch.ids)
        balls = fw.collide.ConvexShapes.circles(batch.position, 3)
        goals = fw.collide.ConvexShapes.points(np.array([self.goal] * len(batch)))
        self.entries += len(self.overlaps.entered) + len(fw.collide.touching(balls, goals))

    def buried(self, positions: Any) -> bool:
        """Whether the middle of a body is inside a solid tile."""
        column, row = np.floor(positions.T / 10).astype(int)
        inside = (column >= 0) & (column < 9) & (row >= 0) & (row < 6)
        return bool(self.grid.solid[5 - row[inside], column[inside]].any())

    def copy(self, other: Any) -> None:
        for batch in (self.batch, self.platform):
            copy_rows(batch, other.add(fw.SpriteBatch(_IMAGE)), SPRITE_COLUMNS)

    def do_walk(self) -> None:
        self.batch.velocity[:, 0] = self.dice.between(-60, 60)

    def do_follow(self) -> None:
        field = fw.paths.FlowField(self.grid, [self.goal])
        self.batch.velocity[:, 0] = 40 * field.direction(self.batch.position)[:, 0]

    def do_find(self) -> None:
        path = fw.paths.find(self.grid, tuple(self.batch.position[0]), self.goal)
        self.entries += len(path)

    def do_goal(self) -> None:
        self.goal = self.dice.choice(((5.0, 15.0), (75.0, 15.0), (35.0, 45.0)))

    def do_fall(self) -> None:
        self.batch.position[0] = self.dice.choice(((15, 50), (45, 45), (65, 40)))
        self.batch.teleport([0])
