"""Error messages for users of other engines: Subtick's names for attributes of batches and rows."""

from __future__ import annotations

from .other_names import other_names, words

# Games often store these values in each row. The errors about these names explain how to declare a
# column.
_OWN_VALUES = (
    "hp health max_hp max_health hit_points hitpoints lives life shield armor armour mana energy "
    "damage attack defense strength power level xp score points price worth cost gold ammo fuel "
    "timer time_left cooldown delay countdown age lifetime kind state mood mode phase target owner "
    "team player enemy friend home goal direction facing heading dx dy on_ground jumping "
    "is_dead is_enemy is_player invincible stunned selected"
)

batch_names = other_names(
    "batch",
    {
        **words(
            "draw render_all blit",
            "write self.add(batch) once; the scene then draws the batch in every frame",
        ),
        **words(
            "append push add_sprite add_instance spawn create instantiate",
            "write batch.add(position=(x, y))",
        ),
        **words(
            "kill remove_all empty destroy delete",
            "write batch.clear(), or handle.remove() for one row",
        ),
        **words("index index_of find", "a row has its number: write sprite.row"),
        **words("translate move_by", "write batch.position += (1, 0), or (1, 0, 0) in 3D"),
        **words(
            "raycast hit intersect",
            "write batch.pick(start, direction) or world.pick in 3D, or physics.raycast",
        ),
        **words(
            "receive_shadows receives_shadow",
            "all batches receive shadows: casts_shadow=False is about the shadow of the batch itself",
        ),
        **words(
            "sprites instances children items rows all_sprites get",
            "write for sprite in batch, or batch[0]",
        ),
    },
    settings={
        **words("x center_x", "write batch.position[:, 0]"),
        **words("y center_y", "write batch.position[:, 1]"),
        **words("z", "write batch.position[:, 2]"),
        **words("count length size_of", "write len(batch)"),
        **words("parent", "write fw.Nodes2D() or fw.Nodes3D() for rows that move with a parent"),
        **words("wireframe", "write fw.MeshBatch(mesh, material=fw.Material(wireframe=True))"),
        **words("frustum_culled", "write fw.MeshBatch(mesh, cull=True)"),
        **words("cast_shadows cast_shadow", "write fw.MeshBatch(mesh, casts_shadow=False)"),
        **words(
            "change_x change_y vx vy speed",
            "write fw.SpriteBatch(image, columns=('velocity',)) and batch.velocity",
        ),
    },
    own_values=_OWN_VALUES,
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
    settings={
        **words("vx vy vz", "make the batch with columns=('velocity',) and write handle.velocity"),
    },
    own_values=_OWN_VALUES,
)
