"""Input: steer with a gamepad or with keys. Actions give both the same name."""

import framework as fw


class Gamepads(fw.Game):
    def setup(self):
        self.actions = fw.Actions(
            move=fw.Stick("left right down up", "a d s w", "pad:leftstick"),
            beam=["space", "pad:a"],
            dash=["lshift", "pad:righttrigger"],
        )
        self.sprites.add("../art/night.png", position=(480, 270))
        cone = [(-14, 0), (14, 0), (60, -170), (-60, -170)]
        look = {"gradient": "linear", "gradient_angle": -1.57, "color": "#7df9ff"}
        self.beam = self.add(fw.Shapes()).add_polygon(cone, visible=False, **look)
        self.saucer = self.add(fw.SpriteBatch(fw.art.enemy)).add(position=(480, 330), scale=2)
        self.help = self.labels.add("", (480, 20), anchor="bottom")

    def update(self, dt):
        speed = 700 if self.actions.held("dash") else 350
        x, y = self.actions["move"]  # from -1 to 1, also with a stick that is pushed halfway
        self.saucer.position = self.saucer.x + speed * x * dt, self.saucer.y + speed * y * dt
        self.saucer.angle = -0.25 * x
        self.beam.position = self.saucer.x, self.saucer.y - 85
        self.beam.visible = self.actions.held("beam")
        if self.actions.just_pressed("beam"):
            fw.art.sounds.powerup.play()
            self.pads[0].rumble(0.6, 0.2)
        keys = {name: " or ".join(self.actions.prompts(name)) for name in ("beam", "dash")}
        self.help.text = f"Move: arrow keys or stick. Beam: {keys['beam']}. Dash: {keys['dash']}."


if __name__ == "__main__":
    fw.run(Gamepads, resolution=(960, 540))
