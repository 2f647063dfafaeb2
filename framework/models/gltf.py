"""Read models from glTF 2.0 files (.glb and .gltf).

The files may come from untrusted sources. Therefore, the reader checks every number before it uses
the number. The reader does not use a glTF library, because no such library checks the numbers. In
addition, pygltflib takes one second to read a megabyte of JSON, and trimesh ignores skins and
animations.
"""

from __future__ import annotations

import base64
import binascii
import itertools
import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats, Mask, Pixels, Rows
from ..assets.json_fields import parsed
from ..assets.linked_files import MAX_BYTES, Budget, beside
from ..checks import shown
from ..geometry import quaternions
from ..geometry.mesh import Mesh
from .animations import INTERPOLATIONS, PATHS, Animation, Channel
from .gltf_ignored import ignored_features
from .materials import Material
from .morphs import MAX_NUMBERS, MAX_TARGETS, MAX_WEIGHTS, MorphTargets
from .parts import (
    CORNERS_A_BYTE,
    MAX_ANIMATIONS,
    MAX_CHANNELS,
    MAX_CORNERS,
    MAX_DEPTH,
    MAX_JOINTS,
    MAX_KEYS,
    MAX_NODES,
    MAX_PARTS,
    MAX_PLACES,
    MAX_SHARED_CORNERS,
    ModelData,
    ModelImages,
    Part,
    quaternion_lengths,
    unit_vectors,
)
from .skins import MAX_SKIN_JOINTS, Skin
from .textures import MAX_UV_SETS, Texture, placed, placing

_JSON_CHUNK = 0x4E4F534A
_BINARY_CHUNK = 0x004E4942
_MAX_CHUNKS = 16
_DTYPES = {
    5120: np.int8,
    5121: np.uint8,
    5122: np.int16,
    5123: np.uint16,
    5125: np.uint32,
    5126: np.float32,
}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_TRIANGLES = 4
_STRIP = 5
_FAN = 6
_ALPHA_MODES = {"OPAQUE": "opaque", "MASK": "mask", "BLEND": "blend"}
_WRAPS = {10497: "repeat", 33648: "mirror", 33071: "clamp"}
_MAGNIFIED = {9728: "nearest", 9729: "linear"}
_MINIFIED = {
    **_MAGNIFIED,
    9984: "nearest_mipmap_nearest",
    9985: "linear_mipmap_nearest",
    9986: "nearest_mipmap_linear",
    9987: "linear_mipmap_linear",
}
# The maximum number of values in the JSON; it takes a second to parse this many.
_MAX_VALUES = 1 << 21
# An accessor without data contains zeros, so the size of the file does not limit its count.
_MAX_ZEROS = 1 << 24
_TOO_MANY = f"it has more than {MAX_PARTS:,} meshes and materials; join some"
_MAX_REMARKS = 5
_IMAGE_FORMATS = "PNG", "JPEG", "WEBP"

# Extensions that a file may require. An extension that only improves the appearance is ignored with
# a warning (`ignored_features`).
_SUPPORTED = {
    *[
        "KHR_materials_unlit",
        "KHR_materials_emissive_strength",
        "KHR_texture_transform",
        "KHR_mesh_quantization",
    ],
    *[
        "EXT_texture_webp",
        "KHR_materials_pbrSpecularGlossiness",
        "KHR_lights_punctual",
        "KHR_materials_variants",
    ],
    *[
        f"KHR_materials_{name}"
        for name in ("ior", "specular", "clearcoat", "sheen", "transmission", "volume")
    ],
    *[f"KHR_materials_{name}" for name in ("anisotropy", "iridescence", "dispersion")],
}

Json = dict[str, Any]


def read(path: Path) -> ModelData:
    """Return the data of the model in the file ``path``.

    Raises `ValueError` if the file is invalid. If a value in the file has the wrong type, another
    Python error may be raised.
    """
    return _GltfReader(path).parts()


class _GltfReader:
    def __init__(self, path: Path) -> None:
        self._folder = path.parent
        self._binary: bytes | None = None
        self._json = self._parse(_contents(path))
        self._numbers = Budget("numbers")
        self._pictures = ModelImages()
        self._corners = Budget("vertices and corners of triangles", MAX_CORNERS)
        self._shared = Budget(
            "vertices and corners of triangles that share their numbers", MAX_SHARED_CORNERS
        )
        self._places = Budget("meshes at nodes", MAX_PLACES)
        self._channels_left = Budget("channels", MAX_CHANNELS)
        self._keys = Budget("numbers in keys", MAX_KEYS)
        self._joints = Budget("joints", MAX_JOINTS)
        self._morphs = Budget("numbers in morph targets", MAX_NUMBERS)
        self._weights = Budget("weights of morph targets", MAX_WEIGHTS)
        self._zeros = Budget("numbers that are not in the file", _MAX_ZEROS)
        self._lists: dict[str, list[Json]] = {}
        self._buffers: dict[int, bytes] = {}
        self._arrays: dict[int, NDArray[Any]] = {}
        self._images: dict[int, Pixels] = {}
        # The number of morph weights, by the index of the node.
        self._weight_counts: dict[int, int] = {}
        self._materials: dict[int | None, tuple[Material, _Lay]] = {}
        self._remarks: dict[str, None] = {}
        self._check_version()
        self._check_extensions()

    # -- the file ----------------------------------------------------------------------------------

    def _parse(self, data: bytes) -> Json:
        if data[:4] == b"glTF":
            data = self._unwrap(data)
        return parsed(data, _MAX_VALUES, "binary glTF")

    def _unwrap(self, data: bytes) -> bytes:
        """Store the binary data of a .glb file, and return the JSON of the file."""
        if len(data) < 20:
            raise ValueError(f"the file is cut off: {len(data)} bytes, and a header has 20")
        version: int
        length: int
        _, version, length = struct.unpack_from("<3I", data)
        if version != 2:
            raise ValueError(f"the file is binary glTF of version {version}, expected 2")
        if length > len(data):
            raise ValueError(
                f"the file is cut off: {length:,} bytes are announced, {len(data):,} are there"
            )
        chunks = list(itertools.islice(_chunks(data, length), _MAX_CHUNKS))
        if not chunks or chunks[0][0] != _JSON_CHUNK:
            raise ValueError("its first chunk is not JSON")
        for kind, content in chunks[1:2]:
            if kind == _BINARY_CHUNK:
                self._binary = bytes(content)
        return bytes(chunks[0][1])

    def _check_version(self) -> None:
        version = _object(self._json, "asset", "the file").get("version")
        if not isinstance(version, str) or version.partition(".")[0] != "2":
            raise ValueError(f"the file is glTF of version {version!r}, expected 2.0")

    def _check_extensions(self) -> None:
        required = self._json.get("extensionsRequired", [])
        if not isinstance(required, list):
            raise ValueError(f"extensionsRequired is {shown(required)}, expected a list")
        missing = [name for name in required if name not in _SUPPORTED]
        if missing:
            raise ValueError(
                f"the file needs {', '.join(map(str, missing[:5]))}, which is not supported; "
                "export it without"
            )
        used = self._json.get("extensionsUsed", [])
        beyond = [name for name in used if name not in _SUPPORTED] if isinstance(used, list) else []
        if beyond:
            names = ", ".join(map(str, beyond[:5]))
            self._remarks[f"is drawn without {names}, which it uses: export it without"] = None

    # -- numbers -----------------------------------------------------------------------------------

    def _all(self, name: str) -> list[Json]:
        """Return a list from the JSON, such as "meshes".

        If the file does not contain the list, return an empty list.
        """
        objects = self._lists.get(name)
        if objects is None:
            objects = self._json.get(name, [])
            if not isinstance(objects, list) or not all(isinstance(item, dict) for item in objects):
                raise ValueError(f"{name}: expected a list of objects")
            self._lists[name] = objects
        return objects

    def _item(self, name: str, holder: Json, key: str, where: str) -> Json:
        return self._all(name)[_index(holder, key, len(self._all(name)), where)]

    def _buffer(self, number: int) -> bytes:
        data = self._buffers.get(number)
        if data is None:
            where = f"buffers[{number}]"
            buffer = self._all("buffers")[number]
            uri = buffer.get("uri")
            size = _count(buffer, "byteLength", where)
            if uri is None and number == 0 and self._binary is not None:
                data = self._binary
            else:
                data = self._bytes_at(uri, where)
            if size > len(data):
                raise ValueError(f"{where}: {size:,} bytes are announced, {len(data):,} are there")
            self._buffers[number] = data = data[:size]
            self._shared.allow(CORNERS_A_BYTE * size)
        return data

    def _bytes_at(self, uri: object, where: str) -> bytes:
        """Return the data of a URI, which contains either the data itself or the name of a file in
        the model's folder.
        """
        if not isinstance(uri, str):
            raise ValueError(f"{where}: expected a uri, got {shown(uri)}")
        if uri.startswith("data:"):
            return self._data_in(uri, where)
        path = beside(self._folder, unquote(uri), where)
        self._numbers.spend(path.stat().st_size)
        return path.read_bytes()

    def _data_in(self, uri: str, where: str) -> bytes:
        """Return the data in a URI such as "data:application/octet-stream;base64,AAAA"."""
        head, comma, body = uri.partition(",")
        if not comma:
            raise ValueError(f"{where}: its data URI has no data")
        self._numbers.spend(len(body))
        if not head.endswith(";base64"):
            return unquote(body).encode("latin-1", "replace")
        try:
            return base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            raise ValueError(f"{where}: its data URI is not base64") from None

    def _view(self, number: int, where: str) -> tuple[memoryview, int]:
        """Return the bytes of a buffer view, and its stride in bytes.

        If the file does not set the stride, the stride is 0.
        """
        where = f"bufferViews[{number}]"
        view = self._all("bufferViews")[number]
        data = self._buffer(_index(view, "buffer", len(self._all("buffers")), where))
        start = _count(view, "byteOffset", where, 0)
        length = _count(view, "byteLength", where)
        if start + length > len(data):
            raise ValueError(
                f"{where} ends at byte {start + length:,}, and its buffer has {len(data):,}"
            )
        return memoryview(data)[start : start + length], _count(view, "byteStride", where, 0)

    def _accessor(self, number: int) -> NDArray[Any]:
        """Return the numbers of an accessor, in the dtype that the file uses. The array has the
        shape (count, width).
        """
        array = self._arrays.get(number)
        if array is None:
            array = self._arrays[number] = self._read_accessor(number)
        return array

    def _read_accessor(self, number: int) -> NDArray[Any]:
        accessor = self._all("accessors")[number]
        where = f"accessors[{number}]"
        dtype = _dtype(accessor, where)
        width = _WIDTHS.get(accessor.get("type", ""), 0)
        count = _count(accessor, "count", where)
        if not width or not count:
            raise ValueError(f"{where}: expected a type and a count, got {shown(accessor)}")
        if "bufferView" in accessor:
            array = self._strided(accessor, where, dtype, count, width)
        else:
            self._zeros.spend(count * width)
            array = np.zeros((count, width), dtype)
        sparse = accessor.get("sparse")
        if sparse is not None:
            self._patch(array, sparse, f"{where}.sparse")
        if dtype.kind == "f":
            _check_finite(array, where)
        return array

    def _strided(
        self, holder: Json, where: str, dtype: np.dtype[Any], count: int, width: int
    ) -> NDArray[Any]:
        data, stride = self._view(
            _index(holder, "bufferView", len(self._all("bufferViews")), where), where
        )
        start = _count(holder, "byteOffset", where, 0)
        size = dtype.itemsize * width
        if stride and stride < size:
            raise ValueError(f"{where}: its stride is {stride} bytes, but an element has {size}")
        stride = stride or size
        end = start + stride * (count - 1) + size
        if end > len(data):
            raise ValueError(
                f"{where}: {count:,} elements end at byte {end:,}, and its buffer view "
                f"has {len(data):,}"
            )
        self._numbers.spend(count * size)
        parts = np.ndarray((count, width), dtype, data, start, (stride, dtype.itemsize))
        return parts.astype(dtype.newbyteorder("="), copy=True)

    def _patch(self, array: NDArray[Any], sparse: Json, where: str) -> None:
        count = _count(sparse, "count", where)
        if not 0 < count <= len(array):
            raise ValueError(f"{where} replaces {count:,} of {len(array):,} elements")
        indices = _object(sparse, "indices", where)
        values = _object(sparse, "values", where)
        kind = _dtype(indices, where)
        if kind.kind != "u":
            raise ValueError(f"{where}: its indices are not whole numbers")
        rows = self._strided(indices, where, kind, count, 1)[:, 0]
        highest = int(rows.max())
        if highest >= len(array):
            raise ValueError(
                f"{where}: element {highest:,} does not exist, there are {len(array):,} elements"
            )
        array[rows] = self._strided(
            values, where, array.dtype.newbyteorder("<"), count, array.shape[1]
        )

    def _floats(self, number: int) -> Floats:
        """Return the numbers of an accessor as float32.

        Integers that represent fractions are divided by the maximum of their type.
        """
        accessor = self._all("accessors")[number]
        array = self._accessor(number)
        if array.dtype.kind == "f":
            return array
        floats = array.astype(np.float32)
        if accessor.get("normalized") is True:
            largest = np.float32(np.iinfo(array.dtype).max)
            floats = np.maximum(floats / largest, np.float32(-1))
        return floats

    # -- materials ---------------------------------------------------------------------------------

    def _material(self, number: int | None) -> tuple[Material, _Lay]:
        material = self._materials.get(number)
        if material is None:
            material = self._materials[number] = self._read_material(number)
        return material

    def _read_material(self, number: int | None) -> tuple[Material, _Lay]:
        if number is None:
            return Material(metallic=1.0, roughness=1.0), _Lay([])
        material = self._all("materials")[number]
        where = f"materials[{number}]"
        extensions = _object(material, "extensions", where)
        surface, keys = _surface_of(material, extensions, where)
        glow = _object(extensions, "KHR_materials_emissive_strength", where).get(
            "emissiveStrength", 1.0
        )
        base = self._texture(surface, keys.texture, where)
        rough = self._texture(surface, "metallicRoughnessTexture", where)
        normal = self._texture(material, "normalTexture", where)
        occlusion = self._texture(material, "occlusionTexture", where)
        emissive = self._texture(material, "emissiveTexture", where)
        lay = self._lay([base, normal, rough, emissive, occlusion], normal, where)
        result = Material(
            base_color=tuple(_floats_of(surface, keys.color, 4, where, (1, 1, 1, 1))),
            metallic=_number(surface, "metallicFactor", where, keys.metallic),
            roughness=_number(surface, "roughnessFactor", where, 1.0),
            emissive=_three(
                np.array(_floats_of(material, "emissiveFactor", 3, where, (0, 0, 0))) * float(glow)
            ),
            base_texture=lay.source(base),
            metallic_roughness_texture=lay.source(rough),
            normal_texture=lay.source(normal),
            normal_scale=normal.strength,
            occlusion_texture=lay.source(occlusion),
            occlusion_strength=occlusion.strength,
            emissive_texture=lay.source(emissive),
            alpha_mode=_alpha_mode(material, where),
            alpha_cutoff=_number(material, "alphaCutoff", where, 0.5),
            double_sided=material.get("doubleSided") is True,
            unlit="KHR_materials_unlit" in extensions,
        )
        return result, lay

    def _lay(self, maps: list[_Map], normal: _Map, where: str) -> _Lay:
        lay = _Lay([texture for texture in maps if texture.pixels is not None], normal)
        if len(lay.sets) > MAX_UV_SETS:
            self._remarks[
                f"is drawn with two sets of texture coordinates of {where}, "
                f"which uses {len(lay.sets)}"
            ] = None
        return lay

    def _texture(self, holder: Json, key: str, where: str) -> _Map:
        info = _object(holder, key, where)
        if not info:
            return _Map()
        where = f"{where}.{key}"
        texture = self._item("textures", info, "index", where)
        source = (
            _object(_object(texture, "extensions", where), "EXT_texture_webp", where) or texture
        )
        if "source" not in source:
            return _Map()
        pixels = self._image(_index(source, "source", len(self._all("images")), where))
        texture_map = _Map(pixels)
        if "sampler" in texture:
            texture_map.sampling = _sampling(
                self._item("samplers", texture, "sampler", where), where
            )
        self._pictures.count_sampling(pixels, tuple(texture_map.sampling.values()))
        texture_map.strength = _number(info, "scale" if "scale" in info else "strength", where, 1.0)
        texture_map.uv_set = _count(info, "texCoord", where, 0)
        transform = _object(_object(info, "extensions", where), "KHR_texture_transform", where)
        if transform:
            texture_map.place(transform, where)
        return texture_map

    def _image(self, number: int) -> Pixels:
        pixels = self._images.get(number)
        if pixels is None:
            image = self._all("images")[number]
            where = f"images[{number}]"
            if "bufferView" in image:
                view, _ = self._view(
                    _index(image, "bufferView", len(self._all("bufferViews")), where), where
                )
                data = bytes(view)
            else:
                data = self._bytes_at(image.get("uri"), where)
            self._images[number] = pixels = self._pictures.read(data, where, _IMAGE_FORMATS)
        return pixels

    # -- meshes ------------------------------------------------------------------------------------

    def _colors(self, attributes: Json, where: str, count: int) -> NDArray[Any]:
        """Return the colors of the vertices, with three or four numbers each."""
        accessor = self._item("accessors", attributes, "COLOR_0", where)
        width = 3 if accessor.get("type") == "VEC3" else 4
        return self._column(attributes, "COLOR_0", width, where, count)

    def _primitive(self, primitive: Json, where: str) -> _Primitive | None:
        """Return the mesh of a glTF primitive.

        If the primitive consists of points or lines, return None.
        """
        mode = _count(primitive, "mode", where, _TRIANGLES)
        attributes = _object(primitive, "attributes", where)
        if mode not in (_TRIANGLES, _STRIP, _FAN) or "POSITION" not in attributes:
            return None
        number = None
        if "material" in primitive:
            number = _index(primitive, "material", len(self._all("materials")), where)
        material, lay = self._material(number)
        columns = {"positions": self._column(attributes, "POSITION", 3, where)}
        count = len(columns["positions"])
        indices = self._indices(primitive, where, count, mode)
        self._corners.spend(count + len(indices))
        self._shared.spend(count + len(indices))
        if not len(indices):
            return None
        used = _used_attributes(attributes, lay, material.normal_texture is not None)
        for attribute, (name, width) in used.items():
            columns[name] = self._column(attributes, attribute, width, where, count)
        if "COLOR_0" in attributes:
            columns["colors"] = self._colors(attributes, where, count)
        targets = self._targets(primitive, where, count, len(indices), columns)
        return _assemble(_Vertices(columns, indices, targets), material, lay)

    def _column(
        self, attributes: Json, attribute: str, width: int, where: str, count: int | None = None
    ) -> Floats:
        """Return one attribute of all vertices, as an array (count, width). ``count`` is the number
        of vertices. With None, the array may have any number of rows.
        """
        values = self._floats(_index(attributes, attribute, len(self._all("accessors")), where))
        if values.shape != (len(values) if count is None else count, width):
            raise ValueError(f"{where}: {attribute} has the shape {values.shape}")
        return values

    def _targets(
        self, primitive: Json, where: str, count: int, corners: int, columns: dict[str, Floats]
    ) -> dict[str, Floats]:
        """Return how the morph targets change positions, normals and tangents.

        Each array has the shape (targets, count, 3).
        """
        targets = _objects(primitive, "targets", where)
        if len(targets) > MAX_TARGETS:
            raise ValueError(
                f"{where} has {len(targets):,} morph targets, the maximum is {MAX_TARGETS:,}"
            )
        changes: dict[str, Floats] = {}
        for attribute, name in (
            ("POSITION", "positions"),
            ("NORMAL", "normals"),
            ("TANGENT", "tangents"),
        ):
            is_used = any(attribute in target for target in targets) and name in columns
            if not is_used and not (targets and name == "positions"):
                continue
            # Without normals, each triangle gets its own vertices and normals.
            flat = "normals" not in columns
            self._morphs.spend(3 * len(targets) * (count + 2 * corners if flat else count))
            changes[name] = self._changes(targets, attribute, count, where)
        return changes

    def _changes(self, targets: list[Json], attribute: str, count: int, where: str) -> Floats:
        """Return how the morph targets change one attribute of ``count`` vertices, as an array
        (targets, count, 3). Targets without this attribute do not change it.
        """
        changes = np.zeros((len(targets), count, 3), np.float32)
        for number, target in enumerate(targets):
            if attribute not in target:
                continue
            values = self._floats(_index(target, attribute, len(self._all("accessors")), where))
            if values.shape != (count, 3):
                raise ValueError(
                    f"{where}: {attribute} of target {number} has the shape {values.shape}"
                )
            changes[number] = values
        return changes

    def _indices(self, primitive: Json, where: str, count: int, mode: int) -> NDArray[Any]:
        """Return the indices of the three vertices of each triangle, in one flat array."""
        if "indices" in primitive:
            accessor = self._accessor(
                _index(primitive, "indices", len(self._all("accessors")), where)
            )
            width: int = accessor.shape[1]
            if accessor.dtype.kind != "u" or width != 1:
                raise ValueError(f"{where}: its indices are not whole numbers")
            indices = accessor[:, 0]
        else:
            indices = np.arange(count, dtype=np.uint32)
        highest = int(indices.max()) if len(indices) else -1
        if highest >= count:
            raise ValueError(f"{where} has {count:,} vertices, and the index {highest:,}")
        if mode == _TRIANGLES:
            return indices[: len(indices) // 3 * 3]
        self._numbers.spend(max(len(indices) - 2, 0) * 3 * 8)
        return _triangles_of_strip(indices) if mode == _STRIP else _triangles_of_fan(indices)

    # -- nodes -------------------------------------------------------------------------------------

    def parts(self) -> ModelData:
        """Return the complete data of the model in the file."""
        nodes = self._all("nodes")
        if len(nodes) > MAX_NODES:
            raise ValueError(f"the file has {len(nodes):,} nodes, the maximum is {MAX_NODES:,}")
        parts = ModelData(
            names=[str(node.get("name", f"node {row}")) for row, node in enumerate(nodes)]
        )
        parts.parent = self._parents()
        order = _ordered(parts.parent)
        if nodes:
            parts.position, parts.rotation, parts.scale = _poses(nodes)
        self._add_meshes(parts, self._shown(parts.parent, order))
        self._weight_counts = {row: len(weights) for row, weights in parts.weights.items()}
        parts.animations = self._animations(len(nodes))
        parts.remarks = list(self._remarks)[:_MAX_REMARKS] + ignored_features(self._json)
        return parts

    def _parents(self) -> NDArray[np.intp]:
        nodes = self._all("nodes")
        parent = np.full(len(nodes), -1, np.intp)
        for row, node in enumerate(nodes):
            for child in _indices_of(node, "children", len(nodes), f"nodes[{row}]"):
                previous: int = parent[child]
                if previous >= 0:
                    raise ValueError(
                        f"nodes[{child}] is a child of both nodes[{previous}] and nodes[{row}]"
                    )
                parent[child] = row
        return parent

    def _shown(self, parent: NDArray[np.intp], order: list[int]) -> list[bool]:
        """Return, for each node, whether it is in the default scene of the file."""
        visible = np.ones(len(parent), bool)
        scenes = self._all("scenes")
        if scenes:
            scene = (
                _index(self._json, "scene", len(scenes), "the file") if "scene" in self._json else 0
            )
            visible[:] = False
            visible[_indices_of(scenes[scene], "nodes", len(parent), f"scenes[{scene}]")] = True
        parents: list[int] = parent.tolist()
        in_scene: list[bool] = visible.tolist()
        for row in order:
            if parents[row] >= 0:
                in_scene[row] |= in_scene[parents[row]]
        return in_scene

    def _meshes_at(self, visible: list[bool]) -> list[tuple[int, int]]:
        """Return a pair (node, mesh) of indices for each visible node that has a mesh.

        If the file has too many meshes, raise an error before creating any mesh.
        """
        nodes = []
        for row, node in enumerate(self._all("nodes")):
            if "mesh" not in node or not visible[row]:
                continue
            number = _index(node, "mesh", len(self._all("meshes")), f"nodes[{row}]")
            primitives = len(self._all("meshes")[number].get("primitives", []))
            if primitives > MAX_PARTS:
                raise ValueError(_TOO_MANY)
            self._places.spend(primitives)
            nodes.append((row, number))
        return nodes

    def _add_meshes(self, parts: ModelData, visible: list[bool]) -> None:
        primitives_by_key: dict[tuple[int, int], _Primitive | None] = {}
        parts_by_key: dict[tuple[int, int, int | None], Part] = {}
        for row, number in self._meshes_at(visible):
            skin = self._skin_number(row)
            primitives: list[Json] = self._all("meshes")[number].get("primitives", [])
            for index, primitive in enumerate(primitives):
                key = number, index
                if key not in primitives_by_key:
                    where = f"meshes[{number}].primitives[{index}]"
                    primitives_by_key[key] = self._primitive(primitive, where)
                mesh_data = primitives_by_key[key]
                if mesh_data is None:
                    continue
                part = parts_by_key.get((*key, skin))
                if part is None:
                    part = parts_by_key[*key, skin] = self._part(row, number, skin, mesh_data)
                    parts.parts.append(part)
                    if len(parts.parts) > MAX_PARTS:
                        raise ValueError(_TOO_MANY)
                else:
                    part.nodes.append(row)
                if part.targets is not None:
                    self._weigh(parts, row, part.targets)

    def _skin_number(self, row: int) -> int | None:
        """Return the index of a node's skin, or None if the node has no skin."""
        node = self._all("nodes")[row]
        if "skin" not in node:
            return None
        return _index(node, "skin", len(self._all("skins")), f"nodes[{row}]")

    def _part(self, row: int, mesh: int, skin: int | None, primitive: _Primitive) -> Part:
        """Return the `Part` for a primitive of a mesh at the node ``row``."""
        bent = None
        if skin is not None and primitive.joints is not None:
            bent = self._skin(skin, primitive)
        targets = self._morph_targets(mesh, primitive)
        return Part(primitive.mesh, primitive.material, [row], bent, targets)

    def _weigh(self, parts: ModelData, row: int, targets: MorphTargets) -> None:
        """Add the morph weights of a node to ``parts``, the data of the model."""
        weights = parts.weights.get(row)
        if weights is None:
            self._weights.spend(len(targets))
            own = _weights(self._all("nodes")[row], f"nodes[{row}]", len(targets))
            parts.weights[row] = targets.weights if own is None else own
        elif len(weights) != len(targets):
            raise ValueError(
                f"nodes[{row}]: parts of its mesh have {len(weights)} and {len(targets)} "
                "morph targets"
            )

    def _morph_targets(self, number: int, primitive: _Primitive) -> MorphTargets | None:
        """Return the morph targets of a primitive. If the primitive has no morph targets, return
        None.
        """
        if not primitive.targets:
            return None
        mesh = self._all("meshes")[number]
        count = len(primitive.targets["positions"])
        names = (
            _object(mesh, "extras", f"meshes[{number}]").get("targetNames")
            if _has_target_names(mesh, count)
            else None
        )
        return MorphTargets(
            **primitive.targets, weights=_weights(mesh, f"meshes[{number}]", count), names=names
        )

    def _skin(self, number: int, primitive: _Primitive) -> Skin:
        skin = self._all("skins")[number]
        where = f"skins[{number}]"
        joints = _indices_of(skin, "joints", len(self._all("nodes")), where)
        self._joints.spend(len(joints))
        if not 0 < len(joints) <= MAX_SKIN_JOINTS:
            raise ValueError(
                f"{where} has {len(joints):,} joints, expected 1 to {MAX_SKIN_JOINTS:,}"
            )
        inverse = self._inverse_matrices(skin, len(joints), where)
        assert primitive.joints is not None
        assert primitive.weights is not None
        highest = int(primitive.joints.max())
        if highest >= len(joints):
            raise ValueError(
                f"{where} has {len(joints)} joints, and a vertex follows joint {highest}"
            )
        return Skin(
            np.array(joints) + 1, inverse, primitive.joints, np.maximum(primitive.weights, 0)
        )

    def _inverse_matrices(self, skin: Json, joints: int, where: str) -> Floats | None:
        """Return the inverse bind matrix of each joint, as an array (joints, 4, 4). Return None if
        the file does not contain them.
        """
        if "inverseBindMatrices" not in skin:
            return None
        values = self._floats(
            _index(skin, "inverseBindMatrices", len(self._all("accessors")), where)
        )
        width: int = values.shape[1]
        if width != 16 or len(values) < joints:
            raise ValueError(f"{where}: inverseBindMatrices has the shape {values.shape}")
        return values[:joints].reshape(-1, 4, 4)

    # -- animations --------------------------------------------------------------------------------

    def _animations(self, nodes: int) -> list[Animation]:
        animations: list[Animation] = []
        names: set[str] = set()
        if len(self._all("animations")) > MAX_ANIMATIONS:
            raise ValueError(
                f"the file has {len(self._all('animations')):,} animations, the maximum "
                f"is {MAX_ANIMATIONS:,}"
            )
        for number, animation in enumerate(self._all("animations")):
            name = base = str(animation.get("name", f"animation {number}"))
            while name in names:
                name = f"{base} ({len(names)})"
            names.add(name)
            animations.append(
                Animation(name, self._channels(animation, f"animations[{number}]", nodes))
            )
        return animations

    def _channels(self, animation: Json, where: str, nodes: int) -> list[Channel]:
        samplers = _objects(animation, "samplers", where)
        keys: dict[tuple[int, str, int], Channel] = {}
        channels = []
        for channel in _objects(animation, "channels", where):
            self._channels_left.spend(1)
            target = _object(channel, "target", where)
            if "node" not in target or target.get("path") not in PATHS:
                continue  # a channel that an extension defines, which moves texture coordinates
            number = _index(channel, "sampler", len(samplers), where)
            path = str(target["path"])
            node = _index(target, "node", nodes, where)
            if path == "weights" and node not in self._weight_counts:
                continue  # the node's mesh has no triangles or is invisible
            key = number, path, self._weight_counts.get(node, 0) if path == "weights" else 0
            cached = keys.get(key)
            if cached is None:
                cached = keys[key] = self._channel(samplers[number], node, path, where)
            self._keys.spend(cached.values.size + cached.times.size)
            channels.append(cached._replace(node=node))
        return channels

    def _channel(self, sampler: Json, node: int, path: str, where: str) -> Channel:
        accessors = len(self._all("accessors"))
        times = self._floats(_index(sampler, "input", accessors, where))
        values = self._floats(_index(sampler, "output", accessors, where))
        interpolation = _interpolation(sampler, where)
        each = 3 if interpolation == "CUBICSPLINE" else 1
        width = {"rotation": 4, "weights": self._weight_counts.get(node, 0)}.get(path, 3)
        # All weights of one keyframe come before the weights of the next keyframe.
        if path == "weights":
            values = values.reshape(-1, width) if values.size % width == 0 else values
        columns: int = times.shape[1]
        if columns != 1 or values.shape != (each * len(times), width):
            raise ValueError(
                f"{where}: {len(times)} keys of {path} have values of the shape {values.shape}"
            )
        _check_ascending(times[:, 0], where)
        keys = values.reshape(len(times), each, width) if each == 3 else values
        if path == "rotation":
            keys = _unit_rotations(keys, where)
        return Channel(node, path, interpolation, times[:, 0], keys)


class _Map:
    """A texture of a material in the file: an image, sampling options, and the transform of its
    texture coordinates.
    """

    def __init__(self, pixels: Pixels | None = None) -> None:
        self.pixels = pixels
        self.sampling: dict[str, Any] = {}
        self.strength = 1.0
        self.uv_set = 0
        self.offset = 0.0, 0.0
        self.scale = 1.0, 1.0
        self.angle = 0.0

    def place(self, transform: Json, where: str) -> None:
        """Set the transform to the values of the glTF extension KHR_texture_transform."""
        self.uv_set = _count(transform, "texCoord", where, self.uv_set)
        self.offset = _two(_floats_of(transform, "offset", 2, where, (0, 0)))
        self.scale = _two(_floats_of(transform, "scale", 2, where, (1, 1)))
        self.angle = _number(transform, "rotation", where, 0.0)

    @property
    def placement(self) -> tuple[object, ...]:
        """A key that identifies the transform and the set of texture coordinates.

        Textures with the same key can share texture coordinates.
        """
        return self.uv_set, self.offset, self.scale, self.angle

    def moved(self, uvs: Floats) -> Floats:
        """Transform texture coordinates as the glTF extension KHR_texture_transform does, and
        return the new coordinates.
        """
        return placed(uvs, placing(self.angle, self.scale), self.offset)


class _SurfaceKeys(NamedTuple):
    """The keys of the base color and its texture in a material, and the default of its metallic
    factor.
    """

    color: str
    texture: str
    metallic: float


_ROUGHNESS_KEYS = _SurfaceKeys("baseColorFactor", "baseColorTexture", 1.0)
_GLOSSINESS_KEYS = _SurfaceKeys("diffuseFactor", "diffuseTexture", 0.0)


def _surface_of(material: Json, extensions: Json, where: str) -> tuple[Json, _SurfaceKeys]:
    """Return the JSON object with the colors of a material, and the keys in this object."""
    surface = _object(material, "pbrMetallicRoughness", where)
    glossiness = "KHR_materials_pbrSpecularGlossiness"
    if surface or glossiness not in extensions:
        return surface, _ROUGHNESS_KEYS
    return _object(extensions, glossiness, where), _GLOSSINESS_KEYS


class _Lay:
    """The transforms of a material's textures on a mesh.

    If all textures have the same transform, the texture coordinates of the mesh are transformed
    once. Otherwise, each texture keeps its own transform.
    """

    def __init__(self, maps: list[_Map], normal: _Map | None = None) -> None:
        self._normal = normal
        self.sets = list(dict.fromkeys(texture_map.uv_set for texture_map in maps))
        """The indices of the texture coordinates (UV sets) that the textures use. The mesh stores
        the texture coordinates in the same order.
        """
        self.common = maps[0] if len({texture_map.placement for texture_map in maps}) == 1 else None

    def source(self, texture_map: _Map) -> Pixels | Texture | None:
        """Return a texture in a form that a `Material` accepts."""
        if texture_map.pixels is None or (self.common is not None and not texture_map.sampling):
            return texture_map.pixels
        if self.common is not None:
            return Texture(texture_map.pixels, **texture_map.sampling)
        uv_set = self.sets.index(texture_map.uv_set)
        placement: dict[str, Any] = {
            "offset": texture_map.offset,
            "angle": texture_map.angle,
            "scale": texture_map.scale,
        }
        return Texture(
            texture_map.pixels,
            **texture_map.sampling,
            **placement,
            uv_set=uv_set if uv_set < MAX_UV_SETS else 0,
        )

    def place(self, columns: dict[str, Floats], indices: NDArray[Any], bumpy: bool) -> None:
        """Transform the texture coordinates of a mesh for the textures of its material.

        If ``bumpy`` is True and the mesh has no tangents, add tangents for the normal map.
        """
        if self.common is not None and "uvs" in columns:
            columns["uvs"] = self.common.moved(columns["uvs"])
        elif bumpy and self._normal is not None and "tangents" not in columns:
            name = ("uvs", "second_uvs")[self.sets[:MAX_UV_SETS].index(self._normal.uv_set)]
            if name in columns:
                uvs = self._normal.moved(columns[name])
                positions = columns["positions"]
                normals = columns["normals"]
                columns["tangents"] = Mesh(
                    positions, indices.astype(np.uint32), normals=normals, uvs=uvs
                ).tangents


def _check_finite(array: NDArray[Any], where: str) -> None:
    if np.isfinite(array).all():
        return
    finite: Mask = np.isfinite(array).all(axis=1)
    row = int(np.argmin(finite))
    raise ValueError(f"{where}: row {row} is not finite: {array[row].tolist()}")


def _chunks(data: bytes, length: int) -> Iterator[tuple[int, memoryview]]:
    """Yield the kind and the content of each chunk in a .glb file with ``length`` bytes."""
    start = 12
    size: int
    kind: int
    while start + 8 <= length:
        size, kind = struct.unpack_from("<2I", data, start)
        start += 8
        if start + size > length:
            raise ValueError(
                f"the file is cut off: a chunk of {size:,} bytes begins at {start - 8:,} of "
                f"{length:,}"
            )
        yield kind, memoryview(data)[start : start + size]
        start += size


def _alpha_mode(material: Json, where: str) -> str:
    alpha_mode = material.get("alphaMode", "OPAQUE")
    if alpha_mode not in _ALPHA_MODES:
        raise ValueError(
            f"{where}: alphaMode is {shown(alpha_mode)}, expected one of {', '.join(_ALPHA_MODES)}"
        )
    return _ALPHA_MODES[alpha_mode]


def _triangles_of_strip(indices: NDArray[Any]) -> NDArray[Any]:
    """Return the vertices of each triangle, in one flat array. In every second triangle of a strip,
    two vertices are swapped.
    """
    first = np.arange(max(len(indices) - 2, 0))
    odd = first % 2
    corners = [indices[first], indices[first + 1 + odd], indices[first + 2 - odd]]
    return np.stack(corners, axis=1).reshape(-1)


def _triangles_of_fan(indices: NDArray[Any]) -> NDArray[Any]:
    """Return the vertices of each triangle, in one flat array. All triangles of a fan share its
    first vertex.
    """
    third = indices[2:]
    corners = [np.repeat(indices[:1], len(third)), indices[1:-1], third]
    return np.stack(corners, axis=1).reshape(-1)


def _interpolation(sampler: Json, where: str) -> str:
    interpolation: object = sampler.get("interpolation", "LINEAR")
    if not isinstance(interpolation, str) or interpolation not in INTERPOLATIONS:
        raise ValueError(
            f"{where}: interpolation is {shown(interpolation)}, "
            f"expected one of {', '.join(INTERPOLATIONS)}"
        )
    return interpolation


def _unit_rotations(keys: Floats, where: str) -> Floats:
    """Scale the quaternions (k, 4) of an animation to length 1. The keys (k, 3, 4) of a cubic
    spline are only checked.
    """
    is_spline = keys.ndim == 3
    rotations: Floats = keys[:, 1] if is_spline else keys
    lengths = quaternion_lengths(rotations)
    if (lengths < 1e-6).any():
        raise ValueError(
            f"{where}: key {int(np.argmin(lengths))} of a rotation is a quaternion of length 0"
        )
    return keys if is_spline else (rotations / lengths[:, None]).astype(np.float32)


def _used_attributes(attributes: Json, lay: _Lay, bumpy: bool) -> dict[str, tuple[str, int]]:
    """Return the attributes of a primitive that its mesh uses, besides positions and colors: for
    each, its name in `Mesh`, and its width. ``bumpy`` is True if the material has a normal map.
    """
    used = {"NORMAL": ("normals", 3)}
    if bumpy:
        used["TANGENT"] = "tangents", 4
    for uv_set, name in zip(lay.sets or [0], ("uvs", "second_uvs"), strict=False):
        used[f"TEXCOORD_{uv_set}"] = name, 2
    if "JOINTS_0" in attributes and "WEIGHTS_0" in attributes:
        used |= {"JOINTS_0": ("joints", 4), "WEIGHTS_0": ("weights", 4)}
    return {attribute: value for attribute, value in used.items() if attribute in attributes}


def _sampling(sampler: Json, where: str) -> dict[str, Any]:
    """Convert a glTF sampler to keyword arguments for `Texture`.

    If all options have their default values, the dict is empty.
    """
    u, v = (_word(sampler, key, _WRAPS, "repeat", where) for key in ("wrapS", "wrapT"))
    magnified = _word(sampler, "magFilter", _MAGNIFIED, "linear", where)
    minified = _word(sampler, "minFilter", _MINIFIED, "linear_mipmap_linear", where)
    usual = (u, v, magnified, minified) == ("repeat", "repeat", "linear", "linear_mipmap_linear")
    return (
        {} if usual else {"wrap": u if u == v else (u, v), "filter": magnified, "minify": minified}
    )


def _word(holder: Json, key: str, words: dict[int, str], usual: str, where: str) -> str:
    value = holder.get(key)
    if value is None:
        return usual
    if type(value) is not int or value not in words:
        raise ValueError(
            f"{where}: its sampler has the {key} {shown(value)}, expected "
            f"{', '.join(map(str, words))}"
        )
    return words[value]


class _Primitive:
    """A glTF primitive: a mesh with one material, and possibly with joints and morph targets."""

    def __init__(
        self,
        mesh: Mesh,
        material: Material,
        joints: NDArray[np.int64] | None,
        weights: Floats | None,
        targets: dict[str, Floats],
    ) -> None:
        self.mesh = mesh
        self.material = material
        self.joints = joints
        self.weights = weights
        self.targets = targets


class _Vertices(NamedTuple):
    """The vertices of a primitive, and the triangles between them."""

    columns: dict[str, Floats]
    """One array for each attribute, by its name in `Mesh`."""
    indices: NDArray[Any]
    """The three vertices of each triangle, in one flat array."""
    targets: dict[str, Floats]
    """The changes of the attributes by t morph targets: arrays (t, vertices, 3)."""


def _assemble(vertices: _Vertices, material: Material, lay: _Lay) -> _Primitive:
    has_normals = "normals" in vertices.columns
    columns, indices, targets = (_smooth if has_normals else _flat)(vertices)
    lay.place(columns, indices, material.normal_texture is not None)
    if material.normal_texture is None:  # only a normal map needs tangents
        columns["tangents"] = np.tile(
            np.array([1, 0, 0, 1], np.float32), (len(columns["positions"]), 1)
        )
    joints = columns.pop("joints", None)
    weights = columns.pop("weights", None)
    mesh = Mesh(indices=indices.astype(np.uint32), **columns)
    return _Primitive(
        mesh, material, None if joints is None else joints.astype(np.int64), weights, targets
    )


def _flat(vertices: _Vertices) -> _Vertices:
    """Return vertices for flat shading: each triangle has its own vertices and its own normal."""
    indices = vertices.indices
    columns = {
        name: values[indices] for name, values in vertices.columns.items() if name != "tangents"
    }
    targets = {name: values[:, indices] for name, values in vertices.targets.items()}
    columns["normals"] = _flat_normals(columns["positions"])
    if targets:
        displacements: list[Floats] = list(targets["positions"])
        moved = [
            _flat_normals(columns["positions"] + displacement) - columns["normals"]
            for displacement in displacements
        ]
        targets["normals"] = np.array(moved, np.float32)
    return _Vertices(columns, np.arange(len(indices), dtype=np.uint32), targets)


def _smooth(vertices: _Vertices) -> _Vertices:
    """Return only the vertices that triangles use, with normals of length 1."""
    columns = vertices.columns
    targets = vertices.targets
    used: Rows
    used, indices = np.unique(vertices.indices, return_inverse=True)
    if len(used) < len(columns["positions"]):
        columns = {name: values[used] for name, values in columns.items()}
        targets = {name: values[:, used] for name, values in targets.items()}
    columns = {**columns, "normals": unit_vectors(columns["normals"])}
    return _Vertices(columns, indices, targets)


def _flat_normals(positions: Floats) -> Floats:
    """Return the normals of m triangles that share no vertices. The array has the shape (3 m, 3)."""
    corners = positions.reshape(-1, 3, 3)
    normals: Floats = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.repeat(unit_vectors(normals), 3, axis=0)


def _weights(holder: Json, where: str, count: int) -> Floats | None:
    """Return the morph weights of a mesh or node in the rest pose. Return None if the file does not
    contain weights.
    """
    if "weights" not in holder:
        return None
    return np.array(_floats_of(holder, "weights", count, where, ()), np.float32)


def _has_target_names(mesh: Json, count: int) -> bool:
    """Return whether the mesh has a name for each of its morph targets.

    The function ignores all other data in "extras".
    """
    extras = mesh.get("extras")
    names = extras.get("targetNames") if isinstance(extras, dict) else None
    return (
        isinstance(names, list)
        and len(names) == count
        and all(isinstance(name, str) for name in names)
    )


def _ordered(parent: NDArray[np.intp]) -> list[int]:
    """Return the indices of all nodes, with each parent before its children.

    Raises `ValueError` if the nodes form a cycle, or if the tree has too many levels.
    """
    children: dict[int, list[int]] = {}
    parents: list[int] = parent.tolist()
    for row, above in enumerate(parents):
        children.setdefault(above, []).append(row)
    order = []
    level = children.get(-1, [])
    depth = 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise ValueError(f"its hierarchy of nodes has more than {MAX_DEPTH} levels")
        order += level
        level = [child for row in level for child in children.get(row, [])]
    if len(order) < len(parent):
        row = int(np.setdiff1d(np.arange(len(parent)), order)[0])
        raise ValueError(f"nodes[{row}] is in a cycle of nodes, or below a cycle")
    return order


_REST_POSE = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0]


def _poses(nodes: list[Json]) -> tuple[Floats, Floats, Floats]:
    """Return the positions, rotations and scales of the nodes. The three arrays have the shapes (n,
    3), (n, 4) and (n, 3).

    In the file, each node has either a matrix, or a position, rotation and scale.
    """
    properties = {"translation", "rotation", "scale"}
    poses = [
        _REST_POSE if properties.isdisjoint(node) else _pose(node, f"nodes[{row}]")
        for row, node in enumerate(nodes)
    ]
    position, rotation, scale = (
        np.array(column, np.float64) for column in zip(*poses, strict=True)
    )
    rows = np.flatnonzero(["matrix" in node for node in nodes])
    if len(rows):
        flat = [_floats_of(nodes[row], "matrix", 16, f"nodes[{row}]", ()) for row in rows]
        position[rows], rotation[rows], scale[rows] = _split(np.array(flat).reshape(-1, 4, 4), rows)
    return position.astype(np.float32), rotation.astype(np.float32), scale.astype(np.float32)


def _pose(node: Json, where: str) -> tuple[list[float], list[float], list[float]]:
    position = _floats_of(node, "translation", 3, where, (0, 0, 0))
    rotation = _floats_of(node, "rotation", 4, where, (0, 0, 0, 1))
    scale = _floats_of(node, "scale", 3, where, (1, 1, 1))
    length = math.sqrt(sum(part * part for part in rotation))
    if not 1e-6 < length < 1e6:
        raise ValueError(f"{where}: its rotation {rotation} is not a valid quaternion")
    if not all(abs(part) < 1e18 for part in scale):
        raise ValueError(f"{where}: its scale is {scale}, expected numbers below 1e18")
    return position, [part / length for part in rotation], scale


def _check_ascending(times: Floats, where: str) -> None:
    first: float = times[0]
    if (np.diff(times) < 0).any() or first < 0:
        raise ValueError(f"{where}: the times of its keys must be at least 0 and ascend")


def _split(matrices: Doubles, rows: Rows) -> tuple[Doubles, Doubles, Doubles]:
    """Split the matrices of nodes into positions, rotations and scales. ``matrices`` has the shape
    (m, 4, 4).

    The matrices are for row vectors. The function ignores shear.
    """
    turns = matrices[:, :3, :3]
    squares: Doubles = (turns**2).sum(axis=2)
    scale = np.sqrt(squares)
    _raise_if_any(
        ~((scale > 1e-18) & (scale < 1e18)).all(axis=1),
        rows,
        "has a scale of 0, and cannot be inverted",
    )
    x: Doubles
    y: Doubles
    z: Doubles
    x, y, z = (turns / scale[:, :, None]).transpose(1, 0, 2)
    mirrored: Mask = np.einsum("ij,ij->i", np.cross(x, y), z) < 0
    scale[mirrored, 0] *= -1
    x[mirrored] *= -1
    along: Doubles = np.einsum("ij,ij->i", x, y)
    y = y - x * along[:, None]
    squares = (y**2).sum(axis=1)
    length = np.sqrt(squares)
    _raise_if_any(length < 1e-6, rows, "has no valid rotation")
    y /= length[:, None]
    return (
        matrices[:, 3, :3],
        quaternions.from_matrices(np.stack([x, y, np.cross(x, y)], axis=1)),
        scale,
    )


def _raise_if_any(wrong: NDArray[np.bool_] | np.bool_, rows: Rows, words: str) -> None:
    if wrong.any():
        raise ValueError(f"nodes[{int(rows[np.argmax(wrong)])}]: its matrix {words}")


# -- files -----------------------------------------------------------------------------------------


def _contents(path: Path) -> bytes:
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"the file has more than {MAX_BYTES >> 20} MiB")
    return path.read_bytes()


# -- JSON ------------------------------------------------------------------------------------------


def _object(holder: Json, key: str, where: str) -> Json:
    value = holder.get(key, {})
    if not isinstance(value, dict):
        raise ValueError(f"{where}: {key} is {shown(value)}, expected an object")
    return value


def _objects(holder: Json, key: str, where: str) -> list[Json]:
    value = holder.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError(f"{where}: {key} is {shown(value)}, expected a list of objects")
    return value


def _count(holder: Json, key: str, where: str, default: int | None = None) -> int:
    value = holder.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 40:
        raise ValueError(f"{where}: {key} is {shown(value)}, expected a whole number of at least 0")
    return value


def _index(holder: Json, key: str, limit: int, where: str) -> int:
    value = _count(holder, key, where)
    if value >= limit:
        raise ValueError(f"{where}: {key} is {value:,}, but there are only {limit:,}")
    return value


def _indices_of(holder: Json, key: str, limit: int, where: str) -> list[int]:
    values = holder.get(key, [])
    if not isinstance(values, list):
        raise ValueError(f"{where}: {key} is {shown(values)}, expected a list")
    return [_index({key: value}, key, limit, where) for value in values]


def _number(holder: Json, key: str, where: str, default: float) -> float:
    return _floats_of({key: [holder.get(key, default)]}, key, 1, where, ())[0]


def _floats_of(
    holder: Json, key: str, length: int, where: str, default: tuple[float, ...]
) -> list[float]:
    if key not in holder and default:
        return list(default)
    values: object = holder.get(key, default)
    if (
        not isinstance(values, (list, tuple))
        or len(values) != length
        or not {int, float}.issuperset(map(type, values))
        or not max(map(abs, values), default=0) < 1e30
    ):
        raise ValueError(f"{where}: {key} is {shown(values)}, expected {length} numbers")
    return [float(value) for value in values]


def _dtype(holder: Json, where: str) -> np.dtype[Any]:
    kind = holder.get("componentType")
    if not isinstance(kind, int) or kind not in _DTYPES:
        raise ValueError(
            f"{where}: componentType is {shown(kind)}, "
            f"expected one of {', '.join(map(str, _DTYPES))}"
        )
    return np.dtype(_DTYPES[kind]).newbyteorder("<")


def _two(values: list[float]) -> tuple[float, float]:
    x, y = values
    return x, y


def _three(values: NDArray[np.float64]) -> tuple[float, float, float]:
    numbers: list[float] = values.tolist()
    x, y, z = numbers
    return x, y, z
