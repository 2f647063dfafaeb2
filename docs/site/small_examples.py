"""Draw the pictures of docs/small_examples.md, and write its table:
`python docs/site/small_examples.py`. With names, only these pictures are drawn.

The tests play each small example with the same keys (`PLAYS`).
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from PIL import Image

import framework as fw
from framework.sim.game_files import game_class_of
from framework.tools.gamefiles import examples

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "small"
PAGE = ROOT / "docs" / "small_examples.md"
PICTURES = ROOT / "docs" / "pictures" / "small"
SIZE = 384, 216  # pixels
TOPICS = [
    *("Input", "Sprites", "Shapes", "Text", "Cameras", "Tiles", "Collisions", "Motion"),
    *("Particles", "Light", "Effects", "Physics", "3D", "Sound", "Menus", "State", "Programs"),
]
"""The topics, in the order of the page."""

Event = tuple[Any, ...]
"""A time in seconds, the name of an event, and its arguments: ``(0.5, "press", "right")``."""

PLAYS: dict[str, tuple[float, Sequence[Event]]] = {
    "keys": (1.2, [(0, "press", "left"), (0.5, "press", "right"), *((0.1 * n, "tap", "space") for n in range(1, 12))]),
    "mouse": (3, [
        (0, "down", "left"),
        *((n / 60, "move", 120 + 4 * n, 270 + 150 * fw.exact.sin(n / 22)) for n in range(180)),
        *((0.4 * n, "wheel", 1 - n % 3) for n in range(7)),
        *((0.5 * n, "tap", "mouse:right") for n in range(1, 6)),
    ]),
    "gamepads": (0.8, [(0, "press", "right"), (0.3, "press", "space")]),
    "two_players": (1.6, [(0, "press", "w"), (0.2, "press", "down")]),
    "dragging": (1.5, [(0, "drag", 0), (0.2, "move", 480, 150), (0.8, "up", "left")]),
    "clips": (0.8, [(0.2, "press", "right")]),
    "tags": (0.28, [(0.1, "press", "2")]),
    "depth": (1, [(0, "press", "right"), (0, "press", "down")]),
    "colors": (1, [(0, "move", 300, 300)]),
    "columns": (1, [(0.1 * n, "click", x, y) for n, (x, y) in enumerate([(400, 300)])]),
    "many_runs": (5, []),
    "learning": (37.8, []),
    "following": (2.5, [(0, "press", "right")]),
    "shapes": (0.5, []),
    "gradients": (1.2, [(0.1, "press", "space")]),
    "typewriter": (4, []),
    "floating_text": (0.9, [
        *((0.05 * n, "click", 240 + 240 * (n % 3), 130 + 140 * (n // 3)) for n in (0, 4, 8, 2, 6)),
    ]),
    "tiles": (0.6, [
        (0, "down", "left"), *((n / 60, "move", 300 + 8 * n, 330 - 6 * n) for n in range(30)),
    ]),
    "platforms": (0.9, [(0, "press", "right"), (0.3, "tap", "up")]),
    "lifts": (1.6, [(0, "press", "right")]),
    "overlaps": (1, [(0, "press", "right"), (0.4, "press", "up")]),
    "sight": (0.5, [(0, "press", "down")]),
    "pathfinding": (2, [(0.1, "click", 880, 80)]),
    "crowd_flow": (2, [(0.1, "click", 300, 300)]),
    "tweens": (1.15, []),
    "eases": (0.9, []),
    "timers": (3.5, []),
    "cutscene": (3, [(1.5, "tap", "space")]),
    "states": (1, [(0, "move", 560, 330), (0.5, "move", 530, 250)]),
    "slow_motion": (2, [(0.1, "press", "left"), (0.8, "release", "left"), (1, "press", "space")]),
    "fire": (1, []),
    "fireworks": (3.2, [(0.8, "click", 250, 400), (1.6, "click", 700, 300)]),
    "shadows": (0.5, [(0, "move", 440, 250)]),
    "glow": (0.5, []),
    "transitions": (1.3, [(0.1, "tap", "space"), (1, "tap", "space")]),
    "ripples": (0.7, [(0.1, "click", 300, 330), (0.4, "click", 700, 200)]),
    "grass": (0.5, [(0, "move", 400, 150)]),
    "crates": (1.6, [(0.3, "click", 560, 400), (0.8, "click", 500, 300)]),
    "bridge": (1.5, [(0.1, "click", 400, 400), (0.4, "click", 560, 420)]),
    "boats": (3, [(0.5, "press", "space")]),
    "piano": (1.2, [(0.2 * n, "tap", key) for n, key in enumerate("adgka")]),
    "passing_by": (2.6, []),
    "beats": (1.05, []),
    "underwater": (1.5, [(0.2, "press", "space")]),
    "engine": (1.5, [(0, "press", "right")]),
    "title_menu": (1, [(0.2, "press", "enter")]),
    "sliders": (0.5, []),
    "asking": (2, [(1.4, "press", "enter")]),
    "inventory": (0.5, [(0.1, "click", 300, 330), (0.2, "click", "Drop it")]),
    "dialogue": (1.2, [(0.3, "press", "enter")]),
    "settings": (0.6, [(0.2, "press", "escape")]),
    "saves": (3, [
        *((0.1 * n, "click", 60 + 547 * n % 840, 60 + 211 * n % 380) for n in range(27)),
    ]),
    "high_scores": (6, [(2, "click", 700, 300)]),
    "undo": (2, [(1, "press", "backspace")]),
    "ghost": (6.2, []),
    "picking": (2, [(0.2 * n, "click", 330 + 110 * n % 300, 200 + 67 * n % 150) for n in range(9)]),
    "first_person": (0.9, [(0, "press", "w")]),
    "instances": (1, [(0.2, "press", "space")]),
    "night_lamps": (1, []),
    "crowd": (1, []),
    "reloading": (1, []),
    "film": (1, [(0, "press", "right")]),
    "dominoes": (3, [(0.2, "press", "space")]),
    "network": (1, [(0, "press", "right"), (0.4, "press", "up")]),
    "zoom": (1, [(0, "move", 600, 300), *((0.1 * n, "wheel", -1) for n in range(3))]),
    "shake": (3.4, [(3, "press", "space")]),
    "parallax": (3, [(0, "press", "right")]),
    "split_screen": (1, [(0, "press", "d"), (0, "press", "right"), (0, "press", "up")]),
    "minimap": (1.5, [(0, "press", "right"), (0.5, "press", "up")]),
    "pixel_art": (1.5, [(0, "press", "right")]),
}  # fmt: skip
"""The seconds and the events of each example. An example without an entry runs two seconds."""


def load(name: str) -> tuple[type[fw.Game], dict[str, Any]]:
    """Return the game class of a small example, and the options that it passes to `fw.run`."""
    return game_class_of(str(FOLDER / f"{name}.py"))


def play(game: Any, name: str, seconds: float | None = None) -> None:
    """Play an example with its events, and draw nothing. ``seconds`` is the game time. The default
    is the time in `PLAYS`.
    """
    duration, events = PLAYS.get(name, (2.0, ()))
    waiting = sorted(events, key=lambda event: event[0])
    for tick in range(round(60 * (duration if seconds is None else seconds))):
        while waiting and round(60 * waiting[0][0]) <= tick:
            _, what, *arguments = waiting.pop(0)
            _send(game, what, *arguments)
        if name == "ghost":
            _drive(game)
        game.run_ticks(1)


def _drive(game: Any) -> None:
    """Press the keys of the example "ghost": follow the middle of the track."""
    x, y = game.ship.position
    along = math.atan2((y - 270) / 190, (x - 480) / 370) + 0.35
    to_x = 480 + 370 * math.cos(along) - x
    to_y = 270 + 190 * math.sin(along) - y
    error = (math.atan2(-to_x, to_y) - game.ship.angle + math.pi) % math.tau - math.pi
    fast = not game.best or game.tick % 3 > 0  # the ghost is faster
    for key, pressed in (("up", fast), ("left", error > 0.05), ("right", error < -0.05)):
        (game.keys.press if pressed else game.keys.release)(key)


def _send(game: Any, what: str, *arguments: Any) -> None:
    if what == "tap":
        game.testing.press(*arguments)
        game.testing.release(*arguments)
    elif what in ("press", "release", "click", "type"):
        getattr(game.testing, what)(*arguments)
    elif what == "move":
        if not game.mouse.inside:
            game.mouse.enter()
        game.mouse.move(*arguments)
    elif what == "wheel":
        game.mouse.scroll(0, *arguments)
    elif what in ("down", "up"):
        (game.mouse.press if what == "down" else game.mouse.release)(*arguments)
    elif what == "drag":  # press the left button on a sprite
        game.mouse.move(*game.toys[arguments[0]].position)
        game.mouse.press("left")


def picture(name: str) -> Any:
    """Return the pixels of an example after its events."""
    kind, options = load(name)
    with (
        tempfile.TemporaryDirectory() as folder,
        patch("platformdirs.user_data_dir", lambda *names, **options: folder),
        kind(**{**options, "headless": True, "size": (960, 540)}) as game,
    ):
        play(game, name)
        return game.pixels()


def write_picture(name: str) -> None:
    """Draw the picture of an example, and write it as a small image."""
    image = Image.fromarray(picture(name)).convert("RGB")
    PICTURES.mkdir(exist_ok=True)
    image.resize(SIZE, Image.Resampling.LANCZOS).save(PICTURES / f"{name}.webp", quality=80)


def tables() -> str:
    """Return a heading and a table for each topic, with all small examples."""
    lines = []
    listed = [example for example in examples() if example.folder.path == "small"]
    topics = {example.topic for example in listed}
    for topic in sorted(topics, key=TOPICS.index):
        lines += [f"## {topic}", "", "| picture | name | what the example shows |", "|---|---|---|"]
        for example in listed:
            if example.topic == topic:
                sentence = example.sentence.removeprefix(f"{topic}: ")
                image = f"![The example {example.name}](pictures/small/{example.name}.webp)"
                link = f"[{example.name}](../examples/small/{example.name}.py)"
                lines.append(f"| {image} | {link} | {sentence[0].upper()}{sentence[1:]} |")
        lines.append("")
    return "\n".join(lines)


def page() -> str:
    """Return the text of docs/small_examples.md with new tables."""
    introduction = PAGE.read_text("utf-8").partition("\n## ")[0]
    return f"{introduction}\n{tables().rstrip()}\n"


def main(names: Sequence[str]) -> None:
    """Draw the pictures of some examples, or of all, and write the page."""
    for name in names or sorted(path.stem for path in FOLDER.glob("[a-z0-9]*.py")):
        write_picture(name)
        print(name)
    PAGE.write_text(page(), "utf-8")
    size = sum(path.stat().st_size for path in PICTURES.glob("*.webp"))
    print(f"{size / 1024:.0f} KB of pictures are in {PICTURES}")


if __name__ == "__main__":
    main(sys.argv[1:])
