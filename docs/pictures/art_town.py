"""A picture of docs/art.md: a town of the tiles for maps from above.

framework run docs/pictures/art_town.py --headless --frames 12 --screenshot docs/pictures/art_town.png
"""

import framework as fw

TOWN = """
TTT..RRRR....P.~~~~~~.P.
TTT..RRRR.b...~~~~~~~~..
.....HWDH....rr~~~~~~~r.
..f....p.......BB~~~~...
ppppppppppppppp.........
....p.......pppppppppppp
.b..pppppp..f...####....
.........p..o...#,,#..b.
.xxxxxx..pp.....#,,#....
.x.ww.x...ppppppp,,.f.PP
.xx..xx.b.......####..PP
"""
GROUND = {
    "R": "roof",
    "p": "path",
    "~": "water",
    "H": "house",
    "W": "house window",
    "D": "house door",
}
GROUND |= {"#": "wall", ",": "floor", "f": "flowers", "B": "sand"}
THINGS = {"T": "tree", "P": "pine", "b": "bush", "r": "rock", "o": "well", "x": "fence"}
THINGS |= {"w": "barrel"}
PEOPLE = {
    "explorer": ("walk_down", (120, 124)),
    "villager": ("idle_right", (184, 62)),
    "farmer": ("idle_down", (64, 18)),
    "guard": ("idle_down", (276, 46)),
    "elder": ("walk_left", (250, 104)),
}


class Town(fw.Game):
    def __init__(self, **options):
        super().__init__(**({"resolution": (384, 176), "pixel_art": True} | options))

    def setup(self):
        kit = fw.art.topdown
        ground = kit.from_text(TOWN, GROUND)
        ground[ground == 0] = kit["grass"]
        self.ground = self.add(fw.TileLayer(kit, ground))
        self.things = self.add(fw.TileLayer(kit, kit.from_text(TOWN, THINGS)))
        for name, (clip, position) in PEOPLE.items():
            batch = self.add(fw.SpriteBatch(getattr(fw.art, name), 1))
            batch.position[:] = position
            batch.play(clip)


if __name__ == "__main__":
    fw.run(Town, size=(1152, 528))
