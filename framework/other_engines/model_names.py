"""Error messages for users of other engines: Subtick's names for attributes of models."""

from __future__ import annotations

from .other_names import other_names, words

model_names = other_names(
    "Model",
    {
        **words("load from_file", "write fw.Model('duck.glb')"),
        **words("draw", "write self.add(fw.ModelBatch(model)).add(position=(0, 0, 0))"),
        **words(
            "play", "write self.add(fw.ModelBatch(model)).add(position=(0, 0, 0)).play('walk')"
        ),
    },
    settings={
        **words(
            "position rotation scale",
            "write self.add(fw.ModelBatch(model)).add(position=(0, 0, 0))",
        ),
    },
)
