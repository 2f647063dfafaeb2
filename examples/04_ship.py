"""Ship: a small game with rocks that split, sparks, and scenes for menu, play and pause.

Arrows or WASD steer, space shoots and P pauses. On a gamepad, use the stick, A and Start. F4 goes
back to any tick of the last ten seconds. Without a player, an autopilot flies.
"""

import math

import numpy as np
from pyglet.math import Vec2

import framework as fw

ROCKS = (
    ("art/rock_small.png", 15, 100),
    ("art/rock_medium.png", 25, 50),
    ("art/rock_large.png", 42, 20),
)
FIRE = (1.0, 0.45, 0.15)
DUST = (0.4, 0.32, 0.75)
BULLET_SPEED = 620  # pixels per second


class Body:
    """A flying object. If it leaves the screen on one side, it comes back on the opposite side."""

    def __init__(self, sprite, velocity, radius, *, spin=0.0, life=math.inf, size=0):
        self.sprite = sprite
        self.velocity = velocity
        self.radius = radius
        self.spin = spin  # radians per second
        self.life = life  # seconds
        self.size = size  # 2 for a large rock

    @property
    def position(self):
        return Vec2(*self.sprite.position)

    def fly(self, dt, width, height):
        rim = self.radius + 10  # the object leaves the screen completely before it comes back
        width += 2 * rim
        height += 2 * rim
        x, y = self.position + self.velocity * dt + (rim, rim)
        self.sprite.position = x % width - rim, y % height - rim
        self.sprite.angle += self.spin * dt
        self.life -= dt
        if not (0 <= x < width and 0 <= y < height):
            self.sprite.teleport()  # no interpolation across the screen

    def hits(self, other):
        return self.position.distance(other.position) < self.radius + other.radius


class Play(fw.Scene):
    def __init__(self, auto=False):
        super().__init__()
        self.auto = auto

    def setup(self):
        self.ship = Body(
            self.sprites.add("art/ship.png", position=(480, 270), layer=2), Vec2(0, 0), radius=14
        )
        self.sparks = self.add(
            fw.Particles("art/glow.png", 800, size=64, color=fw.Curve("#fff", "#fff0"), blend="add")
        )
        self.flame = self.sparks.emitter(
            self.ship.sprite,
            240,
            offset=(-26, 0),
            direction=math.pi,
            spread=0.12,
            speed=(190, 290),
            inherit=1,
            lifetime=(0.14, 0.35),
            scale=0.42,
            tint=(*FIRE, 0.35),
            emitting=False,
        )
        self.board = self.labels.add("score", position=(20, 502))
        if self.auto:  # the ship and the rocks fly in front of the title
            behind = self.add(fw.TextBatch(font_size=72), layer=-1)
            behind.add("ROCKFALL", position=(480, 430), anchor=("center", "center"))
        self.rocks = []
        self.bullets = []
        self.score = 0
        self.lives = 3
        self.wave = 4
        self.safe = 2.0
        self.reload = 0.0

    def update(self, dt):
        if self.game.actions.just_pressed("pause"):
            self.game.push(Pause())
        if not self.rocks:
            self.wave += 1
            for x in self.random.uniform(0, self.width, self.wave):
                self.add_rock(2, Vec2(x, -50))
        if self.lives:
            self.steer(dt, *self.wishes())
        for body in (self.ship, *self.rocks, *self.bullets):
            body.fly(dt, *self.size)
        for bullet in self.bullets[:]:
            rock = next((rock for rock in self.rocks if rock.hits(bullet)), None)
            if rock:
                self.split(rock)
            if rock or bullet.life < 0:
                self.bullets.remove(bullet)
                bullet.sprite.remove()
        if self.lives and self.safe < 0 and any(rock.hits(self.ship) for rock in self.rocks):
            self.crash()
        self.board.text = f"{self.score:,} points    {self.lives} ships"

    def wishes(self):
        """Return the input of the player or the autopilot: turn (-1 is to the right), thrust, fire."""
        if not self.auto:
            actions = self.game.actions
            return -actions["turn"], actions.held("thrust"), actions.held("fire")
        ship = self.ship.position
        rock = min(self.rocks, key=lambda rock: ship.distance(rock.position) - rock.radius)
        far = ship.distance(rock.position)
        aim = rock.position - ship + (rock.velocity - self.ship.velocity) * (far / BULLET_SPEED)
        off = math.remainder(fw.exact.arctan2(aim.y, aim.x) - self.ship.sprite.angle, math.tau)
        return max(-1, min(1, off * 10)), far > 150 and abs(off) < 0.5, abs(off) < 0.12

    def steer(self, dt, turn, thrust, fire):
        ship = self.ship
        sprite = self.ship.sprite
        self.safe -= dt
        self.reload -= dt
        sprite.alpha = 0.35 if self.safe > 0 and self.game.tick % 16 < 8 else 1.0
        sprite.angle += 4 * turn * dt
        up, along = fw.exact.sincos(sprite.angle)
        ahead = Vec2(along, up)
        ship.velocity *= 0.99
        self.flame.emitting = thrust
        if thrust:
            ship.velocity += ahead * (400 * dt)
        if fire and self.reload <= 0:
            self.reload = 0.2
            position = ship.position + ahead * 30
            shot = self.sprites.add(
                "art/bullet.png", position=position, angle=sprite.angle, layer=1
            )
            self.bullets.append(Body(shot, ship.velocity + ahead * BULLET_SPEED, 5, life=0.9))

    def add_rock(self, size, position):
        image, radius, _ = ROCKS[size]
        sprite = self.sprites.add(image, position=position, angle=self.random.uniform(0, math.tau))
        velocity = Vec2(*self.random.normal(0, 90 - 20 * size, 2))
        self.rocks.append(Body(sprite, velocity, radius, spin=self.random.normal(), size=size))

    def split(self, rock):
        self.score += ROCKS[rock.size][2]
        self.burst(20, rock.position, DUST, 40 + rock.radius * 2, life=0.9, scale=0.6)
        self.burst(12, rock.position, FIRE, 150, life=0.8, scale=0.25)
        for _ in range(2 if rock.size else 0):
            self.add_rock(rock.size - 1, rock.position)
        self.rocks.remove(rock)
        rock.sprite.remove()

    def crash(self):
        self.burst(120, self.ship.position, FIRE, 130, life=1.5, scale=0.7)
        self.lives -= not self.auto
        self.safe = 2.0
        self.ship.velocity = Vec2(0, 0)
        self.ship.sprite.teleport((480, 270))
        self.flame.emitting = False
        if not self.lives:
            self.ship.sprite.visible = False
            self.game.push(Menu("GAME OVER", f"{self.score:,} points - press space to try again"))

    def burst(self, count, position, color, speed, *, life, scale):
        """Emit sparks at a position."""
        options = {
            "lifetime": (0.4 * life, life),
            "scale": scale,
            "emission_size": (40 * scale, 40 * scale),
        }
        self.sparks.emit(
            count,
            position,
            tint=(*color, min(life, 1)),
            speed=(0.2 * speed, 2.2 * speed),
            **options,
        )


class Menu(fw.Scene):
    pauses_below = False  # the autopilot and the rocks keep moving

    def __init__(self, title, hint):
        super().__init__()
        self.title = title
        self.hint = hint
        self.waited = 0.0

    def setup(self):
        big = self.add(fw.TextBatch(font_size=72), camera=self.hud)
        big.add(self.title, position=(480, 430), anchor=("center", "center"))
        self.prompt = self.labels.add(self.hint, position=(480, 60), anchor=("center", "center"))

    def update(self, dt):
        self.waited += dt
        self.prompt.color = (1, 1, 1, 0.65 + 0.35 * fw.exact.sin(4 * self.waited))
        if self.game.actions.just_pressed("start"):
            self.game.show(Play())
        elif self.waited > 20:
            self.game.attract()


class Pause(fw.Scene):
    def setup(self):
        dim = self.add(fw.SpriteBatch(np.ones((1, 1, 3))))
        dim.add(position=(480, 270), scale=(960, 540), color=(0.02, 0.02, 0.07, 0.72))
        dim.add(position=(480, 272), scale=(960, 170), color=(0.02, 0.02, 0.07, 0.6))
        self.add(fw.TextBatch(font_size=64), camera=self.hud).add(
            "PAUSED", position=(480, 295), anchor=("center", "center")
        )
        self.labels.add(
            "press P to go on",
            position=(480, 225),
            anchor=("center", "center"),
            color=(0.8, 0.85, 1.0),
        )

    def update(self, dt):
        if self.game.actions.just_pressed("pause"):
            self.game.pop()


class Ship(fw.Game):
    not_state = ("actions",)  # the player's key bindings

    def setup(self):
        self.actions = fw.Actions(
            turn=fw.Axis("left right", "a d", "pad:leftx"),
            thrust=["up", "w", "pad:leftstickup", "pad:righttrigger"],
            fire=["space", "pad:a"],
            start=["space", "enter", "pad:a", "pad:start"],
            pause=["p", "pad:start"],
        )
        self.background = (0.035, 0.04, 0.1)
        sky = self.add(fw.SpriteBatch("art/glow.png", blend="add"))
        for color in ((0.3, 0.2, 0.6, 0.5), (0.1, 0.25, 0.5, 0.5), (0.5, 0.15, 0.35, 0.35)) * 2:
            sky.add(
                position=self.random.uniform((0, 0), self.size),
                scale=self.random.uniform(6, 12),
                color=color,
            )
        positions = self.random.uniform((0, 0), self.size, (220, 2))
        bright = self.random.uniform(size=(220, 1))
        sky.extend(220, position=positions, scale=0.03 + 0.2 * bright * bright * bright)
        self.recording.rewind = fw.Rewind(duration=10)  # F4 opens a timeline
        self.attract()

    def attract(self):
        self.show(Play(auto=True))
        self.push(Menu("", "press space to play"))


if __name__ == "__main__":
    fw.run(Ship, size=(960, 540), resolution=(960, 540))
