"""Meshes that are transformed, colored and merged."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework import quaternions
from framework.game.error_advice import advise


def test_a_mesh_is_scaled_then_rotated_then_moved() -> None:
    quarter = quaternions.from_axis((0, 0, 1), math.pi / 2)
    mesh = fw.Mesh([(1, 0, 0), (0, 1, 0), (0, 0, 1)]).transformed((10, 0, 0), quarter, (2, 3, 4))
    assert mesh.positions == pytest.approx(np.array([(10, 2, 0), (7, 0, 0), (10, 0, 4)]), abs=1e-5)


def test_transformed_without_arguments_changes_nothing() -> None:
    mesh = fw.Mesh.cone()
    same = mesh.transformed()
    assert same.positions == pytest.approx(mesh.positions, abs=1e-6)
    assert same.normals == pytest.approx(mesh.normals, abs=1e-6)
    assert np.array_equal(same.indices, mesh.indices)


@pytest.mark.parametrize("top", [0, 0.5, 2])
def test_the_normals_of_a_cone_are_perpendicular_to_its_side(top: float) -> None:
    mesh = fw.Mesh.cone(1.0, 3.0, 12, top=top)
    side = np.abs(mesh.normals[:, 1]) < 0.99
    normals = mesh.normals[side].astype(float)
    positions = mesh.positions[side].astype(float)
    assert np.linalg.norm(normals, axis=1) == pytest.approx(np.ones(len(normals)), abs=1e-6)
    outward = np.hypot(normals[:, 0], normals[:, 2])
    assert outward * (top - 1) + normals[:, 1] * 3 == pytest.approx(
        np.zeros(len(normals)), abs=1e-6
    )
    assert {*positions[:, 1].tolist()} == {-1.5, 1.5}


@pytest.mark.parametrize("scale", [(1, 2, 3), (-1, 1, 1), (-2, -1, -0.5)])
def test_a_transformed_mesh_keeps_its_faces_outward(scale: tuple[float, float, float]) -> None:
    mesh = fw.Mesh.sphere(1.0, 12).transformed(
        (0, 0, 0), quaternions.from_axis((1, 2, 3), 1.0), scale
    )
    corners = mesh.positions[mesh.indices].reshape(-1, 3, 3).astype(float)
    outwards = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ij->i", outwards, corners.mean(axis=1)) > 0).all()
    assert (np.einsum("ij,ij->i", mesh.normals, mesh.positions) > 0).all()
    assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(
        np.ones(len(mesh.normals)), abs=1e-5
    )


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"rotation": (0, 0, 0, 0)}, "rotation"),
        ({"rotation": (0, 0, 1)}, "rotation"),
        ({"rotation": (math.nan, 0, 0, 1)}, "rotation"),
        ({"scale": 0}, "scale"),
        ({"scale": (1, 2)}, "scale"),
        ({"scale": (1, math.inf, 1)}, "scale"),
    ],
)
def test_an_invalid_transform_is_refused_with_its_name(
    arguments: dict[str, Any], name: str
) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: "):
        fw.Mesh.cube().transformed(**arguments)


def test_with_color_sets_one_color_or_one_per_vertex_in_a_new_mesh() -> None:
    cube = fw.Mesh.cube()
    red = cube.with_color((0.5, 0, 0))
    assert (red.colors == (0.5, 0, 0, 1)).all()
    assert (cube.colors == 1).all()
    assert red.radius == cube.radius
    rows = np.linspace(0, 1, 4 * len(cube.positions)).reshape(-1, 4)
    assert cube.with_color(rows).colors == pytest.approx(rows, abs=1e-6)
    with pytest.raises(ValueError, match=r"^color: "):
        cube.with_color((1, 0))
    with pytest.raises(ValueError, match=r"^color: "):
        cube.with_color(rows[:3])


def test_merged_meshes_keep_their_colors() -> None:
    mesh = fw.Mesh.merged(
        fw.Mesh.cube().with_color((1, 0, 0)), fw.Mesh.sphere().with_color((0, 0, 1))
    )
    assert mesh.triangle_count == fw.Mesh.cube().triangle_count + fw.Mesh.sphere().triangle_count
    assert {tuple(color) for color in mesh.colors.tolist()} == {(1, 0, 0, 1), (0, 0, 1, 1)}


@pytest.mark.parametrize(
    "name", ["positions", "indices", "normals", "uvs", "colors", "tangents", "center"]
)
def test_the_arrays_of_a_mesh_cannot_change(name: str) -> None:
    for mesh in (fw.Mesh.cube(), fw.Mesh.cube().with_color("#f80").transformed((1, 0, 0))):
        with pytest.raises(ValueError, match="read-only"):
            getattr(mesh, name)[0] = 1
        with pytest.raises(AttributeError, match=rf"^Mesh\.{name}: a mesh never changes; make a "):
            setattr(mesh, name, getattr(mesh, name).copy())
    with pytest.raises(ValueError, match="read-only"):
        mesh.bounds[0][0] = 1


def test_a_mesh_copies_its_arrays() -> None:
    positions = fw.Mesh.cube().positions.copy()
    indices = fw.Mesh.cube().indices.copy()
    mesh = fw.Mesh(positions, indices)
    batch = fw.MeshBatch(mesh, 1)
    ray = (0.1, 0.2, 9), (0, 0, -1)
    first = batch.pick(*ray)
    positions += 100  # the game may change its own arrays
    indices[:] = 0
    assert batch.pick(*ray) == first
    assert fw.MeshBatch(fw.Mesh(positions, fw.Mesh.cube().indices), 1).pick(*ray) is None


def test_the_error_of_a_changed_array_explains_how_to_make_another_mesh() -> None:
    mesh = fw.Mesh.cube()
    with pytest.raises(ValueError, match="read-only") as caught:
        mesh.positions[0] = 1
    advise(caught.value)
    assert "a mesh never changes: write positions = mesh.positions.copy()" in str(caught.value)
