"""Sound: a function computes the sound of an engine while the car drives."""

import numpy as np

import framework as fw


class Engine(fw.Game):
    not_state = ("turns",)  # only the sound uses the turns of the engine

    def setup(self):
        hills = {"scale": 2, "parallax": (0.3, 1), "repeat": (True, False), "color": "#e76f51"}
        self.add(fw.Backdrop("../art/far.png", (0, 130), **hills))
        self.add(fw.Shapes(), camera=self.hud).add_box((480, 75), (960, 150), color="#3d405b")
        mark = np.full((8, 200, 4), 255, np.uint8)
        mark[:, 100:] = 0
        self.add(fw.Backdrop(mark, (0, 70), repeat=(True, False), color="#f2cc8f"))
        self.car = self.add(fw.SpriteBatch(fw.art.enemy, 1))[0]
        self.car.position = (480, 120)
        self.car.scale = 1.6
        self.camera.follow(self.car, offset=(0, 150))
        self.speed = 100.0
        self.turns = 0.0
        fw.SoundStream(self.samples).play(volume=0.3)
        self.label = self.labels.add("", (480, 500), font_size=28, anchor="center")

    def samples(self, first, count):  # 48,000 samples per second
        turns = self.turns + np.arange(count + 1) * (30 + self.speed / 8) / 48_000
        self.turns = turns[-1] % 1.0
        return np.tanh(3 * np.sin(2 * np.pi * turns[:-1]))

    def update(self, dt):
        speed = self.speed + 500 * self.keys.axis("left", "right") * dt
        self.speed = min(max(speed, 0), 1200)
        self.car.x += self.speed * dt
        self.label.text = f"Left, right: {self.speed:.0f} units per second"


if __name__ == "__main__":
    fw.run(Engine, resolution=(960, 540), background="#f4a261")
