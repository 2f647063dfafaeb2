"""State: go back one second in time with Backspace."""

import framework as fw


class Undo(fw.Game):
    def setup(self):
        self.recording.rewind = fw.Rewind(duration=20)
        self.background = "#0b132b"
        self.balls = self.add(fw.SpriteBatch(fw.art.ball, 12, columns="velocity"))
        self.balls.position[:] = self.random.uniform((60, 100), (900, 500), (12, 2))
        self.balls.velocity[:] = self.random.normal(0, 220, (12, 2))
        self.balls.color[:, :3] = self.random.uniform(0.4, 1, (12, 3))
        for ball in self.balls:
            self.add(fw.Trail(ball, 0.8, width=(30, 0), color=("#ffffff50", "#ffffff00")))
        self.label = self.labels.add("", (480, 14), anchor="bottom")

    def update(self, dt):
        balls = self.balls
        balls.move(dt)
        wall = ((balls.position < 30) & (balls.velocity < 0)) | (
            (balls.position > (930, 510)) & (balls.velocity > 0)
        )
        balls.velocity[wall] *= -1
        if self.keys.just_pressed("space"):
            balls.velocity *= 1.5
        if self.keys.just_pressed("backspace"):
            self.call_soon(self.go_back)  # after this tick
        seconds = self.tick / 60
        self.label.text = f"Space: faster. Backspace: a second back. F4: timeline. {seconds:.1f} s"

    def go_back(self):
        rewind = self.recording.rewind
        rewind.seek(max(self.tick - 60, rewind.ticks.start))
        rewind.resume()


if __name__ == "__main__":
    fw.run(Undo, resolution=(960, 540))
