"""Motion: with a state machine, a guard patrols, chases the mouse, and gets tired."""

import numpy as np

import framework as fw

COLORS = {"patrol": "#8ecae6", "chase": "#ff595e", "rest": "#8ac926"}


class States(fw.Game):
    def setup(self):
        self.background = "#14213d"
        self.ring = self.add(fw.Shapes()).add_circle((480, 270), 170, stroke_width=2, dash=(12, 8))
        self.guard = self.sprites.add(fw.art.enemy, position=(480, 270), scale=1.5)
        self.label = self.labels.add("", (480, 330), font_size=26, anchor="center")
        self.labels.add("Come near with the mouse", (480, 14), anchor="bottom")
        self.mind = fw.StateMachine("patrol", "chase", "rest")
        self.mind.on("patrol", update=lambda dt: self.move((-1) ** (self.tick // 150), 0, 160 * dt))
        self.mind.on("chase", update=lambda dt: self.move(*self.way / self.distance, 260 * dt))
        self.mind.add_transition("patrol", "chase", when=lambda: self.distance < 170)
        self.mind.add_transition("chase", "patrol", when=lambda: self.distance > 260)
        self.mind.add_transition("chase", "rest", after=2.5)
        self.mind.add_transition("rest", "patrol", after=1.5)

    def move(self, x, y, distance):
        self.guard.position = self.guard.x + x * distance, self.guard.y + y * distance

    def update(self, dt):
        self.way = np.subtract(self.mouse.position, self.guard.position)
        self.distance = max(np.hypot(*self.way), 1)
        self.mind.update(dt)
        state = self.mind.state
        self.guard.color = self.ring.color = self.label.color = COLORS[state]
        self.label.text = f"{state}, {self.mind.time:.1f} s"
        self.ring.position = self.guard.position
        self.label.position = self.guard.x, self.guard.y + 70


if __name__ == "__main__":
    fw.run(States, resolution=(960, 540))
