"""Text: numbers that float up in the world, and disappear."""

import framework as fw


class FloatingText(fw.Game):
    def setup(self):
        self.background = "#3d2b1f"
        self.rocks = self.add(fw.SpriteBatch(fw.art.rock, 9))
        for number, rock in enumerate(self.rocks):
            rock.position = 240 + 240 * (number % 3), 130 + 140 * (number // 3)
            rock.scale = 1.7
        self.numbers = self.add(fw.TextBatch(font_size=34), layer=1)  # in the world, not on the HUD
        self.labels.add("Click on a rock", (480, 14), anchor="bottom")

    def update(self, dt):
        if self.mouse.just_pressed("left"):
            x, y = self.camera.screen_to_world(self.mouse.position)
            for rock in self.rocks:
                if abs(rock.x - x) < 55 and abs(rock.y - y) < 55:
                    self.start(self.float_up(rock, int(self.random.integers(1, 100))))
                    fw.art.sounds.hit.play()

    async def float_up(self, rock, points):
        color = "#ff595e" if points > 80 else "#ffe066"
        self.tween(rock, angle=0.3, duration=0.06, repeat=4, ping_pong=True, relative=True)
        with self.numbers.add(
            points, rock.position, anchor="center", color=color, outline="#000"
        ) as label:
            if points > 80:
                label.font_size = 60
            self.tween(label, y=rock.y + 90, duration=1, ease="out_cubic")
            await self.tween(label, alpha=0, duration=0.4, delay=0.6)


if __name__ == "__main__":
    fw.run(FloatingText, resolution=(960, 540))
