"""Menu: a pause menu with settings and key rebinding, over a blurred flight among planets.

Escape or a gamepad's Start opens the menu. The ship moves with the arrow keys, WASD or a stick,
unless the settings say otherwise. Keys, mouse and gamepads work in the whole menu. Move with arrows
or a stick, press with Enter, Space, A or a click, go back with Escape or B.
"""

import numpy as np

import framework as fw

HELP = "Move this window by its title. Hold the pointer over a widget to see its hint."
THEMES = ["playful", "light", "dark", "contrast"]
GOLD = "#ffb03b"
CREAM = "#fff4e0"
PIXEL = 3  # units per pixel of the art
JET = {"lifetime": (0.3, 0.7), "speed": (140, 240), "spread": 0.2, "blend": "add"}
FIRE = {"size": fw.Curve(12, 2), "color": fw.Curve("#ffe9a0", "#ff6a00", "#a8325e00")}
WIDE = {"width": 260, "align": "left"}  # the look of the rows of the menu


def larger(icon):
    """Return an icon with 2 × 2 pixels for each pixel."""
    return icon.repeat(2, axis=0).repeat(2, axis=1)


def show_keys(ui, **icons):
    """Show icons of keys and what the keys do, at the bottom right. Return the row."""
    row = ui.row(anchor="bottom right", hud=True, gap=10, align="center")
    for meaning, name in icons.items():
        row.image(larger(getattr(fw.art.icons, name)))
        row.label(meaning, font_size=16, color=CREAM)
    return row


class Page(fw.Scene):
    """A scene above the blurred flight, with the theme of the game."""

    opaque = False

    def setup(self):
        self.ui.theme = self.game.ui.theme
        super().setup()


class Settings(Page, fw.scenes.Settings):
    """Volumes and keys, on the right."""

    def setup(self):
        super().setup()
        self.column.anchor = "right"


class Credits(Page, fw.scenes.Credits):
    """Lines of text that scroll over the flight."""


class Paused(Page):
    def setup(self):
        super().setup()
        self.blur = fw.Blur(0)
        self.dusk = fw.Vignette(0, radius=0.2, tint="#12081f")
        self.effects = [self.blur, self.dusk]
        self.tween(self.blur, radius=7, duration=0.4, ease="out_quad")
        self.tween(self.dusk, strength=0.6, duration=0.4)

        self.menu = self.ui.column(anchor="left", padding=18, panel=True)
        icons = fw.art.icons
        self.focus = self.row(icons.play).button("Go on", self.game.pop, action="cancel", **WIDE)
        self.row(icons.gear).button("Settings", self.settings, **WIDE)
        themes = THEMES, self.set_theme
        self.row(icons.pencil).choice("Theme", *themes, value=self.game.theme, **WIDE)
        self.row(icons.info).toggle("Hints", self.game, "hints", tooltip="The keys below", **WIDE)
        self.row(icons.question).button("Help", self.help, **WIDE)
        self.row(icons.heart).button("Credits", self.credits, **WIDE)
        self.row(icons.exit).button("Quit", lambda: self.start(self.quit()), **WIDE)
        self.keys_row = show_keys(self.ui, Choose="dpad", Press="key_enter", Back="key_escape")
        self.slide = -400.0  # how far the menu still is from its final position, in units
        self.tween(self, slide=0.0, duration=0.5, ease="out_back")
        self.show_title()

    def row(self, icon):
        """Return a new row of the menu, which begins with an icon."""
        row = self.menu.row(gap=12, align="center")
        row.image(larger(icon), tint=GOLD)
        return row

    def show_title(self):
        """Let the letters of the title fall into place, one after another."""
        text = self.add(fw.TextBatch(fw.art.fonts.title, 92), camera=self.hud)
        x = 56.0
        top = self.height
        for number, letter in enumerate("FAR OUT"):
            look = {"color": CREAM if number < 3 else GOLD, "shadow": "#12081f"}
            label = text.add(f"[b]{letter}[/]", (x, top + 100), shadow_offset=(4, -5), **look)
            x += label.size[0] + 3
            self.tween(label, y=top - 104, duration=0.6, ease="out_back", delay=number / 20)
        paused = text.add("Paused", (60, top - 136), font_size=24, color=CREAM, alpha=0)
        self.tween(paused, alpha=1, duration=0.5, delay=0.5)

    def update(self, dt):
        self.menu.position = 40 + self.slide, 64
        self.keys_row.visible = self.game.hints

    def on_exit(self):
        self.focus = self.ui.focus
        self.menu.visible = self.keys_row.visible = False

    def on_enter(self):
        self.ui.theme = self.game.ui.theme
        self.menu.visible = True
        self.ui.set_focus(self.focus)

    def set_theme(self, name):
        self.game.theme = name
        self.ui.theme = self.game.ui.theme = name

    def settings(self):
        buses = {"music": "Music", "effects": "Effects"}
        self.game.push(Settings(buses, self.game.actions))

    def help(self):
        window = self.ui.window("Help", anchor="right", position=(-60, 40), width=280)
        window.label(HELP, font_size=16)

    def credits(self):
        lines = ["Pictures", "fw.art, by its own scripts", "", "Letters", "Oxanium"]
        self.game.push(Credits(lines, title="Far Out"))

    async def quit(self):
        if await self.ui.ask("Quit?", "Yes", "No") == "Yes":
            self.game.exit()


class Menu(fw.Game):
    def setup(self):
        self.actions = fw.Actions(
            move=fw.Stick("left right down up", "a d s w", "pad:leftstick"),
            boost=["space", "pad:a"],
        )
        self.theme = "playful"
        self.hints = True
        self.ui.theme = self.theme
        for depth, image in enumerate(fw.art.backgrounds.space):
            parallax = (0.1, 0.3, 0.55)[depth], 0
            sky = fw.Backdrop(image, repeat=(True, False), parallax=parallax, scale=PIXEL)
            self.add(sky, layer=depth - 9)
        art = fw.art.vehicles
        images = [art.asteroid, art.small_asteroid]
        self.rocks = self.add(fw.SpriteBatch(images, 14, columns="velocity", filter="nearest"))
        self.rocks.position[:] = self.random.uniform((0, 0), self.size, (14, 2))
        self.rocks.image[:] = np.arange(14) % 3 != 0
        self.rocks.scale[:] = PIXEL * self.random.uniform(0.6, 1, (14, 1))
        self.rocks.velocity[:] = self.random.uniform((-40, -12), (0, 12), (14, 2))
        self.flames = self.add(fw.Particles(**JET, **FIRE))
        ships = self.add(fw.SpriteBatch(art.fighter, filter="nearest"))
        start = self.width * 0.62, self.height * 0.42
        self.ship = ships.add(position=start, scale=PIXEL, angle=-np.pi / 2)
        ships.play("idle")
        self.flame = self.flames.emitter(self.ship, rate=140, direction=-np.pi / 2, offset=(0, -24))

        self.hud_row = self.ui.row(anchor="top left", hud=True, panel=True, gap=12)
        self.hud_row.label("Boost")
        self.fuel = self.hud_row.progress_bar(1, width=140)
        look = {"font_size": 16, "action": "pad:start", "tooltip": "Or Escape"}
        self.hud_row.button("Menu", self.open_menu, **look)
        self.hint = show_keys(self.ui, Move="dpad", Boost="key_space", Menu="key_escape")

    def on_key_press(self, symbol, modifiers):
        asked = symbol == fw.key.ESCAPE and self.scene is self
        if asked:
            self.open_menu()
        return asked  # True: no other handler receives the key

    def open_menu(self):
        if self.scene is self:
            self.push(Paused())

    def on_exit(self):
        self.hud_row.visible = self.hint.visible = False

    def on_enter(self):
        self.hud_row.visible = True

    def update(self, dt):
        self.hint.visible = self.hints
        boost = self.actions.held("boost") and self.fuel.value > 0
        self.fuel.value = float(np.clip(self.fuel.value + (-0.5 if boost else 0.2) * dt, 0, 1))
        self.flame.change(scale=1.6 if boost else 1)
        speed = 420 if boost else 160
        self.camera.x += speed * dt
        step = np.array(self.actions["move"]) * (0.7 * speed, 160) + (speed, 0)
        lowest = (self.camera.x - 400, 60)
        highest = (self.camera.x + 400, self.height - 60)
        self.ship.position = np.clip(self.ship.position + step * dt, lowest, highest)
        self.rocks.move(dt)
        self.rocks.angle += 0.004 * self.rocks.velocity[:, 1]
        gone = self.rocks.position[:, 0] < self.camera.x - 0.6 * self.width
        self.rocks.position[gone, 0] += 1.2 * self.width
        self.rocks.teleport(gone)


if __name__ == "__main__":
    fw.run(Menu, size=(960, 540), resolution=(960, 540))
