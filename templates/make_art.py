"""Draw the images of the templates from the built-in images: python templates/make_art.py.

The images are in the public domain (CC0).
"""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import framework as fw

HERE = Path(__file__).parent
SKIN = 128  # pixels per side of an icon


def save(pixels, path):
    """Write an image file into the folder of a template."""
    Image.fromarray(np.asarray(pixels)).save(HERE / path, optimize=True)


def icon(kind, pixels, color):
    """Write the icon of a game: an image on a plate."""
    plate = Image.new("RGBA", (4 * SKIN, 4 * SKIN))
    ImageDraw.Draw(plate).rounded_rectangle((0, 0, 4 * SKIN - 1, 4 * SKIN - 1), 96, fill=color)
    plate = plate.resize((SKIN, SKIN), Image.Resampling.LANCZOS)
    image = Image.fromarray(np.asarray(pixels))
    scale = 96 / max(image.size)
    image = image.resize(
        (round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS
    )
    plate.alpha_composite(image, ((SKIN - image.width) // 2, (SKIN - image.height) // 2))
    plate.save(HERE / kind / "art" / "icon.png", optimize=True)


def row(images):
    """Return images side by side, as one image."""
    return np.concatenate([np.asarray(image) for image in images], axis=1)


def plank():
    """Return the tile of a plank, which fills the upper third of the tile."""
    image = Image.new("RGBA", (32, 32))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 31, 11), fill="#2b2440")
    draw.rectangle((0, 2, 31, 9), fill="#c98a4b")
    draw.rectangle((0, 2, 31, 4), fill="#e0a868")
    for x in (5, 26):
        draw.rectangle((x, 5, x + 1, 6), fill="#7d4f2a")
    return np.asarray(image)


def slime():
    """Return the image of a slime, seen from the front, 40 × 32 pixels."""
    big = Image.new("RGBA", (160, 128))
    draw = ImageDraw.Draw(big)
    draw.pieslice((4, 8, 156, 240), 180, 360, fill="#2b2440")
    draw.pieslice((14, 18, 146, 230), 180, 360, fill="#4fb573")
    draw.pieslice((26, 30, 90, 150), 180, 300, fill="#7fd79a")
    draw.rectangle((4, 118, 156, 127), fill="#2b2440")
    for x in (50, 94):
        draw.ellipse((x, 62, x + 22, 94), fill="#ffffff")
        draw.ellipse((x + 6, 72, x + 18, 92), fill="#2b2440")
    return np.asarray(big.resize((40, 32), Image.Resampling.LANCZOS))


def animal(body, ear, length):
    """Return the image of an animal that looks to the right, 24 × 20 pixels."""
    big = Image.new("RGBA", (192, 160))
    draw = ImageDraw.Draw(big)
    for grow, color in ((10, "#2b2440"), (0, body)):
        draw.ellipse((30 - grow, 70 - grow, 140 + grow, 140 + grow), fill=color)
        draw.ellipse((104 - grow, 48 - grow, 172 + grow, 112 + grow), fill=color)
        for x in (112, 136):
            draw.ellipse((x - grow, 52 - length - grow, x + 18 + grow, 76 + grow), fill=color)
    for x in (112, 136):
        draw.ellipse((x + 4, 60 - length, x + 14, 70), fill=ear)
    draw.ellipse((146, 70, 158, 82), fill="#2b2440")
    draw.ellipse((16, 86, 48, 118), fill="#ffffff")
    return np.asarray(big.resize((24, 20), Image.Resampling.LANCZOS))


def puck(color, rim):
    """Return the image of a puck, 64 × 64 pixels."""
    big = Image.new("RGBA", (256, 256))
    draw = ImageDraw.Draw(big)
    draw.ellipse((4, 4, 251, 251), fill="#2b2440")
    draw.ellipse((16, 16, 239, 239), fill=rim)
    draw.ellipse((52, 52, 203, 203), fill=color)
    draw.arc((72, 72, 183, 183), 200, 290, fill=rim, width=10)
    draw.polygon([(250, 128), (208, 100), (208, 156)], fill="#2b2440")
    return np.asarray(big.resize((64, 64), Image.Resampling.LANCZOS))


def ring():
    """Return an image of a ring for the icon of the 3D template."""
    big = Image.new("RGBA", (256, 256))
    draw = ImageDraw.Draw(big)
    draw.ellipse((8, 8, 247, 247), outline="#2b2440", width=52)
    draw.ellipse((18, 18, 237, 237), outline="#ffc94d", width=32)
    return np.asarray(big.resize((64, 64), Image.Resampling.LANCZOS))


def hills():
    """Return an image of hills and clouds, 960 × 320 pixels. Its left edge fits its right edge."""
    x = np.arange(960)
    y = np.arange(320)[:, None]
    pixels = np.zeros((320, 960, 4), np.uint8)
    for height, waves, color in (
        (210, ((2, 34, 0.4), (5, 12, 2.0)), (129, 199, 200, 255)),
        (140, ((3, 30, 2.5), (7, 9, 0.0)), (104, 178, 150, 255)),
    ):
        edge = height + sum(
            size * np.sin(count * x * 2 * np.pi / 960 + shift) for count, size, shift in waves
        )
        pixels[y > 320 - edge[None]] = color
    image = Image.fromarray(pixels)
    draw = ImageDraw.Draw(image)
    for left, top, size in ((120, 40, 26), (420, 66, 20), (700, 26, 30)):
        for step, part in ((0, 0.7), (1, 1.0), (2, 0.8), (3, 0.55)):
            radius = size * part
            middle = left + step * size * 0.9
            draw.ellipse(
                (middle - radius, top - radius, middle + radius, top + radius), fill="#ffffffc0"
            )
    return np.asarray(image)


def draw_platformer():
    art = Path("platformer", "art")
    save(hills(), art / "hills.png")
    save(row(fw.art.walker), art / "hero.png")
    save(row([*fw.art.tiles, plank()]), art / "tiles.png")
    for name in ("coin", "enemy", "star", "tree"):
        save(getattr(fw.art, name), art / f"{name}.png")
    icon("platformer", fw.art.walker[1], "#8fd3f5")


def draw_shooter():
    art = Path("shooter", "art")
    for name in ("ship", "enemy", "rock", "bullet", "heart"):
        save(getattr(fw.art, name), art / f"{name}.png")
    icon("shooter", fw.art.ship, "#1d2b53")


def woods():
    """Return four tiles from above: grass, grass with flowers, the top of a rock, and its face."""
    random = np.random.default_rng(3)
    tiles = []
    for kind in range(4):
        base = ((86, 140, 72), (86, 140, 72), (122, 116, 128), (92, 84, 100))[kind]
        shade = random.normal(0, 3, (16, 16)).repeat(2, axis=0).repeat(2, axis=1)
        pixels = np.clip(np.array(base) + shade[..., None], 0, 255)
        image = Image.fromarray(pixels.astype(np.uint8)).convert("RGBA")
        draw = ImageDraw.Draw(image)
        for x, y in random.integers(2, 28, (6, 2)) if kind < 2 else ():
            draw.line((x, y, x + 1, y - 4), fill=(108, 166, 84))
        for x, y in random.integers(4, 28, (3, 2)) if kind == 1 else ():
            draw.ellipse((x - 2, y - 2, x + 2, y + 2), fill="#f6e7a1")
            draw.point((x, y), fill="#d98545")
        if kind == 2:
            draw.ellipse((5, 8, 12, 12), fill=(136, 130, 142))
            draw.ellipse((19, 20, 27, 24), fill=(112, 106, 118))
        if kind == 3:
            draw.rectangle((0, 0, 31, 3), fill=(140, 134, 146))
            for y in (12, 22):
                draw.line((0, y, 31, y), fill=(66, 60, 76))
            for x, y in ((8, 4), (24, 4), (16, 13), (4, 23), (27, 23)):
                draw.line((x, y, x, y + 8), fill=(66, 60, 76))
            draw.rectangle((0, 29, 31, 31), fill=(52, 74, 46))
        tiles.append(np.asarray(image))
    return row(tiles)


def draw_topdown():
    art = Path("topdown", "art")
    save(row(fw.art.walker), art / "hero.png")
    save(woods(), art / "ground.png")
    save(slime(), art / "slime.png")
    for name in ("tree", "star", "heart", "crate"):
        save(getattr(fw.art, name), art / f"{name}.png")
    icon("topdown", slime(), "#57854c")


def draw_3d():
    icon("3d", ring(), "#3c78b4")


def draw_simulation():
    art = Path("simulation", "art")
    save(animal("#e9e2d8", "#f2a7b0", 46), art / "rabbit.png")
    save(animal("#d9773a", "#5a3526", 18), art / "fox.png")
    icon("simulation", animal("#e9e2d8", "#f2a7b0", 46), "#5f9a52")


def draw_duel():
    art = Path("duel", "art")
    save(puck("#ff9d4d", "#ffcf9e"), art / "amber.png")
    save(puck("#4da3ff", "#a9d4ff"), art / "azure.png")
    icon("duel", puck("#ff9d4d", "#ffcf9e"), "#22324f")


if __name__ == "__main__":
    draw_platformer()
    draw_shooter()
    draw_topdown()
    draw_3d()
    draw_simulation()
    draw_duel()
