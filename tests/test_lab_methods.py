"""The methods that the lab measures: selection by name, and their positions."""

from __future__ import annotations

import numpy as np

from framework.bench import lab_methods
from framework.bench.displays import TROUBLES, SimulatedDisplay, pick_displays, simulate
from framework.timing.timestep import FixedTimestep

EXACT = TROUBLES[0]


def test_methods_and_displays_are_selected_by_parts_of_names() -> None:
    def picked(parts: list[str] | None) -> list[str]:
        return [method.name for method in lab_methods.pick_methods(parts)]

    assert picked(["Fixed Interpolate"]) == ["fixed interpolate"]
    assert picked(["paced rounded none", "arc"]) == ["Arcade", "rounded none paced"]
    assert picked(None) == list(lab_methods.USUAL)
    displays = pick_displays(["60", "59.940", 60, "vrr"])
    assert displays == [
        SimulatedDisplay("60", 60),
        SimulatedDisplay("59.94", 59.94),
        SimulatedDisplay("vrr"),
    ]
    assert len(pick_displays(None)) == 14


def test_a_loop_can_be_played_alone() -> None:
    frames = simulate(SimulatedDisplay("144", 144), EXACT, 4)
    alone = lab_methods.play(FixedTimestep(60), ["interpolate", "none"], frames.stamps)
    [(_, watched)] = lab_methods.watch(
        [lab_methods.METHODS["fixed interpolate"]], SimulatedDisplay("144", 144), frames, 60
    )
    assert np.array_equal(alone["interpolate"].line, watched.line)
    assert alone["none"].ticks == alone["interpolate"].ticks == 240
