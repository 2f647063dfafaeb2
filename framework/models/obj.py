"""Read models from OBJ files (.obj), together with their materials (.mtl).

The files may come from untrusted sources. Therefore, the reader checks all numbers, and opens
images only with the framework's own decoder.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..arrays import Doubles, Mask, Pixels, Reals, Rows
from ..assets.linked_files import MAX_BYTES, Budget, NoSuchFile, beside
from ..checks import shown
from ..geometry.mesh import Mesh
from .materials import Material
from .parts import (
    MAX_CORNERS,
    MAX_PARTS,
    ModelData,
    ModelImages,
    Part,
    linear,
    unit_vectors,
)

_MAX_LIBRARIES = 64
# The maximum number of corners in faces that are not convex. Such faces are slow to read, because
# they are cut into triangles one by one.
_MAX_EARS = 12_000


def read(path: Path) -> ModelData:
    """Return the model in an OBJ file. The model has one node. The model has one part for each
    material that faces use.

    Raises `ValueError` if the file is invalid.
    """
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"the file has more than {MAX_BYTES >> 20} MiB")
    file = _File()
    for line in _lines(path):
        file.take(line)
    parts = ModelData.at_one_node(path.stem)
    names = file.names()
    materials = _materials(path, file.libraries, set(names), parts.remarks)
    parts.parts = file.parts(names, materials, parts.remarks)
    if not parts.parts:
        raise ValueError("the file has no triangles")
    parts.remarks += [
        f"is drawn without its {noun} ({count:,} in the file): only faces are drawn"
        for noun, count in file.ignored.items()
        if count
    ]
    return parts


def _lines(path: Path) -> list[str]:
    """Return the lines of a text file, whose encoding may be unknown.

    A line that ends with a backslash is joined with the next line.
    """
    text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n").replace("\\\n", " ")
    return text.replace("\r", "\n").split("\n")


@dataclass
class _File:
    """The contents of an OBJ file. The method `take` reads one line of the file."""

    places: list[str] = field(default_factory=list)
    uvs: list[str] = field(default_factory=list)
    normals: list[str] = field(default_factory=list)
    faces: list[list[str]] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    uses: list[tuple[int, str]] = field(default_factory=list)
    """Each change of material: the index of the first face with the new material, and the name of
    the material.
    """
    smoothed: list[tuple[int, str]] = field(default_factory=list)
    """Each change of smoothing group: the index of the first face of the new group, and the name of
    the group.
    """
    ignored: dict[str, int] = field(default_factory=lambda: {"lines": 0, "points": 0})
    """The number of ignored elements: lines and points."""

    def take(self, line: str) -> None:
        """Store the content of one line."""
        head, _, values = line.strip().partition(" ")
        match head:
            case "f":
                self.faces.append(
                    self._absolute_corners(values) if "-" in values else values.split()
                )
            case "v":
                self.places.append(values)
            case "vt":
                self.uvs.append(values)
            case "vn":
                self.normals.append(values)
            case "usemtl":
                self.uses.append((len(self.faces), values.strip()))
            case "s":
                self.smoothed.append((len(self.faces), values.strip()))
            case "mtllib":
                self.libraries.append(values.strip())
            case "l":
                self.ignored["lines"] += 1
            case "p":
                self.ignored["points"] += 1

    def _absolute_corners(self, face: str) -> list[str]:
        """Return the corners of a face. Negative indices, which count backwards from the most
        recent value in the file, are converted to indices that count from the first value.
        """
        counts = len(self.places), len(self.uvs), len(self.normals)
        return [
            "/".join(
                str(count + 1 + int(number)) if number.startswith("-") else number
                for number, count in zip(corner.split("/"), counts, strict=False)
            )
            for corner in face.split()
        ]

    def names(self) -> list[str]:
        """Return the names of all materials that faces use.

        The first name is "", the name for faces without a material.

        Raises `ValueError` if the file has too many materials.
        """
        names = list(dict.fromkeys(["", *[name for _, name in self.uses]]))
        if len(names) > MAX_PARTS + 1:
            raise ValueError(f"the file has more than {MAX_PARTS:,} materials; join some")
        return names

    def parts(
        self, names: list[str], materials: dict[str, Material], remarks: list[str]
    ) -> list[Part]:
        """Return one part of the model for each material that faces use.

        If faces use normals or texture coordinates that do not exist, add a message to ``remarks``.
        """
        sizes = np.array([len(face) for face in self.faces], np.intp)
        Budget("vertices and corners of triangles", MAX_CORNERS).spend(
            len(self.places) + 3 * int(sizes.sum())
        )
        positions = _table(self.places, 3, 6, "v")
        uvs = _table(self.uvs, 2, 3, "vt")
        normals = _table(self.normals, 3, 3, "vn")
        values = _Values(positions, uvs, normals)
        texts, corner = _numbered(itertools.chain.from_iterable(self.faces))
        read = _corners(texts, (len(positions), len(uvs), len(normals)), remarks)
        triangles, face = _triangulated(corner, sizes, read[:, 0], positions[:, :3])
        material = self._materials_of_faces(names)[face]
        group = self._groups_of_faces()[face]
        owner = np.where(group > 0, -group, face)
        order = np.argsort(material, kind="stable")
        meshes = _meshes(_Triangles(triangles[order], material[order], owner[order]), read, values)
        # Each model gets a new material, because a game may change the material.
        gray = Material(double_sided=True)
        return [Part(mesh, materials.get(names[row], gray), [0]) for row, mesh in meshes]

    def _materials_of_faces(self, names: list[str]) -> Rows:
        """Return the index of each face's material in ``names``."""
        row = {name: index for index, name in enumerate(names)}
        return _values_at([(at, row[name]) for at, name in self.uses], len(self.faces))

    def _groups_of_faces(self) -> Rows:
        """Return the number of each face's smoothing group, from 1, or 0 for no group."""
        groups = dict.fromkeys(["", "0", "off", *[name for _, name in self.smoothed]])
        numbers = {name: max(index - 2, 0) for index, name in enumerate(groups)}
        return _values_at([(at, numbers[name]) for at, name in self.smoothed], len(self.faces))


class _Values(NamedTuple):
    """The numbers in an OBJ file."""

    positions: Doubles
    """An array (n, 3). If all vertices have colors, the array has the shape (n, 6)."""
    uvs: Doubles
    normals: Doubles


class _Triangles(NamedTuple):
    """The t triangles of all faces, sorted by their materials."""

    corners: Rows
    """The number of each corner in the list of different corners, as an array (t, 3)."""
    materials: Rows
    owners: Rows
    """The index of each triangle's face, or a negative number for its smoothing group if it has
    one.
    """


def _numbered(texts: Iterable[str]) -> tuple[list[str], Rows]:
    """Return the different texts, and for each of ``texts`` its index in the returned list."""
    number: dict[str, int] = {}
    indices = [number.setdefault(text, len(number)) for text in texts]
    return list(number), np.array(indices, np.intp)


def _values_at(changes: list[tuple[int, int]], count: int) -> Rows:
    """Return one value for each of the ``count`` faces. ``changes`` contains pairs: the index of a
    face, and the value for this face and all later faces. Faces before the first pair have the
    value 0.
    """
    values = np.array([0, *[value for _, value in changes]], np.intp)
    at = np.array([0, *[at for at, _ in changes], count], np.intp)
    return np.repeat(values, np.diff(at))


def _table(lines: list[str], min_width: int, max_width: int, keyword: str) -> Doubles:
    """Convert lines to an array of numbers. If every line has ``max_width`` numbers, the array has
    the shape (n, max_width). Otherwise, the array has the shape (n, min_width).
    """
    rows = [line.split() for line in lines]
    shortest = min(map(len, rows), default=min_width)
    longest = max(map(len, rows), default=min_width)
    if shortest < min_width:
        bad = next(line for line, row in zip(lines, rows, strict=True) if len(row) == shortest)
        raise ValueError(f"{keyword}: expected {min_width} numbers, got {shown(bad)}")
    width = max_width if shortest >= max_width else min_width
    if longest > width:
        rows = [row[:width] for row in rows]
    try:
        table = np.array(list(itertools.chain.from_iterable(rows)), np.float64).reshape(-1, width)
    except ValueError as error:
        raise ValueError(f"{keyword}: {error}") from None
    if not np.isfinite(table).all() or (abs(table) > 1e30).any():
        raise ValueError(f"{keyword}: expected finite numbers")
    return table


# For each column of `_corners`: the name of the missing values, and the values that replace them.
_REPLACED = {1: ("texture coordinates", "with (0, 0)"), 2: ("normals", "with computed normals")}


def _corners(texts: list[str], counts: tuple[int, int, int], remarks: list[str]) -> Rows:
    """Convert corners such as "3/1/2" and "3//2" to indices.

    The array has the shape (n, 3). A row contains the indices of position, texture coordinate and
    normal, counted from 0. A missing index is -1. Some programs write indices of normals or texture
    coordinates that do not exist in the file. Such an index becomes -1, and the function adds a
    message about it to ``remarks``. If a position does not exist, raise `ValueError`.
    """
    rows = []
    for text in texts:
        position, *indices = text.split("/")
        uv, normal = (*indices, "", "")[:2]
        rows.append((int(position), int(uv or 0), int(normal or 0)))
    read = np.array(rows, np.intp).reshape(-1, 3) - 1
    missing: Mask = (read >= counts) | (read < -1)
    missing[:, 0] |= read[:, 0] < 0
    if missing[:, 0].any():
        row = int(np.argmax(missing[:, 0]))
        raise ValueError(f"a face has a corner that does not exist: {shown(texts[row])}")
    for column, (noun, replaced) in _REPLACED.items():
        count = int(missing[:, column].sum())
        if count:
            row = int(np.argmax(missing[:, column]))
            remarks.append(
                f"is drawn {replaced} for {count:,} corners of faces, such as {shown(texts[row])} "
                f"({noun} in the file: {counts[column]:,})"
            )
    read[missing] = -1
    return read


# -- triangles -------------------------------------------------------------------------------------


def _triangulated(
    corner: Rows, sizes: Rows, position_of_corner: Rows, positions: Doubles
) -> tuple[Rows, Rows]:
    """Split faces into triangles.

    Return the corners of each triangle, and the index of the face that contains the triangle. The
    two arrays have the shapes (t, 3) and (t,).
    """
    starts = np.cumsum(sizes) - sizes
    triangles = [np.zeros((0, 3), np.intp)]
    faces = [np.zeros(0, np.intp)]
    ears = Budget("corners of faces that are not convex", _MAX_EARS)
    lengths: list[int] = np.unique(sizes[sizes >= 3]).tolist()
    for size in lengths:
        face = np.flatnonzero(sizes == size)
        corners = corner[starts[face][:, None] + np.arange(size)]
        if size > 3:
            cuts = _cuts(positions[position_of_corner[corners]], ears)
            corners = np.take_along_axis(corners[:, None], cuts, axis=2)
        triangles.append(corners.reshape(-1, 3))
        faces.append(np.repeat(face, size - 2))
    joined = np.concatenate(triangles)
    face_of = np.concatenate(faces)
    order = np.argsort(face_of, kind="stable")
    return joined[order], face_of[order]


def _cuts(polygons: Doubles, ears: Budget) -> Rows:
    """Cut m polygons with n corners each into triangles. Return the corners of the triangles, from
    0 to n - 1, as an array (m, n - 2, 3).
    """
    count, size, _ = polygons.shape
    fan = np.array([(0, at, at + 1) for at in range(1, size - 1)])
    cuts = np.repeat(fan[None], count, axis=0)
    for row, inwards in _not_convex(polygons):
        if size == 4:  # start the cut at the corner that points inwards
            cuts[row] = (fan + int(np.argmax(inwards))) % 4
        else:
            ears.spend(size)
            cuts[row] = _ears(polygons[row])
    return cuts


def _turns(polygons: Doubles) -> tuple[Doubles, Doubles]:
    """Return the normal of each polygon, and for each corner a number that is negative if the
    corner turns inwards. The two arrays have the shapes (m, 3) and (m, n). The normals are not
    scaled to length 1.
    """
    after = np.roll(polygons, -1, axis=1) - polygons
    before = polygons - np.roll(polygons, 1, axis=1)
    middle = polygons - polygons[:, :1]
    normal: Doubles = np.cross(middle, np.roll(middle, -1, axis=1)).sum(axis=1)
    turns: Doubles = np.einsum("mnj,mj->mn", np.cross(before, after), normal)
    return normal, turns


def _not_convex(polygons: Doubles) -> list[tuple[int, Mask]]:
    """Return the rows of the polygons that are not convex, and a mask that is True for each corner
    that turns inwards.
    """
    _, turn = _turns(polygons)
    largest: Doubles = np.abs(turn).max(axis=1, keepdims=True)
    inwards = turn < -1e-9 * largest
    rows: list[int] = np.flatnonzero(inwards.any(axis=1)).tolist()
    return [(row, inwards[row]) for row in rows]


def _ears(polygon: Doubles) -> Rows:
    """Split a polygon into triangles with the ear clipping algorithm. The array of triangles has
    the shape (n - 2, 3).

    A corner is an ear if the triangle that it forms with its two neighbors lies inside the polygon.
    """
    flat = _flattened(polygon)
    count = len(polygon)
    before = np.roll(np.arange(count), 1).tolist()
    after = np.roll(np.arange(count), -1).tolist()
    left = np.ones(count, bool)
    is_ear = np.zeros(count, bool)
    is_ear[:] = [
        _is_ear(flat, left, before[corner], corner, after[corner]) for corner in range(count)
    ]
    triangles = []
    for _ in range(count - 3):
        ear = int(np.argmax(is_ear if is_ear.any() else left))
        a = before[ear]
        c = after[ear]
        triangles.append((a, ear, c))
        left[ear] = is_ear[ear] = False
        after[a] = c
        before[c] = a
        for corner in (a, c):  # for all other corners, `is_ear` does not change
            is_ear[corner] = _is_ear(flat, left, before[corner], corner, after[corner])
    return np.array([*triangles, tuple(np.flatnonzero(left).tolist())])


def _flattened(polygon: Doubles) -> Doubles:
    """Project a polygon along the axis that is closest to its normal. The corners of the returned
    polygon (n, 2) are counter-clockwise.
    """
    normal, _ = _turns(polygon[None])
    axis = int(np.argmax(np.abs(normal[0])))
    height: float = normal[0, axis]
    is_mirrored = (height > 0) == (axis == 1)
    return np.delete(polygon, axis, axis=1) * ((-1, 1) if is_mirrored else (1, 1))


def _is_ear(flat: Doubles, left: Mask, a: int, b: int, c: int) -> bool:
    """Return whether the corner b turns outwards and the triangle a, b, c contains no other corner."""
    first: Doubles = flat[a]
    corner: Doubles = flat[b]
    last: Doubles = flat[c]
    turn: float = _side(first, corner, last[None])[0]
    if turn <= 0:
        return False
    remaining = left.copy()
    remaining[[a, b, c]] = False
    points = flat[remaining]
    within = _side(first, corner, points) >= 0
    within &= _side(corner, last, points) >= 0
    within &= _side(last, first, points) >= 0
    return not within.any()


def _side(a: Doubles, b: Doubles, points: Doubles) -> Doubles:
    """Return a number for each point: positive if it lies to the left of the line from ``a`` to
    ``b``, negative to the right.
    """
    x: float = a[0]
    y: float = a[1]
    right: float = b[0] - x
    up: float = b[1] - y
    side: Doubles = right * (points[:, 1] - y) - up * (points[:, 0] - x)
    return side


# -- meshes ----------------------------------------------------------------------------------------


def _meshes(triangles: _Triangles, read: Rows, values: _Values) -> Iterator[tuple[int, Mesh]]:
    """For each material, yield its index and a mesh of all faces that use the material.

    A face without normals is shaded flat, unless the face is in a smoothing group. ``read`` contains
    the indices of each different corner, see `_corners`. The function computes all meshes together,
    because a file may have thousands of small meshes.
    """
    corner = triangles.corners.reshape(-1)
    material_of = np.repeat(triangles.materials, 3)
    shared, sums = _computed_normals(triangles, read[corner, 0], values.positions[:, :3])
    # Corners of one material become one vertex if they have the same indices in the file and, if
    # they have no normal there, share their computed normal.
    shared_or_0 = np.where(read[corner, 2] < 0, 1 + shared, 0)
    keys = (material_of * len(read) + corner) * (len(sums) + 1) + shared_or_0
    first: Rows
    indices: Rows
    _, first, indices = np.unique(keys, return_index=True, return_inverse=True)
    vertices = read[corner[first]]
    positions = values.positions[vertices[:, 0], :3]
    columns = _columns(vertices, sums[shared[first]], values)
    corners_of = indices.astype(np.uint32)
    materials, starts = np.unique(triangles.materials, return_index=True)
    first_corners = [*(3 * starts).tolist(), len(corner)]
    first_vertices = [*np.searchsorted(material_of[first], materials).tolist(), len(first)]
    for material, (start, end), (low, high) in zip(
        materials.tolist(), pairwise(first_corners), pairwise(first_vertices), strict=True
    ):
        mine = slice(low, high)
        own_indices = corners_of[start:end] - np.uint32(low)
        own_columns = {name: column[mine] for name, column in columns.items()}
        yield material, Mesh(positions[mine], own_indices, **own_columns)


def _computed_normals(
    triangles: _Triangles, position_of: Rows, positions: Doubles
) -> tuple[Rows, Doubles]:
    """Compute normals for corners without normals. Return the index of each corner's normal, and
    the normals (k, 3), which are not scaled to length 1. ``position_of`` contains the index of each
    corner's position.

    Corners share a normal if they have the same position, smoothing group and material. Without a
    smoothing group, only the corners of one face share a normal.
    """
    corners = positions[position_of].reshape(-1, 3, 3)
    own = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    owner_of = np.repeat(triangles.owners, 3)
    group_count = 1 - min(int(triangles.owners.min(initial=0)), 0)
    group = np.repeat(triangles.materials, 3) * group_count - owner_of
    shared: Rows
    _, shared = np.unique(
        np.where(owner_of < 0, group * len(positions) + position_of, -1 - owner_of),
        return_inverse=True,
    )
    sums: Doubles = np.stack(
        [np.bincount(shared, np.repeat(own[:, axis], 3)) for axis in range(3)], axis=1
    )
    return shared, sums


def _columns(vertices: Rows, computed_normals: Doubles, values: _Values) -> dict[str, Doubles]:
    """Return the columns of a `Mesh` for v vertices, except the positions. ``vertices`` (v, 3)
    contains their indices of position, texture coordinate and normal.
    """
    position, uv, normal = vertices.T
    normals = computed_normals
    if len(values.normals):
        normals = np.where((normal < 0)[:, None], computed_normals, values.normals[normal])
    columns = {"normals": unit_vectors(normals)}
    if len(values.uvs):
        # In OBJ files, the texture coordinate v is 0 at the bottom of the image and grows upwards.
        columns["uvs"] = np.where((uv >= 0)[:, None], values.uvs[uv, :2] * (1, -1) + (0, 1), 0.0)
    else:
        columns["tangents"] = np.tile((1.0, 0.0, 0.0, 1.0), (len(vertices), 1))
    if values.positions.shape[1] == 6:
        colors = values.positions[:, 3:]
        largest = 255.0 if float(colors.max()) > 1 else 1.0
        opaque = np.ones((len(vertices), 1))
        columns["colors"] = linear(np.concatenate([colors[position] / largest, opaque], axis=1))
    return columns


# -- materials -------------------------------------------------------------------------------------


def _materials(
    path: Path, libraries: list[str], used: Set[str], remarks: list[str]
) -> dict[str, Material]:
    """Return the materials that faces use, by name.

    If a material file is missing, its materials are gray, and a message is added to ``remarks``.
    """
    materials: dict[str, Material] = {}
    read = Budget("files")
    pictures = ModelImages()
    left = Budget("libraries of materials", _MAX_LIBRARIES)
    read_libraries = set()
    for name in dict.fromkeys(libraries):
        left.spend(1)
        try:
            library = beside(path.parent, name, "a library of materials")
        except NoSuchFile as error:
            remarks.append(f"is drawn without its materials: {error}")
            continue
        if library in read_libraries:  # a file may be listed under two names
            continue
        read_libraries.add(library)
        read.spend(library.stat().st_size)
        for material, words in _read_words(_lines(library), used).items():
            if material not in materials:
                materials[material] = _material(words, path.parent, pictures, read)
    return materials


def _read_words(lines: list[str], used: Set[str]) -> dict[str, dict[str, list[str]]]:
    """Return a dict that contains the lines of an MTL file for each material. Each line is split
    into words.
    """
    words_of: dict[str, dict[str, list[str]]] = {}
    now: dict[str, list[str]] = {}
    for line in lines:
        words = line.split()
        if len(words) < 2:
            continue
        if words[0] == "newmtl":
            name = line.split(None, 1)[1].strip()
            now = words_of.setdefault(name, {}) if name in used else {}
        else:
            now[words[0].lower()] = words[1:]
    return words_of


def _material(
    words: dict[str, list[str]], folder: Path, pictures: ModelImages, read: Budget
) -> Material:
    """Convert a Phong material of an MTL file to a `Material`."""
    diffuse = _numbers(words, "kd", (1.0, 1.0, 1.0))
    # The keyword "Tr" is ignored, because it means the opposite in some files.
    (alpha,) = _numbers(words, "d", (1.0,))
    (shine,) = _numbers(words, "ns", (0.0,))
    texture = _texture(words, folder, pictures, read)
    if texture is not None and not any(diffuse):
        diffuse = (1.0, 1.0, 1.0)
    see_through = alpha < 1 or (texture is not None and bool((texture[..., 3] < 255).any()))
    colors = linear(np.array([[*diffuse, 1], [*_numbers(words, "ke", (0.0, 0.0, 0.0)), 1]]))[:, :3]
    (*base,), (red, green, blue) = _rows(colors)
    return Material(
        base_color=(*base, min(max(alpha, 0.0), 1.0)),
        roughness=min(max(math.sqrt(2 / (max(shine, 0.0) + 2)), 0.05), 1.0),
        emissive=(red, green, blue),
        base_texture=texture,
        alpha_mode="blend" if see_through else "opaque",
        double_sided=True,
    )


def _texture(
    words: dict[str, list[str]], folder: Path, pictures: ModelImages, read: Budget
) -> Pixels | None:
    """Return the image of a material, or None if it has none."""
    if "map_kd" not in words:
        return None
    image = beside(folder, _file_name(words["map_kd"]), "a texture")
    read.spend(image.stat().st_size)
    return pictures.read(image.read_bytes(), "a texture")


def _rows(array: Reals) -> list[list[float]]:
    rows: list[list[float]] = array.tolist()
    return rows


def _numbers(
    words: dict[str, list[str]], key: str, default: tuple[float, ...]
) -> tuple[float, ...]:
    try:
        values = tuple(float(word) for word in words.get(key, ())[: len(default)])
    except ValueError:  # some files write a color as "spectral file.rfl" or "xyz …"
        return default
    return values if len(values) == len(default) and all(map(math.isfinite, values)) else default


def _file_name(words: list[str]) -> str:
    """Return the file name of an image from a line of an MTL file. Options such as "-s 2 2 1" may
    come before the name, which may contain spaces.
    """
    words = list(words)
    while len(words) > 1 and words[0].startswith("-"):
        words.pop(0)
        while len(words) > 1 and _is_value(words[0]):
            words.pop(0)
    return " ".join(words)


def _is_value(word: str) -> bool:
    return word in ("on", "off") or word.lstrip("-").replace(".", "", 1).isdigit()
