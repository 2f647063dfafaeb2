"""Novel: a visual novel at a lighthouse, with choices that lead to two endings.

Press Space, Enter, A on a gamepad, or click to show the whole sentence, and again for the next
sentence. Choose with the arrow keys, a gamepad or the mouse. F4 goes back in the story, F5 saves it
and F9 loads the save. NumPy makes all images and sounds, and the story is one coroutine.
"""

import math
import re

import numpy as np

import framework as fw

TAG = re.compile(r"\[[^\]]*\]")
LETTERS = 45  # letters per second
GOLD = "#ffd27a"
DIM = (0.42, 0.45, 0.6)
GOLDEN = (0.95, 0.78, 0.4)
HUES = {"Mara": "#ff9d7a", "Finn": "#8fd6ff", "": "#d8d2f0"}
PITCHES = {"Mara": 1.3, "Finn": 0.8}
# Faces: how far the mouth curves up and is open, and how far the brows are raised and slanted.
MOODS = {
    "calm": (0.5, 0, 0, 0),
    "glad": (1.5, 5, 3, -0.05),
    "afraid": (-0.3, 7, 6, -0.3),
    "sad": (-1.1, 0, 1, -0.35),
    "firm": (0.1, 0, -3, 0.3),
}


def grid(width, height):
    """Return the coordinates of all pixels, x to the right and y up: (height, width) each."""
    y, x = np.mgrid[0:height, 0:width][:, ::-1].astype(float)
    return x, y


def inside(distance):
    """Return how much of each pixel is inside a shape. ``distance`` is negative inside the
    shape."""
    return np.clip(0.5 - distance, 0, 1)[..., None]


def picture(colors, alpha):
    """Return an image. Noise of half a step hides the bands in slow gradients."""
    noise = np.random.default_rng(1).uniform(-0.7, 0.7, (*colors.shape[:2], 1)) / 255
    alpha = np.broadcast_to(alpha, (*colors.shape[:2], 1))
    return (np.concatenate([(colors + noise).clip(0, 1), alpha], axis=2) * 255).astype(np.uint8)


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
    moon = np.hypot(x - 150, y - 205)
    paint(colors, (0.75, 0.78, 1), 0.35 * np.exp(-np.maximum(moon - 20, 0) / 26)[..., None])
    paint(colors, (0.96, 0.95, 0.86), inside(moon - 20))
    mist = np.exp(-(((y - 100 - 8 * np.sin(x / 90)) / 16) ** 2)) * (
        0.5 + 0.3 * np.sin(x / 47 + y / 9)
    )
    paint(colors, (0.62, 0.45, 0.62), 0.45 * mist[..., None])
    cloud = np.sin(x / 70 + 2 * np.sin(y / 21)) + np.sin(x / 31 - y / 11) - np.abs(y - 160) / 24
    paint(colors, (0.42, 0.38, 0.6), 0.4 * np.clip(cloud, 0, 1)[..., None])
    paint(colors, (0.05, 0.08, 0.17), inside(y - 96))
    wide = 8 + np.maximum(96 - y, 0) * 0.35
    glitter = (np.sin(y * 1.9 + 5 * np.sin(y * 0.31)) > 0.2) * np.exp(-np.abs(x - 150) / wide)
    paint(colors, (0.8, 0.82, 0.95), 0.6 * (glitter * (y < 96))[..., None])
    house = np.maximum(np.abs(x - 440) - 20, np.abs(y - 124) - 18)
    roof = np.maximum(np.abs(x - 440) * 0.8 + y - 160, 138 - y)
    paint(colors, (0.07, 0.06, 0.13), inside(np.minimum(house, roof)))
    paint(colors, (1, 0.75, 0.35), 0.3 * np.exp(-np.hypot(x - 432, y - 129) / 14)[..., None])
    bars = np.minimum(np.abs(x - 432), np.abs(y - 129)) - 0.6
    window = np.maximum(np.abs(x - 432) - 5, np.abs(y - 129) - 6)
    paint(colors, (1, 0.82, 0.45), inside(np.maximum(window, -bars)))
    for base, tone in ((112, 0.085), (92, 0.05)):
        hill = base + 16 * np.sin(x / 61 + base) + 7 * np.sin(x / 23) - np.maximum(0, 290 - x) * 0.6
        paint(colors, (tone, tone, tone * 2.2), inside(y - hill))
    tower = np.maximum(np.abs(x - 372) - 15 + (y - 100) * 0.05, y - 206)
    stripes = np.where(np.floor(y / 22) % 2 == 0, 0.34, 0.16)[..., None] * (1, 0.75, 0.8)
    round_light = np.clip(1.3 - np.abs(x - 366) / 16, 0.35, 1.3)[..., None]  # from the moon's side
    paint(colors, stripes * round_light * 1.5, inside(tower))
    for level in (128, 150, 172):
        paint(colors, (0.04, 0.04, 0.1), inside(ellipse(x, y, 370, level, 2.2, 4)))
    paint(colors, (0.02, 0.02, 0.05), inside(np.maximum(np.abs(x - 372) - 15, np.abs(y - 207) - 2)))
    paint(colors, (0.1, 0.1, 0.16), inside(np.maximum(np.abs(x - 372) - 8, np.abs(y - 217) - 9)))
    paint(colors, (0.02, 0.02, 0.05), inside(np.maximum(np.abs(x - 372) * 0.9 + y - 238, 226 - y)))
    return picture(colors, 1)


def lamp_room():
    """Return an image of the inside of the tower: boards, a window and the great lamp."""
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
    shaft = np.clip(1.2 - np.abs(x - 120 - (185 - y) * 0.9) / 44, 0, 1) * np.clip(
        (160 - y) / 60, 0, 1
    )
    paint(colors, (0.5, 0.55, 0.95), 0.3 * shaft[..., None])
    colors *= 1.25 - 0.75 * (np.hypot(x - 240, y - 150) / 290)[..., None]
    glass = ellipse(x, y, 350, 170, 42, 62)
    rings = 0.5 + 0.5 * np.cos((y - 170) * 0.45)
    paint(colors, rings[..., None] * np.array((0.2, 0.3, 0.34)) + (0.1, 0.14, 0.16), inside(glass))
    paint(colors, (0.55, 0.42, 0.2), inside(np.abs(glass) - 2.5))
    return picture(colors, 1)


def portrait(skin, hair, coat, long):
    """Return a person's upper body for each mood: two images, with open and with closed eyes."""
    skin = np.array(skin)
    hair = np.array(hair)
    coat = np.array(coat)
    x, y = grid(220, 260)
    beside = np.abs(x - 110)
    back = ellipse(x, y, 110, 176, 62 if long else 53, 66)
    if long:
        back = np.minimum(back, np.maximum(beside - 60 - 3 * np.sin(y / 9), abs(y - 113) - 63))
    collar = np.abs(beside - (y - 56) * 0.55) - 6
    fringe = np.maximum(ellipse(x, y, 110, 176, 49, 54), 188 - y + (x - 80) * 0.3)
    face = ellipse(x, y, 110, 164, 43, 54)
    parts = [
        (hair * 0.8, back),
        (coat, np.maximum(ellipse(x, y, 110, 6, 94, 98), -y)),
        (skin * 0.8, np.maximum(beside - 16, np.abs(y - 100) - 24)),  # the neck, in shadow
        (coat * 0.65, collar + np.maximum(0, 62 - y) + np.maximum(0, y - 104)),
        (skin, ellipse(x, y, 66, 160, 8, 12)),
        (skin, ellipse(x, y, 154, 160, 8, 12)),
        (skin, face),
        (skin * 0.93, np.maximum(face, -ellipse(x, y, 100, 168, 44, 56))),  # away from the moon
        (hair, fringe),
        (hair * 1.25, np.maximum(np.abs(np.hypot(x - 116, y - 160) - 58) - 3.5, fringe + 6)),
        (skin * 0.82, ellipse(x, y, 112, 152, 4, 6)),
        (GOLDEN, np.hypot(x - 110, y - 44) - 5),
        (GOLDEN, np.hypot(x - 110, y - 18) - 5),
    ]
    colors = np.zeros((260, 220, 3))
    alpha = np.zeros((260, 220, 1))
    for color, distance in parts:
        paint(colors, color, inside(distance))
        alpha = np.maximum(alpha, inside(distance))
    blush = 0.35 * np.exp(-(((beside - 27) / 9) ** 2) - ((y - 146) / 6) ** 2)[..., None]
    paint(colors, (0.9, 0.4, 0.36), blush * inside(face))
    colors *= 0.8 + 0.2 * (1 - x / 220)[..., None]
    rim = alpha - inside(np.minimum(back, ellipse(x, y, 110, 6, 94, 98)) + 3)
    moonlit = (np.clip((110 - x) / 60, 0, 1) * (beside > 40))[..., None]
    paint(colors, (0.62, 0.66, 0.95), 0.6 * rim * moonlit)
    return {name: faces(colors, alpha, hair, x, y, *mood) for name, mood in MOODS.items()}


def faces(colors, alpha, hair, x, y, curve, gape, lift, slant):
    """Return two images of a face with a mood, with open and with closed eyes."""
    beside = np.abs(x - 110)
    middle = x - 110
    bent = y - 134 - curve * (middle**2 * 0.02 - 2)
    ends = np.maximum(0, beside - 14)
    brow = np.abs(y - 184 - lift - slant * (beside - 20)) + np.maximum(0, np.abs(beside - 20) - 10)
    lids = np.abs(y - 165 - 0.02 * (beside - 20) ** 2) + np.maximum(0, np.abs(beside - 20) - 10)
    white = ellipse(beside, y, 20, 167, 9.5, 7.5 + 0.25 * lift)
    images = []
    for is_open in (True, False):
        face = colors.copy()
        if curve > 0 or not gape:
            paint(face, (0.5, 0.14, 0.16), inside(np.abs(bent) + ends - 1.8))
        if gape:
            width = 8 + 2 * curve
            mouth = np.maximum(ellipse(x, y, 110, 134, width, gape + 2), bent if curve > 0 else -40)
            paint(face, (0.42, 0.08, 0.12), inside(mouth))
        if is_open:
            paint(face, (0.97, 0.97, 0.97), inside(white))
            paint(face, hair * 0.55, inside(np.maximum(np.hypot(beside - 19, y - 167) - 6, white)))
            paint(face, (0.06, 0.05, 0.08), inside(np.hypot(beside - 19, y - 167) - 3))
            paint(face, (1, 1, 1), inside(np.hypot(beside - 20 + np.sign(middle) * 2, y - 170) - 2))
            lids = np.maximum(np.abs(white) - 1, 167 - y)
        paint(face, hair * 0.35, inside(lids - 0.8))
        paint(face, hair * 0.6, inside(brow - 2))
        images.append(picture(face, alpha))
    return images


def plate(width, height):
    """Return a dark box with round corners and a bright border, lighter at the top."""
    x, y = grid(width, height)
    away = np.abs([x - (width - 1) / 2, y - (height - 1) / 2]) - [
        [[width / 2 - 20]],
        [[height / 2 - 20]],
    ]
    distance = np.hypot(*np.maximum(away, 0)) - 18
    colors = (0.05, 0.055, 0.12) + np.array((0.05, 0.05, 0.11)) * (y / height)[..., None]
    paint(colors, (0.8, 0.66, 0.42), inside(np.abs(distance + 2) - 1.2))
    return picture(colors, inside(distance))


def beam():
    """Return a beam of light that widens to the right and fades."""
    x, y = grid(400, 120)
    light = np.exp(-(((y - 60) / (4 + x * 0.12)) ** 2) * 2) * (1 - x / 400) ** 1.5 * 0.8
    return picture(np.zeros((120, 400, 3)) + (1, 0.9, 0.62), light[..., None])


class Novel(fw.Game):
    saved = (
        *("telling", "curtain", "light", "place", "line", "moods"),
        *("answers", "chosen", "lit", "random"),
    )

    def setup(self):
        self.recording.rewind = fw.Rewind(duration=60)
        self.background = "#000"
        self.actions = fw.Actions(next=["space", "enter", "mouse:left", "pad:a"])
        self.places = {"shore": shore(self.random), "lamp": lamp_room()}
        self.back = self.sprites.add(self.places["shore"], position=(480, 270), scale=2)
        self.light = self.add(fw.SpriteBatch(beam(), blend="add", anchor=(0, 60)))
        self.beams = [
            self.light.add(position=(744, 434), scale=(2, 1.4), angle=turn, visible=False)
            for turn in (0, math.pi)
        ]
        self.faces = {
            "Mara": portrait((0.93, 0.72, 0.6), (0.55, 0.2, 0.14), (0.2, 0.3, 0.4), True),
            "Finn": portrait((0.85, 0.65, 0.5), (0.13, 0.13, 0.2), (0.6, 0.5, 0.25), False),
        }
        self.moods = dict.fromkeys(self.faces, "calm")
        front = self.add(fw.SpriteBatch())
        self.people = {
            name: front.add(moods["calm"][0], position=(x, 270), scale=1.3, color=(*DIM, 0))
            for (name, moods), x in zip(self.faces.items(), (148, 812), strict=True)
        }
        self.box = front.add(plate(950, 150), position=(480, 95), visible=False)
        self.plate = front.add(plate(180, 50), position=(132, 170), visible=False)
        black = np.full((4, 4, 4), (0, 0, 0, 255), np.uint8)
        self.curtain = self.add(fw.SpriteBatch(black))
        self.dark = self.curtain.add(position=(480, 270), scale=(240, 135))
        fonts = [fw.art.fonts.title, "DejaVu Sans"]
        add = self.add(fw.TextBatch(fonts, 24), camera=self.hud, layer=1).add
        middle = ("center", "center")
        self.name = add("", (132, 171), anchor=middle)
        below = {"anchor": ("left", "top"), "width": 864, "line_spacing": 1.15}
        self.words = add("", (48, 136), shadow="#000", **below)
        self.mark = add("▼", (922, 44), font_size=18, color=GOLD, anchor=middle, visible=False)
        night = {
            "control": "#14163ae6",
            "hover": "#3c3a78",
            "pressed": "#5a4a8a",
            "edge": "#cca86b",
        }
        self.ui.theme = fw.Theme(
            font=fonts, font_size=22, focus=GOLD, radius=16, ease=0.15, **night
        )
        self.menu = self.ui.column(anchor="center", position=(0, -50), width=330, gap=14)
        self.options = []
        self.answers = []
        self.chosen = 0
        self.picked = False
        self.lit = False
        self.place = "shore"
        self.line = ("", "", "calm")
        self.blip = fw.Sound.sfx(seed=4, kind="blip")
        self.chime = fw.Sound.sfx(seed=2, kind="powerup")
        self.telling = self.start(self.story())

    def after_load(self):
        """Show the loaded state again, because labels, buttons and images are not saved."""
        self.back.image = self.places[self.place]
        self.write(*self.line)
        self.words.visible_characters = None
        self.offer(self.answers, self.chosen)

    async def story(self):
        while True:
            await self.arrive("shore")
            await self.say(
                "",
                "The last night of autumn. On the cliff stands a lighthouse that has "
                "been [b]dark[/] for years.",
            )
            ship = "Do you see it? Out there, where the [#8fd6ff]water glitters[/]… a [b]ship[/]!"
            await self.say("Mara", ship, "glad")
            rocks = "Without a light she will run upon the [#ff6b6b]rocks[/]. What do we do?"
            await self.say("Finn", rocks, "afraid")
            if await self.ask("Climb the tower", "Shout as loud as we can") == 1:
                await self.say("Mara", "[b]HEEEY! TURN AROUND![/]", "afraid")
                wind = "It is no use, the wind takes every word. Quick: [#ffd27a]the lamp[/]!"
                await self.say("Finn", wind, "sad")
            await self.up_the_tower()
            await self.say("", "[#ffd27a]The end.[/]  Once more?")

    async def up_the_tower(self):
        await self.arrive("lamp")
        dust = "Dust and cobwebs. And this [#ffd27a]lamp[/] is taller than I am."
        await self.say("Finn", dust, "firm")
        oil = "There is oil for one night. Or for [#8fd6ff]one letter[/] that I have long wanted to"
        await self.say("Mara", f"{oil} read…", "sad")
        if await self.ask("Light the lamp", "Read the letter") == 0:
            self.lit = True
            self.chime.play(volume=0.6)
            await self.arrive("shore")
            turns = "She turns! Look, Finn, she [b]turns[/]! They wave their hats!"
            await self.say("Mara", turns, "glad")
        else:
            letter = "[#ffd27a]somebody else has to light the lamp now.[/]”"
            await self.say("Mara", f"“Dear Mara, if you read this: {letter}", "sad")
            self.lit = True
            await self.arrive("shore")
            await self.say("Finn", "I did. While you were reading.", "glad")

    async def arrive(self, position):
        """Fade the background to black, and then to the new background."""
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

    def write(self, name, text, mood="calm"):
        """Move the speaker forward and the others back, and add the text, whose letters are hidden
        at first.
        """
        self.line = name, text, mood
        self.box.visible = bool(text)
        self.plate.visible = bool(name)
        self.name.text = f"[b]{name}[/]"
        self.name.color = HUES[name]
        self.words.text = text
        self.words.visible_characters = 0
        for other, person in self.people.items():
            if other == name:
                self.moods[name] = mood
                look = {"color": (1, 1, 1, 1), "scale": 1.4}
            else:
                look = {"color": (*DIM, round(person.alpha) if name else 0), "scale": 1.3}
            self.tween(person, duration=0.3, ease="out_quad", **look)

    async def say(self, name, text, mood="calm"):
        self.write(name, text, mood)
        letters = TAG.sub("", text)
        for count, letter in enumerate(letters, 1):
            self.words.visible_characters = count
            if letter.isalnum() and count % 2:
                pitch = PITCHES.get(name, 1.0) * self.random.uniform(0.95, 1.05)
                self.blip.play(volume=0.25, pitch=pitch)
            if await self.rest(0.3 if letter in ".!?…" else 1 / LETTERS):
                break
        self.words.visible_characters = None
        self.mark.visible = True
        await self.ticks(1)  # the key press that showed the whole sentence must not also end it
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
        self.offer(answers)
        await self.until(self.decided)
        self.offer([])
        self.blip.play(volume=0.5, pitch=1.6)
        return self.chosen

    def offer(self, answers, chosen=0):
        """Show a button for each answer. These buttons replace the earlier buttons."""
        self.menu.clear()
        self.answers = [*answers]
        self.picked = False
        self.options = [
            self.menu.button(answer, lambda row=row: self.pick(row), padding=(14, 12))
            for row, answer in enumerate(answers)
        ]
        if self.options:
            self.chosen = chosen
            self.ui.set_focus(self.options[chosen])

    def pick(self, row):
        self.chosen = row
        self.picked = True

    def decided(self):
        return self.picked

    # The functions that a saved story may run.
    saved_routines = (story, up_the_tower, arrive, say, rest, ask, decided)

    def update(self, dt):
        if self.keys.just_pressed("f5"):
            self.save("story")
        if self.keys.just_pressed("f9") and self.saves.exists("story"):
            self.load("story")
        time = self.tick * dt
        if self.ui.focus in self.options:
            self.chosen = self.options.index(self.ui.focus)
        self.mark.position = 922, 44 + 4 * fw.exact.sin(5 * time)
        for light in self.beams:
            light.angle += 0.8 * dt
        for shift, (name, person) in enumerate(self.people.items()):
            person.y = 270 + 3 * fw.exact.sin(1.7 * time + 2 * shift)
            blinks = (time + 1.3 * shift) % 3.4 < 0.12
            person.image = self.faces[name][self.moods[name]][int(blinks)]


if __name__ == "__main__":
    fw.run(Novel, size=(960, 540), resolution=(960, 540), exact=True)
