"""The first picture of docs/art.md: a level of the built-in tiles and characters.

framework run docs/pictures/art_level.py --headless --frames 12 --screenshot docs/pictures/art_level.png
"""

import framework as fw

LEVEL = """
........................
........................
..........CCC.........F.
......................F.
........o.o.o......L####
.......========....L####
...................L####
....B.......?b....1#####
..x.B*^^.........1######
#########~~~~###########
#########~~~~###########
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
}


class Level(fw.Game):
    def setup(self):
        kit = fw.art.platformer
        self.level = self.add(fw.TileLayer(kit, kit.from_text(LEVEL, LEGEND)))
        coins = self.add(fw.SpriteBatch(fw.art.items.coin))
        for row, line in enumerate(LEVEL.strip().split("\n")):
            for column, letter in enumerate(line):
                if letter == "o":
                    coins.add(position=self.level.cell_center((row, column)))
        coins.play("idle", skip=[0, 0.1, 0.2])
        for name, clip, position in (
            ("hero", "walk", (88, 42)),
            ("heroine", "climb", (312, 84)),
            ("knight", "jump", (176, 66)),
            ("slime", "idle", (230, 40)),
            ("bat", "idle", (272, 128)),
        ):
            batch = self.add(fw.SpriteBatch(getattr(fw.art, name), 1))
            batch.position[:] = position
            batch.play(clip)


if __name__ == "__main__":
    fw.run(Level, size=(1152, 528), resolution=(384, 176), pixel_art=True, background="#84d8f4")
