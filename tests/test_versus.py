"""Comparisons with other engines: environments, images, turns, and engines that fail."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from framework.bench import charts, peer_scene, peer_table, price_tables, versus
from framework.bench.peer_table import PEERS, Peer
from framework.bench.worker_process import WorkerError, WorkerProcess
from framework.errors import FrameworkError
from framework.tools import cli


def picture(shift: int = 0, count: int = 200) -> np.ndarray:
    """Return an image of squares on the background."""
    image = np.full((270, 480, 3), peer_scene.BACKGROUND, np.uint8)
    for number in range(count):
        left = number * 37 % 460 + shift
        top = number * 53 % 250
        image[top : top + 8, left : left + 4] = (230, 60, 60)
        image[top : top + 8, left + 4 : left + 8] = (60, 200, 90)
    return image


def test_images_of_the_same_scene_match_and_others_do_not() -> None:
    reference = picture()
    assert versus.image_difference(reference, reference) == 0
    assert versus._check("x", reference, reference).same
    assert versus.image_difference(picture(1), reference) < 0.5
    for wrong in (reference[::-1], reference[:, ::-1], picture(8), picture(count=120)):
        assert versus.image_difference(wrong, reference) > versus.DIFFERENT
        assert not versus._check("x", wrong, reference).same
    empty = np.full_like(reference, peer_scene.BACKGROUND)
    assert versus.coverage(empty) == 0
    assert not versus._check("x", empty, reference).same
    assert not versus._check("x", reference[:100], reference).same
    assert not versus._check("x", picture(count=190), reference).same  # ten squares are missing


def test_unknown_engines_are_one_clear_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "sprites", "--vs", "pygame"]) == 2
    assert "got 'pygame'; pygame is named pygame-ce" in capsys.readouterr().err
    assert cli.main(["bench", "game", "--vs", "ursina"]) == 2
    assert "'ursina' has no program for `bench game`" in capsys.readouterr().err
    assert cli.main(["bench", "sprites", "--vs", "arcade", "--memory"]) == 2
    assert "--memory: measured without --vs only" in capsys.readouterr().err
    picked = peer_table.pick_peers(["pyglet", "arcade", "pyglet"], "game")
    assert [peer.name for peer in picked] == ["pyglet", "arcade"]


def test_an_engine_without_an_environment_is_not_installed_without_a_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["bench", "sprites", "--vs", "arcade", "--env-dir", str(tmp_path)]) == 2
    assert "no environment for arcade" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def fake_environment(home: Path) -> None:
    """Write the files that uv or venv create."""
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    python.parent.mkdir(parents=True)
    python.write_text("", "utf-8")
    (home / "pyvenv.cfg").write_text("", "utf-8")


@pytest.mark.parametrize("uv", [None, "/bin/uv"])
def test_an_environment_is_created_by_uv_or_pip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uv: str | None
) -> None:
    monkeypatch.setattr(peer_table.shutil, "which", lambda name: uv)
    monkeypatch.setenv("PIP_TARGET", "/the/environment/of/the/caller")
    peer = PEERS["arcade"]
    commands: list[list[str]] = []

    def run(command: list[str], **options: Any) -> None:
        commands.append(command)
        assert "PIP_TARGET" not in options["env"]
        if "install" not in command:
            fake_environment(tmp_path / "arcade")

    peer_table.make_environment(peer, tmp_path, run)
    python = peer_table.python_of(peer, tmp_path)
    assert python is not None
    assert commands[1][-1] == peer.requirement
    assert str(python) in commands[1]
    assert all(command[0] == uv for command in commands) == (uv is not None)
    assert peer_table.missing_environments([peer, PEERS["pyglet"]], tmp_path) == [PEERS["pyglet"]]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (subprocess.CalledProcessError(1, "pip", stderr="a\nno such version"), "no such version"),
        (subprocess.TimeoutExpired("pip", 1), "was not installed in"),
        (KeyboardInterrupt(), None),
    ],
)
def test_no_files_of_a_failed_environment_remain(
    tmp_path: Path, error: BaseException, words: str | None
) -> None:
    def run(command: list[str], **options: Any) -> None:
        if "install" in command:
            raise error
        fake_environment(tmp_path / "arcade")

    with pytest.raises(FrameworkError if words else KeyboardInterrupt, match=words):
        peer_table.make_environment(PEERS["arcade"], tmp_path, run)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_no_environment_is_never_removed(tmp_path: Path) -> None:
    (tmp_path / "arcade").mkdir()
    (tmp_path / "arcade" / "thesis.txt").write_text("years", "utf-8")
    with pytest.raises(FrameworkError, match="is not a virtual environment"):
        peer_table.make_environment(PEERS["arcade"], tmp_path, lambda *a, **k: None)
    assert (tmp_path / "arcade" / "thesis.txt").read_text("utf-8") == "years"


# -- processes -------------------------------------------------------------------------------------


def test_a_process_that_ends_is_reported_with_its_last_line() -> None:
    with pytest.raises(WorkerError, match=r"x: the process ended at 'start': ModuleNotFoundError"):
        WorkerProcess("x", sys.executable, "no_module")
    with pytest.raises(WorkerError, match="'/no/python' cannot be started"):
        WorkerProcess("x", "/no/python", "peer_scene")


FAKE = """
import sys
from . import peer_scene

print("a library says hello")

class Fake(peer_scene.Engine):
    def finish(self): pass
    def draw(self):
        if self.mixed: sys.exit("the driver is gone")
    def picture(self, path):
        pixels = bytearray(peer_scene.flat_pixels(1, peer_scene.BACKGROUND) * (960 * 540))
        for body in self.bodies:
            pixels[:4] = b"1234"
        peer_scene.write_png(path, peer_scene.SIZE, bytes(pixels))
    def about(self): return {"version": "1", "renderer": "GPU"}

def main(arguments):
    peer_scene.serve(Fake, arguments)
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a worker module, and copies of the two modules that it needs."""
    import framework.bench.worker_process as module

    folder = Path(module.__file__).parent
    for name in ("peer_scene.py", "worker_commands.py"):
        (tmp_path / name).write_text((folder / name).read_text("utf-8"), "utf-8")
    (tmp_path / "fake.py").write_text(FAKE, "utf-8")
    monkeypatch.setattr(module, "_FOLDER", str(tmp_path))
    return "fake"


def test_a_worker_replies_although_its_library_prints(fake: str, tmp_path: Path) -> None:
    with WorkerProcess("fake", sys.executable, fake, ["sprites", "5"]) as worker:
        assert worker.call("about") == {"version": "1", "renderer": "GPU"}
        frames = worker.call("frames", 3)
        assert len(frames) == 3
        assert all(0 <= part < 1 for frame in frames for part in frame)
        worker.call("picture", str(tmp_path / "a.png"))
        with Image.open(tmp_path / "a.png") as image:
            assert image.size == peer_scene.SIZE
            assert image.getpixel((5, 5)) == (*peer_scene.BACKGROUND, 255)
    with (
        WorkerProcess("fake", sys.executable, fake, ["game", "5"]) as worker,
        pytest.raises(WorkerError, match="fake: the process ended at 'run': the driver is gone"),
    ):
        worker.call("run", 1)


def test_a_worker_imports_nothing_from_the_current_folder(
    fake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A comparison of two versions runs in the folder of one of them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "argparse.py").write_text("raise SystemExit('imported from here')", "utf-8")
    with WorkerProcess("fake", sys.executable, fake, ["sprites", "5"]) as worker:
        assert worker.call("about")["version"] == "1"


# -- the match -------------------------------------------------------------------------------------


def row(name: str, count: int, median: float, process: float | None = None) -> versus.PeerResult:
    timing = versus.Timing(median / 2, median, median, median)
    drawn = None if process is None else versus.Timing(process, process, process, process)
    return versus.PeerResult(name, "1.0", count, timing, drawn, median / 10_000)


@pytest.fixture
def report(sprites_report: Any) -> versus.VersusReport:
    return versus.VersusReport(
        sprites_report.machine,
        "sprites",
        7,
        [
            row("subtick", 1000, 10_000.0, 30_000.0),
            row("subtick, columns", 1000, 800.0, 20_000.0),
            row("pygame-ce", 1000, 15_000.0, 15_000.0),
            row("ursina", 1000, 90_000.0, 95_000.0),
        ],
        [],
        {"raylib": "raylib: the process ended at 'start': no display"},
        ["A caveat."],
    )


def test_the_table_names_engines_that_were_not_measured_and_notes(
    report: versus.VersusReport,
) -> None:
    table = price_tables.versus_table(report)
    lines = table.splitlines()
    order = [line.split()[0] for line in lines if "1.0 " in line]
    assert order == ["subtick,", "subtick", "pygame-ce", "ursina"]
    assert "Not measured: raylib: the process ended at 'start': no display." in lines
    assert "Note: A caveat." in lines
    assert "With pixels" in table
    for each in report.rows:
        each.process = None
    assert "With pixels" not in price_tables.versus_table(report)
    section = price_tables.versus_section(report)
    assert "| **Subtick** 1.0 | 5.00 / 10.00 ms | 1.00 |" in section


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_plot_has_a_bar_for_each_engine(
    report: versus.VersusReport, tmp_path: Path, ending: str
) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"plot.{ending}"
    charts.plot_versus(report, path)
    if ending == "svg":
        assert path.read_text("utf-8").lstrip().startswith("<?xml")
        return
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB")).reshape(-1, 3).astype(int)
    for color in ((0xD1, 0x49, 0x5B), (0x30, 0x63, 0x8E)):
        assert (np.abs(pixels - color).max(axis=1) < 4).sum() > 500


@pytest.mark.parametrize("renderer", ["llvmpipe (LLVM 15)", "NVIDIA H200"])
def test_engines_take_turns_and_a_failing_engine_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, renderer: str
) -> None:
    calls: list[str] = []

    class Worker:
        def __init__(self, name: str, noop: str | None) -> None:
            self.name = name
            self.noop = noop
            self.blocks = 0

        def __enter__(self) -> Worker:
            return self

        def __exit__(self, *error: object) -> None:
            calls.append(f"{self.name} ends")

        def call(self, command: str, *arguments: Any) -> Any:
            if command == "about":
                return {"version": "3", "renderer": renderer}
            if command == "picture":
                image = picture() if self.name != "mirrored" else picture()[::-1]
                Image.fromarray(image).save(arguments[0])
            if command == "frames":
                self.blocks += 1
                calls.append(self.name)
                if self.name == "broken" and self.blocks > 2:
                    raise WorkerError("broken: the process ended")
                seconds = {"subtick": 0.01, "slow": 9.0}.get(self.name, 0.02)
                return [[seconds, seconds * 3]] * arguments[0]
            return None

    def start(self: Any, contestant: Any, count: int, noop: bool) -> Worker:
        return Worker(contestant.name, "1" if noop else None)

    monkeypatch.setattr(versus._Match, "_start", start)
    match = versus._Match("sprites", 3, tmp_path, {}, progress=False)
    names = ["subtick", "arcade", "mirrored", "broken", "slow"]
    contestants = [versus._Contestant(name, "", "", (), {}) for name in names]
    same = match.check_pictures(contestants)
    assert [each.name for each in same] == ["subtick", "arcade", "broken", "slow"]
    assert "mirrored draws another image than Subtick" in match.failed["mirrored"]
    calls.clear()
    match.measure(same, 1000)
    assert match.software == renderer.startswith("llvmpipe")
    assert {each.name: each.ratio for each in match.rows} == {"subtick": 1, "arcade": 2}
    assert [each.thread.median for each in match.rows] == pytest.approx([10_000, 20_000])
    processes = [each.process.median for each in match.rows if each.process]
    assert processes == pytest.approx([30_000, 60_000] if match.software else [])
    assert "a frame takes 27.0 s at 1,000" in match.failed["slow at 1,000"]
    assert "broken at 1,000" in match.failed
    warm = calls[:4]
    turns = [name for name in calls[4:] if name != "broken"]
    assert warm == ["subtick", "arcade", "broken", "slow"]
    assert turns[:6] == ["subtick", "arcade", "arcade", "subtick", "subtick", "arcade"]


def test_the_command_refuses_numbers_without_another_engine(
    report: versus.VersusReport,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["bench", "sprites", "--vs", "arcade", "--env-dir", str(tmp_path)]
    fake_environment(tmp_path / "arcade")
    (tmp_path / "arcade" / "subtick-bench.json").write_text("{}", "utf-8")
    monkeypatch.setattr(versus, "compare", lambda *a, **k: report)
    assert cli.main([*arguments, "--json", str(tmp_path / "a.json")]) == 0
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["rows"][0]["name"] == "subtick"
    alone = dataclasses.replace(report, rows=report.rows[:2])
    monkeypatch.setattr(versus, "compare", lambda *a, **k: alone)
    assert cli.main(arguments) == 2
    assert "no other engine could be measured" in capsys.readouterr().err
    assert cli.main([*arguments, "--pictures", str(tmp_path / "none")]) == 2
    assert "is not a folder" in capsys.readouterr().err


def test_every_engine_has_its_module_and_a_range_of_versions() -> None:
    folder = Path(versus.__file__).parent
    for name, peer in PEERS.items():
        assert isinstance(peer, Peer)
        assert peer.name == name
        assert (folder / f"{peer.module}.py").is_file()
        assert "<" in peer.requirement
        assert "sprites" in peer.scenes


@pytest.mark.parametrize("kind", ["objects", "columns"])
def test_subtick_draws_bodies_at_their_positions(kind: str, tmp_path: Path) -> None:
    from framework.bench import peer_subtick

    engine_class = peer_subtick.SubtickColumns if kind == "columns" else peer_subtick.Subtick
    engine = engine_class("sprites", 40)
    for _ in range(3):
        engine.tick()
        engine.draw()
    for _ in range(4):
        engine.tick()
    engine.draw()
    engine.finish()
    engine.picture(str(tmp_path / "own.png"))
    assert engine.about()["renderer"]
    with Image.open(tmp_path / "own.png") as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    engine.game.close()
    bodies = peer_scene.bodies(40)
    for _ in range(7):
        for body in bodies:
            body.move()
    covered = np.abs(pixels - peer_scene.BACKGROUND).max(axis=2) > 24
    inside = [body for body in bodies if 0 <= body.x < 960 and 0 <= body.y < 540]
    assert all(covered[539 - int(body.y), int(body.x)] for body in inside)
    assert covered.sum() == pytest.approx(40 * peer_scene.SPRITE**2, rel=0.1)
