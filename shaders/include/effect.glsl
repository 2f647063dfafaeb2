// What an effect of your own starts from; framework/gpu/passes.py includes it before yours.
//
//     uniform float strength = 0.5;
//     vec4 effect(vec2 place) { return mix(picture(place), picture(place).bgra, strength); }
//
// `picture(place)` is the picture so far, sRGB, filtered; beside it there are size, units and time (picture.glsl).
#include "passing.glsl"
#define picture picture_0

vec4 effect(vec2 place);

void main() {
    color = vec4(effect(v_place).rgb, 1.0);
}
