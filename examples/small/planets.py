"""Sprites: sprites that move with a parent, such as moons around planets."""

import framework as fw

# Radius of the orbit, size, speed, color, number of moons
PLANETS = [
    (90, 0.7, 1.2, "#c9a27e", 0),
    (155, 1.1, 0.8, "#7ec8e3", 1),
    (235, 1.6, 0.5, "#e3a857", 3),
]


class Planets(fw.Game):
    def setup(self):
        rings = self.add(fw.Shapes())
        self.nodes = fw.Nodes2D(columns={"speed": 0.0})
        self.balls = self.add(fw.NodeSprites("../art/ball.png", self.nodes))
        sun = self.nodes.add(position=(480, 275))
        self.add_ball(sun, (0, 0), 2.4, "#ffd94a")
        for radius, size, speed, color, moons in PLANETS:
            rings.add_circle((480, 275), radius, stroke_width=2, color="#ffffff28")
            # This node turns around the sun, and carries the planet and its moons.
            orbit = self.nodes.add(sun, speed=speed, angle=radius)
            self.add_ball(orbit, (radius, 0), size, color)
            for moon in range(moons):
                place = radius, 0
                turn = self.nodes.add(orbit, position=place, angle=2.1 * moon, speed=2)
                self.add_ball(turn, (40, 0), 0.35, "#dddddd")
        self.labels.add("Hold space: faster", (480, 12), anchor="bottom")

    def add_ball(self, parent, position, size, color):
        node = self.nodes.add(parent, position=position, scale=size)
        self.balls.show(node, 0).color = color

    def update(self, dt):
        self.nodes.angle += self.nodes.speed * dt * (4 if self.keys["space"] else 1)


if __name__ == "__main__":
    fw.run(Planets, resolution=(960, 540), background="#05060f")
