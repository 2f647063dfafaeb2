"""Players of the parts in space: meshes, models, billboards, lines, lights, cameras, worlds."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import framework as fw

from .copying import copy_attributes
from .plane import Rows, copied_nodes, copy_rows
from .player import Player


class SpaceRows(Rows):
    """Operations that every batch in space has."""

    columns = ("position", "color")

    def value(self, name: str) -> Any:
        if name == "position":
            return self.dice.point3()
        if name == "rotation":
            return self.dice.rotation()
        if name == "scale":
            return self.dice.choice(((1.0, 1.0, 1.0), (0.5, 1.5, 1.0), (0.2, 1.0, 1.0)))
        return super().value(name)

    def look(self) -> None:
        self.game.world.camera.position = (0, 1, 7)
        self.game.world.camera.look_at((0, 0, 0))

    def do_move_all(self) -> None:
        self.batch.position += self.dice.between(-0.3, 0.3)


@functools.cache
def box_mesh() -> fw.Mesh:
    return fw.Mesh.box((1, 0.7, 0.5))


class Meshes(SpaceRows):
    parts = (fw.MeshBatch, fw.Instance, fw.Mesh, fw.Material)
    columns = ("position", "rotation", "scale", "color", "visible")

    def setup(self) -> None:
        self.look()
        self.batch = self.game.add(fw.MeshBatch(box_mesh(), 2))
        self.batch.position[:] = [self.dice.point3() for _ in range(2)]

    def do_pick(self) -> None:
        hit = self.batch.pick((0, 0, 9), (self.dice.between(-0.2, 0.2), 0, -1))
        if hit is not None:
            hit.instance.color = self.dice.color()

    def do_material(self) -> None:
        self.batch.material = fw.Material(
            roughness=self.dice.choice((0.2, 0.8)),
            unlit=self.dice.chance(0.3),
            alpha_mode=self.dice.choice(("opaque", "blend")),
        )

    def do_shadow(self) -> None:
        self.batch.casts_shadow = self.dice.choice((None, True, False))
        self.batch.cull = self.dice.chance(0.5)

    def copy(self, other: Any) -> None:
        batch = other.add(fw.MeshBatch(box_mesh(), material=self.batch.material))
        batch.casts_shadow = self.batch.casts_shadow
        batch.cull = self.batch.cull
        copy_rows(self.batch, batch, self.columns)


@functools.cache
def arm() -> fw.Model:
    """A model with two nodes, two animations and a morph target."""
    times = np.array([0, 0.5, 1], np.float32)
    lift = np.array([(0, 0.5, 0), (0, 1.5, 0), (0, 0.5, 0)], np.float32)
    half = np.sqrt(0.5)
    turn = np.array([(0, 0, 0, 1), (0, half, 0, half), (0, 0, 0, 1)], np.float32)
    wave = fw.Animation("Wave", [fw.Channel(1, "translation", "LINEAR", times, lift)])
    walk = fw.Animation("Walk", [fw.Channel(1, "rotation", "LINEAR", times, turn)])
    mesh = fw.Mesh.cube()
    targets = fw.MorphTargets(mesh.positions[None] * 0.5, names=["wide"])
    return fw.Model.of(
        [
            fw.Part(mesh, fw.Material(), [0, 1]),
            fw.Part(mesh, fw.Material((1, 0.5, 0, 1)), [1], None, targets),
        ],
        names=["a", "b"],
        parent=[-1, 0],
        animations=[wave, walk],
    )


class Models(SpaceRows):
    parts = (fw.ModelBatch, fw.ModelInstance, fw.Model, fw.Animation, fw.MorphTargets, fw.Part)
    columns = ("position", "rotation", "scale", "color", "visible")
    many = 5

    def setup(self) -> None:
        self.look()
        self.batch = self.game.add(fw.ModelBatch(arm(), 2))
        self.loops: dict[int, bool] = {}
        self.fading = 0  # ticks

    def do_play(self) -> None:
        dice = self.dice
        rows = dice.rows(len(self.batch))
        loop = dice.chance(0.5)
        fade = dice.choice((0.0, 0.2))
        self.batch.play(
            dice.choice(("Wave", "Walk", None)),
            rows,
            loop=loop,
            speed=dice.choice((0.5, 1.0, 2.0)),
            fade=fade,
        )
        self.loops = {**self.loops, **dict.fromkeys(self.batch.ids[rows].tolist(), loop)}
        self.fading = max(self.fading, 2 + round(60 * fade))

    def update(self, dt: float) -> None:
        self.fading = max(self.fading - 1, 0)

    def can_copy(self) -> bool:
        """Whether no animation fades in."""
        return not self.fading

    def copy(self, other: Any) -> None:
        batch = other.add(fw.ModelBatch(arm()))
        copy_rows(self.batch, batch, self.columns)
        for row, instance in enumerate(self.batch):
            copied = batch[row]
            if instance.playing is not None:
                copied.play(instance.playing, loop=self.loops[instance.id], speed=0, fade=0)
                copied.time = instance.time
            copied.set_weight("wide", instance.weight("wide"))
            for name in ("a", "b"):
                copy_attributes(instance.node(name), copied.node(name), NODE)

    def do_instance(self) -> None:
        if len(self.batch):
            instance = self.batch[self.dice.below(len(self.batch))]
            match self.dice.below(4):
                case 0:
                    if instance.playing is not None:
                        instance.time = self.dice.between(0, 1)
                case 1:
                    instance.set_weight("wide", self.dice.between(0, 1))
                case 2:
                    instance.node("b").scale = self.dice.between(0.5, 1.5)
                case _:
                    instance.teleport(self.dice.point3())

    def do_pick(self) -> None:
        hit = self.batch.pick((0, 0, 9), (0, 0, -1))
        if hit is not None:
            hit.instance.color = self.dice.color()


class Crowds(SpaceRows):
    parts = (fw.Crowd, fw.CrowdInstance)
    columns = ("position", "rotation", "scale", "color", "visible")
    many = 6

    def setup(self) -> None:
        self.look()
        self.batch = self.game.add(fw.Crowd(arm(), 3, columns={"hp": 3}))
        self.batch.position[:] = [self.dice.point3() for _ in range(3)]
        self.loops: dict[int, bool] = {}
        self.fading = 0  # ticks

    def do_play(self) -> None:
        dice = self.dice
        rows = dice.rows(len(self.batch))
        loop = dice.chance(0.5)
        fade = dice.choice((0.0, 0.2))
        self.batch.play(
            dice.choice(("Wave", "Walk", None)),
            rows,
            loop=loop,
            speed=[dice.choice((-1.0, 0.5, 1.0, 2.0)) for _ in rows],
            fade=fade,
            start=dice.between(0, 1),
        )
        self.loops = {**self.loops, **dict.fromkeys(self.batch.ids[rows].tolist(), loop)}
        self.fading = max(self.fading, 2 + round(60 * fade))

    def do_pace(self) -> None:
        self.batch.animation_speed[:] = self.dice.between(-1, 2)

    def do_time(self) -> None:
        self.batch.time[:] = self.dice.between(0, 1)

    def do_options(self) -> None:
        self.batch.cull = self.dice.chance(0.5)
        self.batch.casts_shadow = self.dice.choice((None, True, False))

    def do_instance(self) -> None:
        if len(self.batch):
            instance = self.batch[self.dice.below(len(self.batch))]
            match self.dice.below(3):
                case 0:
                    instance.play("Wave", loop=False, speed=self.dice.choice((-1.0, 3.0)))
                    self.loops = {**self.loops, instance.id: False}
                    self.fading = max(self.fading, 14)
                case 1:
                    instance.hp += 1
                case _:
                    instance.teleport(self.dice.point3())

    def do_remove_finished(self) -> None:
        if len(self.batch) > 1 and self.batch.finished[0]:
            self.batch.remove([0])

    def do_pick(self) -> None:
        hit = self.batch.pick((0, 0, 9), (self.dice.between(-0.2, 0.2), 0, -1))
        if hit is not None:
            hit.instance.color = self.dice.color()

    def update(self, dt: float) -> None:
        self.fading = max(self.fading - 1, 0)

    def can_copy(self) -> bool:
        """Whether no animation fades in."""
        return not self.fading

    def copy(self, other: Any) -> None:
        batch = other.add(fw.Crowd(arm(), columns={"hp": 3}))
        batch.cull = self.batch.cull
        batch.casts_shadow = self.batch.casts_shadow
        copy_rows(self.batch, batch, self.columns)
        for row, instance in enumerate(self.batch):
            if instance.playing is not None:
                loop = self.loops[instance.id]
                batch[row].play(instance.playing, loop=loop, speed=0, fade=0)
                batch[row].time = instance.time


NODE = ("position", "rotation", "scale")


class NodedMeshes(Player):
    parts = (fw.NodeMeshes, fw.Nodes3D)

    def setup(self) -> None:
        self.game.world.camera.position = (0, 1, 7)
        self.nodes = fw.Nodes3D()
        self.nodes.add(position=(0, 0, 0))
        self.batch = self.game.add(fw.NodeMeshes(box_mesh(), self.nodes, [0]))

    def copy(self, other: Any) -> None:
        nodes = copied_nodes(self.nodes, fw.Nodes3D(), NODE)
        batch = other.add(fw.NodeMeshes(box_mesh(), nodes))
        for mesh, node in zip(self.batch, self.batch.node, strict=True):
            batch.show(int(node), color=mesh.color)

    def update(self, dt: float) -> None:
        if len(self.nodes):
            self.nodes.position[0, 0] += 0.02

    def do_add(self) -> None:
        if len(self.nodes) < 8:
            parent = self.dice.below(len(self.nodes)) if len(self.nodes) else None
            node = self.nodes.add(parent, position=self.dice.point3())
            self.batch.show(node, color=self.dice.color())

    def do_remove(self) -> None:
        if len(self.nodes) > 1:
            self.nodes.remove([self.dice.below(len(self.nodes))])

    def do_remove_mesh(self) -> None:
        if len(self.batch):
            self.batch.remove([0])

    def do_turn(self) -> None:
        if len(self.nodes):
            self.nodes.rotation[self.dice.below(len(self.nodes))] = self.dice.rotation()

    def do_attach(self) -> None:
        if len(self.nodes) > 1:
            self.nodes.attach([len(self.nodes) - 1], self.dice.choice((None, 0)))

    def do_teleport(self) -> None:
        if len(self.nodes):
            self.nodes.position[0] = self.dice.point3()
            self.nodes.teleport([0])


class BillboardRows(SpaceRows):
    parts = (fw.Billboards,)
    columns = ("position", "angle", "color")

    def setup(self) -> None:
        self.look()
        self.batch = self.game.add(fw.Billboards(self.image(), 2))

    def image(self) -> Any:
        return np.full((4, 4, 4), 230, np.uint8)

    def do_size(self) -> None:
        self.batch.size[:] = self.dice.between(0.1, 2)

    def copy(self, other: Any) -> None:
        copy_rows(self.batch, other.add(fw.Billboards(self.image())), (*self.columns, "size"))


class DebugLines(Player):
    parts = (fw.Lines,)

    def setup(self) -> None:
        self.game.world.camera.position = (0, 1, 7)
        self.lines = self.game.add(fw.Lines(keep=True))
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def update(self, dt: float) -> None:
        if not self.lines.keep:
            self.calls = []

    def call(self, name: str, *arguments: Any) -> None:
        getattr(self.lines, name)(*arguments)
        self.calls = [*self.calls, (name, arguments)]

    def copy(self, other: Any) -> None:
        """Add the lines at their place among the drawables. They are empty until `finish_copy`."""
        other.company_lines = other.add(fw.Lines())

    def finish_copy(self, other: Any) -> None:
        """Draw the lines after all ticks, because the next tick would remove them."""
        lines = other.company_lines
        copy_attributes(self.lines, lines, ("keep", "on_top"))
        for name, arguments in self.calls:
            getattr(lines, name)(*arguments)

    def do_add(self) -> None:
        self.call("add", self.dice.point3(), self.dice.point3(), self.dice.rgb(), 2)

    def do_shape(self) -> None:
        match self.dice.below(5):
            case 0:
                self.call("axes", self.dice.point3(), self.dice.rotation())
            case 1:
                self.call("box", (-1, -1, -1), (1, 1, 1))
            case 2:
                self.call("sphere", self.dice.point3(), 0.7)
            case 3:
                self.call("grid", 4, 1)
            case _:
                self.call("path", [self.dice.point3() for _ in range(self.dice.below(2, 5))])

    def do_clear(self) -> None:
        self.lines.clear()
        self.calls = []

    def do_options(self) -> None:
        self.lines.keep = self.dice.chance(0.6)
        self.lines.on_top = self.dice.chance(0.5)


class WorldSettings(Player):
    parts = (fw.World, fw.Lights, fw.Light3D, fw.Shadows)

    def setup(self) -> None:
        self.world = self.game.world
        self.world.camera.position = (0, 3, 7)
        self.world.camera.look_at((0, 0, 0))
        self.floor = self.game.add(fw.MeshBatch(fw.Mesh.plane((8, 8)), 1))
        self.batch = self.game.add(fw.MeshBatch(fw.Mesh.sphere(), 2))
        self.batch.position[:] = (0, 1, 0), (1, 2, 0)
        self.world.lights.add((0, 2, 1))

    def copy(self, other: Any) -> None:
        """`copy_world` copies the world's settings and lights."""
        copy_rows(self.floor, other.add(fw.MeshBatch(fw.Mesh.plane((8, 8)))), Meshes.columns)
        copy_rows(self.batch, other.add(fw.MeshBatch(fw.Mesh.sphere())), Meshes.columns)

    def update(self, dt: float) -> None:
        self.batch.position[:, 0] += 0.02

    def do_pick(self) -> None:
        """Color the first object that a ray through the middle of the picture hits."""
        camera = self.world.camera
        hit = self.world.pick(camera.position, camera.forward)
        if hit is not None:
            hit.instance.color = self.dice.color()

    def do_sky(self) -> None:
        self.world.sky = self.dice.chance(0.5)
        self.world.shadows = self.dice.choice((True, False, fw.Shadows(64, 20, 2)))

    def do_colors(self) -> None:
        name = self.dice.choice(("fog_color", "ground_color", "sky_color", "sun_color"))
        setattr(self.world, name, self.dice.rgb())

    def do_fog(self) -> None:
        self.world.fog = self.dice.choice((0.0, 0.1))
        self.world.exposure = self.dice.between(0.3, 2)

    def do_sun(self) -> None:
        self.world.sun_direction = (self.dice.between(-1, 1), -1, self.dice.between(-1, 1))

    def do_add_light(self) -> None:
        if len(self.world.lights) < 6:
            self.world.lights.add(
                self.dice.point3(),
                self.dice.rgb(),
                direction=self.dice.choice((None, (0, -1, 0))),
            )

    def do_remove_light(self) -> None:
        if len(self.world.lights):
            self.world.lights.remove([self.dice.below(len(self.world.lights))])

    def do_light(self) -> None:
        if len(self.world.lights):
            light = self.world.lights[self.dice.below(len(self.world.lights))]
            light.position = self.dice.point3()
            light.intensity = self.dice.between(0, 3)
            light.range = self.dice.between(1, 12)


class Eye3D(Player):
    parts = (fw.Camera3D, fw.Orbit, fw.Fly)

    def setup(self) -> None:
        self.batch = self.game.add(fw.MeshBatch(box_mesh(), 3))
        self.batch.position[:] = [self.dice.point3() for _ in range(3)]
        self.camera = self.game.world.camera
        self.camera.position = (0, 1, 7)
        self.shaking = 0  # ticks

    def can_copy(self) -> bool:
        """Whether the camera no longer shakes."""
        return not self.shaking

    def copy(self, other: Any) -> None:
        copy_rows(self.batch, other.add(fw.MeshBatch(box_mesh())), Meshes.columns)

    def update(self, dt: float) -> None:
        self.shaking = max(self.shaking - 1, 0)
        controller = self.camera.controller
        if isinstance(controller, (fw.Orbit, fw.Fly)):
            controller.update(dt, self.game.keys, self.game.mouse)

    def do_orbit(self) -> None:
        fw.Orbit(self.camera, distance=self.dice.between(3, 9), yaw=self.dice.turn())

    def do_fly(self) -> None:
        fw.Fly(self.camera, (0, 1, self.dice.between(3, 9)), yaw=0, pitch=0)

    def do_turn(self) -> None:
        controller = self.camera.controller
        if isinstance(controller, (fw.Orbit, fw.Fly)):
            controller.turn(self.dice.between(-1, 1), self.dice.between(-0.2, 0.2))

    def do_let_go(self) -> None:
        self.camera.controller = None

    def do_look(self) -> None:
        if self.camera.controller is None:
            self.camera.position = (self.dice.between(-2, 2), 1, self.dice.between(3, 9))
            self.camera.look_at((0, 0, 0))

    def do_lens(self) -> None:
        self.camera.fov = self.dice.between(0.5, 1.4)
        self.camera.ortho_height = self.dice.choice((None, None, 5.0))

    def do_shake(self) -> None:
        self.camera.shake(0.2, 10, seed=self.dice.below(9))
        self.shaking = 12

    def do_follow(self) -> None:
        if len(self.batch):
            self.camera.controller = fw.Follow(
                self.camera, self.batch[0], (0, 1, 5), look=(0, 0, 0)
            )

    def do_remove(self) -> None:
        if len(self.batch) > 1:
            self.batch.remove([0])

    def do_teleport(self) -> None:
        self.camera.teleport()


class Sparks3D(Player):
    """No copies: a particle begins where and when it is emitted, never at an age."""

    parts = (fw.Particles3D,)
    copies = False

    def setup(self) -> None:
        self.game.world.camera.position = (0, 1, 7)
        self.particles = self.game.add(fw.Particles3D(None, 60, lifetime=(0.1, 0.6), speed=2))
        self.emitter = self.particles.emitter((0, 0, 0), 40)

    def do_emit(self) -> None:
        self.particles.emit(self.dice.below(15), self.dice.point3(), tint=self.dice.color())

    def do_emitter(self) -> None:
        if self.emitter.removed:
            self.emitter = self.particles.emitter(self.dice.point3(), 30)
        elif self.dice.chance(0.3):
            self.emitter.remove()
        else:
            self.emitter.position = self.dice.point3()

    def do_clear(self) -> None:
        self.particles.clear()
