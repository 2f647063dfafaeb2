"""Sprites: find sprites by their tags, in all batches of a scene."""

import math

import framework as fw


class Tags(fw.Game):
    def setup(self):
        self.background = "#23395b"
        self.round_things = self.add(fw.SpriteBatch(tags=("round", "red", "yellow")))
        self.others = self.add(fw.SpriteBatch(tags=("red", "flies")))
        for x in range(80, 900, 185):
            self.round_things.add(fw.art.ball, position=(x, 380), tags=["round", "red"])
            self.round_things.add(fw.art.coin, position=(x, 300), tags=["round", "yellow"])
            self.round_things.add(fw.art.star, position=(x, 220), tags=["yellow"])
            self.others.add(fw.art.heart, position=(x + 92, 340), tags=["red"])
            self.others.add(fw.art.enemy, position=(x + 92, 260), tags=["flies"])
        names = "1 round   2 red   3 yellow   4 flies   5 red and round"
        self.labels.add(names, (480, 60), font_size=26, anchor="center")

    def update(self, dt):
        queries = [("round",), ("red",), ("yellow",), ("flies",), ("red", "round")]
        for number, tags in enumerate(queries, 1):
            if self.keys.just_pressed(str(number)):
                for batch, rows in self.tagged(*tags):
                    jump = {"ease": "out_quad", "duration": 0.25, "repeat": 2, "ping_pong": True}
                    self.tween(batch, rows=rows, scale=1.7, **jump)
                    self.tween(batch, rows=rows, angle=math.tau, duration=0.5, relative=True)
                fw.art.sounds.jump.play()


if __name__ == "__main__":
    fw.run(Tags, resolution=(960, 540))
