"""Particles: bursts of particles, with trails and gravity."""

import framework as fw

COLORS = ["#ff4d6d", "#ffd23f", "#3bceac", "#4cc9f0", "#c77dff", "#ffffff"]


class Fireworks(fw.Game):
    def setup(self):
        self.sprites.add("../art/night.png", position=(480, 270))
        self.rockets = self.add(fw.SpriteBatch("../art/glow.png", blend="add"))
        motion = {"lifetime": (0.8, 1.8), "damping": 1.4, "gravity": (0, -70)}
        look = {"size": fw.Curve(9, 9, 2), "color": fw.Curve("#ffff", "#fff8", "#fff0")}
        self.stars = self.add(fw.Particles(blend="add", **motion, **look))
        self.schedule.interval(self.launch, 0.7)
        self.labels.add("Click: another rocket", (480, 14), anchor="bottom")

    def launch(self, dt, goal=None):
        x, y = goal or self.random.uniform((120, 260), (840, 500))
        self.start(self.fly(x, y))

    async def fly(self, x, y):
        with self.rockets.add(position=(480 + (x - 480) / 2, 60), scale=0.5) as rocket:
            tail = self.stars.emitter(rocket, rate=120, speed=(0, 20), tint="#ffb366", lifetime=0.4)
            await self.tween(rocket, position=(x, y), duration=1, ease="out_quad")
            tail.remove()
        fw.art.sounds.explosion.play(volume=0.3, pitch=self.random.uniform(0.8, 1.4))
        colors = [COLORS[index] for index in self.random.integers(0, 6, 2)]
        self.stars.emit(220, (x, y), speed=(180, 260), tint=colors[0])
        self.stars.emit(120, (x, y), speed=(60, 130), tint=colors[1])

    def on_mouse_press(self, x, y, button, modifiers):
        self.launch(0, (x, y))


if __name__ == "__main__":
    fw.run(Fireworks, resolution=(960, 540))
