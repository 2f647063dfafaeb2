"""The picture of characters in docs/physics.md: a hero rides a lift, and pushes crates down stairs.

framework run docs/pictures/characters.py --headless --frames 2 --screenshot docs/pictures/characters.png
"""

import numpy as np

import framework as fw

SIZE = 960, 540
TICKS = 380
BETWEEN = 25  # ticks between two copies of the hero
LIFT_TICKS = 150
COLORS = "#3f7fbf", "#e0604c"  # of the first and of the last hero


def meadow():
    """Return an image of grass in many shades of green."""
    shades = np.random.default_rng(3).integers(-9, 10, (512, 512, 3))
    image = np.full((512, 512, 4), 255, np.uint8)
    image[..., :3] = np.array((138, 154, 122)) + shades
    return image


class Ride(fw.Game):
    def __init__(self, **options):
        super().__init__(**({"size": SIZE} | options))

    def setup(self):
        self.world.sky = self.world.shadows = True
        self.world.camera.position = 2.0, 4.6, 12
        self.world.camera.look_at((2.0, 1.8, 0))
        self.physics = fw.Physics3D(self)
        ground = self.add_boxes("#ffffff", ((0, -0.5, 0), (60, 1, 30)))
        ground.material.base_texture = meadow()
        self.add_boxes("#a0a8b8", ((4.5, 1.5, 0), (6, 3, 3)), *self.stairs())
        self.crates = self.add(fw.MeshBatch(fw.Mesh.cube(), 3, material=fw.Material("#b5713f")))
        self.crates.position[:] = [(5, 3.5, 0), (6.2, 3.5, 0.2), (6.1, 4.5, 0.2)]
        self.physics.add(self.crates, mass=10)
        self.lift = self.add(fw.MeshBatch(fw.Mesh.box((2, 0.25, 2.4)), 1))[0]
        self.lift.position = -7, 0.6, 0
        self.lift.color = fw.srgb("#d9a441") + (1,)
        self.physics.add(self.lift, kind="kinematic")
        self.trail = self.add(fw.MeshBatch(fw.Mesh.box((2, 0.25, 2.4))))
        self.heroes = self.add(fw.MeshBatch(fw.Mesh.capsule(0.35, 1.4)))
        self.hero = self.heroes.add(position=(-7, 1.45, 0))
        self.physics.add(self.hero, shape="capsule", kind="kinematic", mass=80)
        self.walker = self.physics.character(self.hero)
        self.copies = []
        for _ in range(TICKS):
            self.physics.advance(1 / 60)
            self.go(1 / 60)
        first, last = (np.array(fw.srgb(color)) for color in COLORS)
        shares = np.linspace(0, 1, max(len(self.copies), 2))[:, None]
        for share, (position, lift) in zip(shares, self.copies, strict=False):
            color = (*(first + share[0] * (last - first)), 1.0)
            self.heroes.add(position=position, color=color)
            self.trail.add(position=lift, color=(0.75, 0.5, 0.12, 1))
        self.hero.color = (*last, 1.0)
        for batch in (self.heroes, self.trail, self.crates):
            batch.teleport(slice(None))
        self.lift.teleport()

    def stairs(self):
        return [((7.75 + n * 0.5, 1.35 - n * 0.15, 0), (0.5, 2.7 - n * 0.3, 3)) for n in range(8)]

    def add_boxes(self, color, *boxes):
        batch = self.add(fw.MeshBatch(fw.Mesh.cube(), len(boxes), material=fw.Material(color)))
        batch.position[:], batch.scale[:] = (
            np.array(values) for values in zip(*boxes, strict=True)
        )
        self.physics.add(batch, kind="static")
        return batch

    def go(self, dt):
        """Move the lift up along a slope, then walk to the right."""
        self.time = getattr(self, "time", 0) + 1
        share = min(max(self.time - 20, 0) / LIFT_TICKS, 1)
        self.lift.position = -7 + 7.4 * share, 0.6 + 2.27 * share, 0
        walks = 3.0 if share == 1 else 0.0
        fall = 0.0 if self.walker.on_floor else -5 * dt
        self.walker.move((walks * dt, fall, 0), dt)
        if self.time % BETWEEN == 1:
            self.copies.append((tuple(self.hero.position), tuple(self.lift.position)))


if __name__ == "__main__":
    fw.run(Ride)
