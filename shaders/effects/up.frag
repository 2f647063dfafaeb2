// A picture of half the size, as a tent over three texels each way: four filtered ones have all nine. Its alpha says how
// much of it is to be laid on.
#include "passing.glsl"
uniform float share;

void main() {
    vec2 half_ = 0.5 / vec2(textureSize(source, 0));
    color = vec4((picture_0(v_place - half_).rgb + picture_0(v_place + half_).rgb
        + picture_0(v_place + half_ * vec2(-1.0, 1.0)).rgb + picture_0(v_place + half_ * vec2(1.0, -1.0)).rgb) * 0.25, share);
}
