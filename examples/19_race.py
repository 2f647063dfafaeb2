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
ROAD = 78  # units from the center line
KERB = 90  # units from the center line
LAPS = 5
# Acceleration in units per second²; fraction of the speed lost per second, on the road and off it
PULL = 520
DRAG = 0.9
ROUGH = 3.2
SKID = 11  # speed in units per second from which a car that slides sideways leaves tire marks
TURN = 3.0  # radians per second
GRIP = 6.0  # how fast the motion follows the car's direction
COLORS = ("#f0543c", "#3c8cf0")
PALE = ("#ffe0da", "#dcebff")
DARK = "#20242c"
MEADOW = -300, -300, 2700, 2100
CONES = 24
MARKS = 300  # points of the mark of each wheel
WIDE = 960
HIGH = 540
SCENERY, CARS, TREES, SIGNS = range(4)  # layers


def spline(points):
    """Return a closed curve through points, (n * STEPS, 2)."""
    p0, p1, p2, p3 = (np.roll(points, shift, axis=0)[:, None] for shift in (1, 0, -1, -2))
    t = (np.arange(STEPS) / STEPS)[None, :, None]
    inner = 2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)
    curve = p1 + t * (p2 - p0 + t * inner) / 2
    return curve.reshape(-1, 2)


def rgb(color):
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)])


def paint(width, height, *boxes):
    """Return an image of boxes with round corners: x and y of the center, width, height, radius of
    the corners, color, and the alpha if it is not 1.
    """
    image = np.zeros((height, width, 4))
    for x, y, wide, high, corner, color, *alpha in boxes:
        left = max(0, int(x - wide / 2) - 1)
        top = max(0, int(y - high / 2) - 1)
        part = image[top : int(y + high / 2) + 2, left : int(x + wide / 2) + 2]
        rows, columns = np.indices(part.shape[:2]) + 0.5
        corner = max(corner, 0.5)
        out_x = np.maximum(abs(columns + left - x) - wide / 2 + corner, 0)
        out_y = np.maximum(abs(rows + top - y) - high / 2 + corner, 0)
        cover = np.clip(corner + 0.5 - np.sqrt(out_x**2 + out_y**2), 0, 1)[..., None]
        cover *= alpha[0] if alpha else 1
        below = part[..., 3:] * (1 - cover)
        mixed = rgb(color) * cover + part[..., :3] * below
        part[..., :3] = mixed / np.maximum(cover + below, 1e-6)
        part[..., 3:] = cover + below
    image[..., 3] *= 255
    return image.astype(np.uint8)


def disc(radius, color):
    return paint(2 * radius, 2 * radius, (radius, radius, 2 * radius, 2 * radius, radius, color))


def car(color, stripe):
    """Return an image of a car from above that points right, twice as large as the car."""
    shadow = [(50, 32, 92 - 4 * k, 54 - 4 * k, 14, "#000000", 0.1) for k in range(5)]
    tires = [(x, y, 18, 9, 3, "#15161a") for x in (27, 71) for y in (11, 49)]
    return paint(
        100, 60, *shadow, *tires, (50, 30, 80, 34, 12, color), (88, 30, 7, 38, 3, "#24262e"),
        (11, 30, 8, 40, 3, "#24262e"), (50, 30, 78, 9, 2, stripe), (47, 30, 36, 27, 9, "#1c2533"),
        (43, 30, 20, 24, 6, color), (43, 30, 20, 9, 2, stripe), (83, 19, 6, 7, 3, "#fff3b8"),
        (83, 41, 6, 7, 3, "#fff3b8"),
    )  # fmt: skip


def cone():
    looks = ((17, "#d8601c"), (14, "#f07828"), (9, "#fff4e8"), (5, "#f07828"))
    rings = [(10, 10, size, size, size / 2, color) for size, color in looks]
    return paint(22, 22, (12, 12, 18, 18, 5, "#000000", 0.25), *rings)


def tree(random, dark, light):
    """Return an image of a tree from above: leaves in the sun at the upper left, and a shadow."""
    boxes = [(86, 88, 112 - 6 * k, 112 - 6 * k, 50 - 3 * k, "#102010", 0.09) for k in range(6)]
    for height in np.repeat(np.linspace(0, 1, 9), 9).tolist():
        x, y = 69 - 10 * height + (1 - height) * random.uniform(-32, 32, 2)
        color = np.rint(rgb(dark) + (rgb(light) - rgb(dark)) * height).astype(np.uint8)
        size = 36 - 18 * height
        boxes.append((x, y, size, size, size / 2, "#" + color.tobytes().hex()))
    return paint(150, 150, *boxes)


def stand(random):
    """Return an image of a stand with spectators. Its front is the lower edge."""
    boxes = [(120, 48, 236, 92, 4, "#14201a", 0.45), (120, 44, 228, 82, 3, "#8b909c")]
    shirts = random.choice(["#f0543c", "#3c8cf0", "#f6d860", "#fffffe", "#58c070", "#30343e"], 125)
    for k, shirt in enumerate(shirts.tolist()):
        x = 12 + 9 * (k % 25)
        y = 16 + 14 * (k // 25)
        boxes += [(x, y, 8, 8, 4, shirt), (x, y - 3, 5, 5, 2.5, "#e8b890")]
    roof = [(35 + 57 * x, 6, 57, 12, 0, ("#d03c30", "#f4f0e6")[x % 2]) for x in range(4)]
    return paint(240, 96, *boxes, *roof)


def sign(text, color):
    """Return an image of a plate with a shadow. The game draws the text over the plate."""
    wide = 18 * len(text) + 16
    plate = [(wide / 2, 20, wide, 32, 4, "#f4f0e6"), (wide / 2, 20, wide - 6, 26, 3, color)]
    return paint(wide + 8, 44, (wide / 2 + 3, 24, wide, 34, 4, "#000000", 0.3), *plate)


def asphalt(random):
    """Return an image of a piece of the road, with rubber where most cars drive."""
    across = abs(np.arange(2 * ROAD) + 0.5 - ROAD)[:, None]
    shade = 76 + random.normal(0, 3.5, (2 * ROAD, 192)) - 9 * (abs(across - 26) < 12)
    image = np.dstack([shade, shade + 1, shade + 8])
    image[ROAD - 2 : ROAD + 2, 60:110] = 222, 214, 180
    return image.astype(np.uint8)


def tires():
    """Return an image of a barrier: six pairs of tires, of which two are red."""
    boxes = []
    for k in range(12):
        looks = (("#191b20", "#3a3d46"), ("#701c18", "#d8483c"))[k > 7]
        for size, color in zip((20, 16, 9), (*looks, "#16171b"), strict=True):
            boxes.append((10 + k // 2 * 20, 10 + k % 2 * 20, size, size, size / 2, color))
    return paint(120, 40, *boxes)


class Race(fw.Game):
    def setup(self):
        self.background = "#5f9a4b"
        self.road = spline(COURSE)
        self.build_ground()
        self.build_trackside()
        wheels = np.zeros((MARKS, 2))
        marks = [fw.Ribbon(None, wheels, width=0, color="#101218b0") for _ in range(4)]
        self.marks = [self.add(ribbon, layer=SCENERY) for ribbon in marks]
        self.newest = [0, 0, 0, 0]  # the point of each mark that is at the wheel
        puff = {"size": fw.Curve(12, 52), "color": fw.Curve("#f4f4f4a0", "#ececec58", "#e4e4e400")}
        smoke = fw.Particles(None, 900, lifetime=(0.5, 1.1), speed=(5, 26), damping=1.5, **puff)
        self.smoke = self.add(smoke, layer=CARS)
        self.coned = 0
        self.cones = self.add(fw.SpriteBatch(cone(), CONES), layer=SCENERY)
        self.cones.visible[:] = False
        looks = [car(COLORS[0], "#fff4e8"), car(COLORS[1], "#ffe070")]
        batch = self.add(fw.SpriteBatch(looks, 2), layer=CARS)
        batch.image[:] = (0, 1)
        batch.scale = 0.5
        self.cars = [batch[0], batch[1]]
        gas = ["pad:a", "pad:righttrigger"]
        wasd = fw.Actions(drive=fw.Stick("a d s w", "pad:leftstick"), gas=gas)
        arrows = fw.Actions(drive=fw.Stick("left right down up", "pad:leftstick"), gas=gas)
        self.driving = [wasd, arrows.player(1, keyboard=0)]
        self.beep = fw.Sound.sfx(3, "coin")
        self.crash = fw.Sound.sfx(7, "hit")
        self.build_views()
        self.begin()

    def build_ground(self):
        """Add grass, sand outside the curves, and the road with its kerbs, all as ribbons."""
        random = self.random
        road = self.road
        grain = random.normal(0, 1, (128, 128))
        for _ in range(3):
            grain = sum(np.roll(grain, shift, (0, 1)) for shift in ((0, 0), (0, 1), (1, 0))) / 2.4
        stripe = np.where(np.arange(128) < 64, 5, -5)
        shades = np.array([95, 154, 75]) + np.clip(4 * grain + stripe, -40, 40)[..., None]
        meadow = self.add(fw.Polygons(shades.astype(np.uint8), wrap="repeat"), layer=SCENERY)
        meadow.add_box((1200, 900), (4200, 3600), tile=256)
        ahead = np.roll(road, -1, axis=0) - np.roll(road, 1, axis=0)
        steps = np.sqrt((ahead**2).sum(axis=1))
        self.left = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / steps[:, None]
        self.turns = fw.exact.arctan2(ahead[:, 1], ahead[:, 0])
        bend = np.roll(self.turns, -4) - np.roll(self.turns, 4)
        bend -= math.tau * np.rint(bend / math.tau)
        self.bend = sum(np.roll(bend, shift) for shift in range(-6, 7)) / 13  # > 0: to the left

        def lay(image, points, width, color="#fff", length=None):
            width = np.broadcast_to(width, len(points))
            order = (np.arange(len(points) + 2) + width.argmin()) % len(points)
            points = points[order]
            width = width[order]
            total = float(np.sqrt((np.diff(points[:-1], axis=0) ** 2).sum(axis=1)).sum())
            repeat = total / round(total / length) if length else None
            ribbon = fw.Ribbon(image, points, width=width, color=color, repeat=repeat)
            self.add(ribbon, layer=SCENERY)

        outer = -np.sign(self.bend)[:, None] * self.left
        for growth, color in ((26, "#c9b478"), (0, "#dcc88e")):
            wide = 2 * np.minimum(150, 260 * np.maximum(0, abs(self.bend) - 0.14))
            lay(None, road + 72 * outer, np.where(wide > 24, wide + growth, 0), color)
        rim = road + 240 * outer
        far = np.array([((road - point) ** 2).sum(axis=1).min() > 200**2 for point in rim])
        here = (abs(self.bend) > 0.25) & far
        for step in (-1, 1):  # the ends of a barrier are straight if two points are equal
            end = ~here & np.roll(here, step)
            rim[end] = np.roll(rim, step, axis=0)[end]
        lay(tires(), rim, np.where(here, 36, 0), length=108)
        kerb = np.zeros((4, 64, 3), np.uint8)
        kerb[:, :32] = (206, 62, 52)
        kerb[:, 32:] = (238, 236, 230)
        lay(None, road, 2 * KERB + 10, "#3f6b3270")
        lay(kerb, road, 2 * KERB, length=72)
        lay(None, road, 2 * ROAD, "#44464e")
        lay(None, road, 2 * ROAD - 6, "#e2e0d8")
        lay(asphalt(random), road, 2 * ROAD - 14, length=192)

    def aside(self, row, across, along=0.0):
        """Return a point beside the road: units to its left, and units ahead."""
        left = self.left[row]
        return self.road[row] + across * left + along * np.array((left[1], -left[0]))

    def build_trackside(self):
        """Add the start grid, stands, signs and trees."""
        random = self.random
        squares = np.indices((4, 26)).sum(axis=0)[..., None] % 2 * (225, 225, 225) + 20
        goal = fw.SpriteBatch(squares.astype(np.uint8), filter="nearest")
        angle = float(self.turns[0]) + math.tau / 4
        self.add(goal, layer=SCENERY).add(position=self.road[0], angle=angle, scale=2 * ROAD / 26)
        ends = [(53, 2, 26, 3, 0, "#e8e6dc"), (53, 42, 26, 3, 0, "#e8e6dc")]
        slot = paint(66, 44, (64, 22, 4, 44, 0, "#e8e6dc"), *ends)
        grid = self.add(fw.SpriteBatch(slot), layer=SCENERY)
        for place in range(8):
            spot = self.aside(0, 38 - 76 * (place % 2), -40 - 62 * place + 62 * (place % 2))
            grid.add(position=spot, angle=float(self.turns[0]))
        stands = self.add(fw.SpriteBatch([stand(random) for _ in range(3)]), layer=SCENERY)
        for row, side in ((7, -1), (15, -1), (23, -1), (31, -1), (5, 1), (15, 1)):
            angle = float(self.turns[row]) + (math.pi if side < 0 else 0.0)
            stands.add(row % 3, position=self.aside(row, 165 * side), angle=angle, scale=0.9)
        self.build_signs()
        looks = [("#24502c", "#6cb450"), ("#1e4630", "#4e9c58"), ("#4a5a22", "#b4b84a")]
        trees = self.add(fw.SpriteBatch([tree(random, *look) for look in looks]), layer=TREES)
        spots = random.uniform((-360, -360), (2760, 2160), (900, 2))
        kept = []
        for spot in spots[np.argsort(-spots[:, 1])]:
            near = np.array(kept[-60:] or [(0, 0)])
            gaps = (self.road, 215), (stands.position, 190), (near, 62)
            if all(((other - spot) ** 2).sum(axis=1).min() > gap**2 for other, gap in gaps):
                kept.append(spot)
        scale = random.uniform(0.6, 1.05, (len(kept), 1))
        trees.extend(len(kept), random.integers(0, 3, len(kept)), position=kept, scale=scale)

    def build_signs(self):
        """Add plates with text: advertisements, and arrows before the curves."""
        names = ("SUBTICK", "TICK TIRES", "60 HZ OIL", "ALPHA")
        paints = ("#1c5fa8", "#20242c", "#b83a2c", "#1d7a54")
        rows = range(25, len(self.road), 19)
        signs = [(row, 122, names[row % 4], paints[row % 4]) for row in rows]
        curves = (abs(self.bend) > 0.3) & (abs(np.roll(self.bend, 1)) <= 0.3)
        for row in np.flatnonzero(curves).tolist():
            signs.append((row, math.copysign(130, -self.bend[row]), ">>>", "#c8382c"))
        looks = [sign(text, color) for _, _, text, color in signs]
        plates = self.add(fw.SpriteBatch(looks), layer=SCENERY)
        texts = self.add(fw.TextBatch(fw.art.fonts.pixel, 20), layer=SCENERY)
        for number, (row, across, text, _) in enumerate(signs):
            angle = float(self.turns[row])
            long = 9 * len(text)
            if text in names and abs(angle) > math.pi / 2:  # otherwise the text is upside down
                angle -= math.pi
            ends = [self.aside(row, across, along) for along in (-long, 0, long)]
            near = [((self.road - end) ** 2).sum(axis=1).min() for end in ends]
            apart = ((plates.position - ends[1]) ** 2).sum(axis=1)
            if min(near) > 112**2 and (apart > 170**2).all():
                plates.add(number, position=ends[1], angle=angle)
                texts.add(text, tuple(ends[1]), anchor="center", color="#fff6e0").angle = angle

    def build_views(self):
        """Add a view for each car, with labels of its own, and the minimap over both."""
        self.halves = []
        self.boards = []
        for k, sprite in enumerate(self.cars):
            camera = self.camera if k == 0 else fw.Camera2D((1, 1))
            half = self.views.add(camera, (k / 2, 0, 0.5, 1))
            fw.Follow(camera, sprite, smoothing=0.88, look_ahead=14, bounds=MEADOW)
            board = self.add(fw.TextBatch(), camera=half.hud, layer=SIGNS)
            side, x = (("left", 20), ("right", 460))[k]
            options = {"anchor": (side, "top"), "align": side, "color": PALE[k], "outline": DARK}
            self.boards.append(board.add("", (x, HIGH - 16), **options))
            self.halves.append(half)
        above = fw.Camera2D((1, 1))
        above.position = (1180, 940)
        above.zoom = 0.083
        self.map = self.views.add(above, (WIDE / 2 - 105, 12, 210, 140), background="#3d6b33")
        dots = fw.SpriteBatch([disc(8, color) for color in COLORS], 2)
        self.dots = self.add(dots, camera=above, layer=CARS)
        self.dots.image[:] = (0, 1)
        self.dots.scale = 6
        bar = self.add(fw.Shapes(), camera=self.hud)
        bar.add_box((WIDE / 2, HIGH / 2 + 76), (4, HIGH - 152), color=DARK)
        self.news = self.labels.add("", (WIDE / 2, HIGH - 120), anchor="top", outline=DARK)
        self.panel = self.add(fw.Shapes(), camera=self.hud, layer=SIGNS)
        self.panel.add_box((WIDE / 2, HIGH - 56), (250, 60), corner=12, color="#14161ce8")
        left = WIDE / 2 - 92
        y = HIGH - 56
        self.lamps = [self.panel.add_circle((left + 46 * k, y), 17) for k in range(5)]

    def begin(self):
        for k, sprite in enumerate(self.cars):
            sprite.position = self.aside(0, 38 - 76 * k, -40)
            sprite.angle = float(self.turns[0])
            sprite.teleport()
        self.speed = [0.0, 0.0]
        self.slide = [0.0, 0.0]
        self.near = [0, 0]
        self.laps = [0, 0]
        self.idle = [math.inf, math.inf]
        self.winner = None
        self.count = 3.0
        self.cones.visible[:] = False
        for marks in self.marks:
            marks.width = 0
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
        sprite = self.cars[k]
        n = len(self.road)
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
        along = self.speed[k] * dt
        aside = self.slide[k] * dt
        x = sprite.x + cos * along + sin * aside
        y = sprite.y + sin * along - cos * aside
        left, bottom, right, top = MEADOW
        sprite.position = min(max(x, left + 30), right - 30), min(max(y, bottom + 30), top - 30)
        self.skid(k, np.array((cos, sin)), abs(self.slide[k]) > SKID)
        self.go_on(k)

    def skid(self, k, ahead, skids):
        """Draw the marks of a car's two rear wheels, and smoke. A mark is a ribbon of points. The
        newest point is always at the wheel. Every third tick this point stays where it is, and the
        oldest point becomes the newest point.
        """
        left = np.array((-ahead[1], ahead[0]))
        for wheel in (2 * k, 2 * k + 1):
            spot = self.cars[k].position - 13 * ahead + (9 - 18 * (wheel % 2)) * left
            marks = self.marks[wheel]
            row = self.newest[wheel]
            if self.tick % 3 == 0:
                row = self.newest[wheel] = (row + 1) % MARKS
                gap = [(row + 1) % MARKS, (row + 2) % MARKS]  # between the newest and the oldest
                marks.position[gap[0]] = spot
                marks.width[gap] = 0
                marks.teleport([row, *gap])
            marks.position[row] = spot
            marks.width[row] = 6.0 * skids
            if skids and self.tick % 2 == 0:
                self.smoke.emit(1, position=spot)

    def go_on(self, k):
        """Update how far a car has driven along the road, and count its laps."""
        n = len(self.road)
        inside = (self.near[k] + np.arange(-6, 12)) % n
        before = self.near[k]
        far = ((self.road[inside] - self.cars[k].position) ** 2).sum(axis=1)
        self.near[k] = int(inside[far.argmin()])
        if before > n - 30 and self.near[k] < 30:
            self.laps[k] += 1
            self.beep.play(volume=0.4)
            if self.laps[k] == LAPS and self.winner is None:
                self.winner = k
        elif before < 30 and self.near[k] > n - 30:
            self.laps[k] -= 1

    def bump(self):
        """Push cars apart. Knock over the cones that a car hits, and slow the car down."""
        first, second = self.cars
        apart = np.array(second.position) - first.position
        distance = math.sqrt((apart**2).sum())
        if 0 < distance < 30:
            push = apart / distance * (30 - distance) / 2
            first.position = first.position - push
            second.position = second.position + push
        for k, sprite in enumerate(self.cars):
            far = ((self.cones.position - sprite.position) ** 2).sum(axis=1)
            hit = self.cones.visible & (far < 24**2)
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
            lap = max(1, min(LAPS, self.laps[k] + 1))
            board.text = f"Lap {lap} of {LAPS}\n{round(self.speed[k] / 2)} km/h"
        self.panel.visible[:] = self.count > -1
        for k, lamp in enumerate(self.lamps):
            lit = self.count < 2.5 - 0.5 * k
            lamp.color = "#48e070" if self.count <= 0 else "#ff4034" if lit else "#3a1a1c"
        text = "WASD and arrows, or pads" if self.count > 0 else ""
        if self.winner is not None:
            text = f"{('Red', 'Blue')[self.winner]} wins! R: again"
        self.news.text = text


if __name__ == "__main__":
    fw.run(Race, size=(WIDE, HIGH), resolution=(WIDE, HIGH), players=2, exact=True)
