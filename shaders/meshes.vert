// One instance is one pose of the mesh. A frame between two ticks changes only the frame's block.
#include "frame3d.glsl"
#include "pose3d.glsl"

in vec3 in_vertex;
in vec3 in_normal;
in vec2 in_uv;
in vec4 in_tangent;
in vec4 in_vertex_color;

#ifdef SKIN
in uvec4 in_joints;
in vec4 in_weights;
uniform sampler2D joint_matrices;  // four texels each, an instance's one after another: rows as of in_model below
uniform int joint_count;

mat4 joint(uint number) {
    int at = gl_InstanceID * joint_count + int(number), across = textureSize(joint_matrices, 0).x / 4;
    ivec2 texel = ivec2(at % across * 4, at / across);
    return mat4(texelFetch(joint_matrices, texel, 0), texelFetch(joint_matrices, texel + ivec2(1, 0), 0),
        texelFetch(joint_matrices, texel + ivec2(2, 0), 0), texelFetch(joint_matrices, texel + ivec2(3, 0), 0));
}
#elif defined(MODEL_MATRIX)
in vec4 in_model_0;  // the rows of a model matrix for row vectors, their fourth numbers left out: place from the eye
in vec4 in_model_1;
in vec4 in_model_2;
in vec4 in_model_3;
#else
#ifdef MOTION_EXTRAPOLATE
in vec3 in_state_position;  // as it was last known
in vec4 in_state_rotation;
in vec3 in_state_velocity;
in vec3 in_state_spin;
in vec3 in_state_off;       // the error of what was drawn then
in vec3 in_state_turned;
in float in_state_since;    // on the clock
#else
in vec3 in_previous_position;
in vec3 in_position;
in vec4 in_previous_rotation;
in vec4 in_rotation;
#ifdef LARGE_WORLD
in vec3 in_previous_position_cell;
in vec3 in_position_cell;
#endif
#endif
in vec3 in_previous_scale;
in vec3 in_scale;
#ifdef MOTION_HERMITE
in vec3 in_previous_velocity;
in vec3 in_velocity;
in vec3 in_spin;
#endif
#endif
in vec4 in_color;    // linear
in uint in_visible;

uniform vec4 motion; // seconds: the clock at alpha 0, from there to alpha 1, limit, blend time

out vec3 v_place;    // from the eye, world's axes
out vec3 v_normal;
out vec2 v_uv;
out vec4 v_tangent;
out vec4 v_color;

void main() {
#ifdef SKIN
    mat4 bent = joint(in_joints.x) * in_weights.x + joint(in_joints.y) * in_weights.y
        + joint(in_joints.z) * in_weights.z + joint(in_joints.w) * in_weights.w;
    mat3 model = mat3(bent);
    vec3 from = bent[3].xyz;
#elif defined(MODEL_MATRIX)
    vec3 position = in_model_3.xyz;
    mat3 model = mat3(in_model_0.xyz, in_model_1.xyz, in_model_2.xyz);
    vec3 from = position;
#else
#ifdef LARGE_WORLD  // each state has cells of its own: from the camera already
    vec3 before = from_eye(in_previous_position, in_previous_position_cell);
    vec3 now = from_eye(in_position, in_position_cell);
#elif !defined(MOTION_EXTRAPOLATE)
    vec3 before = in_previous_position, now = in_position;
#endif
#ifdef MOTION_EXTRAPOLATE
    vec2 reach_fade = reach_and_fade(motion.x + alpha * motion.y - in_state_since, motion.z, motion.w);
    vec3 position = in_state_position + in_state_velocity * reach_fade.x + in_state_off * reach_fade.y;
    vec4 rotation = multiply(from_vector(in_state_turned * reach_fade.y),
        multiply(from_vector(in_state_spin * reach_fade.x), normalized(in_state_rotation)));
    vec3 scale = blend(in_previous_scale, in_scale, alpha);
#elif defined(MOTION_NONE)
    vec3 position = now;
    vec4 rotation = normalized(in_rotation);
    vec3 scale = in_scale;
#elif defined(MOTION_HERMITE)
    vec3 position = hermite(
        before, now, in_previous_velocity * motion.y, in_velocity * motion.y, alpha);
    vec4 rotation = spun(normalized(in_previous_rotation), normalized(in_rotation), in_spin * motion.y, alpha);
    vec3 scale = blend(in_previous_scale, in_scale, alpha);
#else
    vec3 position = blend(before, now, alpha);
    vec4 rotation = slerp(normalized(in_previous_rotation), normalized(in_rotation), alpha);
    vec3 scale = blend(in_previous_scale, in_scale, alpha);
#endif
    mat3 turn = rotation_matrix(rotation);
    mat3 model = mat3(turn[0] * scale.x, turn[1] * scale.y, turn[2] * scale.z);
#ifdef LARGE_WORLD
    vec3 from = position;
#else
    vec3 from = from_eye(position, vec3(0.0));
#endif
#endif

    v_place = from + model * in_vertex;
    // Normals keep square to the surface under any scale: the cofactors are the inverse transposed, times a number.
    mat3 cofactors = mat3(cross(model[1], model[2]), cross(model[2], model[0]), cross(model[0], model[1]));
    v_normal = cofactors * in_normal;
    v_tangent = vec4(model * in_tangent.xyz, in_tangent.w);
    v_uv = in_uv;
    v_color = in_vertex_color * in_color;
    gl_Position = view_projection * vec4(v_place, 1.0);

    // Rows that are hidden or not a number are put outside of the picture, all corners on one point.
    uint bits = floatBitsToUint(abs(v_place.x) + abs(v_place.y) + abs(v_place.z));
    if (in_visible == 0u || bits > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
