"""Draw charts of the results of benchmarks and of the timing lab.

The functions need matplotlib, which is imported only when a chart is drawn.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from ..arrays import Doubles
from ..errors import FrameworkError
from ..optional_packages import check_version
from ..timing.timestep import NANOSECONDS
from .bench import SpritesReport, Timing
from .displays import (
    RATES,
    TROUBLES,
    UNPACED,
    VARIABLE,
    SimulatedDisplay,
    Trouble,
    pick_displays,
    simulate,
)
from .lab import WARM_UP, Report
from .lab_methods import METHODS, SPEED, Ours, paced, watch
from .tables import cell, microseconds
from .versus import COLUMNS, SUBTICK, VersusReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.patches import Rectangle

_Color = str | tuple[float, float, float, float]

# The colors for judder (uneven motion), from invisible to obvious.
_COLORS = ("#2a9d8f", "#a3c985", "#f6e08a", "#f4a261", "#e63946")
# The judder at the ends of the color scale, in pixels.
_UNSEEN = 0.03
_AWFUL = 6.0
_INK = "#22223b"
_PALE = "#8d99ae"
_WRONG = "#7d5a86"

# The motion from frame to frame is drawn for these methods, if the report contains them.
_STEPS = (
    "pyglet schedule_interval",
    "JamJar",
    "Godot jitter fix",
    "fixed none",
    "fixed interpolate",
    "fixed interpolate paced",
)
_STEPS_RATE = 144
_STEPS_FRAMES = 60


def check_plotting() -> None:
    """Raise `FrameworkError` if matplotlib is missing or too old. The error message contains the
    command that installs matplotlib.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise FrameworkError("--plot needs matplotlib: python -m pip install 'subtick[plot]'")
    check_version("matplotlib", "--plot")


def plot_sprites(report: SpritesReport, path: Path) -> None:
    """Draw a chart of the times that `framework bench sprites` has measured, and write it to an
    image file. The x axis is the number of sprites. Both axes are logarithmic.
    """
    check_plotting()
    from matplotlib.figure import Figure

    counts = [row.count for row in report.rows]
    hand_written = [row.hand_written.median for row in report.rows]
    ours = [row.ours.median for row in report.rows]
    between = [row.between.median for row in report.rows]
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    for label, style, color, medians in (
        ("hand-written moderngl: hand-over + submit of a tick", "s-", "#30638e", hand_written),
        ("framework: the same", "o-", "#d1495b", ours),
        ("framework: a whole frame between two ticks", "D:", "#3c9d5f", between),
    ):
        last = f"{microseconds(medians[-1])} µs at {counts[-1]:,}"
        axes.plot(counts, medians, style, color=color, linewidth=2, label=f"{label} ({last})")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="sprites, all moving and turning",
        ylabel=f"{report.machine.clock}, µs (median)",
        title="What moving sprites cost"
        + (" (driver that draws nothing)" if report.machine.noop else ""),
    )
    axes.margins(y=0.3)
    axes.set_xticks(counts, [f"{count:,}" for count in counts])
    axes.xaxis.minorticks_off()
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")
    axes.grid(which="both", alpha=0.3)
    axes.legend(loc="upper left")
    figure.supxlabel(
        f"{report.machine.renderer}; {report.machine.processor}", fontsize=8, color="0.4"
    )
    _save(figure, path, dpi=120)


def _leave_out(axes: Axes, *sides: str) -> None:
    """Draw no line on some sides of a chart, such as "top"."""
    for side in sides:
        axes.spines[side].set_visible(False)


def _color_of(report: Report, method: str, display: str, trouble: str) -> _Color:
    """Return the color for the motion of a method: its judder on the color scale, or `_WRONG` if
    the motion has the wrong speed.
    """
    if cell(report, method, display, trouble).endswith("%"):
        return _WRONG
    from matplotlib.colors import LinearSegmentedColormap

    judder = report.find(method, display, trouble).judder
    scale = LinearSegmentedColormap.from_list("judder", _COLORS)
    fraction: float = np.log(max(judder, 1e-9) / _UNSEEN) / np.log(_AWFUL / _UNSEEN)
    color: _Color = scale(np.clip(fraction, 0, 1))
    return color


def plot_lab(report: Report, path: Path, trouble: str = "late") -> None:
    """Draw charts of the results of the timing lab, and write them to an image file. The charts
    show the judder of every method on every display and, for a few methods, the motion from frame
    to frame.

    Raises `FrameworkError` if matplotlib is missing or the file cannot be written.
    """
    check_plotting()
    from matplotlib.figure import Figure

    rows = len(report.methods)
    table = 1.0 + 0.27 * rows
    figure = Figure(figsize=(11, table + 2.9), layout="constrained")
    parts: list[SubFigure]
    parts = figure.subfigures(2, 1, squeeze=False, height_ratios=(table, 2.9)).ravel().tolist()
    _draw_table(parts[0], report, trouble)
    _draw_steps(parts[1], report, trouble)
    _save(figure, path)


def _draw_cells(axes: Axes, report: Report, trouble: str) -> None:
    for down, method in enumerate(report.methods):
        for across, display in enumerate(report.displays):
            color = _color_of(report, method, display, trouble)
            axes.add_patch(_tile(across, down, color))
            axes.text(
                across,
                down,
                cell(report, method, display, trouble),
                ha="center",
                va="center",
                fontsize=8.5,
                color="white" if color == _WRONG else _INK,
            )


def _draw_table(figure: SubFigure, report: Report, trouble: str) -> None:
    axes = figure.add_subplot()
    _draw_cells(axes, report, trouble)
    units = {VARIABLE: "variable\nrefresh", UNPACED: "vsync\noff"}
    axes.set_xticks(
        range(len(report.displays)), [units.get(name, f"{name} Hz") for name in report.displays]
    )
    axes.set_yticks(range(len(report.methods)), report.methods)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, labelsize=9, labelcolor=_INK)
    axes.set(xlim=(-0.5, len(report.displays) - 0.5), ylim=(len(report.methods) - 0.5, -0.5))
    _leave_out(axes, *axes.spines)
    rival_count = sum(not isinstance(METHODS[name], Ours) for name in report.methods)
    if 0 < rival_count < len(report.methods):
        axes.axhline(rival_count - 0.5, color=_INK, linewidth=1.5)
    for label, name in zip(axes.get_yticklabels(), report.methods, strict=True):
        label.set_fontweight("bold" if name.endswith("paced") else "normal")
    figure.suptitle(
        f"How uneven motion looks: judder in pixels at {report.speed:g} px/s and "
        f"{report.tick_rate:g} ticks a second, "
        f"{report.troubles[trouble]}\n"
        "green is smooth, red is a stutter, violet runs at a wrong speed; "
        "above the line: others' rules, below: this framework's loops",
        fontsize=10.5,
        color=_INK,
    )


def _tile(across: float, down: float, color: _Color) -> Rectangle:
    from matplotlib.patches import Rectangle

    return Rectangle(
        (across - 0.5, down - 0.5), 1, 1, facecolor=color, edgecolor="white", linewidth=1.5
    )


def _judder_with_unit(words: str) -> str:
    """Return a cell of the table with its unit: pixels, or a share of the speed."""
    unit = "too slow" if words.startswith("-") else "" if words.endswith("%") else "px"
    return f"{words.lstrip('-')} {unit}"


def _draw_steps(figure: SubFigure, report: Report, trouble: str) -> None:
    """Draw several small charts side by side. Each chart shows how far a point moves from frame to
    frame.
    """
    names = [name for name in _STEPS if name in report.methods] or report.methods[: len(_STEPS)]
    display = _fastest(report.displays)
    steps = _steps(names, display, trouble, report)
    lowest = min(0.0, min(float(each.min()) for each in steps.values()))
    highest = max(2.2 * SPEED / _STEPS_RATE, *(float(each.max()) for each in steps.values())) * 1.08
    charts: list[Axes] = figure.subplots(1, len(names), sharey=True, squeeze=False)[0].tolist()
    for axes, name in zip(charts, names, strict=True):
        color = _color_of(report, name, display.name, trouble)
        axes.bar(range(len(steps[name])), steps[name], width=0.75, color=color)
        judder = _judder_with_unit(cell(report, name, display.name, trouble))
        axes.set_title(f"{name}\n{judder}", fontsize=9, color=_INK)
        axes.set(ylim=(lowest, highest), xticks=[])
        axes.tick_params(labelsize=8, labelcolor=_INK)
        _leave_out(axes, "top", "right")
    charts[0].set_ylabel("px to the next frame", fontsize=9, color=_INK)
    rate = {VARIABLE: "with variable refresh", UNPACED: "with vsync off"}.get(
        display.name, f"at {display.name} Hz"
    )
    figure.suptitle(
        f"The same, frame by frame {rate}: how far the thing jumps in each of "
        f"{_STEPS_FRAMES} frames. "
        "Even bars are even motion.",
        fontsize=10,
        color=_INK,
    )


def _fastest(names: Sequence[str]) -> SimulatedDisplay:
    """Return the display with `_STEPS_RATE` refreshes per second. If there is no such display,
    return the last display with a fixed rate.
    """
    displays = pick_displays(names)
    fixed = [display for display in displays if display.rate is not None]
    return next(
        (display for display in fixed if display.rate == _STEPS_RATE), (fixed or displays)[-1]
    )


def _steps(
    names: Sequence[str], display: SimulatedDisplay, trouble: str, report: Report
) -> dict[str, Doubles]:
    """Return how far the point moves from frame to frame, in pixels, for some frames after the
    warm-up. The frames of the report are simulated again for this, with the same seed.
    """
    frames = simulate(display, _trouble(trouble), report.seconds, report.seed)
    first = int(np.searchsorted(frames.begun, frames.begun[0] + 1.2 * WARM_UP * NANOSECONDS))
    methods = [METHODS[name] for name in names]
    return {
        method.name: np.diff(shown.line[first : first + _STEPS_FRAMES + 1])
        for method, shown in watch(methods, display, frames, report.tick_rate)
    }


def _trouble(name: str) -> Trouble:
    return next(trouble for trouble in TROUBLES if trouble.name == name)


def plot_pacing(path: Path, seed: int = 0, rate: float = 60) -> None:
    """Draw charts that show how a `RefreshClock` corrects late clock readings, and write them to an
    image file.

    The upper chart shows some frames on a time line. The lower chart shows the errors of the clock
    readings over four seconds. Raises `FrameworkError` if matplotlib is missing or the file cannot
    be written.
    """
    check_plotting()
    from matplotlib.figure import Figure

    assert rate in RATES
    display = SimulatedDisplay(f"{rate:g}", rate)
    frames = simulate(display, Trouble("late", "", late=2e-3), 4, seed)
    start = frames.begun[0]
    time = (frames.begun - start) / NANOSECONDS
    stamps = (frames.stamps - start) / NANOSECONDS
    corrected = (paced(frames, display.reported) - start) / NANOSECONDS
    figure = Figure(figsize=(9.5, 5.6), layout="constrained")
    charts: list[Axes]
    charts = figure.subplots(2, 1, squeeze=False, height_ratios=(1.0, 1.7)).ravel().tolist()
    _draw_time_line(charts[0], time, stamps, corrected)
    charts[0].set_xlabel(f"milliseconds; grey lines are the refreshes of a {rate:g} Hz display")
    _draw_errors(charts[1], time, stamps, corrected)
    for axes in charts:
        axes.tick_params(labelcolor=_INK)
        _leave_out(axes, "top", "right")
    _save(figure, path)


def _draw_time_line(axes: Axes, time: Doubles, stamps: Doubles, corrected: Doubles) -> None:
    """Draw nine frames: lines at the refreshes, and points at the clock readings. All times are in
    seconds.
    """
    window = slice(len(time) // 2, len(time) // 2 + 9)
    start = time[window][0]
    axes.vlines(1000 * (time[window] - start), -0.55, 1.55, color=_PALE, linewidth=1)
    for height, moments, color in ((1, stamps, _COLORS[-1]), (0, corrected, _COLORS[0])):
        across = 1000 * (moments[window] - start)
        axes.plot(across, np.full(len(across), height), "o", color=color, markersize=9)
    axes.set_yticks(
        [1, 0],
        ["the clock, as a busy\nCPU gets to read it", "what RefreshClock\nmakes of it"],
        fontsize=9,
    )
    axes.set(ylim=(-0.55, 1.55))
    axes.set_title(
        "When is it? Frames begin at refreshes, but the clock is read late, by up to "
        "some milliseconds.",
        fontsize=10.5,
        color=_INK,
        loc="left",
    )


def _draw_errors(axes: Axes, time: Doubles, stamps: Doubles, corrected: Doubles) -> None:
    """Draw the distance from even motion in each frame, without a constant delay. All times are in
    seconds.
    """
    for name, moments, color in (
        ("raw stamps", stamps, _COLORS[-1]),
        ("RefreshClock", corrected, _COLORS[0]),
    ):
        error = SPEED * (moments - time)
        error -= error[time > WARM_UP].mean()
        rms = error[time > WARM_UP].std()
        label = f"{name}: {rms:.2f} px RMS"
        axes.plot(time, error, "o-", color=color, markersize=3, linewidth=0.9, label=label)
    axes.axhline(0, color=_PALE, linewidth=1, zorder=0)
    axes.set(
        xlabel="seconds since the first frame",
        ylabel="px off even motion",
        xlim=(0, 4),
        ylim=(-1.6, 3.1),
    )
    axes.set_title(
        f"Where is it drawn, then? A thing at {SPEED:g} px/s, a constant lag taken out.",
        fontsize=10.5,
        color=_INK,
        loc="left",
    )
    axes.legend(loc="upper right", fontsize=9)
    axes.annotate(
        "at first it only watches;\nthen it knows the display",
        (0.5, -0.05),
        (0.52, -1.25),
        fontsize=9,
        color=_INK,
        arrowprops={"arrowstyle": "->", "color": _INK},
    )


def _draw_histogram(axes: Axes, name: str, values: list[float]) -> None:
    axes.hist(values, bins=_bins(values), color=_COLORS[0], edgecolor="white")
    median = float(np.median(values))
    axes.axvline(median, color=_COLORS[-1], linewidth=1.5, label=f"median {median:.4g}")
    axes.set(xlabel=name, ylabel="runs")
    axes.legend(fontsize=9, frameon=False)


def plot_farm(columns: dict[str, list[float]], seeds: list[int], title: str, path: Path) -> None:
    """Draw charts of the results of many runs, and write them to an image file. For each value,
    there are two charts: a histogram, and the value for each seed.

    In a correct game, the values do not depend on the order of the seeds. If the chart by seed
    shows a pattern, the game has a bug. Raises `FrameworkError` if matplotlib is missing or the
    file cannot be written.
    """
    check_plotting()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 0.6 + 2.7 * len(columns)), layout="constrained")
    grid: list[list[Axes]] = figure.subplots(len(columns), 2, squeeze=False).tolist()
    for (histogram, by_seed), (name, values) in zip(grid, columns.items(), strict=True):
        _draw_histogram(histogram, name, values)
        by_seed.plot(seeds, values, ".", color=_INK, markersize=3, alpha=0.6)
        by_seed.set(xlabel="seed", ylabel=name)
        for axes in (histogram, by_seed):
            axes.tick_params(labelcolor=_INK)
            _leave_out(axes, "top", "right")
    figure.suptitle(title, fontsize=11, color=_INK, x=0.01, ha="left")
    _save(figure, path)


def _bins(values: list[float]) -> int | list[float]:
    """Return the bins for a histogram. If all values are integers in a small range, return the
    edges of bins with one integer each. Otherwise, return the number of bins.
    """
    lowest = min(values)
    highest = max(values)
    if all(isinstance(value, int) for value in values) and highest - lowest < 60:
        edges: list[float] = (np.arange(lowest, highest + 2) - 0.5).tolist()
        return edges
    root: float = len(values) ** 0.5
    return min(40, max(5, round(root)))


def _save(figure: Figure, path: Path, dpi: int = 110) -> None:
    try:
        if path.suffix.lower() == ".png":
            image = BytesIO()
            figure.savefig(image, dpi=dpi, format="png", pil_kwargs={"compress_level": 0})
            # Charts have few colors, so with a palette the file is a third of the size.
            Image.open(image).convert("RGB").quantize(128).save(path, optimize=True)
        else:
            figure.savefig(path, dpi=dpi)
    except (OSError, ValueError) as error:
        raise FrameworkError(
            f"The plot cannot be written to {os.fspath(path)!r}: {error}"
        ) from error


# -- other engines ---------------------------------------------------------------------------------

_OURS = "#d1495b"
_OURS_COLUMNS = "#e8a0a8"
_THEIRS = "#30638e"
_FRAME = 1000 / 60  # milliseconds
_LONGEST = 2 * _FRAME
# At most this many long bars are cut off, so that the other bars are long enough to compare.
_CUT = 2


def _versus_scene(report: VersusReport, count: int) -> str:
    if report.scene == "game":
        return "a mixed game (objects, particles, labels, a map, sounds)"
    return f"{count:,} sprites that move and turn"


def plot_versus(report: VersusReport, path: Path) -> None:
    """Draw the times that `framework bench … --vs` has measured as bars, and write the chart to an
    image file. There is a group of bars for each number of objects. On a machine without a GPU, a
    second column of bars shows the time until all pixels are drawn.

    Raises `FrameworkError` if matplotlib is missing or the file cannot be written.
    """
    check_plotting()
    from matplotlib.figure import Figure

    counts = list(dict.fromkeys(row.count for row in report.rows))
    drawn = any(row.process is not None for row in report.rows)
    lengths = [sum(row.count == count for row in report.rows) for count in counts]
    height = 1.9 + sum(0.36 * length + 0.75 for length in lengths)
    figure = Figure(figsize=(12 if drawn else 8, height), layout="constrained")
    charts = figure.subplots(
        len(counts), 1 + drawn, squeeze=False, gridspec_kw={"height_ratios": lengths}
    )
    for line, count in enumerate(counts):
        rows = [row for row in report.rows if row.count == count]
        thread = {row.name: row.thread for row in rows}
        title = f"{_versus_scene(report, count)}\nwork of the game, pixels not included"
        _draw_bars(charts[line][0], thread, title)
        if drawn:
            process = {row.name: row.process for row in rows if row.process is not None}
            _draw_bars(charts[line][1], process, "the same, with all pixels drawn by the CPU")
    figure.suptitle(
        "CPU time of a frame: shorter is better", fontsize=13, color=_INK, fontweight="bold"
    )
    figure.supxlabel(
        f"{_versus_notes(report, drawn)}\n{report.machine.processor}; {report.machine.renderer}",
        fontsize=8,
        color="0.35",
    )
    _save(figure, path, dpi=110)


def _versus_notes(report: VersusReport, drawn: bool) -> str:
    """Return the sentences below the charts. ``drawn`` is whether the chart also shows the times
    until all pixels are drawn.
    """
    notes = "All engines draw the same image, which was compared first. Medians, in turns."
    if report.scene == "game":
        notes += " Particles move on the GPU in Subtick, and in Python elsewhere."
    if drawn:
        notes += (
            "\nThis machine has no GPU. The left side leaves out the pixels (a driver that draws "
            "nothing), as if a GPU drew them.\n"
        )
    if any(row.name == "pygame-ce" for row in report.rows):
        notes += " Only pygame-ce always draws its pixels on the CPU."
    if drawn:
        notes += " The right side says little about machines with a GPU."
    return notes


def _draw_bar(axes: Axes, index: int, name: str, median: float, limit: float) -> None:
    """Draw the bar of one engine, and its time in milliseconds. A bar that is longer than ``limit``
    is cut off and ends with an arrow.
    """
    color = {SUBTICK: _OURS, COLUMNS: _OURS_COLUMNS}.get(name, _THEIRS)
    cut = median > limit
    axes.barh(index, min(median, limit), height=0.7, color=color)
    label = f"{median:.2f} ms" if median < 10 else f"{median:.0f} ms"
    inside = median > 0.6 * limit
    axes.text(
        limit * 0.985 if cut else median,
        index,
        f"{label} →" if cut else f" {label} ",
        ha="right" if inside else "left",
        va="center",
        color="white" if inside and name != COLUMNS else _INK,
        fontsize=9,
    )


def _mark_sixty_frames(axes: Axes, limit: float) -> None:
    """Draw a line at the duration of a frame at 60 frames per second."""
    axes.axvline(_FRAME, color=_INK, linewidth=1, linestyle="--")
    axes.text(
        _FRAME, -0.62, "60 frames a second", ha="center", va="bottom", fontsize=7.5, color=_INK
    )
    axes.set_xlim(0, max(limit, 1.15 * _FRAME))


def _draw_bars(axes: Axes, times: Mapping[str, Timing], title: str) -> None:
    """Draw a bar for each engine, with the fastest engine at the top. The length of a bar is the
    median time.
    """
    names = sorted(times, key=lambda name: times[name].median)
    medians = [times[name].median / 1000 for name in names]
    limit = _length_of_axis(medians)
    for index, (name, median) in enumerate(zip(names, medians, strict=True)):
        _draw_bar(axes, index, name, median, limit)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, limit)
    if limit > 0.5 * _FRAME:
        _mark_sixty_frames(axes, limit)
    axes.set_title(title, fontsize=10, color=_INK, loc="left", pad=14)
    axes.set_xlabel("ms", fontsize=8, color=_INK)
    axes.tick_params(labelsize=9, labelcolor=_INK)
    for tick_label, name in zip(axes.get_yticklabels(), names, strict=True):
        tick_label.set_fontweight("bold" if name in (SUBTICK, COLUMNS) else "normal")
    _leave_out(axes, "top", "right")


def _length_of_axis(medians: list[float]) -> float:
    """Return the largest time on the axis, in milliseconds. ``medians`` are the times of all bars
    in ascending order. Longer bars are cut off.
    """
    compared = 1.25 * medians[-1 - _CUT] if len(medians) > _CUT else medians[-1]
    return min(1.12 * max(medians), max(compared, _LONGEST))
