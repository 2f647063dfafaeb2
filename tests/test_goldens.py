"""One hash of each example's state after some ticks of random input: the same on every processor.

python tests/test_goldens.py        # print the hashes
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import state_names

import framework as fw
from framework import resources
from framework.record import walk
from framework.sim.game_files import game_class_of
from framework.sim.matrix import environments

TICKS = 24
FEWER: dict[str, dict[str, int]] = {
    "09_asteroids.py": {"ROCKS": 1200},
    "10_tank.py": {"TREES": 60, "BALLOONS": 6},
    "22_swarm.py": {"SPARKS": 1000},
}
GOLDEN = {
    "01_window.py": 0xC282B6C03C4FAC5E,
    "02_ticks.py": 0x647FB38703A7F66C,
    "03_sprites.py": 0x8BF25530F40135B7,
    "04_ship.py": 0xCAC130D4F0AE7360,
    "05_camera.py": 0xBD13F97517D37222,
    "06_lanes.py": 0xA07282067EBF75C6,
    "07_cubes.py": 0xBACAB3739DE0AC06,
    "08_viewer.py": 0x347A6022003707F4,
    "09_asteroids.py": 0x6C2DB1719D7AB714,
    "10_tank.py": 0xBA81EA9F457442E7,
    "11_poles.py": 0xB22D2CAD06252A71,
    "12_rhythm.py": 0xA1B6D42CAC23D03E,
    "13_pinball.py": 0x2791B5B39E714EC0,
    "14_moths.py": 0x108D697A585DCF56,
    "15_valley.py": 0x34F59723C1093C56,
    "16_marble.py": 0x158A0802A7B47D1B,
    "17_menu.py": 0xEF37834350AD478C,
    "18_novel.py": 0x9EE0BA70DC79BCAD,
    "19_race.py": 0x5ACF3509E0483DF7,
    "20_cave.py": 0xEA0DEE86B7BD62FB,
    "21_effects.py": 0xC76978892F00B660,
    "22_swarm.py": 0x8E07235E6B6E2DD0,
    "23_duel.py": 0x1ABD416998E3479D,
    "24_arena.py": 0x934C0542A294EE01,
    "25_rooms.py": 0xD62B9D654537A418,
    "26_theremin.py": 0xE09C90B3A9066B4E,
    "27_herd.py": 0xF4C49597B004DDA6,
    "28_art.py": 0x47DE56051F6CACF9,
}
# At night both environments, by day only the processor without AVX2 and FMA.
LESSER = [each for each in environments() if each.name in ("no AVX-512", "no AVX2, no FMA")]
LESSER = LESSER if os.environ.get("NEW_EXAMPLES") else LESSER[-1:]


def final_hash(path: Path) -> int:
    """Return the hash of an example's state at the end."""
    game_class, options = game_class_of(str(path))
    game_class.setup.__globals__.update(FEWER.get(path.name, {}))
    chosen = {"drawing": False, "seed": 5, "size": (240, 135), "session": None}
    with game_class(**options | chosen) as game:
        player = fw.RandomPlayer(5)
        for tick in range(1, TICKS + 1):
            player(game, tick)
            game.run_ticks()
        return game.state_hash()


def examples() -> list[Path]:
    return sorted(resources.folder("examples").glob("[0-9]*.py"))


@pytest.fixture
def _as_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the process state that starting a file changes."""
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


def test_every_example_has_a_golden_hash() -> None:
    assert [path.name for path in examples()] == [*GOLDEN]


@pytest.mark.usefixtures("_as_programs")
@pytest.mark.parametrize("path", examples(), ids=lambda path: path.stem)
def test_an_example_ends_in_its_golden_state(path: Path) -> None:
    walk._hashed.clear()
    result = final_hash(path)
    unlisted = state_names.unlisted(walk._hashed)  # a class that was renamed changes the hash
    assert not unlisted, state_names.advice(unlisted)
    assert hex(result) == hex(GOLDEN[path.name])


@pytest.mark.parametrize("environment", LESSER, ids=lambda environment: environment.name)
def test_golden_states_are_the_same_without_newer_processor_features(environment: object) -> None:
    variables = dict(os.environ) | environment.variables  # type: ignore[attr-defined]
    root = str(Path(fw.__file__).parent.parent)
    variables["PYTHONPATH"] = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.run(
        [sys.executable, __file__], env=variables, capture_output=True, text=True, timeout=300
    )
    assert process.returncode == 0, process.stderr
    assert json.loads(process.stdout) == GOLDEN


if __name__ == "__main__":
    stdout = sys.stdout
    sys.stdout = sys.stderr
    print(json.dumps({path.name: final_hash(path) for path in examples()}), file=stdout)
