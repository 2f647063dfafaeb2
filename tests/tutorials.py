"""The tutorials: the differences between their steps, for the pages of docs, and their pictures.

``python tests/tutorials.py`` writes the differences into the pages again, and draws the pictures.
"""

from __future__ import annotations

import difflib
import importlib.util
import re
import sys
import tempfile
import wave
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

import framework as fw  # noqa: E402

PAGES = {"tutorial": "tutorial.md", "tutorial_space": "tutorial_space.md"}
"""The page in docs of each folder of examples."""
CONTEXT = 2
"""The number of lines that a difference shows before and after each change."""
BLOCK = re.compile(
    r"(?ms)(\[examples/(tutorial\w*)/(\w+\.py)\]\(\S+\)[^`]*?)^```(?:diff|python)\n(.*?)^```\n"
)
"""A link to a step on a page, and the block of code after the link."""
MODEL = re.compile(r"(?ms)(`crystal\.(obj|mtl)`[^\n]*\n(?:[^\n]+\n)*\n)^```text\n(.*?)^```\n")
"""A paragraph about a file of the model on a page, and the block with the file."""


def steps(folder: str) -> list[Path]:
    """Return the files of the steps of a tutorial, in order."""
    return sorted((ROOT / "examples" / folder).glob("[0-9]*.py"))


def lines_of(path: Path) -> list[str]:
    """Return the lines of a step without the docstring, which names the step."""
    return path.read_text(encoding="utf-8").splitlines()[2:]


def difference(old: Sequence[str], new: Sequence[str]) -> str:
    """Return the changed lines with ``-`` and ``+``, and a few lines around them. A line with
    ``@@`` names the class or the function of each place.
    """
    result = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT):
        hunk = []
        for kind, i, k, m, n in group:
            if kind == "equal":
                hunk += [f" {line}".rstrip() for line in old[i:k]]
            else:
                hunk += [f"-{line}" for line in old[i:k]] + [f"+{line}" for line in new[m:n]]
        while hunk[-1] in ("", "+"):
            hunk.pop()
        start = group[0][3]
        while hunk[0] in ("", "+"):
            hunk.pop(0)
            start += 1
        result += [f"@@ {_place(new, start)} @@", *hunk]
    return "".join(f"{line}\n" for line in result)


def _place(lines: Sequence[str], index: int) -> str:
    """Return the name of the innermost class or function around a line."""
    indent = _indent(lines[index])
    for line in reversed(lines[:index]):
        match = re.match(r" *(?:class|def) (\w+)", line)
        if line and _indent(line) < indent:
            indent = _indent(line)
            if match:
                return f"in {match[1]}"
    return "in the file"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def block_of(path: Path) -> str:
    """Return the block of code that a page shows for a step."""
    files = steps(path.parent.name)
    number = files.index(path)
    if number == 0:
        return "```python\n" + "\n".join(lines_of(path)).strip() + "\n```\n"
    return "```diff\n" + difference(lines_of(files[number - 1]), lines_of(path)) + "```\n"


def with_blocks(page: str) -> str:
    """Return the text of a page with the blocks of all steps written again."""

    def block(match: re.Match[str]) -> str:
        return match[1] + block_of(ROOT / "examples" / match[2] / match[3])

    def model(match: re.Match[str]) -> str:
        path = ROOT / "examples" / "tutorial_space" / f"crystal.{match[2]}"
        return f"{match[1]}```text\n{path.read_text('utf-8')}```\n"

    return MODEL.sub(model, BLOCK.sub(block, page))


def class_of(path: Path) -> type[Any]:
    """Return the class of the game in a file."""
    name = f"{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return next(
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, fw.Game)
    )


# -- how the steps are played ----------------------------------------------------------------------

OPTIONS: dict[str, dict[str, Any]] = {
    "tutorial": {"resolution": (320, 180), "pixel_art": True},
    "tutorial_space": {"resolution": (640, 360)},
}
"""The options of each tutorial's games."""

JUMPS = (30, 128, 347, 468, 646, 726, 808, 881, 922)
"""The positions at which the hero jumps on the way to the star."""


def run_right(game: Any, until: Callable[[Any], bool], jumps: Sequence[float] = JUMPS) -> None:
    """Hold the right arrow, and press space at each position in ``jumps``, until a condition is
    true.
    """
    level = game.scene
    waiting = list(jumps)
    game.run_ticks(20)
    game.testing.press("right")
    for _ in range(1000):
        jumping = bool(waiting) and level.hero.x >= waiting[0] and level.speed_up == 0
        if jumping:
            waiting.pop(0)
            game.testing.press("space")
        game.run_ticks(1)
        if jumping:
            game.testing.release("space")
        if until(level):
            break
    game.testing.release("right")


def press(game: Any, *keys: str, wait: int = 25) -> None:
    """Press and release keys, one after another. Wait for some ticks after each key."""
    for key in keys:
        game.testing.press(key)
        game.run_ticks(1)
        game.testing.release(key)
        game.run_ticks(wait)


def aim(game: Any, target: Sequence[float]) -> bool:
    """Hold the arrow keys that turn the ship to a point. Return whether the ship aims at it."""
    away = [there - here for there, here in zip(target, game.ship.position, strict=True)]
    flat = fw.exact.hypot(away[0], away[2])
    right = away[0] * fw.exact.cos(game.yaw) - away[2] * fw.exact.sin(game.yaw)
    forward = -away[0] * fw.exact.sin(game.yaw) - away[2] * fw.exact.cos(game.yaw)
    turn = float(fw.exact.arctan2(right, forward))
    up = float(fw.exact.arctan2(away[1], flat)) - game.pitch
    for key, down in (("right", turn > 0.03), ("left", turn < -0.03), ("up", up > 0.03)):
        (game.testing.press if down else game.testing.release)(key)
    (game.testing.press if up < -0.03 else game.testing.release)("down")
    return abs(turn) < 0.05 and abs(up) < 0.05


# -- the pictures of the pages ---------------------------------------------------------------------

PICTURE = 640, 360  # pixels


def _walk(game: Any, ticks: int, *keys: str) -> None:
    for key in keys:
        game.testing.press(key)
    game.run_ticks(ticks)


def _finish(game: Any) -> None:
    press(game, "enter")
    run_right(game, lambda level: level.over)
    press(game, "space")


def _fly_to_crystal(game: Any, distance: float) -> None:
    """Aim at the first crystal, and fly until it is near."""
    for _ in range(900):
        target = game.crystals.position[0]
        aim(game, target)
        game.run_ticks(1)
        if sum((a - b) ** 2 for a, b in zip(target, game.ship.position, strict=True)) < distance**2:
            return


def _melt(game: Any) -> None:
    """Aim at a rock that is near, and hold the laser on it."""
    away = np.linalg.norm(game.rocks.position - (0, 0, -36), axis=1)
    target = tuple(game.rocks.position[away.argmin()])
    for _ in range(60):
        aim(game, target)
        game.run_ticks(1)
    for key in ("left", "right", "up", "down"):
        game.testing.release(key)
    game.testing.press("space")
    game.run_ticks(12)


SCENES: dict[str, Callable[[Any], None]] = {
    "tutorial_01": lambda game: None,
    "tutorial_02": lambda game: None,
    "tutorial_03": lambda game: _walk(game, 60, "right"),
    "tutorial_04": lambda game: _walk(game, 20, "right", "space"),
    "tutorial_05": lambda game: _walk(game, 30),
    "tutorial_06": lambda game: run_right(game, lambda level: level.hero.x > 260),
    "tutorial_07": lambda game: run_right(game, lambda level: level.hero.x > 330),
    "tutorial_09": lambda game: run_right(game, lambda level: level.hero.x > 492),
    "tutorial_10": lambda game: run_right(game, lambda level: level.over),
    "tutorial_11": lambda game: game.run_ticks(40),
    "tutorial_12": lambda game: press(game, "down", "enter"),
    "tutorial_space_01": lambda game: _walk(game, 30),
    "tutorial_space_02": lambda game: _walk(game, 25, "left", "down"),
    "tutorial_space_03": lambda game: _walk(game, 30, "right"),
    "tutorial_space_04": _melt,
    "tutorial_space_05": lambda game: _fly_to_crystal(game, 14),
    "tutorial_space_06": lambda game: _fly_to_crystal(game, 16),
}
"""What to play before the picture of each step is drawn."""


def draw_pictures(folder: Path) -> None:
    """Draw the picture of each step into a folder."""
    for name, play in SCENES.items():
        tutorial, _, number = name.rpartition("_")
        game_class = class_of(steps(tutorial)[int(number) - 1])
        options = OPTIONS[tutorial]
        with game_class(headless=True, size=PICTURE, **options) as game:
            play(game)
            game.advance(1 / 60)
            game.screenshot(folder / f"{name}.png")
    draw_sound(folder / "tutorial_08.png")


def draw_sound(path: Path) -> None:
    """Draw three seconds of the sound of step 8."""
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / "mix.wav"
        with class_of(steps("tutorial")[7])(headless=True, drawing=False) as game:
            run_right(game, lambda level: level.hero.x > 100)
            with game.audio.capture(wav):
                run_right(game, lambda level: game.tick > 250, JUMPS[1:])
        with wave.open(str(wav)) as file:
            samples = np.frombuffer(file.readframes(3 * 48_000), "<i2").reshape(-1, 2)[:, 0]
    peaks = np.abs(samples).reshape(PICTURE[0], -1).max(axis=1) / np.abs(samples).max()
    rows = np.abs(np.linspace(-1, 1, 120))[:, None]
    image = np.where((rows <= peaks)[..., None], np.uint8((255, 210, 90)), np.uint8((30, 40, 70)))
    Image.fromarray(image).save(path)


if __name__ == "__main__":
    for page_name in PAGES.values():
        page_path = ROOT / "docs" / page_name
        page_path.write_text(with_blocks(page_path.read_text("utf-8")), "utf-8")
    draw_pictures(ROOT / "docs" / "pictures")
