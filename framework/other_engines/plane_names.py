"""Error messages for users of other engines: Subtick's names for sprites, shapes and 2D cameras."""

from __future__ import annotations

from .other_names import other_names, words
from .other_options import other_options

camera2_d_names = other_names(
    "camera",
    {
        **words(
            "use begin end activate",
            "write self.add(batch, camera=camera); self.camera draws all other batches",
        ),
        **words("move move_to set_position", "write self.camera.position = (x, y)"),
        **words("look_at", "write self.camera.position = (x, y)"),
        **words(
            "unproject screen_to_world_point mouse_to_world mouse_position world_mouse",
            "write self.camera.screen_to_world(self.mouse.position)",
        ),
        **words("project world_to_viewport", "write self.camera.world_to_screen((x, y))"),
        **words(
            "set_zoom zoom_to zoom_in zoom_out",
            "write self.camera.zoom = 2, or self.tween(self.camera, zoom=2, duration=1)",
        ),
        **words(
            "center_on look follow_sprite track",
            "write self.camera.follow(sprite), or self.camera.position = (x, y)",
        ),
        **words(
            "set_bounds set_limits clamp_to",
            "write fw.Follow(self.camera, sprite, bounds=(0, 0, 2000, 1000))",
        ),
    },
    settings={
        **words("pos center offset target_position", "write self.camera.position = (x, y)"),
        **words("target", "write self.camera.follow(sprite)"),
        **words("scale", "write self.camera.zoom = 2"),
        **words(
            "limits limit_left limit_right limit_top limit_bottom bounds",
            "write fw.Follow(self.camera, sprite, bounds=(0, 0, 2000, 1000))",
        ),
        **words("smooth smoothing smooth_speed", "write self.camera.follow(sprite, smoothing=0.8)"),
        **words(
            "size viewport viewport_width viewport_height width height",
            "write self.size, or self.camera.visible_bounds(self.size)",
        ),
    },
)

shapes_names = other_names(
    "shapes",
    {
        **dict.fromkeys(("add_rectangle", "add_rect", "add_square"), "write shapes.add_box(…)"),
        **dict.fromkeys(
            ("draw_rectangle", "draw_rect", "rect", "box", "rectangle", "square", "add_quad"),
            "write shapes.add_box((x, y), (40, 20)), where (x, y) is the center",
        ),
        "add_triangle": "write shapes.add_polygon([(0, 0), (9, 0), (0, 9)])",
        "add_ring": "write shapes.add_circle(…, stroke=…)",
        "add_point": "write shapes.add_circle(…)",
        **dict.fromkeys(("draw_circle", "circle"), "write shapes.add_circle(…)"),
        **dict.fromkeys(("draw_line", "line"), "write shapes.add_line(…)"),
        **dict.fromkeys(("draw_polygon", "polygon"), "write shapes.add_polygon(…)"),
    },
)

shape_names = other_names(
    "shape",
    {
        **words(
            "set_size resize", "write shape.size = (40, 20), the width and height of the shape"
        ),
    },
    settings={
        "height": "write shape.size = (40, 20), the width and height of the shape",
    },
)

sprite_batch_names = other_names(
    "batch",
    {
        **words(
            "update update_animation", "write batch.move(dt) to move all sprites by their velocity"
        ),
        **words(
            "at sprite_at get_at sprites_at at_point get_sprites_at_point under hit_test "
            "collidepoint pick_at picked contains query_point under_mouse",
            "write batch.pick((x, y)), which returns the sprite in front or None",
        ),
        **words(
            "nearest closest get_nearest find_nearest get_closest_sprite",
            "write distances = np.hypot(*(batch.position - (x, y)).T) and "
            "batch[int(distances.argmin())]",
        ),
        **words(
            "bring_to_front move_to_front send_to_back draw_order sort sort_by reverse swap insert "
            "change_layer set_layer",
            "write sprite.layer = 1 or batch.layer[:] = numbers; sprites of a higher layer are in "
            "front",
        ),
        **words("pop", "write sprite = batch[-1] and sprite.remove()"),
        **words("hide show", "write batch.visible = False, and batch.visible = True"),
        **words(
            "rotate_toward rotate_towards turn_towards angle_to look_at",
            "docs/plane.md shows how to turn a sprite to a target",
        ),
    },
    settings={
        **words("alpha opacity transparency", "write batch.color[:, 3] = 0.5"),
        **words("rotation_degrees", "write batch.angle, in radians"),
        **words("z z_index z_order depth", "write batch.layer"),
        **words("texture textures", "write batch.image, or batch.images"),
        **words("tint modulate", "write batch.color"),
        **words("flip_h flip_x", "write batch.flip[:, 0] = True"),
    },
)

sprite_batch_options = other_options(
    **words(
        "scale position angle color alpha layer visible size center_x",
        "write batch.add(position=(x, y), scale=2) for each sprite, or batch.scale = 2 for all",
    ),
    **words("use_spatial_hash is_static", "a SpriteBatch needs no such option"),
)

_UNDER_MOUSE = (
    "write batch.pick(self.camera.screen_to_world(self.mouse.position)) for the sprite under the "
    "mouse, or sprite.contains(point) for a point of the world"
)

SPRITE_OPTIONS = {
    **words("x y center_x center_y left top", "write position=(x, y)"),
    **words("scale_x scale_y width height", "write scale=(2, 1)"),
    **words("flip_x flip_h", "write flip=(True, False)"),
    **words("angle_degrees degrees", "write angle=math.radians(90)"),
    **words("z z_index depth", "write layer=1"),
    **words("rotation", "write angle=, in radians"),
    **words(
        "change_x change_y dx dy vx vy speed_x speed_y",
        "write velocity=(vx, vy), and make the batch with columns=('velocity',)",
    ),
}
"""Advice for error messages, if the game passes an option of another engine to `SpriteBatch.add`."""

sprite_names = other_names(
    "sprite",
    {
        **words(
            "kill destroy delete queue_free remove_from_sprite_lists despawn",
            "write sprite.remove()",
        ),
        **words("draw blit", "write self.add(batch) once; the scene then draws the batch"),
        **words("hide show", "write sprite.visible = False"),
        **words(
            "move translate forward strafe", "write sprite.x += 2, or sprite.position = (x, y)"
        ),
        **words("set_position setpos goto move_to", "write sprite.position = (x, y)"),
        **words("rotate turn turn_left turn_right", "write sprite.angle += 0.1, in radians"),
        **words(
            "look_at face_point point_towards face point_at angle_to direction_to turn_to "
            "turn_towards rotate_towards rotate_to face_towards aim_at get_angle_to",
            "write sprite.angle = math.atan2(y - sprite.y, x - sprite.x); docs/plane.md also "
            "turns a sprite at a limited speed",
        ),
        **words(
            "move_towards move_toward glide_to slide_to tween_to animate tween",
            "write self.tween(sprite, position=(x, y), duration=0.5)",
        ),
        **words("fade_out fade_in fade fade_to", "write self.tween(sprite, alpha=0, duration=0.5)"),
        **words(
            "blink flash",
            "write self.tween(sprite, color='red', duration=0.1, repeat=2, ping_pong=True)",
        ),
        **words(
            "bring_to_front to_front move_to_front raise_ send_to_back to_back order draw_order",
            "write sprite.layer = 1; sprites of a higher layer are in front",
        ),
        **words(
            "copy clone duplicate",
            "write sprite.batch.add(image=sprite.image, position=sprite.position)",
        ),
        **words("follow_path follow", "docs/plane.md shows how to follow a path"),
        **words(
            "collides_with collides_with_list collides_with_sprite colliderect intersects hits collides overlaps touches touching is_touching "
            "collidesWith check_collision",
            "write collide.overlaps(sprite, batch)",
        ),
        **words(
            "collidepoint collides_with_point hit_test has_point contains_point is_inside "
            "point_inside clicked is_clicked hovered is_hovered mouse_over is_mouse_over under_mouse",
            _UNDER_MOUSE,
        ),
        **words("update update_animation", "write the motion in update(self, dt)"),
        **words("flip_left_right flip_horizontally", "write sprite.flip = (True, False)"),
        **words("set_image set_texture change_image", "write sprite.image = 1, or a path"),
        **words("set_alpha", "write sprite.alpha = 0.5"),
        **words("play_animation set_animation play_clip", "write sprite.play('walk')"),
        **words("add_child attach", "write fw.Nodes2D() for objects that move with a parent"),
        **words(
            "alive is_alive dead exists is_removed is_queued_for_deletion destroyed",
            "write if not sprite.removed; for a value of your own, make the batch with "
            "columns={'alive': True}",
        ),
        **words(
            "distance_to distance get_distance distance_squared_to",
            "write math.dist(sprite.position, other.position)",
        ),
        **words(
            "apply_impulse add_impulse apply_central_impulse apply_linear_impulse",
            "write bodies = physics.add(batch), and bodies.impulse((0, 300), sprite)",
        ),
        **words(
            "apply_force add_force apply_central_force",
            "write bodies = physics.add(batch), and bodies.force[sprite.row] = (0, 300)",
        ),
        "kill_all": "write batch.clear()",
    },
    settings={
        **words("center_x pos_x centerx", "write sprite.x"),
        **words("center_y pos_y centery", "write sprite.y"),
        **words("pos center xy location", "write sprite.position"),
        **words(
            "change_x change_y dx dy vx vy speed_x speed_y",
            "write fw.SpriteBatch(image, columns=('velocity',)) and sprite.velocity = (1, 0)",
        ),
        **words(
            "rotation rotation_degrees angle_degrees heading", "write sprite.angle, in radians"
        ),
        **words("change_angle", "write fw.SpriteBatch(image, columns=('angular_velocity',))"),
        **words("opacity transparency", "write sprite.alpha, from 0 to 1"),
        **words("texture sprite_sheet image_index frame cur_texture", "write sprite.image"),
        **words("scale_x scale_y xscale size", "write sprite.scale = (2, 1)"),
        **words("flip_x flip_h flip_v flip_y flipped", "write sprite.flip = (True, False)"),
        **words("tint colour modulate self_modulate", "write sprite.color"),
        **words("z_index z_order depth z", "write sprite.layer"),
        **words("is_visible hidden shown", "write sprite.visible"),
        **words(
            "left rect get_rect hitbox hit_box bounds aabb topleft bottomleft box bounding_box",
            "write sprite.x - sprite.width / 2",
        ),
        **words(
            "draggable dragging drag",
            "write self.dragged = batch.pick(self.camera.screen_to_world(self.mouse.position)), as "
            "in the example: framework run dragging",
        ),
        **words(
            "text label",
            "draw the text into the image of the sprite, as docs/plane.md shows",
        ),
        **words("speed vel", "write fw.SpriteBatch(image, columns=('velocity',))"),
        **words("radius", "write sprite.width / 2"),
        **words("mask", "write collide.overlaps(sprite, batch)"),
        **words("right", "write sprite.x + sprite.width / 2"),
        **words("top", "write sprite.y + sprite.height / 2"),
        **words("bottom", "write sprite.y - sprite.height / 2"),
        **words("animation anim current_animation", "write sprite.play('walk')"),
        **words("parent", "write fw.Nodes2D() for objects that move with a parent"),
        "on_click": _UNDER_MOUSE,
    },
)
