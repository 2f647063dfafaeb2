"""Sprites: cut images from a sprite sheet, and play them as clips."""

import framework as fw


class Clips(fw.Game):
    def setup(self):
        self.background = "#bfe3f5"
        sheet = fw.sheet("../art/hero.png", (24, 24), columns=14, rows=1)
        clips = fw.Clips(
            sheet,
            stand=(0, 2, 2),  # from the first image on, two images, two images a second
            run=(2, 8, 14),
            wave=fw.Clip([10, 11], rate=6, loop=False),
        )
        ground = self.add(fw.SpriteBatch(fw.art.tiles[0], 16, filter="nearest"))
        ground.position[:] = [(32 + 64 * number, 80) for number in range(16)]
        ground.scale[:] = 2
        self.hero = self.add(fw.SpriteBatch(clips, 1, filter="nearest"))[0]
        self.hero.position = (480, 208)
        self.hero.scale = 8
        self.label = self.labels.add("", (480, 440), font_size=32, anchor="center", color="#234")
        help = "Left, right: run. Space: duck."
        self.labels.add(help, (480, 12), anchor="bottom", color="#234")

    def update(self, dt):
        way = self.keys.axis("left", "right")
        if self.keys.just_pressed("space"):
            self.hero.play("wave", then="stand", restart=True)
        elif way:
            self.hero.play("run")
            self.hero.flip = way < 0, False
            self.hero.x += 300 * way * dt
        elif self.hero.clip == "run":
            self.hero.play("stand")
        self.label.text = f"clip {self.hero.clip}, image {self.hero.image}"


if __name__ == "__main__":
    fw.run(Clips, resolution=(960, 540))
