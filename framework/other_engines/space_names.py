"""Error messages for users of other engines: Subtick's names for 3D worlds, cameras and lights."""

from __future__ import annotations

from .other_names import other_names, words
from .other_options import other_options

camera3_d_names = other_names(
    "camera",
    {
        **words("lookat lookAt", "write camera.look_at((0, 0, 0))"),
        **words("use begin end activate", "self.world draws its batches with self.world.camera"),
        **words(
            "unproject screen_to_world screen_point_to_ray project_ray_normal ray_from_mouse mouse_ray",
            "write origin, direction = camera.screen_ray(self.mouse.position)",
        ),
        **words("project unproject_position", "write camera.world_to_screen((0, 0, 0))"),
        **words(
            "move translate set_position", "write camera.position = camera.position + (0, 1, 0)"
        ),
        **words(
            "rotate turn orbit",
            "write fw.Orbit(self.world.camera, distance=10), and orbit.turn(0.1, 0)",
        ),
        **words("make_current", "write self.views.add(camera, (0, 0, 1, 1))"),
        **words("projection_matrix", "write camera.projection(alpha)"),
        **words("follow", "write fw.Follow(self.world.camera, instance, offset=(0, 4, 10))"),
    },
    settings={
        **words("x y z pos eye", "write camera.position = (0, 4, 10)"),
        **words("target", "write camera.look_at((0, 0, 0))"),
        **words("back backward", "write -camera.forward"),
        **words("left", "write -camera.right"),
        **words("direction", "write camera.forward"),
        **words("roll", "write camera.rotation = quaternions.from_axis((0, 0, 1), angle)"),
        **words("parent", "write fw.Follow(self.world.camera, instance, offset=(0, 4, 10))"),
        **words(
            "background clear_color", "write game.background = '#123', or self.world.sky = True"
        ),
        **words("aspect aspect_ratio", "the window has it: write self.width / self.height"),
        **words("viewport", "write self.views.add(camera, (0, 0, 0.5, 1))"),
        **words(
            "pitch yaw",
            "write fw.Orbit(self.world.camera, distance=10), or fw.Fly(self.world.camera)",
        ),
        **words("transform", "write camera.position and camera.rotation"),
        **words("field_of_view fovy fov_y", "write camera.fov"),
        **words(
            "orthographic projection_type is_orthographic orthographic_size",
            "write camera.ortho_height = 10",
        ),
        **words("zoom", "write camera.fov, or fw.Orbit(self.world.camera, distance=10).distance"),
        **words(
            "rotation_x rotation_y rotation_z euler_angles",
            "write camera.look_at((0, 0, 0)), or camera.rotation = quaternions.from_axis((0, 1, 0), angle)",
        ),
        **words("clip_plane_near near_clip near_plane clip_near z_near", "write camera.near"),
        **words("clip_plane_far far_clip far_plane clip_far z_far", "write camera.far"),
    },
)

lights_names = other_names(
    "lights",
    {
        **words(
            "point add_point point_light spot add_spot directional",
            "write self.world.lights.add((0, 3, 0), intensity=5)",
        ),
    },
)

light3_d_names = other_names(
    "light",
    {
        **words("look_at lookat", "write light.direction = (0, -1, 0), which makes a spot light"),
    },
    settings={
        **words("x y z pos", "write light.position = (0, 3, 0)"),
        **words("target", "write light.direction = (0, -1, 0)"),
        **words("power", "write light.intensity"),
        **words("decay", "write light.range"),
        **words("penumbra", "write light.softness"),
        **words("type kind", "a light with a direction is a spot light: write light.direction"),
        **words("enabled visible on is_on active", "write light.intensity = 0, or light.remove()"),
        **words("energy brightness strength", "write light.intensity"),
        **words("radius distance attenuation", "write light.range"),
        **words(
            "shadows shadow cast_shadow cast_shadows casts_shadow shadow_enabled",
            "only the sun has shadows: write self.world.shadows = True",
        ),
        **words("cone spot_angle", "write light.angle, in radians"),
    },
)

instance_names = other_names(
    "instance",
    {
        **words("kill destroy delete queue_free despawn disable", "write instance.remove()"),
        **words(
            "rotate turn rotate_y",
            "write turn = quaternions.from_axis((0, 1, 0), angle), and "
            "instance.rotation = quaternions.multiply(turn, instance.rotation)",
        ),
        **words(
            "translate move set_position global_translate", "write instance.position = (x, y, z)"
        ),
        **words("jump_to warp", "write instance.teleport((x, y, z))"),
        **words(
            "intersects collide collides collides_with",
            "write math.dist(instance.position, other.position) < 1, or physics.entered('hero', 'coin')",
        ),
        **words(
            "animate animate_position animate_scale tween fade_out fade_in",
            "write self.tween(instance, x=4, duration=1)",
        ),
        **words(
            "look_at lookat lookAt",
            "write instance.rotation = quaternions.look_rotation((0, 0, -1)), with a direction",
        ),
        **words("hide show", "write instance.visible = False"),
        **words(
            "add_force add_impulse apply_impulse apply_force apply_central_impulse",
            "bodies.impulse(…) and bodies.force act on bodies, where bodies = physics.add(batch)",
        ),
    },
    settings={
        **words(
            "pos world_position location origin global_position local_position",
            "write instance.position",
        ),
        **words("quaternion orientation global_rotation", "write instance.rotation"),
        **words("enabled active shown", "write instance.visible = False"),
        **words(
            "alpha opacity transparency",
            "write instance.color = (1, 0, 0, 0.5), where 0.5 is alpha",
        ),
        **words("uniform_scale", "write instance.scale = 2"),
        **words("index", "write instance.row"),
        **words("body collider", "write bodies = physics.add(batch)"),
        **words("mass", "write physics.add(batch, mass=1)"),
        **words(
            "angle yaw heading rotation_x rotation_y rotation_z euler_angles eulerAngles rotation_degrees",
            "write instance.rotation = quaternions.from_axis(axis, angle)",
        ),
        **words(
            "forward up right back direction",
            "write quaternions.rotate(instance.rotation, (0, 0, -1)), which is the forward direction",
        ),
        **words("transform", "write instance.position, instance.rotation and instance.scale"),
        **words("texture material model mesh", "all instances have batch.material"),
        **words("tint colour modulate", "write instance.color"),
        **words("scale_x scale_y scale_z localScale", "write instance.scale = (2, 1, 1)"),
        "parent": "write fw.Nodes3D() for objects that move with a parent",
    },
)

world_names = other_names(
    "world",
    {
        **words(
            "add_cube add_sphere add_box add_plane add_mesh add_model add_entity",
            "write batch = self.add(fw.MeshBatch(fw.Mesh.box())) and batch.add(position=(x, y, z))",
        ),
        **words("add_light create_light", "write self.world.lights.add((0, 3, 0), intensity=5)"),
        **words(
            "raycast intersect hovered_entity mouse_hit",
            "write world.pick(start, direction), or physics.raycast(start, displacement)",
        ),
        **words("spawn", "write self.add(batch)"),
        **words(
            "add_text text label add_label",
            "text is drawn on the screen: write label = self.labels.add('Start', (16, 16)), and in "
            "draw label.position = self.world.camera.world_to_screen((x, y, z))",
        ),
    },
    settings={
        **words(
            "ambient ambient_light ambient_color",
            "write self.world.sky_color and self.world.ground_color",
        ),
        **words(
            "light sun directional_light light_direction",
            "write self.world.sun_direction = (1, 2, 1), toward the sun, and self.world.sun_color",
        ),
        **words(
            "skybox background environment",
            "write self.world.sky = True, or game.background = '#123'",
        ),
        **words("shadow_map cast_shadows", "write self.world.shadows = True"),
        **words(
            "sky_texture sky_image sky_box skybox_texture panorama",
            "a sky has no image: write self.world.sky = True, and sky_color and ground_color",
        ),
        **words(
            "wireframe", "a material has it: write fw.MeshBatch(mesh, fw.Material(wireframe=True))"
        ),
        **words("shadow_distance", "write self.world.shadows = fw.Shadows(distance=40)"),
        **words("gravity", "write fw.Physics3D(self, gravity=(0, -9.8, 0))"),
        **words(
            "sun_intensity sun_brightness sun_energy",
            "the color has the brightness: write self.world.sun_color = (2, 2, 2)",
        ),
        **words("fog_density fog_distance fog_start fog_end", "write self.world.fog = 0.02"),
        **words("bloom", "write self.effects = [fw.Bloom()]"),
        **words("tonemap tonemapping tone_mapping", "write self.world.exposure"),
        **words("physics", "write self.physics = fw.Physics3D(self)"),
        **words("entities objects meshes children", "keep batches in attributes of the game"),
    },
)

hit_names = other_names(
    "hit",
    {
        **words("position location world_point pos", "write hit.point"),
        **words("entity object node collider hit_object", "write hit.instance"),
        **words("row", "write hit.instance.row"),
        **words("fraction", "write hit.distance"),
        **words(
            "color scale rotation visible play playing animation teleport removed",
            "write hit.instance, and then the attribute",
        ),
    },
)

node_names = other_names(
    "node",
    {
        **words("add add_child attach", "write nodes.add(node), where node is the parent"),
        **words(
            "rotate look_at",
            "write node.angle += 0.1, or in 3D "
            "node.rotation = quaternions.from_axis((0, 1, 0), angle)",
        ),
    },
    settings={
        **words("visible", "the instance or sprite that is drawn at the node has it"),
        **words("local_position", "write node.position"),
        **words("global_position world_position", "write node.drawn_position(1)"),
    },
)

billboards_names = other_names(
    "billboards",
    {
        **words("add spawn append", "write billboards.extend(1, position=(x, y, z), size=0.5)"),
    },
    settings={
        **words("scale", "write billboards.size"),
        **words("texture sprite", "write fw.Billboards('smoke.png')"),
        **words("lit soft", "write fw.Billboards(lit=True, soft=0.5)"),
        **words("rotation", "write billboards.angle"),
    },
)

lines_names = other_names(
    "lines",
    {
        **words(
            "line draw_line draw ray add_line", "write lines.add((0, 0, 0), (1, 2, 3), color='red')"
        ),
        **words("draw_box", "write lines.box((-1, 0, -1), (1, 2, 1))"),
        **words("arrow", "write lines.axes((0, 0, 0))"),
        **words("circle", "write lines.sphere((0, 0, 0), 1)"),
    },
    settings={
        **words("color", "write lines.add(start, end, color='red')"),
        **words("width thickness", "write lines.add(start, end, width=2)"),
    },
)

model_instance_names = other_names(
    "copy",
    {
        **words(
            "stop set_animation crossfade cross_fade blend fade play_animation",
            "write copy.play('walk'), or copy.play(None) for the rest pose",
        ),
        **words("get_node find bone get_bone", "write copy.node('Head')"),
        **words(
            "look_at lookat",
            "write copy.rotation = quaternions.look_rotation((0, 0, -1)), with a direction",
        ),
        **words(
            "rotate rotate_y",
            "write turn = quaternions.from_axis((0, 1, 0), angle), and "
            "copy.rotation = quaternions.multiply(turn, copy.rotation)",
        ),
    },
    settings={
        **words("animation current_animation", "write copy.playing"),
        **words("animations", "write batch.model.animations"),
        **words("speed loop", "write copy.play('walk', speed=2, loop=True)"),
        **words("nodes bones skeleton", "write batch.model.node_names, or copy.node('Head')"),
        **words("forward", "write quaternions.rotate(copy.rotation, (0, 0, -1))"),
    },
)

_TEXTURE_SCALE = "write fw.Material(base_texture=fw.Texture(image, scale=(4, 4)))"

material_options = other_options(
    **words("scale tiling texture_scale uv_scale repeat uv1_scale", _TEXTURE_SCALE),
    **words("filter wrap", "write fw.Material(base_texture=fw.Texture(image, filter='nearest'))"),
    **words("alpha opacity transparent", "write fw.Material((1, 1, 1, 0.5), alpha_mode='blend')"),
)

material_names = other_names(
    "material",
    {},
    settings={
        **words("albedo color diffuse tint", "write material.base_color"),
        **words("albedo_texture map diffuse_map texture", "write material.base_texture"),
        **words("metalness reflectivity", "write material.metallic"),
        **words("shininess specular smoothness", "write material.roughness"),
        **words("emission", "write material.emissive"),
        **words("normal_map", "write material.normal_texture"),
        **words("transparent opacity alpha", "write material.alpha_mode = 'blend'"),
        **words("shadeless unshaded", "write material.unlit = True"),
        **words("cull side cull_mode", "write material.double_sided = True"),
        **words(
            "uv_scale texture_scale uv1_scale tiling",
            _TEXTURE_SCALE,
        ),
    },
)

heightfield_names = other_names(
    "heightfield",
    {
        **words(
            "get_height height sample height_of", "write heightfield.height_at([(x, 0, z)])[0]"
        ),
        **words("normal get_normal", "write heightfield.normal_at([(x, 0, z)])[0]"),
        **words("raycast", "write heightfield.ray(start, direction)"),
    },
    settings={**words("width depth", "write heightfield.size")},
)
