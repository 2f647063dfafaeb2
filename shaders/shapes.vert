// One shape is one instance: a quad around it, in whose pixels shapes.frag finds how far the shape's edge is.
#include "frame.glsl"
#include "pose2d.glsl"
#include "outlines.glsl"

in vec2 in_previous_position;
in vec2 in_position;
in float in_previous_angle;
in float in_angle;
in vec2 in_previous_scale;
in vec2 in_scale;
in vec2 in_previous_size;
in vec2 in_size;
in vec4 in_previous_color;
in vec4 in_color;
in vec4 in_end_color;
in vec4 in_edge_color;
in vec4 in_stroke;  // width, dash, gap, how far the dashes are on: units
in vec4 in_form;    // corner radius, or start and sweep of an arc, or how far joins stick out; the gradient's angle
in uint in_info;

out vec2 v_place;          // from its middle along its own axes, in pixels
flat out vec2 v_half;      // half its size, in pixels
flat out vec4 v_stroke;    // half the width, dash, gap, shift in pixels
flat out vec4 v_form;      // as in_form, the corner in pixels
flat out vec4 v_color;
flat out vec4 v_end_color;
flat out vec4 v_edge_color;
flat out uint v_info;
flat out float v_sharpness; // of straight edges: 1 along the pixel grid

void main() {
    vec2 position = blend(in_previous_position, in_position, alpha);
    float angle = blend_angle(in_previous_angle, in_angle, alpha);
    vec2 scale = blend(in_previous_scale, in_scale, alpha);
    vec2 size = blend(in_previous_size, in_size, alpha);
    vec2 pixels = abs(scale) * pixels_per_unit;  // in a unit of the shape's own
    float even = sqrt(pixels.x * pixels.y);      // of its strokes: as wide along both sides

    v_color = in_previous_color + (in_color - in_previous_color) * alpha;
    v_end_color = in_end_color;
    v_edge_color = in_edge_color;
    v_info = in_info;
    v_half = 0.5 * abs(size) * pixels;
    v_stroke = in_stroke * even * vec4(0.5, 1.0, 1.0, 1.0);
    v_form = in_form;
    uint kind = in_info & KIND;
    if (kind == BOX)
        v_form.x *= even;
    float reach = kind == PATH ? max(in_form.x, 1.0) : 1.0;

    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    v_place = corner * (v_half + v_stroke.x * reach + 1.0);
    vec2 local = v_place / max(pixels_per_unit, vec2(1e-20)) * sign(scale);
    mat4 model = model_matrix(position - eye, angle, vec2(1.0));
    // Straight edges fade over a pixel, or over up to 1.41 where they are turned against the pixel grid.
    vec2 axis = abs(mat2(view_projection) * model[0].xy * viewport);
    v_sharpness = max(axis.x, axis.y) / max(length(axis), 1e-30);
    vec4 place = model * vec4(local, 0.0, 1.0);
    gl_Position = vec4(mat2(view_projection) * place.xy, 0.0, 1.0);

    // As in sprite_corner.glsl: what is hidden, of no size or not a number is put outside of the picture.
    bool drawn = (in_info & VISIBLE) != 0u && even > 0.0 && v_color.a + v_edge_color.a > 0.0;
    if (!drawn || floatBitsToUint(abs(place.x) + abs(place.y)) > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
