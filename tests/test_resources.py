"""Files that are found by name, and the suggestions for missing files."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import framework
from framework import resources
from framework.errors import AssetError
from framework.resources import find


def test_the_folders_of_the_package_exist() -> None:
    assert (resources.folder("shaders") / "sprites.vert").is_file()
    assert (resources.folder("examples") / "01_window.py").is_file()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create three folders with files. The working directory is one of them."""
    names = (
        "game/drop.png",
        "game/sprites/ship.png",
        "other/drop.png",
        "other/rock.png",
        "cwd/here.png",
    )
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    monkeypatch.chdir(tmp_path / "cwd")
    return tmp_path


def test_find_searches_the_folders_in_order_and_the_working_directory_last(
    folder: Path,
) -> None:
    folders = [folder / "game", folder / "other"]
    assert find("drop.png", folders) == folder / "game/drop.png"
    assert find("rock.png", folders) == folder / "other/rock.png"
    assert find(Path("sprites/ship.png"), folders) == folder / "game/sprites/ship.png"
    assert find("here.png", folders) == folder / "cwd/here.png"
    assert find(folder / "other/rock.png") == folder / "other/rock.png"


def test_the_error_of_find_has_the_name_the_folders_and_the_nearest_name(folder: Path) -> None:
    with pytest.raises(AssetError) as caught:
        find("dorp.png", [folder / "game", folder / "other"])
    text = str(caught.value)
    assert text == (
        f"There is no file 'dorp.png' in {folder / 'game'} or {folder / 'other'} or "
        f"{folder / 'cwd'}. "
        "The nearest there is: 'drop.png'."
    )


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("sprites/shop.png", "sprites/ship.png"),
        ("spirtes/ship.png", "sprites"),
        ("roc.png", "rock.png"),
    ],
)
def test_find_suggests_names_in_the_folder_of_the_path(
    folder: Path, name: str, nearest: str
) -> None:
    with pytest.raises(AssetError) as caught:
        find(name, [folder / "game", folder / "other"])
    assert f"The nearest there is: {str(Path(nearest))!r}" in str(caught.value)


@pytest.mark.parametrize("name", ["Drop.PNG", "Sprites/ship.png", "sprites/SHIP.png"])
def test_the_error_of_find_says_that_only_the_case_differs(folder: Path, name: str) -> None:
    if (folder / "game" / name).exists():
        pytest.skip("this file system takes either case")
    with pytest.raises(AssetError, match="only upper and lower case differ"):
        find(name, [folder / "game"])
    with pytest.raises(AssetError, match="only upper and lower case differ"):
        find(folder / "game" / name)


def test_the_error_of_find_without_a_similar_name(folder: Path) -> None:
    with pytest.raises(
        AssetError, match=r"There is no file 'zzz'.*Put the file there, or give its absolute"
    ):
        find("zzz", [folder / "not there"])


@pytest.mark.parametrize("name", ["sprites", ".", ""])
def test_a_folder_is_an_error_in_find(folder: Path, name: str) -> None:
    with pytest.raises(AssetError, match=r"is a folder \(.*Name a file in it"):
        find(name, [folder / "game"])


@pytest.mark.parametrize(
    "name", ["a" * 5000, "a\0b", "drop.png/x", "../../../../../../nothing", "/\0"]
)
def test_find_raises_asset_errors_for_odd_names(folder: Path, name: str) -> None:
    with pytest.raises(AssetError, match="There is no file"):
        find(name, [folder / "game"])


def test_other_types_are_refused_and_a_long_path_is_cut(folder: Path) -> None:
    for path in (None, 3, b"drop.png", ["drop.png"]):
        bad: Any = path
        with pytest.raises(TypeError, match=r"^path: expected a path, got "):
            find(bad)
    with pytest.raises(AssetError) as caught:
        find("a\nb" * 5000)
    assert len(str(caught.value)) < 500 + len(str(folder))
    assert "\n" not in str(caught.value)


def test_the_error_of_a_package_in_an_archive_names_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "games.zip"
    archive.write_bytes(b"PK")
    monkeypatch.setattr(resources, "_PACKAGE", archive / "framework")
    with pytest.raises(
        AssetError, match=r"in the archive .*games\.zip', where its shaders cannot be read as files"
    ):
        resources.folder("shaders")
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "framework")
    assert resources.folder("shaders") == tmp_path / "shaders"


def test_parts_without_files_work_from_an_archive(tmp_path: Path) -> None:
    archive = tmp_path / "games.zip"
    package = Path(framework.__file__).parent
    with zipfile.ZipFile(archive, "w") as file:
        for path in [*package.glob("*.py*"), *package.glob("timing/*.py")]:
            file.write(path, path.relative_to(package.parent))
    code = "import framework as fw; print(fw.FixedTimestep(50).dt, fw.__file__)"
    result = subprocess.run(
        [sys.executable, "-P", "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": str(archive)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.startswith(f"0.02 {archive}"), result.stderr
