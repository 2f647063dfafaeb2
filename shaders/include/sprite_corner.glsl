// Computes one of the four corners of a sprite from gl_VertexID, and the inputs of its fragment shader (sprite.glsl).
// Include it after frame.glsl.
#include "pose2d.glsl"
#include "regions.glsl"

out vec2 v_texel;          // position in the image, from its bottom left corner
flat out vec4 v_rectangle; // the image's rectangle in the atlas: x, y, width, height in texels; scaled-down sprites use
                           // a half, a quarter, …
#ifdef HOOK
#include "hook.glsl"
out vec4 v_color;
#else
flat out vec4 v_color;
#endif
#ifdef SPANS
flat out vec2 v_span;      // texels per pixel along the side that is reduced more, otherwise 0
#endif
#ifdef SMOOTH_EDGES
out vec2 v_edge;           // position along the sprite's own axes, in widths of a fading edge
flat out vec2 v_size;      // the sprite's size in the same unit
#endif

// Width and height of an image in texels.
vec2 image_size(int image) {
    return region(2 * image).zw;
}

#ifdef ALIGNED
bool at_rest;              // whether the sprite and the camera do not move in this tick
#endif

void put_corner(vec2 position, float angle, vec2 scale, int image, bvec2 flipped, vec4 tint, bool visible) {
    v_rectangle = region(2 * image);
    vec3 anchor_halvings = region(2 * image + 1).xyz;
    vec2 anchor = anchor_halvings.xy;
    vec2 size = v_rectangle.zw;
    v_color = tint;

    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 local = corner * size;
    vec2 pixels_per_texel = abs(scale) * pixels_per_unit;
    // Compute relative to the camera, because far from the world's origin only small differences are precise.
    mat4 model = model_matrix(position - eye, angle, scale);
#ifdef SMOOTH_EDGES
    // Edges fade over one pixel, or up to 1.41 pixels if the sprite is rotated relative to the pixel grid. This is the
    // width of a filter with its zeros at the grid's frequency. It keeps the brightness and the center of a moving
    // sprite constant.
    vec2 axis = abs(mat2(view_projection) * model[0].xy * viewport);
    vec2 per_texel = pixels_per_texel * max(axis.x, axis.y) / max(length(axis), 1e-30);
    // Enlarge every side by half of that width, so that edges can fade over partly covered pixels.
    local += (corner * 2.0 - 1.0) * 0.5 / max(per_texel, vec2(1e-6));
    v_edge = local * per_texel;
    v_size = size * per_texel;
#endif
    // Mirror the sprite about its anchor, like a scale of -1: both the image inside its box and the position of the
    // box.
    v_texel = mix(local, size - local, flipped);
    anchor = mix(anchor, size - anchor, flipped);

    // A scaled-down sprite uses the reduced image whose size is nearest to the size on screen. Each texel of a reduced
    // image is a mean. The reduction is chosen for the whole sprite, by the side that is reduced less. Along the other
    // side, the fragment shader computes the mean of up to 8 texels. If a pixel covers more texels than that, a smaller
    // image is chosen. Batches with such sprites use a separate program (SPANS), because its loop makes drivers slow.
    vec2 texels_per_pixel = 1.0 / max(pixels_per_texel, vec2(1e-6));
    float less = min(texels_per_pixel.x, texels_per_pixel.y), more = max(texels_per_pixel.x, texels_per_pixel.y);
#ifdef SPANS
    int level = int(log2(max(less, more / 8.0)) + 0.5);
#else
    int level = int(log2(less) + 0.5);
#endif
    level = clamp(level, 0, int(anchor_halvings.z));  // also for a scale that is NaN
    if (level > 0) {
        v_rectangle = reduced_rectangle(v_rectangle, level);
        v_texel *= v_rectangle.zw / size;
    }
#ifdef SPANS
    vec2 span = texels_per_pixel * v_rectangle.zw / size;
    // more than the difference that can remain if both sides are reduced equally
    bool apart = more > less * 1.01 && max(span.x, span.y) > 1.4143;
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
    // Pixel art: align the sprite's own corner with a corner of texels. The left and bottom edges of the image are a
    // whole number of texels away from the world's origin. Halves are rounded up, with a margin for rounding errors.
    vec2 at = mat2(view_projection) * (model * vec4(-anchor, 0.0, 1.0)).xy;
    at = (at * 0.5 + 0.5) * viewport;
    gl_Position.xy += (floor(at + 0.5 + 1.0 / 64.0) - at) * 2.0 / viewport;
#elif defined(ALIGNED)
    // If a texel of a glyph image is one pixel, a glyph at rest is drawn at whole pixels, because it would be blurred
    // between two pixels. A moving glyph is drawn at its exact position, so that its motion is even.
    bool upright = angle == 0.0 && view_projection[0].y == 0.0 && view_projection[1].x == 0.0;
    bool one_to_one = all(lessThan(abs(pixels_per_texel - 1.0), vec2(1e-3)));
    if (at_rest && upright && one_to_one) {
        vec2 at = mat2(view_projection) * (model * vec4(-anchor, 0.0, 1.0)).xy;
        at = (at * 0.5 + 0.5) * viewport;
        gl_Position.xy += (floor(at + 0.5 + 1.0 / 64.0) - at) * 2.0 / viewport;
    }
#endif
#if defined(NEAREST) && !defined(SMOOTH_EDGES)
    // If an image of odd size is at a whole position, the borders of its texels are at pixel centers. Rounding would
    // then show some texels twice and skip others. With a shift of 1/64 pixel, all of them are rounded in the same
    // direction.
    gl_Position.xy += (2.0 / 64.0) / viewport;
#endif

    // Move all corners of hidden rows, and of rows whose size is 0 or NaN, to one point outside the screen. Compared as
    // bits, NaN and infinity are greater than every number. Drivers may replace !(x < y) with x >= y, which is false
    // for NaN.
    visible = visible && min(pixels_per_texel.x, pixels_per_texel.y) > 0.0;
    uint bits = floatBitsToUint(abs(place.x) + abs(place.y));
    if (!visible || bits > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
