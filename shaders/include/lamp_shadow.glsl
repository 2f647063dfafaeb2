// A wall's part of a lamp's row of distances: a stripe over the bins that it is seen in. Of one that is seen on both
// sides of the row's ends, there are two.
#include "lamplight.glsl"

uniform int columns;  // rows that there is room for

flat out vec4 v_wall;  // its ends, seen from the lamp
flat out float v_depth;

// `corner` is 0 to 11: of two quads of two triangles each.
void put_stripe(vec4 wall, float depth, int lamp, int corner, bool there) {
    vec2 throws_radius = texelFetch(lamps, ivec2(lamp, 2), 0).zw;
    bool throws = throws_radius.x > 0.5;
    float radius = throws_radius.y;
    v_wall = wall - texelFetch(lamps, ivec2(lamp, 0), 0).xyxy;
    v_depth = depth;
    vec2 low = min(v_wall.xy, v_wall.zw), high = max(v_wall.xy, v_wall.zw);
    bool near = throws && there && radius > 0.0 && all(lessThanEqual(low, vec2(radius)))
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
    float row = (float(lamp) + float(at >> 1)) / float(columns);
    gl_Position = vec4(along / PI, row * 2.0 - 1.0, 0.0, 1.0);
    if (!near || (second && !wraps))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
