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
    """A level. `resume` is the dict of `progress`, to continue where the player left."""

    opaque = True

    def __init__(self, number, resume=None):
        super().__init__()
        self.number, self.resume = number, resume or {}

    def setup(self):
        self.game.dress(self)
        game, plan = self.game, self.game.maps[self.number]
        self.looks, self.plan, self.ground = game.looks, plan, plan.grid
        self.looks.add_hills(self, plan.sky)
        self.machines = Machines(self, plan)
        self.looks.add_ground(self, plan.marks.tolist(), plan.sky)
        self.coins = self.add(self.looks.coins())
        self.goal, self.secret = self.looks.props(self, plan)
        self.ghosts, self.echoes = self.add(self.looks.heroes()), self.add(self.looks.heroes())
        self.enemies = Foes(self, plan)
        self.heroes = self.add(self.looks.heroes())
        self.looks.add_particles(self)
        self.ticks, self.falls, self.checkpoint, self.freeze = 0, 0, 0, 0
        self.spots = plan.centers("@", "!") + (0, (BODY[1] - TILE) / 2)
        self.found = np.zeros(len(plan.cells("o")), bool)  # which coins
        self.found_secret = False
        self.route = np.zeros((0, 2), np.float32)
        self.take_up(self.resume)
        places = plan.centers("o")
        self.coins.extend(len(places), position=places, number=np.arange(len(places)))
        self.coins.remove(self.found[self.coins.number])
        self.hero = Hero(self, self.spots[self.checkpoint])
        self.ghost = self.ghosts.add(position=self.spots[0], visible=False, alpha=0.3)
        self.counters = screens.Counters(self)
        self.follow = fw.Follow(
            self.camera,
            self.hero.sprite,
            (0, 14),
            smoothing=0.88,
            dead_zone=(10, 44),
            look_ahead=18,
            bounds=(0, 0, plan.width * TILE, max(plan.height * TILE, self.height)),
        )

    def on_enter(self):
        self.looks.set_sky(self, self.plan.sky)
        self.looks.play_music(self)

    # -- leave and resume ----------------------------------------------------------------------

    def progress(self):
        """Return what is needed to continue at the last checkpoint."""
        return {
            "level": self.number,
            "ticks": self.ticks,
            "checkpoint": self.checkpoint,
            "found": self.found,
            "secret": self.found_secret,
            "route": self.route,
        }

    def take_up(self, resume):
        if resume and len(resume["found"]) == len(self.found):
            self.ticks, self.checkpoint = resume["ticks"], resume["checkpoint"]
            self.found, self.route = resume["found"].copy(), resume["route"]
            self.found_secret = resume["secret"]

    # -- one tick ------------------------------------------------------------------------------

    def on_key_press(self, symbol, modifiers):
        if symbol == fw.key.ESCAPE:
            self.pause()
        return symbol == fw.key.ESCAPE

    def pause(self):
        if self.hero.state != "won":
            self.game.push(screens.Pause(self))

    def update(self, dt):
        if self.game.actions.just_pressed("pause"):
            self.pause()
        if self.freeze:  # a short stop when the hero hits an enemy
            self.freeze -= 1
            return
        hero = self.hero
        hero.echo.update()
        bodies = [hero.sprite.position] + [hero.echo.sprite.position] * hero.echo.active
        self.machines.update(dt, np.array(bodies), self.looks.sounds)
        hero.update(dt)
        self.enemies.update(dt)
        if hero.solid:
            self.touch()
        if hero.state != "won":
            self.ticks += 1
            if self.ticks % GHOST_TICKS == 0:
                self.route = np.vstack([self.route, np.float32([hero.sprite.position])])
        self.move_ghost()
        self.counters.update()

    def touch(self):
        """Let the hero meet everything that has an effect."""
        hero, here = self.hero, self.hero.position
        near = np.abs(self.coins.position - here) < (12, 18)
        for row in np.flatnonzero(near.all(axis=1))[::-1].tolist():
            self.collect(row)
        if not self.found_secret and self.is_near(self.secret, 14):
            self.found_secret = True
            self.secret.visible = False
            self.looks.sparks.emit(50, self.secret.position)
            self.looks.sounds.powerup.play(volume=0.5)
        if hero.state == "won":
            return
        self.enemies.meet(hero)
        flags = self.flags_near(here)
        if flags > self.checkpoint:
            self.checkpoint = flags
            self.looks.sparks.emit(24, hero.sprite.position)
            self.looks.sounds.checkpoint.play(volume=0.5)
        if self.is_near(self.goal, 12):
            self.win()
        x, y = hero.feet.tolist()
        if y < -30 or self.plan.mark(int(x // TILE), int((y + 2) // TILE)) in "^~":
            self.hurt()

    def is_near(self, sprite, distance):
        away = np.subtract(sprite.position, self.hero.feet)
        return abs(away[0]) < distance and -10 < away[1] < 30

    def flags_near(self, here):
        near = np.abs(self.spots - here) < (12, 30)
        return int(np.flatnonzero(near.all(axis=1)).max(initial=0))

    def collect(self, row):
        coin = self.coins[row]
        self.found[coin.number] = True
        count = int(self.found.sum())
        self.looks.sparks.emit(8, coin.position)
        self.looks.sounds.coin.play(volume=0.4, pitch=2 ** (count % 8 / 12), position=coin.position)
        coin.remove()

    def stomp(self, batch, row):
        place = tuple(batch.position[row])
        batch.remove([row])
        self.looks.sparks.emit(16, place)
        self.looks.sounds.bounce.play(volume=0.5, position=place)
        self.hero.bounce()
        self.freeze = 4
        self.shake(2)

    def hurt(self):
        if self.hero.state != "free":
            return
        self.looks.dust.emit(24, self.hero.sprite.position)
        self.looks.sounds.hurt.play(volume=0.5)
        self.hero.hurt()
        self.shake(5)

    def restart(self):
        """Bring the hero back to the last checkpoint."""
        self.falls += 1
        self.enemies.restart()
        self.hero.restart(self.spots[self.checkpoint])
        self.looks.sounds.magic.play(volume=0.3)

    def shake(self, units):
        if self.game.shakes:
            self.camera.shake(units)

    def win(self):
        self.hero.state = "won"
        self.looks.sparks.emit(120, self.goal.position)
        self.looks.sounds.win.play(volume=0.6)
        self.schedule.once(self.show_result, 1.2)

    def show_result(self, dt):
        self.game.push(screens.Result(self, self.game.won(self)))

    def move_ghost(self):
        """Move the ghost along the best run."""
        run = self.game.best_runs[self.number]
        step = self.ticks // GHOST_TICKS
        self.ghost.visible = self.game.ghosts and 0 < step < len(run)
        if self.ghost.visible:
            share = self.ticks % GHOST_TICKS / GHOST_TICKS
            x, y = (run[step - 1] * (1 - share) + run[step] * share).tolist()
            self.ghost.flip = x < self.ghost.x, False
            self.ghost.position = x, y
