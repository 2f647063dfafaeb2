"""Run the benchmark scenes with Ursina, with an `Entity` for each object."""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Sequence
from typing import Any

from panda3d.core import Filename, PNMImage, loadPrcFileData
from PIL import Image

from . import peer_scene as scene

_SETTINGS = "window-type offscreen\nsync-video 0\naudio-library-name null\n"


class UrsinaEngine(scene.Engine):
    """An `Engine` that draws the scenes with Ursina."""

    def setup(self) -> None:
        loadPrcFileData("", _SETTINGS)  # set before Ursina is imported
        from ursina import Entity, Texture, Ursina, Vec2, camera, color, window

        self.app: Any = Ursina(
            window_type="offscreen", size=Vec2(*scene.SIZE), development_mode=False
        )
        window.color = color.rgb32(*scene.BACKGROUND)
        camera.orthographic = True
        camera.fov = scene.SIZE[1]
        image = Image.frombytes("RGBA", (scene.SPRITE, scene.SPRITE), scene.sprite_pixels())
        texture = Texture(image)
        texture.filtering = None
        left = scene.SIZE[0] / 2
        bottom = scene.SIZE[1] / 2
        for body in self.bodies:
            body.drawn = Entity(
                model="quad",
                texture=texture,
                scale=scene.SPRITE,
                position=(body.x - left, body.y - bottom),
                rotation_z=math.degrees(-body.angle),
            )

    def tick(self) -> None:
        super().tick()
        left = scene.SIZE[0] / 2
        bottom = scene.SIZE[1] / 2
        for body in self.bodies:
            entity = body.drawn
            entity.position = body.x - left, body.y - bottom
            entity.rotation_z = math.degrees(-body.angle)

    def draw(self) -> None:
        self.app.step()

    def picture(self, path: str) -> None:
        image = PNMImage()
        self.app.win.getScreenshot(image)
        image.write(Filename.fromOsSpecific(path))

    def about(self) -> dict[str, str]:
        renderer: str = self.app.win.getGsg().getDriverRenderer()
        return {"version": importlib.metadata.version("ursina"), "renderer": renderer}


def main(arguments: Sequence[str]) -> None:
    scene.serve(UrsinaEngine, arguments)
