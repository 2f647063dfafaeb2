"""Cameras: give each of two players one half of the screen."""

import framework as fw


class SplitScreen(fw.Game):
    def setup(self):
        meadow = self.add(fw.SpriteBatch([fw.art.tree, fw.art.rock, fw.art.coin], 500, y_sort=True))
        meadow.position[:] = self.random.uniform((-1200, -1200), (1200, 1200), (500, 2))
        meadow.image[:] = self.random.choice(3, 500, p=[0.7, 0.2, 0.1])
        self.saucers = [
            self.sprites.add(fw.art.enemy, position=(x, 0), color=color, scale=1.3)
            for x, color in ((-150, "#ff9aa2"), (150, "#9af0ff"))
        ]
        colors = "#5a9367", "#4f7cac"
        for number, saucer in enumerate(self.saucers):
            camera = fw.Camera2D(self.size)
            fw.Follow(camera, saucer, smoothing=0.9)
            view = self.views.add(camera, (0.5 * number, 0, 0.5, 1), background=colors[number])
            text = self.add(fw.TextBatch(), camera=view.hud, layer=1)
            text.add(("W A S D", "Arrow keys")[number], (20, 16), shadow="#0008")
        self.add(fw.Shapes(), camera=self.hud, layer=2).add_line(
            (480, 0), (480, 540), 6, color="#222"
        )

    def update(self, dt):
        for saucer, keys in zip(
            self.saucers, ("adsw", ("left", "right", "down", "up")), strict=True
        ):
            x = saucer.x + 400 * self.keys.axis(keys[0], keys[1]) * dt
            saucer.position = x, saucer.y + 400 * self.keys.axis(keys[2], keys[3]) * dt


if __name__ == "__main__":
    fw.run(SplitScreen, resolution=(960, 540))
