"""Physics names of other engines: error messages with Subtick's names for worlds, bodies and
joints."""

from __future__ import annotations

from .other_names import other_names, words
from .other_options import other_options

bodies_names = other_names(
    "bodies",
    {
        **words(
            "add_impulse apply_impulse apply_central_impulse apply_impulse_at_local_point apply_linear_impulse",
            "write bodies.impulse((0, 300)), or bodies.impulse((0, 300), sprite) for one row",
        ),
        **words(
            "add_force apply_force apply_central_force",
            "write bodies.force[:] = (0, 300), which acts until it is set again",
        ),
        **words("add_torque apply_torque", "write bodies.torque"),
        **words(
            "is_on_floor is_on_ground is_grounded",
            "write physics.staying('ball', 'ground'), with layers from physics.add(batch, layer='ball')",
        ),
        **words("set_velocity", "write bodies.velocity[:] = (0, 300)"),
        **words("is_sleeping", "write bodies.sleeping"),
    },
    settings={
        **words(
            "grounded on_floor on_ground",
            "write physics.staying('ball', 'ground'), with layers from physics.add(batch, layer='ball')",
        ),
        **words("linear_velocity", "write bodies.velocity"),
        **words(
            "mass restitution elasticity friction density bounce bounciness",
            "write physics.add(batch, mass=1, friction=0.7, elasticity=0.5)",
        ),
        **words("fixed_rotation freeze_rotation", "write physics.add(batch, fixed_rotation=True)"),
        **words("position angle rotation", "the batch has the positions: write batch.position"),
        **words(
            "use_gravity is_kinematic kinematic kind static",
            "write physics.add(batch, kind='kinematic')",
        ),
        **words(
            "on_collision on_hit",
            "write for a, b in physics.entered('crate', 'ground'), with layers from "
            "physics.add(batch, layer='crate')",
        ),
        **words("linear_damping drag", "write bodies.damping = 0.5"),
    },
)

_DAMPING = "write bodies.damping = 0.5, where bodies = physics.add(batch)"

_BODY_OPTIONS = {
    **words("kinematic is_kinematic", "write physics.add(batch, kind='kinematic')"),
    **words("static is_static", "write physics.add(batch, kind='static')"),
    **words("dynamic body_type type", "kind= is 'dynamic', 'static' or 'kinematic'"),
    **words("drag", _DAMPING),
    **words("max_velocity velocity", "write bodies.velocity, where bodies = physics.add(batch)"),
}

body_options_2d = other_options(
    **_BODY_OPTIONS,
    **words("damping", _DAMPING),
    **words("gravity gravity_scale", "write fw.Physics2D(self, gravity=(0, -900))"),
)

body_options_3d = other_options(
    **_BODY_OPTIONS,
    **words("gravity", "write fw.Physics3D(self, gravity=(0, -9.8, 0))"),
)

wall_options_2d = other_options(
    **words(
        "position size width height shape batch sprite",
        "tiles is a grid of tiles: write physics.add(batch, kind='static') for sprites, or "
        "physics.add_line([(0, 0), (800, 0)])",
    ),
    _="write physics.add_static(level['ground']), or physics.add(batch, kind='static')",
)

physics2_d_names = other_names(
    "physics",
    {
        **words(
            "step update simulate",
            "nothing to call: fw.Physics2D(self) steps in every tick of the scene",
        ),
        **words(
            "add_sprite add_sprite_list add_body add_rigid_body add_object create_body",
            "write bodies = physics.add(batch)",
        ),
        **words(
            "add_box add_circle add_sphere add_static_body",
            "write physics.add(batch, shape='circle')",
        ),
        **words("add_wall add_ground add_floor", "write physics.add_static(level['ground'])"),
        **words(
            "on_collision add_collision_handler on_collide collisions get_contacts on_collision_enter",
            "write for a, b in physics.entered('crate', 'ground'), with layers from physics.add(batch, layer='crate')",
        ),
        **words(
            "is_on_ground is_grounded grounded is_on_floor can_jump",
            "write physics.staying('ball', 'ground'), with layers from physics.add(batch, layer='ball')",
        ),
        **words(
            "apply_impulse apply_force add_force set_velocity get_velocity",
            "write bodies = physics.add(batch), and bodies.impulse((0, -900))",
        ),
        **words("set_gravity", "write physics.gravity = (0, -900)"),
        **words("cast_ray ray_cast intersect_ray", "write physics.raycast(start, displacement)"),
        **words("overlap_point query", "write physics.query_point((x, y))"),
        **words(
            "overlap_circle overlap_sphere overlap_box overlap_shape shape_query intersect_shape",
            "write physics.query_shape('circle', (x, y), radius=5)",
        ),
        **words(
            "cast_shape shape_cast circle_cast sphere_cast box_cast cast_motion sweep",
            "write physics.shapecast('circle', start, displacement, radius=5)",
        ),
        **words("remove_sprite remove_body", "write physics.remove(bodies), or sprite.remove()"),
        **words("draw debug_draw", "write physics.debug_lines()"),
        **words(
            "hinge add_hinge hinge_joint add_pivot revolute revolute_joint pin_joint add_joint",
            "write physics.pivot(sprite, None, (x, y)), which turns about the point (x, y)",
        ),
        **words("add_motor", "write physics.motor(first, second, speed)"),
        **words("slider add_slider add_groove prismatic", "write physics.groove(…)"),
        **words("add_rope distance_joint", "write physics.rope(first, second, max_length=300)"),
        **words("add_spring damped_spring", "write physics.spring(…)"),
        **words(
            "add_sensor add_trigger add_area sensor trigger create_sensor",
            "write physics.add(batch, kind='static', sensor=True)",
        ),
        **words("point_query query_at", "write physics.query_point((x, y))"),
        **words(
            "add_static_box static_box add_platform add_rectangle",
            "write physics.add(batch, kind='static'), with a sprite for each box",
        ),
        **words("add_segment segment add_edge", "write physics.add_line([(0, 0), (800, 0)])"),
    },
    settings={
        **words(
            "debug show_shapes debug_enabled visible",
            "write starts_and_ends, colors = physics.debug_lines(), and draw these lines",
        ),
        **words("iterations substeps rate", "write fw.Physics2D(self, iterations=8, substeps=2)"),
        **words("timestep dt", "write fw.Physics2D(self, rate=120), the steps per second"),
        **words(
            "paused speed time_scale",
            "write group = self.schedule.group(0.5) and fw.Physics2D(self, group=group)",
        ),
    },
)

physics3_d_names = other_names(
    "physics",
    {
        **words(
            "step update simulate",
            "nothing to call: fw.Physics3D(self) steps in every tick of the scene",
        ),
        **words(
            "add_sprite add_sprite_list add_body add_rigid_body add_object create_body",
            "write bodies = physics.add(batch)",
        ),
        **words(
            "add_box add_circle add_sphere add_static_body",
            "write physics.add(batch, shape='ball')",
        ),
        **words("add_wall add_ground", "write physics.add_static(mesh), or physics.add_floor()"),
        **words(
            "on_collision add_collision_handler on_collide collisions get_contacts on_collision_enter",
            "write for a, b in physics.entered('crate', 'ground'), with layers from physics.add(batch, layer='crate')",
        ),
        **words(
            "is_on_ground is_grounded grounded is_on_floor can_jump",
            "write physics.staying('ball', 'ground'), with layers from physics.add(batch, layer='ball')",
        ),
        **words(
            "apply_impulse apply_force add_force set_velocity get_velocity",
            "write bodies = physics.add(batch), and bodies.impulse((0, -9.8, 0))",
        ),
        **words("set_gravity", "write physics.gravity = (0, -9.8, 0)"),
        **words("cast_ray ray_cast intersect_ray", "write physics.raycast(start, displacement)"),
        **words("overlap_point query", "write physics.query_point((x, y, z))"),
        **words(
            "overlap_circle overlap_sphere overlap_box overlap_shape shape_query intersect_shape",
            "write physics.query_shape('ball', (x, y, z), radius=5)",
        ),
        **words(
            "cast_shape shape_cast circle_cast sphere_cast box_cast cast_motion sweep",
            "write physics.shapecast('ball', start, displacement, radius=5)",
        ),
        **words("remove_sprite remove_body", "write physics.remove(bodies), or sprite.remove()"),
        **words("draw debug_draw", "write physics.debug_lines()"),
        **words("add_hinge hinge_joint revolute pivot", "write physics.hinge(…)"),
        **words("add_rope distance_joint", "write physics.rope(…)"),
        **words("add_spring", "write physics.spring(…)"),
        **words(
            "add_sensor add_trigger add_area sensor trigger create_sensor",
            "write physics.add(batch, kind='static', sensor=True)",
        ),
        **words("point_query query_at", "write physics.query_point((x, y, z))"),
    },
    settings={
        **words(
            "debug show_shapes debug_enabled visible",
            "write starts_and_ends, colors = physics.debug_lines(), and draw these lines",
        ),
        **words("iterations substeps rate", "write fw.Physics3D(self, substeps=2)"),
        **words("timestep dt", "write fw.Physics3D(self, rate=120), the steps per second"),
        **words(
            "paused speed time_scale",
            "write group = self.schedule.group(0.5) and fw.Physics3D(self, group=group)",
        ),
    },
)

joint_names = other_names(
    "joint",
    {
        **words("set_motor", "write physics.motor(first, second, speed)"),
        **words("destroy kill delete", "write joint.remove()"),
    },
    settings={
        **words(
            "motor_speed motor speed motor_enabled use_motor motor_target_velocity",
            "write motor = physics.motor(first, second, speed), and motor.drive(speed)",
        ),
        **words(
            "min max min_angle max_angle upper_angle lower_angle", "write physics.turn_limit(…)"
        ),
        **words(
            "max_force break_force stiffness damping length max_length",
            "an option of the call "
            "that makes the joint, which does not change later: remove the joint and make another",
        ),
        **words("collide_bodies enable_collision", "write physics.pivot(…, bump=True)"),
    },
)
