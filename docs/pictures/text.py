"""The picture of docs/text.md: labels in colours, sizes and scripts.

framework run docs/pictures/text.py --headless --frames 1 --screenshot docs/pictures/text.png
"""

import colorsys

import framework as fw


class Texts(fw.Game):
    def setup(self):
        self.background = "#182030"
        add = self.labels.add
        for index in range(240):
            color = *colorsys.hsv_to_rgb(index * 0.137 % 1, 0.8, 0.6), 0.35
            place = index * 97.3 % self.width, index * 61.7 % self.height
            add("αβжя&ß"[index % 6], place, font_size=40, color=color, angle=index * 0.7)
        add(
            "Subtick",
            (320, 190),
            font_size=64,
            anchor=("center", "center"),
            color="#ffd060",
            outline="#402000",
            shadow="#0008",
            shadow_offset=(5, -5),
        )
        add("You found [#f80]gold[/] and [b]a [#0af]sapphire[/][/].", (16, 124))
        add("Grüße · Γειά σου · Привет · français", (16, 96))
        words = "Lines are wrapped where they have to be, and may be centred."
        add(words, (16, 16), font_size=14, width=240, align="center")
        add("turned", (520, 70), angle=0.35, scale=1.6, anchor=("center", "center"), color="#9f8")


if __name__ == "__main__":
    fw.run(Texts, size=(640, 240))
