"""Sound: play tones with the keys, as on a piano."""

import framework as fw

WHITE = "asdfghjk"  # the keys of the notes c d e f g a b c
NOTES = [261.63, 293.66, 329.63, 349.23, 392.0, 440.0, 493.88, 523.25]
COLORS = ["#ff595e", "#ff924c", "#ffca3a", "#8ac926", "#52a675", "#1982c4", "#4267ac", "#6a4c93"]


class Piano(fw.Game):
    def setup(self):
        self.background = "#22223b"
        self.tones = [fw.Sound.tone(note, 1.2, wave="triangle") for note in NOTES]
        shapes = self.add(fw.Shapes())
        self.piano = []
        for number, letter in enumerate(WHITE):
            x = 130 + 100 * number
            self.piano.append(shapes.add_box((x, 200), (94, 280), corner=12, color="#f2e9e4"))
            self.labels.add(letter.upper(), (x, 90), font_size=32, anchor="center", color="#4a4e69")
        for number in (0, 1, 3, 4, 5):
            shapes.add_box((180 + 100 * number, 262), (54, 156), corner=8, color="#22223b")
        up = {"lifetime": 1.5, "velocity": (0, 140), "noise": (20, 1)}
        self.notes = self.add(fw.Particles(fw.art.star, size=fw.Curve(30, 50, 0), **up))
        self.labels.add("Keys A to K", (480, 490), font_size=30, anchor="center")

    def update(self, dt):
        for number, letter in enumerate(WHITE):
            if self.keys.just_pressed(letter):
                self.tones[number].play(volume=0.6, fade=0.01)
                self.notes.emit(6, (130 + 100 * number, 340), tint=COLORS[number], speed=(0, 60))
                self.piano[number].color = COLORS[number]
                self.tween(self.piano[number], color="#f2e9e4", duration=0.8)


if __name__ == "__main__":
    fw.run(Piano, resolution=(960, 540))
