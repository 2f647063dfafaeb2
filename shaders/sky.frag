// Draws the sky: a gradient, the sun with a glow, and fog towards the horizon, or a single color.
#include "world.glsl"

in vec3 v_direction;
out vec4 color;

uniform vec4 plain;  // a color; the fourth number is 1 if this color fills the sky

const float FOG_HEIGHT = 20.0;  // height of the fog in units

void main() {
    vec3 direction = normalize(v_direction), light = plain.rgb;
    if (plain.a == 0.0) {
        float to_sun = dot(direction, sun_direction.xyz), up = clamp(direction.y * 20.0 + 1.0, 0.0, 1.0);
        float glow = 0.25 * pow(max(to_sun, 0.0), 12.0) + 1.0 * pow(max(to_sun, 0.0), 180.0);
        float disc = 20.0 * smoothstep(0.99985, 0.99992, to_sun);
        light = sky_light(direction, 0.0) + sun_color.rgb * (glow * 0.35 + disc) * up;
        light = mix(fog_color.rgb, light, through_fog(FOG_HEIGHT / max(direction.y, 1e-3)));
    }
    // Half a step of noise, the same in each frame, so that the gradient has no visible bands.
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    color = vec4(shown(light) + noise / 255.0, 1.0);
}
