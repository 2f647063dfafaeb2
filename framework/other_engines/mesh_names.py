"""Error messages for users of other engines: Subtick's names for methods of meshes."""

from __future__ import annotations

from .other_names import other_names, words

mesh_names = other_names(
    "Mesh",
    {
        **words("quad square", "write fw.Mesh.plane((2, 2))"),
        **words("ball icosphere uv_sphere", "write fw.Mesh.sphere(0.5)"),
        **words("grid terrain ground floor", "write fw.Mesh.plane((20, 20)), or fw.Heightfield"),
        **words("load from_file from_obj", "write fw.Model('model.glb'), and fw.ModelBatch(model)"),
        **words("ring donut", "write fw.Mesh.torus()"),
        **words("disc disk circle tube", "write fw.Mesh.cylinder(0.5, 0.05)"),
        **words(
            "prism wedge ramp tetrahedron octahedron icosahedron star gem",
            "write fw.Mesh(positions, indices), fw.Mesh.cone(0.5, 1.0, 4), or fw.Model('gem.obj')",
        ),
        **words(
            "translate rotate scale move", "write mesh.transformed((0, 1, 0), rotation, scale)"
        ),
        **words("merge combine join concat", "write fw.Mesh.merged(first, second)"),
        **words(
            "compute_normals recalculate_normals smooth flat_shaded",
            "write mesh.flat(), or leave out normals",
        ),
        **words("vertex_count", "write len(mesh.positions)"),
        **words("faces triangles", "write mesh.indices"),
        **words("verts", "write mesh.positions"),
        **words("aabb bounding_box size", "write mesh.bounds"),
        **words("set_color", "write mesh.with_color('red')"),
        **words("pyramid", "write fw.Mesh.cone(0.5, 1.0)"),
    },
)
