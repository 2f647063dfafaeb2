"""Sound: a beat clock plays drums and switches lamps exactly on the beat."""

import framework as fw

PATTERN = {"kick": "x...x...x...x...", "hat": "..x...x...x...xx", "clap": "....x.......x..x"}
COLORS = {"kick": "#ef476f", "hat": "#ffd166", "clap": "#06d6a0"}


class Beats(fw.Game):
    def setup(self):
        self.background = "#1b1b2f"
        self.sounds = {
            "kick": fw.Sound.tone(70, 0.15),
            "hat": fw.Sound.sfx(4, "blip"),
            "clap": fw.Sound.sfx(2, "hit"),
        }
        shapes = self.add(fw.Shapes())
        self.lamps = {}
        for row, (name, steps) in enumerate(PATTERN.items()):
            self.labels.add(name, (40, 380 - 110 * row), anchor="left", color=COLORS[name])
            for step, mark in enumerate(steps):
                place = 150 + 50 * step, 380 - 110 * row
                color = COLORS[name] if mark == "x" else "#353554"
                self.lamps[name, step] = shapes.add_box(place, (42, 80), corner=8, color=color)
        self.audio.music.start_clock(120)

    def update(self, dt):
        for beat in self.audio.music.every(beats=0.25):
            step = int(beat.beat * 4) % 16
            for name, steps in PATTERN.items():
                lamp = self.lamps[name, step]
                lamp.scale = 1.25
                self.tween(lamp, scale=1, duration=0.25)
                if steps[step] == "x":
                    self.sounds[name].play(at=beat.time, volume=0.5)


if __name__ == "__main__":
    fw.run(Beats, resolution=(960, 540))
