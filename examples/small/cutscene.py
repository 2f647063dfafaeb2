"""Motion: play a cutscene with a routine that waits for times, tweens and keys."""

import framework as fw


class Cutscene(fw.Game):
    def setup(self):
        self.background = "#f7cad0"
        self.add(fw.Shapes()).add_box((480, 60), (960, 120), color="#7b4b94")
        self.hero = self.sprites.add(fw.art.walker[0], position=(-60, 150))
        self.saucer = self.sprites.add(fw.art.enemy, position=(1100, 420), scale=2)
        self.start(self.play())

    async def play(self):
        while True:
            await self.tween(self.hero, x=300, duration=1.2)
            await self.say("What a quiet evening.")
            await self.tween(self.saucer, position=(660, 300), duration=1.2, ease="out_back")
            self.tween(self.saucer, y=15, duration=0.8, relative=True, repeat=99, ping_pong=True)
            await self.say("TAKE ME TO YOUR BAKER.")
            self.tween(self.camera, zoom=1.4, position=(420, 230), duration=1, ease="in_out_sine")
            await self.say("The one with the plum cake?")
            self.tween(self.camera, zoom=1, position=(480, 270), duration=0.8)
            await self.tween(self.hero, position=self.saucer.position, scale=0.2, duration=1)
            await self.tween(self.saucer, position=(1100, 600), duration=1, ease="in_back")
            self.hero.teleport((-60, 150))
            self.hero.scale = 1

    async def say(self, words):
        speech = self.labels.add(words, (480, 66), font_size=30, anchor="center")
        with speech, self.labels.add("Space", (480, 14), anchor="bottom", color="#dcb"):
            await self.next("space")


if __name__ == "__main__":
    fw.run(Cutscene, resolution=(960, 540))
