"""Menus: use ready-made scenes for a pause menu, and for settings with volumes and keys."""

import framework as fw


class Settings(fw.Game):
    def setup(self):
        self.background = "#2a9d8f"
        self.actions = fw.Actions(move=fw.Axis("left right"), jump=["space", "pad:a"])
        self.settings = fw.scenes.Settings({"effects": "Effects"}, self.actions)
        self.add(fw.Shapes()).add_box((480, 60), (960, 120), color="#264653")
        self.hero = self.sprites.add(fw.art.walker[0], position=(480, 152))
        self.speed = 0.0
        self.labels.add("Escape: menu", (480, 14), anchor="bottom")

    def on_key_press(self, symbol, modifiers):
        if symbol == fw.key.ESCAPE and self.scene is self:
            entries = {"Resume": None, "Settings": self.settings, "Quit": self.exit}
            self.push(fw.scenes.Menu("Paused", entries))
            return True  # Escape does not close the game
        return None

    def update(self, dt):
        self.hero.x += 300 * self.actions["move"] * dt
        self.speed -= 1800 * dt
        if self.hero.y <= 152 and self.actions.just_pressed("jump"):
            self.speed = 800
            fw.art.sounds.jump.play()
        self.hero.y = max(self.hero.y + self.speed * dt, 152)


if __name__ == "__main__":
    fw.run(Settings, resolution=(960, 540))
