"""glTF files: limits of numbers, times of keys, parents of nodes, and sizes of chunks."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from glbs import Builder, moving, square

import framework as fw
from framework.models import gltf


def model(builder: Builder, path: Path) -> Any:
    return fw.Model(builder.glb(path / "made.glb"))


@pytest.mark.parametrize(
    ("dtype", "numbers", "expected"),
    [
        ("int8", [-128, -127, 0, 127], [-1, -1, 0, 1]),
        ("int16", [-32768, -32767, 0, 32767], [-1, -1, 0, 1]),
        ("uint8", [0, 51, 255, 0], [0, 0.2, 1, 0]),
    ],
)
@pytest.mark.parametrize("normalized", [True, False])
def test_normalized_numbers_are_fractions_of_at_least_minus_1(
    tmp_path: Path, dtype: str, numbers: list[int], expected: list[float], normalized: bool
) -> None:
    builder = Builder()
    number = builder.array([numbers], dtype, normalized=normalized)
    reader = gltf._GltfReader(builder.glb(tmp_path / "made.glb"))
    np.testing.assert_allclose(
        reader._floats(number), [expected if normalized else numbers], rtol=1e-6
    )


@pytest.mark.parametrize("row", [0, 3, 4])
def test_a_sparse_accessor_replaces_elements_up_to_the_last(tmp_path: Path, row: int) -> None:
    builder = Builder()
    indices = builder.view(bytes([row]))
    values = builder.view(np.float32([7, 8, 9]).tobytes())
    sparse = {
        "count": 1,
        "indices": {"bufferView": indices, "componentType": 5121},
        "values": {"bufferView": values},
    }
    number = builder.array(np.zeros((4, 3)), sparse=sparse)
    reader = gltf._GltfReader(builder.glb(tmp_path / "made.glb"))
    if row < 4:
        expected = np.zeros((4, 3))
        expected[row] = 7, 8, 9
        np.testing.assert_array_equal(reader._accessor(number), expected)
    else:
        with pytest.raises(ValueError, match="element 4 does not exist, there are 4 elements"):
            reader._accessor(number)


@pytest.mark.parametrize("count", [0, 5])
def test_a_sparse_accessor_replaces_at_least_one_and_at_most_all_elements(
    tmp_path: Path, count: int
) -> None:
    builder = Builder()
    zeros = builder.view(bytes(64))
    sparse = {
        "indices": {"bufferView": zeros, "componentType": 5121},
        "values": {"bufferView": zeros},
    }
    number = builder.array(np.zeros((4, 3)), sparse={"count": count, **sparse})
    with pytest.raises(ValueError, match=f"sparse replaces {count} of 4 elements"):
        gltf._GltfReader(builder.glb(tmp_path / "made.glb"))._accessor(number)


@pytest.mark.parametrize("width", [3, 4])
def test_vertex_colors_may_have_alpha(tmp_path: Path, width: int) -> None:
    builder = Builder()
    colors = np.linspace(0, 1, 4 * width).reshape(4, width)
    builder.add(
        "nodes",
        mesh=builder.add("meshes", primitives=[square(builder, COLOR_0=builder.array(colors))]),
    )
    mesh_colors = model(builder, tmp_path).parts[0].mesh.colors
    np.testing.assert_allclose(mesh_colors[:, :width], colors, atol=1e-6)
    assert width == 4 or (mesh_colors[:, 3] == 1).all()


def test_numbers_that_several_accessors_share_count_each_time(tmp_path: Path) -> None:
    builder = Builder()
    first = builder.array(np.zeros((4, 3)))
    others = [builder.add("accessors", **builder.json["accessors"][first]) for _ in range(2)]
    reader = gltf._GltfReader(builder.glb(tmp_path / "made.glb"))
    reader._numbers = gltf.Budget("numbers", 2 * 48)
    for number in (first, first, others[0]):
        reader._accessor(number)
    with pytest.raises(ValueError, match="it has more than 96 numbers; simplify it"):
        reader._accessor(others[1])


@pytest.mark.parametrize(
    ("times", "fits"), [([0, 1, 1], True), ([0, 1, 0.5], False), ([-0.1, 1, 2], False)]
)
def test_key_times_must_ascend_from_0(tmp_path: Path, times: list[float], fits: bool) -> None:
    builder = moving()
    sampler = builder.json["animations"][0]["samplers"][0]
    sampler["input"] = builder.array(times)
    if fits:
        assert model(builder, tmp_path).animations
    else:
        with pytest.raises(
            fw.AssetError, match="the times of its keys must be at least 0 and ascend"
        ):
            model(builder, tmp_path)


def test_times_of_keys_are_single_numbers(tmp_path: Path) -> None:
    builder = moving()
    builder.json["animations"][0]["samplers"][0]["input"] = builder.array([(0, 5), (1, 5), (2, 5)])
    with pytest.raises(fw.AssetError, match="3 keys of rotation have values"):
        model(builder, tmp_path)


@pytest.mark.parametrize("spline", [False, True])
def test_a_key_with_a_rotation_of_length_0_is_refused_with_its_index(
    tmp_path: Path, spline: bool
) -> None:
    builder = moving()
    turns = np.tile(np.float32((0, 0, 0, 1)), (3, 1))
    turns[1] = 0
    sampler = builder.json["animations"][0]["samplers"][0]
    if spline:  # tangents of zero on both sides of each key
        turns = np.stack([turns * 0, turns, turns * 0], axis=1).reshape(9, 4)
        sampler["interpolation"] = "CUBICSPLINE"
    sampler["output"] = builder.array(turns)
    with pytest.raises(fw.AssetError, match="key 1 of a rotation is a quaternion of length 0"):
        model(builder, tmp_path)


@pytest.mark.parametrize(
    ("dtype", "shape"), [("float32", (6,)), ("int16", (6,)), ("uint16", (3, 2))]
)
def test_indices_are_single_integers_of_at_least_0(
    tmp_path: Path, dtype: str, shape: tuple[int, ...]
) -> None:
    builder = Builder()
    primitive = {**square(builder), "indices": builder.array(np.zeros(shape), dtype)}
    builder.add("nodes", mesh=builder.add("meshes", primitives=[primitive]))
    with pytest.raises(fw.AssetError, match="its indices are not whole numbers"):
        model(builder, tmp_path)


@pytest.mark.parametrize("value", [3, {"a": 1}, [1], [{}, None]])
def test_a_value_that_is_no_list_of_objects_is_refused_with_its_name(value: Any) -> None:
    assert gltf._objects({"key": [{"a": 1}]}, "key", "here") == [{"a": 1}]
    assert gltf._objects({}, "key", "here") == []
    with pytest.raises(ValueError, match=r"^here: key is .*, expected a list of objects"):
        gltf._objects({"key": value}, "key", "here")


def test_json_numbers_must_be_numbers_below_1e30() -> None:
    def read(*values: Any) -> list[float]:
        return gltf._floats_of({"key": list(values)}, "key", 2, "here", ())

    assert read(1, -9.9e29) == [1, -9.9e29]
    for values in ((1e30, 0), (0, -1e30), (float("inf"), 0), (True, 0), ("1", 0), (0,), (0, 0, 0)):
        with pytest.raises(ValueError, match=r"^here: key is .*, expected 2 numbers"):
            read(*values)


def test_missing_parts_of_a_nodes_transform_have_defaults() -> None:
    defaults = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}
    for transform in (
        {"translation": [2, 3, 4]},
        {"rotation": [0, 1, 0, 0]},
        {"scale": [5, 6, 7]},
        {},
    ):
        poses = gltf._poses([{"name": "first"}, transform])
        assert [pose[1].tolist() for pose in poses] == list((defaults | transform).values())
        assert [pose[0].tolist() for pose in poses] == list(defaults.values())


@pytest.mark.parametrize(
    ("length", "fits"), [(2e-6, True), (1e-6, False), (9e5, True), (1e6, False)]
)
def test_a_rotation_with_a_plausible_length_is_normalized(length: float, fits: bool) -> None:
    if fits:
        assert gltf._poses([{"rotation": [0, 0, -length, 0]}])[1].tolist() == [[0, 0, -1, 0]]
    else:
        with pytest.raises(
            ValueError, match=r"nodes\[0\]: its rotation .* is not a valid quaternion"
        ):
            gltf._poses([{"rotation": [0, 0, -length, 0]}])


def test_the_depth_of_nodes_is_limited() -> None:
    deepest = np.arange(-1, gltf.MAX_DEPTH - 1)
    assert gltf._ordered(deepest) == list(range(gltf.MAX_DEPTH))
    with pytest.raises(ValueError, match=f"more than {gltf.MAX_DEPTH} levels"):
        gltf._ordered(np.arange(-1, gltf.MAX_DEPTH))


def test_parents_come_before_children_and_loops_are_refused() -> None:
    parents = np.array([3, 0, -1, -1, 1, 2])
    order = gltf._ordered(parents)
    assert sorted(order) == list(range(6))
    assert all(parents[row] < 0 or order.index(parents[row]) < order.index(row) for row in order)
    with pytest.raises(ValueError, match=r"nodes\[1\] is in a cycle of nodes, or below a cycle"):
        gltf._ordered(np.array([-1, 2, 1, 2]))


def glb(tmp_path: Path) -> bytes:
    builder = Builder()
    builder.add("nodes", mesh=builder.add("meshes", primitives=[square(builder)]))
    builder.add("scenes", nodes=[0])
    return builder.glb(tmp_path / "whole.glb").read_bytes()


def read(tmp_path: Path, data: bytes) -> Any:
    (tmp_path / "changed.glb").write_bytes(data)
    return fw.Model(tmp_path / "changed.glb")


def test_a_chunk_may_end_exactly_at_the_end_of_the_file(tmp_path: Path) -> None:
    data = glb(tmp_path)
    (size,) = struct.unpack_from("<I", data, 12)
    start = 20 + size  # of the header of the second chunk
    (second,) = struct.unpack_from("<I", data, start)
    assert start + 8 + second == len(data)
    assert read(tmp_path, data).parts
    longer = data[:start] + struct.pack("<I", second + 1) + data[start + 4 :]
    with pytest.raises(
        fw.AssetError, match=f"cut off: a chunk of {second + 1:,} bytes begins at {start:,}"
    ):
        read(tmp_path, longer)


def test_the_file_must_have_the_length_in_its_header(tmp_path: Path) -> None:
    data = glb(tmp_path)
    with pytest.raises(
        fw.AssetError,
        match=f"cut off: {len(data) + 1:,} bytes are announced, {len(data):,} are there",
    ):
        read(tmp_path, data[:8] + struct.pack("<I", len(data) + 1) + data[12:])
    assert read(tmp_path, data + b"more").parts  # bytes after the end are ignored
    with pytest.raises(fw.AssetError, match="binary glTF of version 1, expected 2"):
        read(tmp_path, data[:4] + struct.pack("<I", 1) + data[8:])


def test_other_chunks_are_ignored_after_the_binary_chunk(tmp_path: Path) -> None:
    data = glb(tmp_path)
    extra = struct.pack("<2I", 4, 0x12345678) + b"abcd"
    assert read(
        tmp_path, data[:8] + struct.pack("<I", len(data) + len(extra)) + data[12:] + extra
    ).parts
    first = data[:8] + struct.pack("<I", len(data) + len(extra)) + extra + data[12:]
    with pytest.raises(fw.AssetError, match="its first chunk is not JSON"):
        read(tmp_path, first)


@pytest.mark.parametrize(
    ("attribute", "shape"),
    [("TEXCOORD_0", (4, 3)), ("TEXCOORD_0", (3, 2)), ("COLOR_0", (3, 4)), ("NORMAL", (4, 4))],
)
def test_an_attribute_of_another_shape_is_refused_with_its_name(
    tmp_path: Path, attribute: str, shape: tuple[int, int]
) -> None:
    builder = Builder()
    primitive = square(builder, **{attribute: builder.array(np.zeros(shape))})
    builder.add("nodes", mesh=builder.add("meshes", primitives=[primitive]))
    with pytest.raises(
        fw.AssetError, match=rf"{attribute} has the shape \({shape[0]}, {shape[1]}\)"
    ):
        model(builder, tmp_path)


@pytest.mark.parametrize("name", ["large.glb", "large.gltf", "large.obj"])
def test_a_file_of_more_than_512_mib_is_not_read(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / name).open("wb") as file:
        file.truncate(gltf.MAX_BYTES + 1)  # a sparse file that needs no disk space
    read_bytes = Path.read_bytes

    def refuse(path: Path) -> bytes:
        return pytest.fail("read") if path.parent == tmp_path else read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(fw.AssetError, match=f"{name}.*the file has more than 512 MiB"):
        fw.Model(tmp_path / name)
