// Draws ribbons and trails: strips through points. Each instance is the piece between two points. Each point has four
// texels.
#include "frame.glsl"

uniform sampler2D points;  // previous and current position; width and position along the strip, previous and current;
                           // previous color; current color
uniform int count;

out vec2 v_across;  // pixels from the strip's middle line, and half its width there
out float v_along;  // position along the strip in images
out vec4 v_color;

vec4 texel(int point, int part) {
    int at = 4 * clamp(point, 0, count - 1) + part;
    int width = textureSize(points, 0).x;
    return texelFetch(points, ivec2(at % width, at / width), 0);
}

vec2 place(int point) {
    vec4 both = texel(point, 0);
    return mix(both.xy - eye, both.zw - eye, alpha);
}

vec2 direction(vec2 a, vec2 b) {
    vec2 d = b - a;
    float far = length(d);
    return far > 0.0 ? d / far : vec2(0.0);
}

float width_of(int point) {
    vec2 both = texel(point, 1).xy;
    return mix(both.x, both.y, alpha);
}

// Return the direction of the nearest drawn piece, backwards (-1) or forwards (1) from a point, or 0 if there is no
// such piece.
vec2 beyond(int point, int way) {
    vec2 start = place(point), found = vec2(0.0);
    for (int at = point + way; at >= 0 && at < count && found == vec2(0.0); at += way) {
        if (width_of(at - way) == 0.0 && width_of(at) == 0.0)
            break;
        found = float(way) * direction(start, place(at));
    }
    return found;
}

void main() {
    bool last = gl_VertexID > 1;
    int point = gl_InstanceID + int(last);
    vec2 start = place(gl_InstanceID), end = place(gl_InstanceID + 1);
    vec2 own = direction(start, end), other = own == vec2(0.0) ? own : beyond(point, last ? 1 : -1);
    // At a join, both pieces share an edge that is perpendicular to the mean of their directions and as long as a
    // miter. If the strip turns by more than 150 degrees, this edge would be a spike. Then each piece ends separately,
    // far enough beyond the corner to leave no gap.
    float turn = dot(own, other);
    bool sharp = turn < -0.87;
    vec2 tangent = sharp || own == vec2(0.0) ? own : normalize(own + other);
    float miter = 1.0 / max(dot(tangent, own), 0.5);
    float further = sharp ? 0.5 * sqrt(max(1.0 - turn * turn, 0.0)) : 0.0;

    vec4 numbers = texel(point, 1);
    float pixels = sqrt(pixels_per_unit.x * pixels_per_unit.y);
    float half_width = 0.5 * width_of(point) * pixels;
#ifdef SMOOTH_EDGES
    float reach = half_width > 0.0 ? half_width + 0.5 : 0.0;  // so that edges can fade over partly covered pixels
#else
    float reach = half_width;
#endif
    float side = gl_VertexID % 2 == 0 ? -1.0 : 1.0;
    v_across = vec2(side * reach, half_width);
    v_along = mix(numbers.z, numbers.w, alpha);
    vec4 color = mix(texel(point, 2), texel(point, 3), alpha);
    v_color = vec4(color.rgb * color.a, color.a);

    vec2 out_by = vec2(-tangent.y, tangent.x) * side * miter + own * (last ? further : -further);
    vec2 at = (last ? end : start) + out_by * reach / max(pixels, 1e-20);
    gl_Position = vec4(mat2(view_projection) * at, 0.0, 1.0);
    // Pieces of length 0 and pieces with NaN are moved outside the screen, as in sprite_corner.glsl.
    float sum = abs(at.x) + abs(at.y) + abs(own.x) + abs(own.y) + reach;
    if (own == vec2(0.0) || floatBitsToUint(sum) > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
