// Each instance is a box of the user interface: a rounded box or an image. Its position is interpolated between two
// ticks.
#include "frame.glsl"

in vec4 in_previous_box;  // x, y, width, height in units of the view, from the bottom left corner
in vec4 in_box;
in vec4 in_fill;          // straight alpha
in vec4 in_edge;
in vec4 in_shape;         // radius, width of the edge, units per pixel of the image, whether there is an image
in vec4 in_image;         // region in the atlas: x, y, width, height in texels
in vec4 in_border;        // pixels of the image: left, top, right, bottom
in vec4 in_clip;          // visible area: left, bottom, right, top in units of the view

out vec2 v_place;         // units from the bottom left corner of the box
flat out vec2 v_size;
flat out vec4 v_fill;
flat out vec4 v_edge;
flat out vec4 v_shape;
flat out vec4 v_image;
flat out vec4 v_border;
flat out vec4 v_clip;
flat out float v_pixels;
out vec2 v_at;            // units of the view

void main() {
    vec4 box = mix(in_previous_box, in_box, alpha);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    float free = 1.0 / max(pixels_per_unit.x, 1e-6);  // one more pixel on each side, for smooth edges
    v_place = corner * box.zw + (corner * 2.0 - 1.0) * free;
    v_size = box.zw;
    v_fill = in_fill;
    v_edge = in_edge;
    v_shape = in_shape;
    v_image = in_image;
    v_border = in_border;
    v_clip = in_clip;
    v_at = box.xy + v_place;
    v_pixels = pixels_per_unit.x;
    gl_Position = vec4(mat2(view_projection) * (v_at - eye), 0.0, 1.0);
}
