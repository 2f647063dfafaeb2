"""Looks: the images, particles, sounds and music of the game."""

from types import SimpleNamespace

import numpy as np

import framework as fw

from .maps import TILE

SKIES = {  # the colors of the sky, the far hills and the near hills
    "day": ("#8fd3f5", "#6fb7d8", "#5a9c8a"),
    "cave": ("#2a2440", "#3a3158", "#4a3c6a"),
    "wind": ("#bfe3f0", "#9cc8e0", "#86b0d0"),
    "dusk": ("#f2a65e", "#c9705e", "#8a4a62"),
    "night": ("#141a3c", "#232a5c", "#333a74"),
}
LETTERS = {"A": "#e8b23a", "B": "#e05a6a", "C": "#5ab0e8"}  # the colors of plates and gates


def plate(width, height, color, edge="#2b2440"):
    """Return an image of a box with a dark edge."""
    image = np.zeros((height, width, 4), np.uint8)
    image[:] = fw.rgba8(edge) if hasattr(fw, "rgba8") else (43, 36, 64, 255)
    rgb = [int(color[n : n + 2], 16) for n in (1, 3, 5)]
    image[2:-2, 2:-2, :3] = rgb
    return image


def machines(boxes):
    """Return a batch with one sprite for each moving box."""
    images = [plate(64, 16, "#c98b4a"), plate(16, 32, "#ffffff"), plate(60, 64, "#7a7f96")]
    batch = fw.SpriteBatch(images, len(boxes.kind))
    if len(boxes.kind):
        batch.image[:] = boxes.kind
        batch.position[:] = boxes.home
        for row in np.flatnonzero(boxes.kind == 1).tolist():
            batch.scale[row] = 1, boxes.size[row, 1] / 32
            batch[row].color = LETTERS[boxes.letters[row]]
    return batch


def plates(places, letters):
    batch = fw.SpriteBatch(plate(40, 8, "#ffffff"), len(places), anchor=(20, 0))
    if len(places):
        batch.position[:] = places + (TILE / 2, 0)
        for row, letter in enumerate(letters):
            batch[row].color = LETTERS[letter]
    return batch


def theme():
    return fw.Theme(accent="#ffb340")


class Looks:
    def __init__(self):
        self.hero_clips = fw.Clips(
            list(fw.art.hero),
            stand=(0, 1, 1), run=(0, 4, 12), jump=(1, 1, 1), fall=(3, 1, 1), cheer=(0, 2, 4),
        )
        self.foe_clips = fw.Clips([fw.art.rock, fw.art.enemy], crawl=(0, 1, 1), fly=(1, 1, 1))
        sfx = fw.Sound.sfx
        self.sounds = SimpleNamespace(
            jump=sfx(3, "jump"), land=sfx(4, "blip"), coin=sfx(5, "coin"), stomp=sfx(2, "hit"),
            hurt=sfx(7, "hit"), wind=sfx(9, "powerup"), echo=sfx(11, "blip"), win=sfx(8, "powerup"),
            secret=sfx(12, "powerup"), plate=sfx(6, "blip"), thump=sfx(1, "explosion"),
            flag=sfx(13, "coin"),
        )

    def add_sky(self, scene, plan):
        scene.game.background = SKIES[plan.sky][0]

    def ground(self, plan):
        numbers = np.select(
            [plan.marks == "#", plan.marks == "=", plan.marks == "^", plan.marks == "~"], [2, 7, 8, 6], 0
        )
        turf = (numbers == 2) & (np.roll(numbers, 1, axis=0) != 2)
        numbers[turf] = 1
        spikes = plate(32, 32, "#d0d0e0")
        spikes[:16] = 0
        plank = plate(32, 32, "#c98b4a")
        plank[12:] = 0
        images = [*fw.art.tiles, plank, spikes]
        return fw.TileLayer(fw.TileSet(images, (TILE, TILE), solid=(1, 2, 3, 4, 5), one_way=(7,)), numbers)

    def add_scenery(self, scene, plan):
        pass

    def coins(self):
        return fw.SpriteBatch(fw.art.coin, columns={"number": 0})

    def place(self, scene, name, places):
        image = {"secret": fw.art.star, "checkpoint": plate(12, 48, "#c03040"), "goal": fw.art.star,
                 "sign": plate(28, 28, "#a07040")}[name]
        batch = scene.add(fw.SpriteBatch(image, anchor=(image.shape[1] / 2, 0)))
        if name in ("secret", "goal"):
            return batch.add(position=places[0]) if len(places) else None
        batch.extend(len(places), position=places)
        return batch

    def heroes(self):
        return fw.SpriteBatch(self.hero_clips, anchor=(24, 22))

    def foes(self):
        columns = {"velocity": (0, 0), "path": ("f8", 2), "home": ("f8", 2), "flies": False}
        return fw.SpriteBatch(self.foe_clips, columns=columns)

    def add_particles(self, scene):
        self.dust = scene.add(fw.Particles(
            capacity=300, lifetime=(0.25, 0.5), speed=(20, 70), direction=np.pi / 2, spread=1.3,
            damping=4, size=fw.Curve(8, 14), color=fw.Curve("#fff4dcb0", "#fff4dc00")))
        self.sparks = scene.add(fw.Particles.sparks(), layer=1)
        self.smoke = scene.add(fw.Particles.smoke(), layer=1)
        self.trail = scene.add(fw.Particles(capacity=300, lifetime=0.5, speed=0, size=fw.Curve(36, 10),
            color=fw.Curve("#7fe0ffa0", "#7fe0ff00"), blend="add"))

    def raise_flag(self, level, number):
        level.flags[number].color = "#80ff80"
        self.sounds.flag.play(volume=0.5)
        self.sparks.emit(20, level.flags[number].position)

    def play_music(self, scene, plan):
        pass
