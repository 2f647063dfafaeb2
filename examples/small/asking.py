"""Menus: ask the player a question, and wait for the answer."""

import framework as fw


class Asking(fw.Game):
    def setup(self):
        self.background = "#fcefb4"
        self.add(fw.Shapes()).add_box((480, 70), (960, 140), color="#b5c99a")
        self.hero = self.sprites.add(fw.art.walker[0], position=(200, 170))
        self.chest = self.sprites.add(fw.art.crate, position=(700, 170))
        self.line = self.labels.add("", (480, 60), font_size=30, anchor="center", color="#432818")
        columns = {"velocity": (0, 0), "acceleration": (0, -900)}
        self.coins = self.add(fw.SpriteBatch(fw.art.coin, columns=columns))
        self.start(self.story())

    async def story(self):
        while True:
            await self.tween(self.hero, x=620, duration=1.2)
            answer = await self.ui.ask("A chest. What now?", "Open it", "Kick it", "Walk away")
            if answer == "Open it":
                self.line.text = "It is full of coins!"
                fw.art.sounds.powerup.play()
                velocity = self.random.normal((0, 500), 150, (30, 2))
                self.coins.extend(30, position=(700, 190), velocity=velocity)
            elif answer == "Kick it":
                self.line.text = "Ouch."
                self.tween(self.chest, angle=0.3, duration=0.1, repeat=4, ping_pong=True)
            elif await self.ui.ask("Really?", "Yes", "No") == "Yes":
                self.line.text = "You will never know."
                await self.tween(self.hero, x=120, duration=1)
            await self.seconds(1.5)

    def update(self, dt):
        self.coins.move(dt)


if __name__ == "__main__":
    fw.run(Asking, resolution=(960, 540))
