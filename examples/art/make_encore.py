"""Draw the machines of the game Encore: examples/games/encore/machines.png.

Run `python examples/art/make_encore.py` to draw the image again.
"""

from pathlib import Path

import numpy as np
from PIL import Image

INK = "#1f1833"
WOOD = {"k": INK, "d": "#763f3d", "m": "#a8693f", "l": "#d69c5c"}
GRAY = {"k": INK, "d": "#8a90b0", "m": "#bcc8dc", "l": "#ffffff"}  # the game tints it
STONE = {"k": INK, "d": "#3a3358", "m": "#5a5a80", "l": "#8a90b0", "r": "#e8504f", "w": "#d8f6ff"}
LIFT = [
    "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
    "kllllllllllllllllllllllllllllllk",
    "klmmmmmmmmmmmmmmmmmmmmmmmmmmmmdk",
    "kmmkkmmmmmmmmmkkkkmmmmmmmmmkkmdk",
    "kmmkkmmmmmmmmmkllkmmmmmmmmmkkmdk",
    "kmmmmmmmmmmmmmkkkkmmmmmmmmmmmmdk",
    "kddddddddddddddddddddddddddddddk",
    "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
]
GATE = ["kllmmddk"] * 6 + ["kkllmdkk"] * 2 + ["kllmmddk"] * 6 + ["kkllmdkk"] * 2
PLATE = ["............", "kkkkkkkkkkkk", "klllllllllmk", "kmmmmmmmmmdk", "kkkkkkkkkkkk"]


def thumper():
    """Return the rows of a heavy block with eyes and teeth."""
    rows = np.full((32, 30), "m")
    rows[1:4, :] = rows[:, 1:4] = "l"
    rows[-4:, 4:] = rows[4:, -4:] = "d"
    for left in (6, 18):
        rows[8:15, left : left + 6] = "k"
        rows[11:14, left + 1 : left + 5] = "r"
        rows[8 : 8 + 3, left + (left == 6) * 4 : left + (left == 6) * 4 + 2] = "m"
    rows[18:26, 5:26] = "k"
    for left in range(6, 24, 4):
        rows[19:22, left : left + 3] = rows[23:25, left + 1 : left + 3] = "w"
    rows[[0, -1]] = rows[:, 0] = rows[:, -1] = "k"
    rows[[0, 0, -1, -1], [0, -1, 0, -1]] = "."
    return rows.tolist()


def pixels(rows, colors):
    palette = {letter: (*bytes.fromhex(color[1:]), 255) for letter, color in colors.items()}
    return np.array([[palette.get(letter, (0, 0, 0, 0)) for letter in row] for row in rows], "u1")


def main():
    sheet = np.zeros((32, 84, 4), np.uint8)
    x = 0
    for rows, colors in ((LIFT, WOOD), (GATE, GRAY), (thumper(), STONE), (PLATE, GRAY)):
        image = pixels(rows, colors)
        height, width, _ = image.shape
        sheet[:height, x : x + width] = image
        x += width
    folder = Path(__file__).parent.parent / "games" / "encore"
    Image.fromarray(sheet).save(folder / "machines.png")


if __name__ == "__main__":
    main()
