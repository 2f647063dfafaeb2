"""The picture of docs/sprites.md: four clips frame by frame, and a crowd that plays them, each at a
time of its own.

framework run docs/pictures/clips.py --headless --frames 90 --screenshot docs/pictures/clips.png
"""

import math

import numpy as np

import framework as fw

SIDE = 96  # pixels of a frame
SKIN, SHIRT, TROUSERS, SHOES, HAIR = (
    (0.96, 0.80, 0.67),
    (0.94, 0.94, 0.96),
    (0.36, 0.40, 0.52),
    (0.2, 0.2, 0.25),
    (0.33, 0.2, 0.16),
)


def limb(picture, start, end, width, color, shade=1.0):
    """A rounded stroke over what is in the picture, with soft edges and a lit side."""
    y, x = np.mgrid[SIDE - 0.5 : -0.5 : -1, 0.5:SIDE]
    (ax, ay), (bx, by) = start, end
    along = (x - ax) * (bx - ax) + (y - ay) * (by - ay)
    share = np.clip(along / max((bx - ax) ** 2 + (by - ay) ** 2, 1e-9), 0, 1)
    dx, dy = x - ax - share * (bx - ax), y - ay - share * (by - ay)
    cover = np.clip(width - np.hypot(dx, dy) + 0.5, 0, 1)[..., None]
    lit = shade * (0.86 + 0.14 * np.clip((dx + dy) / width, -1, 1))[..., None]
    picture[..., :3] = picture[..., :3] * (1 - cover) + np.array(color) * lit * cover
    picture[..., 3:] = np.maximum(picture[..., 3:], cover)


def joint(start, angle, length):
    """The place that is so far away, at an angle from straight down."""
    return start[0] + length * math.sin(angle), start[1] - length * math.cos(angle)


def frame(stride=0.0, swing=0.5, lift=0.0, raised=None):
    """A walker at one moment of a stride, 0 to 1: uint8 (SIDE, SIDE, 4)."""
    picture = np.zeros((SIDE, SIDE, 4))
    turn = 2 * math.pi * stride
    hip = (48.0, 38 + lift + 1.6 * swing * abs(math.cos(turn)))
    neck = (hip[0] + 2.5, hip[1] + 22)
    for side, shade in ((math.pi, 0.72), (0.0, 1.0)):  # what is behind first
        angle = swing * math.sin(turn + side)
        bend = swing * (0.25 + max(0, math.cos(turn + side)) * 1.25)
        knee = joint(hip, angle * 1.1, 15)
        foot = joint(knee, angle * 1.1 - bend, 15)
        hand_angle = -angle * 1.2 if raised is None or side else raised
        elbow = joint(neck, hand_angle, 11)
        hand = joint(
            elbow, hand_angle + 0.35 + (0.5 * math.sin(2 * turn) if raised and not side else 0), 11
        )
        arms = [(neck, elbow, 4, SHIRT), (elbow, hand, 3.4, SKIN)]
        legs = [
            (hip, knee, 5, TROUSERS),
            (knee, foot, 4.2, TROUSERS),
            (foot, (foot[0] + 5, foot[1] - 1), 3.2, SHOES),
        ]
        strokes = [*arms, *legs] if side else [*legs]
        for start, end, width, color in strokes:
            limb(picture, start, end, width, color, shade)
        if not side:
            limb(picture, hip, neck, 8, SHIRT)
            head = (neck[0] + 2, neck[1] + 14)
            limb(picture, (head[0] - 2, head[1] + 2), (head[0] - 1, head[1] + 4), 9.2, HAIR)
            limb(picture, head, (head[0] + 1, head[1] - 1), 8.4, SKIN)
            limb(picture, (head[0] + 4, head[1] + 2), (head[0] + 4, head[1] + 1), 1.2, SHOES)
            for start, end, width, color in arms:
                limb(picture, start, end, width, color, 1.06)
    return np.round(255 * np.clip(picture, 0, 1)).astype(np.uint8)


def walkers():
    """The clips of a walker: 8 frames of a walk, 8 of a run, 4 of a wave, 6 of a jump."""
    frames = [frame(n / 8) for n in range(8)] + [frame(n / 8, 0.95, 2) for n in range(8)]
    frames += [frame(n / 8, 0.0, 0, 1.9) for n in range(4)]
    frames += [frame(0.2 + 0.06 * n, 0.75, 13 * math.sin(math.pi * n / 5)) for n in range(6)]
    return fw.Clips(
        frames,
        walk=fw.Clip(range(8), rate=12, markers={"step": (2, 6)}),
        run=(8, 8, 18),
        wave=fw.Clip(range(16, 20), rate=10, ping_pong=True),
        jump=fw.Clip(range(20, 26), rate=10, loop=False),
    )


def ground(width, height):
    """Evening light over hills."""
    y, x = np.mgrid[1 : 0 : -1j * height, 0 : 2 * width / height : 1j * width]
    sky = (
        np.array([1.0, 0.86, 0.68])
        + (np.array([0.42, 0.58, 0.82]) - [1.0, 0.86, 0.68]) * y[..., None] ** 0.8
    )
    for number, (level, shade) in enumerate(
        ((0.46, (0.62, 0.50, 0.52)), (0.40, (0.45, 0.46, 0.45)), (0.34, (0.33, 0.42, 0.34)))
    ):
        hill = level + 0.035 * np.sin(3.1 * x + 2 * number) + 0.02 * np.sin(7.3 * x + number)
        cover = np.clip((hill - y) * height, 0, 1)[..., None]
        sky = sky * (1 - cover) + cover * (np.array(shade) + (0.25 * (y - level))[..., None])
    return np.dstack([np.round(255 * np.clip(sky, 0, 1)), np.full((height, width), 255)]).astype(
        np.uint8
    )


class Walkers(fw.Game):
    def setup(self):
        self.back = self.add(fw.SpriteBatch(ground(int(self.width), int(self.height)), 1))
        self.back.position[:] = self.width / 2, self.height / 2
        clips, unit = walkers(), self.height / 520
        names = self.add(fw.TextBatch(font_size=max(4, 17 * unit)), camera=self.hud)
        panel = self.add(fw.SpriteBatch(np.full((1, 1, 4), 255, np.uint8), smooth_edges=False))
        for left, right in ((16, 700), (820, 940)):
            middle = (left + right) / 2 * unit, self.height - 122 * unit
            panel.add(
                position=middle, scale=((right - left) * unit, 226 * unit), color=(1, 1, 1, 0.22)
            )
        self.strips = self.add(fw.SpriteBatch(clips))
        for line, name in enumerate(clips):
            y = self.height - (38 + 56 * line) * unit
            names.add(name, (34 * unit, y), anchor=("left", "center"), color="#26304a")
            for place, number in enumerate(clips[name].frames):
                self.strips.add(number, position=((140 + 72 * place) * unit, y), scale=0.6 * unit)
        self.playing = self.add(fw.SpriteBatch(clips, 4))
        self.playing.position[:] = [
            (880 * unit, self.height - (38 + 56 * line) * unit) for line in range(4)
        ]
        self.playing.scale[:] = 0.6 * unit
        for line, name in enumerate(clips):
            self.playing.play(name, line)
        self.crowd = self.add(fw.SpriteBatch(clips, 260, y_sort=True, columns="velocity"))
        random, count = self.random, len(self.crowd)
        depth = random.random(count)
        self.crowd.position[:] = np.column_stack(
            [random.uniform(0, self.width, count), (18 + 145 * depth) * unit]
        )
        self.crowd.scale[:] = (0.95 - 0.5 * depth)[:, None] * unit
        self.crowd.color[:, :3] = random.uniform(0.55, 1, (count, 3))
        self.speed = random.uniform(0.75, 1.3, count)
        runs = random.random(count) < 0.25
        self.crowd.play(
            "walk", ~runs, speed=self.speed[~runs], skip=random.uniform(0, 1, count - runs.sum())
        )
        self.crowd.play("run", runs, speed=self.speed[runs], skip=random.uniform(0, 1, runs.sum()))
        self.crowd.velocity[:, 0] = np.where(runs, 120, 52) * self.speed * self.crowd.scale[:, 0]

    def update(self, dt):
        self.crowd.move(dt)
        gone = self.crowd.position[:, 0] > self.width + 50
        self.crowd.position[gone, 0] -= self.width + 100
        self.crowd.teleport(gone)
        if self.tick % 20 == 0:
            row = int(self.random.choice(self.crowd.playing("run")))
            self.crowd.play("jump", row, then="run")


if __name__ == "__main__":
    fw.run(Walkers, size=(1000, 520))
