"""The pages of the website: the project's pages in groups, and a page for each example."""

from __future__ import annotations

import ast
import itertools
import operator
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

GROUPS = {
    "Start": (
        "tutorial",
        "tutorial_space",
        "features",
        "plane",
        "scenes",
        "time",
        "window",
        "art",
        "testing",
        "small_examples",
        "complete_game",
        "from_arcade",
        "from_pygame",
        "from_godot",
        "from_unity",
        "from_ursina",
        "shipping",
        "prices",
    ),
    "2D": (
        *("sprites", "shapes", "polygons", "text", "tilemaps", "cameras", "views", "particles"),
        *("light2d", "collisions", "physics", "tweens", "routines", "effects"),
    ),
    "3D": ("space", "models", "light"),
    "Sound, input and menus": ("sound", "input", "widgets"),
    "Tools": (
        *("saves", "recording", "replay", "rewind", "debugging", "many_runs", "environments"),
        *("server", "network", "beside"),
    ),
    "Internals": (
        *("determinism", "architecture", "gpu", "extending", "links", "modules", "migrating"),
        *("sources", "STYLE"),
    ),
}
"""The groups of the pages in `docs`, in the order of the menu."""

_PAGE = re.compile(r"(?<![\w/\[`])docs/(\w+)\.md")
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)")
_STEP = re.compile(r"\.\./examples/(tutorial\w*)/(\w+)\.py")
"""A link to a step of a tutorial, from a page in `docs`."""


@dataclass(frozen=True)
class Example:
    """One example of the folder `examples`."""

    number: int
    name: str
    purpose: str
    path: Path

    @property
    def picture(self) -> Path | None:
        """The picture of the example in `docs/pictures`, if there is one."""
        path = DOCS / "pictures" / f"{self.name}.png"
        return path if path.exists() else None

    @property
    def introduction(self) -> str:
        """The docstring of the example's file."""
        return ast.get_docstring(ast.parse(self.path.read_text("utf-8"))) or ""


def title_of(page: str) -> str:
    """Return the title of a page in `docs`."""
    first = (DOCS / f"{page}.md").read_text("utf-8").partition("\n")[0]
    return first.removeprefix("# ").partition(":")[0]


def check_groups() -> None:
    """Raise `SystemExit` unless each page of `docs` is in one group."""
    grouped = [page for pages in GROUPS.values() for page in pages]
    present = {path.stem for path in DOCS.glob("*.md")} - {"examples"}
    wrong = {page for page in grouped if grouped.count(page) > 1} | present ^ set(grouped)
    if wrong:
        raise SystemExit(f"docs/site/site_pages.py: not in one group, or no page: {sorted(wrong)}")


def examples() -> list[Example]:
    """Return all examples, with the descriptions in docs/examples.md."""
    rows = re.findall(
        r"^\| (\d+) \| (\w+) \| (.+) \|$", (DOCS / "examples.md").read_text("utf-8"), re.M
    )
    return [
        Example(int(number), name, purpose, ROOT / "examples" / f"{int(number):02}_{name}.py")
        for number, name, purpose in rows
    ]


def write_pages(folder: Path) -> None:
    """Write all pages of `docs`, and a page for each example."""
    check_groups()
    shutil.copytree(DOCS / "pictures", folder / "pictures", ignore=shutil.ignore_patterns("*.py"))
    for path in DOCS.glob("*.md"):
        if path.stem != "examples":
            text = adapted(path.read_text("utf-8"), "")
            if path.stem == "small_examples":
                text = "\n".join([text, *_small_programs()])
            (folder / path.name).write_text(text, "utf-8")
    for name in ("CHANGELOG", "CONTRIBUTING"):
        text = (ROOT / f"{name}.md").read_text("utf-8")
        (folder / f"{name}.md").write_text(adapted(text, ""), "utf-8")
    (folder / "index.md").write_text("\n".join(_index()), "utf-8")
    _write_examples(folder / "examples")
    for tutorial in ("tutorial", "tutorial_space"):
        _write_steps(folder, tutorial)


def adapted(text: str, to_root: str) -> str:
    """Return the text of a page with links for the website.

    ``docs/saves.md`` in a sentence becomes a link with the title of that page. A link to a step of
    a tutorial leads to the page with its code. Links to other files of the repository become plain
    text, because the website does not have these files.
    ``to_root`` is the path from the page to the folder of all pages, such as ``"../"``.
    """

    def named(match: re.Match[str]) -> str:
        page = match[1]
        if page == "examples":
            return f"[The examples]({to_root}examples/index.md)"
        return f"[{title_of(page)}]({to_root}{page}.md)"

    def target(match: re.Match[str]) -> str:
        path = match[2].removeprefix("docs/")
        page, _, section = path.partition("#")
        if step := _STEP.fullmatch(page):
            return f"[{match[1]}]({to_root}{step[1]}/{step[2]}.md)"
        if page.startswith("../"):
            return match[1]
        if page == "examples.md":
            page = "examples/index.md"
        return f"[{match[1]}]({to_root}{page}{'#' if section else ''}{section})"

    parts = []
    for is_code, lines in itertools.groupby(_lines(text), key=operator.itemgetter(1)):
        part = "".join(line for line, _ in lines)
        if not is_code:
            part = _LINK.sub(target, part)  # the text of a link may go on in the next line
            part = "".join(
                _outside_code(_PAGE, named, line) for line in part.splitlines(keepends=True)
            )
        parts.append(part)
    return "".join(parts)


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line of a page, and whether it is in a block of code."""
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = re.match(r"\s*(```+)", line)
        if mark and not fence:
            fence = mark[1]
            yield line, True
        elif mark and mark[1].startswith(fence):
            fence = ""
            yield line, True
        else:
            yield line, bool(fence)


def _outside_code(pattern: re.Pattern[str], new: Callable[[re.Match[str]], str], line: str) -> str:
    """Replace ``pattern`` in a line, but not between backticks."""
    parts = line.split("`")
    return "`".join(
        part if number % 2 else pattern.sub(new, part) for number, part in enumerate(parts)
    )


def _index() -> Iterator[str]:
    """The first page: the README, and the lists of all pages."""
    text = (ROOT / "README.md").read_text("utf-8")
    yield adapted(text, "")
    yield from ("```{toctree}", ":hidden:", "", "self", "examples/index", "reference/index", "```")
    for group, pages in GROUPS.items():
        yield from ("", "```{toctree}", ":hidden:", f":caption: {group}", "")
        yield from pages
        if group == "Internals":
            yield from ("CONTRIBUTING", "CHANGELOG")
        yield "```"


def _write_examples(folder: Path) -> None:
    folder.mkdir()
    text = (DOCS / "examples.md").read_text("utf-8")
    before, table, after = _split_at_table(adapted(text, "../"))
    every = examples()
    gallery = [
        *("````{only} html", "```{raw} html", '<div class="gallery">'),
        *(_tile(example) for example in every),
        *("</div>", "```", "````"),
    ]
    names = ["```{toctree}", ":hidden:", "", *(example.name for example in every), "```"]
    before = re.sub(r"^!\[.*\]\(.*\)$", "", before, flags=re.M)
    page = "\n".join([before.strip(), "", *gallery, "", table, after, "", *names, ""])
    for example in every:
        page = page.replace(f"| {example.name} |", f"| [{example.name}]({example.name}.md) |", 1)
        (folder / f"{example.name}.md").write_text("\n".join(_example(example)), "utf-8")
    (folder / "index.md").write_text(page, "utf-8")


def _small_programs() -> Iterator[str]:
    """The code of the small examples, which the website shows below their tables."""
    yield from ("## The programs", "")
    for path in sorted((ROOT / "examples" / "small").glob("[a-z0-9]*.py")):
        yield from (
            f"### {path.stem}",
            "",
            "```python",
            path.read_text("utf-8").rstrip(),
            "```",
            "",
        )


def _split_at_table(text: str) -> tuple[str, str, str]:
    """Return the text before the first table, the table, and the text after it."""
    lines = text.splitlines()
    rows = [number for number, line in enumerate(lines) if line.startswith("|")]
    first = rows[0]
    last = next(
        n for n in range(first, len(lines) + 1) if n == len(lines) or not lines[n].startswith("|")
    )
    return "\n".join(lines[:first]), "\n".join(lines[first:last]), "\n".join(lines[last:])


def _tile(example: Example) -> str:
    film = DOCS / "pictures" / f"{example.name}.webp"
    picture = film if film.exists() else example.picture
    image = (
        f'<img loading="lazy" alt="" src="../_images/{picture.name}">'
        if picture
        else "<span></span>"
    )
    return f'<a href="{example.name}.html">{image}<b>{example.name}</b></a>'


def _example(example: Example) -> Iterator[str]:
    yield f"# {example.name.capitalize()}"
    yield ""
    purpose = adapted(example.purpose, "../").strip()
    yield f"What it shows: {purpose}."
    yield ""
    yield from ("```sh", f"framework run {example.name}", "```", "")
    film = DOCS / "pictures" / f"{example.name}.webp"
    picture = film if film.exists() else example.picture
    if picture is not None:
        yield f"![The example {example.name}](../pictures/{picture.name})"
        yield ""
    yield f"The whole program, `examples/{example.path.name}`:"
    yield from ("", "```python", example.path.read_text("utf-8").rstrip(), "```", "")


def _write_steps(folder: Path, tutorial: str) -> None:
    """Write a page with the whole program of each step of a tutorial."""
    (folder / tutorial).mkdir()
    for path in sorted((ROOT / "examples" / tutorial).glob("[0-9]*.py")):
        number, _, name = path.stem.partition("_")
        lines = (
            *("---", "orphan: true", "---", f"# Step {int(number)}: {name}", ""),
            f"The whole program of this step of [the tutorial](../{tutorial}.md):",
            *("", "```python", path.read_text("utf-8").rstrip(), "```", ""),
        )
        (folder / tutorial / f"{path.stem}.md").write_text("\n".join(lines), "utf-8")
