// A pose for meshes.vert: the pose is interpolated between the two states of the batch's columns.
#include "pose3d.glsl"

in vec3 in_previous_position;
in vec3 in_position;
in vec4 in_previous_rotation;
in vec4 in_rotation;
in vec3 in_previous_scale;
in vec3 in_scale;

#ifdef LARGE_WORLD  // each state has its own cells, and is made relative to the eye before blending
in vec3 in_previous_position_cell;
in vec3 in_position_cell;
#endif

#ifdef MOTION_HERMITE
in vec3 in_previous_velocity;
in vec3 in_velocity;
in vec3 in_angular_velocity;
uniform vec4 motion;  // seconds: the clock at alpha 0, the time from there to alpha 1, the limit, the blend time
#endif

mat4x3 pose() {
#ifdef LARGE_WORLD
    vec3 before = from_eye(in_previous_position, in_previous_position_cell);
    vec3 now = from_eye(in_position, in_position_cell);
#else
    vec3 before = in_previous_position, now = in_position;
#endif
#if defined(MOTION_NONE)
    vec3 position = now;
    vec4 rotation = normalized(in_rotation);
    vec3 scale = in_scale;
#elif defined(MOTION_HERMITE)
    vec3 position = hermite(
        before, now, in_previous_velocity * motion.y, in_velocity * motion.y, alpha);
    vec4 rotation = spun(normalized(in_previous_rotation), normalized(in_rotation), in_angular_velocity * motion.y, alpha);
    vec3 scale = blend(in_previous_scale, in_scale, alpha);
#else
    vec3 position = blend(before, now, alpha);
    vec4 rotation = slerp(normalized(in_previous_rotation), normalized(in_rotation), alpha);
    vec3 scale = blend(in_previous_scale, in_scale, alpha);
#endif
#ifndef LARGE_WORLD
    position = from_eye(position, vec3(0.0));
#endif
    return model_matrix(position, rotation, scale);
}
