"""Programs: a game for two players over a network, here in two windows on one machine."""

import framework as fw

COLORS = "#ff9aa2", "#9af0ff"


class Network(fw.Game):
    def setup(self):
        self.background = "#1d3557"
        self.ships = [
            self.sprites.add(fw.art.enemy, position=(x, 270), color=color, scale=1.2)
            for x, color in zip((240, 720), COLORS, strict=True)
        ]
        for ship, color in zip(self.ships, COLORS, strict=True):
            self.add(fw.Trail(ship, 0.6, width=(30, 0), color=(color + "80", color + "00")))
        self.coin = self.sprites.add(fw.art.coin, position=(480, 400))
        self.points = [0, 0]
        self.score = self.labels.add("0 : 0", (480, 480), font_size=40, anchor="center")
        self.labels.add("Arrow keys in both windows", (480, 14), anchor="bottom")

    def update(self, dt):  # the same on all machines: the session sends only the keys
        for number, (ship, player) in enumerate(zip(self.ships, self.players, strict=True)):
            ship.x = (ship.x + 360 * dt * player.keys.axis("left", "right")) % self.width
            ship.y = (ship.y + 360 * dt * player.keys.axis("down", "up")) % self.height
            if fw.collide.overlaps(ship, self.coin).size:
                self.points[number] += 1
                self.score.text = "{} : {}".format(*self.points)
                self.coin.teleport(self.random.uniform((60, 60), (900, 420)))
                fw.art.sounds.coin.play()


if __name__ == "__main__":
    # On two machines: session=fw.Rollback(player=0, port=7000), see docs/network.md
    fw.run(Network, players=2, resolution=(960, 540), exact=True, session=fw.LocalMatch())
