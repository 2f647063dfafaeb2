// The image at a quarter of the size: four filtered reads give the average of sixteen texels.
#include "passing.glsl"
#include "glow.glsl"

vec3 kept(vec2 place) {
    vec3 value = picture_0(place).rgb;
    return light_kept(value);
}

void main() {
    vec2 texel = 1.0 / vec2(textureSize(source, 0));
    vec3 sum = kept(v_place - texel) + kept(v_place + texel)
        + kept(v_place + texel * vec2(-1.0, 1.0)) + kept(v_place + texel * vec2(1.0, -1.0));
    color = vec4(kept_of(sum * 0.25), 1.0);
}
