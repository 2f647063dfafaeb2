#include "glow.glsl"
uniform float strength;
uniform sampler2D bloom_glow;

vec4 effect(vec2 place) {
    vec3 light = light_of(picture(place).rgb);
    vec3 glow = texture(bloom_glow, place).rgb;
    return vec4(seen_of(light + strength * light_kept(glow)), 1.0);
}
