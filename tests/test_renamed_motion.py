"""Old names of particles, tile maps, tweens and state machines: errors with the new names."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw


def _renamed_in_particles_tiles_and_motion() -> list[Any]:
    particles = fw.Particles()
    emitter = particles.emitter((0, 0), 1)
    layer = fw.TileLayer(fw.TileSet(solid(4, 4), (4, 4)), [[1]])
    grid = fw.collide.TileGrid(np.ones((2, 2), bool), 4)
    machine = fw.StateMachine("a", "b")
    columns = fw.StateColumns(fw.SpriteBatch(solid(2, 2)), "a", "b")
    attribute, option = AttributeError, TypeError
    return [
        (lambda: emitter.on, attribute, "emitter.on", "emitter.emitting"),
        (lambda: setattr(emitter, "on", False), attribute, "emitter.on", "emitter.emitting"),
        (lambda: layer.cell, attribute, "layer.cell", "layer.world_to_cell"),
        (lambda: layer.center, attribute, "layer.center", "layer.cell_center"),
        (lambda: grid.cell, attribute, "grid.cell", "grid.world_to_cell"),
        (lambda: grid.center, attribute, "grid.center", "grid.cell_center"),
        (
            lambda: fw.TileMap.said_of,
            attribute,
            "tile_map.said_of",
            "tile_map.tile_properties",
        ),
        (lambda: fw.States, attribute, "States", "StateMachine"),
        (lambda: machine.go, attribute, "state_machine.go", "state_machine.add_transition"),
        (lambda: machine.to, attribute, "state_machine.to", "state_machine.change_to"),
        (lambda: machine.before, attribute, "state_machine.before", "state_machine.previous"),
        (lambda: machine.on("a", leave=print), option, "StateMachine.on(leave=…)", "exit="),
        (lambda: columns.left, attribute, "state_columns.left", "state_columns.exited"),
        (lambda: fw.Particles(life=1), option, "Particles(life=…)", "lifetime="),
        (lambda: fw.Particles(drag=1), option, "Particles(drag=…)", "damping="),
        (lambda: fw.Particles.fire(area=(1, 1)), option, "Particles(area=…)", "emission_size="),
        (lambda: fw.Particles3D(spin=1), option, "Particles3D(spin=…)", "angular_velocity="),
        (lambda: particles.emit(life=1), option, "Particles.emit(life=…)", "lifetime="),
        (
            lambda: particles.emitter((0, 0), 1, warm=1),
            option,
            "Particles.emitter(warm=…)",
            "prewarm=",
        ),
        (
            lambda: particles.emitter((0, 0), 1, on=False),
            option,
            "Particles.emitter(on=…)",
            "emitting=",
        ),
        (
            lambda: emitter.change(spin=1),
            option,
            "Emitter.change(spin=…)",
            "angular_velocity=",
        ),
    ]


@pytest.mark.parametrize("case", range(21))
def test_a_renamed_name_of_particles_tiles_and_states_says_the_new_one(case: int) -> None:
    cases = _renamed_in_particles_tiles_and_motion()
    assert len(cases) == 21
    call, error, old, new = cases[case]
    with pytest.raises(error, match=rf"^{re.escape(old)}: renamed to {re.escape(new)} "):
        call()
