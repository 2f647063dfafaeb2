"""Herd: a crowd of 400 deer that graze on a plain.

While you hold space, the deer run. Drag the mouse to look around, and use the wheel to zoom.

The crowd is drawn in a few calls, and the GPU computes the poses. Each deer has its own animation,
start time and speed.
"""

import math

import numpy as np

import framework as fw
from framework import quaternions

COUNT = 400
FIELD = 70.0  # half the width of the field, in units
UP = (0, 1, 0)
SIDE = (1, 0, 0)
WALK = 1.2  # units per second
RUN = 9.0  # units per second


def swing(node, degrees, end, *, axis=SIDE):
    """Return the animation keys of a node that turns to each of the angles ``degrees``, within
    ``end`` seconds."""
    times = np.linspace(0, end, len(degrees), dtype=np.float32)
    values = [quaternions.from_axis(axis, math.radians(angle)) for angle in degrees]
    return fw.Channel(node, "rotation", "LINEAR", times, np.array(values))


def bounce(node, heights, end):
    times = np.linspace(0, end, len(heights), dtype=np.float32)
    values = np.array([(0, 1.2 + height, 0) for height in heights], np.float32)
    return fw.Channel(node, "translation", "LINEAR", times, values)


def box(size, at=(0, 0, 0)):
    return fw.Mesh.box(size).transformed(at)


def deer():
    """Return a deer made of boxes that looks along +z, with the animations Graze, Walk and Run."""
    fur = fw.Material((0.42, 0.2, 0.08), roughness=0.9)
    pale = fw.Material((0.75, 0.62, 0.45), roughness=0.9)
    dark = fw.Material((0.09, 0.05, 0.03), roughness=0.8)
    names = ["body", "neck", "head", "tail", "leg 1", "leg 2", "leg 3", "leg 4"]
    body, neck, head, tail, *legs = range(8)
    parts = [
        fw.Part(box((0.55, 0.6, 1.5)), fur, [body]),
        fw.Part(box((0.5, 0.3, 1.3), (0, -0.2, 0)), pale, [body]),
        fw.Part(box((0.26, 0.85, 0.3), (0, 0.35, 0)), fur, [neck]),
        fw.Part(box((0.3, 0.3, 0.55), (0, 0.05, 0.18)), fur, [head]),
        fw.Part(box((0.16, 0.16, 0.2), (0, 0, 0.5)), dark, [head]),
        fw.Part(box((0.5, 0.06, 0.12), (0, 0.2, -0.05)), fur, [head]),
        fw.Part(box((0.14, 0.4, 0.12), (0, 0.1, -0.05)), pale, [tail]),
        fw.Part(box((0.16, 0.8, 0.18), (0, -0.35, 0)), fur, legs),
        fw.Part(box((0.14, 0.2, 0.16), (0, -0.85, 0)), dark, legs),
    ]
    diagonal = [(0.2, 0.62), (-0.2, 0.62), (0.2, -0.62), (-0.2, -0.62)]

    def gait(name, angle, end, shift):
        """Return an animation in which the legs swing, each pair a fraction of a cycle later."""
        phases = np.linspace(0, 2 * np.pi, 9)
        turns = [angle * fw.exact.sin(phases + offset) for offset in shift]
        return fw.Animation(
            name,
            [
                *[swing(leg, turn, end) for leg, turn in zip(legs, turns, strict=True)],
                swing(body, 0.12 * angle * fw.exact.sin(phases + 1), end),
                swing(neck, 30 - 0.2 * angle * fw.exact.sin(phases + 1), end),
                bounce(body, 0.004 * angle * fw.exact.sin(phases * 2), end),
            ],
        )

    graze = fw.Animation(
        "Graze",
        [
            swing(neck, [125, 118, 125, 60, 25, 25, 60, 125], 7.0),
            swing(tail, [20, -15, 20] * 3, 7.0),
        ],
    )
    pi = np.pi
    return fw.Model.of(
        parts,
        names=names,
        parent=[-1, body, neck, body, body, body, body, body],
        position=[
            (0, 1.2, 0),
            (0, 0.2, 0.7),
            (0, 0.8, 0.05),
            (0, 0.1, -0.78),
            *[(x, -0.2, z) for x, z in diagonal],
        ],
        animations=[
            graze,
            gait("Walk", 22, 1.1, (0, pi, pi, 0)),
            gait("Run", 52, 0.55, (0, 0.6, pi, pi + 0.6)),
        ],
    )


class Herd(fw.Game):
    def setup(self):
        world = self.world
        world.sky = (0.98, 0.62, 0.32)
        world.sun_direction = (-0.6, 0.32, -0.5)
        world.sun_color = (1.5, 1.0, 0.6)
        world.sky_color = (0.3, 0.28, 0.36)
        world.ground_color = (0.12, 0.1, 0.05)
        world.fog = 0.006
        world.fog_color = (0.9, 0.55, 0.3)
        world.shadows = fw.Shadows(distance=90, resolution=1024, cascades=2)
        self.add(
            fw.MeshBatch(fw.Mesh.plane((900, 900)), 1, material=fw.Material((0.2, 0.24, 0.07)))
        )
        grass = self.add(
            fw.MeshBatch(fw.Mesh.cone(0.12, 0.7, 4), 700, material=fw.Material((0.26, 0.3, 0.08)))
        )
        grass.position[:, ::2] = self.random.uniform(-FIELD, FIELD, (700, 2))
        columns = {"heading": 0.0, "pace": 0.0, "fear": 0.0}
        self.herd = self.add(fw.Crowd(deer(), COUNT, cull=True, columns=columns))
        self.herd.position[:, ::2] = self.random.normal(0, 0.35 * FIELD, (COUNT, 2))
        self.herd.scale = self.random.uniform(0.7, 1.1, (COUNT, 1))
        self.herd.heading = self.random.uniform(-np.pi, np.pi, COUNT)
        self.herd.color[:, :3] = self.random.uniform(0.7, 1.25, (COUNT, 1))
        self.change("Graze", np.ones(COUNT, bool))
        self.camera3d = fw.Orbit(world.camera, (0, 1, 0), 34, yaw=0.5, pitch=0.22)
        self.labels.add("space: run", (16, 16), font_size=18, outline="#5a3f1e", outline_width=3)

    def change(self, name, rows):
        """Let the deer in ``rows`` play another animation. Each deer starts at its own time in
        it."""
        count = int(rows.sum())
        speeds = self.random.uniform(0.85, 1.2, count)
        self.herd.play(
            name, rows, speed=speeds, fade=0.35, start=self.random.uniform(0, 0.5, count)
        )

    def update(self, dt):
        self.camera3d.update(dt, self.keys, self.mouse)
        herd = self.herd
        scared = self.keys.held("space")
        herd.fear += dt * (np.where(scared, 3.0, -0.6) + self.random.uniform(-0.4, 0.4, COUNT))
        herd.fear = np.clip(herd.fear, 0, 2)
        for name, low, high in (("Graze", -1, 0.15), ("Walk", 0.15, 1.0), ("Run", 1.0, 9)):
            others = np.ones(COUNT, bool)
            others[herd.playing(name)] = False
            others &= (herd.fear >= low) & (herd.fear < high)
            if others.any():
                self.change(name, others)
        goal = np.select([herd.fear >= 1.0, herd.fear >= 0.15], [RUN, WALK], 0.0)
        herd.pace += (goal - herd.pace) * min(3 * dt, 1)
        # Running deer turn in one direction, and all deer return to the field.
        wish = np.where(herd.fear > 0.5, 0.8 * fw.exact.sin(0.3 * self.schedule.time), herd.heading)
        far = fw.exact.hypot(herd.position[:, 0], herd.position[:, 2]) > FIELD
        home = fw.exact.arctan2(-herd.position[:, 0], -herd.position[:, 2])
        turn = np.where(far, home, wish) - herd.heading
        herd.heading += (turn - 2 * np.pi * np.rint(turn / (2 * np.pi))) * dt * 1.5
        ways = np.stack(
            [fw.exact.sin(herd.heading), np.zeros(COUNT), fw.exact.cos(herd.heading)], axis=1
        )
        herd.position += ways * (herd.pace * dt)[:, None]
        herd.rotation = quaternions.from_vectors(herd.heading[:, None] * np.array([UP]))


if __name__ == "__main__":
    fw.run(Herd, title="Herd")
