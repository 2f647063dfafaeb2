// One of the four corners of a sprite, from gl_VertexID, and what its fragment shader starts from (sprite.glsl).
// Include it after frame.glsl.
#include "pose2d.glsl"
#include "regions.glsl"

out vec2 v_texel;          // within the image, from its bottom left corner
flat out vec4 v_rectangle; // of the image in the atlas: x, y, width, height in texels; of a half, a quarter, … of it
                           // where it is drawn so small
#ifdef HOOK
#include "hook.glsl"
out vec4 v_color;
#else
flat out vec4 v_color;
#endif
#ifdef SPANS
flat out vec2 v_span;      // of the side that is shrunk more than the other: its texels in a pixel; else 0
#endif
#ifdef SMOOTH_EDGES
out vec2 v_edge;           // the same place along the sprite's own axes; 1 is the width over which edges fade
flat out vec2 v_size;      // the sprite's size in that measure
#endif

// Width and height of an image in texels.
vec2 image_size(int image) {
    return region(2 * image).zw;
}

void put_corner(vec2 position, float angle, vec2 scale, int image, bvec2 flipped, vec4 tint, bool visible) {
    v_rectangle = region(2 * image);
    vec3 anchor_halvings = region(2 * image + 1).xyz;
    vec2 anchor = anchor_halvings.xy;
    vec2 size = v_rectangle.zw;
    v_color = tint;

    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 local = corner * size;
    vec2 pixels_per_texel = abs(scale) * pixels_per_unit;
    // Seen from the camera: far from the world's origin, only the small numbers that are left keep their digits.
    mat4 model = model_matrix(position - eye, angle, scale);
#ifdef SMOOTH_EDGES
    // Edges fade over a pixel, or over up to 1.41 where the sprite is turned against the pixel grid: this width
    // (a filter with its zeros at the grid's frequency) keeps a sprite's brightness and centre still as it moves.
    vec2 axis = abs(mat2(view_projection) * model[0].xy * viewport);
    vec2 per_texel = pixels_per_texel * max(axis.x, axis.y) / max(length(axis), 1e-30);
    // Half of that more on every side, so that edges can fade over the pixels that they cover in part.
    local += (corner * 2.0 - 1.0) * 0.5 / max(per_texel, vec2(1e-6));
    v_edge = local * per_texel;
    v_size = size * per_texel;
#endif
    // Mirrored about the anchor, as a scale of -1 does: the image within its box, and the box's place.
    v_texel = mix(local, size - local, flipped);
    anchor = mix(anchor, size - anchor, flipped);

    // Drawn small, the image is read from the one of its sizes that is nearest to the picture's, where texels are the
    // means of those that fall into a pixel. Chosen for a sprite as a whole, and by the side that is shrunk less: of the
    // other one, the fragment shader takes the mean, of up to 8 texels. Where more fall into a pixel, both give way.
    // That is a program of its own (SPANS), for batches that have such sprites: a loop, which makes drivers slow.
    vec2 texels_per_pixel = 1.0 / max(pixels_per_texel, vec2(1e-6));
    float less = min(texels_per_pixel.x, texels_per_pixel.y), more = max(texels_per_pixel.x, texels_per_pixel.y);
#ifdef SPANS
    int level = int(log2(max(less, more / 8.0)) + 0.5);
#else
    int level = int(log2(less) + 0.5);
#endif
    level = clamp(level, 0, int(anchor_halvings.z));  // of a scale that is not a number, too
    if (level > 0) {
        v_rectangle = reduced_rectangle(v_rectangle, level);
        v_texel *= v_rectangle.zw / size;
    }
#ifdef SPANS
    vec2 span = texels_per_pixel * v_rectangle.zw / size;
    bool apart = more > less * 1.01 && max(span.x, span.y) > 1.4143;  // beyond what is left where both are as small
    v_span = apart ? vec2(greaterThan(span, span.yx)) * span : vec2(0.0);
#endif

    vec4 place = model * vec4(local - anchor, 0.0, 1.0);
#ifdef HOOK
    vec2 shift = vec2(0.0);
    vertex(place.xy + eye, corner, shift, v_color);
    place.xy += shift;
#endif
    gl_Position = vec4(mat2(view_projection) * place.xy, 0.0, 1.0);
#ifdef TEXELS
    // Pixel art: the sprite's own corner lies on a corner of texels, of which the camera has a whole number to the
    // left of the world's origin and below it. Halves go up, with some room for what rounding left of them.
    vec2 at = mat2(view_projection) * (model * vec4(-anchor, 0.0, 1.0)).xy;
    at = (at * 0.5 + 0.5) * viewport;
    gl_Position.xy += (floor(at + 0.5 + 1.0 / 64.0) - at) * 2.0 / viewport;
#endif
#if defined(NEAREST) && !defined(SMOOTH_EDGES)
    // An image of odd size at a whole place has its texels' borders right on pixel centres, where rounding would
    // show some texels twice and others not at all: 1/64 pixel to the side, all of them fall the same way.
    gl_Position.xy += (2.0 / 64.0) / viewport;
#endif

    // Rows that are hidden, of no size, or not a number are put outside of the picture, all corners on one point.
    // As bits, NaN and infinity are above every number; drivers may turn !(x < y) into x >= y, which NaN is not.
    visible = visible && min(pixels_per_texel.x, pixels_per_texel.y) > 0.0;
    uint bits = floatBitsToUint(abs(place.x) + abs(place.y));
    if (!visible || bits > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
