// Each instance is one copy of the mesh. Between two ticks, a frame changes only the uniform block of the frame.
#include "frame3d.glsl"
in vec4 in_color;  // linear
in uint in_visible;

// POSE is the name of pose_columns, pose_predicted, pose_matrix, pose_skin or pose_crowd.glsl. The function `pose` in
// that file returns the three axes and the position of the instance or vertex, relative to the eye. The last three
// files have versions with morph targets.
#include POSE

in vec3 in_vertex;
in vec3 in_normal;
in vec2 in_uv;
in vec4 in_tangent;
in vec4 in_vertex_color;

#ifdef SECOND_UV
in vec2 in_second_uv;
out vec2 v_second_uv;
#endif

out vec3 v_place;  // position relative to the eye, in the world's axes
out vec3 v_normal;
out vec2 v_uv;
out vec4 v_tangent;
out vec4 v_color;
#ifdef MIRRORED
flat out float v_side;  // below 0 if the pose mirrors the mesh, so that triangles have the opposite orientation
#endif

void main() {
    mat4x3 posed = pose();
    mat3 model = mat3(posed);
    vec3 vertex = in_vertex, normal = in_normal, tangent = in_tangent.xyz;
#ifdef MORPHED
    morph(vertex, normal, tangent);
#endif
    v_place = posed[3] + model * vertex;
    // Multiplied by the cofactors, normals stay perpendicular at any scale. The cofactors are the inverse transposed
    // matrix multiplied by the determinant, which is below 0 if the pose mirrors the mesh.
    mat3 cofactors = mat3(cross(model[1], model[2]), cross(model[2], model[0]), cross(model[0], model[1]));
    float side = dot(model[0], cofactors[0]) < 0.0 ? -1.0 : 1.0;
    v_normal = cofactors * normal * side;
    v_tangent = vec4(model * tangent, in_tangent.w * side);
#ifdef MIRRORED
    v_side = side;
#endif
    v_uv = in_uv;
#ifdef SECOND_UV
    v_second_uv = in_second_uv;
#endif
    v_color = in_vertex_color * in_color;
    gl_Position = view_projection * vec4(v_place, 1.0);

    // Move all corners of hidden rows, and of rows with NaN, to one point outside the view.
    uint bits = floatBitsToUint(abs(v_place.x) + abs(v_place.y) + abs(v_place.z));
    if (in_visible == 0u || bits > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
