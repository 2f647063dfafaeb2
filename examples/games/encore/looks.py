"""Looks: the images, particles and music of the game. Most are the built-in art of `fw.art`."""

from itertools import pairwise

import numpy as np

import framework as fw

from .machines import GATE
from .maps import TILE

INK, CREAM, GOLD = "#1f1833", "#fff4ac", "#ffd04c"
COLORS = {"A": "#ffd04c", "B": "#e8504f", "C": "#3f9fe0"}  # colors of gates and their plates
SKIES = {  # the ground, and the colors of the sky and of three rows of hills
    "day": ("grass", "#84d8f4", "#58a8a0", "#7cc4d8", "#a9e4f2"),
    "dusk": ("sand", "#f5b06c", "#8a4a54", "#c87850", "#e89c64"),
    "wind": ("snow", "#bcd8ec", "#88a8c8", "#a8c4dc", "#d8ecf4"),
    "cave": ("stone", "#1f1833", "#403664", "#352c54", "#2a2244"),
    "night": ("castle", "#161b46", "#363a7c", "#2a2f6a", "#20265a"),
}
DOT = np.full((1, 1, 4), 255, np.uint8)
PLANTS = {"1": "tuft", "2": "flower", "3": "bush", "4": "mushroom"}


def part(x, width, height):
    """Return one image of the sheet that examples/art/make_encore.py draws."""
    return fw.Region("encore/machines.png", (x, 0, width, height))


def hills(color, number):
    """Return an image of hills that repeats to both sides. A higher number is farther away."""
    x = np.arange(480) / 480
    height = 34 + 26 * number
    for waves, size in ((1, 16), (3, 9), (7 + number, 4), (19, 2)):
        height = height + size * fw.exact.sin(2 * np.pi * (waves * x + 0.37 * number + waves))
    image = np.full((160, 480, 4), (*bytes.fromhex(color[1:]), 255), np.uint8)
    image[np.arange(160, 0, -1)[:, None] > height, 3] = 0
    return image


def theme():
    """Return the theme of all menus. Their scale is 0.5, so 20 is the font's own size of 10."""
    return fw.Theme(font=fw.art.fonts.pixel, font_size=20, accent=GOLD, panel="#1f1833e8")


class Looks:
    """The images and sounds of all levels, and the particles of the current level."""

    sounds = fw.art.sounds

    def add_sky(self, scene, sky):
        _, color, *colors = SKIES[sky]
        air = scene.add(fw.SpriteBatch(DOT, 1), camera=scene.hud, layer=-9)
        air.position, air.scale, air.color = (scene.width / 2, scene.height / 2), scene.size, color
        for number, color in enumerate(colors):
            image, parallax = hills(color, number), (0.5 - 0.17 * number, 1)
            hill = fw.Backdrop(image, parallax=parallax, repeat=(True, False))
            scene.add(hill, layer=-1 - number)

    def add_ground(self, scene, rows, sky):
        """Add the tiles of a map, with plants on the free grass."""
        ground, kit = SKIES[sky][0], fw.art.platformer
        legend = {"#": ground, "=": "platform", "^": "spikes", "~": "water"}
        legend |= {"?": "sign", "!": "checkpoint"} | PLANTS
        for above, below in pairwise(rows):
            for column, mark in enumerate(above):
                chance = column * column * 7 % 23
                if mark == "." and below[column] == "#" and chance < 4 and ground == "grass":
                    above[column] = [*PLANTS][chance]
        scene.add(fw.TileLayer(kit, kit.from_text(["".join(row) for row in rows], legend)))

    def machines(self, boxes):
        images = [part(0, 32, 8), part(32, 8, 16), part(40, 30, 32)]
        batch = fw.SpriteBatch(images, len(boxes.kind))
        batch.image[:], batch.position[:] = boxes.kind, boxes.home
        for row in [row for row, kind in enumerate(boxes.kind) if kind == GATE]:
            batch[row].scale = 1, boxes.size[row, 1] / TILE
            batch[row].color = COLORS[boxes.marks[row]]
        return batch

    def plates(self, boxes):
        batch = fw.SpriteBatch(part(70, 12, 5), anchor=(6, 0))
        for cell, letter in zip(boxes.plates, boxes.plate_letters, strict=True):
            batch.add(position=(cell + (0.5, 0)) * TILE, color=COLORS[letter])
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
        """Return the sprites of the goal and of the secret."""
        props = []
        for image, mark in ((fw.art.items.star, "*"), (fw.art.items.ruby, "s")):
            batch = level.add(fw.SpriteBatch(image))
            props.append(batch.add(position=plan.centers(mark)[0]))
            batch.play("idle")
        return props

    def add_particles(self, level):
        cream = {"size": fw.Curve(4, 1), "color": "#fff4dc"}
        dust = fw.Particles(DOT, lifetime=(0.2, 0.5), speed=(10, 45), damping=4, **cream)
        self.dust = level.add(dust)
        self.sparks = level.add(fw.Particles.sparks(unit=0.5, lifetime=(0.3, 0.7)))
        blue = fw.Curve("#84d8f4", "#3f9fe000")
        self.trail = level.add(fw.Particles(size=fw.Curve(16, 4), lifetime=0.5, color=blue))
