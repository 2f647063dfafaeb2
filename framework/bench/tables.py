"""Format the results of benchmarks and of the timing lab as text and as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .bench import Garbage, LoopReport, MeshesReport, SizeResult, SpritesReport
from .displays import UNPACED, VARIABLE
from .lab import STEADY, Figures, Report
from .lab_methods import SPEED
from .live_lab import WINDOW, Live
from .machine_info import NOOP, Machine
from .scenarios import GARBAGE_SPRITES, PAIRS
from .state_bench import StateReport
from .worker_bench import WorkersReport

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def to_json(report: DataclassInstance) -> str:
    """Return all values in a report, which must be a dataclass, as JSON text."""
    return json.dumps(dataclasses.asdict(report), indent=2) + "\n"


def aligned(lines: Sequence[Sequence[str]], first: str = "<") -> list[str]:
    """Return a line of text for each row of a table, with aligned columns.

    ``first`` is the alignment of the first column: "<" (left, the default), ">" (right) or "^"
    (center). All other columns are aligned to the right.
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = [first, *[">"] * (len(widths) - 1)]
    return [
        "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)
        )
        for line in lines
    ]


def pixels(value: float) -> str:
    """Return a length in pixels as text for the tables."""
    return f"{value:.3f}" if value < 0.0995 else f"{value:.2f}" if value < 9.995 else f"{value:.0f}"


def microseconds(value: float) -> str:
    """Return a time in microseconds as text for the tables."""
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


# -- benchmarks ------------------------------------------------------------------------------------


def sprites_table(report: SpritesReport) -> str:
    """Return the results of `framework bench sprites` as text for a terminal."""
    text = [
        *_rows_table(report.machine, "sprites", report.rows),
        "",
        "One sprite moved and turned through its object (x, y, angle): "
        f"{report.nanoseconds_singly:.0f} ns (minimum {report.minimum_singly:.0f}). The same",
        f"loop over Python objects with slots, in turns with it: {report.nanoseconds_slots:.0f} ns "
        f"(minimum {report.minimum_slots:.0f})",
    ]
    if report.memory is not None:
        memory = report.memory
        text.append(
            f"Memory a sprite, of {memory.count:,}: {memory.ram:.0f} bytes of RAM, "
            f"{memory.gpu:.0f} bytes of GPU memory"
        )
    return "\n".join([*text, *noop_hint(report.machine, "sprites")])


def meshes_table(report: MeshesReport) -> str:
    """Return the results of `framework bench meshes` as text for a terminal."""
    return "\n".join(
        [*_rows_table(report.machine, "cubes", report.rows), *noop_hint(report.machine, "meshes")]
    )


def noop_hint(machine: Machine, what: str) -> list[str]:
    """If the driver that draws nothing is available but not in use, return lines with a hint.
    Otherwise, return an empty list.
    """
    if "Mesa" not in machine.gl or machine.noop:
        return []
    return [
        "",
        f"On Mesa, {NOOP}=1 framework bench {what} draws nothing and so measures the "
        "pure CPU cost.",
    ]


def _rows_table(machine: Machine, what: str, rows: list[SizeResult]) -> list[str]:
    title = (
        what,
        "",
        "update",
        "hand-over",
        "submit",
        "frame",
        "between",
        "by hand:",
        "submit",
        "ratio",
        "bytes/tick",
        "between",
    )
    lines = [title, *(line for row in rows for line in _lines_of_size(row))]
    frames = sorted({row.frames for row in rows})
    frame_count = f"{frames[0]}" if len(frames) == 1 else f"{frames[0]} to {frames[-1]}"
    return [
        heading(machine),
        f"Microseconds of {machine.clock} until control returns, of {frame_count} frames. All "
        f"{what} move and turn in each tick.",
        "frame: a whole one with a tick; between: a whole one without. By hand: "
        "hand-over and submit of a minimal",
        "moderngl program that draws the same, interleaved; ratio: hand-over + submit, "
        "ours over the hand-written, of medians.",
        *_faults_words(rows),
        "",
        *aligned(lines, ">"),
    ]


def _lines_of_size(row: SizeResult) -> list[tuple[str, ...]]:
    """Return four lines with the times for one batch size: the minima, medians and percentiles."""
    timings = (
        row.update,
        row.hand_over,
        row.submit,
        row.frame,
        row.between,
        row.hand_written_hand_over,
        row.hand_written_submit,
    )
    last = f"{row.ratio:.2f}", f"{row.tick_bytes:,.0f}", f"{row.between_bytes:,.0f}"
    lines: list[tuple[str, ...]] = []
    for name in ("minimum", "median", "p95", "p99"):
        times = [microseconds(getattr(timing, name)) for timing in timings]
        is_first = name == "minimum"
        count = f"{row.count:,}" if is_first else ""
        lines.append((count, name, *times, *(last if is_first else ("", "", ""))))
    return lines


def _faults_words(rows: list[SizeResult]) -> list[str]:
    faulted = [f"{row.faulted} at {row.count:,}" for row in rows if row.faulted]
    if not faulted:
        return []
    return [
        "Frames that do not count, because the driver that draws nothing took new memory from the "
        f"kernel: {', '.join(faulted)}."
    ]


def loop_table(report: LoopReport) -> str:
    """Return the results of `framework bench loop` as text for a terminal."""
    lines: list[tuple[str, ...]] = [("", "minimum", "median", "p95", "p99")]
    for name, timing in (
        ("tick", report.tick),
        ("frame with a tick", report.frame),
        ("frame between", report.between),
    ):
        lines.append((name, *map(microseconds, dataclasses.astuple(timing))))
    return "\n".join(
        [
            heading(report.machine),
            f"An empty game: microseconds of {report.machine.clock}, of {report.frames} frames.",
            "",
            *aligned(lines, ">"),
            "",
            *_garbage_lines(report.garbage),
            "",
            f"Import of all that a game loads: {_median_seconds(report.import_seconds)}",
            f"A whole program that draws and reads one image: "
            f"{_median_seconds(report.first_picture_seconds)}",
        ]
    )


def _garbage_lines(garbage: Garbage) -> list[str]:
    lines: list[tuple[str, ...]] = [("", "median", "p99", "p99.9", "p99.9 / median")]
    for name, timing, p999 in (
        ("kept out of frames", garbage.managed, garbage.managed_p999),
        ("automatic", garbage.automatic, garbage.automatic_p999),
        ("none at all", garbage.never, garbage.never_p999),
    ):
        ratio = f"{p999 / timing.median:.2f}"
        lines.append(
            (name, *(microseconds(value) for value in (timing.median, timing.p99, p999)), ratio)
        )
    return [
        "Garbage collection, in microseconds of the same clock, of "
        f"{garbage.frames} frames each, in turn:",
        f"{garbage.live_objects:,} live objects, {2 * PAIRS} more made and as many "
        "dropped a tick, and "
        f"{GARBAGE_SPRITES:,} moving sprites.",
        "",
        *aligned(lines, ">"),
    ]


def state_table(report: StateReport) -> str:
    """Return the results of `framework bench state` as text for a terminal."""
    lines: list[tuple[str, ...]] = [
        ("", "minimum", "median", "p95", "", "beside: minimum", "median", "p95", "ratio")
    ]
    for row in report.rows:
        ours, bare = (
            [microseconds(value) for value in (timing.minimum, timing.median, timing.p95)]
            for timing in (row.ours, row.bare)
        )
        lines.append((row.name, *ours, row.beside, *bare, f"{row.ratio:.2f}"))
    return "\n".join(
        [
            heading(report.machine),
            f"Microseconds of {report.machine.clock}, of {report.rounds} rounds in turn with the "
            "simpler operation; ratio of medians.",
            "",
            *(line.rstrip() for line in aligned(lines)),
        ]
    )


def workers_table(report: WorkersReport) -> str:
    """Return the results of `framework bench workers` as text for a terminal."""
    lines: list[tuple[str, ...]] = [
        ("", "one", "p95", f"{report.workers} processes", "p95", "ratio", "of bare loops")
    ]
    for row in report.rows:
        times = [
            f"{time / 1000:,.1f}"
            for time in (row.one.median, row.one.p95, row.many.median, row.many.p95)
        ]
        lines.append((row.name, *times, f"{row.ratio:.2f}", f"{row.reached:.0%}"))
    title = (
        "Milliseconds of wall-clock time (several processes save no CPU time) for the same work "
        f"in one process and in {report.workers}, in turn; medians of {report.rounds}"
    )
    return "\n".join([f"{title} rounds.", "", *(line.rstrip() for line in aligned(lines))])


def heading(machine: Machine) -> str:
    """Return two lines of text that describe the machine of a benchmark."""
    versions = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    driver = f"{machine.renderer}; OpenGL {machine.gl}"
    if machine.noop:
        driver += f"; {NOOP} is set: nothing is drawn"
    return f"{driver}\n{machine.processor}, {machine.cores} cores; {versions}"


def _median_seconds(seconds: list[float]) -> str:
    return (
        f"{min(seconds):.3f} s of CPU time of the process (minimum), "
        f"{float(np.median(seconds)):.3f} s (median of {len(seconds)} fresh processes)"
    )


# -- the lab ---------------------------------------------------------------------------------------


def lab_table(report: Report, full: bool = False) -> str:
    """Return the results of `framework lab` as text for a terminal.

    If ``full`` is True, the text contains a line for each method on each display.
    """
    text = [
        f"Simulated: {SPEED:g} px/s at {report.tick_rate:g} ticks a second, "
        f"{report.seconds:g} s on each display; seed {report.seed}.",
        "Judder: RMS in pixels of what frames show, off even motion. Below 0.1 it is "
        "hardly seen, above 1 plainly.",
        "A percentage: motion of the wrong speed, by so much, as ticks get lost.",
    ]
    for trouble, words in report.troubles.items():
        text += ["", f"Judder in px, {words}", *_judder_table(report, trouble)]
    text += [
        "",
        "Over all displays and troubles; lag: the mean, and at 60 Hz",
        *_summary_table(report),
    ]
    if full:
        text += ["", "Everything", *_full_table(report)]
    return "\n".join(line.rstrip() for line in [*text, "", *_pacing_words(report)])


def _judder_table(report: Report, trouble: str) -> list[str]:
    units = ["" if display in (VARIABLE, UNPACED) else "Hz" for display in report.displays]
    lines = [("", *report.displays), ("", *units)]
    for method in report.methods:
        lines.append(
            (method, *(cell(report, method, display, trouble) for display in report.displays))
        )
    return aligned(lines)


def cell(report: Report, method: str, display: str, trouble: str) -> str:
    """Return the text of one table cell: the judder in pixels. If the motion has the wrong speed,
    return the error of the speed instead, such as "-38 %".
    """
    figures = report.find(method, display, trouble)
    return (
        f"{figures.speed_error:+.0f} %"
        if abs(figures.speed_error) > STEADY
        else pixels(figures.judder)
    )


def _summary_table(report: Report) -> list[str]:
    titles = ("", "median judder", "worst judder", "worst step", "speed error", "lag", "at 60 Hz")
    lines = [(*titles, "judder in turns"), ("", "px", "px", "px", "%", "ms", "ms", "px")]
    for method in report.methods:
        rows = [row for row in report.rows if row.method == method]
        figures = [row.figures for row in rows]
        at_60 = [row.figures for row in rows if (row.display, row.trouble) == ("60", "exact")]
        judders = [each.judder for each in figures]
        lines.append(
            (
                method,
                pixels(float(np.median(judders))),
                pixels(max(judders)),
                pixels(max(each.worst_step for each in figures)),
                f"{max((each.speed_error for each in figures), key=abs):+.1f}",
                _mean_lag(figures),
                _mean_lag(at_60),
                pixels(float(np.median([each.turn_judder for each in figures]))),
            )
        )
    return aligned(lines)


def _mean_lag(figures: Sequence[Figures]) -> str:
    if any(abs(each.speed_error) > STEADY for each in figures):
        return "grows"
    return f"{np.mean([each.lag for each in figures]):.1f}" if figures else ""


def _full_table(report: Report) -> list[str]:
    title = (
        "",
        "display",
        "trouble",
        "judder",
        "error",
        "worst step",
        "speed",
        "lag",
        "in turns",
        "ticks",
        "due",
    )
    lines: list[tuple[str, ...]] = [
        title,
        ("", "", "", "px", "px", "px", "%", "ms", "px", "", ""),
    ]
    for row in report.rows:
        figures = row.figures
        lengths = (pixels(length) for length in (figures.judder, figures.error, figures.worst_step))
        last = pixels(figures.turn_judder), f"{row.ticks:,}", f"{row.ticks_due:,.0f}"
        middle = f"{figures.speed_error:+.2f}", f"{figures.lag:.2f}"
        lines.append((row.method, row.display, row.trouble, *lengths, *middle, *last))
    return aligned(lines)


def _pacing_words(report: Report) -> list[str]:
    if not report.pacing:
        return []
    worse = [each for each in report.pacing if each.worse]
    gains = [
        each.raw / each.paced
        for each in report.pacing
        if each.trouble != "exact" and each.paced > 0
    ]
    sentences = [
        f"Pacing: on {len(report.pacing)} displays and troubles, judder by raw stamps "
        f"is {np.median(gains):.1f} "
        f"times that of paced ones (median where stamps are late)."
    ]
    if worse:
        names = ", ".join(
            f"{each.display} {each.trouble} ({each.raw:.3f} to {each.paced:.3f} px)"
            for each in worse
        )
        return [
            *sentences,
            f"It is worse than raw stamps by more than 5 % on {len(worse)}: {names}.",
        ]
    return [*sentences, "It is nowhere worse than raw stamps by more than 5 %."]


def live_table(live: Live) -> str:
    """Return the results of `framework lab --live` as text for a terminal."""
    if live.waited * 2 > live.frames:
        paced = f"in {live.waited:,} of {live.frames:,} frames"
    else:
        paced = (
            f"in {live.waited:,} of {live.frames:,} frames: drawn by sleeping, at the screen's rate"
        )
    locked = f"{live.estimated:.3f} Hz, believed in {100 * live.locked:.0f} % of the frames"
    lines = [
        ("the screen says", f"{live.reported:.3f} Hz"),
        ("flips waited for it", paced),
        ("the flips' own rate", f"{live.fitted:.3f} Hz; {live.missed} refreshes without a frame"),
        (
            "between two flips",
            f"{live.gap_median:.2f} ms (median), {live.gap_worst:.2f} ms (worst)",
        ),
        ("flips off an even line", f"{live.flips_off:.3f} ms RMS"),
        ("stamps off that line", f"{live.stamps_off:.3f} ms RMS"),
        (
            "RefreshClock's estimate",
            locked if live.estimated else "none: the stamps are no display's",
        ),
        ("judder by raw stamps", f"{pixels(live.raw_judder)} px RMS, of motion at {SPEED:g} px/s"),
        ("judder as drawn", f"{pixels(live.judder)} px RMS"),
        (
            "ticks",
            f"{live.ticks:,} made of {live.ticks_due:,.1f} due; {live.dropped_time:.3f} s dropped",
        ),
    ]
    title = (
        f"Measured in a window of {WINDOW[0]} x {WINDOW[1]}: {live.seconds:.1f} s, {live.renderer}"
    )
    width = max(len(name) for name, _ in lines)
    return "\n".join([title, "", *(f"{name:<{width}}  {value}" for name, value in lines)])
