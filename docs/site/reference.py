"""The pages of the reference: one for each public name, and lists of all names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import docstrings

import framework as fw

TITLES = {
    "game": "Games, scenes and views",
    "plane": "Sprites, shapes and 2D cameras",
    "assets": "Images, clips and palettes",
    "text": "Text",
    "ui": "Widgets",
    "tiles": "Tile maps",
    "particles": "Particles",
    "light2d": "2D light",
    "input": "Keys, mouse, gamepads and actions",
    "audio": "Sound",
    "motion": "Tweens, following and states",
    "timing": "Time, routines and schedules",
    "geometry": "Geometry, collisions and paths",
    "physics": "Physics",
    "space": "3D",
    "models": "Models and materials",
    "state": "Columns, transforms and nodes",
    "gpu": "Effects and your own OpenGL code",
    "record": "Saves, snapshots and recordings",
    "sim": "Tests, replays and many runs",
    "net": "Network",
    "learn": "Agents that learn",
    "colors": "Colors",
    "errors": "Errors",
    "watch": "Hot reload and the inspector",
    "bench": "Measuring",
    "screen_mapping": "Sizes and scaling",
}
"""The topics of the reference, in the order of the page. The keys are the rooms of the package."""


@dataclass(frozen=True)
class Name:
    """One public name of the package."""

    name: str
    room: str
    value: Any

    @property
    def summary(self) -> str:
        """The first sentence of the docstring, on one line."""
        text = inspect.getdoc(self.value) if callable(self.value) or self.is_module else None
        first = " ".join((text or "").partition("\n\n")[0].split())
        return re.split(r"(?<=\.) ", first)[0]

    @property
    def is_module(self) -> bool:
        return isinstance(self.value, ModuleType)

    @property
    def members(self) -> list[str]:
        """The public members of a class or a module."""
        if self.is_module:
            return [*vars(self.value)["__all__"]]
        if not inspect.isclass(self.value):
            return []
        return [
            name
            for name in dir(self.value)
            if not name.startswith("_")
            and docstrings.is_shown(inspect.getattr_static(self.value, name, None))
        ]


def public_names() -> list[Name]:
    """Return all public names of the package, sorted by topic and name."""
    stub = (Path(fw.__file__).parent / "__init__.pyi").read_text("utf-8")
    rooms = {
        name: room
        for room, name in re.findall(r"^from \.(\w+)[\w.]* import \w+ as (\w+)$", stub, re.M)
    }
    order = list(TITLES)
    names = [Name(name, rooms[name], getattr(fw, name)) for name in fw.__all__]
    return sorted(names, key=lambda each: (order.index(each.room), each.name.lower()))


def write_pages(folder: Path, names: list[Name]) -> None:
    """Write a page for each name, the list of topics, and the cheat sheet."""
    folder.mkdir(parents=True)
    for name in names:
        (folder / f"{name.name}.rst").write_text("\n".join(_page(name)), "utf-8")
    (folder / "index.md").write_text("\n".join(_index(names)), "utf-8")
    (folder / "cheat_sheet.md").write_text("\n".join(_cheat_sheet(names)), "utf-8")


def _page(name: Name) -> Iterator[str]:
    title = f"fw.{name.name}"
    # These pages are not in the tree of pages. Otherwise Sphinx would need seconds for every page,
    # because of the many members.
    yield from (":orphan:", "", title, "=" * len(title), "")
    if not name.is_module:
        yield from _directive("framework", name.name, name.value)
        return
    module = name.value.__name__
    yield from (f".. automodule:: {module}", "")
    for member in name.members:
        yield from _directive(module, member, getattr(name.value, member))


def _directive(module: str, name: str, value: object) -> Iterator[str]:
    """Yield the entry of a class, a function or a value."""
    if inspect.isclass(value):
        yield from (
            f".. autoclass:: {module}.{name}",
            "   :members:",
            "   :inherited-members: object",
            "",
        )
    elif inspect.isroutine(value):
        yield from (f".. autofunction:: {module}.{name}", "")
    else:
        yield from (f".. py:data:: {name}", f"   :module: {module}")
        if isinstance(value, int | float | str | tuple):
            yield f"   :value: {value!r}"
        yield ""


def _by_topic(names: list[Name]) -> Iterator[tuple[str, list[Name]]]:
    for room, title in TITLES.items():
        members = [name for name in names if name.room == room]
        if members:
            yield title, members


def _index(names: list[Name]) -> Iterator[str]:
    yield "# Reference"
    yield ""
    yield (
        "Every public name, by topic. `fw` is the package: `import framework as fw`. "
        "[The cheat sheet](cheat_sheet.md) lists all members on one page."
    )
    for title, members in _by_topic(names):
        yield from ("", f"## {title}", "", "| name | purpose |", "|---|---|")
        for name in members:
            yield f"| [`fw.{name.name}`]({name.name}.rst) | {_cell(name.summary)} |"
    yield from ("", "```{toctree}", ":hidden:", "", "cheat_sheet", "```")


def _cheat_sheet(names: list[Name]) -> Iterator[str]:
    yield "# Cheat sheet"
    yield ""
    yield "All public names and their members. `fw` is the package: `import framework as fw`."
    for title, members in _by_topic(names):
        yield from ("", f"## {title}", "", "| name | members |", "|---|---|")
        for name in members:
            listed = " ".join(f"`{member}`" for member in name.members)
            yield f"| [`{name.name}`]({name.name}.rst) | {listed or _cell(name.summary)} |"


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


def as_markdown(name: Name) -> str:
    """Return the page of a name as Markdown: its signature, its docstring, and its members."""
    lines = [f"# fw.{name.name}", "", *_entry(name.name, name.value)]
    for member in name.members:
        value = getattr(name.value, member, None)
        lines += [f"## {member}", "", *_entry(member, value)]
    return "\n".join(lines) + "\n"


def _entry(name: str, value: Any) -> Iterator[str]:
    if callable(value):
        try:
            # A default that is a function would be shown with its address in memory.
            text = str(inspect.signature(value))
            signature = re.sub(r"<function (\w+) at 0x\w+>", r"\1", text)
        except (TypeError, ValueError):
            signature = "(…)"
        yield from ("```python", f"{name}{signature}", "```", "")
    documented = callable(value) or isinstance(value, ModuleType | property)
    text = inspect.getdoc(value) if documented else None
    yield from (text or "A value.", "")
