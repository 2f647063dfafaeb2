"""The picture of docs/input.md: what a stick says in each of its places, by the colour of its
direction: as it is, with a dead zone for each axis, and with a round one; and a trigger that
trembles, with what counts as pressed.

    framework run docs/pictures/input.py --headless --frames 2 --screenshot docs/pictures/input.png
"""

import numpy as np

import framework as fw

SIDE, DEADZONE = 255, 0.3
TITLES = ("leftstick", "a dead zone for each axis", 'stick("leftstick", 0.3)')
PULL = (
    0.1,
    0.3,
    0.45,
    0.53,
    0.47,
    0.55,
    0.44,
    0.58,
    0.75,
    0.95,
    1.0,
    0.9,
    0.6,
    0.48,
    0.43,
    0.36,
    0.2,
    0.42,
    0.3,
    0.05,
)


def of_each_axis(x, y):
    """What other frameworks have: each axis by itself."""
    return tuple(
        max(0.0, abs(a) - DEADZONE) / (1 - DEADZONE) * (1 if a > 0 else -1) for a in (x, y)
    )


def panel(read):
    """The picture of a stick: each place in the colour of what ``read`` makes of it."""
    pad, said = fw.Gamepad(), np.zeros((SIDE, SIDE, 2))
    down, across = (np.indices((SIDE, SIDE)) + 0.5) * 2 / SIDE - 1
    x, y, inside = across, -down, down * down + across * across <= 1
    for row, column in np.argwhere(inside).tolist():
        pad.leftstick = (
            float(x[row, column]),
            float(y[row, column]),
        )  # as if it leaned there in this tick
        said[row, column] = read(pad)
    length = np.hypot(*said.T).T.clip(0, 1)
    hue = np.arctan2(said[..., 1], said[..., 0]) / (2 * np.pi)
    shade = (
        0.12 + 0.75 * length - np.where((length * 8).astype(int) % 2, 0.06, 0)
    )  # bands of an eighth
    wheel = np.abs((hue[..., None] * 6 + (0, 4, 2)) % 6 - 3).clip(1, 2) - 1
    color = shade[..., None] * np.where(length[..., None] > 0, 0.25 + 0.75 * wheel, 1)
    return np.dstack([255 * color, 255 * inside]).astype(np.uint8)


class Input(fw.Game):
    def __init__(self, **options):
        super().__init__(**{"size": (960, 520), "resolution": (960, 520), **options})

    def setup(self):
        reads = (
            lambda pad: pad.leftstick,
            lambda pad: of_each_axis(*pad.leftstick),
            lambda pad: pad.stick("leftstick", DEADZONE),
        )
        names = self.add(fw.TextBatch(font_size=17), camera=self.hud)
        for number, (title, read) in enumerate(zip(TITLES, reads, strict=True)):
            x = 170 + 310 * number
            self.sprites.add(panel(read), position=(x, 350))
            names.add(title, (x, 498), color="#aab4c6", anchor=("center", "center"))
        self.trigger(names)

    def trigger(self, names):
        """A pull and a release, value by value, and the ticks in which it counts as pressed."""
        pad, white = fw.Gamepad(), np.full((1, 1, 4), 255, np.uint8)
        bars = self.add(fw.SpriteBatch(white))
        left, bottom, high, step = 220, 40, 140, 34
        for value, name, lift in ((64 / 127, "pressed", 6), (51 / 127, "released", -6)):
            bars.add(
                position=(left + 340, bottom + high * value), scale=(700, 1.5), color="#566070"
            )
            names.add(
                name,
                (left - 20, bottom + high * value + lift),
                color="#aab4c6",
                anchor=("right", "center"),
            )
        names.add(
            '["righttrigger"]',
            (left - 20, bottom - 22),
            color="#aab4c6",
            anchor=("right", "center"),
        )
        for tick, value in enumerate(PULL):
            pad.pull_trigger("righttrigger", value)
            pad.begin_tick()
            x, height = left + 14 + tick * step, high * pad.righttrigger
            down = pad["righttrigger"] and not pad.just_released("righttrigger")
            color = "#ffb454" if down else "#4f6c9c"
            bars.add(position=(x, bottom + height / 2), scale=(22, height), color=color)
            if down:
                bars.add(position=(x, bottom - 22), scale=(step, 10), color="#ffb454")


if __name__ == "__main__":
    fw.run(Input, background=(0.06, 0.07, 0.09))
