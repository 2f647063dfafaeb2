#include "crossing.glsl"
uniform float angle;
uniform float softness;

vec4 over(vec2 place) {
    vec2 towards = vec2(cos(angle), sin(angle)) * units;
    float reach = 0.5 * (abs(towards.x) + abs(towards.y));
    float far = dot(place - 0.5, towards) / reach * 0.5 + 0.5;  // 0 at the start of the wipe, 1 at its end
    float soft = max(softness, 1e-4);
    return vec4(old(place), 1.0 - clamp((progress * (1.0 + soft) - far) / soft, 0.0, 1.0));
}
