// The start of your own effect. framework/gpu/passes.py includes it before your code.
//
//     uniform float strength = 0.5;
//     vec4 effect(vec2 place) { return mix(picture(place), picture(place).bgra, strength); }
//
// `picture(place)` is the current image, sRGB, filtered. size, units and time are declared too (picture.glsl).
#include "passing.glsl"
#define picture picture_0

vec4 effect(vec2 place);

void main() {
    color = vec4(effect(v_place).rgb, 1.0);
}
