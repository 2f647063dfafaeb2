#include "crossing.glsl"
uniform vec3 tint;
uniform bool through;

vec4 over(vec2 place) {
    float hidden = through ? min(progress * 2.0, 1.0) : 0.0;
    return vec4(mix(old(place), tint, hidden), through ? min(2.0 - progress * 2.0, 1.0) : 1.0 - progress);
}
