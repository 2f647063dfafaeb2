"""Old names of sprites, shapes, text and 2D light: each raises an error with the new name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import framework as fw

CAMERA = fw.Camera2D((64, 48))
LABEL = fw.TextBatch().add("one")
SHAPES = fw.Shapes()
SHAPE = SHAPES.add_circle((0, 0), 3)

OPTIONS: list[tuple[Callable[..., Any], str, str, str]] = [
    (
        lambda **old: SHAPES.add_circle((0, 0), 3, **old),
        "Shapes.add_circle",
        "width",
        "stroke_width",
    ),
    (
        lambda **old: SHAPES.add_ngon((0, 0), 3, 6, **old),
        "Shapes.add_ngon",
        "end_color",
        "gradient_to",
    ),
    (lambda **old: SHAPES.extend(3, "box", **old), "Shapes.extend", "edge_color", "stroke_color"),
    (lambda **old: fw.TextBatch(**old), "TextBatch", "size", "font_size"),
    (lambda **old: fw.TextBatch().add("x", **old), "TextBatch.add", "size", "font_size"),
    (lambda **old: fw.TextBatch().add("x", **old), "TextBatch.add", "shown", "visible_characters"),
    (lambda **old: fw.TextBatch().measure("x", **old), "TextBatch.measure", "size", "font_size"),
    (lambda **old: fw.FollowAll(CAMERA, [], **old), "FollowAll", "closest", "max_zoom"),
    (lambda **old: fw.FollowAll(CAMERA, [], **old), "FollowAll", "farthest", "min_zoom"),
    (lambda **old: fw.Trail(None, **old), "Trail", "length", "duration"),
]

ATTRIBUTES: list[tuple[Any, str, str, bool]] = [
    (LABEL, "label.letters", "label.character_count", False),
    (LABEL, "label.place_of", "label.caret_point", False),
    (LABEL, "label.shown", "label.visible_characters", True),
    (fw.TextBatch(), "batch.size", "batch.font_size", False),
    (fw.Polygons(), "polygons.add_nine", "polygons.add_nine_slice", False),
    (SHAPES, "shapes.add_regular", "shapes.add_ngon", False),
    (SHAPES, "shapes.edge_color", "shapes.stroke_color", True),
    (SHAPE, "shape.end_color", "shape.gradient_to", True),
    (SHAPE, "shape.width", "shape.stroke_width", True),
    (fw.Clip([0], 4), "clip.length", "clip.duration", False),
    (fw.Trail(None), "trail.length", "trail.duration", True),
]


@pytest.mark.parametrize(("call", "owner", "old", "new"), OPTIONS)
def test_an_old_option_raises_an_error_with_the_new_name(
    call: Callable[..., Any], owner: str, old: str, new: str
) -> None:
    with pytest.raises(TypeError, match=rf"^{re.escape(f'{owner}({old}=…): renamed to {new}= ')}"):
        call(**{old: 1})


@pytest.mark.parametrize(("owner", "old", "new", "settable"), ATTRIBUTES)
def test_an_old_attribute_raises_an_error_with_the_new_name(
    owner: Any, old: str, new: str, settable: bool
) -> None:
    name = old.partition(".")[2]
    message = rf"^{re.escape(f'{old}: renamed to {new} ')}"
    with pytest.raises(AttributeError, match=message):
        getattr(owner, name)
    assert name not in dir(owner)
    if settable:
        with pytest.raises(AttributeError, match=message):
            setattr(owner, name, 1)


def test_a_tween_of_an_old_attribute_raises_an_error_with_the_new_name() -> None:
    with fw.Game(drawing=False) as game:
        label = game.labels.add("one")
        with pytest.raises(AttributeError, match=r"label\.shown: renamed to label\.visible_chara"):
            game.tween(label, shown=3, duration=1)
