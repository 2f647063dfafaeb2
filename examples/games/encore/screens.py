"""Screens: the title, menus, settings, the choice of levels, and the counters of a level."""

from functools import partial

import numpy as np

import framework as fw

from .looks import CREAM, GOLD, INK
from .maps import TILE


def clock(seconds):
    """Return a time as text, such as "1:05.3"."""
    minutes, tenths = divmod(round(seconds * 10), 600)
    return f"{minutes}:{tenths // 10:02d}.{tenths % 10}" if seconds else "-:--.-"


class Menu(fw.Scene):
    """A panel with a title, lines of text, and a button for each entry. The player cannot choose an
    entry without a function. With a sky, the menu covers the whole screen.
    """

    def __init__(self, title, entries, lines=(), sky=None, cancel=None):
        super().__init__()
        self.title, self.entries, self.lines, self.sky = title, entries, lines, sky
        self.cancel = cancel  # the text of the button that Escape presses

    def setup(self):
        self.game.dress(self, self.sky)
        menu = self.ui.column(anchor="center", gap=9, padding=20, width=400, panel=True)
        if self.title:
            menu.label(self.title, font_size=40, align="center", color=GOLD)
        for line in self.lines:
            menu.label(line, align="center")
        for name, function in self.entries.items():
            action = "cancel" if name == self.cancel else None
            button = menu.button(name, function or self.game.pop, action=action)
            button.enabled = function is not None
            if name == next(iter(self.entries)):
                self.ui.set_focus(button)


class Title(Menu):
    """The title, with a hero who runs past, and his echoes."""

    def __init__(self, game):
        entries = {
            "Play": lambda: game.open_level(game.next_level),
            "Levels": lambda: game.push(levels(game)),
            "Settings": lambda: game.push(game.settings),
            "Quit": game.exit,
        }
        if game.resume:
            name = f"Continue level {game.resume['level'] + 1}"
            entries = {name: game.resume_level} | entries
        super().__init__("", entries, sky="dusk")

    def setup(self):
        super().setup()
        self.game.dress(self, music="title")
        looks = self.game.looks
        looks.add_ground(self, ["." * 31] * 2 + ["#" * 31] * 2, self.sky)
        self.runners = self.add(looks.heroes())
        for number in range(4):
            self.runners.add(position=(0, 2 * TILE + 9), alpha=1 - 0.25 * number)
        self.runners.play("walk")
        self.steps = 0
        words = self.add(fw.TextBatch(fw.art.fonts.pixel, 60), camera=self.hud, layer=1)
        place = self.width / 2, 231
        name = words.add("Encore", place, anchor="center", color=CREAM, outline=INK)
        self.tween(name, y=234, duration=1.5, ease="smooth", repeat=float("inf"), ping_pong=True)

    def update(self, dt):
        self.steps += 1
        x = (self.steps - 24 * np.arange(4)) % 560 - 40
        self.runners.position[:, 0] = x
        self.runners.teleport(x == -40)


class Settings(fw.scenes.Settings):
    """The settings scene of the framework, with two settings of this game."""

    def setup(self):
        self.game.dress(self, "night")
        super().setup()
        self.column.toggle("Screen shake", self.game, "shakes")
        self.column.toggle("Ghost of the best run", self.game, "ghosts")


def levels(game):
    """Return the choice of levels, with the best time, the coins and the secret of each."""
    entries = {}
    for number, plan in enumerate(game.maps):
        coins = f"{game.best_coins[number]}/{len(plan.cells('o'))}"
        star = "  ★" if game.secrets[number] else ""
        name = f"{number + 1} {plan.title}  {clock(game.best_times[number])}  {coins}{star}"
        play = partial(game.open_level, number)
        entries[name] = play if game.is_open(number) else None
    return Menu("Levels", entries | {"Back": game.pop}, sky="day", cancel="Back")


def pause(level):
    """Return the menu of a paused level."""

    def save_and_leave():
        game.resume = level.progress
        game.keep()
        game.open_title()

    game = level.game
    entries = {
        "Go on": game.pop,
        "Start again": lambda: game.open_level(level.number),
        "Settings": lambda: game.push(game.settings),
        "Save and leave": save_and_leave,
    }
    return Menu("Paused", entries, cancel="Go on")


def result(level, record):
    """Return the menu that is shown after the player has won a level."""
    game, number, progress = level.game, level.number, level.progress
    coins, star = progress["coins"], "  ★" if progress["secret"] else ""
    lines = [
        f"Coins {coins.sum()} of {len(coins)}{star}",
        f"Time {clock(progress['ticks'] / 60)}" + ("  a record!" if record else ""),
    ]
    if number + 1 < len(game.maps):
        entries = {"Next level": lambda: game.open_level(number + 1)}
    else:
        entries = {"The end": lambda: game.show(end(game), transition=fw.Fade(0.8, color="white"))}
    entries |= {"Play again": lambda: game.open_level(number), "Title": game.open_title}
    return Menu(level.plan.title, entries, lines)


def end(game):
    """Return the last screen, with the totals of all levels."""
    total = sum(len(plan.cells("o")) for plan in game.maps)
    lines = [
        "You walked beside yourself,",
        "and came home twice.",
        f"Coins {sum(game.best_coins)} of {total}",
        f"Secrets {sum(game.secrets)} of {len(game.maps)}",
        f"All levels {clock(sum(game.best_times))}",
    ]
    return Menu("Encore!", {"Once more": game.open_title}, lines, sky="day")


class Counters:
    """The coins, the time and the text of the signs, drawn over a level."""

    def __init__(self, level):
        self.level, self.shown = level, None
        top = level.height - 20
        level.add(level.looks.coins(), camera=level.hud, layer=1).add(position=(16, top + 6))
        words = level.add(fw.TextBatch(fw.art.fonts.pixel, 10), camera=level.hud, layer=1)
        options = {"outline": INK, "color": CREAM}
        self.coins = words.add("", (28, top), **options)
        self.time = words.add("", (level.width - 10, top), anchor="bottom right", **options)
        place = level.width / 2, top - 24
        self.sign = words.add("", place, anchor="top", width=300, align="center", **options)
        self.places = level.plan.centers("?")[:, 0].tolist()

    def update(self):
        progress = self.level.progress
        coins, ticks, secret = progress["coins"], progress["ticks"], progress["secret"]
        shown = int(coins.sum()), ticks // 6, secret
        if shown == self.shown:
            return
        self.shown = shown
        self.coins.text = f"{shown[0]}/{len(coins)}" + "  ★" * secret
        self.time.text = clock(ticks / 60)
        x = self.level.hero.sprite.x
        near = [sign for sign, place in enumerate(self.places) if abs(place - x) < 5 * TILE]
        self.sign.text = self.level.plan.signs[near[0]] if near else ""
