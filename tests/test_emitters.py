"""Emitters: the number, time and position of births, and the targets that emitters follow."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pictures import blob

import framework as fw
from framework.particles.particle_simulation import ParticleSimulation
from framework.particles.particle_system import simulation_of
from framework.state.rows import table_of

Make = Callable[..., Any]


def run_with(game: Any, update: Callable[[float], None] | None = None, ticks: int = 1) -> None:
    """Run ``ticks`` ticks with ``update`` as the game's rules."""
    game.update = update or (lambda dt: None)
    game.run(ticks)


class Counting(ParticleSimulation):
    """A simulation that counts births but makes no particles, so that an hour runs quickly."""

    __slots__ = ()

    def spawn(self, spray: Any, positions: Any, moments: Any, total: int, *more: Any) -> None:
        self.births.count += total


def counted(**options: Any) -> fw.Particles:
    """Return particles that only count their births."""
    particles = fw.Particles(**options)
    particles._simulation = Counting(simulation_of(particles).births)
    return particles


@pytest.fixture
def stage(make: Make) -> Any:
    """A game with ten ticks per second, one per frame, a sprite and particles that do not move."""
    game = make(fw.Game, tick_rate=10, frame_rate=10)
    game.ship = game.sprites.add(blob(), position=(20, 30))
    game.dust = game.add(fw.Particles(lifetime=90))
    return game


def rows(game: Any) -> Any:
    return simulation_of(game.dust).births.rows()


# -- number and time of births ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rate", "tick_rate", "seconds"),
    [(0.37, 60, 120), (59.94, 2, 3600), (299.7, 1, 3600), (7, 59.94, 60)],
)
def test_the_number_of_births_is_exact_at_every_tick(
    rate: float, tick_rate: float, seconds: int
) -> None:
    particles = counted(capacity=4)
    particles.emitter((0, 0), rate)
    exact_rate = Fraction(str(rate))
    exact_tick = 1 / Fraction(str(tick_rate))
    dt = float(exact_tick)
    for tick in range(1, int(seconds * tick_rate) + 1):
        simulation_of(particles).begin_tick(dt)
        simulation_of(particles).end_tick()
        assert simulation_of(particles).births.count == int(exact_rate * exact_tick * tick)
    if tick_rate != 59.94:
        assert simulation_of(particles).births.count == int(exact_rate * seconds)


def test_births_have_even_times_within_ticks_and_across_them() -> None:
    particles = fw.Particles(lifetime=90)
    particles.emitter((0, 0), 17)
    for _ in range(20):
        simulation_of(particles).begin_tick(0.1)
        simulation_of(particles).end_tick()
    born = simulation_of(particles).births.rows()["born"] / 2**20
    assert np.abs(born - np.arange(1, 35) / 17).max() < 2e-6


def test_particles_live_on_when_the_clock_wraps() -> None:
    particles = fw.Particles(lifetime=5)
    emitter = particles.emitter((0, 0), 0.125)
    for _ in range(700):  # 7,000 s: the clock wraps after 4,096 s
        simulation_of(particles).begin_tick(10)
        simulation_of(particles).end_tick()
        ages = simulation_of(particles).births.ages(simulation_of(particles).births.rows(), 1.0)
        assert ages.min() >= 0
        assert ages.max() < 100
        assert len(particles) == np.count_nonzero(ages < 5) <= 1
    assert simulation_of(particles).births.count == 875
    emitter.rate = 0
    simulation_of(particles).begin_tick(10)
    simulation_of(particles).begin_tick(10)
    assert particles.pose(0.0)[0].shape == (0, 2)


def test_a_new_rate_counts_from_its_tick_and_an_emitter_that_is_off_counts_nothing() -> None:
    particles = fw.Particles(lifetime=90)
    emitter = particles.emitter((0, 0), 5)
    counts = []

    def tick(rate: float, on: bool) -> None:
        emitter.rate = rate
        emitter.emitting = on
        simulation_of(particles).begin_tick(0.1)
        simulation_of(particles).end_tick()
        counts.append(simulation_of(particles).births.count)

    for rate, on in (
        (5, True),
        (5, True),
        (5, False),
        (5, False),
        (5, True),
        (30, True),
        (0, True),
        (10, True),
    ):
        tick(rate, on)
    assert counts == [0, 1, 1, 1, 1, 4, 4, 5]
    assert emitter.rate == 10


def test_births_beyond_the_capacity_are_counted_but_not_made() -> None:
    particles = fw.Particles(capacity=100)
    particles.emitter((0, 0), 1_000_000_000)
    simulation_of(particles).begin_tick(0.5)
    simulation_of(particles).end_tick()
    assert simulation_of(particles).births.count == 500_000_000
    assert len(simulation_of(particles).births.rows()) == 100


def test_a_prewarmed_emitter_begins_with_old_particles(stage: Any) -> None:
    stage.dust.emitter((50, 50), 20, prewarm=2)
    assert simulation_of(stage.dust).births.count == 40
    ages = simulation_of(stage.dust).births.ages(rows(stage), 0.0)
    assert np.allclose(ages, np.arange(39, -1, -1) / 20, atol=2e-6)
    run_with(stage)
    assert simulation_of(stage.dust).births.count == 42


# -- targets ---------------------------------------------------------------------------------------


def test_an_emitter_follows_a_sprite_between_ticks_and_turns_with_it(stage: Any) -> None:
    ship = stage.ship
    stage.dust.emitter(ship, 40, direction=math.pi, speed=50, spread=0, offset=(-8, 0))
    run_with(stage)

    def update(dt: float) -> None:
        ship.position = (40, 70)
        ship.angle = math.pi / 2

    run_with(stage, update)
    new = rows(stage)[-4:]
    share = np.arange(1, 5) / 4
    angle = share * math.pi / 2
    ahead = np.column_stack([np.cos(angle), np.sin(angle)])
    path = np.array([20, 30]) + share[:, None] * (20, 40)
    assert np.allclose(new["position"], path - 8 * ahead, atol=1e-4)
    assert np.allclose(new["velocity"], -50 * ahead, atol=1e-3)


def test_a_sprite_that_teleports_leaves_no_trail(stage: Any) -> None:
    stage.dust.emitter(stage.ship, 40)
    run_with(stage, lambda dt: stage.ship.teleport((150, 80)))
    assert np.allclose(rows(stage)["position"], (150, 80))


def test_births_lie_on_the_curve_of_a_sprite(make: Make) -> None:
    game = make(fw.Game, tick_rate=10, frame_rate=10)
    ball = game.add(fw.SpriteBatch(blob(), motion="hermite")).add(position=(100, 50))
    dust = game.add(fw.Particles(lifetime=90))
    dust.emitter(ball, 400)

    def update(dt: float) -> None:
        angle = 8 * game.tick * dt
        ball.position = 100 + 40 * math.cos(angle), 50 + 40 * math.sin(angle)
        ball.velocity = -320 * math.sin(angle), 320 * math.cos(angle)

    run_with(game, update, 8)
    later = simulation_of(dust).births.rows()["position"][40:]
    assert np.abs(np.hypot(*(later - (100, 50)).T) - 40).max() < 0.5


def test_births_lie_on_the_way_of_a_point_that_is_moved(stage: Any) -> None:
    emitter = stage.dust.emitter((10, 10), 20)
    run_with(stage)
    emitter.position = 30, 10
    run_with(stage)
    assert rows(stage)["position"].tolist() == [[10, 10], [10, 10], [20, 10], [30, 10]]
    emitter.position = 90, 90
    emitter.teleport()
    run_with(stage)
    assert rows(stage)["position"][-2:].tolist() == [[90, 90]] * 2
    assert emitter.position == (90, 90)


def test_particles_inherit_a_fraction_of_the_velocity_of_the_target(stage: Any) -> None:
    stage.dust.emitter(stage.ship, 20, inherit=0.5, velocity=(0, 7))
    run_with(stage, lambda dt: setattr(stage.ship, "x", stage.ship.x + 30))
    assert np.allclose(rows(stage)["velocity"], (150, 7))


def test_an_emitter_ends_with_its_target_or_when_it_is_removed(stage: Any) -> None:
    first = stage.dust.emitter(stage.ship, 20)
    second = stage.dust.emitter((5, 5), 10)
    run_with(stage)
    stage.ship.remove()
    run_with(stage)
    assert simulation_of(stage.dust).births.count == 2 + 2
    assert first.removed
    assert not second.removed
    second.remove()
    second.remove()
    run_with(stage, ticks=3)
    assert simulation_of(stage.dust).births.count == 4
    assert simulation_of(stage.dust).emitters == []


def test_emitters_in_one_system_have_the_births_of_separate_systems(make: Make) -> None:
    positions = []
    for together in (True, False):
        ships = fw.SpriteBatch(blob(), 30)
        systems = (
            [fw.Particles(lifetime=90, seed=2, speed=5)]
            if together
            else [fw.Particles(lifetime=90) for _ in ships]
        )
        for row, ship in enumerate(list(ships)):
            own = {"inherit": 0.5} if row % 3 == 0 else {"tint": "#f00"} if row % 5 == 0 else {}
            systems[0 if together else row].emitter(ship, 7 + row, **own)
        for tick in range(9):
            for part in (table_of(ships), *map(simulation_of, systems)):
                part.begin_tick(0.1)
            ships.position[:] = np.arange(30)[:, None] * (3 + tick, 40)
            for part in (table_of(ships), *map(simulation_of, systems)):
                part.end_tick()
        births = np.concatenate([simulation_of(system).births.rows() for system in systems])
        positions.append(
            sorted(zip(*births["position"].T.tolist(), births["born"].tolist(), strict=True))
        )
    assert positions[0] == positions[1]
    assert len(positions[0]) == sum(int(0.9 * (7 + row)) for row in range(30))


def test_a_new_target_and_new_options_count_from_their_tick(stage: Any) -> None:
    emitter = stage.dust.emitter(stage.ship, 20)
    run_with(stage)
    emitter.target = (70, 70)
    emitter.change(velocity=(1, 2), tint="#0f0")
    run_with(stage)
    assert rows(stage)["position"].tolist() == [[20, 30], [20, 30], [70, 70], [70, 70]]
    assert rows(stage)["velocity"][2:].tolist() == [[1, 2], [1, 2]]
    assert emitter.target == (70, 70)


def test_a_target_with_position_nan_has_no_births(stage: Any) -> None:
    stage.dust.emitter(stage.ship, 20)
    stage.ship.x = math.nan
    simulation_of(stage.dust).begin_tick(0.1)
    simulation_of(stage.dust).end_tick()
    assert len(rows(stage)) == 0


def test_an_emitter_on_a_node_has_the_world_position_of_the_node(make: Make) -> None:
    game = make(fw.Game, tick_rate=10, frame_rate=10)
    nodes = fw.Nodes2D()
    body = nodes.add(position=(50, 50))
    muzzle = nodes.add(body, position=(20, 0))
    dust = game.add(fw.Particles(lifetime=9))
    dust.emitter(muzzle, 10, direction=0, spread=0, speed=10)

    def update(dt: float) -> None:
        body.angle = math.pi / 2

    run_with(game, update)
    assert np.allclose(simulation_of(dust).births.rows()["position"], [(50, 70)], atol=1e-3)
    assert np.allclose(simulation_of(dust).births.rows()["velocity"], [(0, 10)], atol=1e-3)


# -- edges and errors ------------------------------------------------------------------------------


class Swinging:
    """A target on a curve that counts the calls of `drawn_position`."""

    calls = 0

    def drawn_position(self, alpha: float) -> tuple[float, float]:
        self.calls += 1
        return 9 * math.sin(3 * alpha), 40 * alpha**2


@pytest.mark.parametrize("inherit", [0.0, 1.0])
def test_a_target_is_read_only_at_the_times_next_to_births(stage: Any, inherit: float) -> None:
    times = np.linspace(0, 1, 5)
    fractions = np.array([0.3, 0.5, 0.74, 1.0])
    path = np.array([Swinging().drawn_position(fraction) for fraction in times])
    for births, calls in (
        (fractions[:1], (2, 4)),
        (fractions[1:3], (2, 4)),
        (fractions[3:], (1, 2)),
        (fractions, (4, 5)),
    ):
        target = Swinging()
        ends, positions = stage.dust.emitter(target, rate=1, inherit=inherit)._path(births)
        assert target.calls == calls[int(inherit)]
        assert positions.tolist() == [
            [np.interp(fraction, times, along) for along in path.T] for fraction in births
        ]
        if inherit:
            assert ends.tolist() == path[[0, -1]].tolist()


def test_invalid_options_raise_errors_with_their_names() -> None:
    particles = fw.Particles()
    for options, message in [
        ({"rate": -1}, r"^rate: expected a finite number of at least 0, got -1"),
        ({"rate": float("nan")}, r"^rate: expected a finite number"),
        ({"rate": 2e9}, r"^rate: expected at most 1,000,000,000 a second"),
        ({"target": (1, 2, 3)}, r"^target: expected two finite numbers"),
        ({"offset": (1,)}, r"^offset: expected two finite numbers"),
        ({"inherit": float("inf")}, r"^inherit: expected a finite number"),
        ({"prewarm": -1}, r"^prewarm: expected a finite number from 0 to 1000"),
        ({"lifetime": -2}, r"^lifetime: expected a finite number above 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            particles.emitter(**{"target": (0, 0), "rate": 5, **options})
    for target in ("ship", 7, fw.Sprite):
        with pytest.raises(
            TypeError,
            match=r"^target: expected a sprite, an instance, a node or a point of 2 numbers",
        ):
            particles.emitter(target, 5)
    emitter = particles.emitter((0, 0), 5)
    with pytest.raises(TypeError, match=r"^emitting: expected True or False"):
        emitter.emitting = "yes"  # type: ignore[assignment]
    with pytest.raises(
        AttributeError, match=r"Emitter has no attribute 'rat'; did you mean 'rate'"
    ):
        emitter.rat = 4  # type: ignore[attr-defined]
    follows = particles.emitter(fw.SpriteBatch(blob()).add(), 5)
    with pytest.raises(ValueError, match=r"^position: this emitter follows a target"):
        follows.position = 1, 2


@pytest.mark.parametrize("exact", [False, True])
def test_fixed_emitters_have_the_births_of_emitters_that_are_set_each_tick(
    exact: bool,
) -> None:
    rng = np.random.default_rng(3)
    positions = [*rng.uniform(-9, 9, (6, 2)).tolist(), [-0.0, 4.0], [3.0, -0.0]]
    rates = [60, 60, 7.3, 59.94, 0, 240, 60, 2000]
    systems = []
    for moves in (False, True):
        game = fw.Game(drawing=False, exact=exact)
        box: dict[str, Any] = {"emission_size": (3, 0), "speed": (1, 5)}
        particles = game.add(fw.Particles(capacity=90, lifetime=(0.1, 0.4), **box))
        emitters = [
            particles.emitter(
                tuple(position), rate=rate, **({"lifetime": 0.2} if rate == 7.3 else {})
            )
            for position, rate in zip(positions, rates, strict=True)
        ]
        for tick in range(30):
            emitters[1].emitting = tick % 5 != 0
            if tick == 12:
                emitters[3].rate = 30
            if moves:
                for emitter in emitters:
                    emitter.position = emitter.position
            if tick == 20:
                emitters[5].remove()
            game.run_ticks(1)
        births = simulation_of(particles).births
        systems.append((births.count, births.rows().tobytes(), game.state_hash()))
    assert systems[0] == systems[1]


def test_the_target_turns_the_short_way_between_births() -> None:
    shares = np.array([0.0, 0.5, 1.0])
    plane: Any = SimpleNamespace(dimensions=2)
    target: Any = SimpleNamespace(angle=0.5)
    emitter: Any = SimpleNamespace(_target=target, _spray=plane, _angle=6.0)
    turn = 0.5 + math.tau - 6.0
    expected = [6.0, 6.0 + turn / 2, 6.0 + turn]
    np.testing.assert_allclose(fw.Emitter._turns(emitter, shares), expected)

    ends = {0.0: (0.0, 0.0, 0.0, 1.0), 1.0: (0.0, 0.0, -0.6, -0.8)}  # -q is the same rotation as q
    solid: Any = SimpleNamespace(drawn_rotation=ends.get)
    emitter = SimpleNamespace(_target=solid, _spray=SimpleNamespace(dimensions=3), _angle=None)
    turns = fw.Emitter._turns(emitter, shares)
    half = np.array([0, 0, 0.3, 0.9]) / np.hypot(0.3, 0.9)
    np.testing.assert_allclose(
        turns / np.linalg.norm(turns, axis=1)[:, None], [[0, 0, 0, 1], half, [0, 0, 0.6, 0.8]]
    )
