// Draws the image over the faded earlier images.
#include "passing.glsl"
uniform sampler2D kept;
uniform float left;

void main() {
    vec3 before = max(texture(kept, v_place).rgb * left - 0.5 / 255.0, 0.0);
    color = vec4(max(picture_0(v_place).rgb, before), 1.0);
}
