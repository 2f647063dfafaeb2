"""Cameras: shake the camera when something explodes."""

import framework as fw


class Shake(fw.Game):
    def setup(self):
        self.background = "#1a1423"
        self.sky = self.add(fw.SpriteBatch(fw.art.star, 120))
        self.sky.position[:] = self.random.uniform((0, 0), self.size, (120, 2))
        self.sky.scale[:] = self.random.uniform(0.05, 0.2, (120, 1))
        self.rocks = self.add(fw.SpriteBatch(fw.art.rock, columns=("velocity", "angular_velocity")))
        self.sparks = self.add(fw.Particles.sparks(unit=2))
        self.smoke = self.add(fw.Particles.smoke(unit=2))
        self.schedule.interval(self.throw, 0.5)
        self.labels.add("Space: blow everything up", (480, 14), anchor="bottom")

    def throw(self, dt):
        x, speed, scale = self.random.uniform((100, -120, 0.6), (860, 120, 1.8))
        rock = self.rocks.add(position=(x, 600), scale=scale, velocity=(speed, -150))
        rock.angular_velocity = speed / 60

    def update(self, dt):
        self.rocks.move(dt)
        if self.keys.just_pressed("space"):
            for rock in self.rocks:
                self.sparks.emit(60, position=rock.position)
                self.smoke.emit(20, position=rock.position)
            self.camera.shake(8 * len(self.rocks), ticks=40)
            self.rocks.clear()
            fw.art.sounds.explosion.play()
        self.rocks.remove(self.rocks.position[:, 1] < -80)


if __name__ == "__main__":
    fw.run(Shake, resolution=(960, 540))
