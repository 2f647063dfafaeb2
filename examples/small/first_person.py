"""3D: walk through a maze and look around with the mouse."""

import numpy as np

import framework as fw

MAZE = """
############
#....#.....#
#.##.#.###.#
#..#...#...#
##.#####.#.#
#......#.#.#
#.####...#.#
############
""".split()


class FirstPerson(fw.Game):
    def setup(self):
        self.world.sky = True
        walls = np.array([[letter == "#" for letter in row] for row in MAZE])
        self.grid = fw.collide.TileGrid(walls, 2)
        bricks = fw.Material(base_texture=fw.Texture(fw.art.tiles[3], filter="nearest"))
        blocks = self.add(fw.MeshBatch(fw.Mesh.cube(2), material=bricks))
        for cell in np.argwhere(walls).tolist():
            x, y = self.grid.cell_center(cell)
            blocks.add(position=(x, 1, -y))
        grass = fw.Material("#6a994e", roughness=1)
        self.add(fw.MeshBatch(fw.Mesh.plane((99, 99)), 1, material=grass))
        self.fly = fw.Fly(self.world.camera, position=(3, 1.2, -3), yaw=-1.57, look_button=None)
        self.display.mouse_captured = True
        self.labels.add("W A S D: walk. Mouse: look.", (480, 12), anchor="bottom")

    def update(self, dt):
        before = np.array(self.fly.position)
        self.fly.update(dt, self.keys, self.mouse)
        x, _, z = self.fly.position - before
        [(x, y)], _ = fw.collide.move([before[[0, 2]] * (1, -1)], (0.7, 0.7), [(x, -z)], self.grid)
        self.fly.position = x, 1.2, -y  # the walls stop the camera


if __name__ == "__main__":
    fw.run(FirstPerson, resolution=(960, 540))
