"""Viewer: shows models and maps, with `framework run viewer FILE.glb`. Without a file, a robot arm.

Drag with the left mouse button to orbit, with the right one to pan. The wheel zooms. Keys 1 to 9
play an animation, 0 none. M chooses a morph target, and left and right change its weight. W shows
wires, L changes the light, G shows a grid, space pauses.

For a map of Tiled or LDtk (`framework run viewer FILE.tmx`), the mouse or the arrows move the
camera and the wheel zooms. Keys 1 to 9 show and hide layers, O shows and hides objects. Page up and
page down change LDtk levels.
"""

import math
import sys

import numpy as np

import framework as fw
from framework import quaternions

UP = (0, 1, 0)
SIDE = (0, 0, 1)


# -- a robot's arm: nodes, parts and two animations ------------------------------------------------


def lifted(mesh, height):
    """Return a mesh moved up."""
    return fw.Mesh(
        mesh.positions + np.array([0, height, 0]), mesh.indices, normals=mesh.normals, uvs=mesh.uvs
    )


def turns(node, axis, times, degrees):
    """Return the animation keys of a node that turns around one of its axes."""
    values = [quaternions.from_axis(axis, math.radians(angle)) for angle in degrees]
    return fw.Channel(node, "rotation", "LINEAR", np.array(times, np.float32), np.array(values))


def robot():
    paint = fw.Material((0.9, 0.28, 0.03), metallic=0.1, roughness=0.35)
    steel = fw.Material((0.55, 0.57, 0.6), metallic=1.0, roughness=0.3)
    dark = fw.Material((0.03, 0.035, 0.045), roughness=0.6)
    glow = fw.Material((0, 0, 0), emissive=(0.2, 1.6, 2.2))
    names = ["robot arm", "waist", "shoulder", "elbow", "wrist", "left finger", "right finger"]
    base, waist, shoulder, elbow, wrist, left, right = range(7)
    arm = fw.Mesh.capsule(0.2, 1.7, 24)
    joint = fw.Mesh.cylinder(0.3, 0.56, 32).transformed_by(
        [[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]]
    )
    parts = [
        fw.Part(lifted(fw.Mesh.cone(1.0, 0.35, 48, top=0.8), 0.175), dark, [base]),
        fw.Part(lifted(fw.Mesh.torus(0.82, 0.03, 48), 0.36), glow, [base]),
        fw.Part(lifted(fw.Mesh.cone(0.62, 0.7, 40, top=0.36), 0.35), paint, [waist]),
        fw.Part(joint, steel, [shoulder, elbow]),
        fw.Part(lifted(arm, 0.75), paint, [shoulder]),
        fw.Part(lifted(fw.Mesh.capsule(0.15, 1.4, 24), 0.6), paint, [elbow]),
        fw.Part(fw.Mesh.sphere(0.24, 32), steel, [wrist]),
        fw.Part(lifted(fw.Mesh.box((0.5, 0.12, 0.3)), 0.26), dark, [wrist]),
        fw.Part(lifted(fw.Mesh.box((0.08, 0.45, 0.2)), 0.22), steel, [left, right]),
    ]
    times = [0, 1, 2, 3, 4]
    reach = [
        turns(waist, UP, times, [0, 60, 60, -50, 0]),
        turns(shoulder, SIDE, times, [-15, -55, -70, -40, -15]),
        turns(elbow, SIDE, times, [-50, -50, -35, -80, -50]),
        turns(wrist, SIDE, times, [-40, -60, -60, -40, -40]),
        turns(left, SIDE, times, [15, 25, -8, -8, 15]),
        turns(right, SIDE, times, [-15, -25, 8, 8, -15]),
    ]
    beat = [0, 0.5, 1, 1.5, 2]
    dance = [
        turns(waist, UP, beat, [-40, 0, 40, 0, -40]),
        turns(shoulder, SIDE, beat, [25, -10, 25, -10, 25]),
        turns(elbow, SIDE, beat, [-70, -20, -70, -20, -70]),
        turns(wrist, UP, beat, [0, 90, 180, 270, 360]),
    ]
    poses = [
        quaternions.from_axis(SIDE, math.radians(angle)) for angle in (0, 0, -15, -50, -40, 15, -15)
    ]
    return fw.Model.of(
        parts,
        names=names,
        parent=[-1, base, waist, shoulder, elbow, wrist, wrist],
        position=[
            (0, 0, 0),
            (0, 0.35, 0),
            (0, 0.8, 0),
            (0, 1.55, 0),
            (0, 1.3, 0),
            (-0.18, 0.3, 0),
            (0.18, 0.3, 0),
        ],
        rotation=poses,
        animations=[fw.Animation("Reach", reach), fw.Animation("Dance", dance)],
    )


# -- maps of tiles ---------------------------------------------------------------------------------


class Maps(fw.Game):
    def setup(self):
        self.level = self.marks = None
        self.told = [self.labels.add("", position=(16, y)) for y in (self.height - 32, 14)]
        self.open_map(None)

    def open_map(self, name):
        """Show a map. For an LDtk file, show the named level."""
        level = fw.TileMap(sys.argv[1], level=name)
        for shown in (
            ()
            if self.level is None
            else (self.level, self.marks, *(batch for batch, *_ in self.things))
        ):
            self.remove(shown)
        self.level = self.add(level)
        self.things = [*self.things_of(level)]
        if level.background is not None:
            self.background = level.background[:3]
        width, height = level.size
        self.camera.position = width / 2, height / 2
        self.camera.zoom = min(self.width / max(width, 1), self.height / max(height, 1), 4)
        self.camera.teleport()
        self.lag()
        for _, _, camera in self.things:
            camera.teleport()
        self.marks = self.add(fw.SpriteBatch(np.full((9, 9, 4), 255, np.uint8), smooth_edges=False))
        for thing in level.objects:
            if thing.image is None:
                self.marks.add(
                    0,
                    position=thing.position,
                    angle=thing.angle,
                    color=(1, 0.5, 0.1, 0.7),
                    visible=False,
                )
        layers = [f"{key} {part.name}" for key, part in enumerate(level.drawn[:9], 1)]
        self.told[0].text = "    ".join(layers)
        path = f"{level.path} {level.name}".rstrip()
        self.told[1].text = f"{path}: {width:g} x {height:g}, {len(level.objects)} objects"

    def things_of(self, level):
        """Return batches of the tile objects, with their layers and cameras. Each batch is drawn
        right above its layer.
        """
        under = -1
        for name in level.names:
            part = level[name]
            if not hasattr(part, "sprites"):
                under = part
                continue
            batch = part.sprites()
            if len(batch):
                camera = self.camera if part.parallax == (1, 1) else fw.Camera2D(self.size)
                yield self.add(batch, layer=under, camera=camera), part, camera

    def lag(self):
        """Move the cameras of layers with a parallax by a fraction of the main camera's motion."""
        for _, part, camera in self.things:
            if camera is not self.camera:
                origin = np.array(part.parallax_origin)
                camera.zoom = self.camera.zoom
                camera.position = origin + (self.camera.position - origin) * part.parallax

    def update(self, dt):
        camera = self.camera
        mouse = self.mouse
        step = 600 * dt / camera.zoom
        x, y = camera.position
        x += step * self.keys.axis("left", "right")
        y += step * self.keys.axis("down", "up")
        if mouse["left"] or mouse["right"]:
            x -= mouse.dx / camera.zoom
            y -= mouse.dy / camera.zoom
        camera.position = x, y
        if mouse.scroll_y:
            self.zoom_by(1.25**mouse.scroll_y)
        self.lag()

    def zoom_by(self, factor):
        """Zoom so that the point under the mouse stays under the mouse."""
        before = self.camera.screen_to_world(self.mouse.position)
        self.camera.zoom = min(max(self.camera.zoom * factor, 0.02), 32)
        after = self.camera.screen_to_world(self.mouse.position)
        x, y = self.camera.position
        self.camera.position = x + before[0] - after[0], y + before[1] - after[1]

    def on_key_press(self, symbol, modifiers):
        key = fw.key
        if key._1 <= symbol <= key._9 and symbol - key._1 < len(self.level.drawn):
            part = self.level.drawn[symbol - key._1]
            part.visible = not part.visible
        elif symbol == key.O:
            self.marks.visible = ~self.marks.visible
        elif symbol in (key.PAGEUP, key.PAGEDOWN) and self.level.levels:
            levels = self.level.levels
            step = 1 if symbol == key.PAGEDOWN else -1
            self.open_map(levels[(levels.index(self.level.name) + step) % len(levels)])
        elif symbol == key.SPACE:
            self.timestep.paused = not self.timestep.paused


# -- the viewer ------------------------------------------------------------------------------------


class Viewer(fw.Game):
    def setup(self):
        self.model = fw.Model(sys.argv[1]) if len(sys.argv) > 1 else robot()
        low, high = (np.asarray(corner, float) for corner in self.model.bounds)
        self.middle = (low + high) / 2
        self.radius = float(fw.exact.norm(high - low)) / 2 or 1.0
        self.floor = low[1]
        self.batch = self.add(fw.ModelBatch(self.model))
        self.shown = self.batch.add()
        self.make_stage()
        camera = self.world.camera
        camera.near = self.radius * 0.02
        camera.far = self.radius * 60
        limits = {"min_distance": self.radius * 0.05, "max_distance": self.radius * 20}
        self.orbit = fw.Orbit(camera, self.middle, self.radius * 2.1, yaw=0.6, pitch=0.3, **limits)
        self.names = list(self.model.animations)[:9]
        self.texts = [
            self.labels.add(f"{number}  {name}", position=(20, 470 - 22 * number))
            for number, name in enumerate(["none", *self.names])
        ]
        name = self.model.path.name
        count = self.model.triangle_count
        self.labels.add(f"{name}: {count:,} triangles", position=(20, 500), color=(1, 1, 1))
        self.state = self.labels.add("light", position=(20, 14), color=(0.85, 0.87, 0.93))
        self.targets = list(dict.fromkeys(self.model.morph_names))
        self.target = 0
        self.morph = self.labels.add("", position=(20, 40), color=(0.85, 0.87, 0.93))
        self.light = 0
        self.wires = False
        self.set_light()
        self.play(1 if self.names else 0)

    def make_stage(self):
        """Make a round floor, and a grid of ten steps in each direction."""
        radius = self.radius
        disc = fw.Mesh.cylinder(radius * 4, radius * 0.02, 96)
        stage = self.add(
            fw.MeshBatch(disc, 1, material=fw.Material((0.13, 0.135, 0.15), roughness=0.9))
        )
        stage.position[:] = self.middle[0], self.floor - radius * 0.011, self.middle[2]
        self.grid = self.add(fw.Lines(keep=True))
        self.draw_grid()

    def draw_grid(self):
        tenth = 10 ** math.floor(math.log10(self.radius / 3))
        step = max(part * tenth for part in (1, 2, 5) if part * tenth <= self.radius / 3)
        at = np.arange(-10, 11) * step
        side = np.full(21, 10.0 * step)
        flat = np.full(21, self.floor + self.radius * 0.002)
        along = np.column_stack([at, flat, -side]), np.column_stack([at, flat, side])
        for start, end in (along, tuple(ends[:, [2, 1, 0]] for ends in along)):
            self.grid.add(start, end, (0.3, 0.33, 0.4))

    def set_light(self):
        world = self.world
        radius = self.radius
        world.lights.clear()
        world.shadows = fw.Shadows(distance=radius * 8, cascades=2)
        name, background, sun, direction, sky, ground = [
            (
                "day",
                (0.34, 0.45, 0.58),
                (1.2, 1.12, 1.0),
                (0.5, 0.9, 0.5),
                (0.26, 0.33, 0.42),
                (0.15, 0.14, 0.12),
            ),
            (
                "studio",
                (0.075, 0.08, 0.095),
                (0.6, 0.6, 0.6),
                (0.9, 0.9, 0.4),
                (0.13, 0.135, 0.15),
                (0.08, 0.08, 0.08),
            ),
            (
                "evening",
                (0.25, 0.13, 0.15),
                (1.7, 0.75, 0.3),
                (0.9, 0.3, 0.5),
                (0.15, 0.13, 0.22),
                (0.07, 0.05, 0.05),
            ),
            (
                "night",
                (0.012, 0.016, 0.035),
                (0, 0, 0),
                (0, 1, 0),
                (0.03, 0.04, 0.08),
                (0.01, 0.01, 0.01),
            ),
        ][self.light]
        self.background = background
        world.sun_color = sun
        world.sun_direction = direction
        world.sky_color = sky
        world.ground_color = ground
        if name in ("studio", "night"):
            for angle, color in (
                (0.5, (1.0, 0.75, 0.5)),
                (2.6, (0.4, 0.6, 1.0)),
                (4.4, (0.9, 0.9, 0.9)),
            ):
                position = (
                    self.middle
                    + np.array([fw.exact.sin(angle) * 1.5, 1.1, fw.exact.cos(angle) * 1.5]) * radius
                )
                world.lights.add(
                    position, color, intensity=1.2 if name == "studio" else 1.8, range=radius * 6
                )
        self.tell()

    def play(self, number):
        """Play an animation by its index in the list, or none for 0."""
        if number <= len(self.names):
            self.shown.play(self.names[number - 1] if number else None, fade=0.3)
            for position, text in enumerate(self.texts):
                text.color = (1, 0.85, 0.3) if position == number else (0.9, 0.92, 0.96)

    def tell(self):
        light = ("day", "studio", "evening", "night")[self.light]
        self.state.text = (
            f"L: light, {light}    W: wires    G: grid    space: stop    mouse: drag, wheel"
        )

    def update(self, dt):
        self.orbit.update(dt, self.keys, self.mouse)
        if self.targets:
            self.shape(dt * self.keys.axis("left", "right"))

    def shape(self, change):
        """Change the weight of the chosen morph target. If an animation is playing, it may change
        the weight, too.
        """
        name = self.targets[self.target]
        if change:
            self.shown.set_weight(name, min(max(self.shown.weight(name) + change, 0), 1))
        position = f"{self.target + 1} of {len(self.targets)}"
        text = f"M: morph target {name} ({position})    arrows: {self.shown.weight(name):.2f}"
        if self.morph.text != text:
            self.morph.text = text

    def on_key_press(self, symbol, modifiers):
        key = fw.key
        if key._0 <= symbol <= key._9:
            self.play(symbol - key._0)
        elif symbol == key.W:
            self.wires = not self.wires
            for part in self.model.parts:
                part.material.wireframe = self.wires
        elif symbol == key.L:
            self.light = (self.light + 1) % 4
            self.set_light()
        elif symbol == key.M and self.targets:
            self.target = (self.target + 1) % len(self.targets)
        elif symbol == key.G:
            if len(self.grid):
                self.grid.clear()
            else:
                self.draw_grid()
        elif symbol == key.SPACE:
            self.timestep.paused = not self.timestep.paused


if __name__ == "__main__":
    shows_map = len(sys.argv) > 1 and sys.argv[1].lower().endswith(
        (".tmx", ".tmj", ".json", ".ldtk")
    )
    if shows_map:
        fw.run(Maps, size=(960, 540))
    else:
        fw.run(Viewer, size=(960, 540), resolution=(960, 540), samples=4, exact=True)
