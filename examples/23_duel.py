"""Duel: two ships around a star, over a network. Two windows open, one for each player.

Left and right turn, up thrusts, space shoots. The star pulls ships and shots. Without a display,
bots play a match over a simulated network. Arguments after the name: with `bot`, you play against a
bot. With `host 7000` and `join 10.0.0.2:7000`, you play with another computer. With `lobby
ws://relay:7000`, you meet other players on a relay. With `lobby ws://relay:7000 place.txt`, the
file stores your place: after a crash, start with the same arguments within a minute to come back
into the match.
"""

import math
import sys
from pathlib import Path

import numpy as np

import framework as fw

WIDE = 960
HIGH = 540
STAR = np.array([WIDE / 2, HIGH / 2], np.float32)
PULL = 3_600_000  # units³ per second²
STAR_SIZE = 40  # units
SHOT_SPEED = 420  # units per second
SHOT_LIFE = 1.6  # seconds
RELOAD = 0.28  # seconds
TURN = 3.6
THRUST = 210
DRAG = 0.15
SHIP_SIZE = 16  # units
HULL = 3  # hits
GOAL = 5  # points
COUNTDOWN = 2.4  # seconds
NAMES = "Amber", "Azure"
COLORS = (1.0, 0.55, 0.18), (0.3, 0.66, 1.0)
STARTS = ((150, 270, math.pi / 2, 100), (WIDE - 150, 270, -math.pi / 2, -100))  # x, y, angle, speed


class Pilot:
    """The state of a player."""

    def __init__(self):
        self.points = self.hull = 0
        self.reload = self.hurt = 0.0


class Duel(fw.Game):
    not_state = ("sounds", "hums", "net")

    def setup(self):
        self.background = (0.015, 0.015, 0.05)
        self.effects = [fw.Bloom(0.8, threshold=0.35)]
        self.make_sky()
        self.shots = self.add(
            fw.SpriteBatch(
                "art/bullet.png", blend="add", columns={"drift": ("f4", 2), "age": 0.0, "owner": 0}
            )
        )
        self.sparks = self.add(
            fw.Particles(
                "art/glow.png", 1200, size=64, color=fw.Curve("#fff", "#fff0"), blend="add"
            )
        )
        self.ships = self.add(fw.SpriteBatch("art/ship.png", columns={"drift": ("f4", 2)}))
        self.ships.extend(2)
        self.flames = [
            self.sparks.emitter(
                ship,
                260,
                offset=(-24, 0),
                direction=math.pi,
                spread=0.16,
                speed=(150, 260),
                inherit=1,
                lifetime=(0.12, 0.35),
                scale=0.4,
                tint=(*color, 0.5),
                emitting=False,
            )
            for ship, color in zip(self.ships, COLORS, strict=True)
        ]
        self.pips = self.add(fw.SpriteBatch("art/glow.png", blend="add"), camera=self.hud)
        self.pips.extend(2 * HULL, scale=0.35)
        big = self.add(fw.TextBatch(font_size=54), camera=self.hud)
        self.boards = [
            big.add("0", position=(x, HIGH - 46), anchor=("center", "center"), color=color)
            for x, color in zip((60, WIDE - 60), COLORS, strict=True)
        ]
        self.banner = big.add("", position=(WIDE / 2, 420), anchor=("center", "center"))
        self.net = self.add(fw.TextBatch(font_size=15), camera=self.hud).add(
            "", position=(WIDE / 2, 18), anchor=("center", "center"), color=(0.6, 0.65, 0.8)
        )
        self.sounds = {
            kind: fw.Sound.sfx(seed, kind)
            for kind, seed in (("laser", 11), ("hit", 3), ("explosion", 8), ("blip", 2))
        }
        times = np.arange(9_600) / 48_000  # 0.2 seconds for each of four tones
        tones = [
            np.sin(math.tau * hertz * times) * (0.3 - times) for hertz in (523, 659, 784, 1047)
        ]
        self.sounds["fanfare"] = fw.Sound.of(np.concatenate(tones))
        noise = np.random.default_rng(4).normal(0, 0.2, 24_000)
        rumble = fw.Sound.of(np.convolve(noise, np.ones(40) / 12, "same"))
        self.hums = [rumble.play(loop=True, volume=0, pan=pan) for pan in (-0.5, 0.5)]
        self.subscribe("won", self.sounds["fanfare"].play)
        self.begin()

    def make_sky(self):
        sky = self.add(fw.SpriteBatch("art/glow.png", blend="add"))
        for color in ((0.25, 0.15, 0.55, 0.5), (0.08, 0.2, 0.45, 0.5), (0.4, 0.1, 0.3, 0.4)) * 2:
            sky.add(
                position=self.random.uniform((0, 0), self.size),
                scale=self.random.uniform(6, 12),
                color=color,
            )
        bright = self.random.uniform(size=(260, 1)) ** 3
        places = self.random.uniform((0, 0), self.size, (260, 2))
        sky.extend(260, position=places, scale=0.03 + 0.17 * bright)
        for scale, color in ((6, "#f605"), (3.4, "#fa38"), (1.9, "#fd9"), (1.2, "#fff")):
            sky.add(position=STAR, scale=scale, color=color)
        corona = fw.Particles(
            "art/glow.png", 400, size=64, color=fw.Curve("#fff", "#fff0"), blend="add"
        )
        self.add(corona).emitter(
            tuple(STAR), 90, speed=(8, 46), lifetime=(0.8, 1.8), scale=0.8, tint="#f722", prewarm=2
        )

    def begin(self):
        """Begin a match."""
        self.pilots = [Pilot(), Pilot()]
        self.winner = None
        self.begin_round()

    def begin_round(self):
        self.wait = COUNTDOWN
        self.over = False
        self.shots.clear()
        for k, (x, y, angle, speed) in enumerate(STARTS):
            self.pilots[k].hull = HULL
            ship = self.ships[k]
            ship.teleport((x, y + self.random.uniform(-70, 70)))
            ship.angle = angle
            ship.visible = True
            ship.drift = (0, speed)

    # -- rules: the same on all machines -----------------------------------------------------------

    def update(self, dt):
        self.wait -= dt
        fight = self.wait <= 0 and not self.over
        for k in range(2):
            self.drive(k, dt, fight)
        if self.over or fight:
            self.ships.drift[:] *= np.float32(1 - DRAG * dt)
            self.fly(self.ships, dt)
        self.fly_shots(dt)
        if fight:
            self.hit()
        if self.over and self.wait <= 0:
            if self.winner is None:
                self.begin_round()
            elif any(player.keys["space"] for player in self.players):
                self.begin()
        self.show_score()

    def drive(self, k, dt, fight):
        pilot = self.pilots[k]
        ship = self.ships[k]
        keys = self.players[k].keys
        pilot.reload -= dt
        pilot.hurt -= dt
        alive = fight and pilot.hull > 0
        thrust = alive and keys["up"]
        if alive:
            ship.angle += TURN * dt * (keys["left"] - keys["right"])
        ahead_y, ahead_x = fw.exact.sincos(ship.angle)
        ahead = np.array([ahead_x, ahead_y])
        if thrust:
            ship.drift = ship.drift + ahead * (THRUST * dt)
        if alive and keys["space"] and pilot.reload <= 0:
            pilot.reload = RELOAD
            self.shots.add(
                position=ship.position + ahead * 30,
                angle=ship.angle,
                color=COLORS[k],
                drift=ship.drift + ahead * SHOT_SPEED,
                owner=k,
            )
            self.sounds["laser"].play(volume=0.22, position=ship.position)
        self.flames[k].emitting = bool(thrust)
        self.hums[k].volume = 0.3 if thrust else 0.0
        ship.color = (1, 1, 1) if pilot.hurt > 0 else COLORS[k]

    def fly(self, batch, dt):
        """Pull all rows to the star, and move them. At an edge, they come back on the other
        side."""
        off = STAR - batch.position
        distance = np.maximum(fw.exact.hypot(off[:, 0], off[:, 1]), STAR_SIZE)[:, None]
        pull = off * (PULL / (distance * distance * distance))
        batch.drift[:] += pull * np.float32(dt)
        batch.position[:] += batch.drift * np.float32(dt)
        outside = (batch.position < 0) | (batch.position >= (WIDE, HIGH))
        batch.position[:] %= (WIDE, HIGH)
        batch.teleport(outside.any(axis=1))

    def fly_shots(self, dt):
        shots = self.shots
        if not len(shots):
            return
        self.fly(shots, dt)
        shots.age[:] += np.float32(dt)
        shots.angle[:] = fw.exact.arctan2(shots.drift[:, 1], shots.drift[:, 0])
        off = shots.position - STAR
        gone = (shots.age > SHOT_LIFE) | (fw.exact.hypot(off[:, 0], off[:, 1]) < STAR_SIZE)
        shots.remove(gone)

    def hit(self):
        gone = np.zeros(len(self.shots), bool)
        for k, (pilot, ship) in enumerate(zip(self.pilots, self.ships, strict=True)):
            off = self.shots.position - ship.position
            near = fw.exact.hypot(off[:, 0], off[:, 1]) < SHIP_SIZE
            hits = near & (self.shots.owner != k) & ~gone
            gone |= hits
            pilot.hull -= int(hits.sum())
            if hits.any():
                pilot.hurt = 0.12
                self.sounds["hit"].play(volume=0.5, position=ship.position)
                self.sparks.emit(24, ship.position, speed=(40, 190), scale=0.3, tint=COLORS[k])
            if self.distance(ship.position, STAR) < STAR_SIZE:
                pilot.hull = 0
        self.shots.remove(gone)
        if self.distance(*[ship.position for ship in self.ships]) < 2 * SHIP_SIZE:
            for pilot in self.pilots:
                pilot.hull = 0
        lost = [k for k in range(2) if self.pilots[k].hull <= 0]
        if lost:
            self.end_round(lost)

    def distance(self, a, b):
        return float(fw.exact.hypot(a[0] - b[0], a[1] - b[1]))

    def end_round(self, lost):
        self.over = True
        self.wait = 2.0
        for k in lost:
            self.explode(k)
        if len(lost) == 1:
            best = self.pilots[1 - lost[0]]
            best.points += 1
            if best.points == GOAL:
                self.winner = 1 - lost[0]
                self.wait = 3.0
                self.emit("won", when="confirmed")  # the last point must be true

    def explode(self, k):
        ship = self.ships[k]
        ship.visible = False
        self.sparks.emit(
            160, ship.position, speed=(20, 330), lifetime=(0.4, 1.5), scale=0.7, tint=COLORS[k]
        )
        self.sparks.emit(40, ship.position, speed=(10, 120), scale=1.2, tint="#fff")
        self.camera.shake(9, ticks=28, seed=k)
        self.sounds["explosion"].play(volume=0.7, position=ship.position)

    def show_score(self):
        for k, pilot in enumerate(self.pilots):
            self.boards[k].text = str(pilot.points)
            for n in range(HULL):
                pip = self.pips[k * HULL + n]
                side = 1 - 2 * k
                pip.position = (60 if k == 0 else WIDE - 60) + side * (56 + 26 * n), HIGH - 46
                pip.color = (*COLORS[k], 1.0 if n < pilot.hull else 0.12)
        text = ""
        if self.winner is not None:
            text = f"{NAMES[self.winner]} wins!"
        elif not self.over and self.wait > 0:
            text = str(math.ceil(3 * self.wait / COUNTDOWN))
        if text.isdigit() and text != self.banner.text:
            self.sounds["blip"].play(volume=0.4)
        self.banner.text = text

    # -- the screen and the loudspeakers of this machine -------------------------------------------

    def draw(self, alpha):
        session = self.session
        if session is not None:
            stats = session.stats
            you = NAMES[session.player]
            self.net.text = (
                f"you are {you}    ping {stats.ping * 1000:.0f} ms    "
                f"{stats.corrections} corrections"
            )


def bot(game, player):
    """Return the keys of a simple opponent."""
    me = game.ships[player]
    other = game.ships[1 - player]
    here = np.array(me.position)
    there = np.array(other.position)
    away = here - STAR
    far = max(1.0, math.hypot(*away))
    climb = float(np.dot(me.drift, away)) / far  # units per second away from the star
    danger = far + climb * 0.9 < 130
    if danger:  # across the fall, on the side to which the ship is already flying
        across = np.array([-away[1], away[0]])
        aim = away + across * math.copysign(0.7, float(np.dot(me.drift, across)))
    else:
        lead = (0.8, 1.1)[player] * math.dist(here, there) / SHOT_SPEED
        aim = there + (np.array(other.drift) - me.drift) * lead - here
    off = math.remainder(math.atan2(aim[1], aim[0]) - me.angle, math.tau)
    keys = ["left" if off > 0 else "right"] if abs(off) > 0.07 else []
    slow = math.hypot(*me.drift) < 110
    if abs(off) < 0.7 and (danger or (slow and math.dist(here, there) > 200)):
        keys.append("up")
    in_burst = (game.tick + 25 * player) % 80 < 45
    if not danger and abs(off) < 0.16 and in_burst:
        keys.append("space")
    return keys


def meet(relay, place=None):
    """Show a lobby. Return the session of the match, or end the program. The file `place` stores
    the player's place in the room.
    """
    lobbies = []
    ticket = ""
    if place is not None and place.exists():
        ticket = place.read_text()
        place.unlink()

    class Meet(fw.Game):
        def setup(self):
            room = lambda name: fw.Room(relay, game="duel", name=name)  # noqa: E731
            self.push(fw.scenes.Lobby(room, self.begin, title="Duel", ticket=ticket))

        def begin(self, lobby):
            lobbies.append(lobby)
            if place is not None:
                place.write_text(lobby.ticket)
            self.exit()

        def update(self, dt):  # the lobby pauses the game: the player went back
            self.exit()

    fw.run(Meet, size=(WIDE, HIGH))
    if not lobbies:
        sys.exit()
    lobby = lobbies[0]
    return fw.Rollback(lobby.player, peers=lobby.peers, link=lobby.link)


def session():
    """Return the kind of session that the arguments of the program select."""
    words = sys.argv[1:]
    if words[:1] == ["host"]:
        return fw.Rollback(player=0, port=int(words[1]))
    if words[:1] == ["join"]:
        return fw.Rollback(player=1, peers=[words[1]])
    if words[:1] == ["lobby"]:
        return meet(words[1], *map(Path, words[2:3]))
    return fw.LocalMatch(bot=bot, windows=1 if words[:1] == ["bot"] else None)


if __name__ == "__main__":
    fw.run(
        Duel,
        size=(WIDE, HIGH),
        resolution=(WIDE, HIGH),
        players=2,
        exact=True,
        session=session(),
    )
