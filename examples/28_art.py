"""Art: all built-in images, sounds and music.

The arrow keys show another page. Move the mouse over an image or a sound to see its name, and click
to play a sound or music.
"""

import framework as fw

GROUPS = ("items", "icons", "vehicles", "particles")
PLATFORMER = """
....................
.........CCC......F.
..................F.
.......o.o.o....L###
......=======...L###
................L###
...B......?b...1####
.x.B*s..^^....1#####
########~~~~%%%%@@@@
########~~~~%%%%@@@@
........!!!!........
"""
LEGEND = {
    "#": "grass",
    "1": "grass up",
    "=": "platform",
    "C": "cloud",
    "L": "ladder",
    "~": "water",
    "^": "spikes",
    "F": "flag",
    "B": "crate",
    "?": "question",
    "b": "bricks",
    "x": "sign",
    "*": "tuft",
    "s": "flower",
    "%": "snow",
    "@": "castle",
    "!": "lava",
}
TOWN = """
TT.RRRR..P..~~~~~~.P
TT.RRRR..P.~~~~~~~.P
...HWDH..r..~~~~~~b.
.f...p.....b.~~~~...
ppppppppppppp.......
...p......p...====.#
.b.pppppppp...=,,=.#
..........p...=::=.#
.ww.o.....p...===+.#
....f..b..pppppppp..
...........P.....f.P
"""
STREETS = {
    "R": "roof",
    "p": "path",
    "~": "water",
    "H": "house",
    "W": "house window",
    "D": "house door",
}
THINGS = {"T": "tree", "P": "pine", "b": "bush", "r": "rock", "o": "well", "#": "fence"}
THINGS |= {"w": "barrel"}


class Art(fw.Game):
    page = 0

    def __init__(self, **options):
        super().__init__(
            **({"resolution": (320, 180), "pixel_art": True, "background": "#3a3358"} | options)
        )

    def setup(self):
        self.words = self.add(fw.TextBatch(fw.art.fonts.pixel, 10), camera=self.hud, layer=9)
        self.title = self.words.add("", (4, 167), outline="#1f1833", outline_width=1)
        self.pages = {"characters": self.show_characters, "platformer": self.show_platformer}
        self.pages["topdown"] = self.show_town
        self.pages |= dict.fromkeys(GROUPS, self.show_group)
        self.pages |= {f"backgrounds.{name}": self.show_layers for name in dir(fw.art.backgrounds)}
        self.pages["sounds"] = self.show_sounds
        self.shown = []
        self.labels_shown = []
        self.places = {}
        self.clock = 0.0
        self.turn(0)

    def turn(self, by):
        """Show another page."""
        for shown in self.shown:
            self.remove(shown)
        for label in self.labels_shown:
            label.remove()
        self.shown = []
        self.labels_shown = []
        self.places = {}
        self.camera.position = 160, 90
        self.page = (self.page + by) % len(self.pages)
        self.name = [*self.pages][self.page]
        self.pages[self.name]()

    def put(self, name, art, position):
        batch = fw.SpriteBatch(art, 1)
        self.shown.append(self.add(batch))
        batch.position[:] = position
        self.places[name] = position
        return batch

    def show_characters(self):
        self.actors = []
        names = [name for name in fw.art.names() if isinstance(getattr(fw.art, name), fw.Clips)]
        for index, name in enumerate(names):
            place = 40 + 60 * (index % 5), 140 - 45 * (index // 5)
            clips = getattr(fw.art, name)
            self.actors.append((self.put(name, clips, place), [*clips]))

    def show_group(self):
        group = getattr(fw.art, self.name)
        wide, high = (20, 20) if self.name in ("items", "icons") else (36, 38)
        columns = 300 // wide
        for index, name in enumerate(dir(group)):
            art = getattr(group, name)
            place = 18 + wide * (index % columns), 148 - high * (index // columns)
            batch = self.put(f"{self.name}.{name}", art, place)
            if isinstance(art, fw.Clips):
                batch.play(next(iter(art)))

    def show_layers(self):
        layers = getattr(fw.art.backgrounds, self.name.partition(".")[2])
        for depth, image in enumerate(layers):
            parallax = 0.25 * depth, 1
            backdrop = fw.Backdrop(image, repeat=(True, False), parallax=parallax)
            self.shown.append(self.add(backdrop, layer=depth - 9))

    def show_platformer(self):
        kit = fw.art.platformer
        self.shown.append(self.add(fw.TileLayer(kit, kit.from_text(PLATFORMER, LEGEND))))
        for name, clip, place in (("hero", "walk", (84, 58)), ("slime", "walk", (196, 56))):
            self.put(name, getattr(fw.art, name), place).play(clip)

    def show_town(self):
        kit = fw.art.topdown
        ground = kit.from_text(TOWN, STREETS)
        ground[ground == 0] = kit["grass"]
        yard = kit.from_text(TOWN, {"=": "wall", ",": "floor", ":": "floor", "+": "floor"})
        for tiles in (ground, yard, kit.from_text(TOWN, THINGS | {"f": "flowers"})):
            self.shown.append(self.add(fw.TileLayer(kit, tiles)))
        for name, place in (("explorer", (90, 104)), ("villager", (190, 60)), ("guard", (40, 112))):
            self.put(name, getattr(fw.art, name), place).play("walk_down")

    def show_sounds(self):
        names = [f"sounds.{name}" for name in dir(fw.art.sounds)]
        names += [f"music.{name}" for name in dir(fw.art.music)]
        for index, name in enumerate(names):
            column, row = divmod(index, 14)
            place = 8 + 108 * column, 150 - 11 * row
            color = "#ffd04c" if name.startswith("music") else "#ffffff"
            self.labels_shown.append(self.words.add(name, place, color=color))
            self.places[name] = place[0] + 45, place[1] + 4

    def update(self, dt):
        self.clock += dt
        if self.keys.just_pressed("right") or self.keys.just_pressed("left"):
            self.turn(1 if self.keys.just_pressed("right") else -1)
        if self.name.startswith("backgrounds"):
            self.camera.x += 40 * dt
        if self.name == "characters":
            for batch, clips in self.actors:
                batch.play(clips[int(self.clock / 1.2) % len(clips)])
        x, y = self.mouse.position
        reach = (50, 5) if self.name == "sounds" else (14, 12)
        near = [
            name
            for name, place in self.places.items()
            if abs(place[0] - x) < reach[0] and abs(place[1] - y) < reach[1]
        ]
        self.title.text = f"fw.art.{near[0] if near else self.name}   ← →"
        if near and self.mouse.just_pressed("left"):
            group, _, name = near[0].partition(".")
            if group == "sounds":
                getattr(fw.art.sounds, name).play()
            elif group == "music":
                self.audio.music.play(getattr(fw.art.music, name), fade=0.5)


if __name__ == "__main__":
    fw.run(Art, title="Art")
