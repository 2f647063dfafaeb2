"""Race: a split-screen race of two cars, with a view for each car and a minimap.

WASD or the first gamepad drives the red car, the arrow keys or the second gamepad the blue one. A
car without a player drives itself. A click in either half drops a cone there. R starts again.
"""

import math

import numpy as np

import framework as fw

# The center line of the road, in units of 100.
COURSE = np.array([(5, 4), (12, 2.6), (19, 4.2), (21, 8), (17.5, 10), (18.5, 14), (14, 16), (10.8, 12.4), (8, 15.2),
                   (3.6, 13.6), (5.4, 9.6), (2.6, 7)]) * 100  # fmt: skip
STEPS = 24  # points of the road between two of these points
ROAD, KERB = 78, 90  # units from the center line
LAPS = 5
PULL, DRAG, ROUGH = (
    520,
    0.9,
    3.2,
)  # units per second²; fraction of the speed lost per second, on the road and off it
TURN, GRIP = 3.0, 6.0  # radians per second; how fast the motion follows the car's direction
COLORS, PALE = ("#f0543c", "#3c8cf0"), ("#ffe0da", "#dcebff")
DARK = "#20242c"
MEADOW = -300, -300, 2700, 2100
CONES, MARKS = 24, 400
WIDE, HIGH = 960, 540
SCENERY, CARS, SIGNS = range(3)  # layers


def spline(points):
    """Return a closed curve through points, (n * STEPS, 2)."""
    p0, p1, p2, p3 = (np.roll(points, shift, axis=0)[:, None] for shift in (1, 0, -1, -2))
    t = (np.arange(STEPS) / STEPS)[None, :, None]
    curve = (
        p1
        + t
        * ((p2 - p0) + t * ((2 * p0 - 5 * p1 + 4 * p2 - p3) + t * (3 * (p1 - p2) + p3 - p0)))
        / 2
    )
    return curve.reshape(-1, 2)


def disc(radius, color):
    y, x = np.mgrid[-radius : radius + 1, -radius : radius + 1]
    image = np.zeros((2 * radius + 1, 2 * radius + 1, 4), np.uint8)
    image[..., :3] = color
    image[..., 3] = np.clip(radius + 0.5 - np.sqrt(x * x + y * y), 0, 1) * 255
    return image


def rgb(color):
    return tuple(int(color[i : i + 2], 16) for i in (1, 3, 5))


def car(color):
    """Return an image of a car from above that points right."""
    image = np.zeros((22, 40, 4), np.uint8)
    for y, x, height, width, paint in (
        (0, 5, 4, 9, (25, 25, 30)), (18, 5, 4, 9, (25, 25, 30)), (0, 27, 4, 9, (25, 25, 30)),
        (18, 27, 4, 9, (25, 25, 30)), (3, 1, 16, 37, rgb(color)), (8, 1, 6, 38, (250, 250, 245)),
        (5, 12, 12, 5, (40, 52, 70)), (5, 25, 12, 6, (40, 52, 70)), (4, 36, 3, 3, (255, 240, 170)),
        (15, 36, 3, 3, (255, 240, 170)),
    ):  # fmt: skip
        image[y : y + height, x : x + width] = (*paint, 255)
    return image


def cone():
    image = disc(9, (230, 110, 30))
    image[4:15, 4:15][disc(5, 0)[..., 3] > 99] = (255, 245, 235, 255)
    image[7:12, 7:12][disc(2, 0)[..., 3] > 99] = (240, 120, 40, 255)
    return image


class Race(fw.Game):
    def setup(self):
        self.background = "#5f9a4b"
        self.road = spline(COURSE)
        self.build_ground()
        self.marks = self.add(fw.SpriteBatch(disc(4, (30, 30, 34)), MARKS), layer=SCENERY)
        self.marks.color[:, 3] = 0
        self.marked = self.coned = 0
        self.cones = self.add(fw.SpriteBatch(cone(), CONES), layer=SCENERY)
        self.cones.visible[:] = False
        batch = self.add(fw.SpriteBatch([car(color) for color in COLORS], 2), layer=CARS)
        batch.image[:] = 0, 1
        self.cars = [batch[0], batch[1]]
        wasd = fw.Actions(
            drive=fw.Stick("a d s w", "pad:leftstick"), gas=["pad:a", "pad:righttrigger"]
        )
        arrows = fw.Actions(
            drive=fw.Stick("left right down up", "pad:leftstick"), gas=["pad:a", "pad:righttrigger"]
        )
        self.driving = [wasd, arrows.player(1, keyboard=0)]
        self.beep = fw.Sound.sfx(3, "coin")
        self.crash = fw.Sound.sfx(7, "hit")
        self.build_views()
        self.begin()

    def build_ground(self):
        """Add grass, a road of overlapping discs, its kerbs and its dashes."""
        random, road, n = self.random, self.road, len(self.road)
        tufts = self.add(
            fw.SpriteBatch([disc(11, (88, 148, 70)), disc(7, (108, 166, 84))], 900), layer=SCENERY
        )
        tufts.position[:] = random.uniform(MEADOW[:2], MEADOW[2:], (900, 2))
        tufts.image[:], tufts.scale[:] = (
            random.integers(0, 2, 900),
            random.uniform(0.4, 2.2, (900, 1)),
        )
        looks = [disc(KERB, (238, 236, 230)), disc(KERB, (206, 62, 52)), disc(ROAD, (74, 76, 84))]
        ground = self.add(fw.SpriteBatch(looks, 2 * n), layer=SCENERY)
        ground.position[:n] = ground.position[n:] = road
        ground.image[:n], ground.image[n:] = np.arange(n) // 3 % 2, 2
        ahead = np.roll(road, -1, axis=0) - road
        self.turns = fw.exact.arctan2(ahead[:, 1], ahead[:, 0])
        dashes = self.add(
            fw.SpriteBatch(np.full((6, 30, 4), (232, 226, 196, 255), np.uint8), n // 4),
            layer=SCENERY,
        )
        dashes.position[:], dashes.angle[:] = road[::4], self.turns[::4]
        squares = (np.indices((12, 3)).sum(axis=0) % 2 * 235 + 15).astype(np.uint8)
        line = np.full((12, 3, 4), 255, np.uint8)
        line[..., :3] = squares[..., None]
        goal = self.add(fw.SpriteBatch(line, 1, filter="nearest"), layer=SCENERY)
        goal.position, goal.angle, goal.scale = road[0], self.turns[0], 2 * ROAD / 12

    def build_views(self):
        """Add a view for each car, with labels of its own, and the minimap over both."""
        self.halves, self.boards = [], []
        for k, sprite in enumerate(self.cars):
            camera = self.camera if k == 0 else fw.Camera2D((1, 1))
            half = self.views.add(camera, (k / 2, 0, 0.5, 1))
            fw.Follow(camera, sprite, smoothing=0.88, look_ahead=14, bounds=MEADOW)
            board = self.add(fw.TextBatch(), camera=half.hud, layer=SIGNS)
            self.boards.append(
                board.add("", (20, HIGH - 16), anchor=("left", "top"), color=PALE[k], outline=DARK)
            )
            self.halves.append(half)
        above = fw.Camera2D((1, 1))
        above.position, above.zoom = (1180, 940), 0.083
        self.map = self.views.add(above, (WIDE / 2 - 105, 12, 210, 140), background="#3d6b33")
        self.dots = self.add(
            fw.SpriteBatch([disc(8, rgb(color)) for color in COLORS], 2), camera=above, layer=CARS
        )
        self.dots.image[:], self.dots.scale = (0, 1), 6
        bar = self.add(
            fw.SpriteBatch(np.full((HIGH, 4, 4), (24, 26, 32, 255), np.uint8), 1), camera=self.hud
        )
        bar.position = WIDE / 2, HIGH / 2 + 152
        self.news = self.labels.add(
            "", (WIDE / 2, HIGH - 120), anchor=("center", "top"), outline=DARK
        )

    def begin(self):
        ahead = np.array(fw.exact.sincos(float(self.turns[0])))[::-1]
        for k, sprite in enumerate(self.cars):
            sprite.position = (
                self.road[0] - 40 * ahead + (38 - 76 * k) * np.array((-ahead[1], ahead[0]))
            )
            sprite.angle = float(self.turns[0])
            sprite.teleport()
        self.speed, self.slide = [0.0, 0.0], [0.0, 0.0]
        self.near, self.laps, self.idle = [0, 0], [0, 0], [math.inf, math.inf]
        self.winner, self.count = None, 3.0
        self.cones.visible[:] = False
        self.dots.position[:] = [sprite.position for sprite in self.cars]
        self.dots.teleport([0, 1])

    def on_mouse_press(self, x, y, button, modifiers):
        view = self.views.at(x, y)
        if view is not None:
            self.coned = (self.coned + 1) % CONES
            self.cones.position[self.coned] = view.to_world(x, y)
            self.cones.visible[self.coned] = True
            self.cones.teleport([self.coned])

    def wanted(self, k, dt):
        """Return the steering and the throttle of a car, from its player or the autopilot."""
        actions = self.driving[k]
        steer, gas = actions["drive"]
        gas = max(gas, actions["gas"])
        self.idle[k] = 0.0 if steer or gas else self.idle[k] + dt
        if self.idle[k] < 3:
            return steer, gas
        sprite, n = self.cars[k], len(self.road)
        x, y = (self.road[(self.near[k] + 7) % n] - sprite.position).tolist()
        turn = math.remainder(float(fw.exact.arctan2(y, x)) - sprite.angle, math.tau)
        return max(-1.0, min(1.0, -3 * turn)), 0.92 - 0.06 * k - min(0.5, abs(turn) / 2)

    def drive(self, k, dt):
        sprite = self.cars[k]
        steer, gas = self.wanted(k, dt)
        rough = ((self.road[self.near[k]] - sprite.position) ** 2).sum() > KERB**2
        self.speed[k] += (gas * PULL - self.speed[k] * (ROUGH if rough else DRAG)) * dt
        sprite.angle -= steer * TURN * min(1.0, self.speed[k] / 200) * dt
        self.slide[k] += (-steer * self.speed[k] * 0.35 - self.slide[k] * GRIP) * dt
        sin, cos = fw.exact.sincos(sprite.angle)
        along, aside = self.speed[k] * dt, self.slide[k] * dt
        x, y = sprite.x + cos * along + sin * aside, sprite.y + sin * along - cos * aside
        left, bottom, right, top = MEADOW
        sprite.position = min(max(x, left + 30), right - 30), min(max(y, bottom + 30), top - 30)
        if abs(self.slide[k]) > 14 and self.count <= 0:
            self.marked = (self.marked + 1) % MARKS
            self.marks.position[self.marked] = sprite.x - 14 * cos, sprite.y - 14 * sin
            self.marks.color[self.marked, 3] = 0.45
            self.marks.teleport([self.marked])
        self.go_on(k)

    def go_on(self, k):
        """Update a car's position along the road, and its laps."""
        n = len(self.road)
        inside = (self.near[k] + np.arange(-6, 12)) % n
        before = self.near[k]
        self.near[k] = int(
            inside[((self.road[inside] - self.cars[k].position) ** 2).sum(axis=1).argmin()]
        )
        if before > n - 30 and self.near[k] < 30:
            self.laps[k] += 1
            self.beep.play(volume=0.4)
            if self.laps[k] == LAPS and self.winner is None:
                self.winner = k
        elif before < 30 and self.near[k] > n - 30:
            self.laps[k] -= 1

    def bump(self):
        """Push cars apart. Knock over cones, which slow a car down."""
        first, second = self.cars
        apart = np.array(second.position) - first.position
        distance = math.sqrt((apart**2).sum())
        if 0 < distance < 30:
            push = apart / distance * (30 - distance) / 2
            first.position, second.position = first.position - push, second.position + push
        for k, sprite in enumerate(self.cars):
            hit = self.cones.visible & (
                ((self.cones.position - sprite.position) ** 2).sum(axis=1) < 24**2
            )
            if hit.any():
                self.cones.visible[hit] = False
                self.speed[k] *= 0.35
                self.crash.play(volume=0.5)

    def update(self, dt):
        if self.keys.just_pressed("r"):
            self.begin()
        self.count -= dt
        if self.count <= 0:
            for k in range(2):
                self.drive(k, dt)
            self.bump()
        for k, board in enumerate(self.boards):
            self.dots.position[k] = self.cars[k].position
            board.text = (
                f"Lap {max(1, min(LAPS, self.laps[k] + 1))} of "
                f"{LAPS}\n{round(self.speed[k] / 2)} km/h"
            )
        text = "WASD and arrows, or pads" if self.count > 0 else ""
        if self.winner is not None:
            text = f"{('Red', 'Blue')[self.winner]} wins! R: again"
        self.news.text = text


if __name__ == "__main__":
    fw.run(Race, size=(WIDE, HIGH), resolution=(WIDE, HIGH), players=2, exact=True)
