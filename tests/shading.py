"""A reference for the shaders: the metallic-roughness shading of glTF 2.0, appendix B, in numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import framework as fw


def shown(light: Any) -> np.ndarray:
    """Convert linear light to bytes of the image, not rounded."""
    x = np.maximum(np.asarray(light, float), 0) * 0.8
    x = np.clip(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0, 1)
    return 255 * to_srgb(x)


def to_srgb(linear: Any) -> np.ndarray:
    """Convert linear values from 0 to 1 to sRGB values from 0 to 1."""
    x = np.asarray(linear, float)
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.maximum(x, 1e-9) ** (1 / 2.4) - 0.055)


def from_srgb(srgb: Any) -> np.ndarray:
    """Convert sRGB values from 0 to 1 to linear values from 0 to 1."""
    x = np.asarray(srgb, float)
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


def reflected(
    base: Any,
    metallic: float,
    roughness: float,
    normal: Sequence[float],
    to_eye: Sequence[float],
    way: Sequence[float],
) -> np.ndarray:
    """Return the light that a surface reflects to the eye from a white light in direction ``way``.

    This is pi times the BRDF, times the cosine.
    """
    base, n, v, l = (np.asarray(part, float) for part in (base, normal, to_eye, way))  # noqa: E741
    if n @ l <= 0:
        return np.zeros(3)
    h = (v + l) / np.linalg.norm(v + l)
    f0 = 0.04 * (1 - metallic) + base * metallic
    fresnel = f0 + (1 - f0) * (1 - abs(v @ h)) ** 5
    a2 = max(roughness**2, 0.002) ** 2
    ggx = a2 / (math.pi * ((n @ h) ** 2 * (a2 - 1) + 1) ** 2)
    smith = 1.0
    for way_out in (l, v):
        cosine = abs(n @ way_out)
        smith *= 2 * cosine / (cosine + math.sqrt(a2 + (1 - a2) * cosine**2))
    # The height-correlated form. The product above is its simpler approximation.
    n_l = n @ l
    n_v = n @ v
    visible = 0.5 / (
        n_l * math.sqrt(n_v**2 * (1 - a2) + a2) + n_v * math.sqrt(n_l**2 * (1 - a2) + a2)
    )
    assert visible * 4 * n_l * n_v >= smith - 1e-9  # the approximation is never lighter
    return (
        math.pi * n_l * ((1 - fresnel) * base * (1 - metallic) / math.pi + fresnel * ggx * visible)
    )


def dark(world: fw.World) -> None:
    """Set all light of a world to black."""
    world.sun_color = world.sky_color = world.ground_color = (0, 0, 0)


def facing(game: fw.Game, material: fw.Material | None = None, size: float = 1.0) -> fw.MeshBatch:
    """Add a square of ``size`` at (0, 0, 0) that faces an orthographic camera 2 units high."""
    camera = game.world.camera
    camera.ortho_height = 2.0
    camera.position = (0, 0, 2)
    return game.add(fw.MeshBatch(upright(size), 1, material=material))


def upright(size: float = 1.0) -> fw.Mesh:
    """Return a square that faces +z, with its image upright."""
    half = size / 2
    corners = [(-half, half, 0), (half, half, 0), (half, -half, 0), (-half, -half, 0)]
    return fw.Mesh(
        corners, [0, 3, 2, 0, 2, 1], normals=[(0, 0, 1)] * 4, uvs=[(0, 0), (1, 0), (1, 1), (0, 1)]
    )
