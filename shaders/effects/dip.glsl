#include "crossing.glsl"
uniform vec3 tint;

// By a colour: the old picture goes over into it, and that into the new one.
vec4 over(vec2 place) {
    return vec4(mix(old(place), tint, min(progress * 2.0, 1.0)), min(2.0 - progress * 2.0, 1.0));
}
