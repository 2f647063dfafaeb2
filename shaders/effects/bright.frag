// The linear light of an image above a threshold, at a quarter of the size: the average of four filtered reads of four
// texels.
#include "passing.glsl"
#include "glow.glsl"
uniform float threshold;
uniform float knee;  // 1 / (2 threshold)

vec3 bright(vec2 place) {
    vec3 light = light_of(picture_0(place).rgb);
    float most = max(max(light.r, light.g), light.b);
    float over = clamp(most - 0.5 * threshold, 0.0, threshold);  // a soft threshold, which starts at half of it
    float share = max(over * over * knee, most - threshold);
    return light * (share / max(most, 1e-4));
}

void main() {
    vec2 texel = 1.0 / vec2(textureSize(source, 0));
    vec3 sum = bright(v_place + texel * vec2(-1.0, -1.0)) + bright(v_place + texel * vec2(1.0, -1.0))
        + bright(v_place + texel * vec2(-1.0, 1.0)) + bright(v_place + texel * vec2(1.0, 1.0));
    color = vec4(kept_of(sum * 0.25), 1.0);
}
