"""Error messages for users of other engines: Subtick's names for attributes of labels."""

from __future__ import annotations

from .other_names import other_names, words

text_batch_names = other_names(
    "labels",
    {
        **words(
            "draw_text draw print write text create add_label add_text",
            "write self.labels.add('Score 0', (16, 16))",
        ),
        **words("clear", "write label.remove() for each label"),
    },
)

label_names = other_names(
    "label",
    {
        **words("set_text update_text", "write label.text = 'Score 1'"),
        **words("hide show", "write label.visible = False"),
        **words("kill destroy delete queue_free", "write label.remove()"),
        **words("draw", "self.labels.add(text, position) draws the label in every frame"),
    },
    settings={
        **words("value string caption content message", "write label.text = 'Score 1'"),
        **words(
            "font font_name bold",
            "a batch has one font: write self.add(fw.TextBatch('title.ttf')).add('Title', (16, 16))",
        ),
        **words("fontsize text_size", "write label.font_size"),
        **words("tint modulate fg", "write label.color"),
        **words("anchor_x anchor_y", "write label.anchor = ('center', 'center')"),
        **words("pos center", "write label.position"),
        **words("opacity", "write label.alpha"),
        **words("rotation", "write label.angle"),
    },
)
