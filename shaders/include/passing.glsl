// Of an effect: the picture that it is given.
#include "picture.glsl"

uniform sampler2D source;

vec4 picture_0(vec2 place) {
    return texture(source, place);
}
