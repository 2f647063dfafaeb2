"""Looks: the images, particles, sounds and music of the game. Most are built-in art of `fw.art`."""

import numpy as np

import framework as fw

from .machines import GATE
from .maps import TILE

INK, CREAM, GOLD = "#1f1833", "#fff4ac", "#ffd04c"
COLORS = {"A": "#ffd04c", "B": "#e8504f", "C": "#3f9fe0"}  # of gates and their plates
SKIES = {  # the ground, and the colors of the sky and of three rows of hills
    "day": ("grass", "#84d8f4", "#a9e4f2", "#7cc4d8", "#58a8a0"),
    "dusk": ("sand", "#f59a38", "#f4b070", "#c87850", "#8a4a54"),
    "wind": ("snow", "#bcd8ec", "#d8ecf4", "#a8c4dc", "#88a8c8"),
    "cave": ("stone", "#1f1833", "#2a2244", "#352c54", "#403664"),
    "night": ("castle", "#161b46", "#20265a", "#2a2f6a", "#363a7c"),
}
PLANTS = {"1": "tuft", "2": "flower", "3": "bush", "4": "mushroom"}
DRAWINGS = {  # one letter is one pixel: ink, dark, middle, light
    "plate": ["............", "kkkkkkkkkkkk", "klllllllllmk", "kmmmmmmmmmdk", "kkkkkkkkkkkk"],
    "lift": [
        "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
        "kllllllllllllllllllllllllllllllk",
        "klmmmmmmmmmmmmmmmmmmmmmmmmmmmmdk",
        "kmmkkmmmmmmmmmkkkkmmmmmmmmmkkmdk",
        "kmmkkmmmmmmmmmkllkmmmmmmmmmkkmdk",
        "kmmmmmmmmmmmmmkkkkmmmmmmmmmmmmdk",
        "kddddddddddddddddddddddddddddddk",
        "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
    ],
    "gate": ["kllmmddk", "kllmmddk", "kkllmdkk", "kkllmdkk", "kllmmddk", "kllmmddk"],
}
WOOD = {"k": "#1f1833", "d": "#763f3d", "m": "#a8693f", "l": "#d69c5c"}
GRAY = {"k": "#1f1833", "d": "#8a90b0", "m": "#bcc8dc", "l": "#ffffff"}


def drawing(name, colors):
    """Return an image of a drawing in these colors."""
    palette = {letter: (*bytes.fromhex(color[1:]), 255) for letter, color in colors.items()}
    rows = [[palette.get(letter, (0, 0, 0, 0)) for letter in row] for row in DRAWINGS[name]]
    return np.array(rows, np.uint8)


def thumper():
    """Return an image of a heavy block with eyes and teeth."""
    image = np.zeros((32, 30, 4), np.uint8)
    image[...] = (31, 24, 51, 255)
    image[1:-1, 1:-1] = (90, 90, 128, 255)
    image[1:4, 1:-1] = image[1:-1, 1:4] = (138, 144, 176, 255)
    image[-4:-1, 4:-1] = image[4:-1, -4:-1] = (58, 51, 88, 255)
    for left in (6, 18):
        image[9:15, left : left + 6] = (31, 24, 51, 255)
        image[11:14, left + 1 : left + 5] = (232, 80, 79, 255)
    for left in range(6, 24, 4):
        image[19:25, left : left + 3] = (216, 246, 255, 255)
    return image


def hills(color, number):
    """Return an image of hills that repeats to both sides."""
    x = np.arange(480)
    height = 34 + 26 * number
    for waves, size in ((1, 16), (3, 9), (7 + number, 4), (19, 2)):
        height = height + size * fw.exact.sin(2 * np.pi * (waves * x / 480 + 0.37 * number + waves))
    image = np.zeros((160, 480, 4), np.uint8)
    image[:] = (*bytes.fromhex(color[1:]), 255)
    image[np.arange(160)[:, None] < 160 - np.asarray(height)[None], 3] = 0
    return image


def theme():
    """Return the theme of all menus. The interface has half the scale, so 20 is the font's 10."""
    return fw.Theme(font=fw.art.fonts.pixel, font_size=20, accent=GOLD, panel="#1f1833e8")


class Looks:
    """The images and sounds of all levels, and the particles of the current one."""

    def __init__(self):
        self.sounds = fw.art.sounds
        self.kit = fw.art.platformer

    # -- the ground and the sky --------------------------------------------------------------------

    def set_sky(self, scene, sky):
        scene.game.background = SKIES[sky][1]

    def add_hills(self, scene, sky):
        for number, color in enumerate(reversed(SKIES[sky][2:])):
            hill = fw.Backdrop(
                hills(color, number), parallax=(0.5 - 0.17 * number, 1), repeat=(True, False)
            )
            scene.add(hill, layer=-1 - number)

    def add_ground(self, scene, rows, sky):
        """Add the tiles of a map, with plants on the free ground."""
        ground = SKIES[sky][0]
        legend = {"#": ground, "=": "platform", "^": "spikes", "~": "water"}
        legend |= {"?": "sign", "!": "checkpoint"} | PLANTS
        rows = [list(row) for row in rows]
        for above, below in zip(rows, rows[1:], strict=False):
            for column, mark in enumerate(above):
                chance = column * column * 7 % 23
                if mark == "." and below[column] == "#" and chance < 4 and ground == "grass":
                    above[column] = [*PLANTS][chance]
        numbers = self.kit.from_text(["".join(row) for row in rows], legend)
        scene.add(fw.TileLayer(self.kit, numbers))

    # -- sprites -----------------------------------------------------------------------------------

    def machines(self, boxes):
        images = [drawing("lift", WOOD), drawing("gate", GRAY), thumper()]
        batch = fw.SpriteBatch(images, len(boxes.kind))
        batch.image[:], batch.position[:] = boxes.kind, boxes.home
        for row in np.flatnonzero(boxes.kind == GATE).tolist():
            batch.scale[row] = 1, boxes.size[row, 1] / 6
            batch[row].color = COLORS[boxes.letters[row]]
        return batch

    def plates(self, boxes):
        batch = fw.SpriteBatch(drawing("plate", GRAY), len(boxes.plates), anchor=(6, 0))
        batch.position[:] = (boxes.plates + (0.5, 0)) * TILE
        for row, letter in enumerate(boxes.plate_letters):
            batch[row].color = COLORS[letter]
        return batch

    def coins(self):
        return fw.SpriteBatch(fw.art.items.coin, columns={"number": 0})

    def heroes(self):
        return fw.SpriteBatch(fw.art.hero, anchor=(8, 9))

    def walkers(self):
        return fw.SpriteBatch(fw.art.slime, columns={"velocity": (0, 0), "path": ("f8", 2)})

    def flyers(self):
        return fw.SpriteBatch(fw.art.bat, columns={"home": ("f8", 2)})

    def props(self, level, plan):
        """Return the sprites of the goal and of the secret. The secret may be missing."""
        self.stars = level.add(fw.SpriteBatch(fw.art.items.star))
        self.gems = level.add(fw.SpriteBatch(fw.art.items.ruby))
        goal = self.stars.add(position=plan.centers("*")[0], scale=2)
        secrets = [self.gems.add(position=place) for place in plan.centers("s")]
        for batch in (self.stars, self.gems):
            batch.play("idle")
        return goal, *secrets

    def add_particles(self, level):
        self.dust = level.add(
            fw.Particles(
                np.full((2, 2, 4), 255, np.uint8),
                capacity=300,
                lifetime=(0.25, 0.5),
                speed=(10, 35),
                direction=np.pi / 2,
                spread=1.3,
                damping=4,
                size=fw.Curve(3, 1),
                color="#fff4dc",
            )
        )
        self.sparks = level.add(
            fw.Particles(
                np.full((2, 2, 4), 255, np.uint8),
                capacity=400,
                lifetime=(0.3, 0.7),
                speed=(30, 100),
                gravity=(0, -150),
                size=fw.Curve(3, 1),
                tint=[GOLD, CREAM, "#f59a38"],
            )
        )
        self.trail = level.add(
            fw.Particles(
                np.full((4, 4, 4), 255, np.uint8),
                capacity=300,
                lifetime=0.5,
                speed=(0, 8),
                emission_size=(10, 18),
                size=fw.Curve(4, 1),
                color=fw.Curve("#84d8f4", "#3f9fe000"),
            )
        )

    # -- music -------------------------------------------------------------------------------------

    def play_music(self, scene):
        scene.audio.music.play(fw.art.music.calm, volume=0.5, fade=0.5)
