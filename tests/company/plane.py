"""Players of the parts in the plane: sprites, shapes, text, tiles, particles, lights, cameras."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

import framework as fw

from .copying import copy_attributes
from .player import Player

SPRITE_COLUMNS = ("position", "angle", "scale", "color", "visible", "layer", "flip", "image")


def copy_rows(batch: Any, other: Any, names: tuple[str, ...]) -> None:
    """Add the rows of ``batch`` to the empty batch ``other``."""
    if len(batch):
        other.extend(len(batch))
        for name in names:
            getattr(other, name)[:] = getattr(batch, name)[:]


class Rows(Player):
    """Operations that every batch with rows has."""

    batch: Any
    columns: ClassVar[tuple[str, ...]] = ("position",)
    many = 12

    def value(self, name: str) -> Any:
        dice = self.dice
        if name == "position":
            return dice.point()
        if name == "scale":
            return dice.choice(((1.0, 1.0), (0.5, 2.0), (0.0, 1.0), (-1.0, 1.0)))
        if name in ("color", "gradient_to", "stroke_color"):
            return dice.color()
        if name in ("visible", "shadows"):
            return dice.chance(0.7)
        if name == "layer":
            return dice.below(-3, 4)
        if name == "flip":
            return dice.chance(0.5), dice.chance(0.5)
        if name in ("velocity", "acceleration"):
            return dice.between(-60, 60), dice.between(-60, 60)
        return dice.turn()

    def do_write_a_row(self) -> None:
        if len(self.batch):
            name = self.dice.choice(self.columns)
            getattr(self.batch, name)[self.dice.below(len(self.batch))] = self.value(name)

    def do_write_all(self) -> None:
        name = self.dice.choice(self.columns)
        getattr(self.batch, name)[:] = self.value(name)

    def do_write_some(self) -> None:
        name = self.dice.choice(self.columns)
        rows = self.dice.rows(len(self.batch))
        getattr(self.batch, name)[rows] = self.value(name)

    def do_move_all(self) -> None:
        self.batch.position += self.dice.between(-3, 3)

    def do_teleport(self) -> None:
        rows = self.dice.rows(len(self.batch))
        self.batch.position[rows] = self.value("position")
        self.batch.teleport(rows)

    def do_remove(self) -> None:
        self.batch.remove(self.dice.rows(len(self.batch)))

    def do_clear(self) -> None:
        if self.dice.chance(0.2):
            self.batch.clear()

    def do_extend(self) -> None:
        if len(self.batch) < self.many:
            self.batch.extend(self.dice.below(4), position=self.value("position"))


class Sprites(Rows):
    parts = (fw.SpriteBatch, fw.Sprite, fw.Clips, fw.Clip, fw.Region)
    columns = (*SPRITE_COLUMNS[:-1], "velocity", "angular_velocity")

    def clips(self) -> fw.Clips:
        walk = fw.Clip([0, 1, 2], 8, markers={"step": 1})
        images = [np.full((6, 6, 4), 60 * (index + 1), np.uint8) for index in range(4)]
        return fw.Clips(images, walk=walk, once=fw.Clip([3, 2], 12, loop=False), ping=(0, 3, 20.0))

    def setup(self) -> None:
        self.batch = self.game.add(
            fw.SpriteBatch(
                self.clips(), 3, columns=("velocity", "angular_velocity"), tags=("a", "b")
            )
        )
        self.batch.position[:] = [self.dice.point() for _ in range(3)]
        self.handles: list[Any] = [self.batch[0]]

    def update(self, dt: float) -> None:
        self.batch.move(dt)

    def copy(self, other: Any) -> None:
        batch = other.add(fw.SpriteBatch(self.clips()))
        batch.y_sort = self.batch.y_sort
        for source in self.extra:
            batch.images.add(source)
        copy_rows(self.batch, batch, SPRITE_COLUMNS)
        # The scene on top stops the time of clips at the end of this tick.
        batch.image[:] = self.batch.shown_images(1.0)

    extra: ClassVar[tuple[Any, ...]] = ()

    def do_add(self) -> None:
        if len(self.batch) < self.many:
            handle = self.batch.add(
                self.dice.below(4),
                position=self.dice.point(),
                angle=self.dice.turn(),
                color=self.dice.color(),
                layer=self.dice.below(-2, 3),
            )
            self.handles = [*self.handles[-3:], handle]

    def do_handle(self) -> None:
        handle = self.dice.choice(self.handles)
        if handle.removed:
            return
        match self.dice.below(6):
            case 0:
                handle.remove()
            case 1:
                handle.x += 3
            case 2:
                handle.play(self.dice.choice(("walk", "once", "ping")), restart=True)
            case 3:
                handle.teleport(self.dice.point())
            case 4:
                handle.alpha = self.dice.between(0, 1)
            case _:
                handle.scale = self.dice.choice((0.5, 1.0, (1.0, 2.0)))

    def do_play(self) -> None:
        rows = self.dice.rows(len(self.batch))
        name = self.dice.choice(("walk", "once", "ping"))
        self.batch.play(name, rows, speed=self.dice.choice((0.0, 0.5, 1.0, 3.0, -1.0)[:4]))

    def do_play_then(self) -> None:
        self.batch.play("once", self.dice.rows(len(self.batch)), then="walk")

    def do_pace(self) -> None:
        rows = [row for row in self.dice.rows(len(self.batch)) if row in self.batch.playing("walk")]
        self.batch.set_clip_speed(self.dice.between(0, 3), rows)

    def do_stop(self) -> None:
        self.batch.stop(self.dice.rows(len(self.batch)))

    def do_image(self) -> None:
        rows = self.dice.rows(len(self.batch))
        self.batch.stop(rows)
        self.batch.image[rows] = self.dice.below(4)

    def do_tag(self) -> None:
        rows = self.dice.rows(len(self.batch))
        self.batch.tag(rows, self.dice.choice("ab"), on=self.dice.chance(0.6))

    def do_remove_tagged(self) -> None:
        self.batch.remove(self.batch.tagged(self.dice.choice("ab")))

    def do_y_sort(self) -> None:
        self.batch.y_sort = self.dice.chance(0.5)


class OwnColumns(Rows):
    """A batch with columns of the game's own, and ids of its rows."""

    parts = (fw.Column,)
    columns = ("position", "color")

    def setup(self) -> None:
        own = {"hp": 3.0, "kind": "u1", "home": ("f4", 2), "mood": object, "awake": True}
        own["heat"] = fw.Column("f4", (), 0.5, interpolated=False)
        self.image = self.dice.image()
        self.batch = self.game.add(fw.SpriteBatch(self.image, 3, columns=own))
        self.remembered = [int(number) for number in self.batch.ids]

    def copy(self, other: Any) -> None:
        batch = other.add(fw.SpriteBatch(self.image))
        copy_rows(self.batch, batch, SPRITE_COLUMNS)

    def do_hp(self) -> None:
        self.batch.hp[self.dice.rows(len(self.batch))] -= 1
        self.batch.remove(np.flatnonzero(self.batch.hp <= 0))

    def do_kind(self) -> None:
        self.batch.kind[:] = self.dice.below(256)

    def do_home(self) -> None:
        self.batch.home[self.dice.rows(len(self.batch))] = self.dice.point()

    def do_mood(self) -> None:
        for row in self.dice.rows(len(self.batch)):
            self.batch.mood[row] = self.dice.choice((None, "calm", ("angry", 2)))

    def do_handle(self) -> None:
        if len(self.batch):
            sprite = self.batch[self.dice.below(len(self.batch))]
            sprite.hp += 1
            sprite.awake = not sprite.awake
            sprite.mood = "new"
            sprite.heat = self.dice.between(0, 1)

    def do_ids(self) -> None:
        rows = [int(row) for row in self.batch.row_of(self.remembered)]
        for number, row in zip(self.remembered, rows, strict=True):
            assert row == -1 or self.batch.ids[row] == number
        self.remembered = [int(number) for number in self.batch.ids]


class NodedSprites(Player):
    parts = (fw.NodeSprites, fw.Nodes2D, fw.Node)

    def setup(self) -> None:
        self.nodes = fw.Nodes2D()
        self.root = self.nodes.add(position=(30, 30))
        self.image = self.dice.image()
        self.batch = self.game.add(fw.NodeSprites(self.image, self.nodes))
        self.batch.show(self.root)

    def update(self, dt: float) -> None:
        if len(self.nodes):
            self.nodes.angle += 0.1

    def copy(self, other: Any) -> None:
        nodes = copied_nodes(self.nodes, fw.Nodes2D(), ("position", "angle", "scale"))
        batch = other.add(fw.NodeSprites(self.image, nodes))
        for sprite, node in zip(self.batch, self.batch.node, strict=True):
            batch.show(int(node), color=sprite.color)

    def do_add(self) -> None:
        if len(self.nodes) < 9:
            parent = self.dice.below(len(self.nodes)) if len(self.nodes) else None
            node = self.nodes.add(parent, position=(self.dice.between(-9, 9), 5))
            self.batch.show(node, color=self.dice.color())

    def do_remove(self) -> None:
        if len(self.nodes) > 1:
            self.nodes.remove([self.dice.below(len(self.nodes))])

    def do_remove_sprite(self) -> None:
        if len(self.batch):
            self.batch.remove([self.dice.below(len(self.batch))])

    def do_attach(self) -> None:
        if len(self.nodes) > 1:
            self.nodes.attach([len(self.nodes) - 1], None)

    def do_move(self) -> None:
        if len(self.nodes):
            self.nodes.position[self.dice.below(len(self.nodes))] += self.dice.between(-5, 5)

    def do_teleport(self) -> None:
        if len(self.nodes):
            self.nodes.position[0] = self.dice.point()
            self.nodes.teleport([0])

    def do_color(self) -> None:
        self.batch.color[:] = self.dice.color()


def copied_nodes(nodes: Any, copies: Any, names: tuple[str, ...]) -> Any:
    """Add a copy of each node to ``copies``, and return ``copies``."""
    if len(nodes):
        copies.extend(len(nodes))
        copies.parent = nodes.parent
        for name in names:
            getattr(copies, name)[:] = getattr(nodes, name)[:]
    return copies


class ShapeRows(Rows):
    parts = (fw.Shapes, fw.Shape)
    columns = ("position", "angle", "scale", "color", "layer", "visible", "gradient_to")

    def setup(self) -> None:
        self.batch = self.game.add(fw.Shapes())
        self.made: list[tuple[str, Any]] = []
        self.batch.add_circle((40, 30), 9)

    def do_extend(self) -> None:
        if len(self.batch) < self.many:
            kind = self.dice.choice(("circle", "box", "ellipse"))
            self.batch.extend(self.dice.below(3), kind, position=self.dice.point(), size=(6, 9))

    def do_add(self) -> None:
        if len(self.batch) >= self.many:
            return
        dice = self.dice
        shapes = self.batch
        look = {"color": dice.color(), "layer": dice.below(-2, 3)}
        match dice.below(9):
            case 0:
                shapes.add_box(dice.point(), (12, 8), corner=dice.choice((0, 3)), **look)
            case 1:
                shapes.add_arc(dice.point(), 9, dice.turn(), dice.turn(), 3, **look)
            case 2:
                shapes.add_line(dice.point(), dice.point(), dice.between(0.5, 5), **look)
            case 3:
                shapes.add_ngon(dice.point(), 8, dice.below(3, 9), **look)
            case 4:
                points = [dice.point() for _ in range(dice.below(2, 6))]
                shapes.add_path(points, 2, closed=len(points) > 2 and dice.chance(0.5), **look)
            case 5:
                shapes.add_polygon(
                    [(0, 0), (20, 0), (12, 9), (9, 20)], position=dice.point(), **look
                )
            case 6:
                shapes.add_sector(dice.point(), 9, dice.turn(), dice.turn(), **look)
            case 7:
                shapes.add_star(dice.point(), 9, dice.below(3, 8), **look)
            case _:
                shapes.add_ellipse(
                    dice.point(), (9, 15), stroke_color="white", stroke_width=2, **look
                )

    def do_connect(self) -> None:
        lines = [shape for shape in self.batch if shape.kind == "line"]
        if lines:
            lines[0].connect(self.dice.point(), self.dice.point())

    def copy(self, other: Any) -> None:
        batch = other.add(fw.Shapes())
        for shape in self.batch:
            batch.extend(1, shape.kind)
        for name in (*self.columns, "size", "stroke", "stroke_color", "form"):
            getattr(batch, name)[:] = getattr(self.batch, name)[:]

    def can_copy(self) -> bool:
        # Points of paths, and whether a shape has an outline, are set when a shape is added.
        return not self.batch.stroke_color[:].any() and all(
            shape.kind != "path" for shape in self.batch
        )


class PolygonRows(Rows):
    parts = (fw.Polygons, fw.Polygon)
    columns = ("position", "angle", "scale", "color", "layer", "visible")

    def setup(self) -> None:
        self.batch = self.game.add(fw.Polygons(self.image(), wrap="repeat"))
        self.kinds: dict[int, str] = {}
        self.add("box", (40, 20))

    def image(self) -> Any:
        image = np.full((8, 8, 4), 255, np.uint8)
        image[::2, ::2, :3] = 80
        return image

    def add(self, kind: str, position: tuple[float, float]) -> None:
        polygon = add_polygon(self.batch, kind, position)
        self.kinds = {**self.kinds, polygon.id: kind}

    def do_extend(self) -> None:
        if len(self.batch) < self.many:
            self.add(self.dice.choice(("box", "slice", "triangle")), self.dice.point())

    def copy(self, other: Any) -> None:
        batch = other.add(fw.Polygons(self.image(), wrap="repeat"))
        for polygon in self.batch:
            add_polygon(batch, self.kinds[polygon.id], polygon.position)
        for name in (*self.columns, "skew", "scroll"):
            getattr(batch, name)[:] = getattr(self.batch, name)[:]

    def do_skew(self) -> None:
        self.batch.skew[:] = self.dice.between(-0.5, 0.5)

    def do_scroll(self) -> None:
        self.batch.scroll[:] += self.dice.between(-1, 1)


def add_polygon(batch: Any, kind: str, position: tuple[float, float]) -> Any:
    if kind == "box":
        return batch.add_box(position, (20, 12), tile=8)
    if kind == "slice":
        return batch.add_nine_slice(position, (20, 16), 3)
    return batch.add_polygon([(0, 0), (20, 0), (9, 20)], position=position, tile=8)


class RibbonPoints(Rows):
    parts = (fw.Ribbon,)
    columns = ("position", "color")
    many = 8

    def setup(self) -> None:
        self.batch = self.game.add(fw.Ribbon(None, [(5, 5), (40, 30), (80, 10)], width=5))

    def do_points(self) -> None:
        self.batch.points = [self.dice.point() for _ in range(self.dice.below(7))]

    def do_width(self) -> None:
        self.batch.width[:] = self.dice.between(0, 9)

    def copy(self, other: Any) -> None:
        batch = other.add(fw.Ribbon(None, self.batch.points, width=5))
        for name in ("color", "width"):
            getattr(batch, name)[:] = getattr(self.batch, name)[:]


class TrailTarget(Player):
    """No copies: a trail shows where its target was in earlier ticks."""

    parts = (fw.Trail,)
    copies = False

    def setup(self) -> None:
        self.batch = self.game.add(fw.SpriteBatch(self.dice.image(), 1))
        self.target = self.batch[0]
        self.trail = self.game.add(fw.Trail(self.target, 0.2))

    def update(self, dt: float) -> None:
        if not self.target.removed:
            self.target.x = (self.target.x + 4) % 90
            self.target.y += self.dice.between(-3, 3)

    def do_jump(self) -> None:
        if not self.target.removed:
            self.target.teleport(self.dice.point())

    def do_remove(self) -> None:
        if not self.target.removed and self.dice.chance(0.3):
            self.target.remove()

    def do_follow_another(self) -> None:
        if len(self.batch) < 4:
            self.target = self.batch.add(position=self.dice.point())
        self.trail.target = self.dice.choice((self.target, None, self.batch[len(self.batch) - 1]))

    def do_change(self) -> None:
        self.trail.width = self.dice.between(0, 12), self.dice.between(0, 4)
        self.trail.color = self.dice.color(), "#f000"
        self.trail.duration = self.dice.choice((0.1, 0.3, 1.0))

    def do_clear(self) -> None:
        self.trail.clear()


class Segments(Player):
    parts = (fw.SpriteSegments,)

    def setup(self) -> None:
        self.lines = self.game.add(fw.SpriteSegments(2))
        self.drawn: list[Any] = []

    def do_draw(self) -> None:
        count = self.dice.below(6)
        self.drawn = [[self.dice.point(), self.dice.point()] for _ in range(count)]
        self.lines.draw_lines(np.array(self.drawn).reshape(-1, 2, 2), self.dice.color())

    def do_color(self) -> None:
        self.lines.color[:] = self.dice.color()

    def copy(self, other: Any) -> None:
        copy_rows(self.lines, other.add(fw.SpriteSegments(2)), SPRITE_COLUMNS[:-1])


class Waving(Rows):
    parts = (fw.VertexSprites,)
    columns = ("position", "angle", "scale", "color")

    def setup(self) -> None:
        shader = """
        void vertex(vec2 place, vec2 corner, inout vec2 shift, inout vec4 tint) {
            shift.x += corner.y * 4.0 * sin(9.0 * time);
        }
        """
        self.shader, self.image = shader, self.dice.image()
        self.batch = self.game.add(fw.VertexSprites(self.image, 2, vertex=shader))

    def copy(self, other: Any) -> None:
        batch = other.add(fw.VertexSprites(self.image, vertex=self.shader))
        copy_rows(self.batch, batch, SPRITE_COLUMNS)


class Texts(Player):
    parts = (fw.TextBatch, fw.Label)

    def setup(self) -> None:
        self.batch = self.game.add(fw.TextBatch(font_size=12))
        self.labels = [self.batch.add("Hello", (5, 30))]

    def do_add(self) -> None:
        if len(self.labels) < 5:
            label = self.batch.add(
                self.dice.text(), self.dice.point(), color=self.dice.rgb(), markup=False
            )
            self.labels = [*self.labels, label]

    def do_remove(self) -> None:
        if self.labels:
            label = self.dice.choice(self.labels)
            label.remove()
            self.labels = [other for other in self.labels if other is not label]

    def do_text(self) -> None:
        for label in self.labels[:1]:
            label.text = self.dice.text()

    def do_number(self) -> None:
        for label in self.labels[-1:]:
            label.text = f"Score {self.dice.below(10 ** self.dice.below(1, 9))}"

    def do_option(self) -> None:
        if not self.labels:
            return
        dice = self.dice
        label = self.dice.choice(self.labels)
        name, value = dice.choice(
            (
                ("position", dice.point()),
                ("color", dice.color()),
                ("alpha", dice.between(0, 1)),
                ("angle", dice.turn()),
                ("scale", dice.between(0.2, 3)),
                ("width", dice.choice((None, 20.0, 60.0))),
                ("align", dice.choice(("left", "center", "right"))),
                ("anchor", (dice.choice(("left", "center")), dice.choice(("top", "center")))),
                ("visible", dice.chance(0.6)),
                ("visible_characters", dice.choice((None, 0, 3))),
                ("font_size", dice.choice((9.0, 12.0, 17.5))),
                ("line_spacing", dice.choice((1.0, 1.5))),
                ("outline", dice.choice((None, "red"))),
                ("shadow", dice.choice((None, "blue"))),
            )
        )
        setattr(label, name, value)

    def do_measure(self) -> None:
        self.batch.measure(self.dice.text(), width=30)

    def copy(self, other: Any) -> None:
        batch = other.add(fw.TextBatch(font_size=12))
        for label in self.labels:
            batch.add(
                label.text,
                label.position,
                anchor=label.anchor,
                **{name: getattr(label, name) for name in LABEL_OPTIONS},
            )


LABEL_OPTIONS = (
    *("color", "visible", "font_size", "angle", "scale", "width", "align", "line_spacing"),
    *("outline", "outline_width", "shadow", "shadow_offset", "markup", "visible_characters"),
)


class Tiles(Player):
    parts = (fw.TileLayer, fw.TileSet, fw.Backdrop)

    def tileset(self) -> fw.TileSet:
        image = np.full((8, 16, 4), 255, np.uint8)
        image[:, 8:, 0] = 60
        image[:4, :, 1] = 120
        return fw.TileSet(image, (8, 8), solid=[1], animations={1: [(1, 0.1), (2, 0.15)]})

    def setup(self) -> None:
        self.layer = self.game.add(fw.TileLayer(self.tileset(), np.eye(4, 5, dtype=int)))
        self.backdrop = self.game.add(fw.Backdrop(self.image(), repeat=True), layer=-1)

    def image(self) -> Any:
        image = np.full((5, 7, 4), 70, np.uint8)
        image[2, 3] = 200
        return image

    def do_tile(self) -> None:
        cell = self.dice.below(4), self.dice.below(5)
        self.layer.tiles[cell] = self.dice.choice(
            (0, 1, 2, 1 | fw.TileLayer.FLIP_X, 1 | fw.TileLayer.SWAP, 0)
        )

    def do_many(self) -> None:
        self.layer.tiles[self.dice.below(4)] = self.dice.below(3)

    def do_position(self) -> None:
        self.layer.position = self.dice.point()

    def do_look(self) -> None:
        self.layer.color = self.dice.color()
        self.layer.visible = self.dice.chance(0.8)

    def do_teleport(self) -> None:
        self.layer.position = self.dice.point()
        self.layer.teleport()

    def do_parallax(self) -> None:
        self.layer.parallax = self.dice.choice(((1.0, 1.0), (0.5, 1.0), (0.0, 0.0)))
        self.backdrop.parallax = self.dice.choice(((1.0, 1.0), (0.3, 0.3)))

    def do_backdrop(self) -> None:
        self.backdrop.position = self.dice.point()
        self.backdrop.scale = self.dice.choice((1.0, 2.0, 0.7))
        self.backdrop.color = self.dice.color()
        self.backdrop.visible = self.dice.chance(0.8)

    def copy(self, other: Any) -> None:
        layer = other.add(fw.TileLayer(self.tileset(), np.array(self.layer.tiles)))
        backdrop = other.add(fw.Backdrop(self.image(), repeat=True), layer=-1)
        for name in ("position", "color", "visible", "parallax", "parallax_origin"):
            setattr(layer, name, getattr(self.layer, name))
            setattr(backdrop, name, getattr(self.backdrop, name))
        backdrop.scale = self.backdrop.scale


class Sparks(Player):
    """No copies: a particle begins where and when it is emitted, never at an age."""

    parts = (fw.Particles, fw.Emitter, fw.Curve)
    copies = False

    def setup(self) -> None:
        options: dict[str, Any] = {"lifetime": (0.1, 0.5), "speed": (5, 40), "gravity": (0, -30)}
        self.particles = self.game.add(
            fw.Particles(None, 60, size=fw.Curve(4, 8, 0), noise=3, **options)
        )
        self.batch = self.game.add(fw.SpriteBatch(self.dice.image(), 1))
        self.batch.position[:] = 30
        self.emitters = [self.particles.emitter(self.batch[0], 40)]

    def update(self, dt: float) -> None:
        self.batch.position[:, 0] += 1

    def do_emit(self) -> None:
        options: dict[str, Any] = {}
        if self.dice.chance(0.5):
            options = {"tint": self.dice.color(), "lifetime": self.dice.between(0.05, 1)}
        self.particles.emit(self.dice.below(20), self.dice.point(), **options)

    def do_emitter(self) -> None:
        if len(self.emitters) < 4:
            target = self.dice.choice((self.dice.point(), *self.batch))
            emitter = self.particles.emitter(target, self.dice.between(0, 90), prewarm=0.2)
            self.emitters = [*self.emitters, emitter]

    def do_change(self) -> None:
        emitter = self.dice.choice(self.emitters)
        if emitter.removed:
            return
        match self.dice.below(4):
            case 0:
                emitter.remove()
            case 1:
                emitter.emitting = not emitter.emitting
            case 2:
                emitter.rate = self.dice.between(0, 100)
            case _:
                emitter.change(speed=self.dice.between(0, 50))

    def do_remove_target(self) -> None:
        if len(self.batch) and self.dice.chance(0.3):
            self.batch.remove([0])
        elif len(self.batch) < 3:
            self.batch.add(position=self.dice.point())

    def do_time_scale(self) -> None:
        self.particles.time_scale = self.dice.choice((0.0, 0.5, 1.0, 2.0))

    def do_clear(self) -> None:
        self.particles.clear()


LIGHT_COLUMNS = (
    *("position", "color", "radius", "intensity", "angle", "cone", "softness", "flicker"),
    *("flicker_rate", "seed", "height", "visible", "shadows"),
)


class Lamps(Rows):
    parts = (fw.Lights2D, fw.Light2D)
    columns = ("position", "angle", "color", "visible", "shadows")

    def copy(self, other: Any) -> None:
        walls = other.add(fw.SpriteBatch(self.image))
        copy_rows(self.walls, walls, SPRITE_COLUMNS)
        batch = other.add(fw.Lights2D())
        copy_rows(self.batch, batch, LIGHT_COLUMNS)
        batch.walls = [walls] if len(self.batch.walls) else []
        copy_attributes(self.batch, batch, ("ambient", "resolution"))

    def setup(self) -> None:
        self.image = self.dice.image()
        self.walls = self.game.add(fw.SpriteBatch(self.image, 1))
        self.walls.position[:] = 50, 40
        self.batch = self.game.add(fw.Lights2D(ambient=(0.4, 0.4, 0.5)))
        self.batch.add((30, 30), radius=40, flicker=0.3)
        self.batch.add_walls(self.walls)

    def value(self, name: str) -> Any:
        return self.dice.rgb() if name == "color" else super().value(name)

    def do_wall(self) -> None:
        if len(self.walls) < 5:
            self.walls.add(position=self.dice.point())
        else:
            self.walls.remove([0])

    def do_move_wall(self) -> None:
        self.walls.position += self.dice.between(-5, 5)

    def do_ambient(self) -> None:
        self.batch.ambient = self.dice.rgb()

    def do_light(self) -> None:
        if len(self.batch):
            light = self.batch[self.dice.below(len(self.batch))]
            light.radius = self.dice.between(5, 60)
            light.cone = self.dice.choice((1.0, 6.28))
            light.intensity = self.dice.between(0, 2)
            light.softness = self.dice.choice((0.0, 3.0))

    def do_walls(self) -> None:
        self.batch.walls = self.dice.choice(([], [self.walls]))

    def do_resolution(self) -> None:
        self.batch.resolution = self.dice.choice((1.0, 0.5))


# Letters that a camera magnified more than 1.1 times stay fine for 60 ticks, by design. An image
# then depends on earlier images.
ZOOMS = (0.5, 1.0, 1.1)


class Eye(Player):
    parts = (fw.Camera2D, fw.Follow, fw.FollowAll)

    def setup(self) -> None:
        self.image = self.dice.image()
        self.batch = self.game.add(fw.SpriteBatch(self.image, 3))
        self.batch.position[:] = [self.dice.point() for _ in range(3)]
        self.camera = self.game.camera
        self.shaking = 0  # ticks

    def can_copy(self) -> bool:
        """Whether the camera no longer shakes."""
        return not self.shaking

    def copy(self, other: Any) -> None:
        copy_rows(self.batch, other.add(fw.SpriteBatch(self.image)), SPRITE_COLUMNS)

    def update(self, dt: float) -> None:
        self.shaking = max(self.shaking - 1, 0)
        self.batch.position += self.dice.between(-2, 2)

    def do_move(self) -> None:
        if self.camera.controller is None:
            self.camera.position = self.dice.point()

    def do_zoom(self) -> None:
        if not isinstance(self.camera.controller, fw.FollowAll):
            self.camera.zoom = self.dice.choice(ZOOMS)
        self.camera.angle = self.dice.choice((0.0, 0.0, 0.3))

    def do_shake(self) -> None:
        ticks = self.dice.below(1, 30)
        self.camera.shake(self.dice.between(0, 6), ticks, seed=self.dice.below(9))
        self.shaking = max(self.shaking, ticks + 2)

    def do_follow(self) -> None:
        if len(self.batch):
            row = self.batch[self.dice.below(len(self.batch))]
            self.camera.follow(row, smoothing=self.dice.choice((0.0, 0.5)))

    def do_follow_options(self) -> None:
        if len(self.batch):
            dead_zone = self.dice.choice((0.0, 8.0))
            bounds = self.dice.choice((None, (0, 0, 99, 80)))
            follow = fw.Follow(
                self.camera, self.batch[0], dead_zone=dead_zone, bounds=bounds, look_ahead=0.2
            )
            self.camera.controller = follow

    def do_follow_all(self) -> None:
        targets = list(self.batch)
        if targets:
            self.camera.controller = fw.FollowAll(
                self.camera, targets, margin=5, max_zoom=1.1, smoothing=0.3
            )

    def do_let_go(self) -> None:
        self.camera.follow(None)

    def do_remove(self) -> None:
        if len(self.batch) > 1:
            self.batch.remove([self.dice.below(len(self.batch))])

    def do_add(self) -> None:
        if len(self.batch) < 5:
            self.batch.add(position=self.dice.point())

    def do_teleport(self) -> None:
        self.camera.teleport()
