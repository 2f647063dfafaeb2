"""Cameras: zoom with the wheel to the point under the mouse, and drag the map."""

import framework as fw


class Zoom(fw.Game):
    def setup(self):
        self.background = "#88c070"
        rivers = self.add(fw.Shapes())
        for side in (-1, 1):
            bends = [(x, side * 500 + 140 * (x // 400 % 2)) for x in range(-2400, 2800, 400)]
            rivers.add_path(bends, 90, join="round", color="#5fb3d9")
        self.woods = self.add(fw.SpriteBatch([fw.art.tree, fw.art.rock], 900, y_sort=True))
        self.woods.position[:] = self.random.uniform((-2200, -1300), (2200, 1300), (900, 2))
        self.woods.image[:] = self.random.choice(2, 900, p=[0.85, 0.15])
        self.camera.position = 0, 0
        self.labels.add("Wheel: zoom. Drag: move.", (480, 14), anchor="bottom", shadow="#0008")

    def update(self, dt):
        camera = self.camera
        if self.mouse["left"]:
            camera.x -= self.mouse.dx / camera.zoom
            camera.y -= self.mouse.dy / camera.zoom
        if self.mouse.scroll_y:
            x, y = camera.screen_to_world(self.mouse.position)
            camera.zoom = min(max(camera.zoom * 1.2**self.mouse.scroll_y, 0.2), 4)
            new_x, new_y = camera.screen_to_world(self.mouse.position)
            camera.position = camera.x + x - new_x, camera.y + y - new_y


if __name__ == "__main__":
    fw.run(Zoom, resolution=(960, 540))
