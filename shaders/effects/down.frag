// The image at half the size, with the five samples of M. Bjorge's dual filter (SIGGRAPH 2015).
#include "passing.glsl"

void main() {
    vec2 texel = 1.0 / vec2(textureSize(source, 0));
    color = vec4((picture_0(v_place).rgb * 4.0
        + picture_0(v_place + texel * vec2(-1.0, -1.0)).rgb + picture_0(v_place + texel * vec2(1.0, -1.0)).rgb
        + picture_0(v_place + texel * vec2(-1.0, 1.0)).rgb + picture_0(v_place + texel * vec2(1.0, 1.0)).rgb) / 8.0, 1.0);
}
