"""Images for tests to draw, and measurements of drawn images."""

from __future__ import annotations

import numpy as np

import framework as fw


def blob(size: int = 21, sigma: float = 3.0) -> np.ndarray:
    """Return a soft white spot: uint8 (size, size, 4), transparent towards its edges."""
    x = np.arange(size) - (size - 1) / 2
    spot = np.exp(-(x[:, None] ** 2 + x[None, :] ** 2) / (2 * sigma**2))
    spot[spot < 0.01] = 0
    image = np.full((size, size, 4), 255, np.uint8)
    image[..., 3] = np.round(spot * 255)
    return image


def solid(
    width: int, height: int, color: tuple[int, int, int, int] = (255, 255, 255, 255)
) -> np.ndarray:
    """Return an image of one color: uint8 (height, width, 4)."""
    return np.full((height, width, 4), color, np.uint8)


class Slanted(fw.Game):
    """A game with a white box that has slanted, hard edges."""

    def setup(self) -> None:
        box = self.add(fw.SpriteBatch(solid(60, 60), count=1, smooth_edges=False))
        box.position = (100, 50)
        box.angle = 0.3


def centroid(pixels: np.ndarray) -> tuple[float, float]:
    """Return the center of the bright pixels, in units from the bottom left corner of the image."""
    weight = pixels[..., :3].sum(axis=2).astype(float)
    height = weight.shape[0]
    y, x = np.indices(weight.shape)
    return float((weight * (x + 0.5)).sum() / weight.sum()), float(
        (weight * (height - y - 0.5)).sum() / weight.sum()
    )


def colors_in(pixels: np.ndarray) -> int:
    """Return the number of different colors in a uint8 array (…, 4)."""
    return len(np.unique(np.ascontiguousarray(pixels).view(np.uint32)))
