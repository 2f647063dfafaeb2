// Converts colors to linear light and back, to add light. Without IN_SPACE: squares and roots, close to sRGB and faster than its
// powers. With IN_SPACE, for an image with colors above white: back through the tone curve (world.glsl) to linear
// light of up to 20 times white, and out again in the same way.
#ifdef IN_SPACE
// Glow images contain linear light in half floats with IN_SPACE. Otherwise they contain its root, in bytes.
#define light_kept(value) (value)
#define kept_of(light) (light)

vec3 light_of(vec3 seen) {
    vec3 c = max(seen, 0.0);
    vec3 y = min(mix(pow((c + 0.055) / 1.055, vec3(2.4)), c / 12.92, lessThanEqual(c, vec3(0.04045))), 1.03);
    // y = x (2.51 x + 0.03) / (x (2.43 x + 0.59) + 0.14), solved for x.
    vec3 a = 2.51 - 2.43 * y, b = 0.03 - 0.59 * y;
    return min((sqrt(b * b + 0.56 * a * y) - b) / (2.0 * a), 20.0);
}

vec3 seen_of(vec3 x) {
    vec3 c = clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
    return mix(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, lessThanEqual(c, vec3(0.0031308)));
}
#else
#define light_kept(value) ((value) * (value))
#define kept_of(light) sqrt(light)

vec3 light_of(vec3 seen) {
    return seen * seen;
}

vec3 seen_of(vec3 light) {
    return sqrt(light);
}
#endif
