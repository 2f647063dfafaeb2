"""Arena: ships of many players and bots on one server.

Left and right turn, up thrusts, space shoots. `framework run arena` plays against bots. On a
server, `framework serve arena --port 7000` starts the arena, and `framework run arena
example.org:7000` joins it. Only the server decides: its code is in blocks with `if
self.network.is_server`. A player's own ship moves immediately, and the server corrects its
position.
"""

import math
import sys

import numpy as np

import framework as fw

WIDE = 960
HIGH = 540
BOTS = 6
GEMS = 9
HULL = 3
TURN = 4.0  # radians per second
THRUST = 300.0  # units per second²
DRAG = 0.9  # share per second
SHOT_SPEED = 460.0  # units per second
SHOT_LIFE = 1.1  # seconds
RELOAD = 0.3  # seconds
SIZE = 15  # units: the radius of a ship
FIRST_BOT = 100  # the owner of the first bot's ship; players have the owners 0 to 7
COLORS = "#fa4", "#5bf", "#7f7", "#f6b", "#ff6", "#b8f", "#6fe", "#f77"
BOT_COLORS = "#bcd", "#cbd", "#bdc", "#dcb", "#dbc", "#cdb"
NEAR = 130  # distance in units below which a bot does not thrust towards its target


class Sparks(fw.Particles):
    """Particles outside the state: they are emitted with events, which do not happen twice."""

    not_state = True


class Arena(fw.Game):
    not_state = ("sounds",)

    def __init__(self, **options):
        super().__init__(players=8, background="#05050f", **options)

    def setup(self):
        self.effects = [fw.Bloom(0.8, threshold=0.3)]
        stars = self.add(fw.SpriteBatch("art/glow.png", blend="add"))
        stars.extend(
            160,
            position=np.random.default_rng(4).uniform((0, 0), (WIDE, HIGH), (160, 2)),
            scale=np.random.default_rng(5).uniform(0.03, 0.16, (160, 1)),
        )
        nebula = self.add(fw.SpriteBatch("art/glow.png", blend="add"))
        for x, y, color in (140, 420, "#213a"), (520, 130, "#124a"), (860, 430, "#132a"):
            nebula.add(position=(x, y), scale=9, color=color)
        frame = self.add(fw.Shapes())
        frame.add_box(
            (WIDE / 2, HIGH / 2),
            (WIDE - 8, HIGH - 8),
            color="#0000",
            stroke_color="#46c",
            stroke_width=3,
        )
        self.gems = self.add(fw.SpriteBatch("art/glow.png", blend="add"))
        self.shots = self.add(
            fw.SpriteBatch(
                "art/bullet.png", blend="add", columns={"velocity": 0, "owner": 0, "age": 0.0}
            )
        )
        self.ships = self.add(
            fw.SpriteBatch(
                "art/ship.png",
                columns={"velocity": 0, "owner": -1, "hull": HULL, "points": 0, "reload": 0.0},
            )
        )
        self.sparks = self.add(
            Sparks("art/glow.png", 900, color=fw.Curve("#fff", "#fff0"), blend="add")
        )
        self.board = self.add(fw.TextBatch(font_size=16), camera=self.hud).add(
            "", position=(18, HIGH - 16), anchor=("left", "top"), color="#9ad"
        )
        kinds = ("laser", 11), ("hit", 3), ("explosion", 8), ("coin", 2)
        self.sounds = {kind: fw.Sound.sfx(seed, kind) for kind, seed in kinds}
        self.network.replicate(
            self.ships,
            changes=("owner", "hull", "points", "color", "scale"),
            predict=self.own_ships,
        )
        self.network.replicate(self.shots, changes=("owner", "color"))
        self.network.replicate(self.gems, changes=("color", "scale"))
        self.network.replicate_events("flash")
        self.subscribe("flash", self.flash)
        if self.network.is_server:
            for number in range(BOTS):
                self.add_ship(FIRST_BOT + number)
            for _ in range(GEMS):
                self.add_gem()

    # -- on the server and on the clients ----------------------------------------------------------

    def own_ships(self, player):
        return self.ships.owner == player

    def update(self, dt):
        for player in self.players:
            keys = player.keys
            turn = keys["left"] - keys["right"]
            thrust = keys["up"]
            self.drive(np.flatnonzero(self.own_ships(player.number)), turn, thrust, dt)
        if self.network.is_server:
            self.decide(dt)
        self.show_points()

    def drive(self, rows, turn, thrust, dt):
        """Turn and move ships, and let them bounce off the frame."""
        ships = self.ships
        ships.angle[rows] += np.float32(TURN * dt) * turn
        sine, cosine = fw.exact.sincos(ships.angle[rows])
        heading = np.stack([cosine, sine], axis=1)
        velocity = ships.velocity[rows] * np.float32(1 - DRAG * dt)
        velocity += heading * np.float32(THRUST * dt) * np.reshape(thrust, (-1, 1))
        position = ships.position[rows] + velocity * np.float32(dt)
        inside = np.clip(position, SIZE, (WIDE - SIZE, HIGH - SIZE))
        ships.velocity[rows] = np.where(position == inside, velocity, -0.6 * velocity)
        ships.position[rows] = inside

    def flash(self, kind, x, y, count):
        """Show sparks, and play a sound."""
        self.sounds[kind].play(volume=0.5, position=(x, y))
        self.sparks.emit(
            count, position=(x, y), speed=(20, 40 + 5 * count), lifetime=(0.2, 0.7), scale=0.5
        )

    def show_points(self):
        order = np.argsort(-self.ships.points, kind="stable")[:5]
        names = [self.name_of(int(owner)) for owner in self.ships.owner[order]]
        points = self.ships.points[order].tolist()
        text = "\n".join(f"{name}  {score}" for name, score in zip(names, points, strict=True))
        if text != self.board.text:
            self.board.text = text

    def name_of(self, owner):
        if owner >= FIRST_BOT:
            return f"Bot {owner - FIRST_BOT + 1}"
        return "You" if owner == self.network.local_player else f"Player {owner + 1}"

    # -- only on the server ------------------------------------------------------------------------

    def on_player_join(self, player, name):
        self.add_ship(player)

    def on_player_leave(self, player):
        self.ships.remove(self.own_ships(player))

    def add_ship(self, owner, points=0):
        self.ships.add(
            position=self.random.uniform((60, 60), (WIDE - 60, HIGH - 60)),
            angle=self.random.uniform(0, math.tau),
            scale=0.8,
            color=COLORS[owner] if owner < FIRST_BOT else BOT_COLORS[owner - FIRST_BOT],
            owner=owner,
            points=points,
        )

    def add_gem(self):
        place = self.random.uniform((40, 40), (WIDE - 40, HIGH - 40))
        self.gems.add(position=place, scale=0.4, color="#3fb")

    def decide(self, dt):
        if self.session is None and not self.own_ships(0).any():
            self.add_ship(0)  # without a server, this machine has the only player
        self.steer_bots(dt)
        fires = np.zeros(len(self.ships), bool)
        for player in self.players:
            fires |= self.own_ships(player.number) & player.keys["space"]
        self.shoot(fires | (self.ships.owner >= FIRST_BOT), dt)
        self.fly_shots(dt)
        self.collect()

    def steer_bots(self, dt):
        """Let each bot turn towards the nearest other ship."""
        ships = self.ships
        rows = np.flatnonzero(ships.owner >= FIRST_BOT)
        away = ships.position[None] - ships.position[rows, None]
        distance = fw.exact.hypot(away[..., 0], away[..., 1])
        distance[np.arange(len(rows)), rows] = np.inf
        nearest = distance.argmin(axis=1)
        target = away[np.arange(len(rows)), nearest]
        is_far = distance[np.arange(len(rows)), nearest] > NEAR
        bearing = fw.exact.arctan2(target[:, 1], target[:, 0]) - ships.angle[rows]
        bearing = (bearing + math.pi) % math.tau - math.pi
        thrust = 0.7 * (is_far & (np.abs(bearing) < 0.8))
        self.drive(rows, np.clip(2 * bearing, -0.7, 0.7), thrust, dt)

    def shoot(self, fires, dt):
        ships = self.ships
        ships.reload -= dt
        for row in np.flatnonzero(fires & (ships.reload <= 0)):
            owner = int(ships.owner[row])
            ships.reload[row] = RELOAD * (1 if owner < FIRST_BOT else self.random.uniform(3, 8))
            angle = float(ships.angle[row])
            sine, cosine = fw.exact.sincos(angle)
            heading = np.array([cosine, sine], np.float32)
            x, y = (ships.position[row] + heading * 22).tolist()
            self.shots.add(
                position=(x, y),
                angle=angle,
                color=ships.color[row].tolist(),
                velocity=ships.velocity[row] + heading * SHOT_SPEED,
                owner=owner,
            )
            self.emit("flash", "laser", x, y, 2)

    def fly_shots(self, dt):
        shots = self.shots
        shots.position += shots.velocity * np.float32(dt)
        shots.age += dt
        spent = (shots.age > SHOT_LIFE) | (shots.position < 0).any(axis=1)
        spent |= (shots.position > (WIDE, HIGH)).any(axis=1)
        away = shots.position[:, None] - self.ships.position[None]
        hits = fw.exact.hypot(away[..., 0], away[..., 1]) < SIZE
        hits &= shots.owner[:, None] != self.ships.owner[None]
        for shot, row in np.argwhere(hits):
            if not spent[shot]:
                spent[shot] = True
                self.hit(int(row), int(shots.owner[shot]))
        shots.remove(spent)
        wrecks = np.flatnonzero(self.ships.hull <= 0)
        owners = self.ships.owner[wrecks].tolist()
        points = self.ships.points[wrecks].tolist()
        self.ships.remove(wrecks)
        for owner, score in zip(owners, points, strict=True):
            self.add_ship(owner, score)

    def hit(self, row, owner):
        self.ships.hull[row] -= 1
        wreck = self.ships.hull[row] <= 0
        x, y = self.ships.position[row].tolist()
        self.emit("flash", "explosion" if wreck else "hit", x, y, 40 if wreck else 8)
        if wreck:
            self.ships.points[self.ships.owner == owner] += 3

    def collect(self):
        away = self.gems.position[:, None] - self.ships.position[None]
        near = fw.exact.hypot(away[..., 0], away[..., 1]) < SIZE + 12
        taken = near.any(axis=1)
        for gem in np.flatnonzero(taken):
            self.ships.points[near[gem].argmax()] += 1
            self.emit("flash", "coin", *self.gems.position[gem].tolist(), 6)
        self.gems.remove(taken)
        while len(self.gems) < GEMS:
            self.add_gem()


if __name__ == "__main__":
    address = next((argument for argument in sys.argv[1:] if ":" in argument), None)
    session = None if address is None else fw.Client(address, name="guest")
    fw.run(Arena, size=(WIDE, HIGH), resolution=(WIDE, HIGH), title="Arena", session=session)
