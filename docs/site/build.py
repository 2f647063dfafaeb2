"""Build the website into `build/site`: `python docs/site/build.py`.

The script needs `pip install -e ".[docs]"`. Every warning is an error. Each page is written as HTML
and as Markdown. The file `llms.txt` lists the Markdown pages, for AI programs.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path

import reference
import site_pages as pages


def main() -> int:
    """Build the website, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--output", type=Path, default=pages.ROOT / "build" / "site", metavar="FOLDER"
    )
    options = parser.parse_args()
    began = time.perf_counter()
    source = options.output.with_name(f"{options.output.name}-source")
    for folder in (source, options.output):
        shutil.rmtree(folder, ignore_errors=True)
    source.mkdir(parents=True)
    names = reference.public_names()
    pages.write_pages(source)
    reference.write_pages(source / "reference", names)
    here = Path(__file__).parent
    shutil.copy(here / "conf.py", source)
    shutil.copytree(here / "_static", source / "_static")
    status = _sphinx(source, options.output)
    if status:
        return status
    _write_markdown(source, options.output, names)
    missing = missing_names(options.output, names)
    if missing:
        print(f"docs/site: no entry in the reference for {', '.join(missing)}", file=sys.stderr)
        return 1
    count = len([*options.output.rglob("*.html")])
    print(f"{count} pages are in {options.output} after {time.perf_counter() - began:.0f} s")
    return 0


def _sphinx(source: Path, output: Path) -> int:
    try:
        from sphinx.cmd.build import main as sphinx
    except ModuleNotFoundError as error:
        print(f'docs/site: {error}; pip install -e ".[docs]"', file=sys.stderr)
        return 2
    arguments = ["-q", "-W", "--keep-going", "-j", "auto", "-b", "html"]
    return sphinx([*arguments, "-d", str(output.with_name("site-cache")), str(source), str(output)])


def missing_names(output: Path, names: list[reference.Name]) -> list[str]:
    """Return the public names and the members of public modules that the website does not
    describe.
    """
    from sphinx.util.inventory import InventoryFile

    with (output / "objects.inv").open("rb") as file:
        inventory = InventoryFile.load(file, "", lambda base, path: path)
    present = {entry for kind in inventory for entry in inventory[kind]}
    expected = [f"framework.{name.name}" for name in names if not name.is_module]
    for name in names:
        if name.is_module:
            expected += [f"{name.value.__name__}.{member}" for member in name.members]
    return [name for name in expected if name not in present]


def _write_markdown(source: Path, output: Path, names: list[reference.Name]) -> None:
    """Write each page as Markdown beside its HTML, and the list of pages."""
    for path in source.rglob("*.md"):
        shutil.copy(path, output / path.relative_to(source))
    for name in names:
        (output / "reference" / f"{name.name}.md").write_text(reference.as_markdown(name), "utf-8")
    lines = ["# Subtick", "", "> A Python framework for 2D and 3D games.", ""]
    for group, stems in pages.GROUPS.items():
        lines += [f"## {group}", ""]
        lines += [f"- [{pages.title_of(stem)}]({stem}.md)" for stem in stems]
        lines.append("")
    lines += ["## Examples", ""]
    lines += [
        f"- [{each.name}](examples/{each.name}.md): {each.purpose}" for each in pages.examples()
    ]
    lines += ["", "## Reference", ""]
    lines += [f"- [fw.{name.name}](reference/{name.name}.md): {name.summary}" for name in names]
    (output / "llms.txt").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
