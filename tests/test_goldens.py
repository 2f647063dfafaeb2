"""One hash of each example's state after some ticks of keys and mouse at random: the same on every
processor.

python tests/test_goldens.py        # prints them, on any machine
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import framework as fw
from framework import resources
from framework.sim.matrix import environments
from framework.sim.started import game_of

TICKS = 24
FEWER: dict[str, dict[str, int]] = {
    "09_asteroids.py": {"ROCKS": 1200},
    "10_tank.py": {"TREES": 60, "BALLOONS": 6},
}
GOLDEN = {
    "01_window.py": 0x3212FCAEE1128127,
    "02_ticks.py": 0x6F6653C8DB87CE33,
    "03_sprites.py": 0xF64FE1BA64F99A29,
    "04_ship.py": 0x0463C05E7D5F273A,
    "05_camera.py": 0xC3796FEBFDCB8F6E,
    "06_lanes.py": 0xB5CC64626F2F0C59,
    "07_cubes.py": 0xC7D9B95F5652EF53,
    "08_viewer.py": 0xD849AFD1B0E17F76,
    "09_asteroids.py": 0x94FFFCB4D5D842F5,
    "10_tank.py": 0xA702D1F57E458147,
    "11_poles.py": 0x587DE2751D62D0F2,
    "12_rhythm.py": 0xD8FA9DC94E069AE5,
    "13_pinball.py": 0x91B3CE8974F284EA,
    "14_moths.py": 0x66185107AA91F105,
    "15_valley.py": 0xE1319332C85CF754,
    "16_marble.py": 0xD15A14D98C3EA1C8,
    "17_menu.py": 0x7D35E521A4744832,
    "18_novel.py": 0xAA0DA4FCADE6EBE0,
    "19_race.py": 0x26DBAB61C1773EB2,
    "20_cave.py": 0x903D1FA693BDE00E,
    "21_effects.py": 0x417024C97BA8BEF4,
}
# Each night; otherwise that which has neither.
LESSER = [each for each in environments() if each.name in ("no AVX-512", "no AVX2, no FMA")]
LESSER = LESSER if os.environ.get("NEW_EXAMPLES") else LESSER[-1:]


def played(path: Path) -> int:
    """The hash of an example's state in the end."""
    game_class, options = game_of(str(path))
    game_class.setup.__globals__.update(FEWER.get(path.name, {}))
    chosen = {"drawing": False, "seed": 5, "size": (240, 135)}
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
    """What starting a file changes comes back."""
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


def test_every_example_has_one() -> None:
    assert [path.name for path in examples()] == [*GOLDEN]


@pytest.mark.usefixtures("_as_programs")
@pytest.mark.parametrize("path", examples(), ids=lambda path: path.stem)
def test_an_example_ends_in_its_golden_state(path: Path) -> None:
    assert hex(played(path)) == hex(GOLDEN[path.name])


@pytest.mark.parametrize("environment", LESSER, ids=lambda environment: environment.name)
def test_and_so_it_does_on_a_lesser_processor(environment: object) -> None:
    variables = dict(os.environ) | environment.variables  # type: ignore[attr-defined]
    root = str(Path(fw.__file__).parent.parent)
    variables["PYTHONPATH"] = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, __file__], env=variables, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == GOLDEN


if __name__ == "__main__":
    said, sys.stdout = sys.stdout, sys.stderr
    print(json.dumps({path.name: played(path) for path in examples()}), file=said)
