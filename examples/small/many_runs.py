"""Programs: play a game hundreds of times without a window, and draw what happened."""

import framework as fw


class Duel(fw.Game):
    """Two wizards, who throw sparks at each other until one of them has no strength."""

    def setup(self):
        self.ada = 20
        self.bob = 20

    def update(self, dt):
        self.ada -= self.random.integers(0, 5)
        self.bob -= self.random.integers(0, 6)


class ManyRuns(fw.Game):
    def setup(self):
        self.wins = {"Ada": 0, "Bob": 0}
        self.bars = self.add(fw.Shapes())
        self.label = self.labels.add("", (480, 480), font_size=30, anchor="center")

    def update(self, dt):
        if self.tick > 300:
            return
        with Duel(drawing=False, seed=self.tick) as game:  # far faster than real time
            while min(game.ada, game.bob) > 0:
                game.run_ticks(1)
            self.wins["Ada" if game.ada > game.bob else "Bob"] += 1
        self.bars.clear()
        for number, (_name, wins) in enumerate(self.wins.items()):
            x = 320 + 320 * number
            color = ("#8ecae6", "#ffb703")[number]
            self.bars.add_box((x, 40 + 0.8 * wins), (160, 1.6 * wins + 1), corner=6, color=color)
        self.label.text = "   ".join(f"{name} wins {wins}" for name, wins in self.wins.items())


if __name__ == "__main__":
    fw.run(ManyRuns, resolution=(960, 540), background="#2b2d42")
