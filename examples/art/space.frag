// The sky over the asteroids: stars, clouds of gas, and the sun.
#include "surface.glsl"

float random(vec3 p) {
    p = fract(p * vec3(0.1031, 0.1030, 0.0973));
    p += dot(p, p.yxz + 33.33);
    return fract((p.x + p.y) * p.z);
}

float noise(vec3 p) {
    vec3 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    vec2 e = vec2(0.0, 1.0);
    vec4 low = vec4(random(i), random(i + e.yxx), random(i + e.xyx), random(i + e.yyx));
    vec4 high = vec4(random(i + e.xxy), random(i + e.yxy), random(i + e.xyy), random(i + e.yyy));
    vec4 m = mix(low, high, f.z);
    vec2 n = mix(m.xy, m.zw, f.y);
    return mix(n.x, n.y, f.x);
}

float clouds(vec3 p) {
    float sum = 0.0, share = 0.5;
    for (int octave = 0; octave < 5; octave++, p = p * 2.03 + 17.0, share *= 0.5)
        sum += share * noise(p);
    return sum;
}

// One star in some cells of a grid; where they are small against a pixel, they only get darker.
float stars(vec3 way, float cells, float share) {
    vec3 cell = floor(way * cells);
    float here = random(cell + 7.0);
    vec3 star = normalize(cell + 0.5 + 0.6 * (vec3(random(cell), random(cell + 1.0), random(cell + 2.0)) - 0.5));
    float off = length(way - star) / (1.4 / viewport.y);
    return here < share ? exp(-off * off) * pow(here / share, 3.0) : 0.0;
}

void main() {
    vec3 way = normalize(v_place);
    float gas = clouds(way * 2.2 + 1.5 * clouds(way * 1.7 + 9.0));
    float band = exp(-7.0 * pow(dot(way, normalize(vec3(0.35, 0.85, -0.3))) + 0.25 * (gas - 0.5), 2.0));
    vec3 light = vec3(0.004, 0.006, 0.014);
    light += band * pow(gas, 2.2) * mix(vec3(0.05, 0.16, 0.30), vec3(0.42, 0.10, 0.26), smoothstep(0.4, 0.62, gas));
    light += (1.5 * stars(way, 50.0, 0.03) + 0.4 * stars(way, 110.0, 0.02 + 0.1 * band)) * vec3(1.0, 0.95, 0.85);
    float sun = max(dot(way, sun_direction.xyz), 0.0);
    light += vec3(1.0, 0.8, 0.55) * (0.12 * pow(sun, 20.0) + 0.9 * pow(sun, 400.0) + 30.0 * smoothstep(0.9992, 0.9996, sun));
    color = vec4(shown(light), 1.0);
}
