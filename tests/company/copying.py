"""Copies of what the players of a game share: cameras, worlds, effects, and the size of the image."""

from __future__ import annotations

from typing import Any

_WORLD = ("sky", "fog", "fog_color", "exposure", "ground_color", "sky_color", "sun_color")
_LIGHT = ("position", "color", "intensity", "range", "direction", "angle", "softness")


def copy_scene(game: Any, other: Any) -> None:
    """Give the game ``other`` the shared settings of ``game``."""
    other.background = game.background
    other.picture.letterbox_color = game.picture.letterbox_color
    other.picture.render_scale = game.picture.render_scale
    copy_camera(game.camera, other.camera)


def copy_world(game: Any, other: Any) -> None:
    """Give the world of ``other`` the settings and lights of the world of ``game``. The drawables
    of both games exist already, because the order in which they were made is the order of drawing.
    """
    world = game.world
    copied = other.world
    copy_camera3d(world.camera, copied.camera)
    for name in (*_WORLD, "sun_direction", "shadows"):
        setattr(copied, name, getattr(world, name))
    for light in world.lights:
        copied.lights.add(**{name: getattr(light, name) for name in _LIGHT})


def copy_camera(camera: Any, other: Any) -> None:
    for name in ("position", "angle", "zoom"):
        setattr(other, name, getattr(camera, name))
    other.teleport()


def copy_camera3d(camera: Any, other: Any) -> None:
    for name in ("position", "rotation", "fov", "ortho_height", "near", "far"):
        setattr(other, name, getattr(camera, name))
    other.teleport()


def copy_attributes(source: Any, other: Any, names: tuple[str, ...]) -> None:
    for name in names:
        setattr(other, name, getattr(source, name))


__all__ = ["copy_attributes", "copy_camera", "copy_camera3d", "copy_scene", "copy_world"]
