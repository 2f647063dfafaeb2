"""`fw.debug`: log, show and draw values while you develop a game.

The functions of `fw.debug` do nothing while the inspector is closed. Log lines, watched values and
shapes are not part of the game's state, of its state hash, or of recordings.
"""

from __future__ import annotations

__all__ = ["draw", "inspect", "log", "watch"]

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from .. import checks
from ..current_game import current_game
from ..errors import FrameworkError
from ..watch.debug_notes import DebugNotes

if TYPE_CHECKING:
    from .stage import HasNotes, Stage

_MAX_SHAPES = 20_000  # the maximum number of shapes in one frame

Point = tuple[float, float]


def log(*words: object) -> None:
    """Add a line to the inspector's log: the tick number, followed by the values. Like `print`,
    `log` accepts any number of values.
    """
    notes = _notes()
    if notes is not None:
        stage = _stage()
        game = None if stage is None else stage.game
        tick = 0 if game is None else game.tick
        notes.lines.append(f"{tick:>7}  {' '.join(map(str, words))}")


def watch(name: str, value: object) -> None:
    """Show a named value in the inspector. A new value replaces the old value with the same name."""
    notes = _notes()
    if notes is not None:
        notes.watched[checks.text("name", name)] = value


class Draw:
    """Draws lines, circles and text above the game while the inspector is open.

    Positions are in the units of the scene's camera. If the scene has 2D views, the shapes appear
    in each view. A shape drawn during a tick is visible until the next tick. A shape drawn in
    `Scene.draw` is visible only in that frame.
    """

    def line(
        self,
        start: Sequence[float],
        end: Sequence[float],
        color: str | Sequence[float] = "#fc6",
        width: float = 1.5,
    ) -> None:
        """Draw a line between the points ``start`` and ``end``, in units. ``width`` is the width of
        the line in pixels.
        """
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
        self,
        center: Sequence[float],
        radius: float,
        color: str | Sequence[float] = "#fc6",
        width: float = 1.5,
    ) -> None:
        """Draw the outline of a circle. ``radius`` is in units. ``width`` is the width of the
        outline in pixels.
        """
        notes = _notes()
        if notes is not None:
            radius = checks.number("radius", radius, least=0)
            width = checks.number("width", width, above=0)
            _put(notes, "circle", checks.pair("center", center), radius, _rgba(color), width)

    def text(
        self, words: object, position: Sequence[float], color: str | Sequence[float] = "#fff"
    ) -> None:
        """Draw text that starts at ``position``, in units."""
        notes = _notes()
        if notes is not None:
            _put(notes, "text", checks.pair("position", position), str(words), _rgba(color))


draw = Draw()


def _put(notes: DebugNotes, *shape: object) -> None:
    if len(notes.shapes) < _MAX_SHAPES:
        notes.shapes.append(shape)


def inspect(shown: bool = True) -> None:
    """Open the inspector of the current game, or close it if ``shown`` is False. If you started the
    game with `framework run`, the F2 key also opens and closes the inspector.

    Raises `FrameworkError` if the package slimgui is not installed (``pip install
    'subtick[debug]'``), or if the game has ``drawing=False``.
    """
    checks.flag("shown", shown)
    stage = _stage()
    if stage is None or stage.game is None:
        raise FrameworkError("debug.inspect: no game is running; call it from setup() on")
    inspector = stage.inspector
    if shown and inspector is None:
        stage.surface.needed("debug.inspect")
        # Imported here because few games use the inspector.
        from .inspector import InspectedGame, Inspector

        Inspector(cast("InspectedGame", stage.game))
    elif not shown and inspector is not None:
        inspector.close()


def _notes() -> DebugNotes | None:
    """Return the `DebugNotes` of the current game, which contain log lines, watched values and
    shapes. Return None if the inspector is closed.
    """
    inspector: HasNotes | None = getattr(current_game(), "inspector", None)
    return None if inspector is None else inspector.notes


def _stage() -> Stage | None:
    stage = current_game()
    return cast("Stage | None", stage)  # the current game of a `Game` object is its stage


def _rgba(color: object) -> tuple[float, float, float, float]:
    return checks.color("color", color, 1.0, least=0)
