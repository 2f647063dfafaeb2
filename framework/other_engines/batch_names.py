"""Error messages for names of other engines: all batches and their rows."""

from __future__ import annotations

from .other_names import other_names, words

batch_names = other_names(
    "batch",
    {
        **words(
            "draw render_all blit",
            "write self.add(batch) once; the scene then draws the batch in every frame",
        ),
        **words("append add_sprite spawn create instantiate", "write batch.add(position=(x, y))"),
        **words(
            "kill remove_all empty destroy delete",
            "write batch.clear(), or handle.remove() for one row",
        ),
        **words(
            "sprites children items rows all_sprites", "write for sprite in batch, or batch[0]"
        ),
    },
    settings={
        **words("x center_x", "write batch.position[:, 0]"),
        **words("y center_y", "write batch.position[:, 1]"),
        **words("z", "write batch.position[:, 2]"),
        **words("count length size_of", "write len(batch)"),
        **words(
            "change_x change_y speed",
            "write fw.SpriteBatch(image, columns=('velocity',)) and batch.velocity",
        ),
    },
)

handle_names = other_names(
    "row",
    {
        **words(
            "kill destroy delete queue_free free despawn remove_from_parent",
            "write handle.remove()",
        ),
        **words("hide show", "write handle.visible = False"),
        **words(
            "alive is_alive dead exists is_removed is_queued_for_deletion destroyed",
            "write if not handle.removed",
        ),
        **words(
            "distance_to distance get_distance distance_squared_to",
            "write math.dist(handle.position, other.position)",
        ),
        **words(
            "draw update", "the scene draws and updates batches that were added by self.add(batch)"
        ),
    },
)
