"""Menus: scroll a list of items, and show the chosen item in a panel."""

import framework as fw

ITEMS = {
    "Coin": (fw.art.coin, "Everybody takes these."),
    "Heart": (fw.art.heart, "Beats, slowly."),
    "Star": (fw.art.star, "Fell from the sky."),
    "Crate": (fw.art.crate, "Nobody knows its content."),
    "Rocket": (fw.art.ship, "Do not shake."),
    "Saucer": (fw.art.enemy, "Not yours."),
}


class Inventory(fw.Game):
    def setup(self):
        window = self.ui.row(gap=24, width=640, height=260, padding=20, panel=True)
        names = window.scroll(grow=1, gap=8)
        for name in ITEMS:
            names.button(name, lambda name=name: self.choose(name))
        side = window.column(width=280, gap=10, align="center")
        self.shown = side.image(fw.art.coin, width=90, height=90)
        self.text = side.label("", align="center")
        side.button("Drop it", self.drop)
        self.dropped = self.add(fw.SpriteBatch(columns={"velocity": (0, -200)}))
        self.choose("Coin")

    def choose(self, name):
        self.shown.image, text = ITEMS[name]
        self.text.text = f"{name}:\n{text}"

    def drop(self):
        self.dropped.add(self.shown.image, position=(480, 560))

    def update(self, dt):
        self.dropped.move(dt)


if __name__ == "__main__":
    fw.run(Inventory, resolution=(960, 540), background="#3a506b")
