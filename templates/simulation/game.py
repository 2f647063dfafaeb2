"""Simulation: rabbits eat grass, foxes eat rabbits, and a chart shows the number of animals.

Change the rules with the sliders, and click on the meadow to add a fox. `framework farm game.py
--seeds 20 --ticks 3600 --value rabbits.count` runs the simulation twenty times, with different
seeds, on all cores.
"""

import math

import numpy as np

import framework as fw

WIDTH = 960  # size of the screen in units
HEIGHT = 540
CHART_HEIGHT = 100  # units; the meadow is above the chart
CELL = 20  # size of a cell of grass in units
MAX_RABBITS = 700
MAX_FOXES = 120
RABBIT_SPEED = 34.0  # units per second
FOX_SPEED = 50.0
SIGHT = 110.0  # a fox sees a rabbit from this distance, in units
REACH = 12.0  # a fox catches a rabbit at this distance
GRASS_ENERGY = 0.16  # how much energy a rabbit gets from a second of eating
RABBIT_ENERGY = 0.22  # how much energy a fox gets from a rabbit
RABBIT_NEED = 0.15  # energy that an animal needs per second, at a hunger of 1
FOX_NEED = 0.17
BIRTH_ENERGY = 1.0  # with more energy, an animal has a young animal
HUNGRY_BELOW = 1.05  # with less energy, a fox hunts
VISITS = (0.5, 0.04)  # how many rabbits and foxes come into the meadow each second
POINTS = 240  # the number of points in a curve of the chart
POINT_TICKS = 15  # ticks between two points of a curve


class Meadow(fw.Game):
    saves_folder = "Untitled Game"

    def setup(self):
        self.background = "#3c2f22"
        # The sliders change these three numbers.
        self.growth = 0.05
        self.hunger = 0.55
        self.speed = 1
        self.make_grass()
        # Each animal also has these three values. The heading is an angle in radians.
        animal = {"velocity": 0, "energy": 0.5, "heading": 0.0}
        self.rabbits = self.add(fw.SpriteBatch("art/rabbit.png", columns=animal))
        self.foxes = self.add(fw.SpriteBatch("art/fox.png", columns=animal))
        self.add_animals(self.rabbits, self.random_positions(150))
        self.add_animals(self.foxes, self.random_positions(12))
        self.history = [np.zeros(POINTS), np.zeros(POINTS)]  # for rabbits and for foxes
        self.make_chart()
        self.make_panel()

    def make_grass(self):
        """Cover the meadow with cells of grass. ``self.grass`` contains the height of the grass in
        each cell, from 0 to 1, and ``self.cells`` draws the cells.
        """
        rows = (HEIGHT - CHART_HEIGHT) // CELL
        columns = WIDTH // CELL
        self.grass = self.random.uniform(0.3, 1, (rows, columns))
        square = np.full((CELL, CELL, 4), 255, np.uint8)
        self.cells = self.add(fw.SpriteBatch(square, rows * columns))
        y, x = np.mgrid[:rows, :columns]
        centers = np.stack([x.ravel() + 0.5, y.ravel() + 0.5], axis=1) * CELL
        self.cells.position = centers + (0, CHART_HEIGHT)

    def make_chart(self):
        self.chart = self.add(fw.Shapes(), camera=self.hud, layer=1)
        self.chart.add_box((WIDTH / 2, CHART_HEIGHT / 2), (WIDTH, CHART_HEIGHT), color="#1c1712")
        self.curves = []
        self.counts = [
            self.labels.add("", (12, y), font_size=18, color=color)
            for y, color in ((CHART_HEIGHT - 30, "#e9e2d8"), (CHART_HEIGHT - 56, "#f08a45"))
        ]

    def make_panel(self):
        panel = self.ui.column(
            anchor="top right", hud=True, panel=True, gap=6, padding=10, width=230
        )
        panel.slider("Grass", self, "growth", 0, 0.15)
        panel.slider("Hunger", self, "hunger", 0.2, 1.0)
        panel.slider("Speed", self, "speed", 0, 8)
        panel.button("New meadow", self.begin_again)

    def begin_again(self):
        """Begin with new grass and new animals, with the same rules."""
        self.rabbits.clear()
        self.foxes.clear()
        self.grass[:] = self.random.uniform(0.3, 1, self.grass.shape)
        self.add_animals(self.rabbits, self.random_positions(150))
        self.add_animals(self.foxes, self.random_positions(12))

    def random_positions(self, count):
        return self.random.uniform((0, CHART_HEIGHT), (WIDTH, HEIGHT), (count, 2))

    def add_animals(self, batch, positions):
        """Add an animal at each of ``positions``, with a random heading and energy."""
        count = len(positions)
        heading = self.random.uniform(0, math.tau, count)
        energy = self.random.uniform(0.4, 0.8, count)
        batch.extend(count, position=positions, heading=heading, energy=energy)
        if batch is self.foxes:
            batch.scale = 1.3

    def on_mouse_press(self, x, y, button, modifiers):
        if y > CHART_HEIGHT and len(self.foxes) < MAX_FOXES:
            self.add_animals(self.foxes, np.array([(x, y)], float))

    # -- the rules ---------------------------------------------------------------------------------

    def update(self, dt):
        for _ in range(round(self.speed)):
            self.step(dt)
        self.show_state()

    def step(self, dt):
        """Simulate ``dt`` seconds: grass grows, animals eat, move, die and have young animals.

        Each line computes a value for all animals at the same time: a NumPy array with one row per
        animal.
        """
        self.grass += self.growth * dt * (1.1 - self.grass)
        np.clip(self.grass, 0, 1, out=self.grass)
        self.feed_rabbits(dt)
        self.hunt(dt)
        for batch, most in ((self.rabbits, MAX_RABBITS), (self.foxes, MAX_FOXES)):
            batch.remove(batch.energy <= 0)
            self.give_birth(batch, most)
        for batch, visits in zip((self.rabbits, self.foxes), VISITS, strict=True):
            if self.random.uniform() < visits * dt:
                self.add_animals(batch, self.random_positions(1))

    def feed_rabbits(self, dt):
        """Let each rabbit eat from the cell of grass on which it stands."""
        rabbits = self.rabbits
        self.wander(rabbits, RABBIT_SPEED, dt)
        columns, rows = ((rabbits.position - (0, CHART_HEIGHT)) // CELL).astype(int).T
        rows = rows.clip(0, self.grass.shape[0] - 1)
        columns = columns.clip(0, self.grass.shape[1] - 1)
        bites = np.minimum(self.grass[rows, columns], GRASS_ENERGY * dt)
        # With `subtract.at`, every rabbit counts if several of them are in the same cell.
        np.subtract.at(self.grass, (rows, columns), bites)
        np.clip(self.grass, 0, 1, out=self.grass)
        rabbits.energy += bites - RABBIT_NEED * self.hunger * dt

    def hunt(self, dt):
        """Let hungry foxes run to the nearest rabbit that they see, and catch it."""
        foxes = self.foxes
        rabbits = self.rabbits
        if len(rabbits) and len(foxes):
            # from each fox to each rabbit: an array of the shape (foxes, rabbits, 2)
            offsets = rabbits.position[None] - foxes.position[:, None]
            distances = fw.exact.hypot(offsets[..., 0], offsets[..., 1])
            nearest = distances.argmin(axis=1)  # the row of the nearest rabbit, for each fox
            rows = np.arange(len(foxes))
            offset = offsets[rows, nearest]
            distance = distances[rows, nearest]
            hunting = (distance < SIGHT) & (foxes.energy < HUNGRY_BELOW)
            foxes.heading[hunting] = fw.exact.arctan2(offset[hunting, 1], offset[hunting, 0])
            catching = np.flatnonzero(hunting & (distance < REACH))
            # Two foxes may catch the same rabbit, but only the first fox gets it.
            caught, first = np.unique(nearest[catching], return_index=True)
            foxes.energy[catching[first]] += RABBIT_ENERGY
            rabbits.remove(caught)
        self.wander(foxes, FOX_SPEED, dt)
        foxes.energy -= FOX_NEED * self.hunger * dt

    def wander(self, batch, speed, dt):
        """Move all animals forward. An animal at the edge of the meadow turns around."""
        batch.heading += self.random.normal(0, 2.0, len(batch)) * dt
        sine, cosine = fw.exact.sincos(batch.heading)
        batch.velocity = np.stack([cosine, sine], axis=1) * speed
        batch.move(dt)
        inside = np.clip(batch.position, (8, CHART_HEIGHT + 8), (WIDTH - 8, HEIGHT - 8))
        batch.heading[(inside != batch.position).any(axis=1)] += math.pi * 0.6
        batch.position = inside
        batch.flip[:, 0] = batch.velocity[:, 0] < 0  # look to the left

    def give_birth(self, batch, most):
        """For each animal with enough energy, add a young animal, which gets half of the energy.
        ``most`` is the maximum number of animals.
        """
        parents = np.flatnonzero(batch.energy > BIRTH_ENERGY)[: max(0, most - len(batch))]
        batch.energy[parents] *= 0.5
        energy = batch.energy[parents]
        self.add_animals(batch, batch.position[parents])
        batch.energy[len(batch) - len(parents) :] = energy

    # -- the screen --------------------------------------------------------------------------------

    def show_state(self):
        """Color the grass by its height, and update the numbers and the chart."""
        green = self.grass.ravel()[:, None]
        self.cells.color[:, :3] = (0.36, 0.29, 0.2) + green * np.array((-0.1, 0.28, 0.02))
        batches = (self.rabbits, self.foxes)
        for label, name, batch in zip(self.counts, ("Rabbits", "Foxes"), batches, strict=True):
            label.text = f"{name} {len(batch)}"
        if self.tick % POINT_TICKS:
            return
        for curve in self.curves:
            curve.remove()
        self.curves = []
        x = np.linspace(150, WIDTH - 10, POINTS)
        for series, batch, most, color in zip(
            self.history, batches, (MAX_RABBITS, MAX_FOXES), ("#e9e2d8", "#f08a45"), strict=True
        ):
            series[:-1] = series[1:]
            series[-1] = len(batch) / most
            points = np.stack([x, 6 + series * (CHART_HEIGHT - 12)], axis=1)
            self.curves.append(self.chart.add_path(points, 2, color=color))


if __name__ == "__main__":
    fw.run(
        Meadow, title="Untitled Game", size=(WIDTH, HEIGHT), resolution=(WIDTH, HEIGHT), exact=True
    )
