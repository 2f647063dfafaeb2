"""The benchmark of a mixed game: its parts, frame times and table."""

from __future__ import annotations

import gc
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from framework.bench import game_bench, peer_scene, price_tables
from framework.tools import bench_commands, cli


@pytest.fixture(scope="module")
def report() -> game_bench.GameReport:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(game_bench, "_WARM_UP", 2)
        return game_bench.measure_game(frames=6)


def test_the_percentiles_of_frames_are_in_order(report: game_bench.GameReport) -> None:
    for times in (report.frame, report.update, report.by_hand):
        assert 0 < times.minimum <= times.p50 <= times.p99 <= times.p999
    assert report.by_hand.minimum < report.update.minimum < report.frame.minimum
    assert report.frames + report.faulted == 6
    assert gc.isenabled()


def test_the_game_has_the_parts_of_its_description(report: game_bench.GameReport) -> None:
    with game_bench._TimedGame(drawing=False) as game:
        game.run_ticks(70)
        assert len(game.bodies) == 1500
        assert len(game.sparks.pose(1)[0]) == 3000
        assert len(game.shown) == 60
        assert game.shown[9].text == peer_scene.label_text(9, game.tick)
        assert game.shown[10].text == peer_scene.label_text(10, 0)
        assert sum(voice.playing for voice in game.voices) == 8
    table = price_tables.game_table(report)
    for part in ("1,500 objects", "3,000 particles", "60 labels of which 10", "8 sounds", "p99.9"):
        assert part in table


def test_the_command_writes_its_section(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    report: game_bench.GameReport,
) -> None:
    monkeypatch.setattr(game_bench, "measure_game", lambda *arguments: report)
    page = tmp_path / "page.md"
    begin, end = price_tables._marks("game")
    page.write_text(f"# Prices\n\n{begin}\nold\n{end}\nrest\n", "utf-8")
    figures = tmp_path / "game.json"
    assert cli.main(["bench", "game", "--write", str(page), "--json", str(figures)]) == 0
    text = page.read_text("utf-8")
    assert text.startswith(f"# Prices\n\n{begin}\n\nThe mixed game has 1,500 objects")
    assert text.endswith(f"\n\n{end}\nrest\n")
    assert "old" not in text
    assert json.loads(figures.read_text("utf-8"))["frame"]["p999"] == report.frame.p999


@pytest.mark.parametrize("text", ["", "{begin}", "{end} {begin}", "{begin}{end}{begin}{end}"])
def test_a_page_without_the_section_is_not_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    begin, end = price_tables._marks("game")
    page = tmp_path / "page.md"
    page.write_text(text.format(begin=begin, end=end), "utf-8")
    assert cli.main(["bench", "game", "--write", str(page)]) == 2
    assert "needs one line '<!-- framework bench game: begin -->'" in capsys.readouterr().err
    assert page.read_text("utf-8") == text.format(begin=begin, end=end)


def test_options_of_a_comparison_are_refused_without_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for option in (["--make-env"], ["--rounds", "3"], ["--env-dir", "x"], ["--pictures", "."]):
        assert cli.main(["bench", "game", *option]) == 2
        assert f"{option[0]}: used with --vs only" in capsys.readouterr().err
    assert cli.main(["bench", "game", "--plot", "x.png"]) == 2
    assert cli.main(["bench", "prices", "--write", "no page.md"]) == 2
    assert "'no page.md' cannot be read" in capsys.readouterr().err


def test_each_section_of_prices_is_measured_in_its_own_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.md"
    names = ["calls", "game", "sprites", "meshes", "loop"]
    page.write_text("".join("\n".join(price_tables._marks(name)) for name in names), "utf-8")
    commands: list[list[str]] = []

    def run(command: list[str], **options: Any) -> Any:
        commands.append(command)
        return subprocess.CompletedProcess(command, 5 if command[4] == "meshes" else 0)

    monkeypatch.setattr(bench_commands.subprocess, "run", run)
    assert cli.main(["bench", "prices", "--write", str(page), "--progress"]) == 5
    assert [command[4] for command in commands] == names[:4]  # an error ends the measurements
    assert all(command[-3:] == ["--write", str(page), "--progress"] for command in commands)
    for command in commands:  # these benchmarks have all these options
        parsed = cli._parser(from_shell=False).parse_args(command[3:])
        assert parsed.write == page
