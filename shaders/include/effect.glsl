// The beginning of every effect that a game defines. framework/gpu/passes.py includes it before your code.
//
//     uniform float strength = 0.5;
//     vec4 effect(vec2 place) { return mix(picture(place), picture(place).bgra, strength); }
// `picture(place)` returns the current image at a position, in sRGB, filtered. picture.glsl also declares size, units
// and time.
#include "passing.glsl"
#define picture picture_0

vec4 effect(vec2 place);

void main() {
    color = vec4(effect(v_place).rgb, 1.0);
}
