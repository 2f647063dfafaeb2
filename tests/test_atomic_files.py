"""Files that are replaced in one step: killed processes, full disks, several processes."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import framework as fw
from framework.record import atomic_files
from framework.record.atomic_files import replacing, write_text, writing
from framework.sim.video import write_video

WRITER = """
import os, sys
from framework.record.atomic_files import replacing

with replacing(sys.argv[1], sys.argv[1] + ".bak") as beside:
    open(beside, "wb").write(b"half")
    os.link(sys.argv[1], beside.removesuffix("part") + "old")
    print("ready", flush=True)
    sys.stdin.read()
"""


@contextmanager
def writing_process(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a process that stops in the middle of replacing the file ``path``."""
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """Limit the size of all files to ``room`` bytes."""
    resource = pytest.importorskip("resource", reason="no limits of file sizes on Windows")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


def hidden_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def test_temporary_files_of_killed_processes_are_removed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "one.save"
    write_text(str(path), "old")
    with writing_process(path) as living:
        with writing_process(path) as killed:
            pass
        assert len(hidden_files(tmp_path)) == 4
        write_text(str(path), "new")
        assert {name.split(".")[3].split("-")[0] for name in hidden_files(tmp_path)} == {
            str(living.pid)
        }
        assert killed.pid != living.pid
        assert len(hidden_files(tmp_path)) == 2
        assert living.stdin is not None
        living.stdin.close()  # the living process continues, and replaces the file
        assert living.wait() == 0
    assert path.read_text() == "half"
    assert sorted(os.listdir(tmp_path)) == ["one.save", "one.save.bak"]


def test_only_temporary_files_of_the_same_path_are_removed(tmp_path: Path) -> None:
    other_files = [
        ".one.save.part",
        ".one.save.1-2.part.x",
        ".two.save.1-2.part",
        ".one.save.1-.part",
    ]
    temporary_files = [".one.save.1-2.part", ".one.save.1-2.old", ".one.save.33-4.old"]
    for name in (*other_files, *temporary_files):
        (tmp_path / name).write_text("x")
    (tmp_path / ".one.save.5-5.part").mkdir()
    write_text(str(tmp_path / "one.save"), "new")
    assert sorted(os.listdir(tmp_path)) == sorted([*other_files, ".one.save.5-5.part", "one.save"])


@pytest.mark.parametrize("locks", ["no module", "no support"])
def test_without_locks_only_files_older_than_an_hour_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locks: str
) -> None:
    def fails(*arguments: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    if locks == "no module":
        monkeypatch.setattr(atomic_files, "fcntl", None)
    else:
        assert atomic_files.fcntl is not None
        monkeypatch.setattr(atomic_files.fcntl, "flock", fails)
    path = tmp_path / "one"
    with replacing(str(path)) as beside:
        created = Path(beside).stat().st_mtime
        Path(beside).write_text("new")
    for name, age in ((".one.1-1.part", 3700), (".one.1-2.part", 3500)):
        (tmp_path / name).write_text("x")
        os.utime(tmp_path / name, (created - age, created - age))
    with writing(str(path)) as file:
        file.write(b"newer")
    assert sorted(os.listdir(tmp_path)) == [".one.1-2.part", "one"]


def test_a_file_that_is_deleted_before_its_lock_is_created_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = atomic_files._lock
    calls: list[int] = []

    def late(number: int) -> bool | None:
        calls.append(number)
        if len(calls) == 1:
            for name in hidden_files(tmp_path):
                (tmp_path / name).unlink()
        return len(calls) != 2 and lock(number)

    monkeypatch.setattr(atomic_files, "_lock", late)
    write_text(str(tmp_path / "one"), "new")
    assert (
        len(calls) == 4
    )  # the first was deleted, the second locked by another process, the third succeeds; then the leftover is locked
    assert (tmp_path / "one").read_text() == "new"
    assert os.listdir(tmp_path) == ["one"]


# -- full disks ------------------------------------------------------------------------------------

NOISE = np.random.default_rng(1).integers(0, 256, (64, 64, 4), dtype=np.uint8)


@pytest.mark.parametrize("ending", ["png", "jpg", "bmp", "webp"])
def test_a_full_disk_leaves_no_half_image(tmp_path: Path, ending: str) -> None:
    from framework.assets.images import save

    path = tmp_path / f"a.{ending}"
    with (
        full_disk(1000),
        pytest.raises(fw.AssetError, match=r"The image cannot be written to .*a\."),
    ):
        save(NOISE, path)
    assert os.listdir(tmp_path) == []
    save(NOISE[:4, :4], path)
    before = path.read_bytes()
    with full_disk(1000), pytest.raises(fw.AssetError) as caught:
        save(NOISE, path)
    assert ".part" not in str(caught.value)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [f"a.{ending}"]


def test_an_unknown_image_extension_is_refused(tmp_path: Path) -> None:
    from framework.assets.images import save

    with pytest.raises(fw.AssetError, match="unknown file extension"):
        save(NOISE, tmp_path / "a.what")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("ending", ["gif", "mp4", "mkv", "mov", "webm"])
def test_a_full_disk_leaves_no_half_video(tmp_path: Path, ending: str) -> None:
    if ending != "gif":
        pytest.importorskip("av")
    path = tmp_path / f"a.{ending}"
    frames = [np.roll(NOISE, index, 1) for index in range(8)]
    with full_disk(2000), pytest.raises(fw.AssetError, match=rf"a\.{ending}' cannot be written: "):
        write_video(str(path), frames, Fraction(10))
    assert os.listdir(tmp_path) == []
    assert write_video(str(path), frames, Fraction(10)) == 8
    assert os.listdir(tmp_path) == [path.name]
    assert path.stat().st_size > 2000


def test_a_full_disk_leaves_no_half_table(tmp_path: Path) -> None:
    with fw.Game(drawing=False) as game:
        game.run_ticks(3)
        for _ in range(100):
            game.advance(1 / 60)
        with (
            full_disk(100),
            pytest.raises(fw.AssetError, match="frame statistics cannot be written"),
        ):
            game.debug.frame_stats.to_csv(tmp_path / "a.csv")
        with full_disk(10), pytest.raises(fw.AssetError, match="cannot be written"):
            game.saves.export_json(tmp_path / "a.json")
    assert os.listdir(tmp_path) == []
