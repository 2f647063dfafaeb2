"""Physics: crates fall, stack and tumble. Needs `pip install 'subtick[physics]'`."""

import framework as fw


class Crates(fw.Game):
    def setup(self):
        self.background = "#f2e8cf"
        self.physics = fw.Physics2D(self, gravity=(0, -900))
        self.physics.add_line([(0, 2000), (0, 60), (960, 60), (960, 2000)], radius=4)
        self.add(fw.Shapes()).add_box((480, 30), (960, 64), color="#6a994e")
        self.crates = self.add(fw.SpriteBatch(fw.art.crate))
        for row in range(5):
            for column in range(6 - row):
                self.crates.add(position=(560 + 66 * column + 33 * row, 100 + 64 * row))
        self.bodies = self.physics.add(self.crates)
        self.balls = self.add(fw.SpriteBatch(fw.art.ball))
        self.balls.add(position=(100, 200))
        self.ball_bodies = self.physics.add(self.balls, shape="circle", mass=4, elasticity=0.4)
        self.labels.add("Click: throw a ball", (480, 8), anchor="bottom", color="#344")

    def on_mouse_press(self, x, y, button, modifiers):
        ball = self.balls.add(position=(60, 160))
        self.ball_bodies.velocity[ball.row] = 1.6 * (x - 60), 1.6 * (y - 160) + 150
        fw.art.sounds.jump.play()


if __name__ == "__main__":
    fw.run(Crates, resolution=(960, 540))
