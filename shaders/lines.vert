// Each instance is one line: a strip with four corners and a constant width on the screen.
#include "frame3d.glsl"

in vec3 in_start_cell;
in vec3 in_start;
in vec3 in_end_cell;
in vec3 in_end;
in vec4 in_color;   // sRGB, straight alpha
in float in_width;  // units of the HUD

out vec4 v_color;
out vec2 v_across;  // distance from the center line in pixels times w, and w: linear on the screen
out float v_half;

void main() {
    vec4 a = view_projection * vec4(from_eye(in_start, in_start_cell), 1.0);
    vec4 b = view_projection * vec4(from_eye(in_end, in_end_cell), 1.0);
    // First, cut off the part behind the camera, because it has no position on the screen.
    float near_a = a.z + a.w, near_b = b.z + b.w;
    if (near_a < 0.0 && near_b > 0.0)
        a = mix(a, b, near_a / (near_a - near_b) + 1e-6);
    else if (near_b < 0.0 && near_a > 0.0)
        b = mix(b, a, near_b / (near_b - near_a) + 1e-6);
    vec4 here = (gl_VertexID & 2) == 0 ? a : b;
    vec2 direction = (b.xy / b.w - a.xy / a.w) * viewport * 0.5;
    direction = length(direction) > 1e-6 ? normalize(direction) : vec2(1.0, 0.0);
    v_half = max(0.5 * in_width * pixels_per_unit.y, 0.5);
    float reach = v_half + 0.5;  // edges fade over one pixel
    float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
    float forth = (gl_VertexID & 2) == 0 ? -0.5 : 0.5;
    vec2 offset = vec2(-direction.y, direction.x) * side * reach + direction * forth;
    v_across = vec2(side * reach * here.w, here.w);
    v_color = in_color;
    gl_Position = here + vec4(offset / (0.5 * viewport) * here.w, 0.0, 0.0);
    uint bits = floatBitsToUint(abs(gl_Position.x) + abs(gl_Position.y) + abs(gl_Position.w));
    if ((near_a <= 0.0 && near_b <= 0.0) || bits > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
