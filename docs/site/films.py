"""The films of the gallery: three seconds of each example, as an animated image.

    python docs/site/films.py [NAME ...]

Each film is a file NAME.webp in `docs/pictures`. The games run off screen, and the script presses
the keys of `FILMS`. Each run writes the same images.
"""

from __future__ import annotations

import contextlib
import io
import runpy
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from PIL import Image
from tqdm import tqdm

import framework as fw

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
EXAMPLES = ROOT / "examples"
SIZE = 640, 360  # pixels of a game's image
FILM = 320, 180  # pixels of the film, a mean of 2 × 2 pixels
FPS = 15
SECONDS = 3.0
QUALITIES = 45, 30, 20, 12  # of WebP, 0 to 100: the first one with a small enough file
MAX_BYTES = 400_000

Action = tuple[Any, ...]


@dataclass
class Film:
    """What a film shows: the time of its first frame, and the input by its time.

    An action is ("press", "a key"), ("release", "a key"), ("click", x, y), or ("mouse", x, y).
    Times are seconds after the start of the game. Points are fractions of the window.
    """

    begin: float = 1.0
    actions: dict[float, list[Action]] = field(default_factory=dict)
    seconds: float = SECONDS
    replay: Path | None = None
    """A recording that plays the game, instead of `actions`."""


def hold(*keys: str) -> list[Action]:
    return [("press", key) for key in keys]


def release(*keys: str) -> list[Action]:
    return [("release", key) for key in keys]


def taps(key: str, *times: float) -> dict[float, list[Action]]:
    """Presses of one key, each for a tenth of a second."""
    presses: dict[float, list[Action]] = {time: hold(key) for time in times}
    return presses | {time + 0.1: release(key) for time in times}


def circle(begin: float, seconds: float = SECONDS, steps: int = 45) -> dict[float, list[Action]]:
    """The mouse moves once around the middle of the window."""
    angles = np.linspace(0, 2 * np.pi, steps)
    return {
        begin + seconds * number / steps: [
            ("mouse", 0.5 + 0.28 * float(np.cos(angle)), 0.55 + 0.28 * float(np.sin(angle)))
        ]
        for number, angle in enumerate(angles)
    }


FILMS: dict[str, Film] = {
    "window": Film(2.0, {2.2: [("click", 0.3, 0.35)], 3.2: [("click", 0.6, 0.3)]}),
    "ticks": Film(1.0),
    "sprites": Film(1.0),
    "ship": Film(
        1.5,
        {
            **taps("enter", 0.5),
            1.4: hold("up", "left"),
            2.2: release("left"),
            3.0: release("up") + hold("right"),
            **taps("space", 1.8, 2.1, 2.4, 2.7, 3.1, 3.4, 3.7, 4.0),
        },
    ),
    "camera": Film(2.0),
    "lanes": Film(1.0),
    "cubes": Film(1.0),
    "viewer": Film(0.5),
    "asteroids": Film(3.0),
    "tank": Film(4.0),
    "poles": Film(40.0),
    "rhythm": Film(1.0),
    "pinball": Film(
        0.8,
        {0.2: hold("space"), 0.6: release("space"), **taps("left", 2.4, 3.2), **taps("right", 2.8)},
    ),
    "moths": Film(5.0),
    "valley": Film(0.5, {0.2: hold("right"), **taps("space", 1.0, 1.9, 2.8)}),
    "marble": Film(3.0),
    "menu": Film(
        0.4,
        {
            **taps("escape", 0.8),
            **taps("down", 1.4, 1.8),
            **taps("enter", 2.2),
            **taps("right", 2.8, 3.0),
        },
    ),
    "novel": Film(
        2.9,
        {**taps("space", 1.4, 1.8, 2.2, 2.6, 4.0, 4.3), **taps("down", 4.9), **taps("up", 5.4)},
    ),
    "race": Film(9.3),
    "cave": Film(4.0),
    "effects": Film(3.5),
    "swarm": Film(1.0, circle(0.5, 3.6)),
    "arena": Film(3.0, {0.5: hold("up"), **taps("space", 3.2, 3.6, 4.2), 4.0: hold("left")}),
    "rooms": Film(1.0, {0.5: hold("right"), **taps("space", 2.0)}),
    "theremin": Film(0.8, circle(0.5, 3.6)),
    "herd": Film(1.0, {2.0: hold("space")}),
    "encore": Film(18.5, seconds=6.0, replay=EXAMPLES / "games" / "encore" / "perfect.replay"),
}
"""The films by the names of the examples. The README's film, `duel.webp`, is a longer one."""


@contextlib.contextmanager
def started(name: str, film: Film) -> Iterator[fw.Game]:
    """Yield the game that an example passes to `fw.run`, off screen."""
    (path,) = [*EXAMPLES.glob(f"[0-9]*_{name}.py"), *EXAMPLES.glob(f"games/{name}.py")]
    games: list[fw.Game] = []

    def run(game_class: type[fw.Game], **options: Any) -> None:
        options |= {"headless": True, "size": SIZE, "session": None}
        if film.replay is None:
            games.append(stack.enter_context(game_class(**options)))
        else:
            playing = fw.Replay.open(film.replay).playing(game_class, **options)
            games.append(stack.enter_context(playing)[0])

    sys.argv = [str(path)]
    sys.path.insert(0, str(path.parent))
    with contextlib.ExitStack() as stack:
        with patch.object(fw, "run", run):
            runpy.run_path(str(path), run_name="__main__")
        yield games[-1]


def act(game: Any, action: Action) -> None:
    kind, *values = action
    width, height = game.size
    if kind == "press":
        game.testing.press(values[0])
    elif kind == "release":
        game.testing.release(values[0])
    elif kind == "click":
        game.testing.click(values[0] * width, values[1] * height)
    else:
        game.testing.feed([("on_mouse_motion", values[0] * width, values[1] * height, 0, 0)])


def frames(name: str, film: Film) -> list[Image.Image]:
    """Play an example and return the images of its film."""
    images: list[Image.Image] = []
    waiting = sorted(film.actions.items())
    with started(name, film) as game:
        for frame in range(round((film.begin + film.seconds) * FPS)):
            while waiting and waiting[0][0] * FPS <= frame:
                for action in waiting.pop(0)[1]:
                    act(game, action)
            game.advance(Fraction(1, FPS))
            if frame >= film.begin * FPS:
                image = Image.fromarray(game.pixels()).convert("RGB")
                images.append(image.resize(FILM, Image.Resampling.BOX))
    return images


def write(name: str) -> None:
    images = frames(name, FILMS[name])
    for quality in QUALITIES:
        file = io.BytesIO()
        images[0].save(
            file,
            "WEBP",
            save_all=True,
            append_images=images[1:],
            duration=round(1000 / FPS),
            loop=0,
            quality=quality,
            method=6,
        )
        if file.tell() <= MAX_BYTES:
            break
    (PICTURES / f"{name}.webp").write_bytes(file.getvalue())


def main() -> None:
    names = sys.argv[1:] or [*FILMS]
    unknown = {*names} - {*FILMS}
    if unknown:
        raise SystemExit(f"films: unknown {sorted(unknown)}; expected names of {', '.join(FILMS)}")
    for name in tqdm(names, disable=None):
        write(name)


if __name__ == "__main__":
    main()
