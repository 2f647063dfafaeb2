"""glTF 2.0's metallic-roughness shading in numpy, written from its appendix B, to hold the shaders
against.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import framework as fw


def shown(light: Any) -> np.ndarray:
    """Linear light as bytes of the picture, not rounded."""
    x = np.maximum(np.asarray(light, float), 0) * 0.8
    x = np.clip(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0, 1)
    return 255 * to_srgb(x)


def to_srgb(linear: Any) -> np.ndarray:
    """0..1 to 0..1."""
    x = np.asarray(linear, float)
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.maximum(x, 1e-9) ** (1 / 2.4) - 0.055)


def from_srgb(srgb: Any) -> np.ndarray:
    """0..1 to 0..1."""
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
    """What a surface sends to the eye of a light of colour 1 from ``way``: pi times the BRDF, times
    the cosine.
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
    # The height-correlated form, of which the product above is the simpler cousin.
    n_l, n_v = n @ l, n @ v
    visible = 0.5 / (
        n_l * math.sqrt(n_v**2 * (1 - a2) + a2) + n_v * math.sqrt(n_l**2 * (1 - a2) + a2)
    )
    assert visible * 4 * n_l * n_v >= smith - 1e-9  # which shadows no less
    return (
        math.pi * n_l * ((1 - fresnel) * base * (1 - metallic) / math.pi + fresnel * ggx * visible)
    )


def dark(world: fw.World) -> None:
    """No light at all."""
    world.sun_color = world.sky_color = world.ground_color = (0, 0, 0)


def facing(game: fw.Game, material: fw.Material | None = None, size: float = 1.0) -> fw.MeshBatch:
    """A square of ``size`` at (0, 0, 0) that faces the camera, which looks at 2 units along -z,
    orthographic.
    """
    camera = game.world.camera
    camera.ortho_height = 2.0
    camera.position = (0, 0, 2)
    return game.add(fw.MeshBatch(upright(size), 1, material=material))


def upright(size: float = 1.0) -> fw.Mesh:
    """A square that faces +z, the image upright on it."""
    half = size / 2
    corners = [(-half, half, 0), (half, half, 0), (half, -half, 0), (-half, -half, 0)]
    return fw.Mesh(
        corners, [0, 3, 2, 0, 2, 1], normals=[(0, 0, 1)] * 4, uvs=[(0, 0), (1, 0), (1, 1), (0, 1)]
    )
