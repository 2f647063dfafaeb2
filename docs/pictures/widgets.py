"""The picture of docs/widgets.md: an open list; toggles and bars made of pictures; a bag of things
that span cells.

framework run docs/pictures/widgets.py --headless --frames 4 --screenshot docs/pictures/widgets.png
"""

import numpy as np

import framework as fw


def plate(width, height, tone):
    """A plate with a dark rim and a light upper half."""
    y, x = np.mgrid[:height, :width]
    rim = np.minimum.reduce([x, y, width - 1 - x, height - 1 - y])
    shade = np.where(rim < 2, 0.35, np.where(y < height / 2, 1.0, 0.8))
    return np.dstack([shade * part for part in tone] + [np.full(shade.shape, 255)]).astype(np.uint8)


def ticked(box):
    """A box with a tick in it."""
    y, x = np.mgrid[:24, :24]
    found = box.copy()
    found[np.abs(np.abs(x - 10) * np.where(x < 10, 1, 1.15) + y - 17) < 2.4] = 255, 235, 160, 255
    return found


class Widgets(fw.Game):
    def setup(self):
        self.ui.scale = self.width / 960
        y, x = np.mgrid[:36, :96]
        night = np.dstack(
            [20 + x / 1.4, 26 + y * 1.6, 60 + x / 2 + y, np.full(x.shape, 255)]
        ).astype(np.uint8)
        self.sprites.add(
            night, position=np.divide(self.size, 2), scale=max(self.width / 96, self.height / 36)
        )
        wood = fw.Theme(
            panel_skin=fw.NinePatch(fw.art.panel, 16),
            panel="#182233",
            control_skin=fw.NinePatch(plate(24, 24, (92, 74, 60)), 4),
            hover_skin=fw.NinePatch(plate(24, 24, (120, 98, 80)), 4),
            track_skin=fw.NinePatch(plate(24, 14, (44, 36, 30)), 4),
            fill_skin=fw.NinePatch(plate(24, 14, (206, 150, 58)), 4),
            thumb_skin=fw.NinePatch(fw.art.coin, 0, scale=0.6),
            off_skin=plate(24, 24, (44, 36, 30)),
            on_skin=ticked(plate(24, 24, (44, 36, 30))),
        )
        plain = self.ui.column(
            anchor="top left", position=(8, 8), width=270, panel=True, padding=16
        )
        plain.label("Display", font_size=26)
        choices = [f"{16 * n} × {9 * n}" for n in (40, 60, 80, 100, 120, 160, 200, 240)]
        self.size_of = plain.dropdown("Size", choices, value=choices[2], rows=6)
        plain.dropdown("Quality", ["low", "high"])
        skinned = self.ui.column(
            anchor="top", position=(0, 8), width=270, panel=True, padding=24, theme=wood
        )
        skinned.slider("Music", value=0.7)
        skinned.toggle("Hints", value=True)
        skinned.toggle("Subtitles")
        skinned.progress_bar(0.6, height=20)
        hearts = np.hstack([fw.art.heart] * 5)
        high, wide = (side / 1.5 for side in hearts.shape[:2])
        row = wood.with_(
            fill_skin=hearts, track_skin=(hearts * (0.25, 0.25, 0.25, 0.6)).astype(np.uint8)
        )
        skinned.progress_bar(0.7, width=wide, height=high, theme=row)
        bag = self.ui.grid(
            4, anchor="top right", position=(-8, 8), width=290, gap=4, panel=True, padding=16
        )
        bag.label("Bag", font_size=26, span=4)
        for picture, span in (
            (fw.art.ship, (2, 2)),
            (fw.art.coin, 1),
            (fw.art.heart, 1),
            (fw.art.tree, (1, 2)),
            (fw.art.rock, 1),
            (fw.art.crate, 1),
            (fw.art.ball, 1),
            (fw.art.star, 1),
        ):
            bag.button("", image=picture, span=span, padding=6, min_height=56)
        self.size_of.open()


if __name__ == "__main__":
    fw.run(Widgets, size=(960, 360))
