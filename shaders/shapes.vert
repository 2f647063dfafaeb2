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

noperspective out vec3 v_place;  // from its middle along its own axes, an arc's through the middle of its sweep, in
                          // pixels; how far a linear gradient is
flat out vec4 v_half;     // half its size in pixels, and 1 / that
flat out vec4 v_color;
flat out uvec2 v_info;    // in_info; how many points a path has
// What has straight corners is within one box and without another; all else is so far from its edge, or from the
// middle of its stroke. Each shape is a product of both, of which one is 1 everywhere.
flat out vec4 v_straight; // half the sizes of a box and of the hole in it, and half a pixel more
flat out vec4 v_limits;   // how much of a pixel these cover at most, along each side
flat out vec3 v_round;    // half the size of what lies within all of its round corners; their radius. Of a path: which
                          // way its first axis points in the picture, so that pixels lie along the others
flat out vec4 v_band;     // up to how far from it its pixels are covered; how much at most; brightness of dots;
                          // -1 for what is stroked on both sides of its edge, 1 for an area
#ifdef EDGES
flat out vec4 v_edge_color;
flat out vec4 v_area;     // as v_straight and v_limits, of the area within the outline
#endif
#ifdef GRADIENTS
flat out vec4 v_end_color; // less v_color
#endif
#ifdef DASHES
flat out vec4 v_dash;     // 1 / (a dash and a gap), shift in these; these in pixels; half a dash, and half a pixel more
flat out vec3 v_gap;      // how much of a pixel a dash covers at most; the last less a dash and a gap; how far it is
                          // round in a radian, 0 for what is not round
#endif
#ifdef ARCS
flat out vec4 v_arc;      // cosine and sine of half its sweep; beyond the line to there is its cap, if above the third;
                          // up to the fourth it is covered
#endif
#ifdef PATHS
uniform sampler2D points; // of paths: how many, then x and y of each, two in a texel, as parts of the size
#ifdef SLOPES
flat out vec2 v_heights[HANDED_ON]; // of the first points, in pixels, two by two; after the last comes the first
flat out vec4 v_slopes[HANDED_ON];  // of the edges that begin there: twice where they meet the axis; how far to the right
                                    // they lead for each pixel upwards
#else
flat out vec4 v_points[HANDED_ON];  // the first points, in pixels, two by two; after the last comes the first
#endif
#endif

const float PI = 3.14159265358979;
const float FAR = 1e9;

#ifdef PATHS
// Tell the fragment shader the first of so many points, which begin at a texel, as the picture's axes have them.
// `low` and `high` become the box around these, as the shape's own axes have it.
void hand_on_points(int first, int count, vec2 size, vec2 axis, inout vec2 low, inout vec2 high) {
    vec4 two[HANDED_ON + 1];
    for (int pair = 0; pair < HANDED_ON; pair++) {
        bool there = 2 * pair < count;
        two[pair] = size.xyxy * texelFetch(points, texel_place(first + (there ? pair : 0)), 0);
        two[pair] = there ? two[pair] : two[pair].xyxy;
#ifndef LONG_PATHS
        low = min(low, min(two[pair].xy, two[pair].zw));
        high = max(high, max(two[pair].xy, two[pair].zw));
#endif
        two[pair] = axis.x * two[pair] + axis.y * vec4(-two[pair].y, two[pair].x, -two[pair].w, two[pair].z);
    }
    two[HANDED_ON] = two[0];
    for (int pair = 0; pair < HANDED_ON; pair++) {
#ifdef SLOPES
        vec4 way = vec4(two[pair].zw, two[pair + 1].xy) - two[pair];
        vec2 slope = way.xz / mix(way.yw, vec2(1.0), equal(way.yw, vec2(0.0)));
        v_heights[pair] = two[pair].yw;
        v_slopes[pair] = vec4(2.0 * (two[pair].xz - slope * two[pair].yw), slope);
#else
        v_points[pair] = two[pair];
#endif
    }
}
#endif

void main() {
    vec2 position = blend(in_previous_position, in_position, alpha);
    float angle = blend_angle(in_previous_angle, in_angle, alpha);
    vec2 scale = blend(in_previous_scale, in_scale, alpha);
    vec2 size = blend(in_previous_size, in_size, alpha);
    uint kind = in_info & KIND;
    bool straight = kind == BOX && in_form.x <= 0.0 || kind == LINE && (in_info & BUTT) != 0u;

    // Straight edges fade over a pixel, or over up to 1.41 where they are turned against the pixel grid: these are the
    // pixels in which they are measured.
    mat4 model = model_matrix(position - eye, angle, vec2(1.0));
    vec2 axis = mat2(view_projection) * model[0].xy * viewport;
    axis /= max(length(axis), 1e-30);
    float sharpness = straight ? max(abs(axis.x), abs(axis.y)) : 1.0;
    vec2 pixels = abs(scale) * pixels_per_unit * sharpness;  // in a unit of the shape's own
    float even = sqrt(pixels.x * pixels.y);      // of its strokes: as wide along both sides

    v_color = in_previous_color + (in_color - in_previous_color) * alpha;
    float opacity = v_color.a;
    v_info = uvec2(in_info, 0u);
    vec2 half_size = 0.5 * abs(size) * pixels;
    if (kind == ARC)
        half_size = half_size.xx;
    v_half = vec4(half_size, 1.0 / max(half_size, vec2(1e-4)));
    if (kind == LINE)  // a radial gradient runs along it
        v_half.w = 0.0;
    float stroke = 0.5 * even * in_stroke.x, least = min(half_size.x, half_size.y);
    bool stroked = in_stroke.x > 0.0 || kind == LINE;
    vec2 most = kind == BOX || kind == CIRCLE ? min(2.0 * half_size, 1.0) : vec2(1.0);  // of a pixel, along each side
    v_band = stroked ? vec4(stroke + 0.5, min(1.0, 2.0 * stroke), 1.0, -1.0)
        : vec4(0.5, min(most.x, most.y), max(most.x, most.y), 1.0);
    if (kind == CIRCLE && !stroked && least > 0.9 * max(half_size.x, half_size.y)) {
        // A disc's edge fades inwards and outwards alike, where there is more of it: of what is small that is too much.
        v_half.xy = sqrt(max(half_size * half_size - 1.0 / 12.0, vec2(0.25)));
        v_half.zw = 1.0 / v_half.xy;
        v_band = vec4(0.5, 1.0, min(3.0 * half_size.x * half_size.y, 1.0), 1.0);
    }
    if (kind == ELLIPSE)  // which is counted
        v_band = vec4(0.5, 1.0, 1.0, 1.0);
    v_round = vec3(half_size, kind == ELLIPSE ? stroke : 0.0);
    if (kind == BOX)
        v_round = vec3(half_size, 0.0) + min(in_form.x * even, least) * vec3(-1.0, -1.0, 1.0);
    else if (kind == CIRCLE || kind == ARC)
        v_round = vec3(0.0, 0.0, half_size.x);
    v_straight = vec4(FAR, FAR, 0.0, 0.0);
    v_limits = vec4(1.0, 1.0, 0.0, 0.0);
    if (straight) {
        vec2 outer = kind == LINE ? vec2(half_size.x, stroke) : half_size + stroke;
        vec2 hole = kind == LINE || stroke <= 0.0 ? vec2(0.0) : max(half_size - stroke, vec2(0.0));
        v_straight = vec4(outer, hole) + 0.5;
        v_limits = min(2.0 * vec4(outer, hole), 1.0);
        v_band = vec4(FAR, 1.0, 1.0, 1.0);
    }
    float reach = 1.0, beside = 0.5;
    vec2 low = -half_size, high = half_size;
#ifdef EDGES
    v_edge_color = in_edge_color;
    v_area = vec4(straight ? half_size + 0.5 : vec2(FAR), most);
    opacity += in_edge_color.a;
#endif
#ifdef ARCS
    float half_sweep = min(0.5 * abs(in_form.y), PI);
    bool piece = kind == ARC && half_sweep < PI, cut = !stroked || (in_info & BUTT) != 0u;
    v_arc = vec4(-2.0, 0.0, FAR, FAR);  // of what has no tip
    if (piece)
        v_arc = vec4(cos(half_sweep), sin(half_sweep), cut ? FAR : 0.0, cut ? 0.5 : FAR);
#endif
#ifdef DASHES
    vec3 dash = even / sharpness * in_stroke.yzw;  // their ends fade over a pixel
    float period = max(dash.x + dash.y, 1e-6), begin = kind == LINE ? half_size.x : 0.0;
#ifdef ARCS
    if (kind == ARC)  // they begin at its start, and run as it does
        begin = half_sweep * half_size.x;
#endif
    float shift = begin / sharpness + dash.z - 0.5 * dash.x;
    v_dash = vec4(1.0 / (period * sharpness), shift / period, period, 0.5 * dash.x + 0.5);
    v_gap = vec3(min(1.0, dash.x), v_dash.w - period, 0.0);
    if ((in_info & DASHED) == 0u) {
        v_dash = vec4(0.0, 0.0, 0.0, FAR);
        v_gap = vec3(1.0, 0.0, 0.0);
    }
#ifdef AROUND
    if (kind == CIRCLE || kind == ELLIPSE)
        v_gap.z = 0.5 * (half_size.x + half_size.y);
    if (kind == ARC)
        v_gap.z = in_form.y < 0.0 ? -half_size.x : half_size.x;
#endif
#endif
#ifdef PATHS
    if (kind == PATH) {
        reach = max(in_form.x, 1.0);
        beside = 0.5 * (abs(axis.x) + abs(axis.y));  // where the corner of a pixel is in it
        v_round = vec3(axis, 0.0);
        v_info.y = uint(texelFetch(points, texel_place(int(in_info >> FIRST_BIT)), 0).x);
    }
#ifndef LONG_PATHS
    low = kind == PATH ? half_size : low;
    high = -low;
#endif
    hand_on_points(int(in_info >> FIRST_BIT) + 1, int(v_info.y), 2.0 * half_size, axis, low, high);
#endif

    vec2 corner_way = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    v_place = vec3(mix(low, high, corner_way) + (2.0 * corner_way - 1.0) * (stroke * reach + beside), 0.0);
#ifdef GRADIENTS
    v_end_color = (in_info & (LINEAR | RADIAL)) != 0u ? in_end_color - v_color : vec4(0.0);
    opacity += (in_info & (LINEAR | RADIAL)) != 0u ? in_end_color.a : 0.0;
    vec2 way = vec2(cos(in_form.w), sin(in_form.w));
    v_place.z = 0.5 + 0.5 * dot(v_place.xy, way) / max(dot(abs(way), half_size), 1e-6);
#endif
    vec2 local = v_place.xy / max(pixels_per_unit * sharpness, vec2(1e-20)) * sign(scale);
#ifdef ARCS
    if (kind == ARC) {
        float middle = in_form.x + 0.5 * in_form.y, c = cos(middle), s = sin(middle);
        v_place.xy = mat2(c, -s, s, c) * v_place.xy;
    }
#endif
    vec4 place = model * vec4(local, 0.0, 1.0);
    gl_Position = vec4(mat2(view_projection) * place.xy, 0.0, 1.0);

    // As in sprite_corner.glsl: what is hidden, of no size or not a number is put outside of the picture.
    bool drawn = (in_info & VISIBLE) != 0u && even > 0.0 && opacity > 0.0 && (kind != PATH || stroked || least > 0.0);
    if (!drawn || floatBitsToUint(abs(place.x) + abs(place.y)) > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
