"""Text: show wrapped text with colors and bold letters, letter by letter."""

import framework as fw

STORY = [
    "Long ago, the [#ffd166]lantern[/] on the hill went out, and [b]nobody dared[/] to climb up.",
    "One evening a [#ff6b6b]red fox[/] came by and said: [#8ecae6]What is dark can be lit.[/]",
    "So the fox ran and ran, and [b][#95d5b2]never looked back[/][/]. Press [[space].",
]


class Typewriter(fw.Game):
    def setup(self):
        self.sprites.add("../art/night.png", position=(480, 270))
        panel = self.add(fw.Shapes(), camera=self.hud)
        edge = {"stroke_width": 3, "stroke_color": "#ffd166"}
        panel.add_box((480, 120), (800, 180), corner=20, color="#0b132bdd", **edge)
        self.speech = self.labels.add("", (110, 185), width=740, font_size=26, anchor="top left")
        self.page = -1
        self.next_page()

    def next_page(self):
        self.page = (self.page + 1) % len(STORY)
        self.speech.text = STORY[self.page]
        self.speech.visible_characters = 0

    def update(self, dt):
        speech = self.speech
        if self.keys.just_pressed("space") and speech.visible_characters >= speech.character_count:
            self.next_page()
        elif self.keys.just_pressed("space"):
            speech.visible_characters = speech.character_count
        elif self.tick % 2 == 0 and speech.visible_characters < speech.character_count:
            speech.visible_characters += 1
            fw.art.sounds.blip.play(volume=0.1, pitch=2)


if __name__ == "__main__":
    fw.run(Typewriter, resolution=(960, 540))
