"""Cameras: follow a hero with a dead zone, smoothing and bounds."""

import framework as fw

LEVEL = (0, 0, 3000, 540)  # left, bottom, right, top


class Following(fw.Game):
    def setup(self):
        self.background = "#bde0fe"
        hills = {"scale": 2, "parallax": (0.4, 1), "repeat": (True, False)}
        self.add(fw.Backdrop("../art/near.png", (0, 60), **hills))
        self.add(fw.Shapes()).add_box((1500, 30), (3000, 64), color="#588157")
        trees = self.add(fw.SpriteBatch(fw.art.tree, 40))
        trees.position[:] = [(75 * number, 105) for number in range(40)]
        trees.scale[:] = self.random.uniform(0.6, 1.3, (40, 1))
        clips = fw.Clips(fw.art.walker, walk=(0, 4, 10))
        self.hero = self.add(fw.SpriteBatch(clips, 1))[0]
        self.hero.position = 200, 92
        zone = {"dead_zone": (260, 200), "smoothing": 0.8}
        fw.Follow(self.camera, self.hero, (0, 120), bounds=LEVEL, **zone)
        frame = self.add(fw.Shapes(), camera=self.hud, layer=1)
        frame.add_box((480, 150), (260, 200), stroke_width=2, color="#fff")
        self.labels.add("Left, right: walk. The box is the dead zone.", (480, 12), anchor="bottom")

    def update(self, dt):
        way = self.keys.axis("left", "right")
        self.hero.x = min(max(self.hero.x + 220 * way * dt, 30), 2970)
        self.hero.play("walk")
        self.hero.clip_speed = abs(way)
        if way:
            self.hero.flip = way < 0, False


if __name__ == "__main__":
    fw.run(Following, resolution=(960, 540))
