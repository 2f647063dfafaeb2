// An image of half the size, enlarged with a tent filter over three texels: four filtered texels cover all nine. Alpha
// is the opacity.
#include "passing.glsl"
uniform float share;

void main() {
    vec2 half_ = 0.5 / vec2(textureSize(source, 0));
    color = vec4((picture_0(v_place - half_).rgb + picture_0(v_place + half_).rgb
        + picture_0(v_place + half_ * vec2(-1.0, 1.0)).rgb + picture_0(v_place + half_ * vec2(1.0, -1.0)).rgb) * 0.25, share);
}
