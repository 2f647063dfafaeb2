"""Games with fixed ticks, GPU-interpolated motion, and sprites drawn in instanced batches.

    import framework as fw

    class Game(fw.Game):
        def setup(self): ...
        def update(self, dt): ...

    fw.run(Game)

Names are loaded when first used: `from framework import FixedTimestep` imports neither pyglet nor GL.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyglet.window import key as key
    from pyglet.window import mouse as mouse

    from .animations import Animation as Animation
    from .animations import Channel as Channel
    from .batch import Drawable as Drawable
    from .billboards import Billboards as Billboards
    from .camera import Camera2D as Camera2D
    from .camera3d import Camera3D as Camera3D
    from .controls import Fly as Fly
    from .controls import Follow as Follow
    from .controls import Orbit as Orbit
    from .errors import AssetError as AssetError
    from .errors import DisplayError as DisplayError
    from .errors import FrameworkError as FrameworkError
    from .errors import ShaderError as ShaderError
    from .game import Game as Game
    from .game import run as run
    from .graphics import Graphics as Graphics
    from .heightfield import Heightfield as Heightfield
    from .images import Region as Region
    from .images import sheet as sheet
    from .input import Keys as Keys
    from .input import Mouse as Mouse
    from .lights import MAX_LIGHTS as MAX_LIGHTS
    from .lights import Light as Light
    from .lights import Lights as Lights
    from .lines import Lines as Lines
    from .materials import ALPHA_MODES as ALPHA_MODES
    from .materials import Material as Material
    from .mesh import Mesh as Mesh
    from .meshes import Hit as Hit
    from .meshes import Instance as Instance
    from .meshes import MeshBatch as MeshBatch
    from .models import Model as Model
    from .models import ModelBatch as ModelBatch
    from .models import ModelInstance as ModelInstance
    from .monitor import Monitor as Monitor
    from .motion import MOTIONS as MOTIONS
    from .motion import Extrapolation as Extrapolation
    from .nodes import Node as Node
    from .nodes import Nodes2D as Nodes2D
    from .nodes import Nodes3D as Nodes3D
    from .parts import Part as Part
    from .quality import Quality as Quality
    from .refresh import RefreshClock as RefreshClock
    from .rigs import NodeMeshes as NodeMeshes
    from .rigs import NodeSprites as NodeSprites
    from .scene import Scene as Scene
    from .schedule import LAST as LAST
    from .schedule import Schedule as Schedule
    from .schedule import Task as Task
    from .shadows import Shadows as Shadows
    from .skins import Skin as Skin
    from .sprites import Sprite as Sprite
    from .sprites import SpriteBatch as SpriteBatch
    from .systems import PHASES as PHASES
    from .text import Label as Label
    from .text import TextBatch as TextBatch
    from .timestep import FixedTimestep as FixedTimestep
    from .timestep import RoundedTimestep as RoundedTimestep
    from .timestep import SemiFixedTimestep as SemiFixedTimestep
    from .timestep import Tick as Tick
    from .timestep import Timestep as Timestep
    from .timestep import VariableTimestep as VariableTimestep
    from .transforms import Transforms2D as Transforms2D
    from .transforms3d import Transforms3D as Transforms3D
    from .world import World as World

__version__ = "0.1.0"

# Where each public name lives. pyglet's own `key` and `mouse` constants are passed on.
_HOMES = {
    "ALPHA_MODES": "materials",
    "Animation": "animations",
    "AssetError": "errors",
    "Billboards": "billboards",
    "Camera2D": "camera",
    "Camera3D": "camera3d",
    "Channel": "animations",
    "DisplayError": "errors",
    "Drawable": "batch",
    "Extrapolation": "motion",
    "FixedTimestep": "timestep",
    "Fly": "controls",
    "Follow": "controls",
    "FrameworkError": "errors",
    "Game": "game",
    "Graphics": "graphics",
    "Heightfield": "heightfield",
    "Hit": "meshes",
    "Instance": "meshes",
    "Keys": "input",
    "LAST": "schedule",
    "Label": "text",
    "Light": "lights",
    "Lights": "lights",
    "Lines": "lines",
    "MAX_LIGHTS": "lights",
    "MOTIONS": "motion",
    "Material": "materials",
    "Mesh": "mesh",
    "MeshBatch": "meshes",
    "Model": "models",
    "ModelBatch": "models",
    "ModelInstance": "models",
    "Monitor": "monitor",
    "Mouse": "input",
    "Node": "nodes",
    "NodeMeshes": "rigs",
    "NodeSprites": "rigs",
    "Nodes2D": "nodes",
    "Nodes3D": "nodes",
    "Orbit": "controls",
    "PHASES": "systems",
    "Part": "parts",
    "Quality": "quality",
    "RefreshClock": "refresh",
    "Region": "images",
    "RoundedTimestep": "timestep",
    "Scene": "scene",
    "Schedule": "schedule",
    "SemiFixedTimestep": "timestep",
    "ShaderError": "errors",
    "Shadows": "shadows",
    "Skin": "skins",
    "Sprite": "sprites",
    "SpriteBatch": "sprites",
    "Task": "schedule",
    "TextBatch": "text",
    "Tick": "timestep",
    "Timestep": "timestep",
    "Transforms2D": "transforms",
    "Transforms3D": "transforms3d",
    "VariableTimestep": "timestep",
    "World": "world",
    "run": "game",
    "sheet": "images",
}
_PYGLET = ("key", "mouse")

__all__ = [*_HOMES, *_PYGLET]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    elif name in _PYGLET:
        from .window import prepare

        prepare()
        value = importlib.import_module(f"pyglet.window.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
