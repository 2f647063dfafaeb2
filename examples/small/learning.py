"""Programs: rockets learn by trying. The best rockets of each generation have descendants."""

import numpy as np

import framework as fw

COUNT = 80  # rockets. Each has 12 pushes, and each push takes 12 ticks


class Learning(fw.Game):
    def setup(self):
        self.add(fw.Shapes()).add_box((480, 270), (200, 40), corner=20, color="#5a6b9a")
        self.star = self.sprites.add(fw.art.star, position=(720, 430))
        self.rockets = self.add(fw.SpriteBatch(fw.art.ship, COUNT, columns="velocity"))
        self.rockets.scale[:] = 0.5
        self.pushes = self.random.normal(0, 400, (COUNT, 12, 2))
        self.label = self.labels.add("", (480, 14), anchor="bottom")
        self.begin()

    def begin(self):
        self.rockets.position[:], self.rockets.velocity[:] = (240, 90), 0
        self.nearest, self.age = np.full(COUNT, 1000.0), 0

    def update(self, dt):
        position, velocity = self.rockets.position, self.rockets.velocity
        velocity += self.pushes[:, self.age // 12] * dt
        velocity[(abs(position - (480, 270)) < (110, 30)).all(axis=1)] = 0  # hit the wall
        position += velocity * dt
        self.rockets.angle = np.arctan2(-velocity[:, 0], velocity[:, 1])
        self.nearest = np.minimum(self.nearest, np.hypot(*(position - self.star.position).T))
        self.label.text = f"{(self.nearest < 30).sum()} of {COUNT} reached the star"
        self.age += 1
        if self.age == 144:
            best = self.random.choice(self.nearest.argsort(kind="stable")[: COUNT // 5], COUNT)
            self.pushes = self.pushes[best] + self.random.normal(0, 60, self.pushes.shape)
            self.begin()


if __name__ == "__main__":
    fw.run(Learning, resolution=(960, 540), background="#0b1026")
