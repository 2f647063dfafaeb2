// Computes how much of this pixel's area a shape covers, from the distance to the shape's edge in pixels. Some drivers
// execute all branches for every pixel, so framework/plane/shape_batch.py enables the features that a batch needs with
// macros. For the same reason, all kinds of shapes share the same code, and only the numbers from shapes.vert differ: a
// disc is a box with round corners and no sides, and a line is a box of height 0.
#include "outlines.glsl"

noperspective in vec3 v_place;  // see shapes.vert for these inputs
flat in vec4 v_half;
flat in vec4 v_color;
flat in uvec2 v_info;
flat in vec4 v_straight;
flat in vec4 v_limits;
flat in vec3 v_round;
flat in vec4 v_band;
#ifdef EDGES
flat in vec4 v_stroke_color;
flat in vec4 v_area;
#endif
#ifdef GRADIENTS
flat in vec4 v_gradient_to;
#endif
#ifdef DASHES
flat in vec4 v_dash;
flat in vec3 v_gap;
#endif
#ifdef ARCS
flat in vec4 v_arc;
#endif
#ifdef PATHS
#ifdef SLOPES
flat in vec2 v_heights[HANDED_ON];
flat in vec4 v_slopes[HANDED_ON];
#else
flat in vec4 v_points[HANDED_ON];
#endif
#ifdef LONG_PATHS
uniform sampler2D points;
#endif
#endif

out vec4 color;  // premultiplied alpha

const float FAR = 1e9;

// Return the approximate distance to a circle that is scaled to an ellipse.
float to_circle() {
    vec2 part = v_place.xy * v_half.zw;
    float away = length(part);
    return away * (away - 1.0) / max(length(part * v_half.zw), 1e-6);
}

#ifdef ELLIPSES
// Return how much of this pixel's area is inside an ellipse, in the ellipse's axes: the height of the ellipse over the
// pixel's width, at the two points of Gauss's rule. If the ellipse is steep, use its width over the pixel's height.
// This is nearly exact even where a distance is not: at the tips of thin ellipses, which are narrower than a pixel.
float in_ellipse() {
    vec2 p = abs(v_place.xy), slope = p * v_half.zw * v_half.zw;
    bool steep = p.y > 0.5 && slope.x > slope.y;
    vec4 size = steep ? v_half.yxwz : v_half;
    p = steep ? p.yx : p;
    float low = max(p.x - 0.5, -size.x), width = max(min(p.x + 0.5, size.x) - low, 0.0);
    vec2 at = (low + width * vec2(0.21132487, 0.78867513)) * size.z;
    vec2 high = size.y * sqrt(max(1.0 - at * at, 0.0));
    vec2 part = clamp(min(high + 0.5 - p.y, 2.0 * high), 0.0, 1.0);
    return 0.5 * width * (part.x + part.y);
}
#endif

#ifdef STROKED_ELLIPSES
// Return the distance to an ellipse, with a few steps via its center of curvature, from the point in about the same
// direction (after 0xfaded, "A simple method for distance to ellipse", 2017).
float to_ellipse() {
    vec2 p = abs(v_place.xy), ab = max(v_half.xy, vec2(1e-4));
    vec2 part = p * v_half.zw, t = normalize(part + 0.5);
    vec2 evolute = vec2(ab.x * ab.x - ab.y * ab.y, ab.y * ab.y - ab.x * ab.x) * v_half.zw;
    for (int i = 0; i < 4; i++) {
        vec2 center = evolute * t * t * t, to = p - center, from = ab * t - center;
        t = clamp((to * sqrt(dot(from, from) / max(dot(to, to), 1e-12)) + center) * v_half.zw, 0.0, 1.0);
        t *= inversesqrt(max(dot(t, t), 1e-12));
    }
    return length(p - ab * t) * (dot(part, part) < 1.0 ? -1.0 : 1.0);
}

// Return how much of this pixel's area an ellipse's outline covers: the part inside its outer edge minus the hole. If
// the hole is narrower than the pixel, use the height of the hole, which is computed from the distance of its middle
// line to the ellipse.
float on_ellipse(float half_stroke) {
    float edge = to_ellipse(), thin = 2.0 * min(v_half.x, v_half.y);
    vec2 ab = v_half.x < v_half.y ? v_half.yx : v_half.xy;
    float x = abs(v_half.x < v_half.y ? v_place.y : v_place.x), apart = ab.x * ab.x - ab.y * ab.y, high = FAR;
    if (x * ab.x < apart) {
        float far = ab.y * sqrt(max(1.0 - x * x / apart, 0.0)), up = ab.x * x / apart;
        high = 2.0 * max(far - half_stroke, 0.0) * far / max(ab.y * sqrt(max(1.0 - up * up, 0.0)), 1e-6);
    }
    float outer = clamp(half_stroke + 0.5 - edge, 0.0, min(thin + 2.0 * half_stroke, 1.0));
    return outer - clamp(0.5 - half_stroke - edge, 0.0, min(high, 1.0));
}
#endif

#ifdef AROUND
// Return the angle of a point, in -pi..pi. The error is below 1e-5 (Abramowitz and Stegun, "Handbook of Mathematical
// Functions", 4.4.49): a hundredth of a pixel on a circle as high as a screen, in half the time of atan.
float turn_to(vec2 place) {
    vec2 p = abs(place);
    float tangent = min(p.x, p.y) / max(max(p.x, p.y), 1e-20), s = tangent * tangent;
    float angle = tangent * (0.9998660 + s * (-0.3302995 + s * (0.1801410 + s * (-0.0851330 + s * 0.0208351))));
    angle = p.y > p.x ? 1.57079633 - angle : angle;
    angle = place.x < 0.0 ? 3.14159265 - angle : angle;
    return place.y < 0.0 ? -angle : angle;
}
#endif

#ifdef PATHS
// Return a position in the screen's axes, possibly mirrored or rotated by half a turn.
vec2 upright(vec2 place) {
    return v_round.x * place + v_round.y * vec2(-place.y, place.x);
}
#endif

#ifdef SLOPES
// Return how much of this pixel's area is inside a polygon: the sum, over all edges, of the area to the right of the
// edge within the edge's height in the pixel, negative if the edge goes down. The sum is also exact for thin polygons.
// The only approximation: if an edge cuts off a corner of the pixel, its part is assumed to grow evenly.
float in_polygon() {
    vec2 place = upright(v_place.xy), pixel = place.y + vec2(-0.5, 0.5), covered = vec2(0.0);
    vec2 first = clamp(v_heights[0], pixel.x, pixel.y), y = first;
    for (int pair = 0; pair < HANDED_ON; pair++) {
        vec2 next = pair + 1 < HANDED_ON ? clamp(v_heights[pair + 1], pixel.x, pixel.y) : first;
        vec2 above = vec2(2 * pair + 1 < PATHS ? y.y : first.x, next.x), high = above - y;
        vec2 middle = v_slopes[pair].xy + v_slopes[pair].zw * (y + above) - 2.0 * place.x;
        vec2 part = high * clamp(1.0 - middle / max(abs(high * v_slopes[pair].zw), 1.0), 0.0, 2.0);
        covered += 2 * pair + 1 < PATHS ? part : vec2(part.x, 0.0);
        y = next;
    }
    return abs(0.5 * (covered.x + covered.y));
}
#elif defined(PATHS)
// Return two points of a path in pixels, upright. The first point follows the last.
#ifdef LONG_PATHS
vec4 points_of(int pair) {
    vec4 two = texelFetch(points, texel_place(int(v_info.x >> FIRST_BIT) + 1 + pair), 0) * 2.0 * v_half.xyxy;
    return vec4(upright(two.xy), upright(two.zw));
}
#else
vec4 points_of(int pair) {
    vec4 found = v_points[0];
    for (int i = 1; i < HANDED_ON; i++)
        found = i == pair ? v_points[i] : found;
    return found;
}
#endif

// Return the area of this pixel to the right of an edge, within the edge's height, negative if the edge goes down. The
// ends of the edge are relative to the pixel. The sum over all edges of an area is the coverage.
float right_of(vec2 a, vec2 b) {
    vec2 y = clamp(vec2(a.y, b.y), -0.5, 0.5);
    vec2 x = a.x + (y - a.y) * (b.x - a.x) / (b.y == a.y ? 1.0 : b.y - a.y);
    return (y.y - y.x) * clamp(0.5 - 0.5 * (x.x + x.y) / max(abs(x.y - x.x), 1.0), 0.0, 1.0);
}

#ifdef STROKES
// For a path, return the distance to the middle of its stroke, how much of the pixel its area covers, how much of the
// stroke is left near its ends, and the position along the path.
struct Distances {
    float stroke, area, left, along;
};

Distances path_distances() {
    vec2 place = upright(v_place.xy);
    int next = 2, count = int(v_info.y);
    bool closed = (v_info.x & CLOSED) != 0u, butt = (v_info.x & BUTT) != 0u;
    int pieces = closed ? count : count - 1;
    uint join = v_info.x & JOIN;
    vec2 a = v_points[0].xy, b = v_points[0].zw, u = (b - a) * inversesqrt(max(dot(b - a, b - a), 1e-12));
    float covered = 0.0, middle = FAR, along = 0.0, walked = 0.0, left = 1.0;
    for (int i = 0; i < pieces; i++) {
        int at = next < count ? next : next - count;
        vec4 two = at < 2 ? v_points[0] : points_of(at >> 1);
        vec2 c = (at & 1) == 0 ? two.xy : two.zw;
        next++;
        covered += right_of(a - place, b - place);
        vec2 v = (c - b) * inversesqrt(max(dot(c - b, c - b), 1e-12)), r = place - b, q = place - a;
        float reach = length(b - a), t = dot(q, u), side = abs(dot(q, vec2(-u.y, u.x)));
        bool starts = !closed && i == 0, ends = !closed && i == pieces - 1;
        float near = FAR, cut = 1.0;
        if (t >= 0.0 && t <= reach)
            near = side;
        else if (t > reach && !ends) {
            if (dot(r, v) < 0.0) {  // between two pieces, on the outer side of the corner
                vec2 m = (u - v) * inversesqrt(max(dot(u - v, u - v), 1e-12));
                float turn = u.x * v.y - u.y * v.x > 0.0 ? -1.0 : 1.0;
                vec2 n = turn * vec2(-u.y, u.x), o = turn * vec2(-v.y, v.x);
                float narrow = dot(m, n);
                if (join == 0u)
                    near = length(r);
                else if (join == MITER && narrow >= 0.25)
                    near = max(dot(n, r), dot(o, r));
                else
                    near = dot(m, r) + (v_band.x - 0.5) * (1.0 - narrow);
            }
        } else if (butt && (t < 0.0 ? starts && t > -0.5 : t < reach + 0.5))
            near = side;
        else if (!butt && (starts || ends))
            near = length(t < 0.0 ? q : r);
        if (butt && starts)
            cut *= clamp(t + 0.5, 0.0, 1.0);
        if (butt && ends)
            cut *= clamp(reach - t + 0.5, 0.0, 1.0);
        if (near < middle) {
            middle = near;
            along = walked + clamp(t, starts ? t : 0.0, ends ? t : reach);  // round ends extend further
            left = cut;
        }
        walked += reach;
        u = v;
        a = b;
        b = c;
    }
    return Distances(middle, abs(covered), left, along);
}
#else
float in_polygon() {
    vec2 place = upright(v_place.xy);
    vec4 two = v_points[0] - place.xyxy;
    vec2 first = two.xy;
    float covered = right_of(first, two.zw);
    int pairs = (int(v_info.y) + 1) / 2;
    for (int pair = 1; pair < pairs; pair++) {
        vec4 following = points_of(pair) - place.xyxy;
        covered += right_of(two.zw, following.xy) + right_of(following.xy, following.zw);
        two = following;
    }
    return abs(covered + right_of(two.zw, first));
}
#endif
#endif

// Return 1 on a dash and 0 in a gap, at a position along the outline.
float dashed(float along) {
#ifdef DASHES
    float at = along * v_dash.x + v_dash.y;  // in dashes and gaps, then the distance from the middle of a dash
    at = abs(at - roundEven(at)) * v_dash.z;
    return min(clamp(v_dash.w - at, 0.0, v_gap.x) + clamp(v_gap.y + at, 0.0, v_gap.x), 1.0);
#else
    return 1.0;
#endif
}

#ifdef ARCS
// Return how far a position is beyond the line from the center through the tip. The line ends at the center. `past` is
// the distance from an endless line, and `away` is the distance from the center.
float beyond_tip(vec2 place, float past, float away) {
    return dot(place, v_arc.xy) >= 0.0 ? past : past < 0.0 ? -away : away;
}
#endif

void main() {
    uint kind = v_info.x & KIND;
    vec2 place = abs(v_place.xy), off = place - v_round.xy;
    float radius = v_round.z, along = v_place.x, left = 1.0;
#ifdef ARCS
    // Beyond the tip of an arc's outline, with the center to the right, use the distance to the tip.
    vec2 q = vec2(v_place.x, place.y);
    float past = v_arc.x * q.y - v_arc.y * q.x;
    if (past > v_arc.z) {
        off = abs(q - radius * v_arc.xy);
        radius = 0.0;
    }
#endif
    float away = length(max(off, 0.0)), edge = min(max(off.x, off.y), 0.0) + away - radius;
#ifdef ARCS
    float wide = v_arc.x > 0.0 ? 2.0 * q.x * v_arc.y : 1.0;  // approximate distance between the tips here
    left = clamp(v_arc.w - beyond_tip(q, past, away), 0.0, clamp(wide, 0.0, 1.0));
#endif
    if (kind == CIRCLE)
        edge = to_circle();
    float area = edge;
#ifdef ELLIPSES
    if (kind == ELLIPSE)
        edge = area = 0.5 - in_ellipse();
#endif
#ifdef STROKED_ELLIPSES
    if (kind == ELLIPSE && v_round.z > 0.0)
        edge = 0.5 - on_ellipse(v_round.z);
#endif
#ifdef PATHS
    if (kind == PATH) {
#ifdef STROKES
        Distances found = path_distances();
        area = 0.5 - found.area;
        edge = v_band.w < 0.0 ? found.stroke : area;
        left = found.left;
        along = found.along;
#else
        edge = area = 0.5 - in_polygon();
#endif
    }
#endif
#ifdef AROUND
    along = v_gap.z != 0.0 ? v_gap.z * turn_to(v_place.xy) : along;
#endif
    vec2 within = clamp(v_straight.xy - place, vec2(0.0), v_limits.xy);
    vec2 hole = clamp(v_straight.zw - place, vec2(0.0), v_limits.zw);
    float part = clamp(v_band.x - max(edge, edge * v_band.w), 0.0, v_band.y) * v_band.z * left * dashed(along);
    part *= within.x * within.y - hole.x * hole.y;
#ifdef GRADIENTS
    float reached = (v_info.x & LINEAR) != 0u ? v_place.z : length(v_place.xy * v_half.zw);
    vec4 shown = v_color + v_gradient_to * clamp(reached, 0.0, 1.0);
#else
    vec4 shown = v_color;
#endif
    shown.rgb *= shown.a;
#ifdef EDGES
    if ((v_info.x & EDGED) != 0u) {
        vec4 line = vec4(v_stroke_color.rgb * v_stroke_color.a, v_stroke_color.a) * part;
#ifdef ARCS
        if (kind == ARC) {  // an arc's area always ends at straight lines
            away = length(place);
            area = away - v_round.z;
            left = v_arc.x < -1.0 ? 1.0 : clamp(0.5 - beyond_tip(q, past, away), 0.0, 1.0);
        }
#endif
        vec2 filled = clamp(v_area.xy - place, vec2(0.0), v_area.zw);
        float inner = v_band.x < FAR ? clamp(0.5 - area, 0.0, 1.0) * left : 1.0;
        color = line + shown * (inner * filled.x * filled.y * (1.0 - line.a));
        return;
    }
#endif
    color = shown * part;
}
