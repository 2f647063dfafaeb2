// Of a transition that lies over the new picture: what is left of the old one. `old` is it pixel by pixel.
#include "picture.glsl"

uniform sampler2D old_picture;
uniform float progress;

vec3 old(vec2 place) {
    return texelFetch(old_picture, min(ivec2(place * size), ivec2(size) - 1), 0).rgb;
}
