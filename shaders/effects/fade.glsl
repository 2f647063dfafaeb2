#include "crossing.glsl"
uniform vec3 tint;
uniform bool through;

void main() {
    float hidden = through ? min(progress * 2.0, 1.0) : 0.0;
    color = vec4(mix(old(v_place), tint, hidden), through ? min(2.0 - progress * 2.0, 1.0) : 1.0 - progress);
}
