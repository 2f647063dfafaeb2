// The input image of an effect.
#include "picture.glsl"

uniform sampler2D source;

vec4 picture_0(vec2 place) {
    return texture(source, place);
}
