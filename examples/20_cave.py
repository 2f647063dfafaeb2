"""A lamp-lit cave: find the seven crystals by the light of a torch, before the watchers see you in it.

WASD, arrow keys or a gamepad's left stick walk; space or a pad's "a" hides the torch. Watchers see you only where it is
light: `lights.at` says how light it is. Until somebody plays, the game does.
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
TILE, ROCK = 12, 9  # pixels of a tile; how deep light goes into rock
WALK, PROWL = 62, 26  # units a second
TORCH = "#ffb968"
SEEN = 0.32  # who stands in more light than that is seen by those who look his way
PALETTE = np.array([(0, 0, 0, 0), (46, 38, 60, 255), (94, 76, 92, 255), (139, 112, 112, 255), (226, 170, 120, 255),
                    (250, 236, 200, 255), (120, 62, 54, 255), (88, 190, 230, 255)], np.uint8)  # fmt: skip
HERO = ["..444...", ".45454..", "..444...", ".66666..", "4.666.4.", "..666...", "..2.2...", ".22.22.."]
WATCHER = ["...22...", "..2222..", ".262262.", ".222222.", "..2222..", "..2..2..", ".2....2."]
CRYSTAL = ["...7....", "..757...", ".7757.7.", ".77757..", "..777...", "...7...."]
BRAZIER = ["...4....", "..454...", "..4554..", "...44...", ".222222.", "..2222..", "...22..."]


def art(rows):
    """An image from rows of numbers of the palette."""
    return PALETTE[np.array([[0 if mark == "." else int(mark) for mark in row] for row in rows])]


def tiles(random):
    """Six tiles in a row: three of floor, three of rock, each of its own grain."""
    grain = random.normal(0, 1, (TILE, 6 * TILE))
    soft = sum(np.roll(grain, shift, (0, 1)) for shift in ((0, 0), (0, 1), (1, 0), (1, 1))) / 2
    base = np.repeat([[128, 112, 118], [150, 128, 118]], 3 * TILE, axis=0)
    pixels = base + soft[..., None] * np.repeat([7, 16], 3 * TILE)[:, None]
    pixels[0, 3 * TILE :] += 26
    return np.clip(np.dstack([pixels, np.full(pixels.shape[:2], 255)]), 0, 255).astype(np.uint8)


class Cave(fw.Game):
    def setup(self):
        self.actions = fw.Actions(
            move=fw.Stick("a d s w", "left right down up", "pad:leftstick", deadzone=0.2), hide=["space", "pad:a"]
        )
        rock = np.array([[mark == "#" for mark in row] for row in CAVE.split()])
        numbers = self.random.integers(1, 4, rock.shape) + 3 * rock
        self.level = self.add(fw.TileLayer(tiles(self.random), (TILE, TILE), numbers, solid=(4, 5, 6)))
        self.free = np.argwhere(~rock)
        pick = self.random.choice(len(self.free), 24, replace=False)
        spots = [self.level.center(tuple(cell)) for cell in self.free[pick].tolist()]
        self.things = self.add(fw.SpriteBatch([art(BRAZIER), art(CRYSTAL)], filter="nearest"))
        self.things.extend(6, 0, position=spots[:6])
        self.things.extend(7, 1, position=spots[6:13])
        self.watchers = self.add(fw.SpriteBatch(art(WATCHER), filter="nearest", columns="velocity"))
        self.watchers.extend(5, position=spots[13:18])
        self.hero = self.add(fw.SpriteBatch(art(HERO), filter="nearest")).add(position=self.level.center((7, 4)))
        self.light_up()
        fw.Follow(self.camera, self.hero, smoothing=0.9, bounds=(0, 0, *self.level.size))
        self.sounds = {kind: fw.Sound.sfx(8, kind) for kind in ("coin", "hit", "powerup")}
        words = self.add(fw.TextBatch(size=9), camera=self.hud, layer=2)
        self.board = words.add("", (6, self.height - 14), color="#ffd9a0")
        self.hint = words.add("WASD or stick: walk    space: hide the torch", (6, 5), color="#ffd9a080")
        self.idle, self.goal, self.open = math.inf, None, 1.0

    def light_up(self):
        """Lamps, and what throws shadows: the rock, and everybody who walks."""
        lights = self.lights = self.add(fw.Lights2D(ambient=(0.07, 0.07, 0.13)), layer=1)
        things = self.things.position
        lights.extend(6, position=things[:6] + (0, 2), radius=82, softness=2.5, flicker=0.4, flicker_rate=7,
                      color=(1.1, 0.58, 0.24))  # fmt: skip
        lights.extend(7, position=things[6:], radius=30, flicker=0.5, flicker_rate=0.7, color=(0.2, 0.7, 0.95))
        self.torch = lights.add(color=TORCH, radius=118, intensity=1.25, softness=2, flicker=0.22)
        self.eyes = lights.extend(5, radius=88, cone=0.9, color=(0.95, 0.2, 0.16), softness=1)
        lights.add_walls(self.level, depth=ROCK)
        lights.add_walls([self.watchers, self.hero.batch], size=(5, 5))

    def update(self, dt):
        self.walk(dt)
        self.prowl(dt)
        self.torch.position = self.hero.position
        self.torch.intensity += ((1.25 if self.open else 0.16) - self.torch.intensity) * 0.2
        self.gather()
        self.watch()
        found = 13 - len(self.things)
        self.board.text = f"crystals {found} / 7" if found < 7 else "all seven found"

    def walk(self, dt):
        move, actions = np.array(self.actions["move"]), self.actions
        self.idle = 0.0 if move.any() or actions.held("hide") else self.idle + dt
        self.hint.visible = self.idle > 4
        self.open = not actions.held("hide")
        if self.idle > 4:
            move = self.autopilot()
        far = float(fw.exact.hypot(*move))
        (self.hero.position,), _ = collide.move(
            [self.hero.position], (7, 7), [move / max(far, 1) * WALK * dt], self.level
        )
        if abs(move[0]) > 0.1:
            self.hero.flip = move[0] < 0, False

    def autopilot(self):
        """To the next crystal, around the rock."""
        crystals = self.things.position[self.things.image == 1]
        goal = crystals[0] if len(crystals) else np.array(self.level.center((7, 4)))
        if self.goal is None or not np.array_equal(goal, self.goal):
            self.goal = goal.copy()
            self.field = fw.paths.FlowField(self.level, [self.goal])
        return self.field.direction([self.hero.position])[0]

    def prowl(self, dt):
        """Watchers go ahead until they come up against something, then another way."""
        watchers, n = self.watchers, len(self.watchers)
        if self.tick == 1:
            watchers.velocity = self.random.choice([(PROWL, 0), (-PROWL, 0), (0, PROWL), (0, -PROWL)], n)
        watchers.position, touched = collide.move(watchers.position, (9, 9), watchers.velocity * dt, self.level)
        hit = touched.on_wall | touched.on_floor | touched.on_ceiling
        turn = self.random.choice((-1, 1), (n, 1)) * watchers.velocity[:, ::-1] * (1, -1)
        watchers.velocity = np.where(hit[:, None], turn, watchers.velocity)
        self.lights.position[self.eyes] = watchers.position
        ways = fw.exact.arctan2(watchers.velocity[:, 1], watchers.velocity[:, 0])
        off = ways - self.lights.angle[self.eyes]
        self.lights.angle[self.eyes] += 0.12 * (off - math.tau * np.rint(off / math.tau))

    def watch(self):
        """Who is seen: near, in light, with no rock between, and not behind their backs."""
        here = np.array(self.hero.position)
        off = here - self.watchers.position
        near = (fw.exact.hypot(*off.T) < 80) & ((off * self.watchers.velocity).sum(axis=1) > 0)
        near &= fw.paths.line_of_sight(self.level, self.watchers.position, here)
        if near.any() and self.lights.at(here).max() > SEEN and self.open:
            self.watchers.velocity[near] = off[near] / fw.exact.hypot(*off[near].T)[:, None] * PROWL * 1.6
            if (fw.exact.hypot(*off[near].T) < 9).any():
                self.sounds["hit"].play(volume=0.4)
                self.camera.shake(5, 20, seed=self.tick)
                self.hero.teleport(self.level.center((7, 4)))

    def gather(self):
        crystals = np.flatnonzero(self.things.image == 1)
        far = fw.exact.hypot(*(self.things.position[crystals] - self.hero.position).T)
        for row in crystals[far < 9].tolist():
            self.things.remove([row])
            self.lights.remove([row])
            self.eyes = slice(self.eyes.start - 1, self.eyes.stop - 1)
            self.sounds["coin"].play(volume=0.4)


if __name__ == "__main__":
    fw.run(Cave, size=(960, 540), resolution=(320, 180), exact=True)
