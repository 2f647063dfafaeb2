// The input image of a pass, as the function `picture_0`.
#include "picture.glsl"

uniform sampler2D source;

vec4 picture_0(vec2 place) {
    return texture(source, place);
}
