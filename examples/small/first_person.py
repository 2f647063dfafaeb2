"""3D: walk through a maze and look around with the mouse."""

import numpy as np

import framework as fw

MAZE = ["############", "#.##.#.###.#", "#......#...#", "######.#.#.#", "############"]


class FirstPerson(fw.Game):
    def setup(self):
        self.world.sky = self.world.shadows = True
        walls = np.array([[letter == "#" for letter in row] for row in MAZE])
        self.grid = fw.collide.TileGrid(walls, 2)
        bricks = fw.Texture(fw.art.tiles[3], filter="nearest")
        blocks = self.add(fw.MeshBatch(fw.Mesh.cube(2), material=fw.Material(base_texture=bricks)))
        for cell in np.argwhere(walls).tolist():
            x, y = self.grid.cell_center(cell)
            blocks.add(position=(x, 1, -y))
        grass = fw.Material("#6a994e")
        self.add(fw.MeshBatch(fw.Mesh.plane((99, 99)), 1, material=grass))
        self.fly = fw.Fly(self.world.camera, (3, 1.2, -5), yaw=-1.4)
        self.labels.add(
            "W A S D: walk. Drag with the right button: look.", (480, 12), anchor="bottom"
        )

    def update(self, dt):
        old_x, _, old_z = self.fly.position
        self.fly.update(dt, self.keys, self.mouse)
        motion = self.fly.position[0] - old_x, old_z - self.fly.position[2]
        (x, y), _ = fw.collide.move((old_x, -old_z), (0.8, 0.8), motion, self.grid)
        self.fly.position = x, 1.2, -y  # the walls stop the camera


if __name__ == "__main__":
    fw.run(FirstPerson, resolution=(960, 540))
