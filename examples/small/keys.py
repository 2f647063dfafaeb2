"""Input: fly with the arrow keys or WASD, and fire with Space."""

import framework as fw


class Keys(fw.Game):
    def setup(self):
        self.background = "#10142a"
        stars = self.add(fw.SpriteBatch(fw.art.star, 80))
        stars.position[:] = self.random.uniform((0, 0), self.size, (80, 2))
        stars.scale[:] = self.random.uniform(0.05, 0.3, (80, 1))
        self.bolts = self.add(fw.SpriteBatch(fw.art.bullet, columns={"velocity": (0, 700)}))
        self.ship = self.sprites.add(fw.art.ship, position=(480, 150), scale=1.5)
        self.labels.add("Arrow keys or WASD: fly. Space: fire.", (480, 20), anchor="bottom")

    def update(self, dt):
        right = self.keys.axis("left", "right") or self.keys.axis("a", "d")
        up = self.keys.axis("down", "up") or self.keys.axis("s", "w")
        x, y = self.ship.position
        self.ship.position = min(max(x + 500 * right * dt, 40), 920), y + 400 * up * dt
        self.ship.angle = -0.3 * right
        if self.keys.just_pressed("space"):
            self.bolts.add(position=self.ship.position)
            fw.art.sounds.laser.play()
        self.bolts.move(dt)
        self.bolts.remove(self.bolts.position[:, 1] > self.height + 20)


if __name__ == "__main__":
    fw.run(Keys, resolution=(960, 540))
