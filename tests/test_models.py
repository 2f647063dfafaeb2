"""Models: loading of files, errors in files, drawing, animation and picking."""

from __future__ import annotations

import builtins
import json
import math
import os
import random
import struct
import subprocess
import sys
import time
import tracemalloc
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from glbs import INDICES, SQUARE, Builder, Gallery, assert_refused_in_time, moving, png, square
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from ticking import in_time

import framework as fw
from framework import quaternions
from framework.assets import images
from framework.geometry.rays import ray_triangles
from framework.models import gltf
from framework.models.gltf_ignored import ignored_features
from framework.models.model import _is_among
from framework.models.parts import Part
from framework.models.skins import Skin
from framework.space.solids import parts_of

Make = Callable[..., Any]


def one_square(**node: Any) -> Builder:
    builder = Builder()
    builder.add("nodes", mesh=builder.add("meshes", primitives=[square(builder)]), **node)
    return builder


# -- loading ---------------------------------------------------------------------------------------


def test_a_model_has_parts_nodes_materials_and_animations(tmp_path: Path) -> None:
    model = fw.Model(moving().glb(tmp_path / "arm.glb"))
    assert model.node_names == ["root", "hand", "strip"]
    assert list(model.animations) == ["Wave", "Walk"]
    assert model.animations["Wave"].duration == 2
    assert model.triangle_count == 2
    (part,) = model.parts
    assert part.nodes == [2]
    assert part.mesh.positions == pytest.approx(SQUARE)
    assert part.skin is not None
    assert part.skin.nodes.tolist() == [1, 2]
    material = part.material
    assert material.base_color == (1, 0.5, 0.25, 1)
    assert material.emissive == pytest.approx((0.2, 0.4, 0.6))
    assert (material.alpha_mode, material.alpha_cutoff, material.double_sided) == (
        "mask",
        0.25,
        True,
    )
    assert (material.metallic, material.roughness, material.normal_scale) == (0, 1, 0.5)
    assert np.shape(material.base_texture) == (2, 2, 4)
    assert np.shape(material.normal_texture) == (1, 1, 4)
    low, high = model.bounds
    assert low == pytest.approx((-1, -1, 0))
    assert high == pytest.approx((1, 1, 0))
    assert repr(model) == "<Model 'arm.glb' of 2 triangles>"


@pytest.mark.parametrize("uri", [None, "arm.bin", "a%20b.bin"])
def test_a_json_file_with_inner_or_outer_buffers_has_the_same_model(
    tmp_path: Path, uri: str | None
) -> None:
    builder = moving()
    path = builder.gltf(tmp_path / "arm.gltf", None if uri is None else uri.replace("%20", " "))
    if uri is not None:
        path.write_text(path.read_text().replace("a b.bin", uri))
    model = fw.Model("arm.gltf", folders=[tmp_path])
    assert model.parts[0].mesh.positions == pytest.approx(SQUARE)


def test_a_model_beside_the_game_is_found_from_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    elsewhere = tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    moving().gltf(home / "arm.gltf", None)
    program = (
        "class Arms(fw.Game):\n    def setup(self):\n        self.arm = fw.Model('arm.gltf')\n"
    )
    names: dict[str, Any] = {"__name__": "arms", "__file__": str(home / "arms.py"), "fw": fw}
    monkeypatch.setitem(sys.modules, "arms", SimpleNamespace(**names))  # type: ignore[arg-type]
    exec(program, names)
    monkeypatch.chdir(elsewhere)
    with names["Arms"](headless=True, drawing=False) as game:
        assert game.arm.path == home / "arm.gltf"


def test_images_may_be_files_beside_the_model_or_data_uris(tmp_path: Path) -> None:
    import base64

    (tmp_path / "red.png").write_bytes(png(np.full((1, 1, 3), (255, 0, 0))))
    builder = one_square()
    inside = (
        "data:image/png;base64," + base64.b64encode(png(np.full((1, 1, 3), (0, 255, 0)))).decode()
    )
    first = builder.add("images", uri="red.png")
    second = builder.add("images", uri=inside)
    builder.add(
        "materials",
        pbrMetallicRoughness={"baseColorTexture": {"index": builder.add("textures", source=first)}},
        emissiveTexture={"index": builder.add("textures", source=second)},
        extensions={"KHR_materials_unlit": {}},
    )
    builder.json["meshes"][0]["primitives"][0]["material"] = 0
    material = fw.Model(builder.glb(tmp_path / "m.glb")).parts[0].material
    assert np.asarray(material.base_texture)[0, 0].tolist() == [255, 0, 0, 255]
    assert np.asarray(material.emissive_texture)[0, 0].tolist() == [0, 255, 0, 255]
    assert material.unlit
    assert (material.metallic, material.roughness) == (1, 1)


def test_integers_are_fractions_and_sparse_values_replace_some_elements(tmp_path: Path) -> None:
    builder = Builder()
    colors = builder.array([(0, 255, 51)] * 4, "uint8", normalized=True)
    uvs = builder.array([(0, 0), (65535, 0), (65535, 65535), (0, 65535)], "uint16", normalized=True)
    primitive = square(builder, COLOR_0=colors, TEXCOORD_0=uvs)
    rows = builder.view(np.array([2], "u2").tobytes())
    values = builder.view(np.array([(5, 6, 7)], "f4").tobytes())
    builder.json["accessors"][primitive["attributes"]["POSITION"]]["sparse"] = {
        "count": 1,
        "indices": {"bufferView": rows, "componentType": 5123},
        "values": {"bufferView": values},
    }
    builder.add("nodes", mesh=builder.add("meshes", primitives=[primitive]))
    mesh = fw.Model(builder.glb(tmp_path / "m.glb")).parts[0].mesh
    assert mesh.positions[2] == pytest.approx((5, 6, 7))
    assert mesh.positions[1] == pytest.approx(SQUARE[1])
    assert mesh.colors[0] == pytest.approx((0, 1, 0.2, 1))
    assert mesh.uvs[2] == pytest.approx((1, 1))


def test_strips_and_fans_become_triangles_with_the_same_front_side(tmp_path: Path) -> None:
    for mode, indices in ((5, [0, 1, 3, 2]), (6, [0, 1, 2, 3])):
        builder = one_square()
        primitive = builder.json["meshes"][0]["primitives"][0]
        primitive.update(mode=mode, indices=builder.array(indices, "uint8"))
        mesh = fw.Model(builder.glb(tmp_path / "m.glb")).parts[0].mesh
        corners = mesh.positions[mesh.indices].reshape(-1, 3, 3)
        faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert len(faces) == 2
        assert (faces[:, 2] > 0).all()


def test_without_normals_triangles_are_flat_and_points_are_ignored(tmp_path: Path) -> None:
    builder = one_square()
    primitive = builder.json["meshes"][0]["primitives"][0]
    del primitive["attributes"]["NORMAL"]
    builder.json["meshes"][0]["primitives"].append({**primitive, "mode": 0})
    with pytest.warns(RuntimeWarning, match=r"without its points \(1 primitive\)"):
        (part,) = fw.Model(builder.glb(tmp_path / "m.glb")).parts
    assert len(part.mesh.positions) == 6
    assert part.mesh.normals == pytest.approx(np.tile((0, 0, 1), (6, 1)))


def test_a_matrix_is_decomposed_and_a_mirrored_node_keeps_its_front_side(tmp_path: Path) -> None:
    turn = np.eye(4)
    turn[:3, :3] = quaternions.matrices(quaternions.from_axis((1, 2, 3), 0.7)[None])[0]
    turn[:3, :3] *= np.array([-2, 3, 0.5])[:, None]
    turn[3, :3] = 4, 5, 6
    builder = one_square(matrix=turn.reshape(-1).tolist())
    model = fw.Model(builder.glb(tmp_path / "m.glb"))
    assert model.at_rest.world_matrices(1.0)[0] == pytest.approx(turn, abs=1e-5)
    mesh, _ = model.merged()[0]
    corners = mesh.positions[mesh.indices].reshape(-1, 3, 3)
    face = np.cross(corners[0, 1] - corners[0, 0], corners[0, 2] - corners[0, 0])
    assert face @ mesh.normals[0] > 0


def test_a_sheared_matrix_is_decomposed_into_rotations_and_scales(tmp_path: Path) -> None:
    turn = np.eye(4)
    turn[:3, :3] = quaternions.matrices(quaternions.from_axis((1, 2, 3), 2.5)[None])[0] * np.array(
        [[2], [3], [-4]]
    )
    sheared = turn.copy()
    sheared[1, :3] += 0.5 * turn[0, :3]
    builder = one_square(matrix=sheared.reshape(-1).tolist())
    builder.add("nodes", matrix=turn.reshape(-1).tolist())
    builder.add("nodes", translation=[1, 2, 3])
    rest_pose = fw.Model(builder.glb(tmp_path / "m.glb")).at_rest
    assert rest_pose.rotation[0] == pytest.approx(rest_pose.rotation[1], abs=1e-6)
    assert np.abs(rest_pose.scale[1]) == pytest.approx((2, 3, 4))
    assert rest_pose.world_matrices(1.0)[1] == pytest.approx(turn, abs=1e-5)
    assert rest_pose.position[2] == pytest.approx((1, 2, 3))


def test_twenty_thousand_matrices_are_decomposed_within_a_third_of_a_second(
    tmp_path: Path,
) -> None:
    builder = one_square()
    builder.json["nodes"] += [{"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1]}] * 20_000
    path = builder.glb(tmp_path / "m.glb")
    start = time.process_time()
    model = fw.Model(path)
    assert in_time(time.process_time() - start, 1)  # less than a third if no other program runs
    assert model.at_rest.position[-1] == pytest.approx((5, 0, 0))


def test_texture_coordinates_are_transformed_by_the_extension(tmp_path: Path) -> None:
    builder = Builder()
    uv = builder.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    move = {"KHR_texture_transform": {"offset": [0.5, 0], "scale": [2, 2], "rotation": math.pi / 2}}
    builder.add(
        "materials",
        pbrMetallicRoughness={
            "baseColorTexture": {**builder.texture(np.zeros((1, 1, 3))), "extensions": move}
        },
    )
    builder.add(
        "nodes",
        mesh=builder.add("meshes", primitives=[{**square(builder, TEXCOORD_0=uv), "material": 0}]),
    )
    uvs = fw.Model(builder.glb(tmp_path / "m.glb")).parts[0].mesh.uvs
    assert uvs[1] == pytest.approx(
        (0.5, -2), abs=1e-5
    )  # right becomes up, because v points down in images
    assert uvs[3] == pytest.approx((2.5, 0), abs=1e-5)


def test_a_node_of_size_0_hides_only_its_children(tmp_path: Path) -> None:
    builder = one_square(scale=[0, 0, 0])
    builder.add("nodes", mesh=0, translation=[5, 0, 0])
    model = fw.Model(builder.glb(tmp_path / "m.glb"))
    ((mesh, _),) = model.merged()
    assert mesh.center == pytest.approx((5, 0, 0))
    assert model.triangle_count == 4


@pytest.mark.parametrize(("alpha", "mode"), [(255, "opaque"), (254, "blend")])
def test_a_material_of_an_obj_file_is_as_opaque_as_its_texture(
    tmp_path: Path, alpha: int, mode: str
) -> None:
    Image.new("RGBA", (2, 2), (255, 0, 0, alpha)).save(tmp_path / "red.png")
    (tmp_path / "square.mtl").write_text("newmtl red\nmap_Kd red.png\n")
    (tmp_path / "m.obj").write_text(OBJ)
    materials = [part.material for part in fw.Model(tmp_path / "m.obj").parts]
    assert mode in {material.alpha_mode for material in materials}
    assert {"opaque", mode} >= {material.alpha_mode for material in materials}


def test_the_material_of_a_part_is_checked() -> None:
    with pytest.raises(TypeError, match="material: expected a Material, got 'metal'"):
        fw.Part(fw.Mesh.box(), "metal", [0])  # type: ignore[arg-type]


def test_a_skin_is_merged_in_the_rest_pose_of_its_joints(tmp_path: Path) -> None:
    """The hand is two units away from its position in the skin, and its vertices follow."""
    builder = moving()
    builder.json["nodes"][1]["translation"] = [0, 1, 2]
    model = fw.Model(builder.glb(tmp_path / "m.glb"))
    bound = np.array(SQUARE, float)
    bound[2:, 2] += 2
    meshes = [mesh for mesh, _ in model.merged()]
    assert meshes[0].positions == pytest.approx(bound)


def test_the_number_of_morph_targets_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gltf, "MAX_TARGETS", 2)
    for count in (2, 3):
        builder = one_square()
        tilt = builder.array(np.zeros((4, 3)))
        (primitive,) = builder.json["meshes"][0]["primitives"]
        primitive["targets"] = [{"POSITION": tilt}] * count
        path = builder.glb(tmp_path / "m.glb")
        if count == 2:
            assert fw.Model(path).triangle_count == 2
        else:
            with pytest.raises(fw.AssetError, match="3 morph targets, the maximum is 2"):
                fw.Model(path)


def test_a_primitive_without_a_material_has_gltfs_default_material(tmp_path: Path) -> None:
    material = fw.Model(one_square().glb(tmp_path / "m.glb")).parts[0].material
    assert (material.metallic, material.roughness, material.base_color) == (1, 1, (1, 1, 1, 1))


def test_features_that_are_not_drawn_are_one_warning(tmp_path: Path) -> None:
    builder = one_square()
    builder.json["extensionsUsed"] = [
        "KHR_draco_mesh_compression",
        "EXT_mesh_gpu_instancing",
        "KHR_materials_unlit",
    ]
    message = "without KHR_draco_mesh_compression, EXT_mesh_gpu_instancing, which"
    with pytest.warns(RuntimeWarning, match=message) as caught:
        fw.Model(builder.glb(tmp_path / "m.glb"))
    assert len(caught) == 1


def warnings_of(path: Path) -> list[str]:
    """Return the warnings of a model, without the beginning with its file name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fw.Model(path)
    start = f"The model {str(path)!r} "
    assert all(issubclass(warning.category, RuntimeWarning) for warning in caught)
    assert all(str(warning.message).startswith(start) for warning in caught)
    return [str(warning.message).removeprefix(start) for warning in caught]


def _extension(name: str, **values: Any) -> dict[str, Any]:
    return {"extensions": {f"KHR_{name}": values}}


# List of the file, added content, and a part of the only warning.
IGNORED = [
    ("nodes", {**_extension("lights_punctual", light=0)}, "without its 2 lights (KHR_lights_punct"),
    ("nodes", {"camera": 0}, "without its 2 cameras: set world.camera"),
    ("nodes", {"extras": {"door": True}}, "without its extras, which are custom properties: 2 obj"),
    ("materials", {"extras": 3}, "2 objects with extras, the first is materials[0]"),
    ("meshes", {"primitives": [{"mode": 0}]}, "without its points (2 primitives)"),
    ("meshes", {"primitives": [{"mode": 3}]}, "without its lines (2 primitives)"),
    ("meshes", {"primitives": [{"attributes": {"JOINTS_1": 0}}]}, "with four joints at each vert"),
    ("materials", _extension("materials_clearcoat", clearcoatFactor=1), "the clearcoat of its mat"),
    ("materials", _extension("materials_transmission", transmissionFactor=0.5), "the transmission"),
    ("materials", _extension("materials_volume", thicknessFactor=1), "without the volume"),
    ("materials", _extension("materials_sheen", sheenColorFactor=[0, 0, 1]), "without the sheen"),
    ("materials", _extension("materials_anisotropy", anisotropyStrength=1), "the anisotropy"),
    ("materials", _extension("materials_iridescence", iridescenceFactor=1), "the iridescence"),
    ("materials", _extension("materials_dispersion", dispersion=1), "the dispersion"),
    ("materials", _extension("materials_ior", ior=1.33), "the index of refraction"),
    ("materials", _extension("materials_specular", specularFactor=0), "the specular factors"),
    ("materials", _extension("materials_pbrSpecularGlossiness"), "specular color and the glossin"),
    ("scenes", {}, "with one of its 2 scenes"),
    ("animations", {"channels": [{"target": {"path": "pointer"}}]}, "animations of materials, li"),
]


@pytest.mark.parametrize(("kind", "content", "message"), IGNORED, ids=[row[2] for row in IGNORED])
def test_each_ignored_feature_is_one_warning(
    tmp_path: Path, kind: str, content: dict[str, Any], message: str
) -> None:
    builder = one_square()
    for _ in range(2):
        builder.add(kind, **content)
    (text,) = warnings_of(builder.glb(tmp_path / "m.glb"))
    assert message in text


def test_many_ignored_features_are_all_reported(tmp_path: Path) -> None:
    builder = one_square()
    for kind, content, _ in IGNORED:
        builder.add(kind, **content)
    builder.json["extensions"] = {"KHR_materials_variants": {"variants": []}}
    texts = warnings_of(builder.glb(tmp_path / "m.glb"))
    assert len(texts) == len(set(texts))
    for _, _, message in IGNORED:
        shared = message.replace("2 lights", "1 light").replace("2 cameras", "1 camera")
        if not shared.startswith(("with one", "2 objects", "without its extras")):
            assert any(shared.split("(")[0] in text for text in texts)
    assert any("without its variants" in text for text in texts)
    assert any("3 objects with extras" in text or "2 objects with extras" in text for text in texts)


def test_values_without_an_effect_are_not_reported(tmp_path: Path) -> None:
    builder = moving()
    for name, values in {
        "clearcoat": {"clearcoatFactor": 0, "clearcoatTexture": {"index": 0}},
        "transmission": {},
        "volume": {"thicknessFactor": 0.0},
        "sheen": {"sheenColorFactor": [0.0, 0.0, 0.0]},
        "ior": {"ior": 1.5},
        "specular": {"specularFactor": 1.0, "specularColorFactor": [1, 1, 1]},
    }.items():
        builder.add("materials", **_extension(f"materials_{name}", **values))
    builder.add("materials", **_extension("materials_unlit"))
    builder.json["meshes"][0]["extras"] = {"targetNames": ["smile"]}
    builder.json["asset"]["extras"] = {"author": "somebody"}
    builder.add("nodes", extras={})
    assert warnings_of(builder.glb(tmp_path / "m.glb")) == []


def test_values_of_the_wrong_type_are_not_features() -> None:
    wrong: list[Any] = [None, 3, "x", [], [3, None], {}, {"extensions": 3}]
    for key in ("nodes", "meshes", "materials", "scenes", "animations", "extensions"):
        for value in wrong:
            assert ignored_features({key: value}) == []
    broken = {"extensions": {"KHR_materials_clearcoat": 3}, "extras": []}
    assert ignored_features({"materials": [broken], "meshes": [{"primitives": {"mode": 0}}]}) == []


def test_a_mesh_of_many_nodes_is_one_part_and_nodes_outside_of_scenes_are_ignored(
    tmp_path: Path,
) -> None:
    builder = one_square()
    builder.add("nodes", mesh=0, translation=[5, 0, 0])
    builder.add("nodes", mesh=0)
    builder.add("scenes", nodes=[0, 1])
    model = fw.Model(builder.glb(tmp_path / "m.glb"))
    assert [part.nodes for part in model.parts] == [[0, 1]]
    assert model.triangle_count == 4
    assert model.bounds[1] == pytest.approx((6, 1, 0))


def test_ten_thousand_triangles_load_within_a_second(tmp_path: Path) -> None:
    builder = Builder()
    grid = fw.Mesh.plane(pieces=71)
    attributes = {"POSITION": builder.array(grid.positions), "NORMAL": builder.array(grid.normals)}
    attributes["TEXCOORD_0"] = builder.array(grid.uvs)
    texture = builder.texture(np.random.default_rng(1).integers(0, 255, (256, 256, 3)))
    builder.add(
        "materials", normalTexture=texture, pbrMetallicRoughness={"baseColorTexture": texture}
    )
    primitive = {
        "attributes": attributes,
        "indices": builder.array(grid.indices, "uint32"),
        "material": 0,
    }
    builder.add("nodes", mesh=builder.add("meshes", primitives=[primitive]))
    path = builder.glb(tmp_path / "m.glb")
    times = []
    for _ in range(3):
        start = time.process_time()
        assert fw.Model(path).triangle_count == 2 * 71 * 71
        times.append(time.process_time() - start)
    assert in_time(min(times), 1)


# -- OBJ -------------------------------------------------------------------------------------------

OBJ = """mtllib square.mtl
v -1 -1 0
v 1 -1 0
v 1 1 0
v -1 1 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vn 0 0 1
usemtl red
f 1/1/1 2/2/1 3/3/1 4/4/1
"""


def test_an_obj_file_loads_its_materials_and_texture(tmp_path: Path) -> None:
    (tmp_path / "square.obj").write_text(OBJ)
    (tmp_path / "square.mtl").write_text("newmtl red\nKd 1 0.5 0\nd 0.5\nNs 98\nmap_Kd red.png\n")
    (tmp_path / "red.png").write_bytes(png(np.full((1, 1, 3), (255, 0, 0))))
    model = fw.Model(tmp_path / "square.obj")
    node = model.at_rest
    assert (model.node_names, node.parent.tolist(), node.position.tolist()) == (
        ["square"],
        [-1],
        [[0, 0, 0]],
    )
    assert (node.rotation.tolist(), node.scale.tolist()) == ([[0, 0, 0, 1]], [[1, 1, 1]])
    (part,) = model.parts
    assert part.mesh.triangle_count == 2
    assert part.mesh.normals == pytest.approx(np.tile((0, 0, 1), (len(part.mesh.normals), 1)))
    corner = int(np.argmin(part.mesh.positions @ (1, 1, 0)))
    assert part.mesh.uvs[corner] == pytest.approx((0, 1))  # the lower left corner of the image
    assert part.material.base_color == pytest.approx((1, 0.2158, 0, 0.5), abs=0.01)
    assert part.material.alpha_mode == "blend"
    assert np.asarray(part.material.base_texture)[0, 0].tolist() == [255, 0, 0, 255]


@pytest.mark.parametrize(
    ("mtl", "message"),
    [
        ("newmtl red\nmap_Kd gone.png\n", "there is no file 'gone.png'"),
        ("newmtl red\nmap_Kd ../secret.png\n", "leads out of the model's folder"),
        ("newmtl red\nmap_Kd red.png\n", "this is not an image"),
        ("newmtl red\nmap_Kd bomb.png\n", r"pixels"),
    ],
)
def test_missing_or_broken_textures_of_an_obj_file_are_asset_errors(
    tmp_path: Path, mtl: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        subprocess, "Popen", None
    )  # Pillow must not start Ghostscript, which draws EPS files
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(png(np.zeros((1, 1, 3))))
    (folder / "square.obj").write_text(OBJ)
    (folder / "red.png").write_bytes(EPS)
    if "bomb" in mtl:
        (folder / "bomb.png").write_bytes(bomb(20_000))
    (folder / "square.mtl").write_text(mtl)
    with pytest.raises(fw.AssetError, match=message):
        fw.Model(folder / "square.obj")


EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n{} loop\n%%EOF\n"


def bomb(side: int) -> bytes:
    """Return a small PNG file with many pixels."""
    header = struct.pack(">2I5B", side, side, 1, 0, 0, 0, 0)
    data = zlib.compress(bytes(side * (side // 8 + 1)), 9)
    chunks = [(b"IHDR", header), (b"IDAT", data), (b"IEND", b"")]
    packed = [
        struct.pack(">I", len(of)) + name + of + struct.pack(">I", zlib.crc32(name + of))
        for name, of in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def test_a_ply_file_opens_no_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("trimesh")
    opened: list[Any] = []
    monkeypatch.setattr(Image, "open", lambda *_, **__: opened.append(1))
    (tmp_path / "red.png").write_bytes(EPS)
    (tmp_path / "square.ply").write_text(
        "ply\nformat ascii 1.0\ncomment TextureFile red.png\nelement vertex "
        "3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
    )
    assert fw.Model(tmp_path / "square.ply").triangle_count == 1
    assert not opened


def test_an_obj_file_without_its_materials_is_gray_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "square.obj").write_text(OBJ)
    message = r"square\.obj' is drawn without its materials: .* no file 'square\.mtl'"
    with pytest.warns(RuntimeWarning, match=message) as caught:
        (part,) = fw.Model(tmp_path / "square.obj").parts
    assert len(caught) == 1
    assert part.material.base_texture is None
    assert part.mesh.triangle_count == 2


def test_the_default_material_of_one_obj_file_is_not_shared(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    first, second = (fw.Model(tmp_path / "a.obj").parts[0].material for _ in range(2))
    first.base_color = "red"
    assert second == fw.Material(double_sided=True)


@pytest.mark.parametrize(
    ("lines", "face", "messages"),
    [
        ("", "f 1//1 2//1 3//1", ["with computed normals for 3 corners of faces, such as '1//1'"]),
        ("", "f 1//-3 2//-3 3//-3", ["with computed normals for 3 corners of faces"]),
        ("vn 0 0 -1", "f 1//2 2//2 3//2", ["(normals in the file: 1)"]),
        ("vt 0.5 0.5", "f 1/2 2/2 3/-4", ["with (0, 0) for 3 corners of faces, such as '1/2'"]),
        (
            "",
            "f 1/1/1 2/2/2 3/3/3",
            ["(texture coordinates in the file: 0)", "(normals in the file: 0)"],
        ),
        ("", "f 1//-1 2//-1 3//-1", []),
    ],
)
def test_missing_normals_of_an_obj_file_are_computed_with_a_warning(
    tmp_path: Path, lines: str, face: str, messages: list[str]
) -> None:
    path = tmp_path / "m.obj"
    path.write_text(f"v 0 0 0\nv 1 0 0\nv 0 1 0\n{lines}\n{face}\n")
    texts = warnings_of(path)
    assert len(texts) == len(messages)
    assert all(message in text for message, text in zip(messages, texts, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (part,) = fw.Model(path).parts
    assert part.mesh.normals == pytest.approx(np.tile((0, 0, 1), (3, 1)))
    assert part.mesh.uvs.tolist() == [[0, 0]] * 3


def test_lines_and_points_of_an_obj_file_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "m.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\nl 2 3\np 1\n")
    assert warnings_of(path) == [
        "is drawn without its lines (2 in the file): only faces are drawn",
        "is drawn without its points (1 in the file): only faces are drawn",
    ]


def test_vertices_with_a_normal_keep_it_beside_computed_normals(tmp_path: Path) -> None:
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvn 1 0 0\nf 1//1 2//1 3//1\nf 2//7 4//7 3//7\n"
    (tmp_path / "m.obj").write_text(text)
    with pytest.warns(RuntimeWarning, match=r"for 3 corners of faces, such as '2//7'"):
        (part,) = fw.Model(tmp_path / "m.obj").parts
    assert sorted(part.mesh.normals.tolist()) == [[0, 0, 1]] * 3 + [[1, 0, 0]] * 3


def obj(folder: Path, text: str) -> fw.Mesh:
    (folder / "m.obj").write_text(text)
    (part,) = fw.Model(folder / "m.obj").parts
    return part.mesh


ROOF = "v 0 0 0\nv 2 0 0\nv 2 1 1\nv 0 1 1\nv 2 2 0\nv 0 2 0\n{}f 1 2 3 4\nf 3 5 6 4\n"


def test_without_normals_an_obj_file_is_flat_except_for_smoothing_groups(tmp_path: Path) -> None:
    flat = obj(tmp_path, ROOF.format(""))
    assert len(flat.positions) == 8
    assert {tuple(np.round(normal, 3)) for normal in flat.normals.tolist()} == {
        (0, -0.707, 0.707),
        (0, 0.707, 0.707),
    }
    smooth = obj(tmp_path, ROOF.format("s 1\n"))
    assert len(smooth.positions) == 6
    ridge = smooth.positions[:, 2] > 0.5
    assert smooth.normals[ridge] == pytest.approx(np.tile((0, 0, 1), (2, 1)))
    eaves = smooth.positions[~ridge]
    expected = [(0, -(0.5**0.5) if y < 1 else 0.5**0.5, 0.5**0.5) for y in eaves[:, 1]]
    assert smooth.normals[~ridge] == pytest.approx(np.array(expected))


@pytest.mark.parametrize(
    "corners",
    [
        [(0, 0), (4, 0), (4, 4), (0, 4)],
        [(0, 0), (4, 0), (1, 1), (0, 4)],  # a quad with an inward third corner
        [(1, 1), (0, 4), (0, 0), (4, 0)],
        [(0, 0), (4, 0), (4, 4), (3, 4), (3, 1), (1, 1), (1, 4), (0, 4)],  # a U
        [(3, 1), (1, 1), (1, 4), (0, 4), (0, 0), (4, 0), (4, 4), (3, 4)],
    ],
)
@pytest.mark.parametrize("axes", [(0, 1, 2), (1, 2, 0), (2, 0, 1), (1, 0, 2), (0, 2, 1)])
def test_concave_faces_are_split_into_triangles_inside_them(
    tmp_path: Path, corners: list[tuple[int, int]], axes: tuple[int, int, int]
) -> None:
    positions = np.array([(x, y, 7) for x, y in corners], float)[:, axes]
    lines = [f"v {x} {y} {z}" for x, y, z in positions] + [
        f"f {' '.join(map(str, range(1, len(corners) + 1)))}"
    ]
    mesh = obj(tmp_path, "\n".join(lines))
    triangles = mesh.positions[mesh.indices].reshape(-1, 3, 3).astype(float)
    faces = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    beams = positions - positions[0]
    total = np.cross(beams[:-1], beams[1:]).sum(axis=0)
    assert len(triangles) == len(corners) - 2
    assert np.linalg.norm(faces, axis=1).sum() == pytest.approx(
        np.linalg.norm(total)
    )  # no triangle is outside, and none overlap
    assert (faces @ total > 0).all()


def test_a_face_with_a_thousand_spikes_is_split_within_a_second(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    count = 1000
    turn = np.sort(random.uniform(0, 2 * np.pi, count))
    reach = random.uniform(0.1, 1, count)
    corners = np.column_stack([np.cos(turn) * reach, np.sin(turn) * reach])
    lines = [f"v {x} {y} 0" for x, y in corners] + [
        "f " + " ".join(map(str, range(1, count + 1)))
    ] * 2
    (tmp_path / "star.obj").write_text("\n".join(lines))
    start = time.process_time()
    mesh = fw.Model(tmp_path / "star.obj").parts[0].mesh
    assert in_time(time.process_time() - start, 1.2)  # less than 0.4 if no other program runs
    a, b, c = (
        mesh.positions[mesh.indices]
        .reshape(2, -1, 3, 3)[0, :, :, :2]
        .transpose(1, 0, 2)
        .astype(float)
    )
    areas = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    around = corners[:, 0] @ np.roll(corners[:, 1], -1) - corners[:, 1] @ np.roll(corners[:, 0], -1)
    assert np.abs(areas).sum() == pytest.approx(around / 2, rel=1e-4)


def test_an_obj_file_may_have_negative_indices_names_with_spaces_and_vertex_colors(
    tmp_path: Path,
) -> None:
    lines = (
        "mtllib my colours.mtl\nv 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 0 1 0 1 0 0\nusemtl dark "
        "red\nf -3 -2 -1\n"
    )
    (tmp_path / "my colours.mtl").write_text(
        "newmtl dark red\nKd 0.5 0 0\nmap_Kd -s 2 2 1 -clamp on a b.png\n"
    )
    (tmp_path / "a b.png").write_bytes(png(np.full((1, 1, 3), 255)))
    (tmp_path / "m.obj").write_text(lines)
    (part,) = fw.Model(tmp_path / "m.obj").parts
    assert part.material.base_color == pytest.approx((0.2140, 0, 0, 1), abs=0.001)
    assert np.shape(part.material.base_texture) == (1, 1, 4)
    assert part.mesh.colors == pytest.approx(np.tile((1, 0, 0, 1), (3, 1)))


@pytest.mark.parametrize("color", ["nan 0 1", "0 inf 1", "1 0", "spectral file.rfl"])
def test_a_color_that_is_not_three_numbers_is_the_default_color(tmp_path: Path, color: str) -> None:
    (tmp_path / "square.obj").write_text(OBJ)
    bases = []
    for line in ("", f"Kd {color}\n"):
        (tmp_path / "square.mtl").write_text(f"newmtl red\n{line}")
        (part,) = fw.Model(tmp_path / "square.obj").parts
        bases.append(part.material.base_color)
    assert bases[0] == bases[1]


def test_a_file_beside_a_model_reloads_it_only_if_the_model_may_use_the_file(
    tmp_path: Path,
) -> None:
    folder = Path(os.path.realpath(tmp_path))
    image = {str(folder / "skin.png")}
    assert _is_among(folder / "hero.gltf", image)
    assert _is_among(folder / "hero.obj", image)
    assert not _is_among(folder / "hero.glb", image)  # a GLB file contains its images
    assert not _is_among(folder / "hero.gltf", {str(folder / "notes.txt")})
    assert not _is_among(folder / "heroes" / "hero.gltf", image)
    assert _is_among(folder / "hero.glb", {str(folder / "hero.glb")})


def test_fifty_thousand_changes_of_material_load_within_a_second(tmp_path: Path) -> None:
    lines = ["v 0 0 0", "v 1 0 0", "v 0 1 0"]
    for number in range(50_000):
        lines += [f"usemtl m{number % 7}", "f 1 2 3"]
    (tmp_path / "m.obj").write_text("\n".join(lines))
    start = time.process_time()
    model = fw.Model(tmp_path / "m.obj")
    assert in_time(time.process_time() - start, 2)  # about 0.3 if no other program runs
    assert len(model.parts) == 7
    assert model.triangle_count == 50_000


def test_unused_materials_are_not_loaded(tmp_path: Path) -> None:
    unused = "newmtl other\nmap_Kd no/such.png\n" + "newmtl n\nKd 1 0 0\n" * 10_000
    (tmp_path / "square.mtl").write_text(unused + "newmtl red\nKd 1 0 0\nnewmtl n\nNs 7\n")
    (tmp_path / "square.obj").write_text(OBJ)
    (part,) = fw.Model(tmp_path / "square.obj").parts
    assert part.material.base_color == (1, 0, 0, 1)


def test_a_material_library_is_loaded_once_and_the_number_of_libraries_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_bytes = Path.read_bytes
    read = list[str]()
    monkeypatch.setattr(
        Path, "read_bytes", lambda path: (read.append(path.name), read_bytes(path))[1]
    )
    faces = OBJ.partition("\n")[2]
    (tmp_path / "a.mtl").write_text("newmtl red\nKd 1 0 0\n")
    (tmp_path / "b.mtl").write_text("newmtl red\nKd 0 1 0\n")
    names = [*["./" * number + "a.mtl" for number in range(60)], "b.mtl"]
    (tmp_path / "m.obj").write_text("".join(f"mtllib {name}\n" for name in names) + faces)
    assert fw.Model(tmp_path / "m.obj").parts[0].material.base_color == (1, 0, 0, 1)
    assert read == ["m.obj", "a.mtl", "b.mtl"]
    (tmp_path / "m.obj").write_text(
        "".join(f"mtllib {number}.mtl\n" for number in range(65)) + faces
    )
    with pytest.raises(fw.AssetError, match=r"m\.obj.*more than 64 libraries of materials"):
        fw.Model(tmp_path / "m.obj")


def test_each_material_has_its_own_mesh_and_more_than_4096_are_refused(
    tmp_path: Path,
) -> None:
    def written(count: int) -> Path:
        uses = [f"usemtl m{number}\ns {number % 2}\nf 1 2 3\nf 3 2 4" for number in range(count)]
        (tmp_path / "m.obj").write_text(
            "\n".join(["v 0 0 0", "v 1 0 0", "v 0 1 0", "v 1 1 1", *uses])
        )
        return tmp_path / "m.obj"

    for number, part in enumerate(fw.Model(written(6)).parts):
        assert part.mesh.triangle_count == 2
        assert part.mesh.indices.min() == 0
        assert len(part.mesh.positions) == (
            4 if number % 2 else 6
        )  # smooth: the faces share their vertices
        assert part.mesh.positions[part.mesh.indices].sum(axis=0).tolist() == [3, 3, 1]
    with pytest.raises(fw.AssetError, match="more than 4,096 materials; join some"):
        fw.Model(written(4097))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "v 1 2\nf 1 2 3\n",
        "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n",
        "f 1 2 9999999\n",
        OBJ[20:] + "f 1 2 9\n",
    ],
)
def test_a_broken_obj_file_is_an_asset_error_with_its_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.obj").write_text(text)
    with pytest.raises(fw.AssetError, match=r"bad\.obj"):
        fw.Model(tmp_path / "bad.obj")


def test_without_trimesh_the_error_has_the_pip_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def no_trimesh(name: str, *rest: Any, **options: Any) -> Any:
        if name == "trimesh":
            raise ModuleNotFoundError(name)
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", no_trimesh)
    (tmp_path / "square.stl").write_text("solid\nendsolid\n")
    with pytest.raises(fw.AssetError, match=r"pip install 'subtick\[models\]'"):
        fw.Model(tmp_path / "square.stl")
    (tmp_path / "square.obj").write_text(OBJ[18:])
    assert fw.Model(tmp_path / "square.obj").triangle_count == 2
    assert fw.Model(one_square().glb(tmp_path / "m.glb")).triangle_count == 2


# -- broken files ----------------------------------------------------------------------------------


def bad(change: Callable[[Builder], object], message: str) -> Any:
    return pytest.param(change, message, id=message[:40])


def _accessor(row: int, **content: Any) -> Callable[[Builder], object]:
    return lambda builder: builder.json["accessors"][row].update(content)


def _node(row: int, **content: Any) -> Callable[[Builder], object]:
    return lambda builder: builder.json["nodes"][row].update(content)


def _poke(builder: Builder, accessor: int, values: Any) -> None:
    start = builder.json["bufferViews"][builder.json["accessors"][accessor]["bufferView"]][
        "byteOffset"
    ]
    data = np.asarray(values, "f4").tobytes()
    builder.binary = builder.binary[:start] + data + builder.binary[start + len(data) :]


def _hollow(builder: Builder) -> None:
    del builder.json["accessors"][0]["bufferView"]
    builder.json["accessors"][0]["count"] = 10**9


BAD = [
    bad(_accessor(0, count=5), "5 elements end at byte"),
    bad(_accessor(0, count=1_000_000_000), "1,000,000,000 elements end at byte"),
    bad(_hollow, "numbers that are not in the file"),
    bad(
        lambda builder: builder.json.update(extensionsRequired=5),
        "extensionsRequired is 5, expected a list",
    ),
    bad(
        lambda builder: builder.json["meshes"][0]["primitives"].extend([{}] * 5000),
        "more than 4,096 .*; join some",
    ),
    bad(_accessor(0, byteOffset=4), "elements end at byte"),
    bad(
        lambda builder: builder.json["meshes"][0]["primitives"][0].update(
            indices=builder.array([0, 1, 4], "uint16")
        ),
        "has 4 vertices, and the index 4",
    ),
    bad(_accessor(0, count=-1), "count is -1"),
    bad(_accessor(0, componentType=7), "componentType is 7"),
    bad(lambda builder: builder.json["bufferViews"][0].update(byteLength=10**9), "its buffer has"),
    bad(
        lambda builder: builder.json["bufferViews"][0].update(buffer=3),
        "buffer is 3, but there are only 1",
    ),
    bad(
        lambda builder: builder.json["bufferViews"][0].update(byteStride=1), "its stride is 1 bytes"
    ),
    bad(
        lambda builder: builder.json["nodes"][1].update(children=[0]),
        r"nodes\[0\] is in a cycle of nodes",
    ),
    bad(
        lambda builder: builder.json["nodes"][2].update(children=[1]),
        r"nodes\[1\] is a child of both",
    ),
    bad(_node(0, children=[77]), "children is 77, but there are only 3"),
    bad(_node(0, rotation=[0, 0, 0, 0]), r"nodes\[0\]: its rotation .* is not a valid quaternion"),
    bad(_node(0, scale=[1, 1e20, 1]), r"nodes\[0\]: its scale is"),
    bad(_node(0, matrix=[0] * 16), "cannot be inverted"),
    bad(_node(0, translation=[1e39, 0, 0]), "translation is"),
    bad(_node(0, translation="far"), "translation is 'far', expected 3 numbers"),
    bad(lambda builder: _poke(builder, 3, [math.nan]), "row 0 is not finite"),
    bad(
        lambda builder: builder.json["materials"][0].update(alphaMode="GLOW"), "alphaMode is 'GLOW'"
    ),
    bad(
        lambda builder: builder.json["images"][0].update(bufferView=0),
        r"images\[0\]: this is not an image",
    ),
    bad(
        lambda builder: builder.json["images"].__setitem__(0, {"uri": "gone.png"}),
        "there is no file 'gone.png'",
    ),
    bad(
        lambda builder: builder.json["images"].__setitem__(0, {"uri": "../x.png"}),
        "leads out of the model's folder",
    ),
    bad(
        lambda builder: builder.json["images"].__setitem__(0, {"uri": "/etc/passwd"}),
        "is not a path beside the model",
    ),
    bad(
        lambda builder: builder.json["images"].__setitem__(0, {"uri": "http://a/b.png"}),
        "is not a path beside the model",
    ),
    bad(
        lambda builder: builder.json["images"].__setitem__(0, {"uri": "data:image/png;base64,%%"}),
        "is not base64",
    ),
    bad(
        lambda builder: builder.json["skins"][0].update(joints=[0]),
        "has 1 joints, and a vertex follows joint 1",
    ),
    bad(
        lambda builder: builder.json["asset"].update(version="1.0"),
        "the file is glTF of version '1.0', expected 2.0",
    ),
    bad(
        lambda builder: builder.json.update(extensionsRequired=["KHR_draco_mesh_compression"]),
        "the file needs KHR_draco",
    ),
    bad(lambda builder: builder.json.update(nodes={"a": 1}), "nodes: expected a list of objects"),
    bad(
        lambda builder: builder.json.update(nodes=[{}] * 70_000),
        "the file has 70,000 nodes, the maximum is 65,536",
    ),
    bad(
        lambda builder: builder.json.update(
            nodes=[{"children": [n + 1]} for n in range(2000)] + [{}]
        ),
        "more than 512 levels",
    ),
    bad(
        lambda builder: builder.json["animations"][0]["samplers"][0].update(output=0),
        "3 keys of rotation have values",
    ),
    bad(
        lambda builder: builder.json["animations"][0]["samplers"][0].update(input=0),
        "keys of rotation have values",
    ),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_a_broken_file_is_an_asset_error_with_the_cause(
    tmp_path: Path, change: Callable[[Builder], object], message: str
) -> None:
    builder = moving()
    change(builder)
    start = time.process_time()
    with pytest.raises(fw.AssetError, match=message) as caught:
        fw.Model(builder.glb(tmp_path / "bad.glb"))
    assert "bad.glb" in str(caught.value)
    assert in_time(time.process_time() - start, 3)  # milliseconds if no other program runs


def _many_animations(builder: Builder) -> None:
    builder.json["animations"] = builder.json["animations"][:1] * 6_000


def _many_values(builder: Builder) -> None:
    builder.json["extras"] = [0] * 3_000_000


def _many_places(builder: Builder) -> None:
    builder.json["meshes"][0]["primitives"] *= 4096
    builder.json["nodes"] = [{"mesh": 0}] * 60_000
    del builder.json["scenes"]


def _shared_sampler(builder: Builder) -> None:
    keys = 2000
    sampler = {
        "input": builder.array(np.arange(keys)),
        "output": builder.array(np.tile((0, 0, 0, 1), (keys, 1))),
    }
    builder.json["nodes"] = [{} for _ in range(20_000)]
    channels = [
        {"sampler": 0, "target": {"node": row, "path": "rotation"}} for row in range(20_000)
    ]
    builder.json["animations"] = [{"samplers": [sampler], "channels": channels}]


def _many_channels(builder: Builder) -> None:
    _shared_sampler(builder)
    builder.json["animations"][0]["samplers"] = [
        {"input": builder.array([0]), "output": builder.array([(0, 0, 0, 1)])}
    ]
    builder.json["animations"] *= 5


def _many_skins(builder: Builder) -> None:
    builder.json["nodes"] += [{} for _ in range(1024)]
    for skin in range(600):
        builder.json["nodes"].append({"mesh": 0, "skin": skin})
    builder.json["skins"] = [{"joints": list(range(1024))}] * 600
    del builder.json["scenes"]


def _shared_numbers(builder: Builder) -> None:
    primitive = builder.json["meshes"][0]["primitives"][0]
    attributes = {"POSITION": builder.array(np.zeros((60_000, 3)))}
    builder.json["meshes"][0]["primitives"] = [{**primitive, "attributes": attributes}] * 4000


def _many_corners(builder: Builder) -> None:
    builder.json["meshes"][0]["primitives"][0]["indices"] = builder.array(
        np.zeros(1 << 23), "uint8"
    )


def _blank_pictures(builder: Builder) -> None:
    image = bomb(4000)
    images = [
        builder.add("images", bufferView=builder.view(image + bytes([row]))) for row in range(20)
    ]
    textures = [builder.add("textures", source=row) for row in images]
    for row in textures:
        builder.add("materials", emissiveTexture={"index": row})
    primitive = builder.json["meshes"][0]["primitives"][0]
    builder.json["meshes"][0]["primitives"] = [
        {**primitive, "material": row} for row in range(1, len(builder.json["materials"]))
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_many_values, "values; simplify it"),
        (_many_animations, "6,000 animations, the maximum is 2,048"),
        (_many_places, "more than 262,144 meshes at nodes"),
        (_shared_sampler, "more than 16,777,216 numbers in keys"),
        (_many_channels, "more than 65,536 channels"),
        (_many_skins, "more than 262,144 joints"),
        (
            _shared_numbers,
            "more than 1,048,576 vertices and corners of triangles that share their numbers",
        ),
        (_many_corners, "more than 8,388,608 vertices and corners of triangles;"),
        (_blank_pictures, "more than 50,331,648 pixels of nearly empty images"),
    ],
)
def test_a_small_file_that_expands_enormously_is_refused_within_a_second(
    tmp_path: Path, change: Callable[[Builder], object], message: str
) -> None:
    builder = moving()
    change(builder)
    path = builder.glb(tmp_path / "large.glb")
    del builder
    assert_refused_in_time(path, message)


def test_an_image_with_many_names_is_decoded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = one_square()
    decoded = []
    for number in range(9):
        texture = {
            "index": builder.add(
                "textures", source=builder.add("images", bufferView=builder.view(bomb(64)))
            )
        }
        builder.add(
            "materials", pbrMetallicRoughness={"baseColorTexture": texture}, name=str(number)
        )
    primitive = builder.json["meshes"][0]["primitives"][0]
    builder.json["meshes"][0]["primitives"] = [
        {**primitive, "material": number} for number in range(9)
    ]
    real = images.load
    monkeypatch.setattr(images, "load", lambda image: decoded.append(1) or real(image))
    model = fw.Model(builder.glb(tmp_path / "m.glb"))
    assert len(decoded) == 1
    assert len({id(part.material.base_texture) for part in model.parts}) == 1


def test_a_16_bit_image_needs_little_more_memory_than_its_pixels() -> None:
    gray = Image.fromarray(np.full((2000, 2000), 32768, np.uint16))
    tracemalloc.start()
    try:
        pixels = images.load(gray)
        assert tracemalloc.get_traced_memory()[1] < 2 * pixels.nbytes
    finally:
        tracemalloc.stop()
    assert pixels[1999, 5].tolist() == [128, 128, 128, 255]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "its JSON is broken"),
        (b"{", "its JSON is broken"),
        (b"[]", "its JSON is not an object"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"\xff\xfe", "neither binary glTF nor JSON"),
        (b'{"asset": {"version": NaN}}', "its JSON has NaN for a number"),
        (b"glTF", "the file is cut off: 4 bytes"),
        (struct.pack("<5I", 0x46546C67, 1, 20, 0, 0), "version 1, expected 2"),
        (struct.pack("<5I", 0x46546C67, 2, 99, 0, 0), "99 bytes are announced, 20 are there"),
        (
            struct.pack("<5I", 0x46546C67, 2, 20, 1 << 31, 0x4E4F534A),
            "a chunk of 2,147,483,648 bytes",
        ),
        (struct.pack("<5I", 0x46546C67, 2, 20, 0, 7), "its first chunk is not JSON"),
    ],
)
def test_a_file_that_is_not_gltf_is_an_asset_error(
    tmp_path: Path, data: bytes, message: str
) -> None:
    path = tmp_path / "bad.gltf"
    path.write_bytes(data)
    with pytest.raises(fw.AssetError, match=message):
        fw.Model(path)


def test_a_missing_model_and_an_unknown_format_are_asset_errors(tmp_path: Path) -> None:
    (tmp_path / "ship.glb").write_bytes(b"")
    (tmp_path / "ship.fbx").write_bytes(b"")
    with pytest.raises(fw.AssetError, match=r"The nearest there is: 'ship\.glb'"):
        fw.Model("shipp.glb", folders=[tmp_path])
    with pytest.raises(fw.AssetError, match=r"no format that can be read: \.glb, \.gltf, \.obj"):
        fw.Model(tmp_path / "ship.fbx")


def mutated(data: bytes, seed: int) -> bytes:
    """Return a copy with changed bytes, a replaced number in the JSON, or without the end."""
    chance = random.Random(seed)
    changed = bytearray(data)
    kind = seed % 4
    if kind == 0:
        for _ in range(chance.randint(1, 8)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    elif kind == 1:
        del changed[chance.randrange(len(changed)) :]
    elif kind == 2:
        # in the binary part, so that numbers become NaN or infinite
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(changed) // 2, len(changed) - 8)
            changed[at : at + 4] = struct.pack(
                "<f", chance.choice([math.nan, math.inf, -1e38, 0.0, 1e38])
            )
    else:
        digits = [at for at in range(20, len(changed)) if 48 <= changed[at] <= 57][:600]
        for _ in range(chance.randint(1, 3)):
            changed[chance.choice(digits)] = chance.choice(b'0123456789-{["e.')
    return bytes(changed)


def outcome(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    start = time.process_time()
    message = ""
    with warnings.catch_warnings():
        # a file may use a feature that is not drawn, and a model says so as it loads
        warnings.filterwarnings("ignore", "The model .* is (loaded|drawn)", RuntimeWarning)
        try:
            fw.Model(path)
        except fw.AssetError as error:
            message = str(error)
    assert in_time(time.process_time() - start, 3)
    assert not message or path.name in message
    return "AssetError" if message else "loads"


def test_three_hundred_mutated_files_load_or_are_asset_errors(tmp_path: Path) -> None:
    data = moving().glb(tmp_path / "arm.glb").read_bytes()
    results = [outcome(tmp_path / "mutated.glb", mutated(data, seed)) for seed in range(300)]
    assert 5 < results.count("loads") < 295  # both results occur


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10)
    | st.sampled_from([10**12, -1, 1e38, 0.5])
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "index"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=settings().max_examples // 2)
@given(st.data())
def test_any_json_value_may_be_replaced_by_any_other(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    builder = moving()
    holder: Any = builder.json
    for _ in range(data.draw(st.integers(1, 5))):
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if not isinstance(holder[key], (dict, list)) or not holder[key]:
            break
        holder = holder[key]
        key = None
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    if keys:
        holder[data.draw(st.sampled_from(keys))] = data.draw(JSON_VALUES)
    path = tmp_path_factory.getbasetemp() / "any.gltf"
    text = json.dumps(builder.json)
    path.write_text(text)
    builder.json = json.loads(text)
    if "buffers" not in builder.json:
        builder.gltf(path)
    outcome(path, path.read_bytes())


# -- drawing ---------------------------------------------------------------------------------------


def lit(game: Any) -> tuple[float, float, float]:
    """Return the center of the bright pixels and their area, in units."""
    bright = game.pixels()[..., :3].sum(axis=2) > 60
    y, x = np.nonzero(bright)
    return (x.mean() + 0.5 - 100) / 10, (50 - y.mean() - 0.5) / 10, bright.sum() / 100


def wait(game: Any, seconds: float) -> None:
    """Advance in frames of 50 ms, because a game drops the time of one long frame."""
    for _ in range(round(seconds / 0.05)):
        game.advance(0.05)


def gallery(make: Make, builder: Builder, path: Path, **options: Any) -> Any:
    return make(
        type("Shown", (Gallery,), {"model": fw.Model(builder.glb(path / "m.glb"))}), **options
    )


def test_rows_are_drawn_at_their_positions_in_their_colors(make: Make, tmp_path: Path) -> None:
    builder = one_square(name="square", translation=[0, 1, 0])
    builder.add("materials", extensions={"KHR_materials_unlit": {}})
    builder.json["meshes"][0]["primitives"][0]["material"] = 0
    game = gallery(make, builder, tmp_path)
    first = game.batch.add(position=(-5, 0, 0), color=(1, 0, 0, 1))
    second = game.batch.add(position=(5, 0, 0), color=(0, 1, 0, 1), scale=0.5)
    game.advance(0)
    pixels = game.pixels()
    assert pixels[40, 50, 0] > 150
    assert pixels[40, 50, 1] < 60
    assert pixels[45, 150, 1] > 150
    assert pixels[35, 150, 1] < 60  # half as large
    assert second.node("square").drawn_position(1.0) == pytest.approx((5, 0.5, 0))
    first.remove()
    game.advance(0)
    assert first.removed
    assert (len(game.batch), second.row, second.position) == (1, 0, (5, 0, 0))
    assert lit(game) == pytest.approx((5, 0.5, 1), abs=0.1)
    second.visible = False
    game.advance(0)
    assert not (game.pixels()[..., :3].sum(axis=2) > 60).any()
    with pytest.raises(ValueError, match="it was removed from its batch"):
        first.play(None)
    with pytest.raises(ValueError, match="no node 'wheel'; there are 'square'"):
        second.node("wheel")
    with pytest.raises(TypeError, match="add: unknown option 'weight'; did you mean weights"):
        game.batch.add(weight=3)
    assert len(game.batch) == 1


def test_a_mirrored_node_is_visible_from_the_same_side(make: Make, tmp_path: Path) -> None:
    game = gallery(make, one_square(scale=[-1, 1, 1], translation=[2, 0, 0]), tmp_path)
    game.batch.add()
    game.advance(0)
    assert lit(game) == pytest.approx((2, 0, 4), abs=0.1)


def ball(double_sided: bool = False, **nodes: Any) -> fw.Model:
    """Return a sphere of four units with colors that are darker below. It is symmetric in x."""
    material = fw.Material((0.8, 0.6, 0.4), roughness=0.6, double_sided=double_sided)
    return fw.Model.of([Part(fw.Mesh.sphere(2, 32), material, [0])], **nodes)


MIRRORED: list[tuple[str, Callable[[], Any]]] = [
    ("node", lambda: fw.ModelBatch(ball(scale=(-1, 1, 1)), 1)),
    ("node, double-sided", lambda: fw.ModelBatch(ball(double_sided=True, scale=(-1, 1, 1)), 1)),
    ("all axes", lambda: fw.ModelBatch(ball(scale=(-1, -1, -1)), 1)),
    ("copy", lambda: scaled(fw.ModelBatch(ball(), 1))),
    (
        "row",
        lambda: scaled(fw.MeshBatch(fw.Mesh.sphere(2, 32), 1, material=ball().parts[0].material)),
    ),
    (
        "culled",
        lambda: scaled(
            fw.MeshBatch(fw.Mesh.sphere(2, 32), 1, material=ball().parts[0].material, cull=True)
        ),
    ),
]


def scaled(batch: Any) -> Any:
    batch.scale = (-1, 1, 1)
    return batch


@pytest.mark.parametrize("batch", [pytest.param(batch, id=name) for name, batch in MIRRORED])
def test_mirrored_meshes_are_lit_and_visible_from_outside(
    make: Make, batch: Callable[[], Any]
) -> None:
    class Lit(fw.Game):
        def setup(self) -> None:
            self.world.camera.ortho_height = 10
            self.world.camera.position = (0, 0, 20)
            self.world.sun_direction = (0.6, 0.7, 0.6)

    images = []
    for each in (fw.ModelBatch(ball(), 1), batch()):
        game = make(Lit)
        game.add(each)
        game.advance(0)
        images.append(game.pixels().astype(int))
        assert images[-1][40, 108, 0] > 150  # the side of the sun
        assert images[-1][64, 92, 0] < 120
    assert np.abs(images[0] - images[1]).max() <= 8
    assert each.pick((0, 0, 20), (0, 0, -1)) is not None


def test_a_row_that_becomes_mirrored_and_back_is_visible_from_outside(make: Make) -> None:
    class Turning(fw.Game):
        def setup(self) -> None:
            self.world.camera.ortho_height = 10
            self.world.camera.position = (0, 0, 20)
            self.batch = self.add(
                fw.MeshBatch(fw.Mesh.sphere(2, 32), 1, material=fw.Material(roughness=1))
            )

        def update(self, dt: float) -> None:
            self.batch.scale[0] = (-1 if round(self.now * 10) % 4 < 2 else 1), 1, 1

        now = 0.0

    game = make(Turning, tick_rate=10)
    brightness = []
    for _ in range(8):
        game.now += 0.1
        game.batch.teleport(slice(None))
        game.advance(0.1)
        brightness.append(int(game.pixels()[40, 95, 0]))
    assert max(brightness) - min(brightness) <= 12


def test_a_teleported_row_is_not_interpolated(make: Make, tmp_path: Path) -> None:
    game = gallery(make, one_square(name="square"), tmp_path, tick_rate=10)
    copy = game.batch.add()
    game.update = lambda dt: copy.teleport((3, 0, 0))
    game.advance(0)
    game.advance(0.15)
    for alpha in (0.0, 0.5):
        assert copy.node(0).drawn_position(alpha) == pytest.approx((3, 0, 0))


def test_animations_play_in_ticks_and_are_interpolated(make: Make, tmp_path: Path) -> None:
    game = gallery(make, moving(), tmp_path, tick_rate=10)
    copy = game.batch.add()
    game.batch.extend(3)
    copy.play("Walk", fade=0, loop=False)
    assert copy.playing == "Walk"
    game.advance(0)
    wait(game, 0.25)  # two ticks and a half: the drawn time is 0.15
    assert copy.time == pytest.approx(0.2)
    root = copy.node("root")
    smooth = [
        4 * (3 * t * t - 2 * t**3) for t in (0.1, 0.2)
    ]  # a spline that begins and ends without velocity
    assert root.position[0] == pytest.approx(smooth[1], abs=1e-5)
    assert root.drawn_position(game.timestep.alpha)[0] == pytest.approx(np.mean(smooth), abs=1e-5)
    wait(game, 1.0)
    assert copy.finished
    assert root.position == pytest.approx((4, 0, 0))
    assert game.batch[1].node("root").position == (0, 0, 0)
    with pytest.raises(ValueError, match="no animation 'Run'; there are 'Wave', 'Walk'"):
        copy.play("Run")
    with pytest.raises(ValueError, match="fade: expected a finite number of at least 0"):
        copy.play("Wave", fade=-1)


def test_animations_loop_step_rotate_and_run_backwards(make: Make, tmp_path: Path) -> None:
    game = gallery(make, moving(), tmp_path, tick_rate=10)
    copy = game.batch.add()
    hand = copy.node("hand")
    assert copy.finished  # there is no animation
    copy.play("Wave", fade=0)
    game.advance(0)
    assert not copy.finished
    wait(game, 0.5)
    assert hand.position == pytest.approx((0, 1, 0))  # a step
    assert hand.rotation == pytest.approx(quaternions.from_axis((0, 0, 1), math.pi / 4), abs=1e-5)
    wait(game, 0.7)
    assert hand.position == pytest.approx((0, 3, 0))
    wait(game, 1.3)
    assert copy.time == pytest.approx(0.5)  # after one turn
    copy.play("Wave", fade=0, speed=-2, loop=False)
    wait(game, 0.2)
    assert copy.time == pytest.approx(1.6)
    wait(game, 1.0)
    assert copy.finished
    assert copy.time == 0


def test_a_step_animation_is_never_interpolated(make: Make, tmp_path: Path) -> None:
    """The position of the hand steps from 1 to 3 at one second, and back."""
    game = gallery(make, moving(), tmp_path, tick_rate=10)
    copy = game.batch.add()
    still = game.batch.add()
    hand = copy.node("hand")
    copy.play("Wave", fade=0)
    game.advance(0)
    turned: list[float] = []
    heights: list[float] = []
    for _ in range(45):
        wait(game, 0.05)
        height = hand.drawn_position(game.timestep.alpha)[1]
        assert height == pytest.approx(1, abs=1e-6) or height == pytest.approx(3, abs=1e-6)
        assert height == hand.position[1]
        heights.append(height)
        turned.append(hand.drawn_rotation(game.timestep.alpha)[2])
    steps = np.abs(np.diff(turned))
    assert np.count_nonzero(steps > 1e-3) > 40  # the other channel is interpolated
    assert np.flatnonzero(np.diff(heights)).tolist() == pytest.approx([20, 40], abs=2)
    assert still.node("hand").drawn_position(0.5) == (0, 1, 0)
    # The previous row is removed in the tick of a step. This row must keep its own pose.
    still.node("hand").position = (0, 7, 0)
    copy.time = 0.95
    game.update = lambda dt: copy.removed or copy.remove()
    wait(game, 0.1)
    assert still.node("hand").drawn_position(0.5)[1] in (pytest.approx(1), pytest.approx(7))


def test_a_step_animation_is_blended_in_a_fade(make: Make, tmp_path: Path) -> None:
    game = gallery(make, moving(), tmp_path, tick_rate=10)
    copy = game.batch.add()
    game.batch.play("Wave", fade=0, start=1.2)
    game.advance(0)
    wait(game, 0.1)
    copy.play(None, fade=0.2)
    wait(game, 0.15)
    assert copy.node("hand").drawn_position(game.timestep.alpha)[1] == pytest.approx(2.5, abs=1e-5)


def test_one_animation_blends_into_another(make: Make, tmp_path: Path) -> None:
    game = gallery(make, moving(), tmp_path, tick_rate=10)
    copy = game.batch.add()
    root = copy.node("root")
    hand = copy.node("hand")
    copy.play("Walk", fade=0, loop=False)
    game.advance(0)
    wait(game, 2)
    assert root.position == pytest.approx((4, 0, 0))
    copy.play("Wave", fade=0.4)
    wait(game, 0.2)
    assert root.position == pytest.approx((2, 0, 0), abs=1e-5)  # half way to the rest pose
    wait(game, 0.3)
    assert root.position == pytest.approx((0, 0, 0), abs=1e-5)
    assert hand.rotation[2] > 0.1
    copy.play(None, fade=0.2)
    wait(game, 0.5)
    assert hand.position == pytest.approx((0, 1, 0))
    assert hand.rotation == pytest.approx((0, 0, 0, 1))
    assert copy.finished


def test_a_skin_is_drawn_with_its_animation(make: Make, tmp_path: Path) -> None:
    game = gallery(make, moving(), tmp_path, tick_rate=10, background=(0, 0, 0))
    game.batch.extend(2, position=[(-5, 0, 0), (5, 0, 0)])
    game.batch.play("Wave", [1], fade=0)
    game.advance(0)
    wait(game, 1.2)
    bright = game.pixels()[..., :3].sum(axis=2) > 60
    assert bright[:, :100].sum() == pytest.approx(400, abs=25)  # a square of 2 x 2
    assert (
        np.nonzero(bright[:, 100:])[0].min() < 22
    )  # the upper edge is now at least 3 above the root
    low, high = game.model.bounds
    assert (high - low)[:2] == pytest.approx((2, 2))


def picked(game: Any, *ray: Any) -> Any:
    hit = game.batch.pick(*ray)
    return hit and hit.instance


def test_a_ray_picks_the_nearest_row(make: Make, tmp_path: Path) -> None:
    game = gallery(make, one_square(scale=[-1, 1, 1]), tmp_path, tick_rate=10)
    far = game.batch.add(position=(0, 0, -5))
    near = game.batch.add(position=(0.5, 0, 2))
    assert picked(game, (0, 0, 20), (0, 0, -1)) is near
    assert picked(game, (-0.8, 0, 20), (0, 0, -1)) is far
    assert game.batch.pick((0, 0, -20), (0, 0, 1)) is None  # from behind
    assert game.batch.pick((4, 0, 20), (0, 0, -1)) is None
    near.visible = False
    game.advance(0)
    assert picked(game, (0, 0, 20), (0, 0, -1)) is far


def test_a_ray_hits_a_skin_in_its_current_pose(make: Make, tmp_path: Path) -> None:
    game = gallery(make, moving(), tmp_path, tick_rate=10)
    copy = game.batch.add(position=(2, 0, 0))
    assert picked(game, (2, 0.9, 9), (0, 0, -1)) is copy
    assert game.batch.pick((2, 2.5, 9), (0, 0, -1)) is None
    copy.node("hand").teleport((0, 4, 0))
    game.advance(0.1)
    assert picked(game, (2, 2.5, 9), (0, 0, -1)) is copy
    hit = parts_of(game.batch)[0].pick((2, 0, 9), (0, 0, -1))
    assert hit.point == pytest.approx((2, 0, 0))
    assert hit.normal == pytest.approx((0, 0, 1))


def crowd(skinned: bool, count: int, detail: int = 45) -> fw.ModelBatch:
    """Return rows in random poses, some mirrored or bent, with about ``detail`` ** 2 triangles
    each.
    """
    random = np.random.default_rng(5)
    mesh = fw.Mesh.sphere(1, detail)
    n = len(mesh.positions)
    skin = None
    if skinned:
        first = random.integers(0, 6, n)
        joints = np.stack([first, (first + 1) % 6, first, first], axis=1)
        skin = Skin(np.arange(6) + 1, None, joints, random.random((n, 4)))
    model = fw.Model.of(
        [Part(mesh, fw.Material(), [5], skin)],
        names=list("abcdef"),
        parent=np.arange(6) - 1,
        position=[(0, 0.3, 0)] * 6,
        scale=[(1, 1, 1)] * 5 + [(-1, 1, 1)],
    )
    batch = fw.ModelBatch(model, count)
    batch.position = random.uniform(-15, 15, (count, 3))
    batch.scale = random.uniform(0.3, 2, (count, 3))
    turns = random.normal(size=(len(batch.nodes), 4)) * 0.2 + (0, 0, 0, 1)
    batch.nodes.rotation = quaternions.normalized(turns.astype(np.float32))
    return batch


@pytest.mark.parametrize("skinned", [True, False])
def test_the_bounding_spheres_of_picking_miss_no_row(skinned: bool) -> None:
    batch = crowd(skinned, 60, 16)
    random = np.random.default_rng(6)
    (part,) = parts_of(batch)
    world = batch.nodes.world_matrices(1.0)
    hits = 0
    triangles = []
    for row in range(len(batch)):
        if skinned:
            positions = part._skin.skinned(part.mesh.positions, world, int(part.node[row]))
        else:
            model = world[part.node[row]]
            positions = part.mesh.positions @ model[:3, :3] + model[3, :3]
        triangles.append(positions[part.mesh.indices].reshape(-1, 3, 3))
    for _ in range(25):
        origin = np.append(random.uniform(-15, 15, 2), 40.0)
        far, side = ray_triangles(origin, np.array((0.0, 0.0, -1.0)), np.concatenate(triangles))
        distances = np.where((side > 0) == skinned, far, np.inf)
        hit = part.pick(origin, (0, 0, -1))
        assert (np.inf if hit is None else hit.distance) == pytest.approx(min(distances))
        hits += hit is not None
    assert hits > 2


@pytest.mark.parametrize("skinned", [True, False])
def test_picking_among_a_thousand_rows_is_fast(skinned: bool) -> None:
    batch = crowd(skinned, 1000)
    times = []
    for x in range(8):
        start = time.process_time()
        batch.pick((x, 0, 40), (0, 0, -1))
        times.append(time.process_time() - start)
    assert in_time(min(times), 0.04)  # about 5 ms if no other program runs


def test_a_model_can_be_made_in_code(make: Make) -> None:
    cube = Part(fw.Mesh.cube(), fw.Material(unlit=True), [1])
    model = fw.Model.of(
        [cube], names=["base", "top"], parent=[-1, 0], position=[(0, 0, 0), (0, 3, 0)]
    )
    game = make(type("Shown", (Gallery,), {"model": model}))
    copy = game.batch.add()
    copy.node("base").position = (2, 0, 0)
    game.advance(0)
    assert lit(game)[:2] == pytest.approx((2, 3), abs=0.1)
    mesh, _ = model.merged()[0]
    assert mesh.center == pytest.approx((0, 3, 0))
    with pytest.raises(TypeError, match="wheels: not a keyword"):
        fw.Model.of([], wheels=4)
    with pytest.raises(ValueError, match="expected nodes from 0 to 0, got"):
        fw.Model.of([cube])
    with pytest.raises(TypeError, match="model: expected a Model"):
        fw.ModelBatch("ship.glb")  # type: ignore[arg-type]


def test_a_removed_batch_leaves_no_parts_in_the_world(make: Make, tmp_path: Path) -> None:
    game = gallery(make, one_square(), tmp_path)
    game.batch.add()
    game.advance(0)
    assert lit(game)[2] > 3
    game.world.remove(game.batch)
    game.advance(0)
    assert not (game.pixels()[..., :3].sum(axis=2) > 60).any()


def test_the_gltf_reader_agrees_with_the_test_writer(tmp_path: Path) -> None:
    parts = gltf.read(moving().glb(tmp_path / "arm.glb"))
    assert parts.parent.tolist() == [-1, 0, -1]
    assert parts.parts[0].mesh.indices.tolist() == INDICES.tolist()
