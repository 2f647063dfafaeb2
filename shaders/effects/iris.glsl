#include "crossing.glsl"
uniform vec2 center;
uniform float softness;
uniform vec3 tint;

// The circle closes over the old image, then opens over the new one.
vec4 over(vec2 place) {
    vec2 most = max(center, 1.0 - center) * units;
    float open = abs(progress * 2.0 - 1.0) * (1.0 + softness);
    float far = length((place - center) * units) / length(most);
    float share = clamp((open - far) / max(softness, 1e-4), 0.0, 1.0);
    bool closing = progress < 0.5;
    return vec4(mix(tint, old(place), closing ? share : 0.0), closing ? 1.0 : 1.0 - share);
}
