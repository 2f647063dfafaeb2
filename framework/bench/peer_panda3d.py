"""Run the benchmark scenes with Panda3D: each object has a node and a rectangle (a "card")."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from direct.showbase.ShowBase import ShowBase
from panda3d.core import (
    CardMaker,
    Filename,
    OrthographicLens,
    PandaSystem,
    PNMImage,
    SamplerState,
    Texture,
    loadPrcFileData,
)

from . import peer_scene as scene

_SETTINGS = """
window-type offscreen
sync-video 0
audio-library-name null
notify-level-display error
textures-power-2 none
"""


class Panda3D(scene.Engine):
    """An `Engine` that draws the scenes with Panda3D."""

    def setup(self) -> None:
        loadPrcFileData("", f"{_SETTINGS}\nwin-size {scene.SIZE[0]} {scene.SIZE[1]}\n")
        self.base = ShowBase()
        self.base.setBackgroundColor(*(part / 255 for part in scene.BACKGROUND))
        lens = OrthographicLens()
        lens.setFilmSize(*scene.SIZE)
        lens.setNearFar(-10, 10)
        self.base.cam.node().setLens(lens)
        # the origin is at the bottom left corner of the image
        self.base.cam.setPos(scene.SIZE[0] / 2, 0, scene.SIZE[1] / 2)
        root = self.base.render.attachNewNode("bodies")
        root.setDepthTest(False)
        root.setDepthWrite(False)
        root.setBin("unsorted", 0)
        maker = CardMaker("body")
        half = scene.SPRITE / 2
        maker.setFrame(-half, half, -half, half)
        root.setTexture(_texture())
        for body in self.bodies:
            body.drawn = root.attachNewNode(maker.generate())
        self._place()

    def _place(self) -> None:
        for body in self.bodies:
            body.drawn.setPosHpr(body.x, 0, body.y, 0, 0, math.degrees(-body.angle))

    def tick(self) -> None:
        super().tick()
        self._place()

    def draw(self) -> None:
        self.base.graphicsEngine.renderFrame()

    def picture(self, path: str) -> None:
        image = PNMImage()
        self.base.win.getScreenshot(image)
        image.write(Filename.fromOsSpecific(path))

    def about(self) -> dict[str, str]:
        renderer: str = self.base.win.getGsg().getDriverRenderer()
        return {"version": PandaSystem.getVersionString(), "renderer": renderer}


def _texture() -> Any:
    texture = Texture("body")
    texture.setup2dTexture(scene.SPRITE, scene.SPRITE, Texture.TUnsignedByte, Texture.FRgba)
    pixels = scene.sprite_pixels()
    stride = 4 * scene.SPRITE
    rows = [pixels[start : start + stride] for start in range(0, len(pixels), stride)]
    # Panda3D stores the bottom row first, and colors as BGRA
    turned = bytearray(b"".join(reversed(rows)))
    turned[0::4], turned[2::4] = turned[2::4], turned[0::4]
    texture.setRamImage(bytes(turned))
    texture.setMagfilter(SamplerState.FT_nearest)
    texture.setMinfilter(SamplerState.FT_nearest)
    return texture


def main(arguments: Sequence[str]) -> None:
    scene.serve(Panda3D, arguments)
