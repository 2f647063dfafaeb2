"""Menus: buttons for mouse, keys and gamepads, with your own theme."""

import math

import framework as fw

THEME = fw.Theme(control="#5a189a", hover="#9d4edd", accent="#ff9e00", focus="#ff9e00", radius=18)


class TitleMenu(fw.Game):
    def setup(self):
        self.background = "#10002b"
        self.balls = self.add(fw.SpriteBatch(fw.art.ball, 30, columns="velocity"))
        self.balls.position[:] = self.random.uniform((0, 0), self.size, (30, 2))
        self.balls.velocity[:] = self.random.uniform(-60, 60, (30, 2))
        self.balls.color = "#5a189a90"
        look = {"font_size": 96, "color": "#ff9e00", "shadow": "#0008"}
        self.title = self.labels.add("BOUNCE", (480, 430), anchor="center", **look)
        self.ui.theme = THEME
        self.ui.sounds = True
        menu = self.ui.column(anchor="center", gap=14, width=300)
        menu.space(height=110)
        menu.button("One more", self.add_ball, font_size=28)
        menu.button("Stop them", lambda: self.balls.velocity.fill(0), font_size=28)
        menu.button("Quit", self.exit, font_size=28)
        self.ui.set_focus(menu.children[1])

    def add_ball(self):
        velocity = self.random.uniform(-300, 300, 2)
        self.balls.add(position=(480, 270), velocity=velocity, color="#ff9e00")

    def update(self, dt):
        self.balls.move(dt)
        outside = (self.balls.position < 0) | (self.balls.position > self.size)
        self.balls.velocity[outside] *= -1
        self.title.angle = 0.05 * math.sin(2 * self.tick * dt)


if __name__ == "__main__":
    fw.run(TitleMenu, resolution=(960, 540))
