// One sprite is one instance; its four corners come from gl_VertexID. A frame between two ticks changes only `alpha`.
#include "frame.glsl"
#include "sprite_corner.glsl"
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

#if defined(MOTION_EXTRAPOLATE) || defined(MOTION_HERMITE)
uniform vec4 motion;  // seconds: the clock at alpha 0, from there to alpha 1, limit, blend time
#endif

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

    bvec2 flipped = bvec2((in_info & 0x2000000u) != 0u, (in_info & 0x4000000u) != 0u);
    int shown = int(in_info & 0xFFFFFFu);
#ifdef CLIPS
    shown = shown_region(shown);  // in a table that has the regions of the clips' steps before those of the images
#endif
    put_corner(position, angle, scale, shown, flipped, in_color, (in_info & 0x1000000u) != 0u);
}
