// A Gaussian blur along one axis. The standard deviation is in texels, at most 3.
#include "passing.glsl"
uniform vec2 direction;
uniform float deviation;

void main() {
    vec2 step_ = direction / vec2(textureSize(source, 0));
    float spread = -0.5 / max(deviation * deviation, 1e-4);
    vec3 sum = picture_0(v_place).rgb;
    float weights = 1.0;
    for (float texel = 1.0; texel <= 8.0; texel += 1.0) {
        float weight = exp(spread * texel * texel);
        sum += weight * (picture_0(v_place + step_ * texel).rgb + picture_0(v_place - step_ * texel).rgb);
        weights += 2.0 * weight;
    }
    color = vec4(sum / weights, 1.0);
}
