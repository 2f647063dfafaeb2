// A pose for meshes.vert: the pose is extrapolated from the last known state of the row.
#include "pose3d.glsl"

in vec3 in_state_position;  // the last known position
in vec4 in_state_rotation;
in vec3 in_state_velocity;
in vec3 in_state_angular_velocity;
in vec3 in_state_off;       // the error of the drawn position at that time
in vec3 in_state_turned;
in float in_state_since;    // time of the state, on the clock
in vec3 in_previous_scale;
in vec3 in_scale;

uniform vec4 motion;  // seconds: the clock at alpha 0, the time from there to alpha 1, the limit, the blend time

mat4x3 pose() {
    vec2 reach_fade = reach_and_fade(motion.x + alpha * motion.y - in_state_since, motion.z, motion.w);
    vec3 position = in_state_position + in_state_velocity * reach_fade.x + in_state_off * reach_fade.y;
    vec4 rotation = multiply(from_vector(in_state_turned * reach_fade.y),
        multiply(from_vector(in_state_angular_velocity * reach_fade.x), normalized(in_state_rotation)));
    vec3 scale = blend(in_previous_scale, in_scale, alpha);
    return model_matrix(from_eye(position, vec3(0.0)), rotation, scale);
}
