"""Menus: show a dialogue with answers, from a dict that you could load from a file."""

import math

import framework as fw

TALK = {  # what the seller says, and for each answer, what the seller says next
    "start": ("I sell hearts.", {"A heart, please.": "heart", "Why?": "why", "Bye.": "bye"}),
    "heart": ("Here you are. Take good care of it.", {"Thank you!": "start"}),
    "why": ("Sometimes I sell secrets.", {"Tell me one.": "secret", "No, thanks.": "start"}),
    "secret": ("You are in an example of 40 lines.", {"I knew it!": "bye"}),
    "bye": ("See you!", {"Come back": "start"}),
}


class Dialogue(fw.Game):
    def setup(self):
        self.sprites.add("../art/night.png", position=(480, 270))
        self.seller = self.sprites.add(fw.art.enemy, position=(480, 340), scale=2.5)
        float_up = {"velocity": (0, 60), "speed": (20, 120), "lifetime": 2}
        self.hearts = self.add(fw.Particles(fw.art.heart, size=fw.Curve(0, 40, 0), **float_up))
        self.box = self.ui.column(anchor="bottom", width=700, padding=20, gap=8, panel=True)
        self.say("start")

    def say(self, key):
        text, answers = TALK[key]
        self.box.clear()
        self.box.label(text, font_size=26)
        for answer, following in answers.items():
            self.box.button(answer, lambda following=following: self.say(following))
        self.ui.set_focus(self.box.children[1])
        if key == "heart":
            self.hearts.emit(20, self.seller.position)

    def update(self, dt):
        self.seller.y = 340 + 12 * math.sin(2 * self.tick * dt)


if __name__ == "__main__":
    fw.run(Dialogue, resolution=(960, 540))
