// Computes a sprite's pose at this moment from the columns of its batch. Include it after frame.glsl, in a vertex
// shader.
#include "pose2d.glsl"

#ifdef MOTION_EXTRAPOLATE
in vec2 in_state_position;  // the last known position and velocity
in vec2 in_state_velocity;
in vec2 in_state_angle;     // the last known angle and angular velocity
in vec4 in_state_error;     // the error of the pose drawn at that time: x, y, angle; and its time on the clock
#else
in vec2 in_previous_position;
in vec2 in_position;
in float in_previous_angle;
in float in_angle;
#endif
in vec2 in_previous_scale;
in vec2 in_scale;
#ifdef MOTION_HERMITE
in vec2 in_previous_velocity;
in vec2 in_velocity;
#endif

#if defined(MOTION_EXTRAPOLATE) || defined(MOTION_HERMITE)
uniform vec4 motion;  // in seconds: the clock at alpha 0, the time from there to alpha 1, the limit, the blend time
#endif

void sprite_pose(out vec2 position, out float angle, out vec2 scale) {
#ifdef MOTION_EXTRAPOLATE
    float age = motion.x + alpha * motion.y - in_state_error.w;
    vec2 reach_fade = reach_and_fade(age, motion.z, motion.w);
    position = in_state_position + in_state_velocity * reach_fade.x + in_state_error.xy * reach_fade.y;
    angle = in_state_angle.x + in_state_angle.y * reach_fade.x + in_state_error.z * reach_fade.y;
    scale = blend(in_previous_scale, in_scale, alpha);
#elif defined(MOTION_NONE)
    position = in_position;
    angle = in_angle;
    scale = in_scale;
#else
#ifdef MOTION_HERMITE
    position = hermite(
        in_previous_position, in_position, in_previous_velocity * motion.y, in_velocity * motion.y, alpha);
#else
    position = blend(in_previous_position, in_position, alpha);
#endif
    angle = blend_angle(in_previous_angle, in_angle, alpha);
    scale = blend(in_previous_scale, in_scale, alpha);
#endif
}
