"""Positional sound: the volume and pan of a position, in a rotated view too."""

from __future__ import annotations

import math

import pytest

from framework.audio.positional import in_the_plane


class Camera:
    """A camera at a position, rotated by an angle in radians."""

    def __init__(self, x: float, y: float, zoom: float, angle: float) -> None:
        self._pose = x, y, zoom, angle

    def pose(self, alpha: float) -> tuple[float, float, float, float]:
        return self._pose


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.0, math.pi / 2, -2.0])
def test_a_voice_on_the_right_of_a_rotated_view_is_panned_to_the_right(angle: float) -> None:
    camera = Camera(5, 7, 2, angle)
    right = (math.cos(angle), math.sin(angle))
    up = (-math.sin(angle), math.cos(angle))
    for across, above in [(3.0, 0.0), (-3.0, 0.0), (0.0, 4.0), (2.0, -1.0)]:
        target = (
            5 + across * right[0] + above * up[0],
            7 + across * right[1] + above * up[1],
        )
        loudness, pan = in_the_plane(camera, target, width=8, reach=5, alpha=1.0)
        assert pan == pytest.approx(across / math.hypot(across, above, 2))
        assert loudness == pytest.approx(1 / (1 + (across**2 + above**2) / 25))
