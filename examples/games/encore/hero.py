"""Hero: running, jumping, winding back, and how all of it feels."""

import numpy as np

from .echo import Echo, Memory
from framework import collide

BODY = (10, 18)  # size of the hero in units
SPEED, GRIP, AIR = 125, 1300, 950  # units per second, and per second² on the ground and in the air
GRAVITY, FAST_FALL = 950, 410
JUMP, CUT, BOUNCE = 330, 125, 280  # speeds: of a jump, of a jump that is cut short, of a stomp
HURT_TICKS = 55  # time to wind back after a hit


class Hero:
    """The hero of a level. `state` is "free", "winding", "hurt" or "won"."""

    def __init__(self, level, start):
        self.level, self.looks = level, level.looks
        self.echo = Echo(level.echoes.add(visible=False), BODY)
        self.sprite = level.heroes.add(position=start)
        self.velocity = np.zeros(2)
        self.jumps = collide.JumpTimer(coyote=0.1, buffer=0.12)
        self.memory, self.taken = Memory(), []
        self.squash = 0.0  # 0.3 is a flat and wide hero, -0.3 a long and thin one
        self.restart(start)

    def restart(self, place):
        self.state, self.timer = "free", 0
        self.sprite.teleport(tuple(place))
        self.sprite.visible = True
        self.velocity[:] = 0
        self.standing, self.bounced, self.direction = True, False, 1
        self.memory.count = 0
        self.echo.end()

    @property
    def position(self):
        return np.array(self.sprite.position)

    @property
    def feet(self):
        return self.position - (0, BODY[1] / 2)

    @property
    def solid(self):
        """Whether coins and enemies meet the hero."""
        return self.state in ("free", "won")

    def update(self, dt):
        actions = self.level.game.actions
        winding = actions.held("echo") and self.state in ("free", "hurt", "winding")
        if self.state != "winding" and actions.just_pressed("echo") and winding:
            self.begin_winding()
        if self.state == "winding":
            self.wind_back(winding)
        elif self.state == "hurt":
            self.timer += 1
            if self.timer > HURT_TICKS:
                self.level.restart()
        else:
            self.move(dt, actions)
        self.squash *= 0.84
        self.sprite.scale = 1 + self.squash, 1 - self.squash

    # -- run and jump ------------------------------------------------------------------------------

    def move(self, dt, actions):
        run = actions["right"] - actions["left"] if self.state == "free" else 0.0
        jump = actions.just_pressed("jump") and self.state == "free"
        velocity = self.velocity
        grip = (GRIP if self.standing else AIR) * dt
        velocity[0] += min(max(SPEED * run - velocity[0], -grip), grip)
        if velocity[1] > CUT and not actions.held("jump") and not self.bounced:
            velocity[1] = CUT  # the key was released early: a low jump
        velocity[1] = max(velocity[1] - GRAVITY * dt, -FAST_FALL)
        falling = velocity[1]
        position, flags = collide.move(
            [self.sprite.position],
            BODY,
            [velocity * dt],
            self.level.ground,
            *self.level.machines.boxes(),
            *self.echo.boxes(),
            through=actions.held("drop"),
        )
        self.sprite.position = position[0]
        self.touch(flags, falling)
        if self.jumps.update(dt, bool(flags.on_floor[0]), jump)[0]:
            self.jump()
        if run:
            self.direction = 1 if run > 0 else -1
        self.show(run)
        self.memory.add(*self.sprite.position, self.direction, self.sprite.image)
        if flags.crushed[0]:
            self.level.hurt()

    def touch(self, flags, falling):
        """Stop at walls, and land."""
        velocity = self.velocity
        floor = bool(flags.on_floor[0])
        if floor and not self.standing and falling < -100:
            self.squash = min(-falling / 1100, 0.32)
            self.looks.dust.emit(int(-falling / 45), tuple(self.feet))
            self.looks.sounds.land.play(volume=min(-falling / 1250, 0.3))
        self.standing = floor
        self.bounced = self.bounced and not floor and velocity[1] > 0
        if (floor and velocity[1] < 0) or (flags.on_ceiling[0] and velocity[1] > 0):
            velocity[1] = 0
        if flags.on_wall[0]:
            velocity[0] = 0

    def jump(self):
        self.velocity[1], self.squash, self.standing = JUMP, -0.25, False
        self.looks.dust.emit(5, tuple(self.feet))
        self.looks.sounds.jump.play(volume=0.4, pitch=self.level.random.uniform(0.95, 1.05))

    def bounce(self):
        """Jump off an enemy."""
        self.velocity[1], self.bounced, self.squash = BOUNCE, True, -0.3

    def show(self, run):
        """Choose the clip, and turn the sprite."""
        moving = abs(self.velocity[0]) > 10
        rising = "jump" if self.velocity[1] > 0 else "fall"
        clip = rising if not self.standing else "walk" if moving else "idle"
        self.sprite.play(clip)
        if run and (run < 0) != self.sprite.flip[0]:
            self.sprite.flip = run < 0, False
            if self.standing:
                self.looks.dust.emit(3, tuple(self.feet))

    # -- wind back ---------------------------------------------------------------------------------

    def hurt(self):
        self.state, self.timer = "hurt", 0
        self.sprite.visible = False
        self.velocity[:] = 0

    def begin_winding(self):
        self.state, self.taken = "winding", []
        self.sprite.visible = True
        self.sprite.stop()  # the images come from the path
        self.velocity[:] = 0
        self.echo.end()
        self.looks.sounds.dash.play(volume=0.5)

    def wind_back(self, going):
        """Take back a part of the path. At its end, let the echo walk what was taken back."""
        rows = self.memory.take() if going else ()
        if len(rows):
            self.taken.append(rows)
            x, y, direction, image = rows[-1].tolist()
            self.sprite.position = x, y
            self.sprite.flip = direction < 0, False
            self.sprite.image = int(image)
            self.looks.trail.emit(1, (x, y))
            return
        self.state = "free"
        self.standing = False
        if self.taken:
            self.echo.begin(np.concatenate(self.taken)[::-1])
            self.looks.sounds.magic.play(volume=0.4)
