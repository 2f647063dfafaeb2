"""Duel: two pucks on a round table. Push the other puck over the edge five times.

Slide with the arrow keys. Press space to dash, at most once a second. With `framework run`, you
play against a bot. `framework run game.py two` opens a window for each player. To play over a
network, one player starts `framework run game.py host 7000`, and the other `framework run game.py
join ADDRESS:7000`.
"""

import math
import sys

import numpy as np

import framework as fw

WIDTH = 960  # size of the screen in units
HEIGHT = 540
MIDDLE = np.array((WIDTH / 2, HEIGHT / 2 - 20))  # of the table
TABLE_RADIUS = 220  # units
PUCK_RADIUS = 30
ACCELERATION = 620  # of a puck while its player holds a key, in units per second²
FRICTION = 1.1  # the deceleration per unit of speed, in 1/second
DASH_SPEED = 330  # how much a dash adds to the speed, in units per second
DASH_PAUSE = 1.0  # seconds between two dashes
ROUNDS = 5  # how many rounds a player must win to win the match
COUNTDOWN = 2.4  # seconds before a round begins
NAMES = "Amber", "Azure"
COLORS = "#ff9d4d", "#4da3ff"


class Duel(fw.Game):
    saves_folder = "Untitled Game"

    def __init__(self, **options):
        super().__init__(**{"players": 2, "exact": True} | options)

    def setup(self):
        self.background = "#141b2b"
        table = self.add(fw.Shapes())
        table.add_circle(MIDDLE + (0, -10), TABLE_RADIUS + 12, color="#0a0e18")
        table.add_circle(MIDDLE, TABLE_RADIUS + 8, color="#8fa3c4")
        table.add_circle(
            MIDDLE, TABLE_RADIUS, color="#3a4c70", gradient="radial", gradient_to="#22324f"
        )
        table.add_circle(MIDDLE, 60, stroke_width=3, color="#ffffff30")
        self.sparks = self.add(fw.Particles.sparks())
        self.pucks = self.add(
            fw.SpriteBatch(
                ["art/amber.png", "art/azure.png"], columns={"velocity": 0, "dash_pause": 0.0}
            )
        )
        self.pucks.extend(2)
        self.pucks.image = 0, 1
        self.scores = [
            self.labels.add(
                "", (x, HEIGHT - 40), font_size=44, anchor=("center", "center"), color=color
            )
            for x, color in zip((70, WIDTH - 70), COLORS, strict=True)
        ]
        self.message = self.labels.add(
            "",
            (WIDTH / 2, HEIGHT / 2 + 60),
            font_size=48,
            anchor=("center", "center"),
            outline="#141b2b",
        )
        self.begin()

    def begin(self):
        """Begin a match."""
        self.points = [0, 0]
        self.winner = None
        self.begin_round()

    def begin_round(self):
        """Place both pucks on the table, and start the countdown."""
        self.countdown = COUNTDOWN
        self.fallen = None  # the rows of pucks that are falling from the table
        self.pucks.velocity[:] = 0
        self.pucks.scale = 1
        self.pucks.position[:] = MIDDLE + ((-130, 0), (130, 0))
        self.pucks.angle[:] = 0, math.pi
        self.pucks.teleport(slice(None))

    # -- rules: the same on all machines -----------------------------------------------------------

    def update(self, dt):
        self.countdown -= dt
        if self.fallen is not None:
            self.pucks.scale[self.fallen] *= 0.94
            if self.countdown <= 0:
                self.end_round()
        elif self.countdown <= 0:
            self.slide(dt)
            self.bounce()
            self.check_edge()
        self.show_state()

    def slide(self, dt):
        """Move each puck with the keys of its player."""
        pucks = self.pucks
        pucks.dash_pause -= dt
        for row, player in enumerate(self.players):
            keys = player.keys
            direction = np.array((keys.axis("left", "right"), keys.axis("down", "up")), float)
            length = float(fw.exact.hypot(*direction))
            if not length:
                continue
            direction /= length  # so that moving diagonally is not faster
            pucks.velocity[row] += direction * ACCELERATION * dt
            pucks.angle[row] = fw.exact.arctan2(direction[1], direction[0])
            if keys["space"] and pucks.dash_pause[row] <= 0:
                pucks.dash_pause[row] = DASH_PAUSE
                pucks.velocity[row] += direction * DASH_SPEED
                fw.art.sounds.laser.play(volume=0.2, pitch=0.6)
        pucks.velocity *= 1 - FRICTION * dt
        pucks.move(dt)

    def bounce(self):
        """Let the pucks bounce off each other."""
        a, b = self.pucks.position
        away = b - a
        distance = float(fw.exact.hypot(*away))
        if distance >= 2 * PUCK_RADIUS or not distance:
            return
        normal = away / distance  # the direction from puck a to puck b
        overlap = 2 * PUCK_RADIUS - distance
        self.pucks.position[:] += np.stack([-normal, normal]) * overlap / 2
        speed = float(fw.exact.dot(self.pucks.velocity[0] - self.pucks.velocity[1], normal))
        if speed <= 0:  # the pucks are already moving apart
            return
        self.pucks.velocity[:] += np.stack([-normal, normal]) * speed * 1.05
        self.sparks.emit(10 + int(speed / 12), a + away / 2)
        self.camera.shake(min(speed / 80, 8), ticks=14)
        fw.art.sounds.hit.play(volume=min(speed / 600, 0.6))

    def check_edge(self):
        """Check whether a puck is outside the table. If so, the other player wins the round."""
        offset = self.pucks.position - MIDDLE
        outside = fw.exact.hypot(offset[:, 0], offset[:, 1]) > TABLE_RADIUS
        if not outside.any():
            return
        self.fallen = np.flatnonzero(outside)
        self.countdown = 1.2
        if len(self.fallen) == 1:
            self.points[1 - int(self.fallen[0])] += 1
        fw.art.sounds.explosion.play(volume=0.4)

    def end_round(self):
        """Begin the next round, end the match, or wait for the key that begins a new match."""
        best = max(self.points)
        if best < ROUNDS:
            self.begin_round()
        elif self.winner is None:
            self.winner = self.points.index(best)
        elif any(player.keys["space"] for player in self.players):
            self.begin()

    def show_state(self):
        for label, points in zip(self.scores, self.points, strict=True):
            label.text = str(points)
        text = ""
        if self.winner is not None:
            text = f"{NAMES[self.winner]} wins!  Space: again"
        elif self.fallen is None and self.countdown > 0:
            text = str(math.ceil(3 * self.countdown / COUNTDOWN))
        if text != self.message.text and text.isdigit():
            fw.art.sounds.blip.play(volume=0.3)
        self.message.text = text


def bot(game, player):
    """Return the keys that a simple bot presses. The bot pushes from the middle of the table, and
    dashes when it is near the other puck.
    """
    own = game.pucks.position[player]
    other = game.pucks.position[1 - player]
    offset = own - MIDDLE
    is_safe = np.hypot(*offset) < 0.72 * TABLE_RADIUS
    aim = other - own if is_safe else -offset
    keys = []
    if abs(aim[0]) > 14:
        keys.append("right" if aim[0] > 0 else "left")
    if abs(aim[1]) > 14:
        keys.append("up" if aim[1] > 0 else "down")
    is_near = np.hypot(*(other - own)) < 130
    if is_safe and is_near and (game.tick + 20 * player) % 75 < 8:
        keys.append("space")
    return keys


def session():
    """Return the network session for the arguments of the command line, such as ``host 7000``."""
    words = sys.argv[1:]
    if words[:1] == ["host"]:
        return fw.Rollback(player=0, port=int(words[1]))
    if words[:1] == ["join"]:
        return fw.Rollback(player=1, peers=[words[1]])
    return fw.LocalMatch(bot=bot, windows=None if words[:1] == ["two"] else 1)


if __name__ == "__main__":
    fw.run(
        Duel,
        title="Untitled Game",
        size=(WIDTH, HEIGHT),
        resolution=(WIDTH, HEIGHT),
        session=session(),
    )
