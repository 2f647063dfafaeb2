"""Physics: joints hold a bridge of planks, until too many balls are on it."""

import framework as fw


class Bridge(fw.Game):
    def setup(self):
        self.background = "#cfe8ef"
        self.physics = fw.Physics2D(self, gravity=(0, -900))
        planks = self.add(fw.Shapes())
        self.planks = [
            planks.add_box((218 + 58 * n, 218), (54, 14), corner=5, color="#b5651d")
            for n in range(10)
        ]
        self.physics.add(planks, size=(54, 14), mass=2)
        cliffs = self.add(fw.Shapes())
        left = cliffs.add_box((80, 108), (220, 220), corner=8, color="#8d6e63")
        right = cliffs.add_box((880, 108), (220, 220), corner=8, color="#8d6e63")
        self.physics.add(cliffs, size=(220, 220), kind="static")
        ends = [left, *self.planks, right]
        for first, second, n in zip(ends, ends[1:], range(11), strict=False):
            self.physics.pivot(first, second, (190 + 58 * n, 218), break_force=150_000)
        self.balls = self.add(fw.SpriteBatch(fw.art.ball))
        self.bodies = self.physics.add(self.balls, shape="circle", mass=4, elasticity=0.3)
        self.weight = self.balls.add(position=(700, 480))
        self.rope = self.add(fw.Shapes()).add_line((480, 530), (700, 480), 4, color="#5d4037")
        self.physics.pin(None, self.weight, (480, 530))
        self.labels.add("Click: drop a ball", (480, 10), anchor="bottom", color="#344")

    def update(self, dt):
        if self.mouse.just_pressed("left"):
            self.balls.add(position=self.mouse.position)
        self.balls.remove(self.balls.position[:, 1] < -50)
        self.rope.connect((480, 530), self.weight.position)
        if self.physics.broken_joints:
            fw.art.sounds.die.play()


if __name__ == "__main__":
    fw.run(Bridge, resolution=(960, 540))
