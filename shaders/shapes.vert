// One shape is one instance: a quad around it, in whose pixels shapes.frag finds how far the shape's edge is.
// What is the same for all of them is worked out here. The macros say what the batch has (framework/plane/figures.py).
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

out vec3 v_place;         // from its middle along its own axes, in pixels; how far a linear gradient is
flat out vec4 v_half;     // half its size in pixels, and 1 / that
flat out vec4 v_color;
flat out uvec2 v_info;    // in_info; how many points a path has, or 1 for an arc that runs clockwise
flat out vec4 v_straight; // half the sizes of a box without round corners, outside and of the hole in it
flat out vec4 v_round;    // corner radius, half the stroke, brightness of small areas, sharpness of straight edges:
                          // 1 along the pixel grid
#ifdef EDGES
flat out vec4 v_edge_color;
#endif
#ifdef GRADIENTS
flat out vec4 v_end_color;
#endif
#ifdef DASHES
flat out vec4 v_dash;     // half a dash, dash and gap, shift, 1 / the second
#endif
#ifdef ARCS
flat out vec4 v_arc;      // cosine and sine of its middle, and of half its sweep
#endif
#ifdef PATHS
uniform sampler2D points; // of paths: how many, then x and y of each, two in a texel, as parts of the size
flat out vec4 v_points[HANDED_ON];  // the first points, in pixels, two by two; after the last comes the first
#endif

const float PI = 3.14159265358979;

void main() {
    vec2 position = blend(in_previous_position, in_position, alpha);
    float angle = blend_angle(in_previous_angle, in_angle, alpha);
    vec2 scale = blend(in_previous_scale, in_scale, alpha);
    vec2 size = blend(in_previous_size, in_size, alpha);
    vec2 pixels = abs(scale) * pixels_per_unit;  // in a unit of the shape's own
    float even = sqrt(pixels.x * pixels.y);      // of its strokes: as wide along both sides

    v_color = in_previous_color + (in_color - in_previous_color) * alpha;
    float opacity = v_color.a;
    v_info = uvec2(in_info, 0u);
    uint kind = in_info & KIND;
    vec2 half_size = 0.5 * abs(size) * pixels;
    v_half = vec4(half_size, 1.0 / max(half_size, vec2(1e-4)));
    if (kind == LINE)  // a radial gradient runs along it
        v_half.w = 0.0;
    float stroke = 0.5 * even * in_stroke.x, least = min(half_size.x, half_size.y);
    float corner = kind == BOX ? min(in_form.x * even, least) : 0.0;
    float reach = 1.0;
#ifdef EDGES
    v_edge_color = in_edge_color;
    opacity += in_edge_color.a;
#endif
#ifdef ARCS
    float middle = in_form.x + 0.5 * in_form.y, half_sweep = min(0.5 * abs(in_form.y), PI);
    v_arc = vec4(cos(middle), sin(middle), half_sweep < PI ? vec2(cos(half_sweep), sin(half_sweep)) : vec2(-2.0, 0.0));
#endif
#ifdef DASHES
    vec3 dash = even * in_stroke.yzw;
    v_dash = vec4(0.5 * dash.x, dash.x + dash.y, dash.z, 1.0 / max(dash.x + dash.y, 1e-6));
#ifdef ARCS
    if (kind == ARC) {  // they begin at its start, and run as it does
        v_dash.z += half_sweep * half_size.x;
        v_info.y = in_form.y < 0.0 ? 1u : 0u;
    }
#endif
#endif
#ifdef PATHS
    if (kind == PATH)
        reach = max(in_form.x, 1.0);
    int first = int(in_info >> FIRST_BIT);
    if (kind == PATH)
        v_info.y = uint(texelFetch(points, texel_place(first), 0).x);
    vec4 box = 2.0 * half_size.xyxy;
    for (int pair = 0; pair < HANDED_ON; pair++) {
        bool there = 2 * pair < int(v_info.y);
        v_points[pair] = box * texelFetch(points, texel_place(first + 1 + (there ? pair : 0)), 0);
        if (!there)
            v_points[pair].zw = v_points[pair].xy;
    }
#endif

    vec2 corner_way = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    v_place = vec3(corner_way * (half_size + stroke * reach + 1.0), 0.0);
#ifdef GRADIENTS
    v_end_color = in_end_color;
    opacity += (in_info & (LINEAR | RADIAL)) != 0u ? in_end_color.a : 0.0;
    vec2 way = vec2(cos(in_form.w), sin(in_form.w));
    v_place.z = 0.5 + 0.5 * dot(v_place.xy, way) / max(dot(abs(way), half_size), 1e-6);
#endif
    vec2 local = v_place.xy / max(pixels_per_unit, vec2(1e-20)) * sign(scale);
    mat4 model = model_matrix(position - eye, angle, vec2(1.0));
    // Straight edges fade over a pixel, or over up to 1.41 where they are turned against the pixel grid.
    vec2 axis = abs(mat2(view_projection) * model[0].xy * viewport);
    float sharpness = max(axis.x, axis.y) / max(length(axis), 1e-30);
    v_round = vec4(corner, stroke, kind == ARC || kind == PATH ? 1.0 : min(1.0, 2.0 * least), sharpness);
    v_straight = vec4(half_size + stroke, stroke > 0.0 ? max(half_size - stroke, vec2(0.0)) : vec2(0.0)) * sharpness;
    if (kind == LINE)  // whose ends are cut off
        v_straight = vec4(half_size.x, stroke, 0.0, 0.0) * sharpness;
    vec4 place = model * vec4(local, 0.0, 1.0);
    gl_Position = vec4(mat2(view_projection) * place.xy, 0.0, 1.0);

    // As in sprite_corner.glsl: what is hidden, of no size or not a number is put outside of the picture.
    bool drawn = (in_info & VISIBLE) != 0u && even > 0.0 && opacity > 0.0;
    if (!drawn || floatBitsToUint(abs(place.x) + abs(place.y)) > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
