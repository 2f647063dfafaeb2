"""Saves in replays, tests and other runs without a player, and loads in recordings."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
import pytest

import framework as fw
from framework.game.driven_game import driven
from framework.game.game import make_game
from framework.game.recorder import HEADER
from framework.game.save_files import SeparateRun
from framework.game.save_log import (
    LOADS,
    MAX_HELD,
    MAX_TOTAL,
    SAVE,
    Result,
    blocks,
    loaded,
    results,
)
from framework.record.container import Container, ContainerWriter
from framework.tools.cli import main

GAME = """
import framework as fw


class High(fw.Game):
    saved = ("best",)
    best = 0

    def setup(self):
        if self.saves.path("scores").exists():
            self.load("scores")

    def update(self, dt):
        if self.tick == 30:
            self.best += 1
            self.save("scores")


if __name__ == "__main__":
    fw.run(High)
"""


class High(fw.Game):
    saved = ("best",)
    best = 0

    def setup(self) -> None:
        if self.saves.path("scores").exists():
            self.load("scores")

    def update(self, dt: float) -> None:
        if self.tick == 30:
            self.best += 1
            self.save("scores")


class Loads(fw.Game):
    """A game that loads its save in some ticks, and accepts errors."""

    saved = ("best", "more")
    best = 0
    more = ""

    def setup(self) -> None:
        self.error = ""

    def update(self, dt: float) -> None:
        if self.tick % 10 == 0:
            try:
                self.load("scores")
            except fw.AssetError as error:
                self.error = str(error).split("'")[-1]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the player's saves, instead of the folder for user data."""
    monkeypatch.setattr(
        platformdirs, "user_data_dir", lambda name, appauthor: str(tmp_path / "data" / name)
    )
    return tmp_path / "data"


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., fw.Replay]:
    def record(game_class: type[fw.Game], ticks: int = 60, **options: Any) -> fw.Replay:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.replay"
        with game_class(drawing=False, **options) as game:
            game.recording.start(path, hash_every=10)
            game.run_ticks(ticks)
        return fw.Replay(path)

    return record


def write_save(best: int, kind: type[fw.Game] = High, **values: Any) -> Path:
    with kind(drawing=False) as game:
        vars(game).update({"best": best, **values})
        return game.save("scores")


def file_contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def reward(game: Any) -> float:
    return 0.0


def best_of(game: Any) -> int:
    return int(game.best)


# -- separate runs leave the player's saves unchanged ----------------------------------------------


def test_replays_sync_tests_and_run_many_do_not_change_saves(data: Path, record: Any) -> None:
    replay = record(High)
    write_save(500)
    before = file_contents(data)
    assert replay.verify(High).ok
    assert fw.sync_test(High, 60).ok
    with ThreadPoolExecutor(1) as pool:
        assert [
            run.result for run in fw.run_many(High, range(4), pool, ticks=60, result=best_of)
        ] == [1, 1, 1, 1]
    assert file_contents(data) == before


def test_environments_do_not_change_saves(data: Path) -> None:
    pytest.importorskip("gymnasium")
    write_save(500)
    before = file_contents(data)
    env_options: dict[str, Any] = {
        "actions": [(), "left"],
        "observation": ["best"],
        "reward": reward,
    }
    env = fw.GameEnv(High, **env_options)
    env.reset(seed=1)
    for _ in range(60):
        observation = env.step(0)[0]
    env.close()
    assert observation[0] == 1
    assert file_contents(data) == before


def test_the_matrix_does_not_change_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from framework.sim.matrix import Environment, run_matrix

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "high.py").write_text(GAME)
    environments = [
        Environment("as it is", drawing=False),
        Environment("every tick twice", drawing=False, twice=True),
    ]
    assert run_matrix(tmp_path / "high.py", ticks=40, among=environments).ok
    assert not (tmp_path / "data").exists()


def test_a_separate_run_loads_its_own_saves(data: Path, record: Any) -> None:
    class Round(fw.Game):
        saved = ("n",)
        n = 0

        def update(self, dt: float) -> None:
            if self.tick == 5:
                self.n = 7 + self.home
                self.save("a")
            elif self.tick == 6:
                self.n = 0
            elif self.tick == 7:
                self.load("a")
            self.there = self.saves.path("a").exists()

        home = 0

    replay = record(Round, 10)
    (data / "Round" / "saves" / "a").unlink()
    with (
        replay.playing(Round, headless=True) as (first_game, first),
        replay.playing(Round, headless=True) as (second_game, second),
    ):
        folders = {first_game.saves.path(), second_game.saves.path()}
        for playback in (first, second):
            for _ in playback.run(6):
                pass
        assert first_game.there
        assert second_game.there
        assert first_game.n == 0
        for playback in (first, second):
            for _ in playback.run():
                pass
        assert (first_game.n, second_game.n) == (7, 7)
        assert len(folders) == 2
        assert data not in {path for folder in folders for path in folder.parents}
    assert not any(folder.exists() for folder in folders)  # the temporary folders are deleted
    assert not (data / "Round" / "saves" / "a").exists()


def test_a_separate_run_writes_no_files(data: Path, tmp_path: Path, record: Any) -> None:
    out = tmp_path / "out"
    out.mkdir()

    class Writes(fw.Game):
        saved = ("n",)
        n = 1

        def setup(self) -> None:
            if self.drawing:
                self.recording.start(out / "own.replay")

        def update(self, dt: float) -> None:
            self.n += 1
            if self.tick == 3:
                self.save(path=out / "x.save")
                self.saves.export_json(out / "x.json")
                self.debug.frame_stats.to_csv(out / "x.csv")
                if self.drawing:
                    self.screenshot(out / "x.png")
                self.n = 0
                self.load(path=out / "x.save")

    with Writes(headless=True, size=(8, 8)) as game:
        for _ in range(5):
            game.advance(1 / 60)
    assert sorted(file_contents(out)) == ["own.replay", "x.csv", "x.json", "x.png", "x.save"]
    for path in out.iterdir():
        if path.name != "own.replay":
            path.unlink()
    replay = fw.Replay(out / "own.replay")
    before = file_contents(out)
    with replay.playing(Writes, headless=True) as (game, playback):
        game.advance(1)
        for _ in playback.run():
            pass
        assert game.n == 6
        # a screenshot that the driving program requests is written
        game.screenshot(tmp_path / "asked.png")
    assert file_contents(out) == before
    assert (tmp_path / "asked.png").exists()
    assert fw.sync_test(Writes, 8, drawing=False).ok
    assert file_contents(out) == before


def test_a_separate_run_does_not_change_the_clipboard(
    record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from framework.game.surface import GameSurface

    copied: list[str] = []
    monkeypatch.setattr(GameSurface, "copy", lambda self, text: copied.append(text))

    class Copies(fw.Game):
        def update(self, dt: float) -> None:
            if self.tick == 2:
                driven(self).stage.files.copy("secret")

    replay = record(Copies, 5)
    assert copied == ["secret"]
    replay.verify(Copies)
    assert copied == ["secret"]
    with Copies(drawing=False) as game:
        before = game.snapshot()
        game.run_ticks(3)
        game.restore(before)
        game.run_ticks(3)
    assert copied == ["secret"] * 2


def test_a_game_within_a_separate_run_is_separate_too(data: Path) -> None:
    class Outer(High):
        def setup(self) -> None:
            with High(drawing=False) as inner:
                inner.run_ticks(40)
                self.inner = inner.best

        def update(self, dt: float) -> None:
            if self.tick == 3:
                with High(drawing=False) as inner:
                    inner.run_ticks(40)

    assert fw.sync_test(Outer, 8).ok
    assert not data.exists()


def test_a_separate_run_keeps_a_given_folder_of_saves(
    data: Path, tmp_path: Path, record: Any
) -> None:
    replay = record(High)
    assert replay.verify(High, saves=tmp_path / "kept").ok
    assert fw.Save(tmp_path / "kept" / "scores").game.endswith("High")
    assert fw.sync_test(High, 40, saves=tmp_path / "other").ok
    assert (tmp_path / "other" / "scores").exists()
    with ThreadPoolExecutor(1) as pool:
        assert (
            len([*fw.run_many(High, [3, 5], pool, ticks=40, saves=tmp_path / "many", check=1)]) == 2
        )
        assert sorted(file_contents(tmp_path / "many")) == ["3/scores", "5/scores"]
        with pytest.raises(
            fw.FrameworkError, match="saves: expected an empty folder or a new one, got"
        ):
            fw.run_many(High, [3], pool, saves=tmp_path / "many")


def test_a_closed_game_still_has_the_path_of_its_saves(data: Path) -> None:
    with High(drawing=False) as game:
        game.saves_folder = "Higher"  # type: ignore[misc]
    assert game.saves.path("a") == data / "Higher" / "saves" / "a"


# -- repeated ticks --------------------------------------------------------------------------------


def test_a_repeated_tick_loads_the_same_data(data: Path) -> None:
    write_save(5, Loads)
    with Loads(drawing=False) as game:
        game.recording.rewind = fw.Rewind(duration=10)
        game.run_ticks(12)
        assert game.best == 5
        write_save(9, Loads)
        before = game.snapshot()
        game.run_ticks(9)
        assert game.best == 9
        (data / "Loads" / "saves" / "scores").unlink()
        game.recording.rewind.seek(15)
        assert game.best == 5
        game.recording.rewind.seek(21)
        assert game.best == 9
        assert game.error == ""
        game.recording.rewind.cancel()
        game.restore(before)
        game.run_ticks(9)
        assert game.best == 9
        assert game.error == ""
        game.run_ticks(9)
        assert "cannot be read" in game.error  # a new tick reads the folder


def test_a_repeated_tick_does_not_save_again(data: Path) -> None:
    with High(drawing=False) as game:
        before = game.snapshot()
        game.run_ticks(40)
        path = game.saves.path("scores")
        path.write_bytes(b"later")
        game.restore(before)
        game.run_ticks(40)
        assert path.read_bytes() == b"later"
        game.recording.rewind = fw.Rewind()
        game.run_ticks(5)
        game.recording.rewind.seek(game.tick - 3)
        game.recording.rewind.resume()
        assert path.read_bytes() == b"later"


def test_a_new_tick_after_a_rewind_saves(data: Path) -> None:
    with High(drawing=False) as game:
        game.recording.rewind = fw.Rewind(duration=10)
        game.run_ticks(40)
        path = game.saves.path("scores")
        path.write_bytes(b"later")
        game.recording.rewind.seek(20)
        game.recording.rewind.resume()
        game.run_ticks(20)
        assert fw.Save(path).tick == 30


# -- loads in recordings ---------------------------------------------------------------------------


def test_a_replay_loads_the_recorded_data(data: Path, record: Any) -> None:
    write_save(3)
    replay = record(High)
    write_save(500)
    assert replay.verify(High).ok
    (data / "High" / "saves" / "scores").unlink()
    assert replay.verify(High).ok
    result, loaded_ = replay.loads()
    assert (result.kind, result.names, result.tick) == ("files", ("scores",), 0)
    assert (loaded_.kind, loaded_.name, loaded_.tick, loaded_.error) == ("load", "scores", 0, "")
    assert loaded_.size == len(loaded_.data)
    assert "data" not in json.dumps(loaded_.packed())


def test_a_replay_raises_the_recorded_error(data: Path, record: Any) -> None:
    replay = record(Loads, 25)
    assert [(load.tick, load.error) for load in replay.loads()] == [
        (tick, "cannot be read: No such file or directory.") for tick in (10, 20)
    ]
    write_save(4, Loads)
    assert replay.verify(Loads).ok
    with replay.playing(Loads, headless=True) as (game, playback):
        for _ in playback.run():
            pass
        assert "cannot be read: No such file" in game.error


def test_a_recording_names_no_folder_of_the_player(data: Path, tmp_path: Path) -> None:
    class Far(fw.Game):
        saved = ("n",)
        n = 1

        def setup(self) -> None:
            self.other = None
            for path in (self.saves.path("a"), tmp_path / "folder" / "b"):
                try:
                    self.load(path=path)
                except fw.AssetError as error:
                    self.error = error

    with Far(drawing=False) as game:
        game.recording.start(tmp_path / "far.replay")
        game.run_ticks(3)
    replay = fw.Replay(tmp_path / "far.replay")
    assert [load.name for load in replay.loads()] == ["a", "b"]
    assert str(tmp_path) not in repr(replay.loads()) + repr(replay.header)


def test_the_list_of_saves_in_a_menu_is_replayed(data: Path, record: Any) -> None:
    class Slots(fw.Game):
        saved = ("n",)
        n = 1

        def setup(self) -> None:
            self.slots = [
                (path.name, fw.Save(path).tick) for path in sorted(self.saves.path().glob("slot*"))
            ]
            self.goes_on = self.saves.path("slot 1").exists()

    with Slots(drawing=False) as game:
        game.save("slot 1")
        game.run_ticks(7)
        game.save("slot 2")
    replay = record(Slots, 10)
    for path in (data / "Slots" / "saves").iterdir():
        path.unlink()
    report = replay.verify(Slots)
    assert report.ok, str(report)
    with replay.playing(Slots, headless=True) as (game, _):
        assert game.slots == [("slot 1", 0), ("slot 2", 7)]
        assert game.goes_on


def test_a_large_save_is_recorded_by_its_hash(data: Path, tmp_path: Path, record: Any) -> None:
    class Large(fw.Game):
        saved = ("values",)

        def setup(self) -> None:
            self.values = np.zeros(300_000)
            if self.saves.path("big").exists():
                self.load("big")

    with Large(drawing=False) as game:
        game.values[:] = game.random.random(300_000)
        path = game.save("big")
    replay = record(Large, 20)
    (result,) = [load for load in replay.loads() if load.kind == "load"]
    assert result.data is None
    assert result.size == path.stat().st_size > MAX_HELD
    assert result.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert os.path.getsize(tmp_path / replay._recording.path) < 10_000
    assert replay.verify(Large).ok
    (tmp_path / "friend").mkdir()
    path.rename(tmp_path / "friend" / "big")
    assert replay.verify(Large, saves=tmp_path / "friend").ok
    with pytest.raises(
        fw.FrameworkError, match=r"'big': expected the file of .* that was loaded in tick 0"
    ) as raised:
        replay.verify(Large)
    assert not isinstance(raised.value, fw.AssetError)
    assert "--saves DIR" in str(raised.value)


def test_a_save_that_failed_fails_again(data: Path, record: Any) -> None:
    class Full(fw.Game):
        saved = ("n",)
        n = 1

        def update(self, dt: float) -> None:
            if self.tick == 4:
                try:
                    self.save("a")
                except fw.AssetError as error:
                    self.n = len(str(error).split(": ")[-1])

    data.mkdir()
    (data / "Full").write_text("in the way")
    replay = record(Full, 10)
    (data / "Full").unlink()
    report = replay.verify(Full)
    assert report.ok, str(report)


def test_a_recording_with_a_rewind_has_the_loads_of_the_final_history(
    data: Path, tmp_path: Path
) -> None:
    write_save(5, Loads)
    with Loads(drawing=False) as game:
        game.recording.rewind = fw.Rewind(duration=60)
        game.recording.start(tmp_path / "a.replay", hash_every=10)
        game.run_ticks(1300)
        write_save(9, Loads)
        game.run_ticks(100)
        game.recording.rewind.seek(605)
        game.recording.rewind.resume()
        write_save(11, Loads)
        game.run_ticks(100)
    replay = fw.Replay(tmp_path / "a.replay")
    assert [load.tick for load in replay.loads()] == [*range(10, 705, 10)]
    assert len({load.sha256 for load in replay.loads()}) == 2
    assert all(load.data is not None for load in replay.loads())
    write_save(500, Loads)
    assert replay.verify(Loads).ok


def test_an_old_recording_reads_the_folder_and_the_report_names_the_file(
    data: Path, tmp_path: Path, record: Any
) -> None:
    write_save(3)
    replay = record(High)
    path = tmp_path / "old.replay"
    file = Container(replay._recording.path)
    writer = ContainerWriter(
        path, {key: value for key, value in file.header.items() if key != "inputs"}
    )
    for kind, payload in file.blocks():
        if kind not in (HEADER, SAVE, LOADS):
            writer.write(kind, payload)
    writer.close()
    write_save(3)
    before = file_contents(data)
    assert fw.Replay(path).verify(High).ok
    write_save(7)
    report = fw.Replay(path).verify(High)
    assert not report.ok
    assert "the game loads 'scores' in setup(), which the recording does not hold" in str(report)
    write_save(3)
    assert file_contents(data).keys() == before.keys()


def test_an_additional_load_fails_and_the_report_names_the_file(data: Path, record: Any) -> None:
    class Younger(fw.Game):
        saved = ("best",)
        best = 0

        def update(self, dt: float) -> None:
            self.best += 1

    replay = record(Younger)

    def update(self: Any, dt: float) -> None:
        try:
            self.load("scores")
        except fw.AssetError:
            self.best -= 1

    Younger.update = update  # type: ignore[method-assign]
    report = replay.verify(Younger)
    assert not report.ok
    assert "the game loads 'scores' in tick 1, which the recording does not hold" in str(report)


def test_a_run_repeated_after_a_reload_saves_once(data: Path, tmp_path: Path) -> None:
    from framework.tools.replays import play_again

    write_save(3)
    with High(drawing=False) as game:
        game.recording.start(tmp_path / "a.replay", hash_every=0)
        game.run_ticks(40)
        path = game.saves.path("scores")
    path.write_bytes(b"later")
    separate_run = SeparateRun(results=results(Container(tmp_path / "a.replay")), reloading=True)
    with make_game(High, {"separate_run": separate_run}, drawing=False) as game:
        game.recording.start(tmp_path / "b.replay", hash_every=0)
        play_again(game, str(tmp_path / "a.replay"))
        driven(game).stage.files.end_reload()
        assert (game.best, game.tick) == (4, 40)
        assert path.read_bytes() == b"later"
        assert game.saves.path("scores") == path
        game.save("scores")
        assert fw.Save(path).tick == 40
    assert [load.name for load in fw.Replay(tmp_path / "b.replay").loads()] == ["scores", "scores"]


# -- hostile recordings ----------------------------------------------------------------------------


def _file(path: Path, *listed: tuple[int, bytes]) -> Container:
    writer = ContainerWriter(path, {})
    for kind, payload in listed:
        writer.write(kind, payload)
    writer.close()
    return Container(path)


@pytest.mark.parametrize(
    "listed",
    [
        b"x",
        b"{}x",
        b"[1]",
        b'[[0,"load"]]',
        b'[[-1,"load","a",{"error":"b"}]]',
        b'[[0,"call","a",{"error":"b"}]]',
        b'[[0,"load",3,{"error":"b"}]]',
        b'[[0,"load","a",{"size":-1,"sha256":"00"}]]',
        b'[[0,"load","a",{"size":1,"sha256":"zz"}]]',
        b'[[0,"files","a",{"names":[3]}]]',
        b'[[0,"load","' + b"a" * 999 + b'",{"error":"b"}]]',
        b'[[5,"load","a",{"error":"b"}],[4,"load","a",{"error":"b"}]]',
        b"[" * 5000,
    ],
)
def test_an_invalid_list_of_loads_is_refused(tmp_path: Path, listed: bytes) -> None:
    with pytest.raises(fw.AssetError, match="loads"):
        results(_file(tmp_path / "x", (LOADS, listed)))


def test_saves_in_a_recording_are_bounded_and_checked(tmp_path: Path) -> None:
    head = bytes(32)
    with pytest.raises(fw.AssetError, match="not what its hash says"):
        results(_file(tmp_path / "a", (SAVE, head + b"abc")))
    with pytest.raises(fw.AssetError, match="larger than a recording holds"):
        results(_file(tmp_path / "b", *[(SAVE, head + bytes(1 << 19))] * 3))
    many = [
        (SAVE, bytes([n]) * 32 + os.urandom(1 << 10) * 1000)
        for n in range(MAX_TOTAL // 1_024_000 + 1)
    ]
    with pytest.raises(fw.AssetError, match="larger than a recording holds"):
        results(_file(tmp_path / "c", *many))
    with pytest.raises(fw.AssetError, match="larger than a recording holds"):
        results(_file(tmp_path / "d", (SAVE, b"short")))


def test_results_survive_their_blocks(tmp_path: Path) -> None:
    expected = [
        Result(0, "files", "", names=("a", "b")),
        loaded(0, "a", b"x" * 700_000),
        loaded(3, "b", b""),
        Result(4, "load", "c", error="cannot be read: no."),
        loaded(9, "a", b"x" * 700_000),
    ]
    held: dict[str, int] = {}
    written = list(blocks(expected, held))
    assert sum(kind == SAVE for kind, _ in written) == 3
    assert sorted(held.values()) == [0, 700_000]
    assert results(_file(tmp_path / "x", *written)) == expected


def test_names_in_a_hostile_recording_never_leave_the_folder(
    data: Path, tmp_path: Path, record: Any
) -> None:
    class Looks(fw.Game):
        saved = ("n",)
        n = 1

        def setup(self) -> None:
            self.names = sorted(path.name for path in self.saves.path().glob("*"))

    replay = record(Looks, 3)
    evil = ("../../evil", "/tmp/evil", "a/b", "..", ".", "", "c:evil", "\0", "good")
    replay._recording.results = [Result(0, "files", "", names=evil)]
    with replay.playing(Looks, headless=True, saves=tmp_path / "in" / "here") as (game, _):
        assert game.names == ["good"]
    assert sorted(file_contents(tmp_path / "in")) == ["here/good"]


def test_a_save_in_a_recording_passes_the_checks_of_any_save(data: Path, record: Any) -> None:
    write_save(3)
    replay = record(High)
    files, load = replay.loads()
    bad = loaded(0, "scores", load.data[:-5] + b"wrong")
    replay._recording.results = [files, bad]
    with pytest.raises(fw.AssetError, match="is broken"), warnings.catch_warnings():
        replay.verify(High)


# -- the command line ------------------------------------------------------------------------------


def test_info_lists_the_loads_of_a_recording(
    data: Path, tmp_path: Path, record: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    size = write_save(3).stat().st_size
    replay = record(High, seed=4)
    assert main(["replay", replay._recording.path, "--info"]) == 0
    out = capsys.readouterr().out
    assert f"'scores': {size} bytes, loaded in setup\n" in out
    assert "60 ticks, 1.00 s" in out
    assert "seed" in out
    assert str(tmp_path) not in out.replace(replay._recording.path, "")
    assert main(["replay", record(Loads, 30)._recording.path, "--info"]) == 0
    out = capsys.readouterr().out
    assert "saves     none" in out
    assert "'scores': cannot be read" in out


def test_the_command_line_accepts_a_folder_of_saves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    Path("high.py").write_text(GAME)
    assert main(["run", "high.py", "--headless", "--frames", "60", "--record", "a.replay"]) == 0
    before = file_contents(tmp_path / "data")
    assert list(before) == ["High/saves/scores"]
    assert main(["replay", "a.replay", "high.py", "--verify"]) == 0
    assert main(["replay", "a.replay", "high.py", "--verify", "--saves", "kept"]) == 0
    assert main(["synctest", "high.py", "--ticks", "40", "--saves", "other"]) == 0
    assert sorted(os.listdir("kept")) == sorted(os.listdir("other")) == ["scores"]
    assert main(["synctest", "high.py", "--matrix", "--saves", "other"]) == 2
    assert "--saves: not with --matrix" in capsys.readouterr().err
    assert file_contents(tmp_path / "data") == before
