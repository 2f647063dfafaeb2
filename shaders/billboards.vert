// One billboard is one instance: four corners, upright in the picture.
#include "frame3d.glsl"

in vec3 in_previous_position_cell;
in vec3 in_previous_position;
in vec3 in_position_cell;
in vec3 in_position;
in vec3 in_previous_shape;  // width, height, angle
in vec3 in_shape;
in vec4 in_previous_color;  // linear, straight alpha
in vec4 in_color;
in vec4 in_rectangle;       // of the image in the texture, 0 to 1: left, lower, right, upper

out vec2 v_uv;
out vec4 v_color;
out float v_distance;  // from the eye

void main() {
    vec3 before = from_eye(in_previous_position, in_previous_position_cell);
    vec3 now = from_eye(in_position, in_position_cell);
    vec3 shape = in_previous_shape + (in_shape - in_previous_shape) * alpha;
    vec3 place = before + (now - before) * alpha;
    v_color = in_previous_color + (in_color - in_previous_color) * alpha;
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    v_uv = mix(in_rectangle.xy, in_rectangle.zw, corner);
    float c = cos(shape.z), s = sin(shape.z);
    vec2 offset = mat2(c, s, -s, c) * ((corner - 0.5) * shape.xy);
    v_distance = length(place);
    // The rows of a rotation are the camera's own axes in the world.
    place += offset.x * vec3(view[0].x, view[1].x, view[2].x) + offset.y * vec3(view[0].y, view[1].y, view[2].y);
    gl_Position = view_projection * vec4(place, 1.0);
    // What cannot be seen, or is not a number, is put outside of the picture: it costs no pixels.
    uint bits = floatBitsToUint(abs(gl_Position.x) + abs(gl_Position.y) + abs(gl_Position.w));
    if (v_color.a <= 0.0 || bits > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
