"""Collisions: guards see the hero only if no wall is between them."""

import numpy as np

import framework as fw

PLACES = [(120, 440), (330, 260), (440, 90), (600, 330), (640, 80), (830, 430), (800, 60)]


class Sight(fw.Game):
    def setup(self):
        self.background = "#2a2438"
        walls = np.zeros((17, 30), bool)
        walls[[0, -1]] = walls[:, [0, -1]] = True
        walls[3:12, 7] = walls[3, 11:18] = walls[9:16, 15] = walls[5:11, 23] = walls[12, 19:26] = (
            True
        )
        bricks = fw.TileSet(fw.art.tiles, (32, 32), solid=[4])
        self.walls = self.add(fw.TileLayer(bricks, np.where(walls, 4, 0)))
        self.rays = self.add(fw.Shapes())
        self.guards = self.add(fw.SpriteBatch(fw.art.enemy, len(PLACES)))
        self.guards.position[:] = PLACES
        self.hero = self.sprites.add(fw.art.walker[0], position=(400, 370), scale=0.7)
        self.labels.add("Arrow keys: hide", (480, 4), anchor="bottom", shadow="#000")

    def update(self, dt):
        motion = self.keys.axis("left", "right"), self.keys.axis("down", "up")
        motion = np.multiply(motion, 220 * dt)
        place, _ = fw.collide.move(self.hero.position, (24, 40), motion, self.walls)
        self.hero.position = place
        seen = fw.paths.line_of_sight(self.walls, self.guards.position, place)
        self.guards.color[:, :3] = np.where(seen[:, None], (1, 0.35, 0.35), (0.6, 0.7, 1))
        self.rays.clear()
        for guard in self.guards.position[seen]:
            self.rays.add_line(guard, place, 3, color="#ff6060aa", dash=(10, 8))


if __name__ == "__main__":
    fw.run(Sight, resolution=(960, 540))
