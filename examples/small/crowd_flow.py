"""Collisions: a flow field leads a crowd around walls to the mouse."""

import numpy as np

import framework as fw
from framework import paths


class CrowdFlow(fw.Game):
    def setup(self):
        self.background = "#26323f"
        walls = np.zeros((27, 48), bool)
        for row, column in self.random.integers((2, 2), (22, 42), (26, 2)).tolist():
            walls[row : row + 2, column : column + 6] = True
        self.grid = fw.collide.TileGrid(walls, 20)
        blocks = self.add(fw.Shapes())
        for cell in np.argwhere(walls).tolist():
            blocks.add_box(self.grid.cell_center(cell), (20, 20), color="#4f6478")
        images = fw.sheet("../art/puffs.png", (32, 32), columns=6, rows=1)
        self.crowd = self.add(fw.SpriteBatch(images, 300, columns="velocity"))
        free = np.argwhere(~walls)[self.random.integers(0, (~walls).sum(), 300)]
        self.crowd.position[:] = [self.grid.cell_center(cell) for cell in free.tolist()]
        self.crowd.image[:] = self.random.integers(0, 6, 300)
        self.crowd.scale[:] = 0.7
        self.field = paths.FlowField(self.grid, [(480, 270)])
        self.labels.add("Click: call everybody", (480, 10), anchor="bottom", shadow="#000")

    def update(self, dt):
        if self.mouse.just_pressed("left"):
            self.field = paths.FlowField(self.grid, [self.mouse.position])
        crowd = self.crowd
        goal = 110 * self.field.direction(crowd.position)
        crowd.velocity += (goal - crowd.velocity) * 0.15 + self.random.normal(0, 12, (300, 2))
        crowd.position, _ = fw.collide.move(crowd.position, (8, 8), crowd.velocity * dt, self.grid)


if __name__ == "__main__":
    fw.run(CrowdFlow, resolution=(960, 540))
