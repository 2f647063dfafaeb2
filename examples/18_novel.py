"""Novel: a visual novel at a lighthouse, with choices that lead to two endings.

Space, Enter, a click or a gamepad's A shows the whole sentence, and then the next one. Choose with
the up and down arrow keys, a gamepad's D-pad or the mouse. F4 goes back in the story, F5 saves it and
F9 loads the save. NumPy makes all images and sounds, and the story is one coroutine.
"""

import math
import re

import numpy as np

import framework as fw

TAG = re.compile(r"\[[^\]]*\]")
LETTERS = 45  # letters per second
GOLD, DIM = "#ffd27a", (0.42, 0.45, 0.6)
HUES = {"Mara": "#ff9d7a", "Finn": "#8fd6ff"}


def grid(width, height):
    """Return the coordinates of all pixels, x to the right and y up: (height, width) each."""
    y, x = np.mgrid[0:height, 0:width][:, ::-1].astype(float)
    return x, y


def inside(distance):
    """Return how much of each pixel is inside a shape, whose distance is negative inside."""
    return np.clip(0.5 - distance, 0, 1)[..., None]


def picture(colors, alpha):
    return (
        np.concatenate([np.clip(colors, 0, 1), np.broadcast_to(alpha, (*colors.shape[:2], 1))], 2)
        * 255
    )


def paint(colors, color, mask):
    """Blend a color into an image by a mask. Only the part where the mask is not 0 is computed."""
    rows, columns = (np.flatnonzero(mask.any(axis=axis)) for axis in ((1, 2), (0, 2)))
    if len(rows):
        part = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        inside = colors[part]
        inside += (np.broadcast_to(color, colors.shape)[part] - inside) * mask[part]


def ellipse(x, y, cx, cy, rx, ry):
    return (np.hypot((x - cx) / rx, (y - cy) / ry) - 1) * min(rx, ry)


def shore(random):
    """Return an image of night over the sea, with a moon, hills and a dark lighthouse."""
    x, y = grid(480, 270)
    height = (y / 270)[..., None]
    colors = np.array((0.30, 0.24, 0.42)) * (1 - height) + np.array((0.03, 0.04, 0.13)) * height
    stars = random.uniform(size=y.shape) > 0.9985
    paint(
        colors,
        (0.9, 0.92, 1),
        (stars & (y > 110))[..., None] * random.uniform(0.2, 1, (*y.shape, 1)),
    )
    moon = np.hypot(x - 110, y - 205)
    paint(colors, (0.75, 0.78, 1), 0.35 * np.exp(-np.maximum(moon - 20, 0) / 26)[..., None])
    paint(colors, (0.96, 0.95, 0.86), inside(moon - 20))
    paint(colors, (0.05, 0.08, 0.17), inside(y - 96))
    wide = 8 + np.maximum(96 - y, 0) * 0.35
    glitter = (np.sin(y * 1.9 + 5 * np.sin(y * 0.31)) > 0.2) * np.exp(-np.abs(x - 110) / wide)
    paint(colors, (0.8, 0.82, 0.95), 0.6 * (glitter * (y < 96))[..., None])
    for base, tone in ((112, 0.085), (92, 0.05)):
        hill = (
            base + 16 * np.sin(x / 61 + base) + 7 * np.sin(x / 23) - np.maximum(0, 250 - x) * 0.42
        )
        paint(colors, (tone, tone, tone * 2.2), inside(y - hill))
    tower = np.maximum(np.abs(x - 372) - 15 + (y - 100) * 0.05, y - 206)
    stripes = np.where(np.floor(y / 22) % 2 == 0, 0.34, 0.16)[..., None] * (1, 0.75, 0.8)
    paint(colors, stripes, inside(tower))
    paint(colors, (0.02, 0.02, 0.05), inside(np.maximum(np.abs(x - 372) - 15, np.abs(y - 207) - 2)))
    paint(colors, (0.1, 0.1, 0.16), inside(np.maximum(np.abs(x - 372) - 8, np.abs(y - 217) - 9)))
    paint(colors, (0.02, 0.02, 0.05), inside(np.maximum(np.abs(x - 372) * 0.9 + y - 238, 226 - y)))
    return picture(colors, 1).astype(np.uint8)


def lamp_room():
    """Return an image of the tower's inside: boards, a window and the great lamp."""
    x, y = grid(480, 270)
    boards = (
        0.8 + 0.2 * (np.abs((x % 48) - 24) < 23) + 0.05 * np.sin(x * 0.9 + np.sin(y * 0.05) * 3)
    )
    colors = boards[..., None] * np.array((0.20, 0.13, 0.12)) * (0.5 + (y / 270)[..., None])
    window = np.hypot(x - 120, y - 185)
    paint(colors, (0.08, 0.06, 0.07), inside(window - 56))
    paint(colors, (0.10, 0.13, 0.30), inside(window - 48))
    paint(colors, (0.95, 0.94, 0.85), inside(np.hypot(x - 104, y - 200) - 10))
    paint(
        colors,
        (0.08, 0.06, 0.07),
        inside(np.minimum(np.abs(x - 120), np.abs(y - 185)) - 2) * inside(window - 50),
    )
    paint(colors, (0.10, 0.07, 0.06), inside(np.maximum(np.abs(x - 350) - 44, y - 110)))
    glass = ellipse(x, y, 350, 170, 42, 62)
    rings = 0.5 + 0.5 * np.cos((y - 170) * 0.45)
    paint(colors, rings[..., None] * np.array((0.2, 0.3, 0.34)) + (0.1, 0.14, 0.16), inside(glass))
    paint(colors, (0.55, 0.42, 0.2), inside(np.abs(glass) - 2.5))
    return picture(colors, 1).astype(np.uint8)


def portrait(skin, hair, coat, long):
    """Return two images of a person's upper body, with open and with closed eyes."""
    x, y = grid(220, 260)
    mirrored = np.abs(x - 110)
    back = ellipse(x, y, 110, 176, 62 if long else 52, 66)
    if long:
        back = np.minimum(back, np.maximum(mirrored - 60, np.maximum(y - 176, 60 - y)))
    parts = [
        (hair, back),
        (coat, np.maximum(ellipse(x, y, 110, 10, 92, 92), -y)),
        (skin, np.maximum(mirrored - 16, np.abs(y - 100) - 24)),
        (
            np.array(coat) * 0.7,
            np.abs(mirrored - (y - 56) * 0.55) - 6 + np.maximum(0, 62 - y) + np.maximum(0, y - 104),
        ),
        (skin, ellipse(x, y, 110, 166, 43, 52)),
        (hair, np.maximum(ellipse(x, y, 110, 176, 49, 54), 186 - y + (x - 80) * 0.3)),
        (np.array(skin) * 0.82, ellipse(x, y, 112, 156, 4, 6)),
        (
            (0.62, 0.25, 0.25),
            np.abs(y - 136 - (x - 110) ** 2 * 0.012) + np.maximum(0, mirrored - 12) - 1.8,
        ),
    ]
    colors, alpha = np.zeros((260, 220, 3)), np.zeros((260, 220, 1))
    for color, distance in parts:
        paint(colors, color, inside(distance))
        alpha = np.maximum(alpha, inside(distance))
    colors *= 0.78 + 0.22 * (x / 220)[..., None]
    eyes = []
    for white, dark in (
        (ellipse(mirrored, y, 20, 168, 9, 7), np.hypot(mirrored - 20, y - 168) - 5),
        (None, None),
    ):
        face = colors.copy()
        if white is None:
            paint(
                face,
                np.array(hair) * 0.6,
                inside(np.abs(y - 166) + np.maximum(0, np.abs(mirrored - 20) - 9) - 1.2),
            )
        else:
            paint(face, (0.95, 0.95, 0.95), inside(white))
            paint(face, (0.12, 0.1, 0.14), inside(dark))
            paint(
                face,
                (1, 1, 1),
                inside(np.hypot(x - 110 - np.sign(x - 110) * 20 - 2, y - 170) - 1.6),
            )
        paint(
            face,
            np.array(hair) * 0.7,
            inside(np.abs(y - 180) + np.maximum(0, np.abs(mirrored - 20) - 10) - 1.6),
        )
        eyes.append(picture(face, alpha).astype(np.uint8))
    return eyes


def plate(width, height):
    """Return a dark box with round corners and a bright border."""
    x, y = grid(width, height)
    away = np.abs([x - (width - 1) / 2, y - (height - 1) / 2]) - [
        [[width / 2 - 20]],
        [[height / 2 - 20]],
    ]
    distance = np.hypot(*np.maximum(away, 0)) - 18
    colors = np.zeros((height, width, 3)) + (0.05, 0.06, 0.13)
    paint(colors, (0.8, 0.66, 0.42), inside(np.abs(distance + 2) - 1.2))
    return picture(colors, 0.86 * inside(distance)).astype(np.uint8)


def beam():
    """Return a beam of light that widens to the right and fades."""
    x, y = grid(400, 120)
    light = np.exp(-(((y - 60) / (4 + x * 0.12)) ** 2) * 2) * (1 - x / 400) ** 1.5 * 0.8
    return picture(np.zeros((120, 400, 3)) + (1, 0.9, 0.62), light[..., None]).astype(np.uint8)


class Novel(fw.Game):
    saved = ("telling", "curtain", "light", "place", "line", "answers", "chosen", "lit", "random")

    def setup(self):
        self.recording.rewind = fw.Rewind(duration=60)
        self.background = "#000"
        self.actions = fw.Actions(
            next=["space", "enter", "mouse:left", "pad:a"],
            up=["up", "w", "pad:dpup"],
            down=["down", "s", "pad:dpdown"],
        )
        self.places = {"shore": shore(self.random), "lamp": lamp_room()}
        self.back = self.sprites.add(self.places["shore"], position=(480, 270), scale=2)
        self.light = self.add(fw.SpriteBatch(beam(), blend="add", anchor=(0, 60)))
        self.beams = [
            self.light.add(position=(744, 434), scale=(2, 1.4), angle=turn, visible=False)
            for turn in (0, math.pi)
        ]
        people = {
            "Mara": portrait((0.93, 0.72, 0.6), (0.55, 0.2, 0.14), (0.2, 0.3, 0.4), True),
            "Finn": portrait((0.85, 0.65, 0.5), (0.13, 0.13, 0.2), (0.6, 0.5, 0.25), False),
        }
        front = self.add(fw.SpriteBatch())
        self.eyes = people
        self.people = {
            name: front.add(eyes[0], position=(x, 250), scale=1.15, color=(*DIM, 0))
            for (name, eyes), x in zip(people.items(), (250, 710), strict=True)
        }
        self.box = front.add(plate(880, 150), position=(480, 95))
        black = np.full((4, 4, 4), (0, 0, 0, 255), np.uint8)
        self.curtain = self.add(fw.SpriteBatch(black))
        self.dark = self.curtain.add(position=(480, 270), scale=(240, 135))
        add = self.labels.add
        self.name = add("", (76, 134), font_size=22, outline="#000", outline_width=1)
        self.words = add(
            "",
            (76, 124),
            font_size=22,
            width=808,
            anchor=("left", "top"),
            line_spacing=1.15,
            shadow="#000",
        )
        self.mark = add(
            "▼", (894, 44), font_size=18, color=GOLD, anchor=("center", "center"), visible=False
        )
        self.options, self.answers = [], []
        self.chosen, self.lit = 0, False
        self.place, self.line = "shore", ("", "")
        self.blip = fw.Sound.sfx(seed=4, kind="blip")
        self.chime = fw.Sound.sfx(seed=2, kind="powerup")
        self.telling = self.start(self.story())

    def after_load(self):
        """Show what the save says: labels and images are in no save."""
        self.back.image = self.places[self.place]
        self.write(*self.line)
        self.words.visible_characters = None
        self.offer(self.answers)

    async def story(self):
        while True:
            await self.arrive("shore")
            await self.say(
                "",
                "The last night of autumn. On the cliff stands a lighthouse that has "
                "been [b]dark[/] for years.",
            )
            await self.say(
                "Mara",
                "Do you see it? Out there, where the [#8fd6ff]water glitters[/]… a [b]ship[/]!",
            )
            await self.say(
                "Finn", "Without a light she will run upon the [#ff6b6b]rocks[/]. What do we do?"
            )
            if await self.ask("Climb the tower", "Shout as loud as we can") == 0:
                await self.up_the_tower()
            else:
                await self.say("Mara", "[b]HEEEY! TURN AROUND![/]")
                await self.say(
                    "Finn", "It is no use, the wind takes every word. Quick: [#ffd27a]the lamp[/]!"
                )
                await self.up_the_tower()
            await self.say("", "[#ffd27a]The end.[/]  Once more?")

    async def up_the_tower(self):
        await self.arrive("lamp")
        await self.say("Finn", "Dust and cobwebs. And this [#ffd27a]lamp[/] is taller than I am.")
        await self.say(
            "Mara",
            "There is oil for one night. Or for [#8fd6ff]one letter[/] that I have "
            "long wanted to read…",
        )
        if await self.ask("Light the lamp", "Read the letter") == 0:
            self.lit = True
            self.chime.play(volume=0.6)
            await self.arrive("shore")
            await self.say("Mara", "She turns! Look, Finn, she [b]turns[/]! They wave their hats!")
        else:
            await self.say(
                "Mara",
                "“Dear Mara, if you read this: [#ffd27a]somebody else has to light the "
                "lamp now.[/]”",
            )
            self.lit = True
            await self.arrive("shore")
            await self.say("Finn", "I did. While you were reading.")

    async def arrive(self, position):
        """Change the background through black."""
        self.write("", "")
        await self.tween(self.dark, alpha=1, duration=0.4)
        self.place = position
        self.back.image = self.places[position]
        if position == "lamp":
            self.lit = False
        for light in self.beams:
            light.visible = self.lit
        await self.tween(self.dark, alpha=0, duration=0.6)
        self.lit = False

    def write(self, name, text):
        """Move the speaker forward and the others back, with a text whose letters are hidden at
        first.
        """
        self.line = name, text
        self.name.text, self.name.color = name, HUES.get(name, GOLD)
        self.words.text, self.words.visible_characters = text, 0
        for other, person in self.people.items():
            tone = (1, 1, 1, 1) if other == name else (*DIM, round(person.alpha) if name else 0)
            self.tween(
                person,
                color=tone,
                scale=1.25 if other == name else 1.15,
                duration=0.3,
                ease="out_quad",
            )

    async def say(self, name, text):
        self.write(name, text)
        letters = TAG.sub("", text)
        for count, letter in enumerate(letters, 1):
            self.words.visible_characters = count
            if letter.isalnum() and count % 2:
                pitch = {"Mara": 1.3, "Finn": 0.8}.get(name, 1.0)
                self.blip.play(volume=0.25, pitch=pitch * self.random.uniform(0.95, 1.05))
            if await self.rest(0.3 if letter in ".!?…" else 1 / LETTERS):
                break
        self.words.visible_characters = None
        self.mark.visible = True
        await self.until(lambda: self.actions.just_pressed("next"))
        self.mark.visible = False

    async def rest(self, seconds):
        """Wait, and return whether the player pressed a key to continue."""
        for _ in range(max(1, round(seconds / self.timestep.dt))):
            await self.ticks(1)
            if self.actions.just_pressed("next"):
                return True
        return False

    async def ask(self, *answers):
        """Return the index of the chosen answer."""
        self.chosen = 0
        self.offer(answers)
        await self.until(self.decided)
        self.offer([])
        self.blip.play(volume=0.5, pitch=1.6)
        return self.chosen

    def offer(self, answers):
        """Show answers to choose from, in place of earlier ones."""
        for label in self.options:
            label.remove()
        self.answers = [*answers]
        self.options = [
            self.labels.add(
                answer,
                (480, 330 - 52 * row),
                font_size=26,
                anchor=("center", "center"),
                outline="#101020",
            )
            for row, answer in enumerate(answers)
        ]

    def decided(self):
        step = self.actions.presses("down") - self.actions.presses("up")
        pointed = [
            np.all(np.abs(self.mouse.position - np.array(one.position)) < (230, 25))
            for one in self.options
        ]
        if self.mouse.dx or self.mouse.dy or self.mouse.just_pressed("left"):
            self.chosen = pointed.index(True) if any(pointed) else self.chosen
        self.chosen = (self.chosen + step) % len(self.options)
        for row, label in enumerate(self.options):
            label.color = GOLD if row == self.chosen else "#c8cce0"
            label.scale = 1.15 if row == self.chosen else 1.0
        return self.actions.just_pressed("next") and (
            any(pointed) or not self.mouse.just_pressed("left")
        )

    # The functions that a saved story may run.
    saved_routines = (story, up_the_tower, arrive, say, rest, ask, decided)

    def update(self, dt):
        if self.keys.just_pressed("f5"):
            self.save("story")
        if self.keys.just_pressed("f9") and self.saves.exists("story"):
            self.load("story")
        time = self.tick * dt
        self.mark.position = 894, 44 + 4 * fw.exact.sin(5 * time)
        for light in self.beams:
            light.angle += 0.8 * dt
        for shift, (name, person) in enumerate(self.people.items()):
            person.y = 250 + 3 * fw.exact.sin(1.7 * time + 2 * shift)
            person.image = self.eyes[name][int((time + 1.3 * shift) % 3.4 < 0.12)]


if __name__ == "__main__":
    fw.run(Novel, size=(960, 540), resolution=(960, 540), exact=True)
