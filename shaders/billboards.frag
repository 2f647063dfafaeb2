#include "world.glsl"

in vec2 v_uv;
in vec4 v_color;
in float v_distance;

uniform sampler2D image;  // premultiplied, sRGB
uniform float additive;

out vec4 color;

void main() {
    vec4 texel = texture(image, v_uv);
    vec3 base = from_srgb(clamp(texel.rgb / max(texel.a, 1e-4), 0.0, 1.0)) * v_color.rgb;
    float alpha = texel.a * v_color.a, seen = through_fog(v_distance);
#ifdef LIT  // from all sides alike, as smoke and dust are
    base = shown(base * (0.5 * sun_color.rgb + 0.5 * (sky_color.rgb + ground_color.rgb)));
#else
    base = to_srgb(clamp(base, 0.0, 1.0));
#endif
    base = additive > 0.0 ? base * seen : mix(shown(fog_color.rgb), base, seen);
    color = vec4(base * alpha, alpha * (1.0 - additive));
}
