// The beginning of a sprite's fragment shader. Include it in a shader of your own:
//
//     #include "sprite.glsl"
//     void main() { color = sprite_color().bgra; }
#include "frame.glsl"

in vec2 v_texel;
flat in vec4 v_rectangle;
#ifdef HOOK
in vec4 v_color;
#else
flat in vec4 v_color;
#endif
#ifdef SPANS
flat in vec2 v_span;
#endif
#ifdef SMOOTH_EDGES
in vec2 v_edge;
flat in vec2 v_size;
#endif

uniform sampler2D image;

out vec4 color;  // premultiplied alpha

// Return how much of this pixel's area is inside the sprite. The result is exact for edges along the pixel grid.
float edge_coverage() {
#ifdef SMOOTH_EDGES
    vec2 covered = clamp(min(v_edge + 0.5, v_size) - max(v_edge - 0.5, vec2(0.0)), 0.0, 1.0);
    return covered.x * covered.y;
#else
    return 1.0;
#endif
}

// Return the color of the image at a position in texels from its bottom left corner. Scaled-down sprites use an image
// of a half, a quarter, … of the size, as in `v_texel` and `v_rectangle` (sprite_corner.glsl chooses the size). The
// position is clamped to half a texel inside the image, so that a linear filter never reads a neighboring image in the
// atlas, at any zoom.
vec4 texel_color(vec2 texel) {
    vec2 inside = clamp(texel, vec2(0.5), v_rectangle.zw - 0.5);
    return texture(image, (v_rectangle.xy + inside) / vec2(textureSize(image, 0)));
}

// Return the color of the image for a sprite that is reduced more along one side: the mean of the pixel's texels along
// that side.
vec4 image_color(vec2 texel) {
#ifdef SPANS
    float span = v_span.x + v_span.y;
    if (span > 0.0) {
        float taps = min(ceil(span), 8.0);
        vec4 sum = vec4(0.0);
        for (float tap = 0.5; tap < taps; tap += 1.0)
            sum += texel_color(texel + v_span * (tap / taps - 0.5));
        return sum / taps;
    }
#endif
    return texel_color(texel);
}

// Return the sprite's premultiplied color at this pixel, from its image, tint and edge.
vec4 sprite_color() {
    return image_color(v_texel) * vec4(v_color.rgb * v_color.a, v_color.a) * edge_coverage();
}
