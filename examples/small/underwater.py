"""Sound: dive, and effects muffle all sounds of the bus "world"."""

import framework as fw


class Underwater(fw.Game):
    def setup(self):
        self.background = "#bde0fe"
        sea = {"gradient": "linear", "gradient_angle": -1.57, "gradient_to": "#03045e"}
        self.add(fw.Shapes()).add_box((480, 165), (960, 330), color="#0096c7", **sea)
        look = {"lifetime": 1.5, "velocity": (0, 90), "noise": (10, 1), "color": "#fff8"}
        self.bubbles = self.add(fw.Particles(**look))
        self.boat = self.sprites.add(fw.art.ship, position=(480, 350), angle=-1.57, scale=1.5)
        self.bubbles.emitter(self.boat, rate=20, emission_size=(60, 20))
        buses = self.audio.buses
        world = buses.add("world")
        self.muffled = world.add_effect(fw.LowPass(20_000))
        self.hall = world.add_effect(fw.Reverb(1.5, wet=0.0))
        buses["music"].parent = world
        notes = 220, 277, 330, 440, 330, 277
        self.melody = [fw.Sound.tone(hertz, 0.4, wave="triangle") for hertz in notes]
        self.label = self.labels.add("", (480, 14), anchor="bottom")

    def update(self, dt):
        if self.tick % 20 == 0:
            self.melody[self.tick // 20 % 6].play(bus="music", volume=0.4)
        if self.keys.just_pressed("space"):
            dive = self.boat.y > 250
            self.tween(self.boat, y=150 if dive else 350, duration=1, ease="in_out_sine")
            self.tween(self.muffled, frequency=400 if dive else 20_000, duration=1)
            self.tween(self.hall, wet=0.5 if dive else 0.0, duration=1)
        self.label.text = f"Space: dive. Low-pass filter: {self.muffled.frequency:,.0f} Hz"


if __name__ == "__main__":
    fw.run(Underwater, resolution=(960, 540))
