"""Motion: eases change the speed along the same path."""

import framework as fw

SPRING = fw.Spring()
EASES = ["linear", "in_quad", "out_quad", "in_out_sine", "out_back", "out_bounce", SPRING]
COLORS = ["#ffffff", "#ffadad", "#ffd6a5", "#fdffb6", "#caffbf", "#9bf6ff", "#bdb2ff"]


class Eases(fw.Game):
    def setup(self):
        self.background = "#1f1d2b"
        lines = self.add(fw.Shapes())
        self.balls = self.add(fw.SpriteBatch("../art/ball.png", len(EASES)))
        for ball, ease, color in zip(self.balls, EASES, COLORS, strict=True):
            ball.position = (250, 480 - 62 * ball.row)
            ball.color = color
            lines.add_line((250, ball.y), (820, ball.y), 3, color="#ffffff22")
            name = "fw.Spring()" if ease is SPRING else ease
            self.labels.add(name, (220, ball.y), anchor="right", color=color)
            self.add(fw.Trail(ball, 0.3, width=(26, 0), color=(color + "66", color + "00")))
        self.labels.add("Space: go", (480, 10), anchor="bottom")
        self.go()

    def go(self):
        for ball, ease in zip(self.balls, EASES, strict=True):
            x = 820 if ball.x < 500 else 250
            duration = None if ease is SPRING else 1.5  # a spring has its own duration
            self.tween(ball, x=x, ease=ease, duration=duration)

    def update(self, dt):
        if self.keys.just_pressed("space"):
            self.go()


if __name__ == "__main__":
    fw.run(Eases, resolution=(960, 540))
