"""Motion: eases: the same motion with different speeds on the way."""

import framework as fw

EASES = {
    "linear": "#ffffff", "in_quad": "#ffadad", "out_quad": "#ffd6a5", "in_out_sine": "#fdffb6",
    "out_back": "#caffbf", "out_bounce": "#9bf6ff", "out_elastic": "#a0c4ff",
    fw.Spring(): "#bdb2ff",
}  # fmt: skip


class Eases(fw.Game):
    def setup(self):
        self.background = "#1f1d2b"
        lines = self.add(fw.Shapes())
        self.balls = self.add(fw.SpriteBatch("../art/ball.png", len(EASES)))
        for ball, (ease, color) in zip(self.balls, EASES.items(), strict=True):
            ball.position, ball.color = (250, 490 - 56 * ball.row), color
            lines.add_line((250, ball.y), (820, ball.y), 3, color="#ffffff22")
            name = ease if isinstance(ease, str) else "fw.Spring()"
            self.labels.add(name, (220, ball.y), anchor="right", color=color)
            self.add(fw.Trail(ball, 0.3, width=(26, 0), color=(color + "66", color + "00")))
        self.labels.add("Space: go", (480, 10), anchor="bottom")
        self.go()

    def go(self):
        for ball, ease in zip(self.balls, EASES, strict=True):
            x = 820 if ball.x < 500 else 250
            if isinstance(ease, str):
                self.tween(ball, x=x, ease=ease, duration=1.5)
            else:
                self.tween(ball, x=x, ease=ease)  # a spring has its own duration

    def update(self, dt):
        if self.keys.just_pressed("space"):
            self.go()


if __name__ == "__main__":
    fw.run(Eases, resolution=(960, 540))
