uniform vec3 tint;
uniform bool through;

vec4 transition(vec2 place) {
    if (!through)
        return mix(before(place), after(place), progress);
    vec4 seen = progress < 0.5 ? before(place) : after(place);
    return mix(vec4(tint, 1.0), seen, abs(progress * 2.0 - 1.0));
}
