"""Rooms: walk through a house and listen. Walls muffle the sounds of the other rooms.

WASD or the arrow keys walk. Space, or a click, claps: you hear the echo of the room. Each room has
filters, an echo and a reverb, and the music becomes quieter while you clap. Dots fly from each sound
to you. Behind a wall the dots are small, because the sound is muffled there. The bars are the
spectrum of everything that you hear. Keys 1 to 5 move you into a room.
"""

import numpy as np

import framework as fw
from framework import collide

PLAN = """
##############################
#........#..........#........#
#........#..........#........#
#...................#........#
#........#...................#
#........#..........#........#
#........#..........#........#
####..########..########..####
#..............#.............#
#..............#.............#
#............................#
#............................#
#..............#.............#
#..............#.............#
##############################
"""
TILE = 32
BOTTOM = 60
BARS = 60
DOTS = 16
RATE = 48_000
WALK = 190  # units per second
WALL = "#171a2e"
WALL_TOP = "#3b4468"
# First and last column and row, floor tile, color, low-pass and high-pass in hertz, echo, reverb
ROOMS = {
    "chapel": ((1, 1, 8, 6), 2, (1.0, 0.8, 0.5), 11_000, 30, 0.0, 0.7),
    "pool": ((10, 1, 19, 6), 5, (0.45, 0.85, 1.0), 1_100, 20, 0.0, 0.45),
    "radio room": ((21, 1, 28, 6), 1, (1.0, 0.62, 0.45), 3_000, 500, 0.0, 0.0),
    "garden": ((1, 8, 14, 13), 4, (0.6, 1.0, 0.55), 18_000, 20, 0.0, 0.03),
    "stairwell": ((16, 8, 28, 13), 3, (0.8, 0.65, 1.0), 13_000, 60, 0.55, 0.2),
}
# The image, the position, and the volume of each sound
SOURCES = {
    "organ": (fw.art.star, (104, 470), 0.9),
    "drops": (fw.art.rock, (480, 440), 0.7),
    "radio": (fw.art.crate, (850, 470), 0.6),
    "birds": (fw.art.tree, (100, 190), 0.7),
    "clock": (fw.art.coin, (800, 170), 0.8),
}
CHORDS = [(220, 262, 330, 392), (175, 220, 262, 349), (196, 247, 294, 392), (165, 208, 247, 330)]


def tone(frequency, seconds, partials, decay):
    """Return a plucked tone of several partials."""
    t = np.arange(round(seconds * RATE)) / RATE
    fade = np.minimum(1, np.minimum(t / 0.004, (seconds - t) / 0.03))
    waves = [
        strength * np.exp(-decay * t * factor) * np.sin(2 * np.pi * frequency * factor * t)
        for factor, strength in partials
    ]
    return fade * sum(waves)


def chirp(low, high, seconds):
    """Return a tone that rises from one frequency to another."""
    t = np.arange(round(seconds * RATE)) / RATE
    frequency = low + (high - low) * t / seconds
    return 0.4 * np.sin(np.pi * t / seconds) ** 2 * np.sin(2 * np.pi * np.cumsum(frequency) / RATE)


def loop(seconds, notes):
    """Return a sound of notes, each a pair of its start in seconds and its samples. If a note is
    longer than the rest of the sound, it continues at the beginning."""
    samples = np.zeros(round(seconds * RATE))
    for start, note in notes:
        np.add.at(samples, (round(start * RATE) + np.arange(len(note))) % len(samples), note)
    return fw.Sound.of(np.clip(samples, -1, 1))


def sounds():
    """Return the sounds of the house by name."""
    organ = [(1, 0.16), (2, 0.1), (3, 0.06), (4, 0.04), (6, 0.02)]
    melody = [5, 8, 12, 8, 3, 7, 10, 7, 0, 3, 8, 12, 10, 8, 7, 3]
    radio = [(1, 0.25), (3, 0.08), (5, 0.05), (7, 0.03)]
    return {
        "organ": loop(
            8, [(2 * n, tone(f / 2, 2.2, organ, 0.25)) for n in range(4) for f in CHORDS[n][::2]]
        ),
        "drops": loop(
            3,
            [
                (at, chirp(low, 2.2 * low, 0.07))
                for at, low in (
                    (0, 620),
                    (0.4, 840),
                    (0.9, 540),
                    (1.3, 960),
                    (2.0, 700),
                    (2.3, 500),
                )
            ],
        ),
        "radio": loop(
            4, [(n / 4, tone(392 * 2 ** (melody[n] / 12), 0.3, radio, 5)) for n in range(16)]
        ),
        "birds": loop(
            4,
            [
                (start + n * 0.11, chirp(high, high * (1.3 if n % 2 else 0.8), 0.08))
                for start, high, count in ((0.2, 3400, 4), (1.5, 4200, 6), (2.9, 2900, 3))
                for n in range(count)
            ],
        ),
        "clock": loop(
            2, [(n, tone(2100 - 500 * n, 0.05, [(1, 0.6), (2.4, 0.4)], 30)) for n in (0, 1)]
        ),
    }


class Rooms(fw.Game):
    # Only `draw` uses these shapes and dots, because sound is not part of the state of a game.
    not_state = ("bars", "heights", "dots", "seconds")

    def setup(self):
        self.background = (0.05, 0.055, 0.1)
        self.plan = np.array([[tile == "#" for tile in row] for row in PLAN.split()])
        self.walls = collide.TileGrid(self.plan, TILE, (0, BOTTOM))
        self.build_house()
        self.build_sound()
        self.heroes = self.add(fw.SpriteBatch(fw.Clips(fw.art.walker, walk=(0, 4, 8))))
        self.hero = self.heroes.add(position=(400, 200), scale=0.8)
        self.ring = self.shapes.add_circle((400, 200), 20, color=(1, 1, 1, 0))
        self.title = self.labels.add(
            "", (480, 30), anchor=("center", "center"), font_size=20, color=(1, 1, 1)
        )
        self.labels.add("WASD: walk", (24, 30), anchor=("left", "center"), font_size=13)
        self.labels.add("space, click: clap", (936, 30), anchor=("right", "center"), font_size=13)
        self.room = "garden"
        self.walk_into("garden", seconds=0.0)

    def build_house(self):
        """Add the floors, the walls, and the names of the rooms."""
        self.floors = {}
        for name, ((left, top, right, bottom), tile, color, *_) in ROOMS.items():
            columns, rows = np.meshgrid(np.arange(left, right + 2), np.arange(top, bottom + 2))
            floor = self.floors[name] = self.add(fw.SpriteBatch(fw.art.tiles[tile], columns.size))
            floor.position[:, 0] = (columns.ravel() + 0.5) * TILE
            floor.position[:, 1] = BOTTOM + (14.5 - rows.ravel()) * TILE
            floor.color[:, :3] = np.array(color) * 0.3
        self.shapes = self.add(fw.Shapes())
        rows, columns = np.nonzero(self.plan)
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            x = (column + 0.5) * TILE
            y = BOTTOM + (14.5 - row) * TILE
            self.shapes.add_box((x, y), (TILE, TILE), color=WALL)
            if row == 14 or not self.plan[row + 1, column]:
                self.shapes.add_box((x, y - 12), (TILE, 8), color=WALL_TOP)
        for name, ((left, top, *_), _, color, *_) in ROOMS.items():
            self.labels.add(
                name,
                (left * TILE + 8, BOTTOM + (15 - top) * TILE - 6),
                anchor=("left", "top"),
                font_size=12,
                color=(*color, 0.9),
            )
        self.dots = self.add(fw.Shapes())
        for _ in range(len(SOURCES) * DOTS):
            self.dots.add_circle((0, -20), 5.5)
        self.bars = self.add(fw.Shapes())
        for number in range(BARS):
            self.bars.add_box(((number + 0.5) * 16, 4), (12, 2), color=(1, 1, 1, 0.5))
        self.heights = np.zeros(BARS)
        self.seconds = 0.0

    def build_sound(self):
        """Add the effects of the rooms, and start all sounds."""
        buses = self.audio.buses
        world = buses.add("world")
        house = buses.add("house")
        claps = buses.add("claps")
        house.parent = claps.parent = world
        self.low = world.add_effect(fw.LowPass(18_000))
        self.high = world.add_effect(fw.HighPass(20))
        self.echo = world.add_effect(fw.Echo(0.27, feedback=0.5, wet=0))
        self.reverb = world.add_effect(fw.Reverb(3.2, damping=0.35, wet=0))
        house.add_effect(fw.Ducking(claps, 8, release=0.6))
        self.clap = loop(
            1.0,
            [(at, tone(900, 0.08, [(1, 0.3), (1.7, 0.3), (2.9, 0.2)], 30)) for at in (0, 0.012)],
        )
        self.hearing = fw.Camera2D(self.size)
        self.audio.listener = self.hearing  # you hear the sounds as if you stood where the hero is
        self.audio.occlusion = self.walls
        self.audio.reach = 130
        for name, sound in sounds().items():
            image, position, volume = SOURCES[name]
            sound.play(loop=True, bus="house", position=position, volume=volume)
            self.sprites.add(image, position=position, scale=36 / max(image.shape[:2]))

    def update(self, dt):
        keys = self.keys
        move = np.array([keys.axis("left", "right"), keys.axis("down", "up")])
        move = move + [keys.axis("a", "d"), keys.axis("s", "w")]
        if move.any():
            step = move / max(1.0, float(fw.exact.hypot(*move))) * WALK * dt
            (self.hero.position,), _ = collide.move(
                [self.hero.position], (20, 20), [step], self.walls
            )
            self.hero.play("walk")
            if move[0]:
                self.hero.flip = bool(move[0] < 0), False
        elif self.hero.clip:
            self.heroes.stop()
        self.hearing.position = self.hero.position
        column = self.hero.x // TILE
        row = 14 - (self.hero.y - BOTTOM) // TILE
        for name, ((left, top, right, bottom), *_) in ROOMS.items():
            if left <= column <= right and top <= row <= bottom and name != self.room:
                self.walk_into(name)
        for name, floor in self.floors.items():
            color = np.array(ROOMS[name][2]) * (0.62 if name == self.room else 0.28)
            floor.color[:, :3] += (color - floor.color[:, :3]) * 0.08

    def walk_into(self, name, seconds=0.6):
        """Change all effects so that they sound like a room."""
        self.room = name
        _, _, color, low, high, echo, reverb = ROOMS[name]
        self.title.text = name
        self.title.color = color
        if seconds == 0:
            self.low.frequency = low
            self.high.frequency = high
            self.echo.wet = echo
            self.reverb.wet = reverb
            return
        self.tween(self.low, frequency=low, duration=seconds, ease="out_cubic")
        self.tween(self.high, frequency=high, duration=seconds)
        self.tween(self.echo, wet=echo, duration=seconds)
        self.tween(self.reverb, wet=reverb, duration=seconds)

    def clap_hands(self):
        self.clap.play(bus="claps")
        self.ring.position = self.hero.position
        self.ring.scale = 1
        self.ring.color = (1, 1, 1, 0.4)
        self.tween(self.ring, scale=6, alpha=0, duration=0.9, ease="out_quad")

    def draw(self, alpha):
        self.draw_dots(self.hero.drawn_position(alpha))
        self.draw_spectrum()

    def draw_dots(self, hero):
        """Draw dots that fly from each sound to the hero, small and dark behind the first wall."""
        self.seconds = (self.seconds + 1 / 60) % 1000
        for number, (_, position, _) in enumerate(SOURCES.values()):
            way = np.array(hero) - position
            free = fw.paths.raycast(self.walls, position, way)[0]
            count = max(3, min(DOTS, int(fw.exact.hypot(*way) / 26)))
            shares = (np.arange(DOTS) + self.seconds * 1.6) / count % 1.0
            rows = slice(number * DOTS, (number + 1) * DOTS)
            is_free = shares < free
            color = np.array(list(ROOMS.values())[number][2])
            brightness = np.where(is_free, 0.95, 0.4) * np.minimum(1, 6 * shares * (1 - shares))
            brightness[count:] = 0
            self.dots.position[rows] = position + way * shares[:, None]
            self.dots.color[rows, :3] = color
            self.dots.color[rows, 3] = brightness
            self.dots.scale[rows] = np.where(is_free, 1.0, 0.45)[:, None]

    def draw_spectrum(self):
        """Draw the spectrum of everything that you hear, on a scale of 60 decibels."""
        decibels = 20 * np.log10(np.maximum(self.audio.buses["world"].spectrum(BARS), 1e-4))
        heights = np.clip(1 + (decibels + 12) / 60, 0, 1)
        self.heights = np.maximum(heights, self.heights * 0.9)
        self.bars.size[:, 1] = 2 + 52 * self.heights
        self.bars.position[:, 1] = 1 + 26 * self.heights
        self.bars.color[:, :3] = ROOMS[self.room][2]
        self.bars.color[:, 3] = 0.12 + 0.4 * self.heights

    def on_key_press(self, symbol, modifiers):
        if fw.key._1 <= symbol < fw.key._1 + len(ROOMS):
            left, top, right, bottom = list(ROOMS.values())[symbol - fw.key._1][0]
            self.hero.teleport(
                ((left + right + 1) / 2 * TILE, BOTTOM + (14 - (top + bottom) / 2) * TILE)
            )
        elif symbol == fw.key.SPACE:
            self.clap_hands()

    def on_mouse_press(self, x, y, button, modifiers):
        self.clap_hands()


if __name__ == "__main__":
    fw.run(Rooms, size=(960, 540), resolution=(960, 540))
