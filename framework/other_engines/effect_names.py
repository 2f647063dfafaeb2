"""Error messages for users of other engines: Subtick's names for screen effects."""

from __future__ import annotations

from .other_names import other_names, words

effect_list_names = other_names(
    "effects",
    {
        **words("add push", "write scene.effects.append(fw.Bloom())"),
        **words("disable enable", "write scene.effects.remove(effect)"),
    },
)
