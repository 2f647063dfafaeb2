"""Small glTF files, made in memory for tests."""

from __future__ import annotations

import base64
import io
import json
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from ticking import in_time

import framework as fw

_TYPES = {
    "int8": 5120,
    "uint8": 5121,
    "int16": 5122,
    "uint16": 5123,
    "uint32": 5125,
    "float32": 5126,
}
_SHAPES = {(): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}


class Builder:
    """A glTF file in construction. `add`, `view`, `array` and `image` return the new index."""

    def __init__(self) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}}
        self.binary = b""

    def add(self, kind: str, **content: Any) -> int:
        self.json.setdefault(kind, []).append(content)
        return len(self.json[kind]) - 1

    def view(self, data: bytes, **more: Any) -> int:
        self.binary += b"\0" * (-len(self.binary) % 4)
        start = len(self.binary)
        self.binary += data
        return self.add("bufferViews", buffer=0, byteOffset=start, byteLength=len(data), **more)

    def array(self, values: Any, dtype: str = "float32", **more: Any) -> int:
        array = np.ascontiguousarray(values, dtype)
        shape = _SHAPES[array.shape[1:]]
        view = self.view(array.tobytes())
        content = {
            "bufferView": view,
            "componentType": _TYPES[dtype],
            "count": len(array),
            "type": shape,
        }
        return self.add("accessors", **content, **more)

    def image(self, pixels: Any) -> int:
        return self.add("images", bufferView=self.view(png(pixels)), mimeType="image/png")

    def texture(self, pixels: Any) -> dict[str, int]:
        return {"index": self.add("textures", source=self.image(pixels))}

    def glb(self, path: Path) -> Path:
        if self.binary:
            self.json["buffers"] = [{"byteLength": len(self.binary)}]
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        binary = self.binary + b"\0" * (-len(self.binary) % 4)
        chunks = (
            struct.pack("<2I", len(text), 0x4E4F534A)
            + text
            + struct.pack("<2I", len(binary), 0x004E4942)
            + binary
        )
        path.write_bytes(struct.pack("<3I", 0x46546C67, 2, 12 + len(chunks)) + chunks)
        return path

    def gltf(self, path: Path, uri: str | None = None) -> Path:
        """Write a JSON file.

        The binary data is in the file ``uri``, or in a data URI by default.
        """
        if uri is None:
            uri = "data:application/octet-stream;base64," + base64.b64encode(self.binary).decode()
        else:
            (path.parent / uri).write_bytes(self.binary)
        self.json["buffers"] = [{"byteLength": len(self.binary), "uri": uri}]
        path.write_text(json.dumps(self.json))
        return path


def png(pixels: Any) -> bytes:
    data = io.BytesIO()
    Image.fromarray(np.asarray(pixels, np.uint8)).save(data, "PNG")
    return data.getvalue()


SQUARE = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], np.float32)
INDICES = np.array([0, 1, 2, 0, 2, 3])


def square(builder: Builder, positions: Any = SQUARE, **attributes: int) -> dict[str, Any]:
    """Return a primitive: a square with sides of two units that faces +z."""
    position = builder.array(positions, min=[-1, -1, 0], max=[1, 1, 0])
    normal = builder.array(np.tile((0, 0, 1), (4, 1)))
    more = {"POSITION": position, "NORMAL": normal, **attributes}
    return {"attributes": more, "indices": builder.array(INDICES, "uint16")}


def moving() -> Builder:
    """Return a textured arm: a root, a waving hand above it, and a strip skinned to both."""
    builder = Builder()
    uv = builder.array([(0, 1), (1, 1), (1, 0), (0, 0)])
    joints = builder.array([(0, 0, 0, 0), (0, 0, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0)], "uint8")
    weights = builder.array(np.tile((1, 0, 0, 0), (4, 1)))
    material = builder.add(
        "materials",
        pbrMetallicRoughness={
            "baseColorTexture": builder.texture(np.full((2, 2, 3), 255)),
            "baseColorFactor": [1, 0.5, 0.25, 1],
            "metallicFactor": 0,
        },
        emissiveFactor=[0.1, 0.2, 0.3],
        doubleSided=True,
        alphaMode="MASK",
        alphaCutoff=0.25,
        normalTexture={**builder.texture(np.full((1, 1, 3), (128, 128, 255))), "scale": 0.5},
        extensions={"KHR_materials_emissive_strength": {"emissiveStrength": 2}},
    )
    strip = square(builder, TEXCOORD_0=uv, JOINTS_0=joints, WEIGHTS_0=weights)
    mesh = builder.add("meshes", primitives=[{**strip, "material": material}])
    inverse = np.tile(np.eye(4, dtype=np.float32), (2, 1, 1))
    inverse[1, 3, 1] = -1
    skin = builder.add("skins", joints=[0, 1], inverseBindMatrices=builder.array(inverse))
    builder.add("nodes", name="root", children=[1])
    builder.add("nodes", name="hand", translation=[0, 1, 0])
    builder.add("nodes", name="strip", mesh=mesh, skin=skin)
    builder.add("scenes", nodes=[0, 2])
    builder.json["scene"] = 0
    half = np.sqrt(0.5)
    times = builder.array([0, 1, 2])
    turns = builder.array([(0, 0, 0, 1), (0, 0, half, half), (0, 0, 0, 1)])
    translations = builder.array([(0, 1, 0), (0, 3, 0), (0, 1, 0)])
    samplers = [
        {"input": times, "output": turns},
        {"input": times, "output": translations, "interpolation": "STEP"},
    ]
    channels = [
        {"sampler": 0, "target": {"node": 1, "path": "rotation"}},
        {"sampler": 1, "target": {"node": 1, "path": "translation"}},
    ]
    builder.add("animations", name="Wave", samplers=samplers, channels=channels)
    spline = np.zeros((2, 3, 3), np.float32)
    spline[:, 1] = (0, 0, 0), (4, 0, 0)
    keys = {
        "input": builder.array([0, 1]),
        "output": builder.array(spline.reshape(6, 3)),
        "interpolation": "CUBICSPLINE",
    }
    walk = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    builder.add("animations", name="Walk", samplers=[keys], channels=[walk])
    return builder


def morphing(**mesh: Any) -> Builder:
    """Return a square with two morph targets and an animation of each kind of interpolation.

    The target "up" lifts the square by three units, "wide" doubles its width.
    """
    builder = Builder()
    up = builder.array(np.tile((0, 3, 0), (4, 1)))
    wide = builder.array(SQUARE * (1, 0, 0))
    primitive = {**square(builder), "targets": [{"POSITION": up}, {"POSITION": wide}]}
    shape = builder.add(
        "meshes", primitives=[primitive], extras={"targetNames": ["up", "wide"]}, **mesh
    )
    builder.add("nodes", name="frontend", mesh=shape)
    times = builder.array([0, 1])
    for name, values, kind in (
        ("Rise", [0, 0, 1, 0.5], "LINEAR"),
        ("Jump", [0, 0, 1, 0], "STEP"),
        ("Swell", [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0], "CUBICSPLINE"),
    ):
        sampler = {"input": times, "output": builder.array(values), "interpolation": kind}
        channel = {"sampler": 0, "target": {"node": 0, "path": "weights"}}
        builder.add("animations", name=name, samplers=[sampler], channels=[channel])
    return builder


def assert_refused_in_time(path: Path, words: str) -> None:
    """Check that a model is refused with ``words``, within a second on an idle machine."""
    start = time.process_time()
    with pytest.raises(fw.AssetError, match=words):
        fw.Model(path)
    assert in_time(time.process_time() - start, 3)


class Gallery(fw.Game):
    """A game with a model in front of the camera. The view is ten units high."""

    model: fw.Model

    def setup(self) -> None:
        self.batch = self.add(fw.ModelBatch(self.model))
        self.world.camera.ortho_height = 10
        self.world.camera.position = (0, 0, 20)
