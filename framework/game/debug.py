"""`fw.debug`: what a game tells while it is being developed. Nobody listens until the inspector is
open: until then each call returns at once, and nothing here is ever part of a game's state, its
hashes or its recordings."""

from __future__ import annotations

__all__ = ["draw", "inspect", "log", "watch"]

from collections.abc import Sequence
from typing import Any

from .. import checks
from ..current_game import current_game
from ..errors import FrameworkError
from ..watch.notes import Notes

_MOST_SHAPES = 20_000  # of one frame

Point = tuple[float, float]


def log(*words: object) -> None:
    """Write a line into the inspector's log, as `print` would, with the tick that it comes from."""
    notes = _notes()
    if notes is not None:
        game = _game()
        notes.lines.append(f"{0 if game is None else game.tick:>7}  {' '.join(map(str, words))}")


def watch(name: str, value: object) -> None:
    """Show a value in the inspector, under a name; the last one that was told."""
    notes = _notes()
    if notes is not None:
        notes.watched[checks.text("name", name)] = value


class Draw:
    """Lines, circles and words over the picture, in the units of the scene's camera, while the
    inspector is open; where the scene has views of the plane, in each of these, as its camera sees
    it.

    What a tick draws is seen until the next one; what is drawn in `Scene.draw`, in that frame.
    """

    def line(
        self, start: Sequence[float], end: Sequence[float], color: Any = "#fc6", width: float = 1.5
    ) -> None:
        """A line between two points; ``width`` in pixels."""
        notes = _notes()
        if notes is not None:
            width = checks.number("width", width, above=0)
            _put(
                notes,
                "line",
                checks.pair("start", start),
                checks.pair("end", end),
                _rgba(color),
                width,
            )

    def circle(
        self, center: Sequence[float], radius: float, color: Any = "#fc6", width: float = 1.5
    ) -> None:
        """A circle; ``radius`` in units, ``width`` of its line in pixels."""
        notes = _notes()
        if notes is not None:
            radius, width = (
                checks.number("radius", radius, least=0),
                checks.number("width", width, above=0),
            )
            _put(notes, "circle", checks.pair("center", center), radius, _rgba(color), width)

    def text(self, words: object, position: Sequence[float], color: Any = "#fff") -> None:
        """Words, from a point to the right."""
        notes = _notes()
        if notes is not None:
            _put(notes, "text", checks.pair("position", position), str(words), _rgba(color))


draw = Draw()


def _put(notes: Notes, *shape: Any) -> None:
    if len(notes.shapes) < _MOST_SHAPES:
        notes.shapes.append(shape)


def inspect(shown: bool = True) -> None:
    """Open the inspector over the game that is at work, or close it: F2, in a game that `framework
    run` started.

    Raises `FrameworkError` where slimgui, the extra ``debug``, is not installed, and where there is
    no picture.
    """
    checks.flag("shown", shown)
    game = _game()
    if game is None:
        raise FrameworkError("debug.inspect: there is no game; call it from setup() on")
    from .playing import driven

    parts = driven(game)
    inspector = parts.stage.inspector
    if shown and inspector is None:
        parts.stage.surface.needed("debug.inspect")
        from .inspector import Inspector  # few games are looked into

        Inspector(game)
    elif not shown and inspector is not None:
        inspector.close()


def _notes() -> Notes | None:
    """Return the notes of the inspector of the game at work, if it is open."""
    inspector = getattr(current_game(), "inspector", None)
    return None if inspector is None else inspector.notes


def _game() -> Any:
    stage: Any = current_game()  # of a game, the current game is its stage
    return None if stage is None else stage.game


def _rgba(color: Any) -> tuple[float, float, float, float]:
    return checks.color("color", color, 1.0, least=0)
