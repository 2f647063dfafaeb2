// Each instance is one sprite, whose four corners come from gl_VertexID. Between two ticks, a frame changes only
// `alpha`.
#include "frame.glsl"
#include "sprite_corner.glsl"
#include "sprite_pose.glsl"
#ifdef CLIPS
#include "clip.glsl"
#endif

in vec4 in_color;  // straight alpha
in uint in_info;   // bits 0-23: index of the image; 24: visible; 25, 26: flipped in x, in y

#ifdef TEXELS
uniform ivec2 part;  // the first instance to draw, and the end; 0, 0 draws all
#endif

void main() {
    vec2 position, scale;
    float angle;
    sprite_pose(position, angle, scale);
    bvec2 flipped = bvec2((in_info & 0x2000000u) != 0u, (in_info & 0x4000000u) != 0u);
    int shown = int(in_info & 0xFFFFFFu);
#ifdef CLIPS
    shown = shown_region(shown);  // an index into the table of clip steps and images
#endif
    bool visible = (in_info & 0x1000000u) != 0u;
#ifdef TEXELS
    visible = visible && (part.y == 0 || (gl_InstanceID >= part.x && gl_InstanceID < part.y));
#endif
#ifdef ALIGNED
    at_rest = still > 0.5 && in_previous_position == in_position && in_previous_angle == in_angle
        && in_previous_scale == in_scale;
#endif
    put_corner(position, angle, scale, shown, flipped, in_color, visible);
}
