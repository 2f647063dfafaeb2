"""3D: lamps, shadows, smoke and materials at night."""

import math

import framework as fw

LAMPS = [((-4, 2.2, -2), "#ff8c42"), ((4, 2.2, -3), "#4cc9f0"), ((0, 2.2, 4), "#f72585")]


class NightLamps(fw.Game):
    def setup(self):
        world = self.world
        world.sky = 0.01, 0.012, 0.03
        world.sun_color, world.sky_color, world.ground_color = (
            (0.05, 0.06, 0.1),
            (0.02,) * 3,
            (0.01,) * 3,
        )
        stone = fw.Material("#8d99ae", roughness=0.6)
        self.add(fw.MeshBatch(fw.Mesh.plane((60, 60)), 1, material=stone))
        shapes = (
            fw.Mesh.sphere(1),
            fw.Mesh.torus(0.9, 0.35),
            fw.Mesh.cone(0.9, 2),
            fw.Mesh.cube(1.5),
        )
        metal = fw.Material("#d4af37", metallic=1, roughness=0.3)
        self.batches = [self.add(fw.MeshBatch(mesh, 1, material=metal)) for mesh in shapes]
        for number, batch in enumerate(self.batches):
            batch.position[:] = 2.2 * math.cos(1.57 * number), 1.1, 2.2 * math.sin(1.57 * number)
        for place, color in LAMPS:
            world.lights.add(place, color, intensity=14, range=14)
            bulb = fw.Material("black", emissive=fw.srgb(color))
            self.add(fw.MeshBatch(fw.Mesh.sphere(0.2), material=bulb)).add(position=place)
        self.add(fw.Particles3D.smoke(lit=True)).emitter((0, 0, 0), 8, prewarm=4)
        self.orbit = fw.Orbit(world.camera, target=(0, 1, 0), distance=10, pitch=0.3)
        self.effects = [fw.Bloom(0.5)]
        self.labels.add("Drag: turn", (480, 12), anchor="bottom")

    def update(self, dt):
        self.orbit.turn(0.2 * dt, 0)
        self.orbit.update(dt, self.keys, self.mouse)


if __name__ == "__main__":
    fw.run(NightLamps, resolution=(960, 540))
