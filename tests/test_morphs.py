"""Morph targets: reading files, drawing, animations, shadows, picking and limits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawings import driven
from glbs import SQUARE, Builder, Gallery, assert_refused_in_time, morphing, moving, square
from shading import dark, reflected, shown

import framework as fw
from framework.models import morphs
from framework.models.morphs import MorphWeights, morphed
from framework.space.morphing import MorphsGpu
from framework.space.solids import parts_of
from framework.state.rows import table_of

Make = Callable[..., Any]


def gallery(make: Make, builder: Builder, path: Path, **options: Any) -> Any:
    return make(
        type("Shown", (Gallery,), {"model": fw.Model(builder.glb(path / "m.glb"))}), **options
    )


def box(game: Any) -> list[float]:
    """Return the left, right, bottom and top edge of the bright pixels, in units."""
    bright = game.pixels()[..., :3].sum(axis=2) > 60
    y, x = np.nonzero(bright)
    return [
        (x.min() - 100) / 10,
        (x.max() + 1 - 100) / 10,
        (50 - y.max() - 1) / 10,
        (50 - y.min()) / 10,
    ]


def wait(game: Any, seconds: float) -> None:
    for _ in range(round(seconds / 0.05)):
        game.advance(0.05)


# -- drawing ---------------------------------------------------------------------------------------


def test_each_copy_has_its_own_weights(make: Make, tmp_path: Path) -> None:
    game = gallery(make, morphing(), tmp_path)
    game.batch.extend(2, weights=[(1, 0), (0, 1)])
    game.run(1)
    assert box(game) == pytest.approx([-2, 2, -1, 4], abs=0.11)
    game.batch[1].visible = False
    game.run(1)
    assert box(game) == pytest.approx([-1, 1, 2, 4], abs=0.11)
    game.batch[0].set_weight("up", -0.5)
    game.batch[0].set_weight(1, 2)
    game.batch[0].teleport()
    game.run(1)
    assert box(game) == pytest.approx([-3, 3, -2.5, -0.5], abs=0.11)
    assert game.batch[0].weight("up") == -0.5
    assert game.batch[0].weights == (-0.5, 2)
    game.batch.remove(game.batch[0])
    game.batch.visible = True
    game.run(1)
    assert box(game) == pytest.approx([-2, 2, -1, 1], abs=0.11)


def test_weights_are_blended_between_ticks_and_teleports_are_not(
    make: Make, tmp_path: Path
) -> None:
    game = gallery(make, morphing(), tmp_path, tick_rate=10)
    copy = game.batch.add()
    game.advance(0)
    copy.weights = 0
    game.advance(0.1)
    game.update = lambda dt: copy.set_weight("up", 1.0)
    game.advance(0.15)
    assert game.timestep.alpha == pytest.approx(0.5)
    assert box(game)[2:] == pytest.approx([0.5, 2.5], abs=0.11)
    game.advance(0.1)  # the copy stays there
    assert box(game)[2:] == pytest.approx([2, 4], abs=0.11)
    game.update = lambda dt: (copy.set_weight("up", 0.0), copy.teleport())
    game.advance(0.1)
    assert box(game)[2:] == pytest.approx([-1, 1], abs=0.11)


def test_weights_are_uploaded_only_after_a_tick(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads = []
    texture = MorphsGpu._texture
    monkeypatch.setattr(
        MorphsGpu, "_texture", lambda self, texels: uploads.append(texels) or texture(self, texels)
    )
    game = gallery(make, morphing(), tmp_path, tick_rate=10)
    game.batch.extend(3000)  # more copies than one row of the texture holds
    game.batch.weights[:, 0] = np.linspace(0, 1, 3000)
    game.advance(0.1)
    before = len(uploads)
    writes = []
    monkeypatch.setattr("framework.space.morphing._padded", lambda texels: writes.append(texels))
    for _ in range(3):
        game.advance(0.01)
    assert len(uploads) == before == 2  # one upload of the targets, one of the weights
    assert writes == []


def test_a_paused_game_shows_new_weights(make: Make, tmp_path: Path) -> None:
    game = gallery(make, morphing(), tmp_path, tick_rate=10)
    copy = game.batch.add()
    game.advance(0.15)
    game.timestep.paused = True
    for weight in (1.0, 0.0, 1.0):
        game.advance(0.05)
        copy.set_weight("up", weight)
        game.advance(0.05)
        assert box(game)[2:] == pytest.approx([-1 + 3 * weight, 1 + 3 * weight], abs=0.11)


def test_normals_and_tangents_morph_too(make: Make, tmp_path: Path) -> None:
    """The normals alone make a flat square look tilted to the right. A normal map turns with the
    morphed tangents."""
    lean = np.array([0.6, 0, 0.8])
    bump = np.array([204, 128, 230])  # a normal that leans along the tangent
    for mapped in (False, True):
        builder = Builder()
        attributes = {
            "TANGENT": builder.array(np.tile((0, 1, 0, 1), (4, 1))),
            "TEXCOORD_0": builder.array(SQUARE[:, :2]),
        }
        target = (
            {"TANGENT": builder.array(np.tile((1, -1, 0), (4, 1)))}
            if mapped
            else {"NORMAL": builder.array(np.tile(lean - (0, 0, 1), (4, 1)))}
        )
        maps = {"normalTexture": builder.texture(bump[None, None])} if mapped else {}
        builder.add("materials", pbrMetallicRoughness={"metallicFactor": 0}, **maps)
        primitive = {**square(builder, **attributes), "targets": [target], "material": 0}
        builder.add("nodes", mesh=builder.add("meshes", primitives=[primitive], weights=[1]))
        game = gallery(make, builder, tmp_path)
        game.batch.add()
        dark(game.world)
        game.world.sun_color = (1, 1, 1)
        game.world.sun_direction = (0.7, 0.1, 0.7)
        game.run(1)
        sun = np.array((0.7, 0.1, 0.7)) / np.linalg.norm((0.7, 0.1, 0.7))
        normal = bump / 255 * 2 - 1 if mapped else lean
        expected = shown(
            reflected((1, 1, 1), 0, 1, normal / np.linalg.norm(normal), (0, 0, 1), sun)
        )
        assert np.abs(game.pixels()[50, 100, :3] - expected).max() <= 2


def test_a_morphed_mesh_adds_the_weighted_targets() -> None:
    mesh = fw.Mesh(
        SQUARE,
        [0, 1, 2],
        normals=np.tile((0, 0, 1), (4, 1)),
        tangents=np.tile((1, 0, 0, -1), (4, 1)),
    )
    positions, leans, turns = np.random.default_rng(5).normal(size=(3, 2, 4, 3)).astype("f4")
    weights = np.float32([2, -0.5])
    targets = fw.MorphTargets(positions, normals=leans, tangents=turns)
    result = morphed(targets, mesh, weights)
    np.testing.assert_allclose(
        result.positions, mesh.positions + 2 * positions[0] - positions[1] / 2, atol=1e-5
    )
    normals = mesh.normals + 2 * leans[0] - leans[1] / 2
    np.testing.assert_allclose(
        result.normals, normals / np.linalg.norm(normals, axis=1)[:, None], atol=1e-5
    )
    np.testing.assert_allclose(
        result.tangents[:, :3], (1, 0, 0) + 2 * turns[0] - turns[1] / 2, atol=1e-5
    )
    assert (result.tangents[:, 3] == -1).all()
    assert (mesh.tangents == (1, 0, 0, -1)).all()
    assert morphed(targets, mesh, weights * 0) is mesh
    np.testing.assert_allclose(
        morphed(targets, mesh, np.float32([1, 0])).positions, mesh.positions + positions[0]
    )
    assert (morphed(fw.MorphTargets(positions), mesh, weights).normals == mesh.normals).all()


def test_a_shadow_has_the_morphed_shape(make: Make, tmp_path: Path) -> None:
    game = gallery(make, morphing(weights=[1, 0]), tmp_path)
    world = game.world
    dark(world)
    world.sun_direction = (0, 0, 1)
    world.sun_color = (1, 1, 1)
    world.shadows = fw.Shadows(distance=60, cascades=1, resolution=512)
    game.add(fw.MeshBatch(fw.Mesh.box((30, 30, 1)), 1))
    game.batch.add(position=(0, 0, 25))  # behind the camera, which sees only the shadow
    game.run(1)
    lit = game.pixels()[..., 0] > 60
    assert not lit[15:25, 95:105].any()  # 3 units up
    assert lit[45:55, 95:105].all()


def test_a_skin_bends_the_morphed_shape(make: Make, tmp_path: Path) -> None:
    builder = moving()
    primitive = builder.json["meshes"][0]["primitives"][0]
    primitive["targets"] = [{"POSITION": builder.array(np.tile((2, 0, 0), (4, 1)))}]
    game = gallery(make, builder, tmp_path)
    copy = game.batch.add(weights=1)
    for turn, edges in ((0.0, [1, 3, -1, 1]), (-np.pi / 2, [-1, 1, -3, -1])):
        copy.rotation = fw.quaternions.from_axis((0, 0, 1), turn)
        copy.teleport()
        game.run(1)
        assert box(game) == pytest.approx(edges, abs=0.11)
    hit = game.batch.pick((0, -2, 10), (0, 0, -1))
    assert hit.instance is copy
    assert game.batch.pick((0, 0.5, 10), (0, 0, -1)) is None


def test_a_ray_hits_the_shape_that_is_drawn(make: Make, tmp_path: Path) -> None:
    game = gallery(make, morphing(), tmp_path, tick_rate=10)
    plain = game.batch.add()
    high = game.batch.add(position=(3, 0, 0), weights=(1, 0), scale=0.5)
    game.advance(0)
    pick = game.batch.pick
    assert pick((3, 1.5, 9), (0, 0, -1)).instance is high
    assert pick((3, 0, 9), (0, 0, -1)) is None
    assert pick((0, 0, 9), (0, 0, -1)).instance is plain
    game.update = lambda dt: high.set_weight("up", 3)
    game.advance(0.1)
    assert pick((3, 3, 9), (0, 0, -1), 0.5).instance is high
    assert pick((3, 3, 9), (0, 0, -1), 1.0) is None


def test_a_transparent_material_is_drawn_morphed(make: Make, tmp_path: Path) -> None:
    model = morphing(weights=[1, 0])
    model.add("materials", alphaMode="BLEND", extensions={"KHR_materials_unlit": {}})
    model.json["meshes"][0]["primitives"][0]["material"] = 0
    game = gallery(make, model, tmp_path)
    game.batch.extend(2)
    game.batch.position[1] = (0, -4, 0)
    parts_of(game.batch)[0].cull = True
    game.run(1)
    assert box(game) == pytest.approx([-1, 1, -2, 4], abs=0.11)


def test_a_model_without_targets_costs_nothing_more(make: Make, tmp_path: Path) -> None:
    game = gallery(make, moving(), tmp_path)
    copy = game.batch.add()
    game.run(1)
    assert table_of(game.batch).interpolated == ()
    assert driven(parts_of(game.batch)[0]).gpu._morphs is None
    with pytest.raises(AttributeError, match=r"^weights: the model 'm.glb' has no morph targets$"):
        game.batch.weights  # noqa: B018
    with pytest.raises(AttributeError, match=r"^weights: the model 'm.glb' has no morph targets$"):
        game.batch.add(weights=1)
    with pytest.raises(
        ValueError, match=r"^name: there is no morph target 'smile'; there are none$"
    ):
        copy.set_weight("smile", 1)


# -- animations ------------------------------------------------------------------------------------


def test_animations_move_weights(make: Make, tmp_path: Path) -> None:
    game = gallery(make, morphing(), tmp_path, tick_rate=10)
    copy = game.batch.add()
    second = game.batch.add()
    copy.play("Rise", fade=0, loop=False)
    game.advance(0)
    wait(game, 0.5)
    assert copy.weights == pytest.approx((0.5, 0.25))
    assert second.weights == (0, 0)
    wait(game, 1)
    assert copy.weights == pytest.approx((1, 0.5))
    copy.play("Swell", fade=0, loop=False)
    wait(game, 0.3)
    smooth = 3 * 0.3**2 - 2 * 0.3**3
    assert copy.weights == pytest.approx((smooth, smooth), abs=1e-6)


def test_weights_step_without_a_blend(make: Make, tmp_path: Path) -> None:
    game = gallery(make, morphing(), tmp_path, tick_rate=10)
    copy = game.batch.add()
    copy.play("Jump", fade=0, loop=False)
    game.advance(0)
    heights = []
    for _ in range(24):
        game.advance(0.05)
        heights.append(box(game)[2])
    assert sorted(set(heights)) == pytest.approx([-1, 2], abs=0.11)


def test_weights_crossfade_between_animations_and_to_the_rest_pose(
    make: Make, tmp_path: Path
) -> None:
    game = gallery(make, morphing(weights=[0, 0.5]), tmp_path, tick_rate=10)
    copy = game.batch.add()
    assert copy.weights == (0, 0.5)
    copy.play("Rise", fade=0, loop=False)
    game.advance(0)
    wait(game, 1.2)
    assert copy.weights == pytest.approx((1, 0.5))
    copy.play(None, fade=0.4)
    wait(game, 0.2)
    assert copy.weights == pytest.approx((0.5, 0.5))
    wait(game, 0.4)
    assert copy.weights == pytest.approx((0, 0.5))


# -- files -----------------------------------------------------------------------------------------


def test_rest_weights_come_from_the_node_or_else_from_the_mesh(tmp_path: Path) -> None:
    builder = morphing(weights=[0.25, 0])
    builder.add("nodes", mesh=0, weights=[1, 0], translation=[10, 0, 0])
    model = fw.Model(builder.glb(tmp_path / "m.glb"))
    assert model.morph_names == ["up", "wide", "up", "wide"]
    assert model.morphs.rest.tolist() == [0.25, 0, 1, 0]
    low, high = model.bounds
    assert low == pytest.approx((-1, -0.25, 0))
    assert high == pytest.approx((11, 4, 0))
    ((mesh, _),) = model.merged()
    assert mesh.bounds[0] == pytest.approx(low)
    assert mesh.bounds[1] == pytest.approx(high)


def test_targets_with_the_same_name_are_set_together(make: Make, tmp_path: Path) -> None:
    builder = morphing()
    builder.add("nodes", mesh=0)
    copy = fw.ModelBatch(fw.Model(builder.glb(tmp_path / "m.glb"))).add()
    copy.set_weight("wide", 0.5)
    assert copy.weights == (0, 0.5, 0, 0.5)


def test_targets_may_be_sparse_or_integers(tmp_path: Path) -> None:
    builder = Builder()
    row_view = builder.view(np.array([2], "u2").tobytes())
    value_view = builder.view(np.array([(5, 6, 7)], "f4").tobytes())
    sparse = {
        "count": 1,
        "indices": {"bufferView": row_view, "componentType": 5123},
        "values": {"bufferView": value_view},
    }
    sparse_positions = builder.add(
        "accessors", componentType=5126, count=4, type="VEC3", sparse=sparse
    )
    integer_positions = builder.array(np.tile((127, 0, -127), (4, 1)), "int8", normalized=True)
    primitive = {
        **square(builder),
        "targets": [{"POSITION": sparse_positions}, {"POSITION": integer_positions}, {}],
    }
    builder.add("nodes", mesh=builder.add("meshes", primitives=[primitive]))
    targets = fw.Model(builder.glb(tmp_path / "m.glb")).parts[0].targets
    assert targets is not None
    assert targets.positions[0].tolist() == [[0, 0, 0], [0, 0, 0], [5, 6, 7], [0, 0, 0]]
    assert targets.positions[1].tolist() == [[1, 0, -1]] * 4
    assert not targets.positions[2].any()
    assert targets.names == ["target 0", "target 1", "target 2"]


def test_a_morphed_mesh_without_normals_has_flat_faces(tmp_path: Path) -> None:
    builder = Builder()
    primitive = square(builder)
    del primitive["attributes"]["NORMAL"]
    tilt = builder.array([(0, 0, 0), (0, 0, 2), (0, 0, 2), (0, 0, 0)])
    builder.add(
        "nodes",
        mesh=builder.add(
            "meshes", primitives=[{**primitive, "targets": [{"POSITION": tilt}]}], weights=[1]
        ),
    )
    model = fw.Model(builder.glb(tmp_path / "m.glb"))
    ((mesh, _),) = model.merged()
    assert mesh.normals == pytest.approx(
        np.tile(np.array([-1, 0, 1]) / np.sqrt(2), (6, 1)), abs=1e-6
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"targets": [{"POSITION": 99}]}, "POSITION is 99"),
        ({"targets": {"POSITION": 0}}, "targets is .*, expected a list"),
        ({"targets": [{"POSITION": 2}]}, r"POSITION of target 0 has the shape \(6, 1\)"),
        ({"targets": [{}] * 2000}, "2,000 morph targets, the maximum is 1,024"),
    ],
)
def test_bad_targets_are_asset_errors(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    builder = Builder()
    builder.add("nodes", mesh=builder.add("meshes", primitives=[{**square(builder), **change}]))
    with pytest.raises(fw.AssetError, match=words):
        fw.Model(builder.glb(tmp_path / "m.glb"))


@pytest.mark.parametrize("weights", [[1], [1, 2, 3], "x", [1, "x"], [1, 1e40]])
@pytest.mark.parametrize("holder", ["meshes", "nodes"])
def test_weights_of_a_wrong_length_or_type_are_asset_errors(
    tmp_path: Path, holder: str, weights: Any
) -> None:
    builder = morphing()
    builder.json[holder][0]["weights"] = weights
    with pytest.raises(fw.AssetError, match=rf"{holder}\[0\]: weights is .*, expected 2 numbers"):
        fw.Model(builder.glb(tmp_path / "m.glb"))


@pytest.mark.parametrize("names", [None, "x", ["up"], [1, 2], {"up": 1}])
def test_invalid_target_names_are_replaced_by_numbers(tmp_path: Path, names: Any) -> None:
    builder = morphing()
    builder.json["meshes"][0]["extras"] = {"targetNames": names} if names else names
    assert fw.Model(builder.glb(tmp_path / "m.glb")).morph_names == ["target 0", "target 1"]


def _with_many_targets(builder: Builder) -> None:
    positions = builder.array(np.zeros((40_000, 3)))
    primitive = {"attributes": {"POSITION": positions}, "targets": [{"POSITION": positions}] * 1000}
    builder.json["nodes"][0]["mesh"] = builder.add("meshes", primitives=[primitive])


def _with_many_parts(builder: Builder) -> None:
    positions = builder.array(np.zeros((600, 3)))
    primitive = {"attributes": {"POSITION": positions}, "targets": [{"POSITION": positions}] * 1000}
    builder.json["meshes"][0]["primitives"] = [primitive] * 20


def _with_many_nodes(builder: Builder) -> None:
    builder.json["nodes"] += [{"mesh": 0}] * 60_000


def _without_buffer(builder: Builder) -> None:
    missing = builder.add("accessors", componentType=5126, count=1 << 23, type="VEC3")
    builder.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": missing}] * 2


BUDGETS = {
    _with_many_targets: "numbers in morph targets",
    _with_many_parts: "numbers in morph targets",
    _with_many_nodes: "weights of morph targets",
    _without_buffer: "numbers in morph targets|numbers that are not",
}


@pytest.mark.parametrize("change", BUDGETS)
def test_a_small_file_with_huge_targets_is_refused_quickly(
    tmp_path: Path, change: Callable[[Builder], None]
) -> None:
    builder = morphing()
    change(builder)
    assert_refused_in_time(builder.glb(tmp_path / "m.glb"), BUDGETS[change])


# -- models built in code --------------------------------------------------------------------------


def test_targets_and_animations_can_be_built_in_code(make: Make) -> None:
    mesh = fw.Mesh.plane((2, 2))
    up = fw.MorphTargets([np.tile((0, 1, 0), (4, 1))], names=["up"], weights=[0.5])
    keys = fw.Channel(0, "weights", "LINEAR", np.array([0, 1], "f4"), np.array([[0], [1]], "f4"))
    rise = fw.Animation("Rise", [keys])
    model = fw.Model.of([fw.Part(mesh, fw.Material(), [0], targets=up)], animations=[rise])
    batch = fw.ModelBatch(model, 1)
    assert batch.weights.tolist() == [[0.5]]
    batch.weights = [[0.25]]
    assert batch[0].weights == (0.25,)
    batch.weights += 1
    assert batch[0].weight(0) == 1.25
    with pytest.raises(ValueError, match="expected 4 vertices, those of the mesh"):
        fw.Part(mesh, fw.Material(), [0], targets=fw.MorphTargets(np.zeros((1, 3, 3))))
    two_weights = fw.Channel(0, "weights", "LINEAR", np.array([0], "f4"), np.array([[0, 1]], "f4"))
    with pytest.raises(ValueError, match="animations: 'Two' moves 2 weights, but node 0 has 1"):
        fw.Model.of(
            [fw.Part(mesh, fw.Material(), [0], targets=up)],
            animations=[fw.Animation("Two", [two_weights])],
        )


def test_the_number_of_weights_of_a_model_is_limited() -> None:
    many = [(node, ["a"] * 1000, np.zeros(1000, np.float32)) for node in range(70)]
    with pytest.raises(ValueError, match="70,000 weights of morph targets"):
        MorphWeights(many)
    maximum = morphs.MAX_WEIGHTS
    assert len(MorphWeights([(0, ["a"] * maximum, np.zeros(maximum, "f4"))])) == maximum


def test_all_parts_of_a_mesh_have_the_same_number_of_targets(tmp_path: Path) -> None:
    builder = morphing()
    parts = builder.json["meshes"][0]["primitives"]
    parts.append({**parts[0], "targets": parts[0]["targets"][:1]})
    with pytest.raises(
        fw.AssetError, match=r"nodes\[0\]: parts of its mesh have 2 and 1 morph targets"
    ):
        fw.Model(builder.glb(tmp_path / "m.glb"))


def test_the_numbers_of_targets_and_vertices_are_limited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(morphs, "MAX_NUMBERS", 3 * morphs.MAX_TARGETS)
    for targets, vertices in ((1, 1), (morphs.MAX_TARGETS, 1), (1, morphs.MAX_TARGETS)):
        assert len(fw.MorphTargets(np.zeros((targets, vertices, 3)))) == targets
    for targets, vertices in (
        (0, 1),
        (1, 0),
        (morphs.MAX_TARGETS + 1, 1),
        (1, morphs.MAX_TARGETS + 1),
    ):
        with pytest.raises(
            ValueError,
            match=rf"^positions: expected 1 to .*got {targets:,} of {vertices:,} vertices",
        ):
            fw.MorphTargets(np.zeros((targets, vertices, 3)))


def test_a_target_is_selected_by_an_existing_name_or_number() -> None:
    weights = MorphWeights([(4, ["up", "wide"], np.zeros(2, "f4")), (7, ["up"], np.zeros(1, "f4"))])
    assert [weights.numbered(name).tolist() for name in ("up", "wide", 0, 2)] == [
        [0, 2],
        [1],
        [0],
        [2],
    ]
    for name in (-1, 3, "down"):
        with pytest.raises(ValueError, match=r"^name: "):
            weights.numbered(name)
