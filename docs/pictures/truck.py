"""The picture of a truck in docs/physics.md: a truck drives over bumps, and jumps from a ramp.

framework run docs/pictures/truck.py --headless --frames 2 --screenshot docs/pictures/truck.png
"""

import numpy as np

import framework as fw
from framework import quaternions

SIZE = 960, 540
TICKS = 320
BETWEEN = 27  # ticks between two copies of the truck
WHEELS = [(x, 0, z) for z in (1.5, -1.4) for x in (0.95, -0.95)]
SIDEWAYS = quaternions.from_vectors(np.array([(0, np.pi / 2, 0)]))[0]


def road():
    """Return the heights of a road along x, with two bumps and a ramp, below a bank."""
    z, x = np.mgrid[-40:41, -60:61]
    bumps = sum(0.35 * np.exp(-(((x - at) / 1.5) ** 2)) for at in (-17, -9))
    ramp = np.where((x >= -5) & (x <= 2), (x + 5) * 0.25, 0)
    return np.clip((-z - 5) / 7, 0, 2) ** 2 * 1.5 + (bumps + ramp) * (abs(z) < 6)


class Jump(fw.Game):
    def __init__(self, **options):
        super().__init__(**({"size": SIZE} | options))

    def setup(self):
        self.world.sky = self.world.shadows = True
        self.world.camera.position = 5, 4.5, 15.5
        self.world.camera.look_at((3, 1.4, 0))
        self.physics = fw.Physics3D(self, substeps=2)
        hills = fw.Heightfield(road())
        self.physics.add_static(hills)
        mesh = hills.mesh()
        on_road = abs(mesh.positions[:, 2]) < 5
        colors = np.where(on_road[:, None], fw.srgb("#77757a"), fw.srgb("#7f9158"))
        shades = np.random.default_rng(3).uniform(0.8, 1.1, (len(colors), 1))
        self.add(fw.MeshBatch(mesh.with_color(colors * shades), 1))
        bed = fw.Mesh.box((1.8, 0.5, 4.2)).with_color("#b0402f")
        cabin = fw.Mesh.box((1.7, 1, 1.3)).transformed((0, 0.75, 0.8)).with_color("#e0604c")
        self.trucks = self.add(fw.MeshBatch(fw.Mesh.merged(bed, cabin)))
        self.truck = self.trucks.add(position=(-30, 0.9, 0), rotation=SIDEWAYS)
        self.physics.add(self.truck, size=(1.8, 0.5, 4.2), mass=1200)
        self.vehicle = self.physics.vehicle(
            self.truck, WHEELS, radius=0.45, suspension=0.5, stiffness=30, travel=0.4, grip=1.6
        )
        axle = quaternions.from_vectors(np.array([(0, 0, np.pi / 2)]))[0]
        wheel = fw.Mesh.cylinder(0.45, 0.35, 20).transformed(rotation=axle)
        self.wheels = self.add(fw.MeshBatch(wheel, material=fw.Material("#2b2b33")))
        for tick in range(TICKS):
            self.vehicle.drive(3000 if self.vehicle.speed < 12 else 0)
            self.physics.advance(1 / 60)
            if self.truck.position[0] > -13 and tick % BETWEEN == 0:
                self.add_copy()
        self.truck.remove()

    def add_copy(self):
        """Add a copy of the truck and of its wheels, as they are now."""
        self.trucks.add(position=self.truck.position, rotation=self.truck.rotation)
        for position, rotation in zip(*self.vehicle.poses(), strict=True):
            self.wheels.add(position=position, rotation=rotation)


if __name__ == "__main__":
    fw.run(Jump)
