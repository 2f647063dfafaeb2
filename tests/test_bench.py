"""Benchmarks: the measured values and their reports."""

from __future__ import annotations

import dataclasses
import gc
import json

import pytest

from framework.bench import bench, scenarios, tables
from framework.errors import FrameworkError


def test_a_tick_uploads_moved_rows_and_a_frame_nothing(
    sprites_report: bench.SpritesReport,
) -> None:
    for row in sprites_report.rows:
        assert row.tick_bytes == row.count * 12  # x, y and the angle
        assert row.between_bytes == 0


def test_the_parts_of_a_frame_are_positive_and_at_most_the_frame(
    sprites_report: bench.SpritesReport,
) -> None:
    for row in sprites_report.rows:
        parts = row.update, row.hand_over, row.submit
        assert all(
            part.median > 0
            for part in (*parts, row.hand_written_hand_over, row.hand_written_submit)
        )
        assert max(part.median for part in parts) < row.frame.p99
        assert row.ratio == pytest.approx(row.ours.median / row.hand_written.median)
        assert row.frames == 4


def test_percentiles_are_in_microseconds() -> None:
    timing = bench.Timing.of([millisecond / 1000 for millisecond in range(101)])
    assert dataclasses.astuple(timing) == pytest.approx((0, 50_000, 95_000, 99_000))


def test_slow_frames_are_measured_fewer_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "_MAX_SECONDS", 0.0)
    assert list(bench._paced(300, "frames", progress=False)) == list(range(bench._MIN_FRAMES))


def test_a_progress_bar_is_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    list(bench._paced(3, "some frames", progress=True))
    assert "some frames: 100%" in capsys.readouterr().err


def test_a_sprite_needs_at_most_the_documented_memory() -> None:
    memory = bench._measure_memory(100_000)
    assert 40 <= memory.ram <= 120
    assert 40 <= memory.gpu <= 100


def test_the_loop_report_has_all_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench, "_STARTS", 1)
    monkeypatch.setattr(scenarios, "LIVE_OBJECTS", 1_000)
    monkeypatch.setattr(scenarios, "GARBAGE_SPRITES", 500)
    monkeypatch.setattr(bench, "_BLOCK", 20)
    before = (gc.isenabled(), gc.get_threshold())
    frozen = gc.get_freeze_count()
    report = bench.measure_loop(frames=20)
    assert 0 < report.tick.median < report.frame.median
    assert report.frames == 20
    garbage = report.garbage
    assert (gc.isenabled(), gc.get_threshold()) == before
    # A few frozen objects are freed without the collector: about a thousand of a million.
    assert abs(gc.get_freeze_count() - frozen) < max(100, frozen // 100)
    assert garbage.frames == bench._MIN_FRAMES * bench._ROUNDS
    assert 0 < garbage.managed.median <= garbage.managed_p999
    assert 0 < garbage.automatic.median <= garbage.automatic_p999
    assert 0 < garbage.never.median <= garbage.never_p999
    assert 0 < report.import_seconds[0] < report.first_picture_seconds[0]
    table = tables.loop_table(report)
    assert report.machine.renderer in table
    collecting = "kept out of frames", "automatic", "none at all"
    for name in ("tick", "frame with a tick", "frame between", *collecting, "Import"):
        assert name in table
    assert json.loads(tables.to_json(report))["tick"]["median"] == report.tick.median


def test_an_error_in_a_new_python_is_reported() -> None:
    with pytest.raises(FrameworkError, match="ZeroDivisionError"):
        bench._python("1 / 0")


@pytest.fixture(scope="module")
def mesh_report() -> bench.MeshesReport:
    return bench.measure_meshes([40, 400], frames=4)


def test_a_tick_uploads_positions_and_rotations_and_a_frame_nothing(
    mesh_report: bench.MeshesReport,
) -> None:
    for row in mesh_report.rows:
        assert row.tick_bytes == row.count * (12 + 16)
        assert row.between_bytes == 0


def test_the_mesh_report_has_the_values_of_the_sprite_report(
    mesh_report: bench.MeshesReport,
) -> None:
    for row in mesh_report.rows:
        assert row.frames == 4
        assert row.ratio == pytest.approx(row.ours.median / row.hand_written.median)
        assert (
            min(row.update.median, row.hand_over.median, row.submit.median, row.between.median) > 0
        )
    lines = tables.meshes_table(mesh_report).splitlines()
    assert mesh_report.machine.renderer in lines[0]
    starts = [line.split()[:2] for line in lines if line.split()]
    assert ["40", "minimum"] in starts
    assert ["400", "minimum"] in starts
    assert any("cubes" in line for line in lines)
    figures = json.loads(tables.to_json(mesh_report))
    assert figures["rows"][0]["submit"]["median"] == mesh_report.rows[0].submit.median
