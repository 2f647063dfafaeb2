"""Sound: play sounds left or right, far or near, with the Doppler effect."""

import framework as fw


class PassingBy(fw.Game):
    def setup(self):
        self.background = "#2d4a2d"
        road = self.add(fw.Shapes())
        road.add_box((480, 300), (960, 150), color="#3c4048")
        for x in range(30, 1000, 120):
            road.add_box((x, 300), (60, 6), color="#ffe066")
        self.rings = self.add(fw.Shapes())
        self.saucers = self.add(fw.SpriteBatch(fw.art.enemy, 2, columns="velocity"))
        self.saucers.position[:] = (-300, 335), (1300, 265)
        self.saucers.velocity[:] = (420, 0), (-300, 0)
        self.audio.sound_speed = 2000  # units per second
        for saucer, hertz in zip(self.saucers, (180, 240), strict=True):
            hum = fw.Sound.tone(hertz, 1.0, wave="sawtooth")
            hum.play(loop=True, position=saucer, volume=0.3, reach=250)
        self.sprites.add(fw.art.walker[0], position=(480, 190))
        self.labels.add("You hear from the middle of the screen", (480, 14), anchor="bottom")

    def update(self, dt):
        self.saucers.move(dt)
        self.saucers.velocity[abs(self.saucers.position[:, 0] - 480) > 900] *= -1
        self.rings.remove(self.rings.color[:, 3] == 0)
        if self.tick % 12 == 0:
            for saucer in self.saucers:
                ring = self.rings.add_circle(saucer.position, 10, stroke_width=1, color="#fffa")
                self.tween(ring, scale=20, alpha=0, duration=1)


if __name__ == "__main__":
    fw.run(PassingBy, resolution=(960, 540))
