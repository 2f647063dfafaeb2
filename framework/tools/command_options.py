"""The command-line options that several commands share, and functions that write result files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Protocol

from .. import resources
from ..record.atomic_files import write_text


def whole(text: str) -> int:
    """Convert an argument to an integer of at least 1."""
    try:
        value = int(text.replace("_", "").replace(",", ""))
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text!r}")
    return value


class Figures(Protocol):
    """The command-line options that all benchmarks and the timing lab share."""

    from_shell: bool
    json: Path | None
    progress: bool


def add_figures(parser: argparse.ArgumentParser) -> None:
    """Add the options of `Figures` to a parser."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    parser.add_argument(
        "--progress",
        action="store_true",
        help="show the progress bar even without a terminal",
    )


def check_writable(*paths: Path | None) -> None:
    """Raise an error if a result file cannot be written. Commands that may take minutes call this
    function before they start.
    """
    for path in paths:
        if path is not None:
            resources.check_writable(path)


def write_results(text: str, path: Path | None) -> None:
    """Write the results of a command to a file, and print its path. Do nothing if the path is None."""
    if path is None:
        return
    write_text(str(path), text)
    print(f"\nAll results are in {path}")
