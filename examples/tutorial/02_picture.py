"""Coin Hill, step 2: a hero on the screen."""

import framework as fw


class Platformer(fw.Game):
    def setup(self):
        self.background = "#8fd3f5"
        self.labels.add("Coin Hill", (20, 310), font_size=32, color="#1d2b53")
        self.hero = self.sprites.add(fw.art.hero[0], position=(100, 30))


if __name__ == "__main__":
    fw.run(Platformer, title="Coin Hill", size=(1280, 720), resolution=(640, 360))
