"""Menus: a list that scrolls, and a panel that shows the chosen item."""

import framework as fw

ITEMS = [
    ("Coin", fw.art.coin, "Everybody takes these."),
    ("Heart", fw.art.heart, "Beats, slowly."),
    ("Star", fw.art.star, "Fell from the sky."),
    ("Rock", fw.art.rock, "Heavier than it looks."),
    ("Crate", fw.art.crate, "Nobody knows its content."),
    ("Tree", fw.art.tree, "Was it in your pocket?"),
    ("Rocket", fw.art.ship, "Do not shake."),
    ("Saucer", fw.art.enemy, "Not yours."),
]


class Inventory(fw.Game):
    def setup(self):
        self.background = "#3a506b"
        window = self.ui.row(anchor="center", gap=24, width=640, height=340, padding=20, panel=True)
        names = window.scroll(grow=1, gap=8)
        for name, image, text in ITEMS:
            names.button(name, lambda *item, item=(name, image, text): self.choose(*item))
        side = window.column(width=280, gap=12, align="center", justify="between")
        self.name = side.label("", font_size=30)
        self.shown = side.image(fw.art.coin, width=130, height=130)
        self.text = side.label("")
        side.button("Drop it", self.drop)
        self.dropped = self.add(fw.SpriteBatch(columns={"velocity": (0, -200)}))
        self.ui.set_focus(names.children[0])
        self.choose(*ITEMS[0])

    def choose(self, name, image, text):
        self.name.text, self.shown.image, self.text.text = name, image, text

    def drop(self):
        self.dropped.add(self.shown.image, position=(self.random.uniform(20, 940), 560))

    def update(self, dt):
        self.dropped.move(dt)


if __name__ == "__main__":
    fw.run(Inventory, resolution=(960, 540))
