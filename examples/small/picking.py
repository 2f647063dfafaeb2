"""3D: click on cubes. A ray from the mouse finds the first cube."""

import framework as fw


class Picking(fw.Game):
    def setup(self):
        world = self.world
        world.sky = world.shadows = True
        floor = fw.Material("#5c6b73", roughness=1)
        self.add(fw.MeshBatch(fw.Mesh.plane((60, 60)), 1, material=floor))
        self.cubes = self.add(fw.MeshBatch(fw.Mesh.cube(0.8), 25))
        for number, cube in enumerate(self.cubes):
            cube.position = number % 5 - 2, 0.4, number // 5 - 2
        self.cubes.color = "#9db4c0"
        self.orbit = fw.Orbit(world.camera, target=(0, 0.5, 0), distance=7, pitch=0.6, yaw=0.5)
        self.labels.add("Click: lift a cube. Drag: turn. Wheel: zoom.", (480, 12), anchor="bottom")

    def update(self, dt):
        self.orbit.update(dt, self.keys, self.mouse)
        hit = self.cubes.pick(*self.world.camera.screen_ray(self.mouse.position))
        if hit and self.mouse.just_pressed("left"):
            self.tween(hit.instance, y=0.8, duration=0.5, ease="out_back", relative=True)
            self.tween(hit.instance, color="#e07a5f", duration=0.3)
            fw.art.sounds.blip.play()


if __name__ == "__main__":
    fw.run(Picking, resolution=(960, 540))
