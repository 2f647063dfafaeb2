"""Motion: slow down the bullets, but not the hero."""

import framework as fw


class SlowMotion(fw.Game):
    def setup(self):
        self.background = "#0f2027"
        self.bullets = self.add(fw.SpriteBatch(fw.art.bullet, columns="velocity"))
        self.hero = self.sprites.add(fw.art.walker[0], position=(480, 270), scale=1.4)
        self.slow = self.schedule.group(1)
        self.slow.interval(self.fire, 0.03)
        self.systems.add("movement", self.fly, group=self.slow)
        self.label = self.labels.add("", (480, 14), anchor="bottom")

    def fire(self, dt):
        angle = self.random.uniform(0, 6.283)
        up, right = fw.exact.sincos(angle)
        position = 480 + 560 * right, 270 + 560 * up
        velocity = self.random.normal((-400 * right, -400 * up), 60)
        self.bullets.add(position=position, angle=angle + 1.57, velocity=velocity)

    def fly(self, dt):  # the dt of the group
        self.bullets.move(dt)
        self.bullets.remove(abs(self.bullets.position - (480, 270)).max(axis=1) > 600)

    def update(self, dt):  # the hero keeps its normal speed
        self.hero.x += 300 * self.keys.axis("left", "right") * dt
        self.hero.y += 300 * self.keys.axis("down", "up") * dt
        scale = self.slow.time_scale
        if self.keys.just_pressed("space"):
            self.tween(self.slow, time_scale=0.1 if scale > 0.5 else 1, duration=0.4)
        self.label.text = f"Arrow keys: dodge. Space: slow bullets. Their time scale: {scale:.2f}"


if __name__ == "__main__":
    fw.run(SlowMotion, resolution=(960, 540))
