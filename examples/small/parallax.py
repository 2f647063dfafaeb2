"""Cameras: backdrops that scroll slower than the world look far away."""

import framework as fw


class Parallax(fw.Game):
    def setup(self):
        self.background = "#fce1b8"
        layers = [
            ("far", 150, 0.15, "#b8a3d9"),
            ("far", 90, 0.3, "#9b7fc4"),
            ("near", 70, 0.55, "#7a5aa6"),
        ]
        for name, height, parallax, color in layers:
            options = {"parallax": (parallax, 1), "repeat": (True, False), "color": color}
            hills = fw.Backdrop(f"../art/{name}.png", (9 * height, height), scale=2.4, **options)
            self.add(hills)
        self.trees = self.add(fw.SpriteBatch(fw.art.tree, 80))
        self.trees.position[:] = [(130 * number - 2000, 100) for number in range(80)]
        self.trees.color = "#5b3b7a"
        self.trees.scale[:] = self.random.uniform(0.8, 1.6, (80, 1))
        self.ground = self.add(fw.Shapes()).add_box((3000, 20), (12_000, 130), color="#3b2352")
        self.ship = self.sprites.add(fw.art.enemy, position=(480, 330), scale=1.5)
        self.camera.follow(self.ship, offset=(0, -60))
        self.speed = 200.0
        self.labels.add("Left, right: fly", (480, 14), anchor="bottom")

    def update(self, dt):
        self.speed += 500 * self.keys.axis("left", "right") * dt
        self.ship.x += self.speed * dt
        self.ship.angle = max(-0.3, min(-self.speed / 3000, 0.3))


if __name__ == "__main__":
    fw.run(Parallax, resolution=(960, 540))
