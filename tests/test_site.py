"""The website's sources: pages in groups, links, examples in docstrings, and the reference."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import framework as fw

pytestmark = pytest.mark.repository

SITE = Path(__file__).parents[1] / "docs" / "site"


@pytest.fixture(scope="module")
def site() -> Iterator[Any]:
    """Import a module of the folder `docs/site` by its name."""
    sys.path.insert(0, str(SITE))
    yield importlib.import_module
    sys.path.remove(str(SITE))
    for name in ("site_pages", "reference", "docstrings"):
        sys.modules.pop(name, None)


def test_each_page_is_in_one_group(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = site("site_pages")
    pages.check_groups()
    monkeypatch.setitem(pages.GROUPS, "3D", ("space", "models", "sound"))
    with pytest.raises(SystemExit, match=r"\['light', 'sound'\]"):
        pages.check_groups()


def test_links_lead_to_pages_of_the_website(site: Any) -> None:
    adapted = site("site_pages").adapted
    text = (
        "A save (docs/saves.md) keeps all, see [time](docs/time.md#ticks) and "
        "[the shader](../shaders/a.glsl), `docs/saves.md`, https://a.org/docs/saves.md.\n"
        "```python\n# docs/saves.md\n```\n"
    )
    assert adapted(text, "../") == (
        "A save ([Saves](../saves.md)) keeps all, see [time](../time.md#ticks) and "
        "the shader, `docs/saves.md`, https://a.org/docs/saves.md.\n"
        "```python\n# docs/saves.md\n```\n"
    )
    assert adapted("[the\n  speed](docs/prices.md)", "") == "[the\n  speed](prices.md)"
    assert adapted("[all](docs/examples.md), docs/examples.md", "") == (
        "[all](examples/index.md), [The examples](examples/index.md)"
    )


def test_every_example_has_a_page_with_its_code(site: Any, tmp_path: Path) -> None:
    pages = site("site_pages")
    examples = pages.examples()
    files = sorted(path.name for path in (SITE.parents[1] / "examples").glob("[0-9]*.py"))
    assert [example.path.name for example in examples] == files
    pages.write_pages(tmp_path)
    for example in examples:
        page = (tmp_path / "examples" / f"{example.name}.md").read_text("utf-8")
        assert example.path.read_text("utf-8").rstrip() in page
        assert f"framework run {example.name}" in page


def test_examples_in_docstrings_are_code(site: Any) -> None:
    lines = [
        *("Do it.", "", "    fw.run(Game)", "", "Parameters", "----------", "size"),
        *("    The size.", "", "        size=(1, 2)", "", "    More.", "", "After it."),
    ]
    assert [*site("docstrings").code_marked(lines)] == [
        *("Do it.", "", ".. code-block:: python", "   :force:", "", "    fw.run(Game)", ""),
        *("Parameters", "----------", "size", "    The size.", ""),
        *("    .. code-block:: python", "       :force:", "", "        size=(1, 2)", ""),
        *("    More.", "", "", "After it."),
    ]


def test_every_public_name_has_a_topic_and_a_summary(site: Any) -> None:
    reference = site("reference")
    names = reference.public_names()
    assert sorted(name.name for name in names) == sorted(fw.__all__)
    silent = [name.name for name in names if callable(name.value) and len(name.summary) < 10]
    assert silent == []


def test_old_names_are_in_no_list_of_members(site: Any) -> None:
    names = {name.name: name for name in site("reference").public_names()}
    assert "position" in names["SpriteBatch"].members
    assert "raycast" in names["collide"].members
    moved = [name for name in names.values() if {"spin", "is_on"} & {*name.members}]
    assert moved == []


def test_a_page_of_the_reference_is_readable_as_markdown(site: Any) -> None:
    reference = site("reference")
    names = {name.name: name for name in reference.public_names()}
    page = reference.as_markdown(names["SpriteBatch"])
    assert page.startswith("# fw.SpriteBatch\n")
    assert "## teleport" in page
    assert "A batch of sprites" in page
