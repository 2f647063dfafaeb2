"""Particles: fire, smoke and sparks from emitters that never stop."""

import framework as fw


class Fire(fw.Game):
    def setup(self):
        self.sprites.add("../art/night.png", position=(480, 270))
        wood = self.add(fw.Shapes())
        for angle in (-0.3, 0.25, 0.05):
            wood.add_box((480, 108), (210, 26), corner=12, color="#5b3a29", angle=angle)
        self.glow = self.add(fw.SpriteBatch("../art/glow.png", 1, blend="add"))[0]
        self.glow.position = (480, 170)
        self.glow.color = "#ff8c3a"
        smoke = self.add(fw.Particles.smoke(unit=2, velocity=(20, 0)))
        smoke.emitter((480, 240), rate=20, prewarm=4)
        self.fire = self.add(fw.Particles.fire(unit=2.2))
        self.flame = self.fire.emitter((480, 125), rate=220, emission_size=(110, 10), prewarm=1)
        up = {"direction": 1.57, "spread": 0.5, "speed": (60, 160), "noise": (20, 0.7)}
        look = {"size": fw.Curve(7, 0), "color": fw.Curve("#ffe9a0", "#ff6a00"), "blend": "add"}
        sparks = self.add(fw.Particles(lifetime=(1, 3), **up, **look))
        sparks.emitter((480, 150), rate=25, emission_size=(100, 20), prewarm=3)
        self.labels.add("Hold space: blow into the fire", (480, 14), anchor="bottom")

    def update(self, dt):
        blowing = self.keys["space"]
        self.flame.rate = 600 if blowing else 220
        self.flame.change(scale=1.5 if blowing else 1)
        self.glow.scale = (13 if blowing else 9) + self.random.uniform(-0.5, 0.5)


if __name__ == "__main__":
    fw.run(Fire, resolution=(960, 540))
