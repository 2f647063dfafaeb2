"""Game: what all scenes share. Actions, settings, the player's progress and the music."""

import numpy as np

import framework as fw

from . import looks, screens
from .level import Level
from .maps import LEVELS, Map


class Encore(fw.Game):
    saves_folder = "Encore"
    saved = ("best_times", "best_coins", "secrets", "best_runs", "resume", "shakes", "ghosts")

    def setup(self):
        self.maps = [Map(number) for number in range(len(LEVELS))]
        self.actions = fw.Actions(
            run=fw.Axis("left right", "a d", "pad:leftx", "pad:dpleft pad:dpright"),
            jump=["space", "up", "w", "pad:a"],
            drop=["down", "s", "pad:dpdown", "pad:leftstickdown"],
            echo=["e", "lshift", "pad:x"],
            pause=["p", "pad:start"],
        )
        count = len(self.maps)
        self.best_times = [0.0] * count  # seconds; 0 is a level that was never won
        self.best_coins = [0] * count
        self.secrets = [False] * count
        self.best_runs = [np.zeros((0, 2), np.float32)] * count  # the paths of the best times
        self.resume = {}  # of a level that the player left: see Level.progress
        self.shakes = self.ghosts = True
        if self.saves.exists("progress"):
            self.load("progress")
        self.looks = looks.Looks()
        self.ui.theme = looks.theme()
        self.ui.sounds = True
        self.settings = screens.Settings(
            {"music": "Music", "effects": "Effects"}, self.actions, on_close=self.keep
        )
        self.picture.warm("tiles", "text", "particles", "widgets")
        self.push(screens.Title())

    def keep(self):
        """Save the progress."""
        self.save("progress")

    def open_level(self, number, resume=None):
        self.show(Level(number, resume), transition=fw.Iris(0.6))

    def is_open(self, number):
        """Whether the player may choose a level: the first, or one after a level that was won."""
        return number == 0 or self.best_times[number - 1] > 0

    def won(self, number, seconds, coins, secret, run):
        """Store the result of a level. Return whether the time is a new record."""
        record = not self.best_times[number] or seconds < self.best_times[number]
        if record:
            self.best_times[number], self.best_runs[number] = seconds, run
        self.best_coins[number] = max(self.best_coins[number], coins)
        self.secrets[number] = self.secrets[number] or secret
        self.resume = {}
        self.keep()
        return record
