"""Valley: a platformer on a map from Tiled. Collect coins, jump on beetles, find the flag.

Run and climb with the arrow keys, WASD or a gamepad's stick. Jump with space or the A button: a
short press is a low jump. Down drops through a plank. Open art/valley.tmx in Tiled to build your
own valley.
"""

import numpy as np

import framework as fw
from framework import collide

SIZE = (12, 18)  # size of the hero in pixels
SMALL = (16, 10)  # size of a beetle in pixels
SPEED = 125  # pixels per second
GRIP = 1100  # acceleration on the ground
AIR = 600  # acceleration in the air
GRAVITY = 900
JUMP = 345
CUT = 130
HOP = 250
LADDER = [7]  # tile numbers
WATER = [9, 10, 11, 12, 13]  # tile numbers
INK = "#3a3658"
DUST = {
    "capacity": 200,
    "lifetime": (0.25, 0.5),
    "speed": (8, 30),
    "direction": np.pi / 2,
    "spread": 1.3,
    "damping": 4,
    "size": fw.Curve(5, 9),
    "color": fw.Curve("#fff4dcb0", "#fff4dc00"),
}
SPARKS = {
    "capacity": 300,
    "lifetime": (0.3, 0.6),
    "speed": (30, 90),
    "gravity": (0, -150),
    "size": fw.Curve(5, 1),
    "color": fw.Curve("#fff4dcff", "#ffc666ff", "#ff7d5e00"),
}
NEXT = "Press space (or A) for another round"


def tune():
    """Return a bar of eight notes and a second bar, as samples: float (n,)."""
    notes = [57, 64, 69, 64, 72, 69, 64, 60, 53, 60, 65, 60, 69, 65, 60, 55]
    t = np.arange(48_000 // 4) / 48_000
    pitches = 440 * 2 ** ((np.array(notes) - 69) / 12)
    waves = [np.abs((t * pitch) % 1 * 4 - 2) - 1 for pitch in pitches]
    return np.concatenate(
        [wave * np.exp(-6 * t) * np.minimum(1, (0.25 - t) * 100) for wave in waves]
    )


class Valley(fw.Game):
    def setup(self):
        self.level = self.add(fw.TileMap("art/valley.tmx"))
        self.ground = self.level["ground"]
        self.behind = self.level["behind"]
        self.background = self.level.background
        self.ladders = np.isin(self.behind.numbers, LADDER)
        self.water = np.isin(self.ground.numbers, WATER)
        frames = fw.sheet("art/hero.png", (24, 24), columns=14)
        clips = fw.Clips(
            frames,
            stand=(0, 2, 2),
            run=(2, 6, 14),
            jump=(8, 1, 1),
            fall=(9, 1, 1),
            climb=(10, 2, 6),
            crawl=(12, 2, 6),
        )
        coins = fw.Clips(
            fw.sheet("art/tiles.png", (16, 16), columns=8, rows=4)[16:20], turn=(0, 4, 8)
        )
        self.coins = self.add(fw.SpriteBatch(coins))
        flags = self.add(fw.SpriteBatch("art/flag.png", anchor=(4, 0)))
        self.flag = flags.add(position=self.level.objects["flag"].position)
        self.beetles = self.add(fw.SpriteBatch(clips, columns="velocity", anchor=(12, 6)))
        self.hero = self.add(fw.SpriteBatch(clips, 1, columns="velocity", anchor=(12, 10)))
        self.dust = self.add(fw.Particles(**DUST))
        self.sparks = self.add(fw.Particles(**SPARKS))
        self.actions = fw.Actions(
            move=fw.Stick("a d s w", "left right down up", "pad:leftstick", "pad:dpad"),
            jump=["space", "z", "pad:a"],
        )
        self.follow = fw.Follow(
            self.camera,
            self.hero[0],
            (0, 20),
            smoothing=0.88,
            dead_zone=(30, 50),
            bounds=(0, 0, *self.level.size),
        )
        self.sound = {
            kind: fw.Sound.sfx(seed, kind)
            for seed, kind in [(3, "jump"), (5, "coin"), (2, "hit"), (8, "powerup"), (4, "blip")]
        }
        fw.Sound.of(0.5 * tune()).play(volume=0.25, loop=True, bus="music")
        text = self.add(fw.TextBatch(fw.art.fonts.pixel, 10), camera=self.hud)
        self.count = text.add("", (12, 250), color=INK)
        self.words = text.add("", (240, 196), anchor=("center", "center"), color=INK)
        self.begin()

    def begin(self):
        """Put all objects where they are on the map."""
        self.jumps = collide.JumpTimer()
        self.got = 0
        self.over = False
        self.climbing = False
        self.standing = True
        self.bounced = False
        self.coins.clear()
        self.beetles.clear()
        for coin in self.level.objects.of("coin"):
            self.coins.add(position=coin.position)
        for beetle in self.level.objects.of("beetle"):
            self.beetles.add(position=(beetle.position[0], beetle.position[1] + SMALL[1] / 2))
        self.beetles.velocity[:, 0] = -28
        self.coins.play("turn")
        self.beetles.play("crawl")
        self.words.text = "Arrows run and climb, space jumps: gather the coins, find the flag"
        self.return_to_start()

    def return_to_start(self):
        x, y = self.level.objects["start"].position
        self.hero.position[:] = (x, y + SIZE[1] / 2)
        self.hero.velocity[:] = 0
        self.hero.teleport(slice(None))
        self.climbing = False

    # -- the hero ----------------------------------------------------------------------------------

    def update(self, dt):
        across, up = self.actions["move"]
        asked = self.actions.just_pressed("jump")
        if self.over:
            across = up = 0.0
            if asked:
                self.begin()
        velocity = self.hero.velocity
        ladder = bool(
            collide.on_tiles(self.behind, self.ladders, self.hero.position, (4, SIZE[1]))[0]
        )
        self.climbing = ladder and (self.climbing or abs(up) > 0.5) and not asked
        self.accelerate(across, up, dt)
        before = velocity[0, 1]
        self.hero.position, flags = collide.move(
            self.hero.position, SIZE, velocity * dt, self.ground, step=3, through=[up < -0.5]
        )
        self.land(flags, before)
        if self.jumps.update(dt, flags.on_floor | self.climbing, asked and not self.over)[0]:
            velocity[0, 1] = JUMP
            self.climbing = False
            self.sound["jump"].play(volume=0.4, position=self.hero[0])
            self.dust.emit(5, self.feet())
        self.gather()
        self.crawl(dt)
        self.meet()
        if (
            collide.on_tiles(self.ground, self.water, self.hero.position, (4, 4))[0]
            or self.hero.position[0, 1] < -40
        ):
            self.hurt()
        if not self.over and abs(self.hero.position[0] - self.flag.position).max() < 20:
            self.win()
        if across and not self.over:
            self.words.text = ""
        self.look(across)

    def accelerate(self, across, up, dt):
        velocity = self.hero.velocity
        grip = (GRIP if self.standing else AIR) * dt
        velocity[0, 0] += np.clip(SPEED * across - velocity[0, 0], -grip, grip)
        if self.climbing:
            velocity[0] = 40 * across, 70 * up
            return
        if velocity[0, 1] > CUT and not self.actions.held("jump") and not self.bounced:
            velocity[0, 1] = CUT  # the key was released early: a low jump
        velocity[0, 1] = max(velocity[0, 1] - GRAVITY * dt, -420)

    def land(self, flags, before):
        velocity = self.hero.velocity
        standing = bool(flags.on_floor[0])
        if standing and not self.standing and before < -150:
            self.dust.emit(8, self.feet())
            self.sound["blip"].play(volume=0.15, pitch=0.6)
        self.standing = standing
        self.bounced = self.bounced and not standing and velocity[0, 1] > 0
        velocity[flags.on_floor & (velocity[:, 1] < 0), 1] = 0
        velocity[flags.on_ceiling & (velocity[:, 1] > 0), 1] = 0
        velocity[flags.on_wall, 0] = 0

    def feet(self):
        return self.hero.position[0] - (0, SIZE[1] / 2)

    def look(self, across):
        """Choose the clip of the hero."""
        fast = abs(self.hero.velocity[0, 0]) > 8
        rising = self.hero.velocity[0, 1] > 0
        clip = ("run" if fast else "stand") if self.standing else "jump" if rising else "fall"
        clip = "climb" if self.climbing else clip
        if self.hero[0].clip != clip:
            self.hero.play(clip)
        if abs(across) > 0.2:
            self.hero.scale = (1 if across > 0 else -1), 1

    # -- what there is in the valley ---------------------------------------------------------------

    def gather(self):
        pairs = collide.overlaps(self.hero, self.coins)
        for coin in [self.coins[row] for row in pairs[:, 1].tolist()]:
            self.got += 1
            self.sound["coin"].play(
                volume=0.4, pitch=1 + 0.06 * (self.got % 8), position=coin.position
            )
            self.sparks.emit(12, coin.position)
            coin.remove()
        self.count.text = f"{self.got} of {len(self.level.objects.of('coin'))} coins"

    def crawl(self, dt):
        """Move the beetles to and fro."""
        velocity = self.beetles.velocity
        velocity[:, 1] -= GRAVITY * dt
        self.beetles.position, flags = collide.move(
            self.beetles.position, SMALL, velocity * dt, self.ground, step=3
        )
        velocity[flags.on_floor, 1] = 0
        ahead = self.beetles.position + np.stack(
            [np.sign(velocity[:, 0]) * 10, np.full(len(velocity), -8)], axis=1
        )
        hollow = ~collide.on_tiles(self.ground, self.ground.solid, ahead, (2, 2))
        velocity[flags.on_wall | (hollow & flags.on_floor), 0] *= -1
        self.beetles.scale[:, 0] = np.sign(velocity[:, 0])

    def meet(self):
        """Remove a beetle if the hero jumps on it."""
        hero = self.hero.position[0]
        near = (np.abs(self.beetles.position - hero) < (13, 13)).all(axis=1)
        for beetle in [self.beetles[row] for row in np.flatnonzero(near).tolist()]:
            if self.hero.velocity[0, 1] < 0 and hero[1] > beetle.y + 5:
                self.hero.velocity[0, 1] = HOP
                self.bounced = True
                self.sound["hit"].play(volume=0.4, pitch=1.4, position=beetle.position)
                self.sparks.emit(16, beetle.position)
                beetle.remove()
            else:
                self.hurt()
                return

    def hurt(self):
        self.sound["hit"].play(volume=0.5, pitch=0.7)
        self.dust.emit(20, self.hero.position[0])
        self.return_to_start()

    def win(self):
        self.over = True
        self.sound["powerup"].play(volume=0.5)
        self.sparks.emit(80, (self.flag.x, self.flag.y + 36))
        self.words.text = f"The flag, with {self.got} coins! {NEXT}"


if __name__ == "__main__":
    fw.run(Valley, size=(960, 540), resolution=(480, 270))
