"""Screens: title, choice of levels, pause, settings, result and end, and the counters of a level."""

import numpy as np

import framework as fw

from .looks import CREAM, GOLD, INK
from .maps import TILE

TITLE = 40  # font sizes; the theme's own size is 20, which is one pixel of the font per pixel


def clock(seconds):
    """Return a time as text, such as "1:05.3"."""
    minutes, tenths = divmod(round(seconds * 10), 600)
    return f"{minutes}:{tenths // 10:02d}.{tenths % 10}" if seconds else "-:--.-"


class Screen(fw.Scene):
    """A scene with the look of the game's menus. `build` adds the widgets."""

    sky = None  # the name of the sky, for a scene that covers the screen

    def setup(self):
        self.game.dress(self)
        if self.sky:
            self.game.looks.add_hills(self, self.sky)
        self.build()

    def on_enter(self):
        if self.sky:
            self.game.looks.set_sky(self, self.sky)

    def panel(self, title, width=340):
        column = self.ui.column(anchor="center", gap=10, padding=24, width=width, panel=True)
        column.label(title, font_size=TITLE, align="center", color=GOLD)
        return column


class Title(Screen):
    """The title, with a hero who runs past, and his echoes."""

    opaque, sky = True, "dusk"

    def build(self):
        game, looks = self.game, self.game.looks
        looks.add_ground(self, ["." * 31] * 2 + ["#" * 31] * 2, "dusk")
        self.runners = self.add(looks.heroes())
        for number in range(4):
            self.runners.add(alpha=1 - 0.25 * number)
        self.runners.play("walk")
        self.runners.position[:, 1] = 2 * TILE + 9
        words = self.add(fw.TextBatch(fw.art.fonts.pixel, 60), camera=self.hud, layer=1)
        name = words.add(
            "Encore", (self.width / 2, 218), anchor="center", color=CREAM, outline=INK
        )
        self.tween(name, y=222, duration=1.5, ease="smooth", repeat=float("inf"), ping_pong=True)
        menu = self.ui.column(anchor="center", width=300, gap=8, panel=True, padding=16)
        if game.resume:
            menu.button(f"Continue level {game.resume['level'] + 1}", game.resume_level)
        menu.button("Play", lambda: game.open_level(game.next_level))
        menu.button("Levels", lambda: game.push(Levels(), transition=fw.Fade(0.2)))
        menu.button("Settings", lambda: game.push(game.settings))
        menu.button("Quit", game.exit)
        self.ui.set_focus(menu.children[0])
        self.steps = 0

    def update(self, dt):
        self.steps += 1
        x = (self.steps - 24 * np.arange(4)) % 560 - 40
        self.runners.position[:, 0] = x
        self.runners.teleport(x == -40)


class Levels(Screen):
    """A card for each level, with the best time, the coins and the secret."""

    opaque, sky = True, "day"

    def build(self):
        game = self.game
        column = self.panel("Levels", width=860)
        grid = column.grid(3, gap=12)
        for number, plan in enumerate(game.maps):
            card = grid.column(panel=True, padding=12, gap=6, width=260)
            coins, total = game.best_coins[number], len(plan.cells("o"))
            star = "★" if game.secrets[number] else "-"
            play = card.button(
                f"{number + 1} {plan.title}", lambda number=number: game.open_level(number)
            )
            play.enabled = game.is_open(number)
            card.label(f"{clock(game.best_times[number])}  {coins}/{total}  {star}", align="center")
        column.button("Back", game.pop, action="cancel")
        self.ui.set_focus(grid.children[0].children[0])


class Settings(fw.scenes.Settings):
    """The settings of the framework, and two of this game."""

    def setup(self):
        self.game.dress(self)
        self.game.looks.add_hills(self, "night")
        super().setup()
        self.column.toggle("Screen shake", self.game, "shakes")
        self.column.toggle("Ghost of the best run", self.game, "ghosts")

    def on_enter(self):
        self.game.looks.set_sky(self, "night")


class Pause(Screen):
    def __init__(self, level):
        super().__init__()
        self.level = level

    def build(self):
        game = self.game
        menu = self.panel("Paused")
        menu.button("Go on", game.pop, action="cancel")
        menu.button("Start again", lambda: game.open_level(self.level.number))
        menu.button("Settings", lambda: game.push(game.settings))
        menu.button("Save and leave", self.save_and_leave)
        self.ui.set_focus(menu.children[1])

    def save_and_leave(self):
        self.game.resume = self.level.progress()
        self.game.keep()
        self.game.open_title()


class Result(Screen):
    """The result of a level that was won."""

    def __init__(self, level, record):
        super().__init__()
        self.level, self.record = level, record

    def build(self):
        game, level = self.game, self.level
        menu = self.panel(level.plan.title)
        secret = "  ★" if level.found_secret else ""
        menu.label(f"Coins {level.found.sum()} of {len(level.found)}{secret}", align="center")
        record = "  a record!" if self.record else ""
        menu.label(f"Time {clock(level.ticks / 60)}{record}", align="center")
        last = level.number + 1 == len(game.maps)
        menu.button("The end" if last else "Next level", self.go_on)
        menu.button("Play again", lambda: game.open_level(level.number))
        menu.button("Title", game.open_title)
        self.ui.set_focus(menu.children[3])

    def go_on(self):
        game, number = self.game, self.level.number + 1
        if number < len(game.maps):
            game.open_level(number)
        else:
            game.show(End(), transition=fw.Fade(0.8, color="white"))


class End(Screen):
    """The last screen: the sums of all levels."""

    opaque, sky = True, "day"

    def build(self):
        game = self.game
        menu = self.panel("Encore!", width=420)
        total = sum(len(plan.cells("o")) for plan in game.maps)
        for line in (
            "You walked beside yourself, and came home.",
            f"Coins {sum(game.best_coins)} of {total}",
            f"Secrets {sum(game.secrets)} of {len(game.maps)}",
            f"All levels {clock(sum(game.best_times))}",
        ):
            menu.label(line, align="center")
        menu.button("Once more", game.open_title)
        self.ui.set_focus(menu.children[-1])


class Counters:
    """The coins, the time and the words of the signs, over a level."""

    def __init__(self, level):
        self.level = level
        words = level.add(fw.TextBatch(fw.art.fonts.pixel, 10), camera=level.hud, layer=1)
        options = {"outline": INK, "color": CREAM}
        top = level.height - 20
        level.add(level.looks.coins(), camera=level.hud, layer=1).add(position=(16, top + 6))
        self.coins = words.add("", (28, top), **options)
        self.time = words.add("", (level.width - 10, top), anchor=("right", "bottom"), **options)
        self.sign = words.add(
            "", (level.width / 2, level.height - 44), anchor=("center", "top"), width=300, **options
        )
        self.sign.align = "center"
        self.places = level.plan.centers("?")[:, 0].tolist()
        self.shown = None

    def update(self):
        level = self.level
        shown = int(level.found.sum()), level.found_secret, level.ticks // 6
        if shown == self.shown:
            return
        self.shown = shown
        self.coins.text = f"{shown[0]}/{len(level.found)}" + (" ★" if level.found_secret else "")
        self.time.text = clock(level.ticks / 60)
        x = level.hero.sprite.x
        near = [sign for sign, place in enumerate(self.places) if abs(place - x) < 5 * TILE]
        self.sign.text = level.plan.signs[near[0]] if near else ""
