"""The source of the installed framework: how new games, and this computer, install it again."""

from __future__ import annotations

import importlib.metadata
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from framework import __version__, resources
from framework.tools import new_game, package_source
from framework.tools.package_source import NEWEST, pip_command, requirement_end

FROM_GIT = {
    "url": "https://git.example/subtick",
    "vcs_info": {"vcs": "git", "commit_id": "0123abcd"},
}
FROM_ARCHIVE = {"url": "https://example.org/subtick.zip", "archive_info": {}}


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that sets the contents of ``direct_url.json``, or None for a package index."""

    def set_origin(origin: dict[str, Any] | None) -> None:
        class Distribution:
            def read_text(self, name: str) -> str | None:
                assert name == "direct_url.json"
                return None if origin is None else json.dumps(origin)

        monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Distribution())

    return set_origin


@pytest.mark.parametrize(
    ("origin", "end"),
    [
        (None, f">={__version__}"),
        (FROM_GIT, " @ git+https://git.example/subtick@0123abcd"),
        (
            FROM_GIT | {"subdirectory": "a"},
            " @ git+https://git.example/subtick@0123abcd#subdirectory=a",
        ),
        (FROM_ARCHIVE, " @ https://example.org/subtick.zip"),
        ({"url": "file:///home/me/subtick", "dir_info": {"editable": True}}, NEWEST),
        ({"url": "file:///home/me/subtick-0.1.0-py3-none-any.whl", "archive_info": {}}, NEWEST),
        ({"url": "ssh://git@git.example/subtick", "vcs_info": {"vcs": "git"}}, NEWEST),
        ({"url": "https://git.example/subtick", "vcs_info": {"vcs": "git"}}, NEWEST),
    ],
)
def test_other_computers_install_from_a_version_or_a_url(
    install: Any, origin: dict[str, Any] | None, end: str
) -> None:
    install(origin)
    assert requirement_end() == end


def test_without_metadata_the_newest_files_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    assert requirement_end() == NEWEST
    assert pip_command() == f'pip install "subtick{NEWEST}"'


def test_this_computer_installs_again_from_the_same_source(install: Any, tmp_path: Path) -> None:
    folder = tmp_path / "my files"
    folder.mkdir()
    for editable, option in ((True, "-e "), (False, "")):
        install({"url": folder.as_uri(), "dir_info": {"editable": editable}})
        assert (
            pip_command("--force-reinstall") == f'pip install --force-reinstall {option}"{folder}"'
        )
    install({"url": (tmp_path / "removed.whl").as_uri(), "archive_info": {}})
    assert pip_command() == f'pip install "subtick{NEWEST}"'
    install(FROM_ARCHIVE)
    assert pip_command() == 'pip install "subtick @ https://example.org/subtick.zip"'
    install(None)
    assert pip_command("--force-reinstall") == "pip install --force-reinstall subtick"


@pytest.mark.parametrize("origin", [None, FROM_ARCHIVE])
def test_a_new_game_names_this_source(
    install: Any,
    origin: dict[str, Any] | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    install(origin)
    end = requirement_end()
    new_game.make_project("cave", "platformer")
    settings = tomllib.loads(Path("cave/pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["dependencies"] == [f"subtick{end}"]
    assert settings["dependency-groups"]["dev"] == ["pytest>=8", f"subtick[freeze]{end}"]
    assert f'\npip install "subtick{end}"\n' in Path("cave/README.md").read_text(encoding="utf-8")
    workflow = Path("cave/.github/workflows/tests.yml").read_text(encoding="utf-8")
    assert f'pip install "subtick{end}" pytest\n' in workflow


def test_the_repository_of_the_metadata_has_the_newest_files() -> None:
    settings = resources.folder("templates").parent / "pyproject.toml"
    if not settings.exists():
        pytest.skip("the package is installed without pyproject.toml")
    urls = tomllib.loads(settings.read_text(encoding="utf-8"))["project"]["urls"]
    assert package_source.NEWEST.startswith(f" @ {urls['Repository']}/")


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_a_broken_file_in_the_installation_is_no_error(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    class Distribution:
        def read_text(self, name: str) -> str:
            return text

    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Distribution())
    assert requirement_end() == NEWEST
    assert pip_command() == f'pip install "subtick{NEWEST}"'
