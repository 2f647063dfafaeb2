// Each instance is one billboard.
#include "frame3d.glsl"
#include "billboard_corner.glsl"

in vec3 in_previous_position_cell;
in vec3 in_previous_position;
in vec3 in_position_cell;
in vec3 in_position;
in vec3 in_previous_shape;  // width, height, angle
in vec3 in_shape;
in vec4 in_previous_color;  // linear, straight alpha
in vec4 in_color;
in vec4 in_rectangle;       // the image in the texture, 0 to 1: left, bottom, right, top

void main() {
    vec3 before = from_eye(in_previous_position, in_previous_position_cell);
    vec3 now = from_eye(in_position, in_position_cell);
    vec3 shape = in_previous_shape + (in_shape - in_previous_shape) * alpha;
    vec4 color = in_previous_color + (in_color - in_previous_color) * alpha;
    put_corner(before + (now - before) * alpha, shape.xy, shape.z, in_rectangle, color);
}
