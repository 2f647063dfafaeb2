"""Cave: pixel art. Find seven crystals by torchlight before the watchers see you.

WASD, arrow keys or a gamepad's left stick walk. Space or the gamepad's A hides the torch. Watchers
see you only in light, which `lights.at` returns. Without a player, the game plays itself.
"""

import math

import numpy as np

import framework as fw
from framework import collide

CAVE = """
########################################
#########....#####..........############
####...........##....####......###....##
##......##...........#####............##
##.....####....##....######...##......##
###....####...####...######..####....###
#####...##....####....###....####...####
###...........###..................#####
##.....##............##....##.......####
#.....####....##....####..####...##..###
#.....####...####...####..####..####..##
##.....##....####....##....##...####..##
###...........##.................##..###
####....##.........###....###.......####
#####..####..##...#####..#####.....#####
####...####.####..#####..#####....######
###.....##..####...###....###....#######
##...........##.................########
###....###.........####..##....#########
########################################
"""
TILE = 16  # size of a tile in pixels
ROCK = 13  # how far light reaches into rock
WALK = 80  # units per second
PROWL = 34  # units per second
TORCH = "#ffbe78"
SEEN = 0.32  # brightness above which watchers see the player
# The palette: each line is a ramp from dark to bright, in which a light may fade without steps.
RAMPS = [
    "#08070f #151123 #2c2440 #4c3f5b #83727f #f3e6c4",  # rock without a torch
    "#08070f #221a20 #402d2a #60453e #825d50 #a77258 #c68a5f #e0aa6e #e6cc82 #fff0ac",  # by torchlight
    "#08070f #281314 #48251f #723d30 #96533c #be6846 #e17e4c #f09e60 #fdc17c",  # near a brazier
    "#08070f #240a18 #560f22 #8c1b2d #c8383c #ff8a66",  # in a watcher's light
    "#08070f #0a1a2c #0f3350 #1a5a80 #2e8fb4 #62c6dc #e0fcff",  # around a crystal
    "#1a2a30 #2f4a4c #527a76 #9cc4b0",  # the hero's coat
]
SHADES = 4  # colors of the palette from one color of a ramp to the next
INK = {".": (0, 0, 0, 0), "k": (22, 18, 32, 255), "c": (64, 96, 110, 255), "C": (104, 146, 150, 255),
       "s": (240, 190, 150, 255), "b": (86, 60, 52, 255), "d": (60, 50, 78, 255), "D": (104, 84, 118, 255),
       "e": (255, 96, 70, 255), "g": (40, 120, 170, 255), "w": (225, 252, 255, 255), "t": (96, 196, 224, 255),
       "m": (122, 112, 124, 255), "o": (235, 130, 50, 255), "y": (255, 214, 110, 255)}  # fmt: skip
HERO = [
    "...kkkk...",
    "..kcCCck..",
    ".kcCCCCck.",
    ".kcssssck.",
    ".kcskskck.",
    "..kssssk..",
    ".kccCCcck.",
    "kccCCCCcck",
    "kscCCCCcsk",
    ".kcCCCCck.",
    "..kbkkbk..",
    "..kk..kk..",
]
WATCHER = [
    "...kkkk...",
    "..kddddk..",
    ".kddDDddk.",
    ".kdDDDDdk.",
    ".kdkDDkdk.",
    ".kddDDddk.",
    "kdddDDdddk",
    "kddDDDDddk",
    "kdDDDDDDdk",
    "kdDkDDkDdk",
    ".kk.kk.kk.",
]
CRYSTAL = [
    "....w....",
    "...wtg...",
    "...wtg...",
    ".w.wtg.t.",
    "wt.wtg.tg",
    "wtgwtgwtg",
    "wtgwtgwtg",
    ".tgwtgtg.",
    "..kktgkk.",
    ".kkkkkkk.",
]
BRAZIER = ["..........", "kmmmmmmmmk", ".kmkmkmkk.", "..kmmmmk..", "...kmmk...", "..kk..kk.."]
FLAMES = [
    ["...y....", "...oy...", "..yoo.o.", "..oyyoo.", ".oyywyo.", ".oywwyo.", "..oyyo.."],
    ["....y...", "..y.o...", "..ooy...", ".ooyyo..", ".oywyyo.", ".oywwyo.", "..oyyo.."],
    ["...o....", "....y...", ".o.yoy..", ".ooyyoo.", ".oyywyo.", ".oywwyo.", "..oyyo.."],
]


def shades(ramp):
    """Return the colors of a ramp, with more colors between them."""
    keys = np.array([[int(key[i : i + 2], 16) / 255 for i in (1, 3, 5)] for key in ramp.split()])
    at = np.linspace(0, len(keys) - 1, SHADES * (len(keys) - 1) + 1)
    return np.column_stack([np.interp(at, np.arange(len(keys)), part) for part in keys.T]).tolist()


def art(rows):
    """Return an image from rows of characters. Each character is a color."""
    return np.array([[INK[mark] for mark in row] for row in rows], np.uint8)


def tiles(random):
    """Return eight tiles in a row: four of floor, two of rock from above, two of rock below an
    edge, in a few shades.
    """
    grain = random.normal(0, 1, (TILE, 8 * TILE))
    soft = sum(np.roll(grain, shift, (0, 1)) for shift in ((0, 0), (0, 1), (1, 0), (1, 1))) / 2
    shade = soft * np.repeat([0.35, 0.9, 0.8], np.array([4, 2, 2]) * TILE)
    y, x = np.indices((TILE, TILE))
    cracks = (y == 9 + abs(x - 5) // 2 % 3) & (x < 12)
    stones = ((4, 5, 5), (10, 11, 8), (12, 4, 2))
    pebbles = sum(
        ((x - left) ** 2 + 2 * (y - top) ** 2 < reach) * 1.8 for left, top, reach in stones
    )
    shade[:, 2 * TILE : 3 * TILE] -= 2.2 * cracks
    shade[:, 3 * TILE : 4 * TILE] += pebbles - np.roll(pebbles > 0, 1, axis=0) * 0.8
    blocks = ((y % 8 == 7) | ((x + 4 * (y // 8)) % 8 == 7)) * -1.6 - 0.05 * y + 2.2 * (y < 2)
    shade[:, 6 * TILE :] += np.tile(blocks, 2)
    base = np.repeat(
        [[112, 104, 112], [96, 84, 104], [150, 126, 118]], np.array([4, 2, 2]) * TILE, axis=0
    )
    pixels = base + np.rint(shade)[..., None] * 15
    return np.clip(np.dstack([pixels, np.full(pixels.shape[:2], 255)]), 0, 255).astype(np.uint8)


class Cave(fw.Game):
    def setup(self):
        self.actions = fw.Actions(
            move=fw.Stick("a d s w", "left right down up", "pad:leftstick", deadzone=0.2),
            hide=["space", "pad:a"],
        )
        rock = np.array([[mark == "#" for mark in row] for row in CAVE.split()])
        face = rock & ~np.vstack([rock[1:], rock[:1]])  # the tile below is free
        floor = self.random.choice((1, 2, 3, 4), rock.shape, p=(0.42, 0.42, 0.08, 0.08))
        numbers = np.where(rock, self.random.integers(5, 7, rock.shape) + 2 * face, floor)
        self.level = self.add(
            fw.TileLayer(fw.TileSet(tiles(self.random), (TILE, TILE), solid=(5, 6, 7, 8)), numbers)
        )
        self.free = np.argwhere(~rock)
        pick = self.random.choice(len(self.free), 24, replace=False)
        spots = [self.level.cell_center(tuple(cell)) for cell in self.free[pick].tolist()]
        self.things = self.add(fw.SpriteBatch([art(BRAZIER), art(CRYSTAL)]))
        self.things.extend(6, 0, position=spots[:6])
        self.things.extend(7, 1, position=spots[6:13])
        self.watchers = self.add(fw.SpriteBatch(art(WATCHER), columns="velocity"))
        self.watchers.extend(5, position=spots[13:18])
        self.hero = self.add(fw.SpriteBatch(art(HERO))).add(position=self.level.cell_center((7, 4)))
        self.light_up()
        self.glow()
        fw.Follow(self.camera, self.hero, smoothing=0.9, bounds=(0, 0, *self.level.size))
        self.sounds = {kind: fw.Sound.sfx(8, kind) for kind in ("coin", "hit", "powerup")}
        self.picture.palette = fw.Palette(
            [color for ramp in RAMPS for color in shades(ramp)], dither=0.6
        )
        self.board = self.add(fw.SpriteBatch(art(CRYSTAL), 7), camera=self.hud, layer=2)
        self.board.position[:, 0] = 10 + 12 * np.arange(7)
        self.board.position[:, 1] = self.height - 10
        words = self.add(fw.TextBatch(fw.art.fonts.pixel, 10), camera=self.hud, layer=2)
        self.hint = words.add(
            "WASD or stick: walk   space: hide the torch",
            (6, 5),
            color="#f5b561",
            outline="#120c1a",
        )
        self.idle = math.inf
        self.goal = None
        self.open = 1.0

    def light_up(self):
        """Add the lights, and what casts shadows: the rock, the player and the watchers."""
        lights = self.lights = self.add(fw.Lights2D(ambient=(0.11, 0.1, 0.2)), layer=1)
        things = self.things.position
        lights.extend(
            6,
            position=things[:6] + (0, 6),
            radius=110,
            softness=3,
            flicker=0.35,
            flicker_rate=7,
            color=(1.15, 0.62, 0.26),
        )
        lights.extend(
            7,
            position=things[6:],
            radius=46,
            flicker=0.5,
            flicker_rate=0.7,
            color=(0.25, 0.85, 1.1),
        )
        self.torch = lights.add(color=TORCH, radius=150, intensity=1.25, softness=3, flicker=0.22)
        self.eyes = lights.extend(5, radius=115, cone=0.9, color=(0.8, 0.16, 0.14), softness=1)
        lights.add_walls(self.level, depth=ROCK)
        lights.add_walls([self.watchers, self.hero.batch], size=(6, 6))

    def glow(self):
        """Draw flames, sparks and the watchers' eyes over the light, because they shine."""
        burn = fw.Clips([art(rows) for rows in FLAMES], burn=fw.Clip([0, 1, 2], rate=8))
        flames = self.add(fw.SpriteBatch(burn, 6), layer=2)
        flames.position = self.things.position[:6] + (0, 6)
        flames.play("burn", skip=self.random.uniform(0, 0.3, 6))
        sparks = self.add(
            fw.Particles(
                np.full((1, 1, 4), 255, np.uint8),
                400,
                size=1,
                lifetime=(0.5, 1.3),
                speed=(6, 16),
                spread=0.5,
                direction=math.tau / 4,
                gravity=(0, 14),
                noise=(3, 1),
                filter="nearest",
                color=fw.Curve("#ffe09a", "#f5b561", "#ad5a34", "#7d3a2c00"),
            ),
            layer=2,
        )
        for position in flames.position:
            sparks.emitter(tuple(position), 5, emission_size=(5, 2))
        self.stares = self.add(fw.SpriteBatch(art(["e..e"]), 5), layer=2)

    def update(self, dt):
        self.walk(dt)
        self.prowl(dt)
        self.torch.position = self.hero.position
        self.torch.intensity += ((1.25 if self.open else 0.16) - self.torch.intensity) * 0.2
        self.gather()
        self.watch()
        self.stares.position = self.watchers.position + (0, 1)
        self.board.visible = np.arange(7) < 13 - len(self.things)

    def walk(self, dt):
        move = np.array(self.actions["move"])
        actions = self.actions
        self.idle = 0.0 if move.any() or actions.held("hide") else self.idle + dt
        self.hint.visible = self.idle > 4
        self.open = not actions.held("hide")
        if self.idle > 4:
            move = self.autopilot()
        far = float(fw.exact.hypot(*move))
        (self.hero.position,), _ = collide.move(
            [self.hero.position], (9, 9), [move / max(far, 1) * WALK * dt], self.level
        )
        if abs(move[0]) > 0.1:
            self.hero.flip = move[0] < 0, False

    def autopilot(self):
        """Walk to the next crystal, around the rock."""
        crystals = self.things.position[self.things.image == 1]
        goal = crystals[0] if len(crystals) else np.array(self.level.cell_center((7, 4)))
        if self.goal is None or not np.array_equal(goal, self.goal):
            self.goal = goal.copy()
            self.field = fw.paths.FlowField(self.level, [self.goal])
        return self.field.direction([self.hero.position])[0]

    def prowl(self, dt):
        """Move watchers ahead. A watcher that reaches an obstacle turns."""
        watchers = self.watchers
        n = len(self.watchers)
        if self.tick == 1:
            watchers.velocity = self.random.choice(
                [(PROWL, 0), (-PROWL, 0), (0, PROWL), (0, -PROWL)], n
            )
        watchers.position, touched = collide.move(
            watchers.position, (11, 11), watchers.velocity * dt, self.level
        )
        hit = touched.on_wall | touched.on_floor | touched.on_ceiling
        turn = self.random.choice((-1, 1), (n, 1)) * watchers.velocity[:, ::-1] * (1, -1)
        watchers.velocity = np.where(hit[:, None], turn, watchers.velocity)
        self.lights.position[self.eyes] = watchers.position
        directions = fw.exact.arctan2(watchers.velocity[:, 1], watchers.velocity[:, 0])
        off = directions - self.lights.angle[self.eyes]
        self.lights.angle[self.eyes] += 0.12 * (off - math.tau * np.rint(off / math.tau))

    def watch(self):
        """Check which watchers see the player: the player must be near, in light, in front of the
        watcher, and not behind rock.
        """
        here = np.array(self.hero.position)
        off = here - self.watchers.position
        near = (fw.exact.hypot(*off.T) < 105) & ((off * self.watchers.velocity).sum(axis=1) > 0)
        near &= fw.paths.line_of_sight(self.level, self.watchers.position, here)
        if near.any() and self.lights.at(here).max() > SEEN and self.open:
            self.watchers.velocity[near] = (
                off[near] / fw.exact.hypot(*off[near].T)[:, None] * PROWL * 1.6
            )
            if (fw.exact.hypot(*off[near].T) < 11).any():
                self.sounds["hit"].play(volume=0.4)
                self.camera.shake(5, 20, seed=self.tick)
                self.hero.teleport(self.level.cell_center((7, 4)))

    def gather(self):
        crystals = np.flatnonzero(self.things.image == 1)
        far = fw.exact.hypot(*(self.things.position[crystals] - self.hero.position).T)
        for row in crystals[far < 11].tolist():
            self.things.remove([row])
            self.lights.remove([row])
            self.eyes = slice(self.eyes.start - 1, self.eyes.stop - 1)
            self.sounds["coin"].play(volume=0.4)


if __name__ == "__main__":
    fw.run(Cave, size=(960, 540), resolution=(320, 180), pixel_art=True, exact=True)
