"""State: save the game to a file, and load it again."""

import framework as fw


class Saves(fw.Game):
    saved = ("planted", "trees", "random")

    def setup(self):
        self.background = "#a7c957"
        self.trees = self.add(fw.SpriteBatch(fw.art.tree, y_sort=True, anchor=(32, 4)))
        self.planted = 0
        self.label = self.labels.add("", (480, 12), anchor="bottom", shadow="#0008")
        if self.saves.exists("garden"):
            self.load("garden")

    def after_load(self):  # called at the end of `load`
        for tree in self.trees:
            self.tween(tree, angle=0.1, duration=0.1, repeat=4, ping_pong=True)

    def update(self, dt):
        if self.mouse.just_pressed("left"):
            tree = self.trees.add(position=self.mouse.position, scale=0.1)
            size = self.random.uniform(0.8, 1.4)
            self.tween(tree, scale=size, duration=0.6, ease="out_back")
            self.planted += 1
        if self.keys.just_pressed("s"):
            self.save("garden")
            fw.art.sounds.powerup.play()
        if self.keys.just_pressed("l") and self.saves.exists("garden"):
            self.load("garden")
        if self.keys.just_pressed("c"):
            self.trees.clear()
        self.label.text = f"Click: plant. S: save. L: load. C: clear. {self.planted} planted"


if __name__ == "__main__":
    fw.run(Saves, resolution=(960, 540))
