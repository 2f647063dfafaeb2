"""Encore: wind back your last seconds, and an echo replays them beside you. Five levels.

Run with the arrow keys, A and D, or a gamepad's stick, and jump with space or the A button. Hold E
or the X button to wind back. When you release the key, an echo walks the path that you wound back:
it presses plates, lures thumpers and carries you on its head. Enemies and moving platforms are in
the way. P or Escape pauses.

The other modules are in the folder `encore`, and the levels are text files.
"""

import numpy as np

import framework as fw
from encore import looks, screens
from encore.level import Level
from encore.maps import LEVELS, Map


class Encore(fw.Game):
    saves_folder = "Encore"
    saved = ("best_times", "best_coins", "secrets", "best_runs", "resume", "shakes", "ghosts")

    def __init__(self, **options):
        super().__init__(**{"resolution": (480, 270), "pixel_art": True} | options)

    def setup(self):
        self.maps = [Map(number) for number in range(len(LEVELS))]
        self.actions = fw.Actions(
            left=["left", "a", "pad:leftstickleft", "pad:dpleft"],
            right=["right", "d", "pad:leftstickright", "pad:dpright"],
            jump=["space", "up", "w", "pad:a"],
            drop=["down", "s", "pad:leftstickdown", "pad:dpdown"],
            echo=["e", "lshift", "pad:x"],
            pause=["p", "pad:start"],
        )
        count = len(self.maps)
        self.best_times = [0.0] * count  # seconds; 0 for a level that was never won
        self.best_coins, self.secrets = [0] * count, [False] * count
        self.best_runs = [np.zeros((0, 2), np.float32)] * count  # the paths of the best runs
        self.resume = {}  # the `Level.progress` of a level that the player has left
        self.shakes = self.ghosts = True
        if self.saves.exists("progress"):
            self.load("progress")
        self.looks, self.theme = looks.Looks(), looks.theme()
        buses = {"music": "Music", "effects": "Effects"}
        self.settings = screens.Settings(buses, self.actions, on_close=self.keep)
        self.picture.warm("tiles", "text", "particles", "widgets")
        self.push(screens.Title(self))

    def dress(self, scene, sky=None, music=None):
        """Give a scene the theme of the game, and a sky and music if it needs them."""
        scene.ui.theme, scene.ui.scale, scene.ui.sounds = self.theme, 0.5, True
        if sky:
            scene.opaque = True
            self.looks.add_sky(scene, sky)
        if music:
            self.audio.music.play(getattr(fw.art.music, music), volume=0.5, fade=0.5)

    def open_title(self):
        self.show(screens.Title(self), transition=fw.Fade(0.4))

    def open_level(self, number, resume=None):
        self.show(Level(number, resume), transition=fw.Iris(0.6))

    def resume_level(self):
        self.open_level(self.resume["level"], self.resume)

    # -- progress ----------------------------------------------------------------------------------

    def keep(self):
        self.save("progress")

    def after_load(self):
        """Add entries for levels that are newer than the save."""
        new = (self.best_times, 0.0), (self.best_coins, 0), (self.secrets, False)
        for values, value in (*new, (self.best_runs, np.zeros((0, 2), np.float32))):
            values += [value] * (len(self.maps) - len(values))
        number = self.resume.get("level", 0)
        if self.resume and len(self.resume["coins"]) != len(self.maps[number].cells("o")):
            self.resume = {}  # the level has changed since this run

    def is_open(self, number):
        """Whether the player may choose a level: the first level, or a level after a level that was
        won."""
        return number == 0 or self.best_times[number - 1] > 0

    @property
    def next_level(self):
        """The number of the first level that was not won yet, or 0."""
        return self.best_times.index(0.0) if 0.0 in self.best_times else 0

    def won(self, progress):
        """Store the result of a level. Return whether the time is a new record."""
        number, seconds = progress["level"], progress["ticks"] / 60
        record = not self.best_times[number] or seconds < self.best_times[number]
        if record:
            self.best_times[number], self.best_runs[number] = seconds, progress["route"]
        self.best_coins[number] = max(self.best_coins[number], int(progress["coins"].sum()))
        self.secrets[number] |= progress["secret"]
        self.resume = {}
        self.keep()
        return record


if __name__ == "__main__":
    fw.run(Encore, title="Encore", size=(960, 540))
