uniform float width;
uniform float threshold;
uniform float strength;
uniform vec3 tint;

float outline_gray(vec2 place) {
    return dot(picture(place).rgb, vec3(0.299, 0.587, 0.114));
}

// Draws lines where the Sobel gradient of the brightness is large.
vec4 effect(vec2 place) {
    vec2 s = width / units;
    float a = outline_gray(place + vec2(-s.x, s.y)), b = outline_gray(place + vec2(0.0, s.y));
    float c = outline_gray(place + s), d = outline_gray(place + vec2(-s.x, 0.0));
    float e = outline_gray(place + vec2(s.x, 0.0)), f = outline_gray(place - s);
    float g = outline_gray(place + vec2(0.0, -s.y)), h = outline_gray(place + vec2(s.x, -s.y));
    vec2 slope = vec2(c + 2.0 * e + h - a - 2.0 * d - f, a + 2.0 * b + c - f - 2.0 * g - h);
    float edge = smoothstep(threshold, threshold * 2.0 + 1e-3, length(slope));
    return vec4(mix(picture(place).rgb, tint, edge * strength), 1.0);
}
