"""Cameras: a minimap is a second view of the same scene."""

import framework as fw


class Minimap(fw.Game):
    def setup(self):
        self.background = "#2b4570"
        islands = self.add(fw.Shapes())
        for x, y in self.random.uniform((-1400, -900), (1400, 900), (26, 2)).tolist():
            size = self.random.uniform(150, 420)
            islands.add_ellipse((x, y), (size * 1.4 + 40, size + 40), color="#e9d8a6")
            islands.add_ellipse((x, y + 8), (size * 1.4, size), color="#76a05f")
        self.ship = self.sprites.add(fw.art.ship, position=(0, 0))
        self.camera.follow(self.ship, smoothing=0.9)
        overview = fw.Camera2D(self.size)
        overview.position = (0, 0)
        overview.zoom = 0.08
        self.views.add(self.camera)
        self.map = self.views.add(overview, (700, 20, 240, 150), background="#16263f")
        # Drawn in the minimap only: the ship would be too small there.
        self.marker = self.add(fw.Shapes(), camera=overview, layer=1).add_star(
            (0, 0), 130, color="#ff5d5d"
        )
        frame = self.add(fw.Shapes(), camera=self.hud, layer=1)
        frame.add_box((820, 95), (240, 150), stroke_width=4, color="#fff")
        self.labels.add("Arrow keys: fly", (20, 16), shadow="#000c")

    def update(self, dt):
        x = self.keys.axis("left", "right")
        y = self.keys.axis("down", "up")
        self.ship.position = self.ship.x + 500 * x * dt, self.ship.y + 500 * y * dt
        self.ship.angle = -0.4 * x
        self.marker.position = self.ship.position


if __name__ == "__main__":
    fw.run(Minimap, resolution=(960, 540))
