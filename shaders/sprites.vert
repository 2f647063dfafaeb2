// One sprite is one instance; its four corners come from gl_VertexID. A frame between two ticks changes only `alpha`.
#include "frame.glsl"
#include "pose2d.glsl"
#ifdef CLIPS
#include "clip.glsl"
#endif

#ifdef MOTION_EXTRAPOLATE
in vec2 in_state_position;  // as it was last known, and since when
in vec2 in_state_velocity;
in vec2 in_state_angle;     // and its spin
in vec4 in_state_error;     // of what was drawn then: x, y, angle; on which moment of the clock
#else
in vec2 in_previous_position;
in vec2 in_position;
in float in_previous_angle;
in float in_angle;
#endif
in vec2 in_previous_scale;
in vec2 in_scale;
#ifdef MOTION_HERMITE
in vec2 in_previous_velocity;
in vec2 in_velocity;
#endif
in vec4 in_color;  // straight alpha
in uint in_info;   // bits 0-23 the image, 24 visible, 25 and 26 flipped in x and y

uniform sampler2D regions;  // two texels an image: rectangle in the atlas; anchor, how often it was halved

out vec2 v_texel;          // within the image, from its bottom left corner
flat out vec4 v_rectangle; // of the image in the atlas: x, y, width, height in texels; of a half, a quarter, … of it
                           // where it is drawn so small
flat out vec4 v_color;
#ifdef SPANS
flat out vec2 v_span;      // of the side that is shrunk more than the other: its texels in a pixel; else 0
#endif
#ifdef SMOOTH_EDGES
out vec2 v_edge;           // the same place along the sprite's own axes; 1 is the width over which edges fade
flat out vec2 v_size;      // the sprite's size in that measure
#endif

#if defined(MOTION_EXTRAPOLATE) || defined(MOTION_HERMITE)
uniform vec4 motion;  // seconds: the clock at alpha 0, from there to alpha 1, limit, blend time
#endif

// Where the image lies that was halved so often; framework/gpu/atlas.py places it.
vec4 reduced_rectangle(vec4 rectangle, int level) {
    ivec2 size = ivec2(rectangle.zw), corner = ivec2(0, size.y + 1);
    for (int i = 1; i < level; i++)
        corner += ivec2(i & 1, 1 - (i & 1)) * (max(size >> i, 1) + 1);
    return vec4(rectangle.xy + vec2(corner), vec2(max(size >> level, 1)));
}

void main() {
#ifdef MOTION_EXTRAPOLATE
    float age = motion.x + alpha * motion.y - in_state_error.w;
    vec2 reach_fade = reach_and_fade(age, motion.z, motion.w);
    vec2 position = in_state_position + in_state_velocity * reach_fade.x + in_state_error.xy * reach_fade.y;
    float angle = in_state_angle.x + in_state_angle.y * reach_fade.x + in_state_error.z * reach_fade.y;
    vec2 scale = blend(in_previous_scale, in_scale, alpha);
#elif defined(MOTION_NONE)
    vec2 position = in_position;
    float angle = in_angle;
    vec2 scale = in_scale;
#else
#ifdef MOTION_HERMITE
    vec2 position = hermite(
        in_previous_position, in_position, in_previous_velocity * motion.y, in_velocity * motion.y, alpha);
#else
    vec2 position = blend(in_previous_position, in_position, alpha);
#endif
    float angle = blend_angle(in_previous_angle, in_angle, alpha);
    vec2 scale = blend(in_previous_scale, in_scale, alpha);
#endif

    int region = int(in_info & 0xFFFFFFu);
#ifdef CLIPS
    region = shown_region(region);  // in a table that has the regions of the clips' steps before those of the images
#endif
    int texel = 2 * region;
    int width = textureSize(regions, 0).x;
    v_rectangle = texelFetch(regions, ivec2(texel % width, texel / width), 0);
    vec3 anchor_halvings = texelFetch(regions, ivec2((texel + 1) % width, (texel + 1) / width), 0).xyz;
    vec2 anchor = anchor_halvings.xy;
    vec2 size = v_rectangle.zw;
    v_color = in_color;

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
    bvec2 flipped = bvec2((in_info & 0x2000000u) != 0u, (in_info & 0x4000000u) != 0u);
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
    gl_Position = vec4(mat2(view_projection) * place.xy, 0.0, 1.0);
#if defined(NEAREST) && !defined(SMOOTH_EDGES)
    // An image of odd size at a whole place has its texels' borders right on pixel centres, where rounding would
    // show some texels twice and others not at all: 1/64 pixel to the side, all of them fall the same way.
    gl_Position.xy += (2.0 / 64.0) / viewport;
#endif

    // Rows that are hidden, of no size, or not a number are put outside of the picture, all corners on one point.
    // As bits, NaN and infinity are above every number; drivers may turn !(x < y) into x >= y, which NaN is not.
    bool visible = (in_info & 0x1000000u) != 0u && min(pixels_per_texel.x, pixels_per_texel.y) > 0.0;
    uint bits = floatBitsToUint(abs(place.x) + abs(place.y));
    if (!visible || bits > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
