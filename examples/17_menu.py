"""Menu: a menu with settings and key rebinding, over a flight among stars.

Escape or a gamepad's Start opens the menu. The ship moves with the arrow keys, WASD or a stick,
unless the settings say otherwise. Keys, mouse and gamepads work in the whole menu. Move with arrows
or a stick, press with Enter, Space, A or a click, go back with Escape or B.
"""

import numpy as np

import framework as fw

HELP = (
    "A window of its own: move it by its title. Hold the pointer still over something, and "
    "it says what it is."
)


def ship():
    """Return an image of a white arrow that points up."""
    y, x = np.mgrid[0:40, 0:32]
    inside = (np.abs(x - 15.5) < 2 + y * 0.34) & (y < 38 - 9 * (1 - np.abs(x - 15.5) / 16))
    picture = np.full((40, 32, 4), 255, np.uint8)
    picture[..., 3] = 255 * inside
    return picture


class Paused(fw.Scene):
    def setup(self):
        menu = self.ui.column(gap=12, anchor="center", width=340, padding=24, panel=True)
        menu.label("Paused", font_size=32, align="center")
        menu.button("Go on", self.game.pop, action="cancel")
        menu.button("Settings", self.settings)
        menu.choice("Theme", ["dark", "light", "contrast", "playful"], self.set_theme)
        menu.toggle("Hints", self.game, "hints", tooltip="What the line below says")
        menu.button("Help", self.help)
        menu.button("Credits", self.credits)
        menu.button("Quit", lambda: self.start(self.quit()))
        self.ui.set_focus(menu.children[1])

    def set_theme(self, name):
        self.ui.theme = self.game.ui.theme = name

    def settings(self):
        self.game.push(
            fw.scenes.Settings({"music": "Music", "effects": "Effects"}, self.game.actions)
        )

    def help(self):
        self.ui.window("Help", anchor="top left", width=260).label(HELP, font_size=16)

    def credits(self):
        self.game.push(
            fw.scenes.Credits(
                ["Stars", "drawn by numpy", "", "Menu", "drawn by boxes"], title="A menu"
            )
        )

    async def quit(self):
        if await self.ui.ask("Quit?", "Yes", "No") == "Yes":
            self.game.exit()


class Menu(fw.Game):
    def setup(self):
        self.actions = fw.Actions(
            move=fw.Stick("left right down up", "a d s w", "pad:leftstick"),
            boost=["space", "pad:a"],
        )
        dot = np.full((3, 3, 4), 255, np.uint8)
        self.stars = self.add(fw.SpriteBatch(dot, count=300))
        self.stars.position[:] = self.random.uniform((0, 0), self.size, (300, 2))
        self.depth = self.random.uniform(0.2, 1, (300, 1))
        self.stars.color[:, 3] = self.depth[:, 0]
        self.ship = self.sprites.add(
            ship(), position=(self.width / 2, self.height / 2), color=(0.5, 0.8, 1)
        )
        self.hints, self.best = True, 0.0

        hud = self.ui.row(anchor="top left", hud=True, panel=True, gap=12)
        hud.label("Boost")
        self.fuel = hud.progress_bar(1, width=140)
        self.hint = self.ui.row(anchor="bottom", hud=True)
        self.hint.label("Escape is a menu", font_size=16, color="#97a1b5")
        hud.button("Menu", self.open_menu, font_size=16, action="pad:start", tooltip="Or Escape")

    def on_key_press(self, symbol, modifiers):
        asked = symbol == fw.key.ESCAPE and self.scene is self
        if asked:
            self.open_menu()
        return asked  # True: no other handler receives the key

    def open_menu(self):
        if self.scene is self:
            self.push(Paused())

    def update(self, dt):
        self.hint.visible = self.hints
        move = np.array(self.actions["move"])
        boost = self.actions.held("boost") and self.fuel.value > 0
        self.fuel.value = float(np.clip(self.fuel.value + (-0.5 if boost else 0.2) * dt, 0, 1))
        speed = 320 if boost else 140
        position = self.stars.position - (move * speed + (0, 40)) * self.depth * dt
        self.stars.position[:] = position % self.size
        self.stars.teleport((position != self.stars.position).any(axis=1))
        self.ship.angle = -0.4 * float(move[0])


if __name__ == "__main__":
    fw.run(Menu)
