"""Effects: change from scene to scene with transitions."""

import framework as fw

ROOMS = [
    ("Forest", "#2d6a4f", fw.art.tree),
    ("Space", "#10002b", fw.art.ship),
    ("Quarry", "#8d6b4b", fw.art.rock),
]
TRANSITIONS = [fw.Fade(0.8, color="black"), fw.Wipe(0.8, angle=0.5), fw.Iris(1.2)]


class Room(fw.Scene):
    opaque = True  # the scene below is not drawn

    def __init__(self, number):
        super().__init__()
        self.number = number

    def setup(self):
        name, color, image = ROOMS[self.number % 3]
        self.add(fw.Shapes()).add_box((480, 270), (960, 540), color=color)
        self.things = self.add(fw.SpriteBatch(image, 40))
        self.things.position[:] = self.random.uniform((0, 0), self.size, (40, 2))
        self.labels.add(name, (480, 300), font_size=90, anchor="center", outline="#000a")
        self.labels.add("Space: next room", (480, 220), anchor="center", outline="#000a")

    def update(self, dt):
        self.things.angle += dt
        if self.keys.just_pressed("space"):
            self.game.show(Room(self.number + 1), transition=TRANSITIONS[self.number % 3])


class Transitions(fw.Game):
    def setup(self):
        self.show(Room(0))


if __name__ == "__main__":
    fw.run(Transitions, resolution=(960, 540))
