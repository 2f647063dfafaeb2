"""Cameras: draw pixel art with large, sharp pixels, a palette, and a smooth camera."""

import framework as fw

COLORS = "1d2b53 7e2553 008751 ab5236 5f574f c2c3c7 fff1e8 ff004d ffa300 29adff a8e72e b0c4de"


class PixelArt(fw.Game):
    def setup(self):
        self.background = "#29adff"
        self.picture.palette = fw.Palette([f"#{color}" for color in COLORS.split()])
        for y, parallax in ((50, 0.2), (16, 0.4)):
            options = {"repeat": (True, False), "parallax": (parallax, 1)}
            self.add(fw.Backdrop("../art/near.png", (9 * y, y), **options))
        ground = self.add(fw.SpriteBatch(fw.art.tiles[0], 80))
        ground.position[:] = [(32 * number - 900, 8) for number in range(80)]
        trees = self.add(fw.SpriteBatch(fw.art.tree, 24))
        trees.position[:] = [(97 * number - 860, 62) for number in range(24)]
        sheet = fw.sheet("../art/hero.png", (24, 24), columns=14, rows=1)
        self.hero = self.add(fw.SpriteBatch(fw.Clips(sheet, run=(2, 8, 12), stand=(0, 2, 2)), 1))[0]
        self.hero.position = 120, 31
        fw.Follow(self.camera, self.hero, (0, 36), smoothing=0.9)
        words = self.add(fw.TextBatch(fw.art.fonts.pixel, 10), camera=self.hud)
        words.add("LEFT, RIGHT: RUN", (120, 124), anchor="center")

    def update(self, dt):
        way = self.keys.axis("left", "right")
        self.hero.x += 80 * way * dt
        self.hero.play("run" if way else "stand")
        if way:
            self.hero.flip = way < 0, False


if __name__ == "__main__":
    fw.run(PixelArt, resolution=(240, 135), pixel_art=True)
