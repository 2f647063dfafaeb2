"""A picture of docs/widgets.md: the theme `"playful"`.

framework run docs/pictures/playful.py --headless --frames 16 --screenshot docs/pictures/playful.png
"""

import numpy as np

import framework as fw


class Playful(fw.Game):
    def setup(self):
        y, x = np.mgrid[:180, :320]
        dawn = np.dstack([80 + y * 0.9, 110 + y * 0.6 + x / 8, 190 - y * 0.3 + x / 10])
        for image in (dawn.astype(np.uint8), *fw.art.backgrounds.hills[2:]):
            self.sprites.add(
                image, position=(self.width / 2, self.height / 2), scale=self.width / 320
            )
        self.ui.theme = "playful"
        self.ui.scale = self.width / 960
        menu = self.ui.column(anchor="left", position=(60, 0), width=300, panel=True)
        menu.label("Hill and Dale", font_size=40)
        menu.button("Play", self.exit)
        self.options = menu.button("Settings", self.exit)
        menu.button("Quit", self.exit)
        settings = self.ui.column(anchor="right", position=(-60, 0), width=360, panel=True)
        settings.label("Settings", font_size=28)
        settings.slider("Music", value=0.6)
        settings.slider("Effects", value=0.9)
        settings.toggle("Full screen", value=True)
        settings.dropdown("Language", ["English", "Deutsch", "Français"])
        row = settings.row()
        row.button("OK", self.exit, grow=1)
        row.button("Back", self.exit, grow=1)
        self.ui.set_focus(self.options)


if __name__ == "__main__":
    fw.run(Playful, size=(960, 540))
