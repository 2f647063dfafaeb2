uniform vec2 center;
uniform float softness;
uniform vec3 tint;

// Closes over the old picture, and opens over the new one.
vec4 transition(vec2 place) {
    vec2 most = max(center, 1.0 - center) * units;
    float open = abs(progress * 2.0 - 1.0) * (1.0 + softness);
    float far = length((place - center) * units) / length(most);
    float share = clamp((open - far) / max(softness, 1e-4), 0.0, 1.0);
    return mix(vec4(tint, 1.0), progress < 0.5 ? before(place) : after(place), share);
}
