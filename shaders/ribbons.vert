// A strip through points: an instance each piece of it, between two of its points. Of each point, four texels.
#include "frame.glsl"

uniform sampler2D points;  // where it was and is; width and place along the strip, then and now; colour then; now
uniform int count;

out vec2 v_across;  // pixels from the strip's middle line, and half its width there
out float v_along;  // images
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

void main() {
    bool last = gl_VertexID > 1;
    int point = gl_InstanceID + int(last);
    vec2 start = place(gl_InstanceID), end = place(gl_InstanceID + 1);
    vec2 own = direction(start, end);
    // At a join both pieces have the same edge: across the mean of their directions, and as far as a miter goes.
    vec2 other = last ? direction(end, place(point + 1)) : direction(place(point - 1), start);
    vec2 tangent = own + (dot(own, other) > -0.99 ? other : vec2(0.0));
    tangent = length(tangent) > 0.0 ? normalize(tangent) : own;
    float miter = 1.0 / max(dot(tangent, own), 0.5);

    vec4 numbers = texel(point, 1);
    float width = mix(numbers.x, numbers.y, alpha);
    float pixels = sqrt(pixels_per_unit.x * pixels_per_unit.y);
    float half_width = 0.5 * width * pixels;
#ifdef SMOOTH_EDGES
    float reach = half_width > 0.0 ? half_width + 0.5 : 0.0;  // so that edges can fade over the pixels that they cover in part
#else
    float reach = half_width;
#endif
    float side = gl_VertexID % 2 == 0 ? -1.0 : 1.0;
    v_across = vec2(side * reach, half_width);
    v_along = mix(numbers.z, numbers.w, alpha);
    vec4 color = mix(texel(point, 2), texel(point, 3), alpha);
    v_color = vec4(color.rgb * color.a, color.a);

    vec2 at = (last ? end : start) + vec2(-tangent.y, tangent.x) * side * miter * reach / max(pixels, 1e-20);
    gl_Position = vec4(mat2(view_projection) * at, 0.0, 1.0);
    // What has no length or is not a number is put outside of the picture; as in sprite_corner.glsl.
    float sum = abs(at.x) + abs(at.y) + abs(own.x) + abs(own.y) + reach;
    if (own == vec2(0.0) || floatBitsToUint(sum) > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
