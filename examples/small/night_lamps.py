"""3D: lamps and metal at night."""

import math

import framework as fw

LAMPS = {"#ff8c42": (-3, 2.6, -2), "#4cc9f0": (3, 2.2, -3), "#f72585": (0, 2.4, 3)}
MESHES = [fw.Mesh.sphere(1), fw.Mesh.torus(0.9, 0.35), fw.Mesh.cone(0.9, 2), fw.Mesh.cube(1.5)]


class NightLamps(fw.Game):
    def setup(self):
        world = self.world
        world.sun_color = (0.05, 0.06, 0.12)
        world.sky_color = (0.08, 0.08, 0.12)
        stone = fw.Material("#8d99ae", roughness=0.5)
        self.add(fw.MeshBatch(fw.Mesh.plane((80, 80)), 1, material=stone))
        silver = fw.Material("#e0e0e8", metallic=0.6, roughness=0.35)
        self.batches = [self.add(fw.MeshBatch(mesh, 1, material=silver)) for mesh in MESHES]
        for number, batch in enumerate(self.batches):
            batch.position[:] = 2 * math.cos(1.57 * number), 1.1, 2 * math.sin(1.57 * number)
        self.lamps = []
        for color, place in LAMPS.items():
            bulb = fw.Material("black", emissive=fw.srgb(color))
            ball = self.add(fw.MeshBatch(fw.Mesh.sphere(0.2), material=bulb)).add(position=place)
            light = world.lights.add(place, color, intensity=20, range=16)
            self.lamps.append((ball, light))
        self.orbit = fw.Orbit(world.camera, target=(0, 1, 0), distance=8, pitch=0.4)
        self.labels.add("Drag: turn", (480, 12), anchor="bottom")

    def update(self, dt):
        self.orbit.update(dt, self.keys, self.mouse)
        for number, (ball, light) in enumerate(self.lamps):
            angle = self.tick * dt + 2.1 * number
            light.position = 3.4 * math.cos(angle), 2.4, 3.4 * math.sin(angle)
            ball.position = light.position


if __name__ == "__main__":
    fw.run(NightLamps, resolution=(960, 540))
