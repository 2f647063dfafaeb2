// How much of this pixel a shape covers, from the distance to its edge in pixels.
// The macros say what the batch has: there are drivers that run through all there is, whatever a pixel needs of it.
// framework/plane/figures.py chooses.
#include "outlines.glsl"

in vec3 v_place;  // these are explained in shapes.vert
flat in vec4 v_half;
flat in vec4 v_color;
flat in uvec2 v_info;
flat in vec4 v_straight;
flat in vec4 v_round;
#ifdef EDGES
flat in vec4 v_edge_color;
#endif
#ifdef GRADIENTS
flat in vec4 v_end_color;
#endif
#ifdef DASHES
flat in vec4 v_dash;
#endif
#ifdef ARCS
flat in vec4 v_arc;
#endif
#ifdef PATHS
flat in vec4 v_points[HANDED_ON];
#ifdef LONG_PATHS
uniform sampler2D points;
#endif
#endif

out vec4 color;  // premultiplied alpha

const float FAR = 1e9;

// Of the shape: distances to the middle of its stroke and to the edge of its area, how much of the stroke is left at
// its ends, and how far along it this is.
struct Distances {
    float stroke, area, left, along;
};

// The part of a pixel that lies between -half and half, from its distance to the middle between them.
float band(float distance, float half_width) {
    return clamp(min(distance + 0.5, half_width) - max(distance - 0.5, -half_width), 0.0, 1.0);
}

// That of a box with straight corners: exact along the pixel grid.
float box_part(vec2 place, vec2 half_size) {
    vec2 part = clamp(min(place + 0.5, half_size) - max(place - 0.5, -half_size), 0.0, 1.0);
    return part.x * part.y;
}

// To a circle; where it is scaled to an ellipse, nearly.
float to_circle() {
    vec2 part = v_place.xy * v_half.zw;
    float away = length(part);
    return away * (away - 1.0) / max(length(part * v_half.zw), 1e-6);
}

// To a box with round corners, or to a line, which is one without a height.
float to_round_box() {
    vec2 q = abs(v_place.xy) - v_half.xy + v_round.x;
    return min(max(q.x, q.y), 0.0) + length(max(q, 0.0)) - v_round.x;
}

#ifdef ELLIPSES
// To an ellipse, by its curvature's centre, a few times over (after 0xfaded, "A simple method for distance to
// ellipse", 2017), from the point in about the same direction.
float to_ellipse() {
    vec2 p = abs(v_place.xy), ab = max(v_half.xy, vec2(1e-4));
    vec2 part = p * v_half.zw, t = normalize(part + 0.5);
    vec2 evolute = vec2(ab.x * ab.x - ab.y * ab.y, ab.y * ab.y - ab.x * ab.x) * v_half.zw;
    for (int i = 0; i < ELLIPSES; i++) {
        vec2 center = evolute * t * t * t, to = p - center, from = ab * t - center;
        t = clamp((to * sqrt(dot(from, from) / max(dot(to, to), 1e-12)) + center) * v_half.zw, 0.0, 1.0);
        t *= inversesqrt(max(dot(t, t), 1e-12));
    }
    return length(p - ab * t) * (dot(part, part) < 1.0 ? -1.0 : 1.0);
}
#endif

#ifdef ARCS
// A piece of a circle's outline, or of its area. `q` is the place, seen from the middle of the piece.
Distances arc_distances(vec2 q) {
    float away = length(q), ring = away - v_half.x;
    vec2 tip = v_arc.zw, p = vec2(q.x, abs(q.y));
    float past = tip.x * p.y - tip.y * p.x, to_tip = dot(p, tip);  // beyond the line from the middle through the tip
    if (tip.x < -1.0)
        return Distances(ring, ring, 1.0, 0.0);
    bool within = q.x >= tip.x * away, butt = (v_info.x & BUTT) != 0u;
    float area = max(ring, length(p - tip * clamp(to_tip, 0.0, v_half.x)) * sign(past));
    float left = to_tip < 0.0 ? float(within) : clamp(0.5 - past, 0.0, 1.0);
    return Distances(within || butt ? ring : length(p - v_half.x * tip), area, butt ? left : 1.0, 0.0);
}
#endif

#ifdef PATHS
// Two points of a path, in pixels; after the last one comes the first one again.
#ifdef LONG_PATHS
vec4 points_of(int pair) {
    return texelFetch(points, texel_place(int(v_info.x >> FIRST_BIT) + 1 + pair), 0) * 2.0 * v_half.xyxy;
}
#else
vec4 points_of(int pair) {
    vec4 found = v_points[0];
    for (int i = 1; i < HANDED_ON; i++)
        found = i == pair ? v_points[i] : found;
    return found;
}
#endif

// The distance to an edge of an area, squared, and whether a line to the right meets it: then the sign is turned.
// The edge's ends are seen from this pixel.
void meet_edge(vec2 a, vec2 b, inout float edge, inout bool inside) {
    vec2 way = b - a;
    vec2 off = a - way * clamp(dot(a, way) / max(dot(way, way), 1e-12), -1.0, 0.0);
    edge = min(edge, dot(off, off));
    inside = inside != ((a.y > 0.0) != (b.y > 0.0) && (a.x * b.y > a.y * b.x) == (b.y > 0.0));
}

#ifdef STROKES
Distances path_distances() {
    int next = 2, count = int(v_info.y);
    bool closed = (v_info.x & CLOSED) != 0u, butt = (v_info.x & BUTT) != 0u, inside = false;
    int pieces = closed ? count : count - 1;
    uint join = v_info.x & JOIN;
    vec2 a = v_points[0].xy, b = v_points[0].zw, u = (b - a) * inversesqrt(max(dot(b - a, b - a), 1e-12));
    float edge = FAR, middle = FAR, along = 0.0, walked = 0.0, left = 1.0;
    for (int i = 0; i < pieces; i++) {
        int at = next < count ? next : next - count;
        vec4 two = at < 2 ? v_points[0] : points_of(at >> 1);
        vec2 c = (at & 1) == 0 ? two.xy : two.zw;
        next++;
        meet_edge(a - v_place.xy, b - v_place.xy, edge, inside);
        vec2 v = (c - b) * inversesqrt(max(dot(c - b, c - b), 1e-12)), r = v_place.xy - b, q = v_place.xy - a;
        float reach = length(b - a), t = dot(q, u), side = abs(dot(q, vec2(-u.y, u.x)));
        bool starts = !closed && i == 0, ends = !closed && i == pieces - 1;
        float near = FAR, cut = 1.0;
        if (t >= 0.0 && t <= reach)
            near = side;
        else if (t > reach && !ends) {
            if (dot(r, v) < 0.0) {  // between the two pieces, on the outer side of the corner
                vec2 m = (u - v) * inversesqrt(max(dot(u - v, u - v), 1e-12));
                float turn = u.x * v.y - u.y * v.x > 0.0 ? -1.0 : 1.0;
                vec2 n = turn * vec2(-u.y, u.x), o = turn * vec2(-v.y, v.x);
                float narrow = dot(m, n);
                if (join == 0u)
                    near = length(r);
                else if (join == MITER && narrow >= 0.25)
                    near = max(dot(n, r), dot(o, r));
                else
                    near = dot(m, r) + v_round.y * (1.0 - narrow);
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
            along = walked + clamp(t, 0.0, reach);
            left = cut;
        }
        walked += reach;
        u = v;
        a = b;
        b = c;
    }
    return Distances(middle, sqrt(edge) * (inside ? -1.0 : 1.0), left, along);
}
#else
Distances path_distances() {
    vec4 two = v_points[0] - v_place.xyxy;
    vec2 first = two.xy;
    float edge = FAR;
    bool inside = false;
    meet_edge(first, two.zw, edge, inside);
#ifdef LONG_PATHS
    int pairs = (int(v_info.y) + 1) / 2;
#else
    const int pairs = HANDED_ON;
#endif
    for (int pair = 1; pair < pairs; pair++) {
        vec4 following = points_of(pair) - v_place.xyxy;
        meet_edge(two.zw, following.xy, edge, inside);
        meet_edge(following.xy, following.zw, edge, inside);
        two = following;
    }
    meet_edge(two.zw, first, edge, inside);
    return Distances(FAR, sqrt(edge) * (inside ? -1.0 : 1.0), 1.0, 0.0);
}
#endif
#endif

Distances distances() {
    uint kind = v_info.x & KIND;
    float round_box = to_round_box();
    if (kind == CIRCLE)
        round_box = to_circle();
    Distances found = Distances(round_box, round_box, 1.0, v_place.x + v_half.x);
#ifdef ELLIPSES
    if (kind == ELLIPSE)
        found.stroke = found.area = to_ellipse();
#endif
#ifdef ARCS
    vec2 q = mat2(v_arc.x, -v_arc.y, v_arc.y, v_arc.x) * v_place.xy;
    if (kind == ARC)
        found = arc_distances(q);
#endif
#ifdef PATHS
    if (kind == PATH)
        found = path_distances();
#endif
#ifdef AROUND
    vec2 way = v_place.xy;
#ifdef ARCS
    way = kind == ARC ? vec2(q.x, v_info.y == 0u ? q.y : -q.y) : way;
#endif
    if (kind == ARC || kind == CIRCLE || kind == ELLIPSE)
        found.along = atan(way.y, way.x) * (kind == ARC ? v_half.x : 0.5 * (v_half.x + v_half.y));
#endif
    return found;
}

// 1 on a dash, 0 in a gap, at a place along the outline.
float dashed(float along) {
#ifdef DASHES
    float at = along + v_dash.z;
    at -= v_dash.y * floor(at * v_dash.w) + v_dash.x;
    if ((v_info.x & DASHED) != 0u)
        return min(band(at, v_dash.x) + band(at - v_dash.y, v_dash.x), 1.0);
#endif
    return 1.0;
}

void main() {
    uint kind = v_info.x & KIND;
    Distances found = distances();
    vec2 square = v_place.xy * v_round.w;
    bool straight = kind == BOX ? v_round.x <= 0.0 : kind == LINE && (v_info.x & BUTT) != 0u;
    float box = box_part(square, v_straight.xy) - box_part(square, v_straight.zw);
    float stroke = straight ? box : band(found.stroke, v_round.y) * found.left;
    float area = straight ? box : clamp(0.5 - found.area, 0.0, 1.0) * v_round.z;
    stroke *= dashed(found.along);
#ifdef GRADIENTS
    float part = (v_info.x & LINEAR) != 0u ? v_place.z : length(v_place.xy * v_half.zw);
    vec4 shown = mix(v_color, v_end_color, (v_info.x & (LINEAR | RADIAL)) != 0u ? clamp(part, 0.0, 1.0) : 0.0);
#else
    vec4 shown = v_color;
#endif
    shown.rgb *= shown.a;
    bool stroked = v_round.y > 0.0 || kind == LINE;
#ifdef EDGES
    if ((v_info.x & EDGED) != 0u) {
        vec4 edge = vec4(v_edge_color.rgb * v_edge_color.a, v_edge_color.a) * stroke;
        area = straight ? box_part(square, v_half.xy * v_round.w) : area;
        color = edge + shown * area * (1.0 - edge.a);
        return;
    }
#endif
    color = shown * (stroked ? stroke : area);
}
