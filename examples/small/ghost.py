"""State: race against the ghost of your best lap."""

import math

import framework as fw


class Ghost(fw.Game):
    def setup(self):
        self.background = "#588157"
        track = [(480 + 370 * math.cos(a / 20), 270 + 190 * math.sin(a / 20)) for a in range(126)]
        self.add(fw.Shapes()).add_path(track, 110, closed=True, join="round", color="#4a4e69")
        self.add(fw.Shapes()).add_line((796, 270), (904, 270), 8, dash=(10, 10), cap="butt")
        self.ghost = self.sprites.add(fw.art.ship, alpha=0.4, visible=False, scale=0.7)
        self.ship = self.sprites.add(fw.art.ship, position=(850, 275), scale=0.7)
        self.lap, self.best, self.speed = [], [], 0.0
        self.label = self.labels.add("", (480, 270), anchor="center")

    def update(self, dt):
        ship, before = self.ship, self.ship.y
        ship.angle += 3 * dt * self.keys.axis("right", "left")
        on_track = 0.74 < math.hypot((ship.x - 480) / 370, (ship.y - 270) / 190) < 1.26
        goal = (420 if on_track else 120) * self.keys["up"]
        self.speed += 0.03 * (goal - self.speed)
        ship.x -= self.speed * math.sin(ship.angle) * dt
        ship.y += self.speed * math.cos(ship.angle) * dt
        self.lap.append((ship.position, ship.angle))  # the pose in each tick
        if before < 270 <= ship.y and ship.x > 700 and len(self.lap) > 120:
            if not self.best or len(self.lap) < len(self.best):
                self.best = self.lap
            self.lap = []
        self.ghost.visible = len(self.lap) < len(self.best)
        if self.ghost.visible:
            self.ghost.position, self.ghost.angle = self.best[len(self.lap)]
        times = f"{len(self.lap) * dt:.1f} s", f"best {len(self.best) * dt:.1f} s"
        self.label.text = f"Up: drive. Left, right: steer.\n{times[0]}, {times[1]}"


if __name__ == "__main__":
    fw.run(Ghost, resolution=(960, 540))
