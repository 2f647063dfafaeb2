"""Input: drag sprites with the mouse."""

import numpy as np

import framework as fw

KINDS = [fw.art.coin, fw.art.heart, fw.art.star]


class Dragging(fw.Game):
    def setup(self):
        self.background = "#3a2d4d"
        boxes = self.add(fw.Shapes())
        for number, color in enumerate(("#f4c95d", "#e8476a", "#f7b267")):
            boxes.add_box((200 + 280 * number, 130), (230, 170), corner=24, color=color + "55")
            self.sprites.add(KINDS[number], position=(200 + 280 * number, 130), alpha=0.3)
        self.toys = self.add(fw.SpriteBatch(KINDS, 12))
        self.toys.image[:] = np.arange(12) % 3
        self.toys.position[:] = self.random.uniform((100, 280), (860, 480), (12, 2))
        self.dragged = None
        self.labels.add("Drag everything into its box", (480, 14), anchor="bottom")

    def update(self, dt):
        mouse = self.camera.screen_to_world(self.mouse.position)
        if self.mouse.just_pressed("left"):
            self.dragged = self.toys.pick(mouse)
            if self.dragged:
                self.tween(self.dragged, scale=1.4, duration=0.15, ease="out_back")
        if self.dragged and self.mouse["left"]:
            self.dragged.position = mouse
        elif self.dragged:
            box = np.hypot(self.dragged.x - (200 + 280 * self.dragged.image), self.dragged.y - 130)
            self.tween(self.dragged, scale=0.8 if box < 90 else 1, duration=0.3, ease="out_bounce")
            fw.art.sounds.coin.play() if box < 90 else fw.art.sounds.hit.play()
            self.dragged = None


if __name__ == "__main__":
    fw.run(Dragging, resolution=(960, 540))
