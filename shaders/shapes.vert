// Each instance is a quad around one shape. For each of its pixels, shapes.frag computes the distance to the shape's
// edge. Values that are the same for all pixels are computed here. framework/plane/shape_batch.py sets the macros for
// the features that a batch needs.
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
in vec4 in_gradient_to;
in vec4 in_stroke_color;
in vec4 in_stroke;  // width, dash, gap, shift of the dashes: units
in vec4 in_form;    // corner radius, or start and sweep of an arc, or extent of joins; the gradient's angle
in uint in_info;

noperspective out vec3 v_place;  // position from the center along the shape's own axes (an arc's through the middle of
                                 // its sweep), in pixels; position in a linear gradient
flat out vec4 v_half;     // half its size in pixels, and 1 / that
flat out vec4 v_color;
flat out uvec2 v_info;    // in_info; number of a path's points
// A shape with straight corners is the area inside one box and outside another. Any other shape is described by the
// distance from its edge, or from the middle of its stroke. The coverage of every shape is a product of both, in which
// one factor is 1 everywhere.
flat out vec4 v_straight; // half the sizes of a box and of the hole in it, plus half a pixel
flat out vec4 v_limits;   // maximum coverage of a pixel by these, along each side
flat out vec3 v_round;    // half the size of the part inside all round corners; their radius. For a path: the direction
                          // of its first axis on the screen, so that pixels lie along the other axes
flat out vec4 v_band;     // distance up to which pixels are covered; maximum coverage; brightness of dots; -1 for a
                          // stroke on both sides of the edge, 1 for an area
#ifdef EDGES
flat out vec4 v_stroke_color;
flat out vec4 v_area;     // as v_straight and v_limits, for the area inside the outline
#endif
#ifdef GRADIENTS
flat out vec4 v_gradient_to; // minus v_color
#endif
#ifdef DASHES
flat out vec4 v_dash;     // 1 / (dash + gap), shift in that unit; dash + gap in pixels; half a dash plus half a pixel
flat out vec3 v_gap;      // maximum coverage of a pixel by a dash; the same of the last v_dash minus a dash and a gap;
                          // length per radian of round shapes, otherwise 0
#endif
#ifdef ARCS
flat out vec4 v_arc;      // cosine and sine of half its sweep, the line to its tip; beyond the third its cap begins; at
                          // the fourth it ends
#endif
#ifdef PATHS
uniform sampler2D points; // of paths: the number of points, then x and y of each, two per texel, as shares of the size
#ifdef SLOPES
flat out vec2 v_heights[HANDED_ON]; // heights of the first points in pixels, in pairs; the first point follows the last
flat out vec4 v_slopes[HANDED_ON];  // slopes of the edges that begin there: twice the crossing of the axis; pixels to
                                    // the right per pixel upwards
#else
flat out vec4 v_points[HANDED_ON];  // the first points in pixels, in pairs; the first point follows the last
#endif
#endif

const float PI = 3.14159265358979;
const float FAR = 1e9;

#ifdef PATHS
// Pass the first points on to the fragment shader, in the screen's axes, beginning at a texel. `low` and `high` become
// the box around the points in the shape's own axes.
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

    // Straight edges fade over one pixel, or up to 1.41 pixels if they are rotated relative to the pixel grid. Such
    // wider pixels are the unit in which the shape is measured.
    mat4 model = model_matrix(position - eye, angle, vec2(1.0));
    vec2 axis = mat2(view_projection) * model[0].xy * viewport;
    axis /= max(length(axis), 1e-30);
    float sharpness = straight ? max(abs(axis.x), abs(axis.y)) : 1.0;
    vec2 pixels = abs(scale) * pixels_per_unit * sharpness;  // pixels per unit of the shape's own axes
    float even = sqrt(pixels.x * pixels.y);      // pixels per unit for its strokes, equal along both sides

    v_color = in_previous_color + (in_color - in_previous_color) * alpha;
    float opacity = v_color.a;
    v_info = uvec2(in_info, 0u);
    vec2 half_size = 0.5 * abs(size) * pixels;
    if (kind == ARC)
        half_size = half_size.xx;
    v_half = vec4(half_size, 1.0 / max(half_size, vec2(1e-4)));
    if (kind == LINE)  // a radial gradient runs along the line
        v_half.w = 0.0;
    float stroke = 0.5 * even * in_stroke.x, least = min(half_size.x, half_size.y);
    bool stroked = in_stroke.x > 0.0 || kind == LINE;
    vec2 most = kind == BOX || kind == CIRCLE ? min(2.0 * half_size, 1.0) : vec2(1.0);  // of a pixel, along each side
    v_band = stroked ? vec4(stroke + 0.5, min(1.0, 2.0 * stroke), 1.0, -1.0)
        : vec4(0.5, min(most.x, most.y), max(most.x, most.y), 1.0);
    if (kind == CIRCLE && !stroked && least > 0.9 * max(half_size.x, half_size.y)) {
        // A disc's edge fades equally far inwards and outwards, although there is more area outside. For small discs,
        // that is too much.
        v_half.xy = sqrt(max(half_size * half_size - 1.0 / 12.0, vec2(0.25)));
        v_half.zw = 1.0 / v_half.xy;
        v_band = vec4(0.5, 1.0, min(3.0 * half_size.x * half_size.y, 1.0), 1.0);
    }
    if (kind == ELLIPSE)  // an ellipse's coverage is computed exactly
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
    v_stroke_color = in_stroke_color;
    v_area = vec4(straight ? half_size + 0.5 : vec2(FAR), most);
    opacity += in_stroke_color.a;
#endif
#ifdef ARCS
    float half_sweep = min(0.5 * abs(in_form.y), PI);
    bool piece = kind == ARC && half_sweep < PI, cut = !stroked || (in_info & BUTT) != 0u;
    v_arc = vec4(-2.0, 0.0, FAR, FAR);  // for shapes without tips
    if (piece)
        v_arc = vec4(cos(half_sweep), sin(half_sweep), cut ? FAR : 0.0, cut ? 0.5 : FAR);
#endif
#ifdef DASHES
    vec3 dash = even / sharpness * in_stroke.yzw;  // the ends of dashes fade over a pixel
    float period = max(dash.x + dash.y, 1e-6), begin = kind == LINE ? half_size.x : 0.0;
#ifdef ARCS
    if (kind == ARC)  // dashes begin at the arc's start and run in its direction
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
        beside = 0.5 * (abs(axis.x) + abs(axis.y));  // if the corner of a pixel is in it
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
    v_gradient_to = (in_info & (LINEAR | RADIAL)) != 0u ? in_gradient_to - v_color : vec4(0.0);
    opacity += (in_info & (LINEAR | RADIAL)) != 0u ? in_gradient_to.a : 0.0;
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

    // Hidden shapes, and shapes whose size is 0 or NaN, are moved outside the screen, as in sprite_corner.glsl.
    bool drawn = (in_info & VISIBLE) != 0u && even > 0.0 && opacity > 0.0 && (kind != PATH || stroked || least > 0.0);
    if (!drawn || floatBitsToUint(abs(place.x) + abs(place.y)) > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
