"""Level: one level in play, from the start to the goal."""

import numpy as np

import framework as fw

from . import screens
from .foes import Foes
from .hero import BODY, Hero
from .machines import Machines
from .maps import TILE

GHOST_TICKS = 3  # ticks between two points of a recorded run


class Level(fw.Scene):
    """A level. `resume` is the `progress` that an earlier visit saved."""

    def __init__(self, number, resume=None):
        super().__init__()
        self.number, self.resume = number, resume or {}

    def setup(self):
        self.looks, self.plan = self.game.looks, self.game.maps[self.number]
        self.game.dress(self, self.plan.sky, self.plan.music)
        looks, plan = self.looks, self.plan
        self.machines = Machines(self, plan)
        looks.add_ground(self, plan.marks.tolist(), plan.sky)
        self.ground = plan.grid
        self.coins = self.add(looks.coins())
        self.goal, self.secret = looks.props(self, plan)
        self.enemies = Foes(self, plan)
        self.actors = self.add(looks.heroes())
        self.ghost = self.actors.add(visible=False, alpha=0.3)
        looks.add_particles(self)
        self.spots = plan.centers("@", "!") + (0, (BODY[1] - TILE) / 2)
        coins = plan.centers("o")
        self.progress = {
            "level": self.number,
            "ticks": 0,
            "checkpoint": 0,
            "coins": np.zeros(len(coins), bool),  # which coins were found
            "secret": False,
            "route": np.zeros((0, 2), np.float32),
        } | self.resume
        found = self.progress["coins"] = self.progress["coins"].copy()
        self.coins.extend(len(coins), position=coins, number=np.arange(len(coins)))
        self.coins.remove(found)
        self.coins.play("idle", skip=self.coins.position[:, 0] / 300)
        self.secret.visible = not self.progress["secret"]
        self.hero = Hero(self, self.spots[self.progress["checkpoint"]])
        self.freeze = 0  # ticks for which the game stops after a stomp on an enemy
        self.vignette = fw.Vignette(0.0)
        self.effects = [self.vignette]
        self.counters = screens.Counters(self)
        fw.Follow(
            self.camera,
            self.hero.sprite,
            (0, 14),
            smoothing=0.88,
            dead_zone=(10, 44),
            look_ahead=18,
            bounds=(0, 0, plan.width * TILE, max(plan.height * TILE, self.height)),
        )

    def on_key_press(self, symbol, modifiers):
        if symbol == fw.key.ESCAPE:
            self.pause()
        return symbol == fw.key.ESCAPE

    def pause(self):
        if self.hero.state != "won":
            self.game.push(screens.pause(self))

    def update(self, dt):
        if self.game.actions.just_pressed("pause"):
            self.pause()
        if self.freeze:
            self.freeze -= 1
            return
        hero = self.hero
        hero.echo.update()
        bodies = [hero.sprite.position] + [hero.echo.sprite.position] * (hero.echo.left > 0)
        self.machines.update(dt, bodies, self.looks.sounds)
        hero.update(dt)
        self.enemies.update(dt)
        if hero.state == "free":
            self.touch()
        if hero.state != "won":
            self.record()
        goal = 0.7 if hero.state == "winding" else 0.0
        self.vignette.strength += (goal - self.vignette.strength) * 0.2
        self.counters.update()

    def touch(self):
        """Handle everything that the hero touches."""
        hero, here = self.hero, np.array(self.hero.sprite.position)
        near = np.abs(self.coins.position - here) < (12, 18)
        for row in np.flatnonzero(near.all(axis=1))[::-1].tolist():
            self.collect(self.coins[row])
        if self.secret.visible and self.is_near(self.secret):
            self.progress["secret"], self.secret.visible = True, False
            self.looks.sparks.emit(50, self.secret.position)
            self.looks.sounds.powerup.play(volume=0.5)
        self.enemies.meet(hero)
        spot = np.flatnonzero((np.abs(self.spots - here) < (12, 30)).all(axis=1)).max(initial=0)
        if spot > self.progress["checkpoint"]:
            self.progress["checkpoint"] = int(spot)
            self.looks.sparks.emit(24, hero.sprite.position)
            self.looks.sounds.checkpoint.play(volume=0.5)
        x, y = hero.feet
        if y < -30 or self.plan.mark(int(x // TILE), int((y + 2) // TILE)) in "^~":
            self.hurt()
        elif self.is_near(self.goal) and hero.state == "free":
            self.win()

    def is_near(self, sprite):
        x, y = np.subtract(sprite.position, self.hero.feet)
        return abs(x) < 12 and -4 < y < 30

    def collect(self, coin):
        self.progress["coins"][coin.number] = True
        pitch = 2 ** (int(self.progress["coins"].sum()) % 8 / 12)
        self.looks.sparks.emit(8, coin.position)
        self.looks.sounds.coin.play(volume=0.4, pitch=pitch, position=coin.position)
        coin.remove()

    def stomp(self, enemy):
        self.looks.sparks.emit(16, enemy.position)
        self.looks.sounds.bounce.play(volume=0.5, position=enemy.position)
        enemy.remove()
        self.hero.bounce()
        self.freeze = 4
        self.shake(2)

    def hurt(self):
        if self.hero.state == "free":
            self.looks.dust.emit(24, self.hero.sprite.position)
            self.looks.sounds.hurt.play(volume=0.5)
            self.hero.hurt()
            self.shake(5)

    def shake(self, units):
        if self.game.shakes:
            self.camera.shake(units)

    def restart(self):
        """Move the hero back to the last checkpoint."""
        self.enemies.restart()
        self.hero.restart(self.spots[self.progress["checkpoint"]])

    def win(self):
        self.hero.state = "won"
        self.looks.sparks.emit(120, self.goal.position)
        self.looks.sounds.win.play(volume=0.6)
        self.schedule.once(self.show_result, 1.2)

    def show_result(self, dt):
        self.game.push(screens.result(self, self.game.won(self.progress)))

    def record(self):
        """Count the ticks, record the run, and move the ghost of the best run."""
        progress = self.progress
        progress["ticks"] += 1
        step, part = divmod(progress["ticks"], GHOST_TICKS)
        if part == 0:
            here = np.float32([self.hero.sprite.position])
            progress["route"] = np.vstack([progress["route"], here])
        run, ghost = self.game.best_runs[self.number], self.ghost
        ghost.visible = self.game.ghosts and 0 < step < len(run)
        if ghost.visible:
            x, y = (run[step - 1] + (run[step] - run[step - 1]) * part / GHOST_TICKS).tolist()
            ghost.flip = x < ghost.x, False
            ghost.position = x, y
