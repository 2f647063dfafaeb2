"""Mesh names of other engines: error messages with Subtick's names for methods of meshes."""

from __future__ import annotations

from .other_names import other_names, words

mesh_names = other_names(
    "Mesh",
    {
        **words("quad square", "write fw.Mesh.plane((2, 2))"),
        **words("ball icosphere uv_sphere", "write fw.Mesh.sphere(0.5)"),
        **words("grid terrain ground floor", "write fw.Mesh.plane((20, 20)), or fw.Heightfield"),
        **words("load from_file from_obj", "write fw.Model('model.glb'), and fw.ModelBatch(model)"),
        **words("pyramid", "write fw.Mesh.cone(0.5, 1.0)"),
    },
)
