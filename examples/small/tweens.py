"""Motion: tweens move, turn, scale and color sprites over some time."""

import math

import framework as fw


class Tweens(fw.Game):
    def setup(self):
        self.background = "#2b2d42"
        self.balls = self.add(fw.SpriteBatch("../art/ball.png", 8))
        self.balls.position[:] = (480, -60)
        self.balls.scale[:] = 1.8
        self.deal(range(8))
        self.star = self.sprites.add(fw.art.star, position=(480, 140))
        forever = {"repeat": math.inf, "ping_pong": True, "ease": "in_out_sine"}
        self.tween(self.star, scale=1.6, duration=0.7, **forever)
        self.labels.add("Space: shuffle. Click: call the star.", (480, 14), anchor="bottom")

    def deal(self, order):
        for number, ball in zip(order, self.balls, strict=True):
            self.tween(ball, color=(*self.random.uniform(0.4, 1, 3), 1), duration=1.2)
            up = self.tween(ball, position=(480, 450), duration=0.4, ease="in_out_quad")
            place = 130 + 100 * int(number), 330
            up.then(ball, position=place, duration=0.8, ease="out_back")  # and then there

    def update(self, dt):
        if self.keys.just_pressed("space"):
            self.deal(self.random.permutation(8))
        if self.mouse.just_pressed("left"):
            self.tween(self.star, position=self.mouse.position, duration=0.8, ease="out_elastic")


if __name__ == "__main__":
    fw.run(Tweens, resolution=(960, 540))
