"""Physics: boats float, because a force pushes bodies up in water (buoyancy)."""

import numpy as np

import framework as fw


class Boats(fw.Game):
    def setup(self):
        self.background = "#ffd6a5"
        self.physics = fw.Physics2D(self, gravity=(0, -600))
        self.physics.add_line([(0, 900), (0, 0), (960, 0), (960, 900)], radius=5)
        self.crates = self.add(fw.SpriteBatch(fw.art.crate, 6))
        self.crates.position[:] = self.random.uniform((100, 350), (860, 700), (6, 2))
        self.bodies = self.physics.add(self.crates)
        drop = np.full((1, 4, 4), 255, np.uint8)
        self.water = self.add(fw.SpriteBatch(drop, 240, anchor=(2, 0), smooth_edges=False))
        self.water.position[:, 0] = np.arange(240) * 4 + 2
        self.water.color = "#0077b6b0"
        self.waves = 10.0
        self.labels.add("Click: a crate. Space: waves.", (480, 10), anchor="bottom")

    def surface(self, x):
        return 230 + self.waves * np.sin(x / 90 + self.tick / 30)

    def update(self, dt):
        if self.mouse.just_pressed("left"):
            self.crates.add(position=self.mouse.position)
        if self.keys.just_pressed("space"):
            self.tween(self, waves=40, duration=2, repeat=2, ping_pong=True, ease="in_out_sine")
        x, y = self.crates.position.T
        depth = np.clip((self.surface(x) - y + 32) / 64, 0, 1)  # how much of it is under water
        self.bodies.force[:] = -3 * depth[:, None] * self.bodies.velocity
        self.bodies.force[:, 1] += 1400 * depth
        self.bodies.torque[:] = -3000 * depth * self.bodies.angular_velocity
        self.water.scale[:, 1] = self.surface(self.water.position[:, 0])


if __name__ == "__main__":
    fw.run(Boats, resolution=(960, 540))
