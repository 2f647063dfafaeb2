"""State: a table of high scores, with names that players type."""

import framework as fw


class HighScores(fw.Game):
    saved = ("scores",)

    def setup(self):
        self.background = "#240046"
        self.scores = [("Ada", 30), ("Grace", 20), ("Alan", 10)]
        if self.saves.exists("scores"):
            self.load("scores")
        self.stars = self.add(fw.SpriteBatch(fw.art.star))
        self.board = self.labels.add("", (240, 460), font_size=30, anchor="top", line_spacing=1.4)
        self.start(self.play())

    async def play(self):
        self.seconds_left, self.points, self.name = 8.0, 0, None
        await self.until(lambda: self.seconds_left <= 0)
        panel = self.ui.column(anchor="center", padding=24, gap=12, panel=True)
        panel.label(f"{self.points} points! Your name:", font_size=26)
        panel.text_field("", lambda name: setattr(self, "name", name), limit=12).focus()
        await self.until(lambda: self.name)
        panel.remove()
        self.scores.append((self.name, self.points))
        self.save("scores")
        self.start(self.play())

    def update(self, dt):
        self.seconds_left -= dt
        if self.tick % 25 == 0:
            self.stars.add(position=self.random.uniform((500, 80), (920, 500)))
        if self.mouse.just_pressed("left") and self.seconds_left > 0:
            near = abs(self.stars.position - self.mouse.position).max(axis=1) < 36
            self.points += int(near.sum())
            self.stars.remove(near)
        best = sorted(self.scores, key=lambda score: -score[1])[:6]
        lines = [f"{points} {name}" for name, points in best]
        title = f"Click on stars: {max(self.seconds_left, 0):.1f} s, [#ffd60a]{self.points}[/]"
        self.board.text = "\n".join([title, *lines])


if __name__ == "__main__":
    fw.run(HighScores, resolution=(960, 540))
