"""Lanes: six creatures run the same race at a few ticks a second, drawn with six kinds of motion.

The dots behind each creature show where it was drawn in each frame. If the dots are evenly spaced,
the motion is smooth. Clumps and gaps mean that it stutters. Drag the sliders with the mouse, or
choose one with the up and down keys and move it with left and right. The numbers show how uneven
each motion is, in pixels.
"""

import math

import numpy as np

import framework as fw

START = 216  # the left ends of the lanes, in pixels
END = 850  # the right ends
SPEED = 240  # pixels per second along a lane
HOP = 12  # height of a hop in pixels
BEAT = 7.0  # radians per second
DOTS = 100  # dots of each lane, one per frame
WATCHED = 60  # frames in the measurement


class Lane:
    """One lane: a runner with its own loop, and how the runner is drawn between two ticks."""

    def __init__(self, name, words, motion, loop=fw.FixedTimestep, reversed=False):
        self.name = name
        self.words = words
        self.motion = motion
        self.make_loop = loop
        self.reversed = reversed

    def begin(self, tick_rate, time):
        """Switch to another loop, which continues at the game time ``time`` in seconds."""
        self.loop = self.make_loop(tick_rate, max_ticks=None)
        self.time = time
        self.body = fw.Transforms2D(motion=self.motion)
        self.body.extend(1)
        self.place()
        self.body.end_tick()
        self.last = self.body.position[0].copy()
        self.seen = []  # x in the most recent frames

    def place(self):
        """Move the runner to its position at the current time: to the right, hopping."""
        time = self.time + self.loop.time
        self.body.position[0] = SPEED * time, HOP * fw.exact.sin(BEAT * time)
        if self.motion in ("hermite", "extrapolate"):
            self.body.velocity[0] = SPEED, HOP * BEAT * fw.exact.cos(BEAT * time)

    def advance(self, now, time_scale):
        """Return the position at which the runner is drawn at ``now``, in nanoseconds."""
        self.loop.time_scale = time_scale
        for tick in self.loop.advance(now):
            self.body.begin_tick(tick.dt)
            self.place()
            self.body.end_tick()
        position = self.body.pose(self.loop.alpha)[0][0]
        # Blends in the wrong direction, and from the last frame instead of the last tick
        if self.reversed:
            position, self.last = position + (self.last - position) * self.loop.alpha, position
        if self.loop.tick > 1:  # drawing between two ticks needs two ticks
            self.seen = [*self.seen[1 - WATCHED :], float(position[0])]
        return position

    @property
    def unevenness(self):
        """Return how uneven the motion was in the last frames, as text: RMS in pixels."""
        if len(self.seen) < 8:
            return "..."
        frames = np.arange(len(self.seen))
        return f"{np.std(self.seen - np.polyval(np.polyfit(frames, self.seen, 1), frames)):.1f} px"


class Slider:
    """A slider for one of several values."""

    WIDTH = 250

    def __init__(self, game, x, words, values, value):
        self.x = x
        self.words = words
        self.values = values
        game.parts.add(
            0,
            position=(x + self.WIDTH / 2, 40),
            scale=(self.WIDTH + 12, 6),
            color=(0.3, 0.33, 0.55),
        )
        self.knob = game.parts.add(1, scale=0.55)
        self.label = game.labels.add("", position=(x, 62))
        self.choose(values.index(value))

    def choose(self, index):
        self.index = min(max(index, 0), len(self.values) - 1)
        self.value = self.values[self.index]
        self.knob.position = self.x + self.WIDTH * self.index / (len(self.values) - 1), 40
        self.knob.teleport()
        self.label.text = self.words(self.value)

    def drag(self, x):
        self.choose(round((x - self.x) / self.WIDTH * (len(self.values) - 1)))

    def is_at(self, x, y):
        return self.x - 20 < x < self.x + self.WIDTH + 20 and 20 < y < 90


class Lanes(fw.Game):
    not_state = (
        "lanes",
        "runners",
        "dots",
        "numbers",
        "pictures",
        "shown",
    )  # `draw` moves the dots, at any rate

    def setup(self):
        self.background = (0.07, 0.08, 0.18)
        self.lanes = [
            Lane("as it is", "where the last tick put it", "none"),
            Lane("nearest tick", "ticks come half a tick early", "none", loop=fw.RoundedTimestep),
            Lane("mixed in reverse", "a common mistake", "interpolate", reversed=True),
            Lane("interpolated", "between the last two ticks", "interpolate"),
            Lane("on a curve", "and along their velocities", "hermite"),
            Lane("ahead", "guessed from the velocity", "extrapolate"),
        ]
        self.heights = 500 - 66.0 * np.arange(len(self.lanes))
        self.parts = self.add(fw.SpriteBatch([np.ones((1, 1, 3)), "art/ball.png"]))
        self.dots = self.add(fw.SpriteBatch("art/ball.png", DOTS * len(self.lanes)))
        self.runners = self.add(
            fw.SpriteBatch(fw.sheet("art/puffs.png", (32, 32), columns=6), len(self.lanes))
        )
        self.runners.image = np.arange(len(self.lanes))
        self.dots.scale = 0.13
        self.dots.visible = False
        self.numbers = []
        small = self.add(fw.TextBatch(font_size=13), camera=self.hud)
        for lane, y in zip(self.lanes, self.heights, strict=True):
            self.parts.add(
                0,
                position=((START + END) / 2, y),
                scale=(END - START + 40, 58),
                color=(0.12, 0.14, 0.29),
            )
            self.labels.add(lane.name, position=(16, y + 8), anchor=("left", "center"))
            small.add(
                lane.words,
                position=(16, y - 15),
                anchor=("left", "center"),
                color=(0.65, 0.68, 0.9),
            )
            self.numbers.append(
                self.labels.add("", position=(944, y - 10), anchor=("right", "center"))
            )
            small.add(
                "uneven by",
                position=(944, y + 14),
                anchor=("right", "center"),
                color=(0.65, 0.68, 0.9),
            )
        rates = [5, 6, 8, 10, 12, 15, 20, 24, 30, 40, 50, math.inf]
        self.ticks = Slider(
            self, 40, "{} ticks a second".format, [2, 3, 5, 8, 12, 20, 30, 40, 60, 120, 240], 8
        )
        self.refresh_rate = Slider(self, 355, self.tell_rate, rates, math.inf)
        self.scale = Slider(
            self, 670, "time runs at {}x".format, [0.05, 0.1, 0.25, 0.5, 1, 2, 4], 1
        )
        self.sliders = [self.ticks, self.refresh_rate, self.scale]
        self.chosen = 0
        self.held = False
        self.pictures = 0  # frames drawn
        self.shown = -1  # the display refresh that shows the last frame
        self.begin(0.0)
        self.choose(0)

    def tell_rate(self, rate):
        return "drawn in every frame" if rate == math.inf else f"drawn {rate} times a second"

    def begin(self, time):
        for lane in self.lanes:
            lane.begin(self.ticks.value, time)

    def draw(self, alpha):
        """Draw at the refresh rate of the simulated display, which is slower than the screen."""
        now = (self.tick - 1 + alpha) / 60
        if self.refresh_rate.value < math.inf:
            refresh = math.floor(now * self.refresh_rate.value + 1e-6)
            if refresh == self.shown:
                return
            self.shown = refresh
            now = refresh / self.refresh_rate.value
        drawn = np.array([lane.advance(round(now * 1e9), self.scale.value) for lane in self.lanes])
        drawn[:, 0] = START + drawn[:, 0] % (END - START)
        drawn[:, 1] += self.heights
        self.runners.position = drawn
        self.runners.teleport(slice(None))
        self.leave_dots(drawn)
        self.pictures += 1
        if self.pictures % 10 == 0:
            for lane, number in zip(self.lanes, self.numbers, strict=True):
                number.text = lane.unevenness

    def leave_dots(self, positions):
        """Move the oldest dots to where the runners were drawn. Fade the other dots."""
        rows = self.pictures % DOTS * len(positions) + np.arange(len(positions))
        self.dots.position[rows] = positions
        self.dots.visible[rows] = True
        self.dots.color[:, 3] *= 0.98
        self.dots.color[rows] = 1.0, 0.8, 0.45, 1.0
        self.dots.teleport(rows)

    def choose(self, index):
        self.chosen = index % len(self.sliders)
        for number, slider in enumerate(self.sliders):
            bright = number == self.chosen
            slider.label.color = (1.0, 0.85, 0.5, 1.0) if bright else (0.7, 0.73, 0.95, 1.0)
            slider.knob.color = (1.0, 0.78, 0.4, 1.0) if bright else (0.6, 0.63, 0.85, 1.0)

    def set(self, index=None, x=None):
        """Move the chosen slider to one of its values, or to the mouse."""
        slider = self.sliders[self.chosen]
        tick_rate = self.ticks.value
        slider.choose(index) if x is None else slider.drag(x)
        if self.ticks.value != tick_rate:
            self.begin(self.lanes[0].time + self.lanes[0].loop.time)
        for lane in self.lanes:
            lane.seen = []

    def on_mouse_press(self, x, y, button, modifiers):
        for number, slider in enumerate(self.sliders):
            if slider.is_at(x, y):
                self.choose(number)
                self.held = True
                self.set(x=x)

    def on_mouse_drag(self, x, y, dx, dy, buttons, modifiers):
        if self.held:
            self.set(x=x)

    def on_mouse_release(self, x, y, button, modifiers):
        self.held = False

    def on_key_press(self, symbol, modifiers):
        if symbol in (fw.key.UP, fw.key.DOWN):
            self.choose(self.chosen + (1 if symbol == fw.key.DOWN else -1))
        elif symbol in (fw.key.LEFT, fw.key.RIGHT):
            self.set(self.sliders[self.chosen].index + (1 if symbol == fw.key.RIGHT else -1))


if __name__ == "__main__":
    fw.run(Lanes, size=(960, 540), resolution=(960, 540))
