#include "crossing.glsl"

vec4 over(vec2 place) {
    return vec4(old(place), 1.0 - progress);
}
