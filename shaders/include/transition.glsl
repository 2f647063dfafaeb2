// The beginning of every transition that a game defines. framework/gpu/passes.py includes it before your code.
//
//     vec4 transition(vec2 place) { return mix(before(place), after(place), progress); }
// `progress` goes from 0 to 1. picture.glsl also declares size, units and time.
#include "picture.glsl"

uniform sampler2D old_picture;
uniform sampler2D new_picture;
uniform float progress;

vec4 before(vec2 place) {
    return texture(old_picture, place);
}

vec4 after(vec2 place) {
    return texture(new_picture, place);
}

vec4 transition(vec2 place);

void main() {
    color = vec4(transition(v_place).rgb, 1.0);
}
