"""Names of earlier versions in space, models, effects and cameras: each error has the new name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest

import framework as fw

CAMERA = fw.Camera3D()
CLIP = fw.Clip([0], 4)

OPTIONS: list[tuple[Callable[..., Any], str, str, str]] = [
    (lambda **old: fw.Camera3D(**old), "Camera3D", "height", "ortho_height"),
    (lambda **old: fw.Clip([0], 4, **old), "Clip", "marks", "markers"),
    (lambda **old: fw.Fly(CAMERA, **old), "Fly", "look", "look_button"),
    (lambda **old: fw.Lines(**old), "Lines", "over", "on_top"),
    (lambda **old: fw.PingPong.step(None, **old), "PingPong.step", "times", "count"),  # type: ignore[arg-type]
    (lambda **old: fw.Orbit(CAMERA, **old), "Orbit", "nearest", "min_distance"),
    (lambda **old: fw.Orbit(CAMERA, **old), "Orbit", "farthest", "max_distance"),
    (lambda **old: fw.Texture("a.png", **old), "Texture", "rotation", "angle"),
    (lambda **old: fw.Fade(**old), "Fade", "length", "duration"),
    (lambda **old: fw.Iris(**old), "Iris", "length", "duration"),
    (lambda **old: fw.Wipe(**old), "Wipe", "length", "duration"),
    (lambda **old: fw.Transition("a.frag", **old), "Transition", "length", "duration"),
]

ATTRIBUTES: list[tuple[Any, str, str, bool]] = [
    (fw.Camera2D((64, 48)), "camera.rotation", "camera.angle", True),
    (CAMERA, "camera.height", "camera.ortho_height", True),
    (fw.Fly(CAMERA), "fly.look", "fly.look_button", True),
    (fw.Lines(), "lines.over", "lines.on_top", True),
    (fw.Lines(), "lines.turned_box", "lines.rotated_box", False),
    (fw.Skin([0], None, [[0] * 4], [[1, 0, 0, 0]]), "skin.bent", "skin.skinned", False),
    (fw.MorphTargets([[(0, 0, 0)]]), "targets.placed", "targets.blended", False),
    (fw.picking, "picking.Met", "picking.RowHit", False),
    (CLIP, "clip.marks", "clip.markers", True),
    (fw.Fade(), "transition.length", "transition.duration", False),
    (fw.Texture("a.png"), "texture.rotation", "texture.angle", False),
]

CLASSES = [
    ("FullScreen", "FullscreenQuad"),
    ("Heat", "HeatHaze"),
    ("Light", "Light3D"),
    ("Trails", "Afterimage"),
]


@pytest.mark.parametrize(("make", "owner", "old", "new"), OPTIONS)
def test_an_old_option_names_the_new_one(
    make: Callable[..., Any], owner: str, old: str, new: str
) -> None:
    message = re.escape(f"{owner}({old}=…): renamed to {new}= ")
    with pytest.raises(TypeError, match=rf"^{message}"):
        make(**{old: 0.5})


@pytest.mark.parametrize(("owner", "old", "new", "settable"), ATTRIBUTES)
def test_an_old_attribute_names_the_new_one(owner: Any, old: str, new: str, settable: bool) -> None:
    name = old.partition(".")[2]
    message = re.escape(f"{old}: renamed to {new} ")
    with pytest.raises(AttributeError, match=rf"^{message}"):
        getattr(owner, name)
    assert name not in dir(owner)
    if settable:
        with pytest.raises(AttributeError, match=rf"^{message}"):
            setattr(owner, name, 1)


@pytest.mark.parametrize(("old", "new"), CLASSES)
def test_an_old_class_names_the_new_one(old: str, new: str) -> None:
    with pytest.raises(AttributeError, match=rf"{old}: renamed to {new} "):
        getattr(fw, old)
    assert isinstance(getattr(fw, new), type)


def test_the_new_options_work() -> None:
    assert fw.Camera3D(ortho_height=4.0).ortho_height == 4.0
    assert fw.Clip([0, 1], 4, markers={"step": 1}).markers == {"step": (1,)}
    assert fw.Orbit(
        fw.Camera3D(), distance=9, min_distance=1, max_distance=5
    ).distance == pytest.approx(5)
    assert fw.Texture("a.png", angle=math.pi).angle == math.pi
    assert fw.Wipe(0.3).duration == fw.Iris(duration=0.3).duration == 0.3
