"""The contact sheet of docs/art.md: characters, items, icons, vehicles and particles.

framework run docs/pictures/art_set.py --headless --frames 10 --screenshot docs/pictures/art_set.png
"""

import framework as fw

ROWS = ("items", "icons", "vehicles", "particles")


class Sheet(fw.Game):
    def __init__(self, **options):
        super().__init__(
            **({"resolution": (384, 300), "pixel_art": True, "background": "#3a3358"} | options)
        )

    def setup(self):
        self.x, self.y, self.high = 4, self.height - 4, 0
        for name in fw.art.names():
            clips = getattr(fw.art, name)
            if isinstance(clips, fw.Clips):
                for clip in clips:
                    batch = self.put(clips, clips.images[0].shape)
                    batch.play(clip)
                self.end_row()
        for group in ROWS:
            for name in dir(getattr(fw.art, group)):
                art = getattr(getattr(fw.art, group), name)
                moving = isinstance(art, fw.Clips)
                batch = self.put(art, art.images[0].shape if moving else art.shape)
                if moving:
                    batch.play(next(iter(art)))
            self.end_row()

    def put(self, art, shape):
        height, width = shape[:2]
        if self.x + width > self.width - 4:
            self.end_row()
        batch = self.add(fw.SpriteBatch(art, 1))
        batch.position[:] = self.x + width / 2, self.y - height / 2
        self.x += width + 3
        self.high = max(self.high, height)
        return batch

    def end_row(self):
        """Begin a new row, or go on in the same row if half of it is free."""
        if self.x > self.width / 2:
            self.x, self.y, self.high = 4, self.y - self.high - 3, 0
        else:
            self.x += 12


if __name__ == "__main__":
    fw.run(Sheet, size=(1152, 900))
