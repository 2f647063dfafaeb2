"""Games for the tests of `Beside`, which a second process can import."""

from __future__ import annotations

import os
import time

import numpy as np
from pictures import solid

import framework as fw


class Flock(fw.Game):
    """A game with sprites that move, appear and disappear, with a camera, effects and keys."""

    def setup(self):
        self.birds = self.add(
            fw.SpriteBatch(solid(4, 4), count=20, columns={"velocity": 0.0, "age": 0})
        )
        self.birds.position[:] = self.random.uniform((0, 0), self.size, (20, 2))
        self.birds.velocity[:] = self.random.uniform(-60, 60, (20, 2))
        self.boxes = [self.world.add(fw.MeshBatch(fw.Mesh.box()))]
        self.boxes[0].extend(3)
        self.leader = self.birds[1]
        self.sprites.add(solid(3, 3), position=(5, 5))
        self.emitted = []
        self.subscribe("turn", lambda *values, **named: self.emitted.append((*values, named)))
        self.rules_ran = 0

    def update(self, dt):
        self.rules_ran += 1
        birds = self.birds
        birds.move(dt)
        birds.age[:] += 1
        self.boxes[0].position[:, 0] += 0.5
        self.camera.position = (100 + self.tick, 50)
        if self.tick % 4 == 0:
            birds.add(position=(self.tick, 1), image=0)
            self.emit("turn", self.tick, 0.5, rows=np.arange(3))
            self.emit(self.on_emitted, "method")
        if self.tick % 5 == 0 and len(birds) > 9:
            birds.remove([2, 3])
        if self.tick == 9:
            self.sprites.add(solid(7, 7), position=(9, 9))

    def on_emitted(self, words):
        self.emitted.append(words)

    def on_key_press(self, symbol, modifiers):
        if symbol == fw.key.X:
            raise RuntimeError("the rules broke")
        if symbol == fw.key.K:
            os.kill(os.getpid(), 9)
        if symbol == fw.key.E:
            self.emit(lambda: None)
        if symbol == fw.key.O:
            self.emit("turn", object())
        if symbol == fw.key.P:
            self.timestep.paused = not self.timestep.paused
        if symbol == fw.key.T:
            self.timestep.time_scale = 0.5
        if symbol == fw.key.Q:
            self.exit()
        if symbol == fw.key.H:
            time.sleep(0.4)
        if symbol == fw.key.SPACE:
            self.birds[0].position = (-1000, -1000)
            self.birds[0].velocity = 0
            self.birds[0].teleport()
        return symbol != fw.key.F3


class NoBatchInSetup(fw.Game):
    """A game that creates a batch after `setup`."""

    def update(self, dt):
        if self.tick == 2:
            self.late = self.add(fw.SpriteBatch(solid(2, 2), count=1))


class BrokenSetup(fw.Game):
    """A game whose setup fails in the second process only."""

    def setup(self):
        if not self.drawing:
            raise ValueError("no setup here")


class NeedsWindow(fw.Game):
    """A game whose `setup` needs OpenGL."""

    def setup(self):
        self.picture.ctx.info  # noqa: B018


class Mover(fw.Game):
    """A game that moves to another process and back when the key A is pressed."""

    saved = ("birds", "steps")

    def setup(self):
        self.steps = 0
        self.birds = self.add(fw.SpriteBatch(solid(4, 4), count=5, columns={"velocity": 0.0}))
        self.birds.velocity[:] = (30, 0)

    def update(self, dt):
        self.steps += 1
        self.birds.move(dt)
        self.birds.scale = 1 + len([key for key in ("a", "b") if self.keys[key]])
        self.birds.color[:, 0] = self.mouse.x / 1000

    def on_key_press(self, symbol, modifiers):
        if symbol == fw.key.A:
            self.emit(self.switch)

    def switch(self):
        self.session.processes = 3 - self.session.processes
