#include "glow.glsl"
uniform float strength;
uniform sampler2D bloom_glow;
uniform bool bloom_in_space;

vec4 effect(vec2 place) {
    vec3 light = light_of(picture(place).rgb, bloom_in_space);
    return vec4(seen_of(light + strength * texture(bloom_glow, place).rgb, bloom_in_space), 1.0);
}
