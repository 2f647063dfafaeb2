"""The benchmarks: they measure the same work on both sides, and tell what they measured."""

from __future__ import annotations

import dataclasses
import gc
import json
import os
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import solid
from PIL import Image

from framework import bench
from framework.errors import FrameworkError


@pytest.fixture(scope="module")
def report() -> bench.SpritesReport:
    return bench.measure_sprites([40, 400], frames=4)


@pytest.fixture
def swarm() -> Iterator[bench.Swarm]:
    with bench.Swarm(60) as game:
        yield game
        assert game.ctx.error == "GL_NO_ERROR"
        game.hand_written.release()


def hand_written_picture(swarm: bench.Swarm) -> np.ndarray:
    swarm._live.use().clear(0, 0, 0, 1)
    swarm.hand_written.prepare()
    swarm.hand_written.draw(swarm.timestep.alpha)
    return swarm.pixels()


@pytest.mark.parametrize("part_of_a_tick", [Fraction(0), Fraction(1, 4), Fraction(9, 10)])
def test_both_sides_draw_the_same_picture(monkeypatch: pytest.MonkeyPatch, part_of_a_tick: Fraction) -> None:
    monkeypatch.setattr(bench, "_SPRITE", solid(24, 24))
    with bench.Swarm(60) as swarm:
        for _ in range(5):
            swarm.advance(bench._TICK)
            swarm.update_hand_written()
            swarm.hand_written.hand_over()
        swarm.advance(part_of_a_tick * bench._TICK)
        ours = swarm.pixels()[..., :3].any(axis=2)
        theirs = hand_written_picture(swarm)[..., :3].any(axis=2)
        swarm.hand_written.release()
    assert ours.sum() > 60 * 24 * 24 / 2
    # Our shader moves hard pixels 1/64 to the side: pixels whose centre lies just at an edge differ.
    assert (ours != theirs).sum() <= 0.005 * ours.sum()


def test_both_sides_move_their_sprites_alike(swarm: bench.Swarm) -> None:
    for _ in range(200):
        swarm.advance(bench._TICK)
        swarm.update_hand_written()
    np.testing.assert_array_equal(swarm.batch.position, np.stack([swarm.x, swarm.y], axis=1))
    np.testing.assert_array_equal(swarm.batch.angle, swarm.angle)
    assert (swarm.batch.position >= -2).all()
    assert (swarm.batch.position <= np.array(swarm.size) + 2).all()


def test_a_tick_uploads_what_moved_and_a_frame_between_ticks_nothing(report: bench.SpritesReport) -> None:
    for row in report.rows:
        assert row.tick_bytes == row.count * 12  # x, y and the angle
        assert row.between_bytes == 0


def test_the_parts_of_a_frame_are_positive_and_no_more_than_the_whole(report: bench.SpritesReport) -> None:
    for row in report.rows:
        parts = row.update, row.hand_over, row.submit
        assert all(part.median > 0 for part in (*parts, row.hand_written_hand_over, row.hand_written_submit))
        assert max(part.median for part in parts) < row.frame.p99
        assert row.ratio == pytest.approx(row.ours.median / row.hand_written.median)
        assert row.frames == 4


def test_percentiles_are_in_microseconds() -> None:
    timing = bench.Timing.of([millisecond / 1000 for millisecond in range(101)])
    assert dataclasses.astuple(timing) == pytest.approx((50_000, 95_000, 99_000))


def test_the_table_has_a_row_for_each_count_and_names_the_renderer(report: bench.SpritesReport) -> None:
    lines = bench.sprites_table(report).splitlines()
    assert report.machine.renderer in lines[0]
    starts = [line.split()[:2] for line in lines if line.split()]
    assert ["40", "median"] in starts
    assert ["400", "median"] in starts
    table = [line for line in lines if {"median", "p95", "p99"} & set(line.split())]
    assert len(table) == 6
    assert len({len(line) for line in table}) == 1


def test_the_table_tells_of_the_driver_that_draws_nothing_on_mesa_only(report: bench.SpritesReport) -> None:
    def told(**machine: Any) -> bool:
        other = dataclasses.replace(report, machine=dataclasses.replace(report.machine, **machine))
        return "GALLIUM_NOOP=1 framework bench" in bench.sprites_table(other)

    assert told(gl="4.5 Mesa 22.3.6", noop=False)
    assert not told(gl="4.5 Mesa 22.3.6", noop=True)
    assert not told(gl="4.1 NVIDIA", noop=False)


def test_json_holds_all_figures(report: bench.SpritesReport) -> None:
    figures = json.loads(bench.to_json(report))
    assert figures["rows"][1]["hand_over"]["p95"] == report.rows[1].hand_over.p95
    assert figures["machine"]["versions"]["moderngl"]
    assert figures["nanoseconds_singly"] > 0


def test_the_plot_is_an_image(report: bench.SpritesReport, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.png"
    bench.plot_sprites(report, path)
    pixels = np.asarray(Image.open(path).convert("RGB")).reshape(-1, 3)
    for color in ((0x30, 0x63, 0x8E), (0xD1, 0x49, 0x5B), (0x3C, 0x9D, 0x5F)):
        assert (np.abs(pixels.astype(int) - color).max(axis=1) < 3).sum() > 20


def test_a_plot_that_cannot_be_written_says_so(report: bench.SpritesReport, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(FrameworkError, match=r"The plot cannot be written to .*plot\.nonsense"):
        bench.plot_sprites(report, tmp_path / "plot.nonsense")


def test_without_matplotlib_the_command_that_gets_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FrameworkError, match=r"pip install 'subtick\[plot\]'"):
        bench.check_plotting()


def test_slow_frames_are_measured_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "_MOST_SECONDS", 0.0)
    assert list(bench._paced(300, "frames", progress=False)) == list(range(bench._LEAST_FRAMES))


def test_the_bar_is_shown_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    list(bench._paced(3, "some frames", progress=True))
    assert "some frames: 100%" in capsys.readouterr().err


def test_a_sprite_takes_no_more_memory_than_promised() -> None:
    memory = bench._weigh(100_000)
    assert 40 <= memory.ram <= 120
    assert 40 <= memory.gpu <= 100


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's settings")
def test_the_process_starts_once_more_with_a_steady_malloc(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[Any, ...]] = []
    monkeypatch.setattr(os, "execve", lambda *arguments: started.append(arguments))
    monkeypatch.delenv(bench._STEADY, raising=False)
    monkeypatch.setenv("MALLOC_TOP_PAD_", "5")
    bench.steady_malloc()
    [(program, command, environment)] = started
    assert program == command[0] == sys.executable
    assert command[1:] == sys.orig_argv[1:]
    assert environment["MALLOC_TRIM_THRESHOLD_"] == "1000000000"
    assert environment["MALLOC_TOP_PAD_"] == "5"  # what the user has set stays
    monkeypatch.setenv(bench._STEADY, environment[bench._STEADY])
    bench.steady_malloc()
    assert len(started) == 1


def test_the_loop_is_measured_in_this_process_and_its_start_in_fresh_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "_STARTS", 1)
    monkeypatch.setattr(bench, "_LIVE_OBJECTS", 1_000)
    monkeypatch.setattr(bench, "_LITTERING_SPRITES", 500)
    monkeypatch.setattr(bench, "_BLOCK", 20)
    before = gc.isenabled(), gc.get_freeze_count(), gc.get_threshold()
    report = bench.measure_loop(frames=20)
    assert 0 < report.tick.median < report.frame.median
    assert report.frames == 20
    garbage = report.garbage
    assert (gc.isenabled(), gc.get_freeze_count(), gc.get_threshold()) == before
    assert garbage.frames == 20 * bench._ROUNDS
    assert 0 < garbage.managed.median <= garbage.managed_p999
    assert 0 < garbage.automatic.median <= garbage.automatic_p999
    assert 0 < garbage.never.median <= garbage.never_p999
    assert 0 < report.import_seconds[0] < report.first_picture_seconds[0]
    table = bench.loop_table(report)
    assert report.machine.renderer in table
    collecting = "kept out of frames", "automatic", "none at all"
    for name in ("tick", "frame with a tick", "frame between", *collecting, "Import"):
        assert name in table
    assert json.loads(bench.to_json(report))["tick"]["median"] == report.tick.median


def test_a_fresh_python_that_fails_is_reported_with_its_words() -> None:
    with pytest.raises(FrameworkError, match="ZeroDivisionError"):
        bench._python("1 / 0")


# -- meshes ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mesh_report() -> bench.MeshesReport:
    return bench.measure_meshes([40, 400], frames=4)


@pytest.mark.parametrize("part_of_a_tick", [Fraction(0), Fraction(1, 4), Fraction(9, 10)])
def test_both_sides_draw_the_same_cubes(part_of_a_tick: Fraction) -> None:
    with bench.Cubes(1500) as cubes:
        for _ in range(5):
            cubes.advance(bench._TICK)
            cubes.update_hand_written()
            cubes.hand_written.hand_over()
        cubes.advance(part_of_a_tick * bench._TICK)
        ours = cubes.pixels()[..., :3].any(axis=2)
        cubes._live.use().clear(0, 0, 0, 1)
        cubes.hand_written.prepare()
        cubes.hand_written.draw(cubes.timestep.alpha)
        theirs = cubes.pixels()[..., :3].any(axis=2)
        assert cubes.ctx.error == "GL_NO_ERROR"
        cubes.hand_written.release()
    assert ours.sum() > 1_000
    # Edges differ by rounding: our shader counts places from the camera, and blends with all that a rotation may be.
    assert (ours != theirs).sum() <= 0.02 * ours.sum()


def test_both_sides_tumble_their_cubes_alike() -> None:
    with bench.Cubes(50) as cubes:
        for _ in range(100):
            cubes.advance(bench._TICK)
            cubes.update_hand_written()
        position, rotation = cubes.columns
        np.testing.assert_array_equal(cubes.batch.position, position)
        np.testing.assert_array_equal(cubes.batch.rotation, rotation)
        assert np.linalg.norm(rotation, axis=1) == pytest.approx(np.ones(50), abs=1e-4)
        cubes.hand_written.release()


def test_a_tick_uploads_positions_and_rotations_and_a_frame_between_nothing(mesh_report: bench.MeshesReport) -> None:
    for row in mesh_report.rows:
        assert row.tick_bytes == row.count * (12 + 16)
        assert row.between_bytes == 0


def test_meshes_are_measured_and_told_as_sprites_are(mesh_report: bench.MeshesReport) -> None:
    for row in mesh_report.rows:
        assert row.frames == 4
        assert row.ratio == pytest.approx(row.ours.median / row.hand_written.median)
        assert min(row.update.median, row.hand_over.median, row.submit.median, row.between.median) > 0
    lines = bench.meshes_table(mesh_report).splitlines()
    assert mesh_report.machine.renderer in lines[0]
    starts = [line.split()[:2] for line in lines if line.split()]
    assert ["40", "median"] in starts
    assert ["400", "median"] in starts
    assert any("cubes" in line for line in lines)
    figures = json.loads(bench.to_json(mesh_report))
    assert figures["rows"][0]["submit"]["median"] == mesh_report.rows[0].submit.median
