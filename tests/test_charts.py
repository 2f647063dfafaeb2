"""Charts of the benchmarks and of the lab, and the errors if they cannot be drawn."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from framework.bench import bench, charts, lab
from framework.errors import FrameworkError


def test_the_plot_of_sprites_has_a_line_for_each_measure(
    sprites_report: bench.SpritesReport, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.png"
    charts.plot_sprites(sprites_report, path)
    pixels = np.asarray(Image.open(path).convert("RGB")).reshape(-1, 3)
    for color in ((0x30, 0x63, 0x8E), (0xD1, 0x49, 0x5B), (0x3C, 0x9D, 0x5F)):
        assert (np.abs(pixels.astype(int) - color).max(axis=1) < 3).sum() > 20


def colors_in(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB")).reshape(-1, 3).astype(int)


def test_the_lab_plot_has_green_and_violet_cells(lab_report: lab.Report, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    charts.plot_lab(lab_report, tmp_path / "lab.png")
    red, green, blue = colors_in(tmp_path / "lab.png").T
    assert ((green > 140) & (red < 140) & (blue > 100)).sum() > 500
    assert ((green < 110) & (red > 110) & (red < 150) & (blue > 110)).sum() > 500
    assert (tmp_path / "lab.png").stat().st_size < 150_000


def test_the_plot_of_pacing_shows_both_clocks(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    charts.plot_pacing(tmp_path / "pacing.png")
    pixels = colors_in(tmp_path / "pacing.png")
    red = (pixels[:, 0] > 200) & (pixels[:, 1] < 120)
    green = (pixels[:, 1] > 130) & (pixels[:, 0] < 80)
    assert red.sum() > 500
    assert green.sum() > 500


def test_an_unwritable_sprite_plot_is_an_error(
    sprites_report: bench.SpritesReport, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(FrameworkError, match=r"The plot cannot be written to .*plot\.nonsense"):
        charts.plot_sprites(sprites_report, tmp_path / "plot.nonsense")


def test_an_unwritable_lab_plot_is_an_error(lab_report: lab.Report, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    few = dataclasses.replace(lab_report, methods=lab_report.methods[:1], displays=["60"])
    with pytest.raises(FrameworkError, match=r"The plot cannot be written to .*lab\.nonsense"):
        charts.plot_lab(few, tmp_path / "lab.nonsense")


def test_without_matplotlib_the_error_has_the_install_command(
    lab_report: lab.Report, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(charts.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FrameworkError, match=r"pip install 'subtick\[plot\]'"):
        charts.plot_lab(lab_report, tmp_path / "lab.png")
