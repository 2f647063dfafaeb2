"""Screens: title, choice of levels, pause, settings, result and end."""

import numpy as np

import framework as fw

from .maps import TILE

CREAM, GOLD, INK = "#fff4dc", "#ffce5a", "#2b2440"


def clock(seconds):
    """Return a time as text: 1:05.3."""
    minutes, rest = divmod(round(seconds * 10), 600)
    return f"{minutes}:{rest // 10:02d}.{rest % 10}" if seconds else "-:--.-"


class Title(fw.Scene):
    opaque = True

    def setup(self):
        game = self.game
        self.ui.theme, self.ui.sounds = game.ui.theme, True
        game.background = "#141a3c"
        name = self.labels.add(
            "Encore", (self.width / 2, 430), anchor="center", font_size=110, color=CREAM,
            shadow="#0008", shadow_offset=(4, -4),
        )
        self.tween(name, y=438, duration=1.6, ease="in_out_sine", repeat=float("inf"), ping_pong=True)
        menu = self.ui.column(anchor="center", width=300, gap=10)
        if game.resume:
            number = game.resume["level"]
            menu.button(f"Continue level {number + 1}", self.resume)
        menu.button("Play", self.play)
        menu.button("Levels", lambda: game.push(Levels()))
        menu.button("Settings", lambda: game.push(game.settings))
        menu.button("Quit", game.exit)
        self.ui.set_focus(menu.children[0])

    def resume(self):
        saved = self.game.resume
        self.game.open_level(saved["level"], saved)

    def play(self):
        """Open the first level that was not won yet."""
        times = self.game.best_times
        self.game.open_level(times.index(0.0) if 0.0 in times else 0)


class Levels(fw.Scene):
    """A card for each level, with the best time, the coins and the secret."""

    opaque = True

    def setup(self):
        game = self.game
        self.ui.theme, self.ui.sounds = game.ui.theme, True
        column = self.ui.column(anchor="center", gap=16, align="center", panel=True, padding=24)
        column.label("Levels", font_size=32)
        grid = column.grid(3, gap=12)
        for number, plan in enumerate(game.maps):
            coins = f"{game.best_coins[number]}/{len(plan.cells('o'))}"
            star = "★" if game.secrets[number] else "☆"
            text = f"{number + 1}  {plan.title}\n{clock(game.best_times[number])}   {coins}   {star}"
            card = grid.button(text, lambda number=number: game.open_level(number), width=250)
            card.enabled = game.is_open(number)
        column.button("Back", game.pop, action="cancel", width=250)
        self.ui.set_focus(grid.children[0])


class Settings(fw.scenes.Settings):
    """The settings of the framework, and two of this game."""

    def setup(self):
        self.ui.theme = self.game.ui.theme
        super().setup()
        self.column.toggle("Screen shake", self.game, "shakes")
        self.column.toggle("Ghost of the best run", self.game, "ghosts")


class Pause(fw.Scene):
    def __init__(self, level):
        super().__init__()
        self.level = level

    def setup(self):
        game = self.game
        self.ui.theme, self.ui.sounds = game.ui.theme, True
        menu = self.ui.column(anchor="center", width=320, gap=10, padding=24, panel=True)
        menu.label("Paused", font_size=32, align="center")
        menu.button("Go on", game.pop, action="cancel")
        menu.button("Start again", lambda: game.open_level(self.level.number))
        menu.button("Settings", lambda: game.push(game.settings))
        menu.button("Save and leave", self.save_and_quit)
        self.ui.set_focus(menu.children[1])

    def save_and_quit(self):
        self.game.resume = self.level.progress()
        self.game.keep()
        self.game.show(Title(), transition=fw.Fade(0.4))


class Result(fw.Scene):
    """The result of a level that was won."""

    def __init__(self, level, record):
        super().__init__()
        self.level, self.record = level, record

    def setup(self):
        game, level = self.game, self.level
        self.ui.theme, self.ui.sounds = game.ui.theme, True
        menu = self.ui.column(anchor="center", width=340, gap=10, padding=24, panel=True)
        menu.label(level.plan.title, font_size=32, align="center")
        coins, total = int(level.found.sum()), len(level.found)
        menu.label(f"Coins {coins} of {total}", align="center")
        best = "  New record!" if self.record else ""
        menu.label(f"Time {clock(level.ticks / 60)}{best}", align="center")
        last = level.number + 1 == len(game.maps)
        menu.button("The end" if last else "Next level", self.go_on)
        menu.button("Play again", lambda: game.open_level(level.number))
        menu.button("Title", lambda: game.show(Title()))
        self.ui.set_focus(menu.children[3])

    def go_on(self):
        number = self.level.number + 1
        if number < len(self.game.maps):
            self.game.open_level(number)
        else:
            self.game.show(End(), transition=fw.Fade(0.8))


class End(fw.scenes.Credits):
    def __init__(self):
        super().__init__(["You walked beside yourself", "and came home twice."], title="Encore")


class Hud:
    """The coins, the time and the signs of a level."""

    def __init__(self, level):
        self.level = level
        options = {"outline": INK, "color": CREAM}
        top = level.height - 40
        self.coins = level.labels.add("", (16, top), font_size=24, **options)
        self.time = level.labels.add(
            "", (level.width - 16, top), anchor=("right", "bottom"), font_size=24, **options
        )
        self.sign = level.labels.add(
            "", (level.width / 2, 80), anchor=("center", "center"), font_size=24, width=640, **options
        )
        self.sign.align = "center"
        self.places = level.plan.centers("?")
        self.shown = None

    def update(self):
        level = self.level
        shown = int(level.found.sum()), level.ticks // 6
        if shown != self.shown:
            self.coins.text = f"{shown[0]} / {len(level.found)}"
            self.time.text = clock(level.ticks / 60)
            self.shown = shown
        x = level.hero.sprite.x
        near = [n for n, place in enumerate(self.places) if abs(place[0] - x) < 4 * TILE]
        text = level.plan.signs[near[0]] if near else ""
        if self.sign.text != text:
            self.sign.text = text
