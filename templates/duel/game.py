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

WIDE, HIGH = 960, 540
MIDDLE = np.array((WIDE / 2, HIGH / 2 - 20))
TABLE, PUCK = 220, 30  # radii in units
PUSH, DRAG, DASH, REST = (
    620,
    1.1,
    330,
    1.0,
)  # units per second²; share per second; units per second; s
GOAL, COUNTDOWN = 5, 2.4  # rounds; seconds
NAMES = "Amber", "Azure"
COLORS = "#ff9d4d", "#4da3ff"


class Duel(fw.Game):
    saves_folder = "Untitled Game"

    def __init__(self, **options):
        super().__init__(**{"players": 2, "exact": True} | options)

    def setup(self):
        self.background = "#141b2b"
        table = self.add(fw.Shapes())
        table.add_circle(MIDDLE + (0, -10), TABLE + 12, color="#0a0e18")
        table.add_circle(MIDDLE, TABLE + 8, color="#8fa3c4")
        table.add_circle(MIDDLE, TABLE, color="#3a4c70", gradient="radial", gradient_to="#22324f")
        table.add_circle(MIDDLE, 60, stroke_width=3, color="#ffffff30")
        self.sparks = self.add(fw.Particles.sparks())
        self.pucks = self.add(
            fw.SpriteBatch(["art/amber.png", "art/azure.png"], columns={"velocity": 0, "rest": 0.0})
        )
        self.pucks.extend(2)
        self.pucks.image = 0, 1
        self.boards = [
            self.labels.add(
                "", (x, HIGH - 40), font_size=44, anchor=("center", "center"), color=color
            )
            for x, color in zip((70, WIDE - 70), COLORS, strict=True)
        ]
        self.words = self.labels.add(
            "",
            (WIDE / 2, HIGH / 2 + 60),
            font_size=48,
            anchor=("center", "center"),
            outline="#141b2b",
        )
        self.begin()

    def begin(self):
        """Begin a match."""
        self.points, self.winner = [0, 0], None
        self.begin_round()

    def begin_round(self):
        self.wait, self.lost = COUNTDOWN, None
        self.pucks.velocity[:] = 0
        self.pucks.scale = 1
        self.pucks.position[:] = MIDDLE + ((-130, 0), (130, 0))
        self.pucks.angle[:] = 0, math.pi
        self.pucks.teleport(slice(None))

    # -- rules: the same on all machines -----------------------------------------------------------

    def update(self, dt):
        self.wait -= dt
        if self.lost is not None:
            self.pucks.scale[self.lost] *= 0.94  # the puck falls
            if self.wait <= 0:
                self.end_round()
        elif self.wait <= 0:
            self.slide(dt)
            self.bump()
            self.notice_edge()
        self.show_state()

    def slide(self, dt):
        pucks = self.pucks
        pucks.rest -= dt
        for row, player in enumerate(self.players):
            keys = player.keys
            push = np.array((keys.axis("left", "right"), keys.axis("down", "up")), float)
            length = float(fw.exact.hypot(*push))
            if not length:
                continue
            push /= length
            pucks.velocity[row] += push * PUSH * dt
            pucks.angle[row] = fw.exact.arctan2(push[1], push[0])
            if keys["space"] and pucks.rest[row] <= 0:
                pucks.rest[row] = REST
                pucks.velocity[row] += push * DASH
                fw.art.sounds.laser.play(volume=0.2, pitch=0.6)
        pucks.velocity *= 1 - DRAG * dt
        pucks.move(dt)

    def bump(self):
        """Let the pucks bounce off each other."""
        a, b = self.pucks.position
        away = b - a
        distance = float(fw.exact.hypot(*away))
        if distance >= 2 * PUCK or not distance:
            return
        normal = away / distance
        overlap = 2 * PUCK - distance
        self.pucks.position[:] += np.stack([-normal, normal]) * overlap / 2
        speed = float(fw.exact.dot(self.pucks.velocity[0] - self.pucks.velocity[1], normal))
        if speed <= 0:
            return
        self.pucks.velocity[:] += np.stack([-normal, normal]) * speed * 1.05
        self.sparks.emit(10 + int(speed / 12), a + away / 2)
        self.camera.shake(min(speed / 80, 8), ticks=14)
        fw.art.sounds.hit.play(volume=min(speed / 600, 0.6))

    def notice_edge(self):
        off = self.pucks.position - MIDDLE
        outside = fw.exact.hypot(off[:, 0], off[:, 1]) > TABLE
        if not outside.any():
            return
        self.lost, self.wait = np.flatnonzero(outside), 1.2
        if len(self.lost) == 1:
            self.points[1 - int(self.lost[0])] += 1
        fw.art.sounds.explosion.play(volume=0.4)

    def end_round(self):
        best = max(self.points)
        if best < GOAL:
            self.begin_round()
        elif self.winner is None:
            self.winner = self.points.index(best)
        elif any(player.keys["space"] for player in self.players):
            self.begin()

    def show_state(self):
        for board, points in zip(self.boards, self.points, strict=True):
            board.text = str(points)
        text = ""
        if self.winner is not None:
            text = f"{NAMES[self.winner]} wins!  Space: again"
        elif self.lost is None and self.wait > 0:
            text = str(math.ceil(3 * self.wait / COUNTDOWN))
        if text != self.words.text and text.isdigit():
            fw.art.sounds.blip.play(volume=0.3)
        self.words.text = text


def bot(game, player):
    """Return the keys that a simple bot presses. The bot pushes from the middle of the table, and
    dashes when it is near the other puck.
    """
    here, there = game.pucks.position[player], game.pucks.position[1 - player]
    edge = here - MIDDLE
    safe = np.hypot(*edge) < 0.72 * TABLE
    aim = there - here if safe else -edge
    keys = ["right" if aim[0] > 0 else "left"] if abs(aim[0]) > 14 else []
    keys += ["up" if aim[1] > 0 else "down"] if abs(aim[1]) > 14 else []
    near = np.hypot(*(there - here)) < 130
    if safe and near and (game.tick + 20 * player) % 75 < 8:
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
        Duel, title="Untitled Game", size=(WIDE, HIGH), resolution=(WIDE, HIGH), session=session()
    )
