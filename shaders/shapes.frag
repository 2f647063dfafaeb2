// How much of this pixel a shape covers, from the distance to its edge in pixels.
// RICH: with all that few batches have, which makes drivers slow. framework/plane/figures.py chooses.
#include "outlines.glsl"

in vec2 v_place;
flat in vec2 v_half;
flat in vec4 v_stroke;
flat in vec4 v_form;
flat in vec4 v_color;
flat in vec4 v_end_color;
flat in vec4 v_edge_color;
flat in uint v_info;
flat in float v_sharpness;

uniform sampler2D points;  // of paths: how many, then x and y of each, as parts of the size

out vec4 color;  // premultiplied alpha

const float FAR = 1e9;
const float PI = 3.14159265358979;

// The part of a pixel that lies between -half and half, from its distance to the middle between them.
float band(float distance, float half_width) {
    return clamp(min(distance + 0.5, half_width) - max(distance - 0.5, -half_width), 0.0, 1.0);
}

float filled(float distance) {
    return clamp(0.5 - distance, 0.0, 1.0);
}

// That of a box with straight corners: exact along the pixel grid.
float box_part(vec2 half_size) {
    vec2 place = v_place * v_sharpness, size = half_size * v_sharpness;
    return band(place.x, size.x) * band(place.y, size.y);
}

// 1 on a dash, 0 in a gap, at a place along the outline.
float dashed(float along) {
#ifdef RICH
    if ((v_info & DASHED) != 0u) {
        float period = v_stroke.y + v_stroke.z, at = mod(along + v_stroke.w, period) - 0.5 * v_stroke.y;
        return min(band(at, 0.5 * v_stroke.y) + band(at - period, 0.5 * v_stroke.y), 1.0);
    }
#endif
    return 1.0;
}

// To a circle; where it is scaled to an ellipse, nearly.
float to_circle(vec2 half_size) {
    vec2 part = v_place / max(half_size, vec2(1e-4));
    float away = length(part);
    return away * (away - 1.0) / max(length(part / max(half_size, vec2(1e-4))), 1e-6);
}

float to_round_box(vec2 half_size, float radius) {
    vec2 q = abs(v_place) - half_size + radius;
    return min(max(q.x, q.y), 0.0) + length(max(q, 0.0)) - radius;
}

#ifdef RICH
// To an ellipse, by its curvature's centre, a few times over (after 0xfaded, "A simple method for distance to
// ellipse", 2017).
float to_ellipse(vec2 half_size) {
    vec2 p = abs(v_place), ab = max(half_size, vec2(1e-4)), t = vec2(0.70710678);
    for (int i = 0; i < 4; i++) {
        vec2 center = vec2(ab.x * ab.x - ab.y * ab.y, ab.y * ab.y - ab.x * ab.x) * t * t * t / ab;
        vec2 to = p - center;
        t = clamp((to * (length(ab * t - center) / max(length(to), 1e-6)) + center) / ab, 0.0, 1.0);
        t /= max(length(t), 1e-6);
    }
    vec2 part = p / ab;
    return length(p - ab * t) * (dot(part, part) < 1.0 ? -1.0 : 1.0);
}

float around() {
    return (v_info & DASHED) != 0u ? atan(v_place.y, v_place.x) * 0.5 * (v_half.x + v_half.y) : 0.0;
}

vec4 texel(int index) {
    int width = textureSize(points, 0).x;
    return texelFetch(points, ivec2(index % width, index / width), 0);
}

// A path: its stroke's part of the pixel, and its area's.
vec2 path_parts() {
    int first = int(v_info >> FIRST_BIT), count = int(texel(first).x);
    bool closed = (v_info & CLOSED) != 0u, butt = (v_info & BUTT) != 0u;
    uint join = v_info & JOIN;
    int pieces = closed ? count : count - 1;
    vec2 size = 2.0 * v_half;
    vec2 a = texel(first + 1).xy * size, b = texel(first + 2).xy * size;
    float middle = FAR, edge = FAR, along = 0.0, walked = 0.0, end = 1.0;
    bool inside = false;
    vec2 u = (b - a) / max(length(b - a), 1e-6);
    for (int i = 0; i < pieces; i++) {
        vec2 c = texel(first + 1 + (i + 2) % count).xy * size;
        vec2 v = (c - b) / max(length(c - b), 1e-6), q = v_place - a, r = v_place - b;
        float reach = length(b - a), t = dot(q, u), side = abs(dot(q, vec2(-u.y, u.x)));
        bool starts = !closed && i == 0, ends = !closed && i == pieces - 1;
        edge = min(edge, length(q - u * clamp(t, 0.0, reach)));
        if ((a.y > v_place.y) != (b.y > v_place.y)
                && v_place.x < a.x + (b.x - a.x) * (v_place.y - a.y) / (b.y - a.y))
            inside = !inside;
        float near = FAR, cut = 1.0;
        if (t >= 0.0 && t <= reach)
            near = side;
        else if (t > reach && !ends) {
            if (dot(r, v) < 0.0) {  // between the two pieces, on the outer side of the corner
                vec2 m = (u - v) / max(length(u - v), 1e-6);
                float turn = u.x * v.y - u.y * v.x > 0.0 ? -1.0 : 1.0;
                vec2 n = turn * vec2(-u.y, u.x), o = turn * vec2(-v.y, v.x);
                float narrow = dot(m, n);
                if (join == 0u)
                    near = length(r);
                else if (join == MITER && narrow >= 0.25)
                    near = max(dot(n, r), dot(o, r));
                else
                    near = dot(m, r) + v_stroke.x * (1.0 - narrow);
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
            end = cut;
        }
        walked += reach;
        a = b;
        b = c;
        u = v;
    }
    float stroke = band(middle, v_stroke.x) * end * dashed(along);
    return vec2(stroke, filled(inside ? -edge : edge));
}

// A piece of a circle's outline, or of its area.
vec2 arc_parts() {
    float middle = v_form.x + 0.5 * v_form.y, half_sweep = min(0.5 * abs(v_form.y), PI), radius = v_half.x;
    vec2 q = mat2(cos(middle), -sin(middle), sin(middle), cos(middle)) * v_place;
    float turned = atan(q.y, q.x), away = length(q), open = abs(turned) - half_sweep;
    vec2 tip = vec2(cos(half_sweep), sin(half_sweep));
    vec2 p = vec2(q.x, abs(q.y));
    float past = tip.x * p.y - tip.y * p.x;  // beyond the line from the middle through the tip
    float area = max(away - radius, length(p - tip * clamp(dot(p, tip), 0.0, radius)) * sign(past));
    if (half_sweep >= PI)
        area = away - radius;
    float stroke;
    if (half_sweep >= PI)
        stroke = band(away - radius, v_stroke.x);
    else if ((v_info & BUTT) != 0u)
        stroke = band(away - radius, v_stroke.x)
            * (abs(open) > 0.5 * PI ? float(open < 0.0) : clamp(0.5 - past, 0.0, 1.0));
    else
        stroke = band(open <= 0.0 ? away - radius : length(p - radius * tip), v_stroke.x);
    return vec2(stroke * dashed((turned + half_sweep) * radius), filled(area));
}

#endif

// The parts of the stroke and of the area, as bright as it is large where it is smaller than a pixel.
vec2 parts_of(float distance, float along) {
    return vec2(band(distance, v_stroke.x) * dashed(along), filled(distance) * min(1.0, 2.0 * min(v_half.x, v_half.y)));
}

vec2 box_parts() {
    float radius = min(v_form.x, min(v_half.x, v_half.y));
    if (radius <= 0.0) {
        vec2 inner = max(v_half - v_stroke.x, vec2(0.0));
        return vec2(box_part(v_half + v_stroke.x) - box_part(inner), box_part(v_half));
    }
    return parts_of(to_round_box(v_half, radius), 0.0);
}

float line_part() {
    if ((v_info & BUTT) != 0u)
        return band(v_place.x * v_sharpness, v_half.x * v_sharpness)
            * band(v_place.y * v_sharpness, v_stroke.x * v_sharpness) * dashed(v_place.x + v_half.x);
    float past = max(abs(v_place.x) - v_half.x, 0.0);
    return band(length(vec2(past, v_place.y)), v_stroke.x) * dashed(v_place.x + v_half.x);
}

vec4 shade() {
    vec4 straight = v_color;
#ifdef RICH
    float part = 0.0;
    if ((v_info & LINEAR) != 0u) {
        vec2 way = vec2(cos(v_form.w), sin(v_form.w));
        part = 0.5 + 0.5 * dot(v_place, way) / max(dot(abs(way), v_half), 1e-6);
    } else if ((v_info & RADIAL) != 0u)
        part = length(v_place / max(v_half, vec2(1e-6)));
    straight = mix(v_color, v_end_color, clamp(part, 0.0, 1.0));
#endif
    return vec4(straight.rgb * straight.a, straight.a);
}

void main() {
    uint kind = v_info & KIND;
    vec2 parts;
    if (kind == BOX)
        parts = box_parts();
#ifdef RICH
    else if (kind == ELLIPSE)
        parts = parts_of(to_ellipse(v_half), around());
    else if (kind == CIRCLE)
        parts = parts_of(to_circle(v_half), around());
    else if (kind == ARC)
        parts = arc_parts();
    else if (kind == PATH)
        parts = path_parts();
#else
    else if (kind == CIRCLE)
        parts = parts_of(to_circle(v_half), 0.0);
#endif
    else
        parts = vec2(line_part());
    vec4 shown = shade();
#ifdef RICH
    if ((v_info & EDGED) != 0u) {
        vec4 edge = vec4(v_edge_color.rgb * v_edge_color.a, v_edge_color.a) * parts.x;
        color = edge + shown * parts.y * (1.0 - edge.a);
    } else
#endif
        color = shown * (v_stroke.x > 0.0 ? parts.x : parts.y);
}
