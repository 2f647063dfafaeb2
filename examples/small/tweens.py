"""Motion: tweens move, turn, scale and color sprites over some time."""

import math

import framework as fw


class Tweens(fw.Game):
    def setup(self):
        self.background = "#2b2d42"
        self.cards = self.add(fw.SpriteBatch(fw.art.heart, 8))
        self.cards.position[:] = 480, -60
        self.deal(range(8))
        self.star = self.sprites.add(fw.art.star, position=(480, 140))
        forever = {"repeat": math.inf, "ping_pong": True, "ease": "in_out_sine"}
        self.tween(self.star, scale=1.6, duration=0.7, **forever)
        self.labels.add("Space: shuffle. Click: call the star.", (480, 14), anchor="bottom")

    def deal(self, order):
        for number, card in zip(order, self.cards, strict=True):
            place = 130 + 100 * int(number), 330
            color = (*self.random.uniform(0.4, 1, 3), 1)
            first = self.tween(card, position=(480, 450), duration=0.4, ease="in_out_quad")
            first.then(card, color=color, duration=0.2).then(
                card, position=place, angle=math.tau, duration=0.8, ease="out_back", relative=False
            )
            card.angle = 0

    def update(self, dt):
        if self.keys.just_pressed("space"):
            self.deal(self.random.permutation(8))
        if self.mouse.just_pressed("left"):
            self.tween(self.star, position=self.mouse.position, duration=0.8, ease="out_elastic")


if __name__ == "__main__":
    fw.run(Tweens, resolution=(960, 540))
