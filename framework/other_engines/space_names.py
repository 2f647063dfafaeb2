"""3D names of other engines: error messages with Subtick's names for worlds, cameras and lights."""

from __future__ import annotations

from .other_names import other_names, words

camera3_d_names = other_names(
    "camera",
    {
        **words("lookat lookAt", "write camera.look_at((0, 0, 0))"),
        **words("use begin end activate", "self.world draws its batches with self.world.camera"),
        **words(
            "unproject screen_to_world screen_point_to_ray",
            "write origin, direction = camera.screen_ray(self.mouse.position)",
        ),
        **words("project", "write camera.world_to_screen((0, 0, 0))"),
        **words("follow", "write fw.Follow(self.world.camera, instance, offset=(0, 4, 10))"),
    },
    settings={
        **words("x y z pos", "write camera.position = (0, 4, 10)"),
        **words("target", "write camera.look_at((0, 0, 0))"),
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
        **words("clip_plane_near near_clip", "write camera.near"),
        **words("clip_plane_far far_clip", "write camera.far"),
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
    {},
    settings={
        **words("enabled visible on is_on active", "write light.intensity = 0, or light.remove()"),
        **words("energy brightness strength", "write light.intensity"),
        **words("radius distance attenuation", "write light.range"),
        **words(
            "shadows cast_shadows", "only the sun has shadows: write self.world.shadows = True"
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
        **words("translate move", "write instance.position = (x, y, z)"),
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
        **words("pos world_position location origin", "write instance.position"),
        **words(
            "angle rotation_x rotation_y rotation_z euler_angles eulerAngles rotation_degrees",
            "write instance.rotation = quaternions.from_axis(axis, angle)",
        ),
        **words(
            "forward up right",
            "write quaternions.rotate(instance.rotation, (0, 0, -1)), which is the forward direction",
        ),
        **words("transform", "write instance.position, instance.rotation and instance.scale"),
        **words("texture material model", "all instances have batch.material"),
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
        **words("fog_density", "write self.world.fog = 0.02"),
    },
)
