"""Error messages for users of other engines: Subtick's names for worlds, bodies and joints."""

from __future__ import annotations

from .other_names import other_names, words
from .other_options import other_options

bodies_names = other_names(
    "bodies",
    {
        **words(
            "add_impulse apply_impulse apply_central_impulse apply_impulse_at_local_point apply_linear_impulse",
            "write bodies.impulse((0, 300)), or bodies.impulse((0, 300), sprite) for one row, and "
            "in 3D bodies.impulse((0, 300, 0))",
        ),
        **words(
            "add_force apply_force apply_central_force",
            "write bodies.force[:] = (0, 300), or (0, 300, 0) in 3D, which acts until it is set again",
        ),
        **words("add_torque apply_torque", "write bodies.torque"),
        **words(
            "is_on_floor is_on_ground is_grounded",
            "write physics.staying('ball', 'ground'), with layers from physics.add(batch, layer='ball')",
        ),
        **words("set_velocity", "write bodies.velocity[:] = (0, 300)"),
        **words("is_sleeping", "write bodies.sleeping"),
        **words("wake_up", "write bodies.wake()"),
        **words("sleep", "bodies at rest fall asleep by themselves: write bodies.velocity[:] = 0"),
        **words("disable remove destroy", "write physics.remove(bodies), or instance.remove()"),
        **words(
            "teleport move_position", "write batch.teleport(), or instance.teleport((x, y, z))"
        ),
        **words(
            "contacts collisions touching collide colliding_bodies",
            "write physics.staying('ball', 'ground'), with layers from physics.add(batch, layer='ball')",
        ),
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
            "use_gravity is_kinematic kinematic kind static type body_type freeze",
            "write physics.add(batch, kind='kinematic')",
        ),
        **words(
            "lock_rotation constraints",
            "write physics.add(batch, fixed_rotation=True), or in 3D locked='rx ry rz'",
        ),
        **words(
            "collision_layer collision_mask layer mask",
            "write physics.add(batch, layer='enemy', hits=['player'])",
        ),
        **words("sensor is_trigger trigger", "write physics.add(batch, sensor=True)"),
        **words(
            "shape collider radius",
            "write physics.add(batch, shape='circle'), or shape='ball' in 3D",
        ),
        **words("speed", "write np.linalg.norm(bodies.velocity, axis=1)"),
        **words(
            "on_collision on_hit",
            "write for a, b in physics.entered('crate', 'ground'), with layers from "
            "physics.add(batch, layer='crate')",
        ),
        **words("linear_damping drag", "write bodies.damping = 0.5"),
    },
)

_WALK = (
    "the game has the velocity: write velocity[1] -= 10 * dt, and in each tick "
    "character.move(velocity * dt, dt)"
)

_WALKER_OPTIONS = "write physics.character(instance, step=0.4, slope=0.8)"

character_names = other_names(
    "character",
    {
        **words("move_and_slide slide simple_move walk", "write character.move(velocity * dt, dt)"),
        **words(
            "is_on_floor is_on_ground is_grounded isGrounded", "write character.on_floor, a bool"
        ),
        **words("is_on_wall", "write character.on_wall, a bool"),
        **words("is_on_ceiling", "write character.on_ceiling, a bool"),
        **words("jump add_force add_impulse apply_impulse push", _WALK),
        **words(
            "get_slide_collision collisions get_last_slide_collision touching contacts",
            "write character.floor_body, or physics.entered('hero', 'crate') with layers",
        ),
        **words("remove destroy queue_free", "write physics.remove(bodies), or instance.remove()"),
        **words("teleport", "write instance.teleport((x, y, z))"),
        **words("get_platform_velocity", "write character.floor_velocity"),
        **words("get_floor_normal", "write character.floor_normal"),
    },
    settings={
        **words("grounded on_ground", "write character.on_floor, a bool"),
        **words("velocity speed gravity jump_speed jump_height motion", _WALK),
        **words(
            "step step_height step_offset stepOffset slope slope_limit slopeLimit max_slope "
            "max_slope_angle floor_max_angle snap gap",
            _WALKER_OPTIONS,
        ),
        **words("position pos x y z rotation", "write instance.position: the batch has it"),
        **words(
            "height radius shape collider",
            "write physics.add(instance, shape='capsule', radius=0.3, kind='kinematic')",
        ),
        **words("mass", "write physics.character(instance, mass=80)"),
        **words("platform_velocity", "write character.floor_velocity"),
    },
)

move_options = other_options(_="write character.move(velocity * dt, dt)")

_WHEEL_OPTIONS = "write physics.vehicle(instance, wheels, stiffness=30, grip=1.6)"

vehicle_names = other_names(
    "vehicle",
    {
        **words("accelerate apply_engine_force", "write vehicle.drive(force), in each tick"),
        **words("reset flip", "write instance.rotation = (0, 0, 0, 1), and bodies.velocity[:] = 0"),
        **words(
            "is_on_ground is_grounded contacts",
            "write physics.raycast(instance.position, (0, -1, 0), exclude=instance)",
        ),
        **words("wheel get_wheel", "write positions, rotations = vehicle.poses()"),
        **words("remove destroy", "write instance.remove()"),
    },
    settings={
        **words(
            "throttle engine_force motor_torque engine_power motor",
            "write vehicle.drive(force), in each tick",
        ),
        **words("steering steer_angle", "write vehicle.steer(0.4), in radians"),
        **words("handbrake brake_force braking", "write vehicle.brake(force), in each tick"),
        **words("velocity", "write bodies.velocity, where bodies = physics.add(batch)"),
        **words("position rotation", "write instance.position: the batch has it"),
        **words("mass", "write physics.add(batch, mass=1200)"),
        **words("grip friction suspension stiffness damping travel", _WHEEL_OPTIONS),
        **words(
            "max_speed top_speed", "write vehicle.drive(force * max(0, 1 - vehicle.speed / 30))"
        ),
        **words("wheel_count", "write vehicle.wheels, the number of wheels"),
        **words(
            "on_floor on_ground grounded",
            "write physics.raycast(instance.position, (0, -1, 0), exclude=instance)",
        ),
    },
)

_JOINT_MOTOR = "write joint.drive(speed, strength), for a hinge or a slider"

joint3_d_names = other_names(
    "joint",
    {**words("set_motor", _JOINT_MOTOR)},
    settings={
        **words(
            "motor_speed motor speed motor_enabled use_motor motor_target_velocity", _JOINT_MOTOR
        ),
        **words("target target_angle spring", "write joint.drive_to(angle)"),
        **words(
            "min max min_angle max_angle upper_angle lower_angle", "write joint.limits = -1, 1"
        ),
        **words("enabled active", "write joint.remove()"),
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
            "add_box add_circle add_sphere add_static_body create_box create_sphere body",
            "write physics.add(batch, shape='ball')",
        ),
        **words(
            "add_wall add_ground add_mesh add_trimesh",
            "write physics.add_static(mesh), or physics.add_floor()",
        ),
        **words("add_plane", "write physics.add_floor(0)"),
        **words(
            "add_character create_character",
            "write physics.character(instance), after "
            "physics.add(instance, shape='capsule', kind='kinematic')",
        ),
        **words(
            "add_vehicle create_vehicle add_car car", "write physics.vehicle(instance, wheels)"
        ),
        **words("add_joint", "write physics.hinge(…), or fix, ball, slider, rope, spring"),
        **words("overlap", "write physics.query_shape('ball', (x, y, z), radius=5)"),
        **words("explosion explode", "write bodies.impulse(…): see docs/physics.md"),
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
        **words("draw debug_draw draw_debug", "write physics.debug_lines()"),
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
            "max_force break_force break_torque stiffness damping length max_length",
            "an option of the call "
            "that makes the joint, which does not change later: remove the joint and make another",
        ),
        **words("collide_bodies enable_collision", "write physics.pivot(…, bump=True)"),
        **words("broke is_broken", "write joint.broken"),
    },
)
