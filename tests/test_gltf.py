"""glTF at its edges: the least number of a normalised type, keys in time, generations of nodes,
bounds of chunks.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from glbs import Builder, moving, square

import framework as fw
from framework.models import gltf


def model(made: Builder, path: Path) -> Any:
    return fw.Model(made.glb(path / "made.glb"))


@pytest.mark.parametrize(
    ("dtype", "given", "wanted"),
    [
        ("int8", [-128, -127, 0, 127], [-1, -1, 0, 1]),
        ("int16", [-32768, -32767, 0, 32767], [-1, -1, 0, 1]),
        ("uint8", [0, 51, 255, 0], [0, 0.2, 1, 0]),
    ],
)
@pytest.mark.parametrize("normalized", [True, False])
def test_normalised_numbers_are_fractions_and_the_least_of_them_is_not_below_minus_1(
    tmp_path: Path, dtype: str, given: list[int], wanted: list[float], normalized: bool
) -> None:
    made = Builder()
    number = made.array([given], dtype, normalized=normalized)
    reader = gltf._GltfReader(made.glb(tmp_path / "made.glb"))
    np.testing.assert_allclose(reader._floats(number), [wanted if normalized else given], rtol=1e-6)


@pytest.mark.parametrize("row", [0, 3, 4])
def test_a_sparse_accessor_replaces_elements_up_to_the_last_one(tmp_path: Path, row: int) -> None:
    made = Builder()
    indices, values = made.view(bytes([row])), made.view(np.float32([7, 8, 9]).tobytes())
    sparse = {
        "count": 1,
        "indices": {"bufferView": indices, "componentType": 5121},
        "values": {"bufferView": values},
    }
    number = made.array(np.zeros((4, 3)), sparse=sparse)
    reader = gltf._GltfReader(made.glb(tmp_path / "made.glb"))
    if row < 4:
        wanted = np.zeros((4, 3))
        wanted[row] = 7, 8, 9
        np.testing.assert_array_equal(reader._accessor(number), wanted)
    else:
        with pytest.raises(ValueError, match="element 4 does not exist, there are 4 elements"):
            reader._accessor(number)


@pytest.mark.parametrize("count", [0, 5])
def test_a_sparse_accessor_replaces_some_of_its_elements_and_no_more_than_there_are(
    tmp_path: Path, count: int
) -> None:
    made = Builder()
    zeros = made.view(bytes(64))
    places = {
        "indices": {"bufferView": zeros, "componentType": 5121},
        "values": {"bufferView": zeros},
    }
    number = made.array(np.zeros((4, 3)), sparse={"count": count, **places})
    with pytest.raises(ValueError, match=f"sparse replaces {count} of 4 elements"):
        gltf._GltfReader(made.glb(tmp_path / "made.glb"))._accessor(number)


@pytest.mark.parametrize("width", [3, 4])
def test_colours_of_vertices_have_an_alpha_or_none(tmp_path: Path, width: int) -> None:
    made = Builder()
    colors = np.linspace(0, 1, 4 * width).reshape(4, width)
    made.add(
        "nodes", mesh=made.add("meshes", primitives=[square(made, COLOR_0=made.array(colors))])
    )
    found = model(made, tmp_path).parts[0].mesh.colors
    np.testing.assert_allclose(found[:, :width], colors, atol=1e-6)
    assert width == 4 or (found[:, 3] == 1).all()


def test_numbers_that_are_there_under_many_names_count_each_time(tmp_path: Path) -> None:
    made = Builder()
    first = made.array(np.zeros((4, 3)))
    others = [made.add("accessors", **made.json["accessors"][first]) for _ in range(2)]
    reader = gltf._GltfReader(made.glb(tmp_path / "made.glb"))
    reader._numbers = gltf.Budget("numbers", 2 * 48)
    for number in (first, first, others[0]):
        reader._accessor(number)
    with pytest.raises(ValueError, match="it has more than 96 numbers; simplify it"):
        reader._accessor(others[1])


@pytest.mark.parametrize(
    ("times", "fits"), [([0, 1, 1], True), ([0, 1, 0.5], False), ([-0.1, 1, 2], False)]
)
def test_the_times_of_keys_ascend_from_0(tmp_path: Path, times: list[float], fits: bool) -> None:
    made = moving()
    sampler = made.json["animations"][0]["samplers"][0]
    sampler["input"] = made.array(times)
    if fits:
        assert model(made, tmp_path).animations
    else:
        with pytest.raises(
            fw.AssetError, match="the times of its keys must be at least 0 and ascend"
        ):
            model(made, tmp_path)


def test_times_of_keys_are_single_numbers(tmp_path: Path) -> None:
    made = moving()
    made.json["animations"][0]["samplers"][0]["input"] = made.array([(0, 5), (1, 5), (2, 5)])
    with pytest.raises(fw.AssetError, match="3 keys of rotation have values"):
        model(made, tmp_path)


@pytest.mark.parametrize("spline", [False, True])
def test_a_key_that_turns_nothing_is_refused_by_its_number(tmp_path: Path, spline: bool) -> None:
    made = moving()
    turns = np.tile(np.float32((0, 0, 0, 1)), (3, 1))
    turns[1] = 0
    sampler = made.json["animations"][0]["samplers"][0]
    if spline:  # tangents of nothing on both sides of each
        turns, sampler["interpolation"] = (
            np.stack([turns * 0, turns, turns * 0], axis=1).reshape(9, 4),
            "CUBICSPLINE",
        )
    sampler["output"] = made.array(turns)
    with pytest.raises(fw.AssetError, match="key 1 of a rotation is a quaternion of length 0"):
        model(made, tmp_path)


@pytest.mark.parametrize(
    ("dtype", "shape"), [("float32", (6,)), ("int16", (6,)), ("uint16", (3, 2))]
)
def test_indices_are_single_whole_numbers_of_at_least_0(
    tmp_path: Path, dtype: str, shape: tuple[int, ...]
) -> None:
    made = Builder()
    primitive = {**square(made), "indices": made.array(np.zeros(shape), dtype)}
    made.add("nodes", mesh=made.add("meshes", primitives=[primitive]))
    with pytest.raises(fw.AssetError, match="its indices are not whole numbers"):
        model(made, tmp_path)


@pytest.mark.parametrize("value", [3, {"a": 1}, [1], [{}, None]])
def test_what_is_no_list_of_objects_is_refused_by_its_name(value: Any) -> None:
    assert gltf._objects({"key": [{"a": 1}]}, "key", "here") == [{"a": 1}]
    assert gltf._objects({}, "key", "here") == []
    with pytest.raises(ValueError, match=r"^here: key is .*, expected a list of objects"):
        gltf._objects({"key": value}, "key", "here")


def test_numbers_of_the_json_are_numbers_and_below_1e30() -> None:
    def read(*values: Any) -> list[float]:
        return gltf._floats_of({"key": list(values)}, "key", 2, "here", ())

    assert read(1, -9.9e29) == [1, -9.9e29]
    for values in ((1e30, 0), (0, -1e30), (float("inf"), 0), (True, 0), ("1", 0), (0,), (0, 0, 0)):
        with pytest.raises(ValueError, match=r"^here: key is .*, expected 2 numbers"):
            read(*values)


def test_what_a_node_leaves_out_is_at_rest() -> None:
    still = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}
    for said in ({"translation": [2, 3, 4]}, {"rotation": [0, 1, 0, 0]}, {"scale": [5, 6, 7]}, {}):
        poses = gltf._poses([{"name": "first"}, said])
        assert [pose[1].tolist() for pose in poses] == list((still | said).values())
        assert [pose[0].tolist() for pose in poses] == list(still.values())


@pytest.mark.parametrize(
    ("length", "fits"), [(2e-6, True), (1e-6, False), (9e5, True), (1e6, False)]
)
def test_a_rotation_of_a_length_that_says_something_is_scaled_to_1(
    length: float, fits: bool
) -> None:
    if fits:
        assert gltf._poses([{"rotation": [0, 0, -length, 0]}])[1].tolist() == [[0, 0, -1, 0]]
    else:
        with pytest.raises(
            ValueError, match=r"nodes\[0\]: its rotation .* is not a valid quaternion"
        ):
            gltf._poses([{"rotation": [0, 0, -length, 0]}])


def test_so_many_generations_and_no_more() -> None:
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
    made = Builder()
    made.add("nodes", mesh=made.add("meshes", primitives=[square(made)]))
    made.add("scenes", nodes=[0])
    return made.glb(tmp_path / "whole.glb").read_bytes()


def read(tmp_path: Path, data: bytes) -> Any:
    (tmp_path / "changed.glb").write_bytes(data)
    return fw.Model(tmp_path / "changed.glb")


def test_a_chunk_ends_where_the_file_ends_and_not_a_byte_later(tmp_path: Path) -> None:
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


def test_what_the_header_announces_is_what_is_there(tmp_path: Path) -> None:
    data = glb(tmp_path)
    with pytest.raises(
        fw.AssetError,
        match=f"cut off: {len(data) + 1:,} bytes are announced, {len(data):,} are there",
    ):
        read(tmp_path, data[:8] + struct.pack("<I", len(data) + 1) + data[12:])
    assert read(tmp_path, data + b"more").parts  # what comes after is not of the file
    with pytest.raises(fw.AssetError, match="binary glTF of version 1, expected 2"):
        read(tmp_path, data[:4] + struct.pack("<I", 1) + data[8:])


def test_chunks_of_other_kinds_are_passed_over_behind_the_binary_one(tmp_path: Path) -> None:
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
def test_an_attribute_of_another_shape_is_refused_by_name(
    tmp_path: Path, attribute: str, shape: tuple[int, int]
) -> None:
    made = Builder()
    primitive = square(made, **{attribute: made.array(np.zeros(shape))})
    made.add("nodes", mesh=made.add("meshes", primitives=[primitive]))
    with pytest.raises(
        fw.AssetError, match=rf"{attribute} has the shape \({shape[0]}, {shape[1]}\)"
    ):
        model(made, tmp_path)


@pytest.mark.parametrize("name", ["large.glb", "large.gltf", "large.obj"])
def test_a_file_of_more_than_512_mib_is_not_even_read(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / name).open("wb") as file:
        file.truncate(gltf.MAX_BYTES + 1)  # without a block on the disk
    read_bytes = Path.read_bytes

    def refuse(path: Path) -> bytes:
        return pytest.fail("read") if path.parent == tmp_path else read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(fw.AssetError, match=f"{name}.*the file has more than 512 MiB"):
        fw.Model(tmp_path / name)
