"""Text: choose fonts, also for other scripts, and type your own text."""

import framework as fw

LINES = ["Sphinx of black quartz", "Größe, Łódź, Ελλάδα, Москва", "0123456789 (1 + 2) = 3"]
FONTS = {
    "no font: DejaVu Sans": None,
    "fw.art.fonts.pixel": fw.art.fonts.pixel,
    "pixel first, then a file for the other letters": [fw.art.fonts.pixel, "DejaVu Sans"],
}


class Fonts(fw.Game):
    def setup(self):
        self.background = "#f1e9da"
        self.typed = "Type something: 5 €"
        self.last_lines = []
        for number, (name, font) in enumerate(FONTS.items()):
            top = 500 - 165 * number
            self.labels.add(name, (40, top - 20), font_size=18, color="#b5541c")
            batch = self.add(fw.TextBatch(font, 30), camera=self.hud)
            for index, line in enumerate(LINES):
                batch.add(line, (40, top - 58 - 38 * index), color="#2e294e")
            place = 520 + 40 * (number % 2), top - 96
            self.last_lines.append(batch.add("", place, color="#c1292e", width=380))

    def update(self, dt):
        self.typed += self.keys.text
        if self.keys.just_pressed("backspace"):
            self.typed = self.typed[:-1]
        caret = "|" if self.tick % 60 < 30 else ""
        for line in self.last_lines:
            line.text = self.typed + caret


if __name__ == "__main__":
    fw.run(Fonts, resolution=(960, 540))
