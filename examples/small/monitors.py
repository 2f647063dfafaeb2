"""Cameras: a view draws into a texture. Sprites show this texture on monitors."""

import framework as fw

SCREENS = [(270, 300, 0.95, "#ffffff"), (690, 390, 0.6, "#8affc1"), (690, 170, 0.6, "#ffb3c1")]


class Monitors(fw.Game):
    def setup(self):
        self.background = "#2d2a32"
        # Layer 0 is the world that the camera films, and layer 1 is the room with the monitors.
        self.sprites.add("../art/night.png", position=(480, 270))
        self.saucers = self.add(fw.SpriteBatch(fw.art.enemy, 6, columns="velocity"))
        self.saucers.position[:] = self.random.uniform((0, 150), (960, 500), (6, 2))
        self.saucers.velocity[:] = self.random.uniform((80, 0), (260, 0), (6, 2))
        self.film = fw.Camera2D(self.size)
        self.film.zoom = 0.5
        texture = fw.RenderTexture((480, 270))
        self.views.add(self.film, texture=texture, layers=[0])
        self.views.add(self.camera, layers=[1])
        frames = self.add(fw.Shapes(), layer=1)
        screens = self.add(fw.SpriteBatch(texture), layer=1)
        for x, y, scale, color in SCREENS:
            size = 480 * scale + 28, 270 * scale + 28
            edge = {"stroke_width": 4, "stroke_color": "#666"}
            frames.add_box((x, y), size, corner=16, color="#111", **edge)
            screens.add(position=(x, y), scale=scale, color=color)
        self.labels.add("Left, right: turn the camera", (480, 14), anchor="bottom")

    def update(self, dt):
        self.saucers.move(dt)
        outside = self.saucers.position[:, 0] > 1000
        self.saucers.position[outside, 0] = -40
        self.saucers.teleport(outside)
        self.film.x += 200 * self.keys.axis("left", "right") * dt


if __name__ == "__main__":
    fw.run(Monitors, resolution=(960, 540))
