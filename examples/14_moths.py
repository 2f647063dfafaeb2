"""Moths: at night, hundreds of moths fly to your lantern, and its light is your life.

WASD or a gamepad's left stick walk. Arrow keys, the right stick, or the mouse with its button
shoot. Collect the light that moths drop: with more light, you fire more shots. Without a player,
the game plays itself.
"""

import functools
import math

import numpy as np

import framework as fw
from framework import collide

WOODS = """
############################
#######....####....#########
###......................###
##....##...........o......##
#.....##...................#
#..........................#
#..................##......#
##.......o.........##......#
##..................#.....##
###...............o......###
##...##...................##
###...##.................###
#######......####....#######
############################
"""
TILE = 54
SPRUCE = 0  # images of art/standing.png
OAK = 1
GOLD = 2
BOULDER = 3
BUSH = 4
WALKER = 8
FIRST = 60  # moths in the first wave
MORE = 50  # more moths in each further wave
MAX_MOTHS = 420  # moths at a time
# Each kind of moth: color, size, speed (units per second), hits until it dies, and the light
# that it drinks.
HUES = np.array([(0.62, 0.85, 1.0), (0.86, 0.68, 1.0), (1.0, 0.5, 0.42)], np.float32)
SIZES = np.array([0.62, 0.8, 1.5], np.float32)
SPEEDS = np.array([125, 165, 85], np.float32)
LIVES = np.array([1, 2, 14])
THIRST = np.array([0.05, 0.06, 0.2])
BULLET_SPEED = 820  # units per second
RELOAD = 0.075  # seconds
WALK = 185  # units per second
MOTE = 0.007  # light in a mote
PATIENCE = 5  # seconds without input until the game plays itself
BITE = (0.3, 14, 24, 40, "jump")  # pace, shock, its ticks, sparks, sound
END = (0.1, 30, 60, 300, "explosion")
DIM = np.array((0.12, 0.17, 0.36))  # brightness of colors that are far away
WARM = np.array((1.0, 0.92, 0.72))  # and of those nearby


def dark():
    """Return the darkness by which colors are multiplied. It has a hole for the light of the
    lantern."""
    y, x = np.mgrid[-1:1:512j, -1:1:512j]
    light = fw.exact.exp(-(x * x + y * y) / 0.017)[..., None]
    return np.dstack([255 * (DIM + (WARM - DIM) * light), np.full_like(x, 255)]).astype(np.uint8)


@functools.cache
def music():
    """Return a sound of four chords that swell and fade, with a music box."""
    rate = 24_000  # samples per second
    bar = 96_000  # samples per chord
    ring = 36_000  # samples per note of the music box
    t = np.arange(bar) / rate
    song = np.zeros((4, bar, 2))
    notes = np.array([(57, 60, 64, 69), (53, 57, 60, 65), (48, 55, 60, 64), (55, 59, 62, 67)])
    for chord, frequency in zip(song, 440 * 2 ** ((notes - 69) / 12), strict=True):
        turns = t[:, None] * frequency * math.tau
        chord += np.sin(math.pi * t / 4)[:, None] * 0.4 * np.sin(turns[:, :2] / 2)
        short = t[:, None][:ring]
        turns = turns[:ring]
        plucks = np.exp(-6 * short) * np.sin(2 * turns + np.exp(-20 * short) * np.sin(6 * turns))
        for step, note in enumerate((0, 2, 1, 3, 2, 1, 3, 2, 0, 3, 1, 2, 3, 2, 1, 3)):
            after = chord[step * 6000 :][:ring]
            after += plucks[: len(after), note, None] * (0.5 + 0.16 * note, 1 - 0.16 * note)
    return fw.Sound.of(song.reshape(-1, 2) * 0.13, rate)


def towards(positions, goal):
    """Return the directions to a goal (n, 2) of length 1, and the distances (n, 1)."""
    off = goal - positions
    far = fw.exact.hypot(*off.T)[:, None] + 1
    return off / far, far


class Moths(fw.Game):
    not_state = (
        "actions",
        "field",
        "field_cell",
    )  # the player's key bindings; the flow field is computed again

    def setup(self):
        self.actions = fw.Actions(
            move=fw.Stick("a d s w", "pad:leftstick", deadzone=0.2),
            aim=fw.Stick("left right down up", "pad:rightstick", deadzone=0.3),
            fire=["mouse:left", "space", "pad:righttrigger"],
        )
        tiles = np.array([list(row) for row in WOODS.split()])
        self.level = collide.TileGrid(tiles != ".", TILE)
        self.area = TILE * tiles.shape[1], TILE * tiles.shape[0]
        self.free = self.middles(tiles == ".")
        self.plant(tiles)
        fade = {"damping": 3, "color": fw.Curve("#fff", "#fff0")}
        flight = {"lifetime": (0.2, 0.6), "speed": (60, 330)}
        self.dust = self.add(
            fw.Particles("art/dust.png", 3000, size=fw.Curve(20, 44), speed=(10, 70), **fade)
        )
        wings = fw.sheet("art/moth.png", (48, 48), columns=3)
        self.shadows = self.add(fw.SpriteBatch(wings, capacity=MAX_MOTHS))
        self.moths = self.add(fw.SpriteBatch(wings, capacity=MAX_MOTHS, columns="velocity"))
        self.night = self.add(fw.SpriteBatch(dark(), 1, blend="multiply"))
        self.shine = self.add(fw.SpriteBatch("art/glow.png", capacity=MAX_MOTHS, blend="add"))
        self.motes = self.add(
            fw.SpriteBatch("art/glow.png", blend="add", columns=("velocity", "damping"))
        )
        self.bullets = self.add(fw.SpriteBatch("art/glow.png", blend="add", columns="velocity"))
        self.lamp = self.add(fw.SpriteBatch("art/glow.png", 2, blend="add"))
        self.lamp.color = [(1, 0.62, 0.25, 0.3), (1, 0.86, 0.6, 0.9)]
        self.sparks = self.add(
            fw.Particles(None, 6000, size=fw.Curve(9, 0), blend="add", **flight, **fade)
        )
        blink = fw.Curve("#b6ff7a00", "#b6ff7aa0", "#ffe27a20", "#ffe27a90", "#ffe27a00")
        flies = fw.Particles(
            None,
            200,
            lifetime=(4, 7),
            speed=(3, 16),
            noise=(26, 0.25),
            size=7,
            color=blink,
            blend="add",
        )
        self.add(flies).emitter(np.array(self.area) / 2, 14, emission_size=self.area, prewarm=7)
        middle = ("center", "center")
        big = self.add(fw.TextBatch(font_size=54), camera=self.hud)
        self.title = big.add("", (480, 400), anchor=middle, color="#ffe6b300")
        self.board = self.labels.add("", (20, 502), color="#ffe6b3")
        keys = "WASD, left stick: walk    arrows, mouse, right stick: shoot"
        self.hint = self.labels.add(keys, (480, 22), anchor=middle, color="#ffe6b3c0")
        self.sounds = {
            kind: fw.Sound.sfx(5, kind)
            for kind in ("laser", "hit", "explosion", "jump", "coin", "powerup")
        }
        music().play(loop=True, volume=0.5, bus="music")
        self.idle = math.inf
        self.field_cell = None
        self.begin()
        fw.Follow(self.camera, self.hero, smoothing=0.88, bounds=(0, 0, *self.area))

    def plant(self, tiles):
        """Add the ground and the trees and rocks on it. Sprites lower on the screen are in front."""
        random = self.random
        ground = self.add(fw.SpriteBatch(["art/dab.png", "art/wave.png"]))
        moss = ((1.8, 1.1), (0.31, 0.44, 0.34, 0.22))
        grass = ((0.45, 0.8), (0.52, 0.7, 0.42, 0.6))
        for image, (size, color) in enumerate((moss, grass)):
            positions = random.uniform((0, 0), self.area, (800, 2))
            sizes = random.uniform(0.6, 1.4, (800, 2)) * size
            colors = (random.normal(1, 0.16, (800, 1)) * color).clip(0, 1)
            ground.extend(800, image, position=positions, scale=sizes, color=colors)
        images = fw.sheet("art/standing.png", (56, 72), columns=4, rows=3, anchor=(28, 6))
        self.standing = self.add(fw.SpriteBatch(images, y_sort=True))
        trees = (SPRUCE, SPRUCE, OAK, GOLD)
        for mark, often, kinds, size in (
            ("#", 1, trees, 1.6),
            ("o", 1, [BOULDER], 1.5),
            (".", 0.12, [BUSH], 0.45),
        ):
            positions = self.middles((tiles == mark) & (random.uniform(size=tiles.shape) < often))
            n = len(positions)
            positions = positions + random.normal((0, -14), 5, positions.shape)
            sizes = random.uniform(0.86, 1.16, (n, 1)) * (size, size)
            self.standing.extend(n, random.choice(kinds, n), position=positions, scale=sizes)
        self.hero = self.standing.add(WALKER, scale=1.1)

    def middles(self, mask):
        return np.array(
            [self.level.cell_center(tuple(cell)) for cell in np.argwhere(mask).tolist()]
        )

    def begin(self):
        for batch in (self.moths, self.shadows, self.shine, self.motes, self.bullets):
            batch.remove(slice(None))
        self.kind = np.empty(0, int)
        self.lives = np.empty(0, int)
        self.light = 0.6
        self.wave = 0
        self.coming = 0
        self.shot = 0
        self.bitten = 0
        self.reload = 0.0
        self.pace = 1.0
        self.aim = 0.0
        self.hero.teleport((self.area[0] / 2, self.area[1] / 2 - 60))

    def update(self, dt):
        move, fire = self.wishes(dt)
        self.pace = self.sparks.time_scale = self.dust.time_scale = (
            self.pace + (1 - self.pace) * 0.06
        )
        dt *= self.pace  # slow motion for a moment after a hit
        if self.light > 0:
            self.walk(dt, move)
            self.shoot(dt, fire)
        elif self.tick > self.bitten + 100 and (fire or self.idle > PATIENCE):
            self.begin()
        self.come()
        self.fly(dt)
        self.hurt()
        self.gather(dt)
        self.place_shadows()

    def wishes(self, dt):
        """Return the input of the player or the autopilot: where to walk, and whether to shoot
        towards `aim`.
        """
        actions = self.actions
        mouse = self.mouse
        x, y = actions["move"]
        right, up = actions["aim"]
        fire = actions.held("fire")
        self.idle = 0.0 if x or y or right or up or fire or mouse.dx or mouse.dy else self.idle + dt
        self.hint.visible = self.idle > PATIENCE
        if self.idle > PATIENCE:
            return self.autopilot()
        if right or up:
            self.aim = fw.exact.arctan2(up, right)
        elif mouse.inside:
            inside = np.subtract(self.camera.screen_to_world(mouse.position), self.hero.position)
            self.aim = fw.exact.arctan2(inside[1], inside[0])
        return np.array((x, y)), bool(right or up or fire)

    def autopilot(self):
        """Walk away from moths and around them, to motes, not into the woods. Shoot at the nearest
        visible moth.
        """
        here = np.array(self.hero.position)
        moths = self.moths
        direction = (np.array(self.area) / 2 - here) / 250
        for batch, strength, reach in ((self.motes, -0.35, 260), (moths, 1.0, 150)):
            back, far = towards(batch.position, here)
            around = back + 0.8 * back[:, ::-1] * (-1, 1)
            direction += (strength * around * (1 - far / reach).clip(0, 1)).sum(axis=0)
        near = np.argsort(far[:, 0], kind="stable")[:6]
        near = near[
            (far[near, 0] < 420) & fw.paths.line_of_sight(self.level, moths.position[near], here)
        ][:1]
        for x, y in moths.position[near] + moths.velocity[near] * (far[near] / BULLET_SPEED) - here:
            self.aim = fw.exact.arctan2(y, x)
        return direction, len(near) > 0

    def walk(self, dt, move):
        far = float(fw.exact.hypot(*move))
        move = move / max(far, 1) * WALK * dt
        (self.hero.position,), _ = collide.move([self.hero.position], (22, 16), [move], self.level)
        self.hero.image = WALKER + (self.tick // 6 % 4 if far > 0.05 else 1)
        self.hero.flip = abs(self.aim) > math.pi / 2, False
        self.hand = np.add(
            self.hero.position, (-13 if self.hero.flip[0] else 13, 24)
        )  # position of the lantern

    def shoot(self, dt, fire):
        self.reload -= dt
        if fire and self.reload <= 0:
            self.reload = RELOAD
            beams = 1 + int(2.99 * self.light)  # with more light, more beams
            for angle in (
                self.aim
                + 0.09 * (np.arange(beams) - (beams - 1) / 2)
                + self.random.normal(0, 0.03, beams)
            ):
                y, x = fw.exact.sincos(angle)
                self.bullets.add(
                    position=self.hand + (20 * x, 20 * y),
                    angle=angle,
                    scale=(1.1, 0.42),
                    color=(1, 0.8, 0.45),
                    velocity=(BULLET_SPEED * x, BULLET_SPEED * y),
                )
            self.sparks.emit(
                1, self.hand + (20 * x, 20 * y), speed=0, lifetime=0.07, scale=5, tint="#ffd080"
            )
            self.sparks.emit(
                3, self.hand, direction=self.aim, spread=0.5, tint="#ffb060", scale=0.7
            )
            self.sounds["laser"].play(
                volume=0.1, pitch=self.random.uniform(1.3, 1.5), position=self.hand
            )

    def come(self):
        """Add moths in the dark, some in each tick."""
        if len(self.moths) < 5 and not self.coming and self.light > 0:
            self.wave, self.coming = self.wave + 1, FIRST + MORE * self.wave
            self.say(f"wave {self.wave}")
            self.sounds["powerup"].play(volume=0.3)
        count = min(self.coming, MAX_MOTHS - len(self.moths), 1 + self.tick % 2)
        self.coming -= count
        far = towards(self.free, self.hero.position)[1][:, 0]
        positions = self.random.choice(self.free[far > 430], count) + self.random.uniform(
            -12, 12, (count, 2)
        )
        kind = self.random.choice(
            3, count, p=(0.65, 0.29, 0.06) if self.wave > 1 else (0.7, 0.3, 0)
        )
        self.kind = np.append(self.kind, kind)
        self.lives = np.append(self.lives, LIVES[kind])
        self.moths.extend(
            count, position=positions, scale=0, color=np.insert(HUES[kind], 3, 1, axis=1)
        )
        self.shadows.extend(count, position=positions, scale=0, color=(0, 0, 0.05, 0.35))
        self.shine.extend(count, position=positions, scale=0)

    def fly(self, dt):
        """Move moths around trees to the lantern. Moths keep apart and flutter."""
        moths = self.moths
        hero = self.hero.position
        if self.field_cell != self.level.world_to_cell(hero):
            self.field = fw.paths.FlowField(self.level, [hero])
            self.field_cell = self.level.world_to_cell(hero)
        straight, far = towards(moths.position, hero)
        direction = np.where(far < 1.5 * TILE, straight, self.field.direction(moths.position))
        turn = self.tick / 17 + np.arange(len(moths)) * 2.4
        direction = direction + 0.45 * np.stack(
            [fw.exact.sin(turn), fw.exact.cos(1.3 * turn)], axis=1
        )
        direction *= 1 if self.light else -0.5  # without light, the moths fly away
        moths.velocity += (direction * SPEEDS[self.kind, None] - moths.velocity) * (
            1 - fw.exact.exp(-4 * dt)
        )
        room = 17 * SIZES[self.kind, None]
        one, other = collide.pairs(moths.position - room / 2, moths.position + room / 2).T
        apart = (moths.position[one] - moths.position[other]) * (9 * self.pace)
        np.add.at(moths.velocity, one, apart)
        np.add.at(moths.velocity, other, -apart)
        moths.position, _ = collide.move(moths.position, (12, 12), moths.velocity * dt, self.level)
        moths.angle = fw.exact.arctan2(*moths.velocity.T[::-1])
        moths.scale += (SIZES[self.kind, None] - moths.scale) * 0.08
        moths.image = np.array([0, 1, 2, 1])[(self.tick // 2 + np.arange(len(moths))) % 4]
        moths.color[:, :3] += (HUES[self.kind] - moths.color[:, :3]) * 0.15

    def hurt(self):
        """Test whether bullets hit trees or moths, and whether moths reach the lantern."""
        bullets = self.bullets
        moths = self.moths
        pairs = collide.overlaps(bullets, moths)
        _, first = np.unique(pairs[:, 0], return_index=True)
        bullet, moth = pairs[first].T  # each bullet hits one moth
        np.subtract.at(self.lives, moth, 1)
        np.add.at(
            moths.velocity, moth, bullets.velocity[bullet] * (0.25 / SIZES[self.kind[moth], None])
        )
        moths.color[moth, :3] = 1
        gone = np.isfinite(
            fw.paths.raycast(
                self.level, bullets.position, bullets.velocity / self.timestep.tick_rate
            )
        )
        gone[bullet] = True
        self.sparks.emit(
            4 * gone.sum(), bullets.position[gone].repeat(4, axis=0), tint="#ffc070", scale=0.6
        )
        bullets.remove(gone)
        far = towards(moths.position, self.hero.position)[1][:, 0]
        bitten = (far < 14 + 12 * SIZES[self.kind]) & (self.light > 0)
        if bitten.any():
            self.bite(THIRST[self.kind[bitten]].sum())
        self.die(bitten | (self.lives <= 0))

    def bite(self, thirst):
        self.light = max(self.light - thirst, 0)
        self.bitten = self.tick
        self.pace, shock, length, count, sound = BITE if self.light else END
        self.night.color = "#f76"
        self.camera.shake(shock, length, seed=self.tick)
        self.sparks.emit(count, self.hand, tint="#ff6040", speed=(80, 500))
        self.sounds[sound].play(volume=0.5, pitch=0.5)
        if not self.light:
            self.say("the light is out")

    def die(self, dead):
        for position, kind in zip(
            self.moths.position[dead].tolist(), self.kind[dead].tolist(), strict=True
        ):
            hue = HUES[kind]
            size = SIZES[kind]
            count = (1, 1, 8)[kind]
            self.dust.emit(
                2 + 2 * count, position, lifetime=(0.3, 0.8), tint=(*(0.7 * hue), 0.6), scale=size
            )
            self.sparks.emit(8 + 6 * count, position, tint=hue, scale=0.6 + 0.4 * size)
            self.sparks.emit(1, position, speed=0, lifetime=0.16, scale=11 * size, tint=(*hue, 0.6))
            self.motes.extend(
                count,
                position=[position] * count,
                color=(1, 0.82, 0.4, 0.9),
                scale=0.3,
                damping=3,
                velocity=self.random.normal(0, 90, (count, 2)),
            )
            if kind == 2:
                self.camera.shake(7, 16, seed=self.tick)
            sound = self.sounds["explosion" if kind == 2 else "hit"]
            pitch = self.random.uniform(0.8, 1.3) / size
            sound.play(volume=0.2 * size, pitch=pitch, position=position)
        self.shot += dead.sum()
        self.kind = self.kind[~dead]
        self.lives = self.lives[~dead]
        for batch in (self.moths, self.shadows, self.shine):
            batch.remove(dead)

    def gather(self, dt):
        """Move motes to the lantern if it is near. Otherwise motes stay where they fell."""
        motes = self.motes
        direction, far = towards(self.motes.position, self.hand)
        motes.velocity += direction * (far < 130) * (2600 * dt * (self.light > 0))
        motes.move(dt)
        motes.scale = 0.36 + 0.08 * fw.exact.sin(self.tick / 9 + np.arange(len(motes)))[:, None]
        mine = (far[:, 0] < 20) & (self.light > 0)
        if mine.any():
            self.light = min(self.light + MOTE * mine.sum(), 1.0)
            self.sounds["coin"].play(volume=0.07, pitch=self.random.uniform(1.4, 1.6))
        motes.remove(mine | (np.arange(len(motes)) < len(motes) - 300))

    def say(self, words):
        self.title.text = words
        self.tween(
            self.title,
            color=(1, 0.9, 0.7, 1),
            duration=1.2,
            ease="out_expo",
            repeat=2,
            ping_pong=True,
        )

    def place_shadows(self):
        self.bullets.move(self.pace / self.timestep.tick_rate)
        for batch, offset, size in ((self.shadows, (3, -16), 0.9), (self.shine, (0, 0), 0.9)):
            batch.position = self.moths.position + offset
            batch.scale = self.moths.scale * size
        self.shadows.angle = self.moths.angle
        self.shadows.image = self.moths.image
        self.shine.color = self.moths.color * (1, 1, 1, 0.35)
        glow = self.light * (
            1 + 0.025 * fw.exact.sin(self.tick / 5) + 0.02 * fw.exact.sin(self.tick / 2.3)
        )
        self.night.position = self.lamp.position = self.hand
        self.night.scale += (3.9 + 4.8 * glow - self.night.scale) * 0.2
        self.night.color += (1 - self.night.color) * 0.08
        self.lamp.scale = [[3 + 4 * glow] * 2, [0.4 + 0.8 * glow] * 2]
        self.lamp.color[:, 3] = min(self.light * 6, 1) * np.array((0.14, 0.9))
        self.board.text = (
            f"wave {self.wave}     {self.shot:,} moths     light {self.light * 100:.0f}"
        )


if __name__ == "__main__":
    fw.run(Moths, size=(960, 540), resolution=(960, 540), background=(0.2, 0.29, 0.23), exact=True)
