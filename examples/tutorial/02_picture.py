"""Coin Hill, step 2: a hero on the screen."""

import framework as fw


class Platformer(fw.Game):
    def setup(self):
        self.background = "#84d8f4"
        self.labels.add("Coin Hill", (10, 150), font_size=20, color="#1d2b53")
        heroes = self.add(fw.SpriteBatch(fw.art.hero))
        self.hero = heroes.add(position=(50, 10))


if __name__ == "__main__":
    fw.run(Platformer, title="Coin Hill", size=(1280, 720), resolution=(320, 180), pixel_art=True)
