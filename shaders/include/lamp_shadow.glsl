// Draws a wall into a lamp's row of distances: a stripe over the directions in which the wall hides the light. If the
// stripe crosses the end of the row, there are two stripes.
#include "light2d_math.glsl"

uniform int columns;  // rows of the texture

flat out vec4 v_wall;  // the ends of the wall, relative to the lamp
flat out float v_depth;

#ifdef SOFT
flat out float v_bit;  // for a soft lamp: the bit that is added to the list, above 0
flat out vec4 v_other;  // for a box whose sides are written: its other two corners
const float WALL = -1.0, BOX = -2.0;  // v_bit while a wall is written, and while the four sides of a box are

// Sets one corner, 0 to 11, of two quads that cover texels. The second quad starts at the column `second_from`.
void put_texels(int corner, ivec2 from, ivec2 size, int second_width, int second_from) {
    bool second = corner >= 6;
    int at = second ? corner - 6 : corner;
    at = at < 3 ? at : at - 2;
    ivec2 texel = second ? ivec2(second_from, from.y) : from;
    texel += ivec2(at & 1, at >> 1) * (second ? ivec2(second_width, size.y) : size);
    gl_Position = vec4(vec2(texel) / vec2(float(BINS), float(columns)) * 2.0 - 1.0, 0.0, 1.0);
}

// Sets a corner of the texels of `count` walls, from `wall` on.
void put_walls(int wall, int count, int corner) {
    put_texels(corner, ivec2(2 * wall % BINS, wall_row + 2 * wall / BINS), ivec2(2 * count, 1), 0, 0);
}

// Widens the range of directions in which a wall may hide light from a disc, in turns from `middle`. The shadow of a
// wall lies between its tangents, up to the lamp's radius. In an empty range, x is above y.
vec2 widened(vec2 range, vec4 wall, float middle, float radius, float softness) {
    vec2 side = wall.zw - wall.xy;
    float share = clamp(-dot(wall.xy, side) / max(dot(side, side), 1e-12), 0.0, 1.0);
    float extent = max(radius, softness);
    if (any(greaterThan(min(wall.xy, wall.zw), vec2(extent))) || any(lessThan(max(wall.xy, wall.zw), vec2(-extent))))
        return range;
    if (length(wall.xy + share * side) <= softness * 1.0001)
        return vec2(-1.0, 1.0);
    float a = atan(wall.y, wall.x) / (2.0 * PI) - middle, b = atan(wall.w, wall.z) / (2.0 * PI) - middle;
    a -= roundEven(a);
    b -= roundEven(b - a);
    float edge = asin(min(softness / extent, 1.0));
    float first = (asin(min(softness / length(wall.xy), 1.0)) - edge) / (2.0 * PI);
    float last = (asin(min(softness / length(wall.zw), 1.0)) - edge) / (2.0 * PI);
    first = max(first, 0.0);
    last = max(last, 0.0);
    return vec2(min(range.x, min(a - first, b - last)), max(range.y, max(a + first, b + last)));
}

// Draws a group's bit into the lists of a soft lamp.
void put_group(int group, int lamp, int corner, float middle, vec2 range) {
    v_bit = float(1 << (group % GROUP_BITS));
    int block = group / GROUP_BITS, per_row = BINS / directions;
    ivec2 from = ivec2(block % per_row * directions, lamp * lamp_rows + block / per_row);
    int low = int(floor((middle + 0.5 + range.x) * float(directions) - 0.05));
    int high = int(ceil((middle + 0.5 + range.y) * float(directions) + 0.05));
    if (range.x > range.y)
        high = low;
    int width = high - low, left = low - int(floor(float(low) / float(directions))) * directions;
    if (width >= directions) {
        left = 0;
        width = directions;
    }
    int beyond = max(left + width - directions, 0);
    put_texels(corner, from + ivec2(left, 0), ivec2(width - beyond, 1), beyond, from.x);
}
#endif

// Sets one corner, 0 to 11, of two quads with two triangles each.
void put_stripe(vec4 wall, float depth, int lamp, int corner, bool casts) {
    vec2 throws_radius = texelFetch(lamps, ivec2(lamp, 2), 0).zw;
    bool throws = throws_radius.x > 0.5;
    float radius = throws_radius.y;
    v_wall = wall - texelFetch(lamps, ivec2(lamp, 0), 0).xyxy;
    v_depth = depth;
    vec2 low = min(v_wall.xy, v_wall.zw), high = max(v_wall.xy, v_wall.zw);
    bool near = throws && casts && radius > 0.0 && all(lessThanEqual(low, vec2(radius)))
        && all(greaterThanEqual(high, vec2(-radius)));
    float a = atan(v_wall.y, v_wall.x), b = atan(v_wall.w, v_wall.z);
    float start = min(a, b), end = max(a, b);
    bool wraps = end - start > PI;
    if (wraps) {
        float other = start + 2.0 * PI;
        start = end;
        end = other;
    }
    bool second = corner >= 6;
    int at = second ? corner - 6 : corner;
    at = at < 3 ? at : at - 2;  // 0 1 2, 1 2 3
    float along = ((at & 1) == 0 ? start : end) - (second ? 2.0 * PI : 0.0);
#ifdef SOFT
    v_bit = 0.0;
    float row = (float(lamp * lamp_rows) + float(at >> 1)) / float(columns);
#else
    float row = (float(lamp) + float(at >> 1)) / float(columns);
#endif
    gl_Position = vec4(along / PI, row * 2.0 - 1.0, 0.0, 1.0);
    if (!near || (second && !wraps))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
