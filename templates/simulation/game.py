"""Simulation: rabbits eat grass, foxes eat rabbits, and a chart shows the number of animals.

Change the rules with the sliders, and click on the meadow to add a fox. `framework farm game.py
--seeds 20 --ticks 3600 --value rabbits.count` runs the simulation twenty times, with different
seeds, on all cores.
"""

import math

import numpy as np

import framework as fw

WIDE, HIGH, CELL = 960, 540, 20  # size of the meadow, and of a cell of grass, in units
CHART = 100  # height of the chart in units
MAX_RABBITS, MAX_FOXES = 700, 120
RABBIT_SPEED, FOX_SPEED, SIGHT, REACH = 34.0, 50.0, 110.0, 12.0  # units (per second)
MEAL, PREY = 0.16, 0.22  # energy from a second of grazing, and from a rabbit
RABBIT_NEED, FOX_NEED = 0.15, 0.17  # energy that an animal needs per second at a hunger of 1
FERTILE, HUNGRY = 1.0, 1.05  # energy: above, an animal has young ones; below, a fox hunts
VISITS = (0.5, 0.04)  # rabbits and foxes that come into the meadow each second
SAMPLES, EVERY = 240, 15  # points of the chart; ticks between two points


class Meadow(fw.Game):
    saves_folder = "Untitled Game"

    def setup(self):
        self.background = "#3c2f22"
        self.growth, self.appetite, self.speed = 0.05, 0.55, 1
        rows, columns = (HIGH - CHART) // CELL, WIDE // CELL
        self.grass = self.random.uniform(0.3, 1, (rows, columns))
        blade = np.full((CELL, CELL, 4), 255, np.uint8)
        self.field = self.add(fw.SpriteBatch(blade, rows * columns))
        y, x = np.mgrid[:rows, :columns]
        self.field.position = np.stack([x.ravel() + 0.5, y.ravel() + 0.5], axis=1) * CELL + (
            0,
            CHART,
        )
        animal = {"velocity": 0, "energy": 0.5, "heading": 0.0}
        self.rabbits = self.add(fw.SpriteBatch("art/rabbit.png", columns=animal))
        self.foxes = self.add(fw.SpriteBatch("art/fox.png", columns=animal))
        self.add_animals(self.rabbits, self.places(150))
        self.add_animals(self.foxes, self.places(12))
        self.history = [np.zeros(SAMPLES), np.zeros(SAMPLES)]
        self.make_chart()
        self.make_panel()

    def make_chart(self):
        self.chart = self.add(fw.Shapes(), camera=self.hud, layer=1)
        self.chart.add_box((WIDE / 2, CHART / 2), (WIDE, CHART), color="#1c1712")
        self.curves = []
        self.counts = [
            self.labels.add("", (12, y), font_size=18, color=color)
            for y, color in ((CHART - 30, "#e9e2d8"), (CHART - 56, "#f08a45"))
        ]

    def make_panel(self):
        panel = self.ui.column(
            anchor="top right", hud=True, panel=True, gap=6, padding=10, width=230
        )
        panel.slider("Grass", self, "growth", 0, 0.15)
        panel.slider("Hunger", self, "appetite", 0.2, 1.0)
        panel.slider("Speed", self, "speed", 0, 8)
        panel.button("New meadow", self.begin_again)

    def begin_again(self):
        """Begin with new grass and new animals, with the same rules."""
        self.rabbits.clear()
        self.foxes.clear()
        self.grass[:] = self.random.uniform(0.3, 1, self.grass.shape)
        self.add_animals(self.rabbits, self.places(150))
        self.add_animals(self.foxes, self.places(12))

    def places(self, count):
        return self.random.uniform((0, CHART), (WIDE, HIGH), (count, 2))

    def add_animals(self, batch, places):
        count = len(places)
        heading = self.random.uniform(0, math.tau, count)
        energy = self.random.uniform(0.4, 0.8, count)
        batch.extend(count, position=places, heading=heading, energy=energy)
        if batch is self.foxes:
            batch.scale = 1.3

    def on_mouse_press(self, x, y, button, modifiers):
        if y > CHART and len(self.foxes) < MAX_FOXES:
            self.add_animals(self.foxes, np.array([(x, y)], float))

    # -- the rules ---------------------------------------------------------------------------------

    def update(self, dt):
        for _ in range(round(self.speed)):
            self.step(dt)
        self.show_state()

    def step(self, dt):
        self.grass += self.growth * dt * (1.1 - self.grass)
        np.clip(self.grass, 0, 1, out=self.grass)
        self.feed_rabbits(dt)
        self.hunt(dt)
        for batch, most in ((self.rabbits, MAX_RABBITS), (self.foxes, MAX_FOXES)):
            batch.remove(batch.energy <= 0)
            self.give_birth(batch, most)
        for batch, visits in zip((self.rabbits, self.foxes), VISITS, strict=True):
            if self.random.uniform() < visits * dt:
                self.add_animals(batch, self.places(1))

    def feed_rabbits(self, dt):
        rabbits = self.rabbits
        self.wander(rabbits, RABBIT_SPEED, dt)
        columns, rows = ((rabbits.position - (0, CHART)) // CELL).astype(int).T
        rows = rows.clip(0, self.grass.shape[0] - 1)
        columns = columns.clip(0, self.grass.shape[1] - 1)
        bites = np.minimum(self.grass[rows, columns], MEAL * dt)
        np.subtract.at(self.grass, (rows, columns), bites)
        np.clip(self.grass, 0, 1, out=self.grass)
        rabbits.energy += bites - RABBIT_NEED * self.appetite * dt

    def hunt(self, dt):
        foxes, rabbits = self.foxes, self.rabbits
        if len(rabbits) and len(foxes):
            away = rabbits.position[None] - foxes.position[:, None]
            distance = fw.exact.hypot(away[..., 0], away[..., 1])
            nearest = distance.argmin(axis=1)
            rows = np.arange(len(foxes))
            off = away[rows, nearest]
            hungry = (distance[rows, nearest] < SIGHT) & (foxes.energy < HUNGRY)
            foxes.heading[hungry] = fw.exact.arctan2(off[hungry, 1], off[hungry, 0])
            catches = np.flatnonzero(hungry & (distance[rows, nearest] < REACH))
            prey, first = np.unique(nearest[catches], return_index=True)
            foxes.energy[catches[first]] += PREY
            rabbits.remove(prey)
        self.wander(foxes, FOX_SPEED, dt)
        foxes.energy -= FOX_NEED * self.appetite * dt

    def wander(self, batch, speed, dt):
        """Move all animals forward. An animal at the edge of the meadow turns around."""
        batch.heading += self.random.normal(0, 2.0, len(batch)) * dt
        sine, cosine = fw.exact.sincos(batch.heading)
        batch.velocity = np.stack([cosine, sine], axis=1) * speed
        batch.move(dt)
        inside = np.clip(batch.position, (8, CHART + 8), (WIDE - 8, HIGH - 8))
        batch.heading[(inside != batch.position).any(axis=1)] += math.pi * 0.6
        batch.position = inside
        batch.flip[:, 0] = batch.velocity[:, 0] < 0

    def give_birth(self, batch, most):
        """If an animal has enough energy, add a young animal. The young animal gets half of the
        energy.
        """
        parents = np.flatnonzero(batch.energy > FERTILE)[: max(0, most - len(batch))]
        batch.energy[parents] *= 0.5
        energy = batch.energy[parents]
        self.add_animals(batch, batch.position[parents])
        batch.energy[len(batch) - len(parents) :] = energy

    # -- the screen --------------------------------------------------------------------------------

    def show_state(self):
        green = self.grass.ravel()[:, None]
        self.field.color[:, :3] = (0.36, 0.29, 0.2) + green * np.array((-0.1, 0.28, 0.02))
        batches = (self.rabbits, self.foxes)
        for label, name, batch in zip(self.counts, ("Rabbits", "Foxes"), batches, strict=True):
            label.text = f"{name} {len(batch)}"
        if self.tick % EVERY:
            return
        for curve in self.curves:
            curve.remove()
        self.curves = []
        x = np.linspace(150, WIDE - 10, SAMPLES)
        for series, batch, most, color in zip(
            self.history, batches, (MAX_RABBITS, MAX_FOXES), ("#e9e2d8", "#f08a45"), strict=True
        ):
            series[:-1] = series[1:]
            series[-1] = len(batch) / most
            points = np.stack([x, 6 + series * (CHART - 12)], axis=1)
            self.curves.append(self.chart.add_path(points, 2, color=color))


if __name__ == "__main__":
    fw.run(Meadow, title="Untitled Game", size=(WIDE, HIGH), resolution=(WIDE, HIGH), exact=True)
