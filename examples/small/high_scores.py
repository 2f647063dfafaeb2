"""State: a table of high scores (records), with names that players type."""

import framework as fw


class HighScores(fw.Game):
    saved = ("scores",)

    def setup(self):
        self.scores = [(30, "Ada"), (20, "Grace"), (10, "Alan")]
        if self.saves.exists("scores"):
            self.load("scores")
        self.stars = self.add(fw.SpriteBatch(fw.art.star, 30))
        self.stars.position[:] = self.random.uniform((500, 80), (920, 500), (30, 2))
        self.board = self.labels.add("", (60, 460), font_size=32, anchor="top left")
        self.start(self.play())

    async def play(self):
        self.left = 8.0
        self.name = None
        await self.until(lambda: self.left <= 0)
        panel = self.ui.column(anchor="center", padding=24, gap=12, panel=True)
        panel.label(f"{self.points} points! Your name:", font_size=26)
        self.ui.set_focus(panel.text_field("", lambda text: setattr(self, "name", text)))
        await self.until(lambda: self.name)
        panel.remove()
        self.scores.append((self.points, self.name))
        self.save("scores")

    def update(self, dt):
        self.left = max(self.left - dt, 0)
        if self.mouse.just_pressed("left") and self.left:
            self.stars.remove(abs(self.stars.position - self.mouse.position).max(axis=1) < 36)
        self.points = 30 - len(self.stars)
        rows = [f"{points} {name}" for points, name in sorted(self.scores, reverse=True)[:6]]
        self.board.text = "\n".join([f"{self.left:.1f} s, [#ffd60a]{self.points} stars[/]", *rows])


if __name__ == "__main__":
    fw.run(HighScores, resolution=(960, 540), background="#240046")
