"""Motion: timers call functions later, or again and again, in game time."""

import framework as fw


class Timers(fw.Game):
    def setup(self):
        self.background = "#3c1642"
        columns = {"velocity": (0, 0), "acceleration": (0, -500)}
        self.coins = self.add(fw.SpriteBatch(fw.art.coin, columns=columns))
        clock = self.add(fw.Shapes())
        clock.add_circle((480, 300), 130, color="#1dd3b044", stroke_width=6, stroke_color="#1dd3b0")
        self.hand = clock.add_sector((480, 300), 112, 1.57, -6.28, color="#affc41")
        self.rain = self.schedule.interval(self.drop, 0.1)
        self.burst = self.schedule.once(self.explode, 3)
        self.label = self.labels.add("", (480, 14), anchor="bottom")

    def drop(self, dt):
        self.coins.add(position=(self.random.uniform(20, 940), 560), scale=0.6)

    def explode(self, dt):
        fw.art.sounds.explosion.play()
        self.coins.extend(40, position=(480, 300), velocity=self.random.normal(0, 260, (40, 2)))
        self.burst = self.schedule.once(self.explode, 3)  # and again

    def update(self, dt):
        self.coins.move(dt)
        self.coins.remove(self.coins.position[:, 1] < -30)
        if self.keys.just_pressed("space"):
            self.rain.cancel()
        seconds = self.burst.due - self.schedule.time
        self.hand.sweep = -6.283 * float(seconds) / 3 - 0.001
        help = "You cancelled the rain." if self.rain.cancelled else "Space: cancel the rain."
        self.label.text = f"Explosion in {float(seconds):.1f} seconds. {help}"


if __name__ == "__main__":
    fw.run(Timers, resolution=(960, 540))
