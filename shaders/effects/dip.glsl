#include "crossing.glsl"
uniform vec3 tint;

// The old image fades to a color, then the color fades to the new image.
vec4 over(vec2 place) {
    return vec4(mix(old(place), tint, min(progress * 2.0, 1.0)), min(2.0 - progress * 2.0, 1.0));
}
