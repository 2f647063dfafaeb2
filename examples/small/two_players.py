"""Input: two players share one keyboard, or each player uses a gamepad."""

import framework as fw


class TwoPlayers(fw.Game):
    def setup(self):
        self.background = "#16324f"
        second = fw.Actions(move=fw.Axis("down up", "pad:lefty")).player(1, keyboard=0)
        self.actions = fw.Actions(move=fw.Axis("s w", "pad:lefty")), second
        shapes = self.add(fw.Shapes())
        shapes.add_line((480, 20), (480, 520), 4, dash=(14, 14), color="#fff4")
        bats = (40, "#ffd166"), (920, "#ef476f")
        self.bats = [
            shapes.add_box((x, 270), (18, 110), corner=9, color=color) for x, color in bats
        ]
        self.ball = self.sprites.add(fw.art.ball, position=(480, 270), scale=0.6)
        self.velocity = [330, 210]
        self.points = [0, 0]
        self.score = self.labels.add("0    0", (480, 490), font_size=36, anchor="center")
        self.labels.add("W, S", (20, 10))
        self.labels.add("up, down", (940, 10), anchor="bottom right")

    def update(self, dt):
        for side, bat, actions in zip((1, -1), self.bats, self.actions, strict=True):
            bat.y = min(max(bat.y + 420 * actions["move"] * dt, 60), 480)
            if abs(self.ball.x - bat.x) < 26 and abs(self.ball.y - bat.y) < 70:
                self.velocity[0] = 1.05 * abs(self.velocity[0]) * side
                fw.art.sounds.blip.play()
        self.velocity[1] *= 1 if 20 < self.ball.y + self.velocity[1] * dt < 520 else -1
        self.ball.x += self.velocity[0] * dt
        self.ball.y += self.velocity[1] * dt
        if not 0 < self.ball.x < 960:
            self.points[self.ball.x < 0] += 1
            self.score.text = "{}    {}".format(*self.points)
            self.ball.teleport((480, 270))


if __name__ == "__main__":
    fw.run(TwoPlayers, resolution=(960, 540), players=2)
