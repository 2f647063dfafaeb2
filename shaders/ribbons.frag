#include "frame.glsl"

uniform sampler2D image;

in vec2 v_across;
in float v_along;
in vec4 v_color;

out vec4 color;  // premultiplied alpha

void main() {
    float far = v_across.x, half_width = v_across.y;
    vec2 at = vec2(v_along, 0.5 + 0.5 * far / max(half_width, 1e-6));
    float coverage = 1.0;
#ifdef SMOOTH_EDGES
    coverage = clamp(min(far + 0.5, half_width) - max(far - 0.5, -half_width), 0.0, 1.0);
#endif
    color = texture(image, at) * v_color * coverage;
}
