"""Save files of runs that no player plays, and loads in recordings."""

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
    """Loads in a tick, whatever is there."""

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
    """The player's folder of saves, in place of all user data."""
    monkeypatch.setattr(
        platformdirs, "user_data_dir", lambda name, appauthor: str(tmp_path / "data" / name)
    )
    return tmp_path / "data"


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[..., fw.Replay]:
    def recorded(game_class: type[fw.Game], ticks: int = 60, **options: Any) -> fw.Replay:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.replay"
        with game_class(drawing=False, **options) as game:
            game.recording.start(path, hash_every=10)
            game.run_ticks(ticks)
        return fw.Replay(path)

    return recorded


def have(best: int, kind: type[fw.Game] = High, **values: Any) -> Path:
    with kind(drawing=False) as game:
        vars(game).update({"best": best, **values})
        return game.save("scores")


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def reward(game: Any) -> float:
    return 0.0


def outcome(game: Any) -> int:
    return int(game.best)


# -- runs apart leave the player's saves alone -----------------------------------------------------


def test_a_replay_a_check_and_many_runs_leave_the_players_saves_alone(
    data: Path, recorded: Any
) -> None:
    replay = recorded(High)
    have(500)
    before = tree(data)
    assert replay.verify(High).ok
    assert fw.sync_test(High, 60).ok
    with ThreadPoolExecutor(1) as pool:
        assert [
            run.result for run in fw.run_many(High, range(4), pool, ticks=60, result=outcome)
        ] == [1, 1, 1, 1]
    assert tree(data) == before


def test_environments_leave_the_players_saves_alone(data: Path) -> None:
    pytest.importorskip("gymnasium")
    have(500)
    before = tree(data)
    asked: dict[str, Any] = {"actions": [(), "left"], "observation": ["best"], "reward": reward}
    env = fw.GameEnv(High, **asked)
    env.reset(seed=1)
    for _ in range(60):
        seen = env.step(0)[0]
    env.close()
    assert seen[0] == 1
    assert tree(data) == before


def test_the_matrix_leaves_the_players_saves_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from framework.sim.matrix import Environment, run_matrix

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "high.py").write_text(GAME)
    among = [
        Environment("as it is", drawing=False),
        Environment("every tick twice", drawing=False, twice=True),
    ]
    assert run_matrix(tmp_path / "high.py", ticks=40, among=among).ok
    assert not (tmp_path / "data").exists()


def test_a_save_is_loaded_again_within_a_run_and_two_runs_have_their_own(
    data: Path, recorded: Any
) -> None:
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

    replay = recorded(Round, 10)
    (data / "Round" / "saves" / "a").unlink()
    with (
        replay.playing(Round, headless=True) as (one, first),
        replay.playing(Round, headless=True) as (other, second),
    ):
        folders = {one.saves.path(), other.saves.path()}
        for playback in (first, second):
            for _ in playback.run(6):
                pass
        assert one.there
        assert other.there
        assert one.n == 0
        for playback in (first, second):
            for _ in playback.run():
                pass
        assert (one.n, other.n) == (7, 7)
        assert len(folders) == 2
        assert data not in {path for folder in folders for path in folder.parents}
    assert not any(folder.exists() for folder in folders)  # the temporary folders are gone
    assert not (data / "Round" / "saves" / "a").exists()


def test_other_files_that_rules_write_are_written_once(
    data: Path, tmp_path: Path, recorded: Any
) -> None:
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
    assert sorted(tree(out)) == ["own.replay", "x.csv", "x.json", "x.png", "x.save"]
    for path in out.iterdir():
        if path.name != "own.replay":
            path.unlink()
    replay = fw.Replay(out / "own.replay")
    before = tree(out)
    with replay.playing(Writes, headless=True) as (game, playback):
        game.advance(1)
        for _ in playback.run():
            pass
        assert game.n == 6
        game.screenshot(tmp_path / "asked.png")  # the program that drives it writes where it says
    assert tree(out) == before
    assert (tmp_path / "asked.png").exists()
    assert fw.sync_test(Writes, 8, drawing=False).ok
    assert tree(out) == before


def test_a_run_apart_puts_nothing_on_the_clipboard(
    recorded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from framework.game.surface import GameSurface

    copied: list[str] = []
    monkeypatch.setattr(GameSurface, "copy", lambda self, text: copied.append(text))

    class Copies(fw.Game):
        def update(self, dt: float) -> None:
            if self.tick == 2:
                driven(self).stage.files.copy("secret")

    replay = recorded(Copies, 5)
    assert copied == ["secret"]
    replay.verify(Copies)
    assert copied == ["secret"]
    with Copies(drawing=False) as game:
        before = game.snapshot()
        game.run_ticks(3)
        game.restore(before)
        game.run_ticks(3)
    assert copied == ["secret"] * 2


def test_a_game_that_a_game_apart_makes_is_apart_too(data: Path) -> None:
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


def test_a_folder_of_saves_is_kept(data: Path, tmp_path: Path, recorded: Any) -> None:
    replay = recorded(High)
    assert replay.verify(High, saves=tmp_path / "kept").ok
    assert fw.Save(tmp_path / "kept" / "scores").game.endswith("High")
    assert fw.sync_test(High, 40, saves=tmp_path / "other").ok
    assert (tmp_path / "other" / "scores").exists()
    with ThreadPoolExecutor(1) as pool:
        assert (
            len([*fw.run_many(High, [3, 5], pool, ticks=40, saves=tmp_path / "many", check=1)]) == 2
        )
        assert sorted(tree(tmp_path / "many")) == ["3/scores", "5/scores"]
        with pytest.raises(
            fw.FrameworkError, match="saves: expected an empty folder or a new one, got"
        ):
            fw.run_many(High, [3], pool, saves=tmp_path / "many")


def test_a_game_that_was_closed_still_says_where_its_saves_are(data: Path) -> None:
    with High(drawing=False) as game:
        game.saves_folder = "Higher"  # type: ignore[misc]
    assert game.saves.path("a") == data / "Higher" / "saves" / "a"


# -- ticks that are run again ----------------------------------------------------------------------


def test_a_tick_that_is_run_again_saves_once_and_loads_what_it_loaded(data: Path) -> None:
    have(5, Loads)
    with Loads(drawing=False) as game:
        game.recording.rewind = fw.Rewind(duration=10)
        game.run_ticks(12)
        assert game.best == 5
        have(9, Loads)
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


def test_a_save_is_not_written_again_by_a_tick_that_is_run_again(data: Path) -> None:
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


def test_the_first_run_of_a_tick_after_going_back_saves(data: Path) -> None:
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


def test_a_replay_loads_what_was_loaded(data: Path, recorded: Any) -> None:
    have(3)
    replay = recorded(High)
    have(500)
    assert replay.verify(High).ok
    (data / "High" / "saves" / "scores").unlink()
    assert replay.verify(High).ok
    (result, loaded_) = replay.loads()
    assert (result.kind, result.names, result.tick) == ("files", ("scores",), 0)
    assert (loaded_.kind, loaded_.name, loaded_.tick, loaded_.error) == ("load", "scores", 0, "")
    assert loaded_.size == len(loaded_.data)
    assert "data" not in json.dumps(loaded_.packed())


def test_a_replay_raises_the_error_that_was_raised(data: Path, recorded: Any) -> None:
    replay = recorded(Loads, 25)
    assert [(one.tick, one.error) for one in replay.loads()] == [
        (tick, "cannot be read: No such file or directory.") for tick in (10, 20)
    ]
    have(4, Loads)
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
    assert [one.name for one in replay.loads()] == ["a", "b"]
    assert str(tmp_path) not in repr(replay.loads()) + repr(replay.header)


def test_what_a_menu_reads_of_saves_is_replayed(data: Path, recorded: Any) -> None:
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
    replay = recorded(Slots, 10)
    for path in (data / "Slots" / "saves").iterdir():
        path.unlink()
    report = replay.verify(Slots)
    assert report.ok, str(report)
    with replay.playing(Slots, headless=True) as (game, _):
        assert game.slots == [("slot 1", 0), ("slot 2", 7)]
        assert game.goes_on


def test_a_large_save_is_known_by_its_hash(data: Path, tmp_path: Path, recorded: Any) -> None:
    class Large(fw.Game):
        saved = ("values",)

        def setup(self) -> None:
            self.values = np.zeros(300_000)
            if self.saves.path("big").exists():
                self.load("big")

    with Large(drawing=False) as game:
        game.values[:] = game.random.random(300_000)
        path = game.save("big")
    replay = recorded(Large, 20)
    (result,) = [one for one in replay.loads() if one.kind == "load"]
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
    ) as no:
        replay.verify(Large)
    assert not isinstance(no.value, fw.AssetError)
    assert "--saves DIR" in str(no.value)


def test_a_save_that_failed_fails_again(data: Path, recorded: Any) -> None:
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
    replay = recorded(Full, 10)
    (data / "Full").unlink()
    report = replay.verify(Full)
    assert report.ok, str(report)


def test_a_recording_made_while_the_game_is_wound_back_has_the_loads_of_what_was_played(
    data: Path, tmp_path: Path
) -> None:
    have(5, Loads)
    with Loads(drawing=False) as game:
        game.recording.rewind = fw.Rewind(duration=60)
        game.recording.start(tmp_path / "a.replay", hash_every=10)
        game.run_ticks(1300)
        have(9, Loads)
        game.run_ticks(100)
        game.recording.rewind.seek(605)
        game.recording.rewind.resume()
        have(11, Loads)
        game.run_ticks(100)
    replay = fw.Replay(tmp_path / "a.replay")
    assert [one.tick for one in replay.loads()] == [*range(10, 705, 10)]
    assert len({one.sha256 for one in replay.loads()}) == 2
    assert all(one.data is not None for one in replay.loads())
    have(500, Loads)
    assert replay.verify(Loads).ok


def test_an_old_recording_reads_the_players_folder_and_a_report_names_the_file(
    data: Path, tmp_path: Path, recorded: Any
) -> None:
    have(3)
    replay = recorded(High)
    path = tmp_path / "old.replay"
    file = Container(replay._recording.path)
    writer = ContainerWriter(
        path, {key: value for key, value in file.header.items() if key != "inputs"}
    )
    for kind, payload in file.blocks():
        if kind not in (HEADER, SAVE, LOADS):
            writer.write(kind, payload)
    writer.close()
    have(3)
    before = tree(data)
    assert fw.Replay(path).verify(High).ok
    have(7)
    report = fw.Replay(path).verify(High)
    assert not report.ok
    assert "the game loads 'scores' in setup(), which the recording does not hold" in str(report)
    have(3)
    assert tree(data).keys() == before.keys()


def test_a_changed_game_that_loads_more_finds_nothing_and_the_report_names_the_file(
    data: Path, recorded: Any
) -> None:
    class Younger(fw.Game):
        saved = ("best",)
        best = 0

        def update(self, dt: float) -> None:
            self.best += 1

    replay = recorded(Younger)

    def update(self: Any, dt: float) -> None:
        try:
            self.load("scores")
        except fw.AssetError:
            self.best -= 1

    Younger.update = update  # type: ignore[method-assign]
    report = replay.verify(Younger)
    assert not report.ok
    assert "the game loads 'scores' in tick 1, which the recording does not hold" in str(report)


def test_a_run_that_is_run_again_after_a_change_saves_once(data: Path, tmp_path: Path) -> None:
    from framework.tools.replays import play_again

    have(3)
    with High(drawing=False) as game:
        game.recording.start(tmp_path / "a.replay", hash_every=0)
        game.run_ticks(40)
        path = game.saves.path("scores")
    path.write_bytes(b"later")
    apart = SeparateRun(results=results(Container(tmp_path / "a.replay")), reloading=True)
    with make_game(High, {"separate_run": apart}, drawing=False) as game:
        game.recording.start(tmp_path / "b.replay", hash_every=0)
        play_again(game, str(tmp_path / "a.replay"))
        driven(game).stage.files.end_reload()
        assert (game.best, game.tick) == (4, 40)
        assert path.read_bytes() == b"later"
        assert game.saves.path("scores") == path
        game.save("scores")
        assert fw.Save(path).tick == 40
    assert [one.name for one in fw.Replay(tmp_path / "b.replay").loads()] == ["scores", "scores"]


# -- recordings of strangers -----------------------------------------------------------------------


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
def test_a_list_of_loads_that_no_recorder_writes_is_refused(tmp_path: Path, listed: bytes) -> None:
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


def test_results_come_back_from_their_blocks(tmp_path: Path) -> None:
    given = [
        Result(0, "files", "", names=("a", "b")),
        loaded(0, "a", b"x" * 700_000),
        loaded(3, "b", b""),
        Result(4, "load", "c", error="cannot be read: no."),
        loaded(9, "a", b"x" * 700_000),
    ]
    held: dict[str, int] = {}
    written = list(blocks(given, held))
    assert sum(kind == SAVE for kind, _ in written) == 3
    assert sorted(held.values()) == [0, 700_000]
    assert results(_file(tmp_path / "x", *written)) == given


def test_names_of_a_strangers_recording_never_leave_the_folder(
    data: Path, tmp_path: Path, recorded: Any
) -> None:
    class Looks(fw.Game):
        saved = ("n",)
        n = 1

        def setup(self) -> None:
            self.names = sorted(path.name for path in self.saves.path().glob("*"))

    replay = recorded(Looks, 3)
    evil = ("../../evil", "/tmp/evil", "a/b", "..", ".", "", "c:evil", "\0", "good")
    replay._recording.results = [Result(0, "files", "", names=evil)]
    with replay.playing(Looks, headless=True, saves=tmp_path / "in" / "here") as (game, _):
        assert game.names == ["good"]
    assert sorted(tree(tmp_path / "in")) == ["here/good"]


def test_a_save_in_a_recording_passes_the_checks_of_any_save(data: Path, recorded: Any) -> None:
    have(3)
    replay = recorded(High)
    (files, load) = replay.loads()
    bad = loaded(0, "scores", load.data[:-5] + b"wrong")
    replay._recording.results = [files, bad]
    with pytest.raises(fw.AssetError, match="is broken"), warnings.catch_warnings():
        replay.verify(High)


# -- the command line ------------------------------------------------------------------------------


def test_info_lists_what_a_recording_holds(
    data: Path, tmp_path: Path, recorded: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    size = have(3).stat().st_size
    replay = recorded(High, seed=4)
    assert main(["replay", replay._recording.path, "--info"]) == 0
    out = capsys.readouterr().out
    assert f"'scores': {size} bytes, loaded in setup\n" in out
    assert "60 ticks, 1.00 s" in out
    assert "seed" in out
    assert str(tmp_path) not in out.replace(replay._recording.path, "")
    assert main(["replay", recorded(Loads, 30)._recording.path, "--info"]) == 0
    out = capsys.readouterr().out
    assert "saves     none" in out
    assert "'scores': cannot be read" in out


def test_the_command_line_names_a_folder_of_saves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    Path("high.py").write_text(GAME)
    assert main(["run", "high.py", "--headless", "--frames", "60", "--record", "a.replay"]) == 0
    before = tree(tmp_path / "data")
    assert list(before) == ["High/saves/scores"]
    assert main(["replay", "a.replay", "high.py", "--verify"]) == 0
    assert main(["replay", "a.replay", "high.py", "--verify", "--saves", "kept"]) == 0
    assert main(["synctest", "high.py", "--ticks", "40", "--saves", "other"]) == 0
    assert sorted(os.listdir("kept")) == sorted(os.listdir("other")) == ["scores"]
    assert main(["synctest", "high.py", "--matrix", "--saves", "other"]) == 2
    assert "--saves: not with --matrix" in capsys.readouterr().err
    assert tree(tmp_path / "data") == before
