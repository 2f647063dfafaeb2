"""Hero: how the hero runs, jumps and goes back in time."""

import numpy as np

from framework import collide

from .echo import Echo, Memory

BODY = (10, 18)  # size of the hero in units
SPEED = 125  # units per second
GRIP = 1300  # units per second², on the ground
AIR = 950  # units per second², in the air
GRAVITY = 950
FALL = 410
JUMP = 330  # speed of a jump
CUT = 125  # speed of a jump that ends early
BOUNCE = 280  # speed after a stomp
HURT_TICKS = 55  # ticks after a hit in which the player can wind back


class Hero:
    """The hero of a level. `state` is "free", "winding", "hurt" or "won"."""

    def __init__(self, level, start):
        self.level = level
        self.looks = level.looks
        self.echo = Echo(level.actors.add(color="#8fd8ff"), BODY)
        self.sprite = level.actors.add(position=start)
        self.velocity = np.zeros(2)
        self.jumps = collide.JumpTimer(coyote=0.1, buffer=0.12)
        self.memory = Memory()
        self.taken = []
        self.squash = 0.0  # 0.3 makes the hero flat and wide, -0.3 tall and thin
        self.restart(start)

    def restart(self, place):
        self.state = "free"
        self.timer = 0
        self.direction = 1
        self.standing = True
        self.bounced = False
        self.sprite.teleport(tuple(place))
        self.sprite.visible = True
        self.velocity[:] = 0
        self.memory.count = 0
        self.echo.end()

    @property
    def feet(self):
        return self.sprite.x, self.sprite.y - BODY[1] / 2

    def update(self, dt):
        actions = self.level.game.actions
        if actions.just_pressed("echo") and self.state in ("free", "hurt"):
            self.state = "winding"
            self.taken = []
            self.sprite.visible = True
            self.sprite.stop()  # the path contains the images
            self.echo.end()
            self.looks.sounds.dash.play(volume=0.5)
        if self.state == "winding":
            self.wind_back(actions.held("echo"))
        elif self.state == "hurt":
            self.timer += 1
            if self.timer > HURT_TICKS:
                self.level.restart()
        else:
            self.move(dt, actions)
        self.squash *= 0.84
        self.sprite.scale = 1 + self.squash, 1 - self.squash

    def move(self, dt, actions):
        free = self.state == "free"
        run = actions["right"] - actions["left"] if free else 0
        velocity = self.velocity
        grip = (GRIP if self.standing else AIR) * dt
        velocity[0] += min(max(SPEED * run - velocity[0], -grip), grip)
        if velocity[1] > CUT and not actions.held("jump") and not self.bounced:
            velocity[1] = CUT  # the key was released early: a low jump
        velocity[1] = max(velocity[1] - GRAVITY * dt, -FALL)
        here = self.sprite.position
        solids = [self.level.ground, *self.level.machines.boxes(here), *self.echo.boxes()]
        position, flags = collide.move(
            [here], BODY, [velocity * dt], *solids, through=actions.held("drop")
        )
        self.sprite.position = position[0]
        self.touch(flags)
        if self.jumps.update(dt, self.standing, free and actions.just_pressed("jump"))[0]:
            self.jump()
        self.show(run)
        self.memory.add(*self.sprite.position, self.direction, self.sprite.image)
        if flags.crushed[0]:
            self.level.hurt()

    def touch(self, flags):
        """Stop at walls, and land."""
        velocity = self.velocity
        floor = bool(flags.on_floor[0])
        falling = -velocity[1]
        if floor and not self.standing and falling > 100:
            self.squash = min(falling / 1100, 0.32)
            self.looks.dust.emit(int(falling / 45), self.feet)
            self.looks.sounds.land.play(volume=min(falling / 1250, 0.3))
        self.standing = floor
        self.bounced = self.bounced and not floor and velocity[1] > 0
        if (floor and velocity[1] < 0) or (flags.on_ceiling[0] and velocity[1] > 0):
            velocity[1] = 0
        if flags.on_wall[0]:
            velocity[0] = 0

    def jump(self):
        self.velocity[1] = JUMP
        self.squash = -0.25
        self.standing = False
        self.looks.dust.emit(5, self.feet)
        self.looks.sounds.jump.play(volume=0.4, pitch=self.level.random.uniform(0.95, 1.05))

    def bounce(self):
        """Jump off an enemy."""
        self.velocity[1] = BOUNCE
        self.bounced = True
        self.squash = -0.3

    def show(self, run):
        """Choose the clip, and the direction of the sprite."""
        moves = abs(self.velocity[0]) > 10
        rises = self.velocity[1] > 0
        in_air = "jump" if rises else "fall"
        self.sprite.play(in_air if not self.standing else "walk" if moves else "idle")
        if run and (run < 0) != (self.direction < 0):
            self.direction = -1 if run < 0 else 1
            self.sprite.flip = run < 0, False
            if self.standing:
                self.looks.dust.emit(3, self.feet)

    def hurt(self):
        self.state = "hurt"
        self.timer = 0
        self.sprite.visible = False

    def wind_back(self, goes_on):
        """Move the hero back along the path. Afterwards, let the echo walk this part of the
        path."""
        self.velocity[:] = 0
        rows = self.memory.take() if goes_on else ()
        if len(rows):
            self.taken.append(rows)
            x, y, self.direction, image = rows[-1].tolist()
            self.sprite.position = (x, y)
            self.sprite.image = int(image)
            self.sprite.flip = self.direction < 0, False
            self.looks.trail.emit(1, (x, y))
            return
        self.state = "free"
        self.standing = False
        if self.taken:
            self.echo.begin(np.concatenate(self.taken)[::-1])
            self.looks.sounds.magic.play(volume=0.4)
