// A picture of half the size, as a tent over three texels each way; its alpha says how much of it is to be laid on.
#include "passing.glsl"
uniform float share;

void main() {
    vec2 texel = 1.0 / vec2(textureSize(source, 0));
    vec3 sides = picture_0(v_place + texel * vec2(-1.0, 0.0)).rgb + picture_0(v_place + texel * vec2(1.0, 0.0)).rgb
        + picture_0(v_place + texel * vec2(0.0, -1.0)).rgb + picture_0(v_place + texel * vec2(0.0, 1.0)).rgb;
    vec3 corners = picture_0(v_place + texel * vec2(-1.0, -1.0)).rgb + picture_0(v_place + texel * vec2(1.0, -1.0)).rgb
        + picture_0(v_place + texel * vec2(-1.0, 1.0)).rgb + picture_0(v_place + texel * vec2(1.0, 1.0)).rgb;
    color = vec4((picture_0(v_place).rgb * 4.0 + sides * 2.0 + corners) / 16.0, share);
}
