"""Format benchmark results as tables of costs, for a terminal or for a Markdown page.

`framework bench … --write PAGE.md` replaces a section of a Markdown page. The section begins with a
comment that names the benchmark, and ends with another comment.
"""

from __future__ import annotations

import os
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path

from ..errors import FrameworkError
from ..record.atomic_files import write_text
from .bench import LoopReport, MeshesReport, SpritesReport
from .call_bench import LIMIT, CallsComparison, CallsReport
from .game_bench import GameReport, description
from .machine_info import Machine
from .tables import aligned, heading, microseconds, noop_hint
from .versus import COLUMNS, SUBTICK, PeerResult, VersusReport

_WIDTH = 120  # the maximum number of characters in a line of a page


def price(value: float) -> str:
    """Return a time in microseconds as text, with three significant digits."""
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:,.{digits}f}"


# -- terminal --------------------------------------------------------------------------------------


def calls_table(report: CallsReport) -> str:
    """Return the results of `framework bench calls` as text for a terminal."""
    lines: list[tuple[str, ...]] = [("", "minimum", "median", "by hand: minimum", "median", "")]
    group = ""
    for row in report.rows:
        if row.group != group:
            group = row.group
            lines.append((group, "", "", "", "", ""))
        by_hand = [row.by_hand_minimum, row.by_hand_median]
        cells = ["" if value is None else price(value) for value in by_hand]
        lines.append((f"  {row.name}", price(row.minimum), price(row.median), *cells, row.beside))
    table = [line.rstrip() for line in aligned([line[:-1] for line in lines])]
    text = [f"{line}   {row[-1]}".rstrip() for line, row in zip(table, lines, strict=True)]
    words = (
        f"Microseconds of {report.machine.clock} for one call, of {report.rounds} rounds. By hand: "
        "the same work, in turns."
    )
    hint = noop_hint(report.machine, "calls")
    return "\n".join([heading(report.machine), words, "", *text, *hint])


def comparison_table(comparison: CallsComparison) -> str:
    """Return a comparison of two versions as text for a terminal."""
    lines: list[tuple[str, ...]] = [
        ("", "before: minimum", "median", "now: minimum", "median", "x")
    ]
    for change in comparison.changes:
        times = change.older_minimum, change.older_median, change.minimum, change.median
        ratio = f"{change.ratio:.2f}" + (" slower" if change.slower else "       ")
        lines.append((change.name, *map(price, times), ratio))
    table = [line.rstrip() for line in aligned(lines)]
    return "\n".join([*table, "", *comparison.notes, _verdict(comparison)])


def _verdict(comparison: CallsComparison) -> str:
    """Return a sentence with the rows that are slower."""
    percent = round(100 * (LIMIT - 1))
    slower = comparison.slower
    if not slower:
        return f"No row is more than {percent} % slower than in {comparison.older}."
    names = "; ".join(f"{change.name} ({change.ratio:.2f} times)" for change in slower)
    return (
        f"{len(slower)} of {len(comparison.changes)} rows are more than {percent} % slower "
        f"than in {comparison.older}: {names}."
    )


def game_table(report: GameReport) -> str:
    """Return the results of `framework bench game` as text for a terminal."""
    lines: list[tuple[str, ...]] = [("", "minimum", "p50", "p99", "p99.9")]
    for name, times in (
        ("a frame with its tick", report.frame),
        ("of which: update of the game", report.update),
        ("by hand: the objects alone", report.by_hand),
    ):
        values = times.minimum, times.p50, times.p99, times.p999
        lines.append((name, *map(microseconds, values)))
    words = [f"A mixed game: {description()}."]
    words.append(
        f"Microseconds of {report.machine.clock}, of {report.frames} frames. By hand: the same "
        "objects without sprites, in turns."
    )
    if report.faulted:
        words.append(
            f"{report.faulted} more frames do not count, because the driver that draws nothing "
            "took new memory from the kernel."
        )
    hint = noop_hint(report.machine, "game")
    return "\n".join([heading(report.machine), *words, "", *aligned(lines), *hint])


def versus_table(report: VersusReport) -> str:
    """Return the results of `framework bench … --vs` as text for a terminal."""
    drawn = any(row.process is not None for row in report.rows)
    lines: list[tuple[str, ...]] = []
    for count, rows in _rows_by_count(report):
        if lines:
            lines.append(("",) * 6)
        lines.append((what(report, count), "minimum", "median", "x", "with pixels", "x"))
        ours = next((row for row in rows if row.name == SUBTICK), None)
        lines += [_versus_line(row, ours) for row in rows]
    if not drawn:
        lines = [line[:4] for line in lines]
    words = (
        f"Milliseconds of {report.machine.clock} for a frame with its tick, of {report.rounds} "
        "rounds in turns; x: relative to Subtick, median of the rounds."
    )
    if drawn:
        words += " With pixels: CPU time of the whole process until software has drawn them."
    return "\n".join(
        [
            heading(report.machine),
            words,
            "",
            *(line.rstrip() for line in aligned(lines)),
            "",
            *(f"Not measured: {words}." for words in dict.fromkeys(report.failed.values())),
            *(f"Note: {caveat}" for caveat in report.caveats),
        ]
    )


def _rows_by_count(report: VersusReport) -> list[tuple[int, list[PeerResult]]]:
    """Return each number of objects with its rows, the fastest engine first."""
    rows = sorted(report.rows, key=lambda row: row.thread.median)
    return [
        (count, [row for row in rows if row.count == count])
        for count in dict.fromkeys(row.count for row in report.rows)
    ]


def _versus_line(row: PeerResult, ours: PeerResult | None) -> tuple[str, ...]:
    """Return the cells of an engine. ``ours`` is the row of Subtick with the same number of
    objects.
    """
    pixels = ("", "")
    if row.process is not None and ours is not None and ours.process is not None:
        ratio = row.process.median / ours.process.median
        pixels = _milliseconds(row.process.median), f"{ratio:.2f}"
    return (
        f"  {row.name} {row.version}",
        _milliseconds(row.thread.minimum),
        _milliseconds(row.thread.median),
        f"{row.ratio:.2f}",
        *pixels,
    )


def what(report: VersusReport, count: int) -> str:
    """Return the title of a comparison, such as "1,000 sprites"."""
    return f"{count:,} sprites" if report.scene == "sprites" else "a mixed game"


def _milliseconds(value: float) -> str:
    value /= 1000
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 100 else f"{value:,.0f}"


# -- pages -----------------------------------------------------------------------------------------


def write_section(path: Path, name: str, text: str) -> None:
    """Replace the section ``name`` of a Markdown page with ``text``. The file is replaced in one
    step, so that a crash cannot leave an incomplete file. Raises `FrameworkError` if the page has
    no section ``name``.
    """
    page = _page(path)
    begin, end = _marks(name)
    before, _, tail = page.partition(begin)
    _, _, after = tail.partition(end)
    content = "\n".join(map(_wrapped, text.strip().splitlines()))
    write_text(str(path), f"{before}{begin}\n\n{content}\n\n{end}{after}")


def check_section(path: Path, names: Sequence[str]) -> None:
    """Raise `FrameworkError` if a Markdown page does not have exactly one section for each of
    ``names``.
    """
    page = _page(path)
    for name in names:
        begin, end = _marks(name)
        if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
            raise FrameworkError(
                f"--write: {str(path)!r} needs one line {begin!r} and, after it, one line {end!r}"
            )
    if not os.access(path, os.W_OK):
        raise FrameworkError(f"--write: {str(path)!r} cannot be written")


def _wrapped(line: str) -> str:
    """Break a line of a Markdown page at `_WIDTH` characters. Rows of Markdown tables are not
    broken.
    """
    if line.startswith("|"):
        return line
    indent = "  " if line.startswith("- ") else ""
    return textwrap.fill(
        line, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _page(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise FrameworkError(f"--write: {str(path)!r} cannot be read: {error}") from None


def _marks(name: str) -> tuple[str, str]:
    return f"<!-- framework bench {name}: begin -->", f"<!-- framework bench {name}: end -->"


def _markdown(lines: Sequence[Sequence[str]]) -> list[str]:
    head, *rows = lines
    rule = "|".join(["---", *["--:"] * (len(head) - 1)])
    return [f"| {' | '.join(head)} |", f"|{rule}|", *(f"| {' | '.join(row)} |" for row in rows)]


def _measured(machine: Machine, how: str) -> str:
    driver = (
        "Mesa's driver that draws nothing (`GALLIUM_NOOP=1`)" if machine.noop else machine.renderer
    )
    when = time.strftime("%B %Y", time.strptime(machine.measured_at[:7], "%Y-%m"))
    versions = machine.versions
    load = "" if machine.load is None else f", load {machine.load:.1f}"
    return (
        f"{how} Measured in {when} on {machine.processor} ({machine.cores} cores{load}), with "
        f"Python {versions['python']}, NumPy {versions['numpy']} and {driver}."
    )


def calls_section(report: CallsReport) -> str:
    """Return the Markdown section for `framework bench calls`."""
    text = [
        _measured(
            report.machine,
            f"The times of one call are in microseconds ({report.machine.clock}): the minimum and "
            f"the median of {report.rounds} rounds. The last column is the median time of the same "
            "work by hand. The call and the work by hand were measured in turns.",
        )
    ]
    for group in dict.fromkeys(row.group for row in report.rows):
        lines = [(group, "minimum", "median", "by hand")]
        for row in report.rows:
            if row.group == group:
                by_hand = "" if row.by_hand_median is None else price(row.by_hand_median)
                words = f"{by_hand} ({row.beside})" if by_hand else ""
                lines.append((_code(row.name), price(row.minimum), price(row.median), words))
        text += ["", *_markdown(lines)]
    return "\n".join(text)


def _code(name: str) -> str:
    """Return the name of a row, with the call formatted as code."""
    call, mark, details = name.partition(":")
    return f"`{call}`{mark}{details}" if set("(=[.") & set(call) else name


def game_section(report: GameReport) -> str:
    """Return the Markdown section for `framework bench game`."""
    lines: list[tuple[str, ...]] = [("", "minimum", "p50", "p99", "p99.9")]
    for name, times in (
        ("a frame with its tick", report.frame),
        ("`update` of the game, which is part of the frame", report.update),
        ("by hand: the same objects without sprites", report.by_hand),
    ):
        values = (times.minimum, times.p50, times.p99, times.p999)
        lines.append((name, *(f"{value / 1000:.2f} ms" for value in values)))
    how = (
        f"The mixed game has {description()}. The times of {report.frames:,} frames are in "
        f"milliseconds ({report.machine.clock})."
    )
    return "\n".join([_measured(report.machine, how), "", *_markdown(lines)])


def rows_section(report: SpritesReport | MeshesReport, noun: str) -> str:
    """Return the Markdown section for `framework bench sprites` or `framework bench meshes`."""
    lines = [
        (
            noun,
            "upload and draw after a tick",
            "the same in the moderngl program",
            "ratio",
            "a frame between two ticks",
            "bytes uploaded after a tick",
        )
    ]
    for row in report.rows:
        ours, by_hand, between = (
            f"{price(timing.minimum)} / {price(timing.median)} µs"
            for timing in (row.ours, row.hand_written, row.between)
        )
        uploaded = f"{row.tick_bytes:,.0f}"
        lines.append((f"{row.count:,}", ours, by_hand, f"{row.ratio:.2f}", between, uploaded))
    how = f"Each cell has two times: the minimum and the median ({report.machine.clock})."
    faulted = sum(row.faulted for row in report.rows)
    if report.machine.noop:
        how += (
            f" In {faulted} of {faulted + sum(row.frames for row in report.rows):,} frames, the "
            "driver took new memory from the operating system. These frames do not count, because "
            "a real driver takes such memory from a pool."
        )
    text = [_measured(report.machine, how), "", *_markdown(lines)]
    if isinstance(report, SpritesReport):
        text += ["", *_notes_on_sprites(report)]
    return "\n".join(text)


def _notes_on_sprites(report: SpritesReport) -> list[str]:
    notes = [
        "To move and turn one sprite through its object (`sprite.x += …; sprite.y += …; "
        f"sprite.angle += …`) takes {report.minimum_singly:.0f} / "
        f"{report.nanoseconds_singly:.0f} ns. The same code with a Python object with slots "
        f"takes {report.minimum_slots:.0f} / {report.nanoseconds_slots:.0f} ns."
    ]
    if report.memory is not None:
        notes.append(
            f"A sprite takes {report.memory.ram:.0f} bytes of RAM and "
            f"{report.memory.gpu:.0f} bytes of GPU memory."
        )
    return notes


def loop_section(report: LoopReport) -> str:
    """Return the Markdown section for `framework bench loop`."""
    lines: list[tuple[str, ...]] = [("an empty game", "minimum", "median", "p99")]
    for name, timing in (
        ("a tick", report.tick),
        ("a frame with a tick", report.frame),
        ("a frame between two ticks", report.between),
    ):
        values = timing.minimum, timing.median, timing.p99
        lines.append((name, *(f"{price(value)} µs" for value in values)))
    garbage = report.garbage
    seconds = [
        f"{1000 * min(values):.0f} ms"
        for values in (report.import_seconds, report.first_picture_seconds)
    ]
    return "\n".join(
        [
            _measured(report.machine, f"The times are in microseconds ({report.machine.clock})."),
            "",
            *_markdown(lines),
            "",
            f"The import of the framework takes {seconds[0]} of CPU time. A whole program that draws "
            f"and reads one image takes {seconds[1]}. In a game with {garbage.live_objects:,} objects, 99.9 % of "
            f"the frames take at most {garbage.managed_p999 / 1000:.1f} ms. With Python's automatic "
            f"garbage collection, these frames take at most {garbage.automatic_p999 / 1000:.0f} ms.",
        ]
    )


def versus_section(report: VersusReport) -> str:
    """Return the Markdown section for a comparison with other engines."""
    drawn = any(row.process is not None for row in report.rows)
    text = [
        _measured(
            report.machine,
            f"The engines took turns in {report.rounds} rounds. Each cell has the minimum and the "
            "median time of a frame with one tick. Before the measurement, the benchmark has "
            "checked that all engines draw the same image.",
        )
    ]
    head = ("a frame, without pixels", "relative to Subtick", "with pixels drawn by the CPU")
    names = {SUBTICK: "**Subtick**", COLUMNS: "**Subtick**, columns"}
    for count, rows in _rows_by_count(report):
        lines: list[tuple[str, ...]] = [(what(report, count), *head)]
        for row in rows:
            thread, process = (
                ""
                if timing is None
                else f"{timing.minimum / 1000:.2f} / {timing.median / 1000:.2f} ms"
                for timing in (row.thread, row.process)
            )
            name = names.get(row.name, row.name)
            lines.append((f"{name} {row.version}", thread, f"{row.ratio:.2f}", process))
        text += ["", *_markdown(lines if drawn else [line[:3] for line in lines])]
    failed = [f"- {words}." for words in dict.fromkeys(report.failed.values())]
    return "\n".join([*text, "", *failed, *(f"- {caveat}" for caveat in report.caveats)])
