"""Random pairs of parts in one game (tests/company), and whether the checks find planted defects.

COMPANY_SECONDS=120 runs pairs for 120 seconds of CPU time, and COMPANY_SEED sets their seed.
"""

from __future__ import annotations

import inspect
import os
import random
import time
from typing import Any

import numpy as np
import pytest
from company import PLAYERS, Case, Failure, Player, play

import framework as fw
from framework.state.backend import Frontend
from framework.state.rows import Batch, Handle

SECONDS = float(os.environ.get("COMPANY_SECONDS", "10"))
SEED = int(os.environ.get("COMPANY_SEED", "0"))
_PARTS = 8

# Public classes that are no part of a game or scene, by the reason.
WITHOUT_PLAYER = {
    "a value that a function returns": (
        "Channel Desync Difference Hit Match Identity Run Save Snapshot SyncReport Tick TickInput HeldInput "
        "SessionStats ImageLoading "
        "collide.Contacts collide.Flags collide.Hits picking.Hit picking.RowHit"
    ),
    "plain data, which a part of another row contains": "Extrapolation Skin Texture",
    "a protocol": "InputSource Link Session collide.Tiles",
    "errors": "AssetError DisplayError FrameworkError NetworkError ShaderError",
    "a game from outside: recordings, tests, agents, servers": (
        "ArrayGame GameEnv LocalInput LocalMatch RandomPlayer Rollback Spectator Replay Rewind"
    ),
    "the clock of a game, which a running game does not replace": (
        "FixedTimestep RefreshClock RoundedTimestep SemiFixedTimestep Timestep VariableTimestep"
    ),
    "a scene whose ticks depend on when a thread has finished": "scenes.Loading",
    "a scene whose ticks depend on other machines": "scenes.Lobby",
    "measurements, which depend on the machine": "FrameStats Quality",
    "the network, which carries bytes between games": (
        "Beside Client Server "
        "ConditionedLink Conditions Endpoint MemoryNetwork MemoryRelay Room UdpLink"
    ),
    "the GPU for a game's own drawings": "Graphics PingPong",
    "rows without a drawing; nodes and batches contain these classes": "Transforms2D Transforms3D",
}
_PART_KINDS = (Frontend, Handle, fw.Effect, fw.Transition, fw.Widget)


def public_classes() -> dict[str, type]:
    """Return the public classes of the package and of its public modules, by name."""
    values = {name: getattr(fw, name) for name in fw.__all__}
    for prefix, module in list(values.items()):
        if inspect.ismodule(module):
            values |= {f"{prefix}.{name}": getattr(module, name) for name in names_of(module)}
    return {name: value for name, value in values.items() if inspect.isclass(value)}


def names_of(module: Any) -> list[str]:
    return getattr(module, "__all__", None) or [name for name in dir(module) if name[0] != "_"]


def test_every_public_part_has_a_player() -> None:
    covered = {part for player in PLAYERS.values() for part in player.parts}
    without = {name for names in WITHOUT_PLAYER.values() for name in names.split()}
    missing = [
        name
        for name, kind in public_classes().items()
        if kind not in covered and name not in without
    ]
    assert not missing, f"write a player in tests/company, or a row of WITHOUT_PLAYER: {missing}"
    stale = [
        name
        for name in without
        if name not in public_classes() or public_classes()[name] in covered
    ]
    assert not stale, f"remove {stale} from WITHOUT_PLAYER: not public, or there is a player"
    parts = [name for name in without if issubclass(public_classes()[name], _PART_KINDS)]
    assert not parts, f"write a player for {parts}: games add such objects, so they need one"


def test_a_player_without_copies_documents_the_reason() -> None:
    for name, player in PLAYERS.items():
        assert (
            player.copies
            or "copy" in (player.__doc__ or "")
            or "No copies" in (player.__doc__ or "")
        ), name


def test_every_player_has_operations_and_a_part() -> None:
    assert len(PLAYERS) >= 25
    for name, player in PLAYERS.items():
        assert player.parts, name
        assert len(player.operations()) >= 1, name


def test_batches_of_the_framework_are_read_by_a_looker() -> None:
    from company.game import names_to_read

    assert {"position", "color", "transforms"} <= {*names_to_read(fw.SpriteBatch)}
    assert "remove" not in names_to_read(fw.SpriteBatch)
    assert issubclass(fw.SpriteBatch, Batch)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # letters that are in no font
@pytest.mark.parametrize("part", range(_PARTS))
def test_random_pairs_pass_all_checks(part: int) -> None:
    """Run the pairs of a part of the CPU time. The names of a failing case are in its error."""
    chance = random.Random(f"{SEED} {part}")
    names = sorted(PLAYERS)
    end = time.process_time() + SECONDS / _PARTS
    number = 0
    while time.process_time() < end:
        pair = chance.choice(names), chance.choice(names)
        case = Case(pair, 60, (SEED * _PARTS + part) * 10_000 + number)
        try:
            play(case)
        except Exception as error:
            error.add_note(f"run it again: python -m tests.company {case}")
            raise
        number += 1
    print(f"{number} pairs, COMPANY_SEED={SEED}")


# -- planted defects -------------------------------------------------------------------------------

_IMAGE = np.full((6, 6, 4), 255, np.uint8)


class Planted(Player):
    """A player with a defect, which the checks must find."""

    def setup(self) -> None:
        self.batch = self.game.add(fw.SpriteBatch(_IMAGE, 1))
        self.batch.position[:] = 40, 30

    def do_move(self) -> None:
        self.batch.position[:, 0] += 1

    def shown(self) -> None:
        """Called in `draw` by the looker, as a property of `self.reader`."""


class Hidden:
    """A value outside the state."""

    not_state = True

    def __init__(self) -> None:
        self.value = 0


class Forgetful(Planted):
    """A player whose moves depend on a value that `restore` does not change."""

    def setup(self) -> None:
        super().setup()
        self.hidden = Hidden()

    def do_move(self) -> None:
        self.hidden.value += 1
        self.batch.position[:, 0] += self.hidden.value % 7


class Painting(Planted):
    """A player whose image depends on a value that `restore` does not change."""

    def setup(self) -> None:
        super().setup()
        self.own = self.game.add(Growing())


class Growing(fw.Drawable):
    not_state = True

    def __init__(self) -> None:
        self.frames = 0
        self.ctx: Any = None

    def attach(self, graphics: fw.Graphics) -> None:
        self.ctx = graphics.ctx

    def draw(self) -> None:
        self.frames += 1
        self.ctx.clear(self.frames % 50 / 50, 0.5, 0.5)


class Failing(Planted):
    """A player with an operation that raises an error."""

    def do_fail(self) -> None:
        raise ZeroDivisionError("planted")


class GLError(Planted):
    """A player with a drawable that leaves an OpenGL error."""

    def setup(self) -> None:
        super().setup()
        self.own = self.game.add(Leaving())


class Leaving(fw.Drawable):
    def attach(self, graphics: fw.Graphics) -> None: ...

    def draw(self) -> None:
        from pyglet import gl

        gl.glEnable(0x7FFF)


class Miscopied(Planted):
    """A player whose copy is at another position."""

    copies = True

    def copy(self, copy_scene: Any) -> None:
        copy_scene.add(fw.SpriteBatch(_IMAGE, 1)).position[:] = 10, 10


class DrawnState(Planted):
    """A player whose state depends on the number of frames."""

    def setup(self) -> None:
        super().setup()
        self.own = self.game.add(Counting())


class Counting(fw.Drawable):
    def __init__(self) -> None:
        self.frames = 0

    def attach(self, graphics: fw.Graphics) -> None: ...

    def draw(self) -> None:
        self.frames += 1


@pytest.mark.parametrize(
    ("player", "kind", "words"),
    [
        (Forgetful, Failure, "another state|changes the state|ticks without images"),
        (Painting, Failure, "pixels differ"),
        (Failing, ZeroDivisionError, "planted"),
        (GLError, Failure, "a GL error after tick"),
        (Miscopied, Failure, "a copy of the end state: .* pixels differ"),
        (DrawnState, Failure, "changes the state"),
    ],
)
def test_planted_defects_are_found(
    player: type[Planted], kind: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PLAYERS, "planted", player)
    with pytest.raises(kind, match=words):
        play(Case(("planted",), 60, 1))


def test_a_player_without_a_defect_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PLAYERS, "planted", Planted)
    play(Case(("planted",), 60, 1))
