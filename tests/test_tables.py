"""Tables and JSON of benchmarks: a line for each item, and every figure."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from framework.bench import bench, lab, tables
from framework.bench.displays import TROUBLES


def test_the_table_has_a_row_for_each_count_and_names_the_renderer(
    sprites_report: bench.SpritesReport,
) -> None:
    lines = tables.sprites_table(sprites_report).splitlines()
    assert sprites_report.machine.renderer in lines[0]
    starts = [line.split()[:2] for line in lines if line.split()]
    assert ["40", "minimum"] in starts
    assert ["400", "minimum"] in starts
    table = [line for line in lines if {"minimum", "median", "p95", "p99"} & set(line.split())]
    assert len(table) == 8
    assert len({len(line) for line in table}) == 1


def test_the_table_names_the_noop_driver_only_on_mesa(
    sprites_report: bench.SpritesReport,
) -> None:
    def has_hint(**machine: Any) -> bool:
        report = dataclasses.replace(
            sprites_report, machine=dataclasses.replace(sprites_report.machine, **machine)
        )
        return "GALLIUM_NOOP=1 framework bench" in tables.sprites_table(report)

    assert has_hint(gl="4.5 Mesa 22.3.6", noop=False)
    assert not has_hint(gl="4.5 Mesa 22.3.6", noop=True)
    assert not has_hint(gl="4.1 NVIDIA", noop=False)


def test_json_has_all_figures_of_a_benchmark(sprites_report: bench.SpritesReport) -> None:
    figures = json.loads(tables.to_json(sprites_report))
    assert figures["rows"][1]["hand_over"]["p95"] == sprites_report.rows[1].hand_over.p95
    assert figures["machine"]["versions"]["moderngl"]
    assert figures["nanoseconds_singly"] > 0


def test_the_table_shows_each_method_on_each_display(lab_report: lab.Report) -> None:
    lines = tables.lab_table(lab_report).splitlines()
    headings = [index for index, line in enumerate(lines) if line.startswith("Judder in px")]
    assert len(headings) == len(TROUBLES)
    assert lines[headings[0] + 1].split() == ["60", "144", "off"]
    ours = next(line for line in lines[headings[0] :] if line.startswith("fixed interpolate  "))
    assert ours.split()[-3:] == ["0.000"] * 3
    theirs = next(line for line in lines[headings[1] :] if line.startswith("pyglet"))
    assert theirs.split()[2:4] == [
        f"{lab_report.find('pyglet schedule_interval', '60', 'late').speed_error:.0f}",
        "%",
    ]
    assert "Everything" not in lines
    everything = tables.lab_table(lab_report, full=True).splitlines()
    assert len(everything) == len(lines) + 3 + 1 + len(lab_report.rows)


def test_short_durations_are_shown_with_more_digits() -> None:
    assert [tables.pixels(value) for value in (0, 0.0123, 0.0994, 0.0996, 9.99, 48.2)] == [
        *("0.000", "0.012", "0.099", "0.10", "9.99", "48"),
    ]


def test_json_has_all_figures_of_the_lab(lab_report: lab.Report) -> None:
    data = json.loads(tables.to_json(lab_report))
    assert data["seed"] == 3
    assert data["rows"][0]["figures"]["judder"] == lab_report.rows[0].figures.judder
    assert len(data["rows"]) == 5 * 3 * 4
    assert data["pacing"][0].keys() == {"display", "trouble", "raw", "paced", "worse"}
